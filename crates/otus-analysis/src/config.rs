//! Every option of the papers' searches.
//!
//! | option | default | in a `.hcf` |
//! |---|---|---|
//! | [`Config::kind`] | `prefix` | `analysis_kind`, `semantics` |
//! | [`Config::strategy`] | depth first | `strategy` |
//! | [`Config::priorities`] | none: the order of positions | `priorities`, `frontier_priorities` |
//! | [`Config::filters`] | none | `filters`, `pre_filters` |
//! | [`Config::goal`] | `Pass` | `goal` |
//! | [`Config::memoize`] | off | `memoize` |
//! | [`Config::local_analysis`] | off | `local_analysis` |
//! | [`Config::partial_order_reduction`] | off | `partial_order_reduction` |
//! | [`Config::legacy_verdicts`] | off | – |
//! | [`Config::seed`] | 0 | – |
//! | [`Config::budget`] | none | – |

use otus_syntax::options::{
    AnalysisKind, Criterion, Filter, Goal, LocalAnalysis, OptionSection, OptionValue, Priority,
    PriorityKind, SimulateOption, Strategy,
};

use crate::budget::Budget;
use crate::verdict::Verdict;

/// How a search is done.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which question is asked.
    pub kind: Kind,
    /// Which node is taken next.
    pub strategy: Strategy,
    /// What moves a child before its siblings.
    pub priorities: Priorities,
    /// What bounds the graph. A search that they cut is undecided unless it passes.
    pub filters: Filters,
    /// The verdict that ends the search; `None` explores everything.
    pub goal: Option<Verdict>,
    /// Whether a node that was met before is not explored again. Nodes are compared whole.
    pub memoize: bool,
    /// Whether each component is checked alone before a node is explored.
    pub local_analysis: LocalAnalysis,
    /// Whether orders that make no difference are left out, where lifelines never wait for each
    /// other.
    pub partial_order_reduction: bool,
    /// Whether `prefix` tells LackObs from Out, as in 2020.
    pub legacy_verdicts: bool,
    /// Where randomness comes from.
    pub seed: u64,
    /// What may be used.
    pub budget: Budget,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            kind: Kind::Prefix,
            strategy: Strategy::Depth,
            priorities: Priorities::default(),
            filters: Filters::default(),
            goal: Some(Verdict::Pass),
            memoize: false,
            local_analysis: LocalAnalysis::Off,
            partial_order_reduction: false,
            legacy_verdicts: false,
            seed: 0,
            budget: Budget::default(),
        }
    }
}

/// Which question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Is it accepted?
    Accept,
    /// Is it the projection of a prefix of an accepted global trace?
    Prefix,
    /// Is it a multi-prefix, by removal of lifelines?
    Eliminate,
    /// Is it a slice, by bounded simulation?
    Simulate(Simulation),
}

impl Kind {
    /// The papers' name for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Accept => "accept",
            Kind::Prefix => "prefix",
            Kind::Eliminate => "eliminate",
            Kind::Simulate(_) => "simulate",
        }
    }
}

/// How simulation is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    /// Also before observation starts, so that slices are recognised and not only prefixes.
    pub before: bool,
    /// Multiply the bounds by the size of the multi-trace.
    pub multiply: bool,
    /// Set the measure anew after a step of execution.
    pub reset: bool,
    /// How many loops may be instantiated.
    pub loops: Criterion,
    /// How many actions may be simulated.
    pub actions: Criterion,
}

impl Default for Simulation {
    /// The criterion that the paper proposes (section 5.1).
    fn default() -> Self {
        Simulation {
            before: true,
            multiply: false,
            reset: true,
            loops: Criterion::MaxDepth,
            actions: Criterion::MaxNumber,
        }
    }
}

/// Levels by kind of step; a higher one comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Priorities {
    /// Emissions.
    pub emission: i64,
    /// Receptions.
    pub reception: i64,
    /// Events inside a loop.
    pub in_loop: i64,
    /// Executed steps.
    pub step: i64,
    /// Simulated steps.
    pub simulate: i64,
    /// Removal of lifelines.
    pub eliminate: i64,
    /// Events of several lifelines.
    pub rendezvous: i64,
    /// Whether equal levels come in a random order.
    pub randomize: bool,
}

/// What bounds a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filters {
    /// How many steps a path may have.
    pub depth: Option<u64>,
    /// How many loops may be instantiated along a path.
    pub loop_depth: Option<u64>,
    /// How many nodes may be made.
    pub nodes: Option<u64>,
}

impl Config {
    /// Takes over what an option section sets.
    pub fn apply(&mut self, section: &OptionSection) {
        for item in &section.items {
            match &item.value {
                OptionValue::Strategy(strategy) => self.strategy = *strategy,
                OptionValue::Filters(filters) => self.filters = Filters::of(filters),
                OptionValue::Priorities(priorities) => {
                    self.priorities = Priorities::of(priorities);
                }
                OptionValue::Kind(kind) => self.kind = Kind::of(kind),
                OptionValue::Goal(goal) => {
                    self.goal = match goal {
                        Goal::Pass => Some(Verdict::Pass),
                        Goal::WeakPass => Some(Verdict::WeakPass),
                        Goal::None => None,
                    }
                }
                OptionValue::LocalAnalysis(local) => self.local_analysis = *local,
                OptionValue::Memoize(on) => self.memoize = *on,
                OptionValue::PartialOrderReduction(on) => self.partial_order_reduction = *on,
                // Loggers belong to whoever observes, and canonization is no analysis.
                OptionValue::Loggers(_) | OptionValue::SearchAll(_) => {}
            }
        }
    }
}

impl Kind {
    fn of(kind: &AnalysisKind) -> Self {
        match kind {
            AnalysisKind::Accept => Kind::Accept,
            AnalysisKind::Prefix => Kind::Prefix,
            AnalysisKind::Eliminate => Kind::Eliminate,
            AnalysisKind::Simulate(options) => {
                let mut simulation = Simulation::default();
                for option in options {
                    match *option {
                        SimulateOption::Before(on) => simulation.before = on,
                        SimulateOption::Multiply(on) => simulation.multiply = on,
                        SimulateOption::Reset(on) => simulation.reset = on,
                        SimulateOption::Loop(criterion) => simulation.loops = criterion,
                        SimulateOption::Act(criterion) => simulation.actions = criterion,
                    }
                }
                Kind::Simulate(simulation)
            }
        }
    }
}

impl Filters {
    fn of(filters: &[Filter]) -> Self {
        let mut bounds = Filters::default();
        for filter in filters {
            match *filter {
                Filter::Depth(n) => bounds.depth = Some(n),
                Filter::LoopDepth(n) => bounds.loop_depth = Some(n),
                Filter::NodeNumber(n) => bounds.nodes = Some(n),
            }
        }
        bounds
    }
}

impl Priorities {
    fn of(priorities: &[Priority]) -> Self {
        let mut levels = Priorities::default();
        for priority in priorities {
            match *priority {
                Priority::Randomize(on) => levels.randomize = on,
                Priority::Level(kind, level) => match kind {
                    PriorityKind::Emission => levels.emission = level,
                    PriorityKind::Reception => levels.reception = level,
                    PriorityKind::InLoop => levels.in_loop = level,
                    PriorityKind::Step => levels.step = level,
                    PriorityKind::Simulate => levels.simulate = level,
                    PriorityKind::Eliminate => levels.eliminate = level,
                    PriorityKind::Rendezvous => levels.rendezvous = level,
                    PriorityKind::Rewrite(_) => {}
                },
            }
        }
        levels
    }
}
