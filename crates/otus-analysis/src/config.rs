//! Options of the papers' searches ([`graph`](crate::graph)) and of
//! [`explore`](mod@crate::explore). The fast engine has its own switches,
//! [`engine::Options`](crate::engine::Options), and takes a [`Question`].
//!
//! | option | default | in a `.hcf` |
//! |---|---|---|
//! | [`Config::kind`] | `prefix` | `analysis_kind`, `semantics` |
//! | [`Config::strategy`] | depth first | `strategy` |
//! | [`Config::priorities`] | none: steps that consume first, then the order of positions | `priorities`, `frontier_priorities` |
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
use crate::question::Question;
use crate::verdict::Verdict;

/// The options of a search.
#[derive(Debug, Clone)]
pub struct Config {
    /// The kind of analysis.
    pub kind: Kind,
    /// The order in which nodes are taken from the queue.
    pub strategy: Strategy,
    /// The priorities that order the children of a node.
    pub priorities: Priorities,
    /// The bounds of the graph. If a bound cuts something off, the search is undecided unless it
    /// passes.
    pub filters: Filters,
    /// The verdict at which the search stops; `None` explores the whole graph.
    pub goal: Option<Verdict>,
    /// Whether equal nodes are explored only once.
    pub memoize: bool,
    /// Whether each component is checked by itself before a node is expanded.
    pub local_analysis: LocalAnalysis,
    /// Whether the search tries only one of several equivalent orders of steps. This applies only
    /// to interactions in which no lifeline waits for another.
    pub partial_order_reduction: bool,
    /// Whether `prefix` distinguishes LackObs from Out, as HIBOU did in 2020.
    pub legacy_verdicts: bool,
    /// The seed of [`Priorities::randomize`].
    pub seed: u64,
    /// The limits on states, time and memory.
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

/// The kinds of analysis of the papers. Each is one algorithm for one
/// [`Question`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Is µ accepted?
    Accept,
    /// Is µ the projection of a prefix of an accepted global trace?
    Prefix,
    /// Is µ a multi-prefix? Decided by removal of lifelines.
    Eliminate,
    /// Is µ a slice? Decided by bounded simulation.
    Simulate(Simulation),
}

impl Kind {
    /// The name that the papers use.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Accept => "accept",
            Kind::Prefix => "prefix",
            Kind::Eliminate => "eliminate",
            Kind::Simulate(_) => "simulate",
        }
    }

    /// The question that the algorithm is for.
    pub fn question(self) -> Question {
        match self {
            Kind::Accept => Question::ACCEPT,
            Kind::Prefix => Question::GlobalPrefix,
            Kind::Eliminate => Question::MULTI_PREFIX,
            Kind::Simulate(simulation) if simulation.before => Question::SLICE,
            Kind::Simulate(_) => Question::MULTI_PREFIX,
        }
    }

    /// The verdict of an exhausted search in which no leaf passes.
    pub(crate) fn worst(self) -> Verdict {
        if matches!(self, Kind::Simulate(_)) { Verdict::WeakFail } else { Verdict::Fail }
    }

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

/// The bounds of simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    /// Simulate before observation starts too, so that slices are recognised and not only prefixes.
    pub before: bool,
    /// Multiply the bounds by the size of the multi-trace.
    pub multiply: bool,
    /// Reset the measure after each executed step.
    pub reset: bool,
    /// The bound on instantiated loops.
    pub loops: Criterion,
    /// The bound on simulated actions.
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

/// Priority levels by kind of step; children with a higher level are explored first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Priorities {
    /// Emissions.
    pub emission: i64,
    /// Receptions.
    pub reception: i64,
    /// Events inside a loop.
    pub in_loop: i64,
    /// Executed (observed) steps.
    pub step: i64,
    /// Simulated (unobserved) steps.
    pub simulate: i64,
    /// Removal of lifelines.
    pub eliminate: i64,
    /// Events on several lifelines.
    pub rendezvous: i64,
    /// Whether children with equal levels are shuffled.
    pub randomize: bool,
}

/// The limits beyond which a search does not extend its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filters {
    /// The maximum number of steps of a path.
    pub depth: Option<u64>,
    /// The maximum number of loop instantiations along a path.
    pub loop_depth: Option<u64>,
    /// The maximum number of nodes of the graph.
    pub nodes: Option<u64>,
}

impl Config {
    /// Applies the settings of an option section.
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
                // Loggers are the caller's business, and canonization is not an analysis.
                OptionValue::Loggers(_) | OptionValue::SearchAll(_) => {}
            }
        }
    }
}

impl Config {
    /// The options that an analysis depends on. Passing them to [`apply`](Config::apply) gives this
    /// configuration again, except for the settings that option files cannot express: the verdicts of 2020,
    /// the seed and the budget.
    pub fn values(&self) -> Vec<OptionValue> {
        let kind = match self.kind {
            Kind::Accept => AnalysisKind::Accept,
            Kind::Prefix => AnalysisKind::Prefix,
            Kind::Eliminate => AnalysisKind::Eliminate,
            Kind::Simulate(Simulation { before, multiply, reset, loops, actions }) => {
                AnalysisKind::Simulate(vec![
                    SimulateOption::Before(before),
                    SimulateOption::Multiply(multiply),
                    SimulateOption::Reset(reset),
                    SimulateOption::Loop(loops),
                    SimulateOption::Act(actions),
                ])
            }
        };
        // A file can name three goals; no search stops at a verdict below a WeakPass.
        let goal = match self.goal {
            Some(Verdict::Pass) => Goal::Pass,
            Some(Verdict::WeakPass) => Goal::WeakPass,
            Some(Verdict::Inconclusive | Verdict::Fail | Verdict::WeakFail) | None => Goal::None,
        };
        vec![
            OptionValue::Kind(kind),
            OptionValue::Goal(goal),
            OptionValue::Strategy(self.strategy),
            OptionValue::Priorities(self.priorities.listed()),
            OptionValue::Filters(self.filters.listed()),
            OptionValue::LocalAnalysis(self.local_analysis),
            OptionValue::Memoize(self.memoize),
            OptionValue::PartialOrderReduction(self.partial_order_reduction),
        ]
    }
}

impl Filters {
    fn listed(self) -> Vec<Filter> {
        let Filters { depth, loop_depth, nodes } = self;
        let all = [
            depth.map(Filter::Depth),
            loop_depth.map(Filter::LoopDepth),
            nodes.map(Filter::NodeNumber),
        ];
        all.into_iter().flatten().collect()
    }

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
    fn listed(self) -> Vec<Priority> {
        let levels = [
            (PriorityKind::Emission, self.emission),
            (PriorityKind::Reception, self.reception),
            (PriorityKind::InLoop, self.in_loop),
            (PriorityKind::Step, self.step),
            (PriorityKind::Simulate, self.simulate),
            (PriorityKind::Eliminate, self.eliminate),
            (PriorityKind::Rendezvous, self.rendezvous),
        ];
        let levels = levels.into_iter().filter(|(_, level)| *level != 0);
        let levels = levels.map(|(kind, level)| Priority::Level(kind, level));
        levels.chain(self.randomize.then_some(Priority::Randomize(true))).collect()
    }

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

#[cfg(test)]
mod tests {
    use otus_syntax::Span;
    use otus_syntax::options::{OptionItem, Process};

    use super::*;

    #[test]
    fn the_values_of_a_configuration_give_it_again() {
        let simulation = Simulation {
            before: false,
            multiply: true,
            reset: false,
            loops: Criterion::Number(3),
            actions: Criterion::None,
        };
        let other = Config {
            kind: Kind::Simulate(simulation),
            strategy: Strategy::HighCoverage,
            priorities: Priorities {
                emission: 1,
                reception: -1,
                in_loop: 2,
                step: 3,
                simulate: -3,
                eliminate: 4,
                rendezvous: 5,
                randomize: true,
            },
            filters: Filters { depth: Some(1), loop_depth: Some(2), nodes: Some(3) },
            goal: None,
            memoize: true,
            local_analysis: LocalAnalysis::Front,
            partial_order_reduction: true,
            ..Config::default()
        };
        for config in [Config::default(), other] {
            let span = Span::at(0);
            let items = config.values().into_iter().map(|value| OptionItem { span, value });
            let section = OptionSection { span, process: Process::Analyze, items: items.collect() };
            let mut again = Config { goal: Some(Verdict::WeakPass), ..Config::default() };
            again.apply(&section);
            assert_eq!(format!("{again:?}"), format!("{config:?}"));
        }
    }
}
