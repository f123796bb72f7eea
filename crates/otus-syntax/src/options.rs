//! The options of the peers' `.hcf` files and of the `@analyze_option` and `@explore_option`
//! sections of 2020, as data.
//!
//! Both generations and all their spellings are read into these types; printing them gives
//! today's spelling. An option that Otus has no use for is kept too (with a note, `O0504`), so
//! that formatting a file never loses a line of it.
//! Sources: the HIBOU README of September 2020, sections 4.3 and 4.4, and Mahe et al.,
//! "Tooling offline runtime verification against interaction models", section 7.

use crate::name::Name;
use crate::source::Span;

/// One `@…_option{…}` section.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionSection {
    /// The whole section.
    pub span: Span,
    /// Which process it is about.
    pub process: Process,
    /// The options in order.
    pub items: Vec<OptionItem>,
}

/// What an option section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// `@analyze_option`
    Analyze,
    /// `@explore_option`
    Explore,
    /// `@canonize_option` of later peers: kept, not needed.
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
    /// What it sets.
    pub value: OptionValue,
}

/// What an option sets.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// `loggers = […]`
    Loggers(Vec<Logger>),
    /// `strategy = …`
    Strategy(Strategy),
    /// `filters = […]`, once `pre_filters`
    Filters(Vec<Filter>),
    /// `priorities = […]`, once `frontier_priorities`; `random` is `[randomize = true]`
    Priorities(Vec<Priority>),
    /// `analysis_kind = …`, once `semantics`
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

/// Who watches the process and writes what it sees.
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
    Format(Picture),
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
pub enum Picture {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics.
    Png,
}

/// Which way a graph is drawn.
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
    /// `generation = …`, or just the word
    Generation(Generation),
    /// `partition = …`
    Partition(Partition),
    /// `parent_folder`
    Folder(Name),
    /// `trace_prefix`
    Prefix(Name),
}

/// Which nodes of an execution tree give a multi-trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// Those whose interaction accepts the empty trace: `exact`, later `accepted`.
    Exact,
    /// All of them: `prefix`.
    Prefix,
    /// Those without children: `terminal`.
    Terminal,
    /// Those at one depth: `exact depth n`.
    Depth(u64),
    /// Those at every n-th depth: `modulo depth n`.
    Modulo(u64),
}

/// A partition of the lifelines into co-localizations.
#[derive(Debug, Clone, PartialEq)]
pub enum Partition {
    /// Every lifeline by itself.
    Discrete,
    /// All lifelines together.
    Trivial,
    /// As listed: `{(l1,l2),(l3)}`.
    Listed(Vec<Vec<Name>>),
}

/// The order in which a search takes its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Breadth first: `BFS`, `BreadthFS`, `Breadth First Search`.
    Breadth,
    /// Depth first: `DFS`, `DepthFS`, `Depth First Search`.
    Depth,
    /// High coverage: `HCS`, `HighCoverageS`, `High Coverage Search`.
    HighCoverage,
}

/// What bounds a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// `max_depth = n`
    Depth(u64),
    /// `max_loop_depth = n`
    LoopDepth(u64),
    /// `max_node_number = n`
    NodeNumber(u64),
}

/// What moves a child forward or back among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// `kind = level`
    Level(PriorityKind, i64),
    /// `randomize = true`
    Randomize(bool),
}

/// The kinds of step a priority can be given to.
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
    /// Removal of lifelines: `elim`, `eliminate`, once `hide`.
    Eliminate,
    /// Any executed step: `step`.
    Step,
    /// Synchronous steps of several lifelines: `multi_rdv`.
    Rendezvous,
    /// Term rewriting of later peers, kept by name: not needed.
    Rewrite(Rewrite),
}

/// Rewriting steps of later peers, which Otus does not need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// `simpl`
    Simplify,
    /// `flush`
    Flush,
    /// `invert`
    Invert,
    /// `deduplicate`
    Deduplicate,
    /// `factorize`
    Factorize,
    /// `defactorize`
    Defactorize,
}

/// Which question an analysis answers.
#[derive(Debug, Clone, PartialEq)]
pub enum AnalysisKind {
    /// `accept`
    Accept,
    /// `prefix`
    Prefix,
    /// `eliminate`, once `hide`
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
    /// `loop …`: how many loops may be instantiated.
    Loop(Criterion),
    /// `act …`: how many actions may be simulated.
    Act(Criterion),
}

/// Where a bound on simulation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// `none`: no bound.
    None,
    /// `num = n`
    Number(u64),
    /// `max num`: how many there are in the interaction.
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
