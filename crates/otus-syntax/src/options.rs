//! The options of the `.hcf` files of `hibou_label` 0.8.8 and of the `@analyze_option` and
//! `@explore_option` sections of HIBOU 2020, as data.
//!
//! Both generations with all their spellings are read into these types; printing gives the current
//! spelling. Options that Otus does not need are kept too (with a note, `O0504`), so that formatting a
//! file loses nothing.
//!
//! Sources: the HIBOU README of September 2020, sections 4.3 and 4.4, and Mahe et al.,
//! "Tooling offline runtime verification against interaction models", section 7.

use crate::name::Name;
use crate::source::Span;

/// One `@…_option{…}` section.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionSection {
    /// The whole section.
    pub span: Span,
    /// The process it configures.
    pub process: Process,
    /// The options in order.
    pub items: Vec<OptionItem>,
}

/// The process that an option section configures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// `@analyze_option`
    Analyze,
    /// `@explore_option`
    Explore,
    /// `@canonize_option` of later versions of `hibou_label`: kept, not needed.
    Canonize,
}

impl Process {
    /// The section's keyword after the `@`.
    pub fn keyword(self) -> &'static str {
        match self {
            Process::Analyze => "analyze_option",
            Process::Explore => "explore_option",
            Process::Canonize => "canonize_option",
        }
    }
}

/// One `name = value` of a section.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionItem {
    /// From the name to the end of the value.
    pub span: Span,
    /// The option with its value.
    pub value: OptionValue,
}

/// An option with its value.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// `loggers = […]`
    Loggers(Vec<Logger>),
    /// `strategy = …`
    Strategy(Strategy),
    /// `filters = […]`, formerly `pre_filters`
    Filters(Vec<Filter>),
    /// `priorities = […]`, formerly `frontier_priorities`; `random` is `[randomize = true]`
    Priorities(Vec<Priority>),
    /// `analysis_kind = …`, formerly `semantics`
    Kind(AnalysisKind),
    /// `goal = …`
    Goal(Goal),
    /// `local_analysis = …`
    LocalAnalysis(LocalAnalysis),
    /// `memoize = …`
    Memoize(bool),
    /// `partial_order_reduction = …`
    PartialOrderReduction(bool),
    /// `search_all = …`, of `@canonize_option`
    SearchAll(bool),
}

/// An observer of a process that writes a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Logger {
    /// `graphic[…]`: draws the graph.
    Graphic(Vec<GraphicOption>),
    /// `tracegen[…]`: writes multi-traces.
    Tracegen(Vec<TracegenOption>),
    /// `nfa`, `nfait`: writes an automaton.
    Automaton,
}

/// An option of the graphic logger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphicOption {
    /// `svg` or `png`
    Format(GraphicFormat),
    /// `vertical` or `horizontal`
    Layout(Layout),
    /// `draw_sd`: nodes show sequence diagrams.
    SequenceDiagrams(bool),
    /// `draw_tt`: nodes show term trees.
    TermTrees(bool),
    /// `draw_sub_processes`
    SubProcesses(bool),
    /// `draw_legend`
    Legend(bool),
    /// `parent_folder`
    Folder(Name),
    /// `output`
    Output(Name),
}

/// A picture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphicFormat {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics.
    Png,
}

/// The direction in which a graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// From top to bottom.
    Vertical,
    /// From left to right.
    Horizontal,
}

/// An option of the trace generation logger.
#[derive(Debug, Clone, PartialEq)]
pub enum TracegenOption {
    /// `generation = …`, or only the value
    Generation(Generation),
    /// `partition = …`
    Partition(PartitionOption),
    /// `parent_folder`
    Folder(Name),
    /// `trace_prefix`
    Prefix(Name),
}

/// The nodes of an execution tree whose multi-traces are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// Nodes whose interaction accepts the empty trace: `exact`, in later versions `accepted`.
    Exact,
    /// All nodes: `prefix`.
    Prefix,
    /// Nodes without children: `terminal`.
    Terminal,
    /// Nodes at one depth: `exact depth n`.
    Depth(u64),
    /// Nodes at every n-th depth: `modulo depth n`.
    Modulo(u64),
}

/// A partition of the lifelines into co-localizations.
#[derive(Debug, Clone, PartialEq)]
pub enum PartitionOption {
    /// Each lifeline alone.
    Discrete,
    /// All lifelines together.
    Trivial,
    /// The listed co-localizations: `{(l1,l2),(l3)}`.
    Listed(Vec<Vec<Name>>),
}

/// The order in which a search visits nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Breadth first: `BFS`, `BreadthFS`, `Breadth First Search`.
    Breadth,
    /// Depth first: `DFS`, `DepthFS`, `Depth First Search`.
    Depth,
    /// High coverage: `HCS`, `HighCoverageS`, `High Coverage Search`.
    HighCoverage,
}

/// A bound on a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// `max_depth = n`
    Depth(u64),
    /// `max_loop_depth = n`
    LoopDepth(u64),
    /// `max_node_number = n`
    NodeNumber(u64),
}

/// A rule for the order of the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// `kind = level`
    Level(PriorityKind, i64),
    /// `randomize = true`
    Randomize(bool),
}

/// The kinds of step that can have a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorityKind {
    /// Emissions.
    Emission,
    /// Receptions.
    Reception,
    /// Actions inside a loop: `loop`, `in_loop`.
    InLoop,
    /// Simulated steps: `simu`, `simulate`.
    Simulate,
    /// Removal of lifelines: `elim`, `eliminate`, formerly `hide`.
    Eliminate,
    /// Any executed step: `step`.
    Step,
    /// Synchronous steps of several lifelines: `multi_rdv`.
    Rendezvous,
    /// Term rewriting of later versions of `hibou_label`: kept by its keyword, not needed.
    Rewrite(&'static str),
}

/// The spellings of priorities; the first is the current one.
pub(crate) const PRIORITIES: [(&str, PriorityKind); 7] = [
    ("emission", PriorityKind::Emission),
    ("reception", PriorityKind::Reception),
    ("loop in_loop", PriorityKind::InLoop),
    ("simu simulate", PriorityKind::Simulate),
    ("elim eliminate hide", PriorityKind::Eliminate),
    ("step", PriorityKind::Step),
    ("multi_rdv", PriorityKind::Rendezvous),
];

/// The keywords of rewriting steps.
pub(crate) const REWRITES: &str = "simpl flush invert deduplicate factorize defactorize";

/// The question that an analysis answers.
#[derive(Debug, Clone, PartialEq)]
pub enum AnalysisKind {
    /// `accept`
    Accept,
    /// `prefix`
    Prefix,
    /// `eliminate`, formerly `hide`
    Eliminate,
    /// `simulate[…]`
    Simulate(Vec<SimulateOption>),
}

/// An option of `simulate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulateOption {
    /// `before`, `slice`, `preamble`: also simulate before observation starts.
    Before(bool),
    /// `multiply`, `resized`, `dependent`: multiply the criteria by the size of the multi-trace.
    Multiply(bool),
    /// `reset`, `reinitialize`: a step of execution resets the measure.
    Reset(bool),
    /// `loop …`: the maximum number of loops that may be instantiated.
    Loop(Criterion),
    /// `act …`: the maximum number of actions that may be simulated.
    Act(Criterion),
}

/// The source of a bound on simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// `none`: no bound.
    None,
    /// `num = n`
    Number(u64),
    /// `max num`: the number of loops, or of actions, in the interaction.
    MaxNumber,
    /// `max depth`: the depth of nested loops.
    MaxDepth,
}

/// The verdict that ends a search early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// `Pass`
    Pass,
    /// `WeakPass`
    WeakPass,
    /// `None`: explore everything.
    None,
}

/// Whether each component is checked alone first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalAnalysis {
    /// `false`
    Off,
    /// `true`
    On,
    /// `front`: only the component whose action was just consumed.
    Front,
}
