//! Analyses of interactions with values: guards, identity, correlation, time.
//!
//! The semantics is that of [`otus_core::valued`]: a valuation of the variables is chosen beforehand, like a branch. An
//! unknown value, and every value of an unobserved event, is whatever helps. On each component times do not decrease, so a
//! log that is cut still fails if a deadline had passed before it ended.
//!
//! | verdict | there is an explanation |
//! |---|---|
//! | Pass | of the complete logs, in which no unlogged value is compared and all comparisons across clocks are certain |
//! | `WeakPass` | under the question as it was asked |
//! | Fail | none |
//!
//! The engines, from the cheapest to the one that always decides:
//!
//! 1. [`constants`]: guards with constants only are a finer alphabet, for which the fast engine decides;
//! 2. [`keyed`]: parallel sessions told apart by a key, one look-up for each event; where that is not conclusive, the exact
//!    search for each session by itself;
//! 3. the engine of the [skeleton](crate::engine), which refutes what is wrong without any value;
//! 4. greedy firing of the whole interaction as one session, if that is conclusive;
//! 5. [`search`]: shapes, registers and conditions, exact for every interaction and question.
//!
//! A Pass or `WeakPass` has a [`witness`]: `keyed` and `search` tell which leaf each event was, [`construct`] finds positions
//! and values, and [`certify`] checks it without any of them. A Fail has a [certificate](refute) if the values that were logged
//! suffice for one.

mod bound;
pub mod certify;
pub(crate) mod condition;
mod constants;
mod construct;
mod core;
mod draw;
mod epoch;
pub(crate) mod event;
pub(crate) mod expr;
mod failure;
pub mod ground;
mod keyed;
pub(crate) mod memory;
pub(crate) mod observation;
mod positions;
mod project;
pub mod refute;
mod repair;
mod search;
mod step;
mod stubborn;
mod sureness;
#[cfg(test)]
mod tests;
mod valuation;
mod walks;
pub mod witness;

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued, ValuedNode};
use otus_core::{Action, Pool, TermId};
use otus_trace::{Facts, MultiTrace, ObservedOrder, Partition};
use rustc_hash::FxHashMap;

use crate::budget::{Budget, Meter, Stop};
use crate::engine::coupling::Coupling;
use crate::engine::{Engine, Options, Outcome, strongest};
use crate::question::Question;
use crate::verdict::Verdict;
use constants::Constants;
use construct::Path;
pub use core::ValueCore;
use expr::Exprs;
pub use failure::{Elapsed, ExpectedLeaf, LogPlace, Overdue, ValueCause, ValueFailure, Waiting};
use keyed::Keyed;
pub use keyed::{LoopReport, loops};
use observation::Problem;
pub use repair::{Asked, ValueChange, ValueEdit, ValueRepair};
use search::{Found, Search, Tables};
use step::Steps;
pub use walks::{ValueWalks, Walked};
pub use witness::ValuedWitness;

/// What is known of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clocks {
    /// The nanoseconds by which any two clocks may differ; `None` if that is unknown.
    pub uncertainty: Option<i64>,
}

/// What was observed.
#[derive(Debug, Clone, Copy)]
struct Observed<'a> {
    trace: &'a MultiTrace,
    facts: &'a Facts,
    clocks: Clocks,
    order: Option<&'a ObservedOrder>,
}

impl<'a> Observed<'a> {
    /// A question about an interaction with values, its pool, and the clocks of its anchors.
    fn problem(
        self,
        (pool, valued, anchors): (&'a Pool, &'a Valued, &'a [Option<usize>]),
        question: &'a Question,
        strict: bool,
    ) -> Problem<'a> {
        let Observed { trace, facts, clocks, order } = self;
        Problem { pool, valued, trace, facts, clocks, question, strict, anchors, order }
    }
}

/// What an attempt to explain logs leaves behind beside its answer.
#[derive(Debug, Default)]
struct Findings {
    /// By component: how many events the attempt that came furthest explained.
    furthest: Option<Box<[u32]>>,
    /// Why the logs fail.
    failure: Option<ValueFailure>,
    /// Where greedy firing of the complete logs got stuck.
    stuck: Option<keyed::Stuck>,
}

/// What gave a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecidedBy {
    /// A finer alphabet: guards have constants only.
    Constants,
    /// Sessions with keys, each event looked up.
    Keys,
    /// The exact search for each session by itself, and all of them together.
    Sessions,
    /// The interaction without its values.
    Skeleton,
    /// Greedy firing of the whole interaction as one session.
    Greedy,
    /// The exact search.
    Search,
}

/// Switches of the engine's reductions, for tests and measurements. Each can be switched off without changing a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct ValueOptions {
    /// Ask the engine of the skeleton first.
    pub skeleton: bool,
    /// Follow parallel sessions by their keys.
    pub keyed: bool,
    /// Follow decoupled components one at a time.
    pub relax: bool,
    /// Refine the alphabet if guards have constants only.
    pub constants: bool,
}

impl Default for ValueOptions {
    fn default() -> Self {
        ValueOptions { skeleton: true, keyed: true, relax: true, constants: true }
    }
}

/// An interaction with values and a partition, prepared for many multi-traces. Tables filled by one analysis are reused
/// by the next.
#[derive(Debug)]
pub struct ValueEngine {
    pool: Pool,
    valued: Valued,
    partition: Partition,
    skeleton: Engine,
    /// Exact in all cases.
    rigid: Tables,
    /// With components decoupled, where that is exact.
    relaxed: Option<Tables>,
    keyed: Option<Keyed>,
    /// If guards have constants only.
    constants: Option<Constants>,
    /// By variable: the component of the clock that gives it its value.
    anchors: Vec<Option<usize>>,
    options: ValueOptions,
    /// Why the last analysis failed.
    failure: Option<ValueFailure>,
    /// What the skeleton says in the analysis at hand, once it was asked.
    without: Option<Outcome>,
    /// What gave the last verdict.
    decided_by: DecidedBy,
}

/// The most states of the engine of the skeleton, besides some for each event.
const SKELETON_STATES: u64 = 20_000;
/// The most events of logs that are searched only for a witness.
const SEARCHED_EVENTS: usize = 300;
/// The most states of a search that only tells why logs fail.
const FAILURE_STATES: u64 = 20_000;

impl ValueEngine {
    /// Prepares an interaction for multi-traces over a partition. The term is its skeleton.
    pub fn new(pool: &Pool, term: TermId, valued: &Valued, partition: &Partition) -> Self {
        ValueEngine::with_options(pool, term, valued, partition, ValueOptions::default())
    }

    /// The same with some reductions switched off.
    pub fn with_options(
        pool: &Pool,
        term: TermId,
        valued: &Valued,
        partition: &Partition,
        options: ValueOptions,
    ) -> Self {
        let tables = |relaxed| {
            let (exprs, root) = Exprs::new(pool, valued, partition, relaxed);
            Tables { exprs, steps: Steps::default(), root, kinds: FxHashMap::default() }
        };
        let is_decoupled = options.relax
            && !has_synchronous(valued, partition)
            && Coupling::new(pool, term, partition).decoupled();
        ValueEngine {
            pool: pool.clone(),
            valued: valued.clone(),
            partition: partition.clone(),
            skeleton: Engine::new(pool, term, partition, Options::default()),
            rigid: tables(false),
            relaxed: is_decoupled.then(|| tables(true)),
            keyed: if options.keyed { Keyed::new(pool, valued, partition) } else { None },
            constants: if options.constants { Constants::new(valued) } else { None },
            anchors: anchors(valued, partition),
            options,
            failure: None,
            without: None,
            decided_by: DecidedBy::Search,
        }
    }

    /// The verdict on a multi-trace with the values of its events.
    pub fn analyze(
        &mut self,
        trace: &MultiTrace,
        facts: &Facts,
        clocks: Clocks,
        question: &Question,
        budget: &Budget,
    ) -> Outcome {
        self.analyze_ordered((trace, facts), None, clocks, question, budget)
    }

    /// The same for explanations in the order that was observed between logs.
    pub fn analyze_ordered(
        &mut self,
        (trace, facts): (&MultiTrace, &Facts),
        order: Option<&ObservedOrder>,
        clocks: Clocks,
        question: &Question,
        budget: &Budget,
    ) -> Outcome {
        self.failure = None;
        self.without = None;
        let order = order.filter(|order| !order.is_empty());
        let observed = Observed { trace, facts, clocks, order };
        let strong = strongest(question, self.partition.len());
        if self.constants.is_some() {
            let found = self.analyze_constants(observed, (&strong, question), budget);
            self.decided_by = DecidedBy::Constants;
            return found;
        }
        let mut meter = Meter::new(budget);
        let mut findings = Findings::default();
        let mut undecided = None;
        for (asked, verdict) in [(&strong, Verdict::Pass), (question, Verdict::WeakPass)] {
            let strict = verdict == Verdict::Pass;
            let found = self.explain(
                observed,
                (asked, question),
                strict,
                (budget, &mut meter),
                &mut findings,
            );
            // The skeleton is asked the weaker question, before the first search.
            if found == Found::No
                && let Some(without) = self.without.take_if(|it| it.verdict == Verdict::Fail)
            {
                return without;
            }
            match found {
                Found::Yes => {
                    let states = meter.states();
                    // The stronger question may have been too hard, although it is the same.
                    let is_same = undecided.is_some() && asked == &strong;
                    let verdict = if is_same && self.assumes_nothing(observed) {
                        Verdict::Pass
                    } else {
                        verdict
                    };
                    return Outcome { verdict, states, stop: Stop::Goal, furthest: None };
                }
                Found::No => {}
                Found::Unknown(stop) => undecided = undecided.or(Some(stop)),
            }
        }
        let (verdict, stop) = match undecided {
            Some(stop) => (Verdict::Inconclusive, stop),
            None => (Verdict::Fail, Stop::Exhausted),
        };
        self.failure = findings.failure;
        let furthest = findings.furthest.filter(|_| verdict == Verdict::Fail);
        Outcome { verdict, states: meter.states(), stop, furthest }
    }

    /// Whether all values that guards name were logged, and no times of clocks that may be different are compared.
    fn assumes_nothing(&self, Observed { trace, facts, .. }: Observed<'_>) -> bool {
        let mut fields: FxHashMap<Action, Vec<FieldId>> = FxHashMap::default();
        for node in &self.valued.nodes {
            let ValuedNode::Event(parts) = node else { continue };
            for part in parts {
                let component = self.partition.component_of(part.action.lifeline);
                let own = fields.entry(part.action).or_default();
                for atom in &part.guard {
                    let clock = atom.variable().and_then(|anchor| self.anchors[anchor.index()]);
                    let is_elsewhere = clock.is_some_and(|clock| clock != component.index());
                    if atom.field == Valued::TIME
                        && (is_elsewhere || !facts.breaks(component).is_empty())
                    {
                        return false;
                    }
                    own.push(atom.field);
                }
            }
        }
        self.partition.components().all(|component| {
            trace.steps(component).iter().enumerate().all(|(at, step)| {
                let action = self.pool.action(step.action()).without_peer();
                let named = fields.get(&action).map_or(&[][..], Vec::as_slice);
                named.iter().all(|&field| facts.known(field, component, at).is_some())
            })
        })
    }

    /// The verdict by the fast engine over a refined alphabet; why it fails, by the search if that is quick.
    fn analyze_constants(
        &mut self,
        observed: Observed<'_>,
        (strong, question): (&Question, &Question),
        budget: &Budget,
    ) -> Outcome {
        let mut states = 0;
        for (asked, strict) in [(strong, true), (question, false)] {
            let Some(constants) = &mut self.constants else { break };
            let (pool, valued) = (&self.pool, &self.valued);
            let mut found = constants.analyze(pool, valued, observed, asked, strict, budget);
            states += found.states;
            found.states = states;
            // The weaker question is accepted at most weakly.
            let best = if strict { Verdict::Pass } else { Verdict::WeakPass };
            match found.verdict {
                Verdict::Pass | Verdict::WeakPass => {
                    return Outcome { verdict: best, ..found };
                }
                Verdict::Fail if strict => {}
                Verdict::Fail => {
                    let limited = Budget { max_states: Some(FAILURE_STATES), ..budget.clone() };
                    let mut meter = Meter::new(&limited);
                    let mut findings = Findings::default();
                    let asked = (question, question);
                    self.explain(observed, asked, false, (budget, &mut meter), &mut findings);
                    self.failure = findings.failure;
                    return found;
                }
                Verdict::Inconclusive | Verdict::WeakFail => return found,
            }
        }
        Outcome { verdict: Verdict::Fail, states, stop: Stop::Exhausted, furthest: None }
    }

    /// Whether the interaction explains a multi-trace. `weakest` is the question that `WeakPass` answers.
    fn explain(
        &mut self,
        observed: Observed<'_>,
        (question, weakest): (&Question, &Question),
        strict: bool,
        (budget, meter): (&Budget, &mut Meter<'_>),
        findings: &mut Findings,
    ) -> Found {
        let about = (&self.pool, &self.valued, &*self.anchors);
        let problem = observed.problem(about, question, strict);
        if let Some(keyed) = self.keyed.as_mut().filter(|keyed| keyed.has_keys) {
            if let Some(found) = keyed::explain(keyed, &problem, meter, findings, None) {
                self.decided_by = DecidedBy::Keys;
                return found;
            }
            if let Some(found) = keyed::explain_by_sessions(keyed, &problem, meter, findings, None)
            {
                self.decided_by = DecidedBy::Sessions;
                return found;
            }
        }
        // Logs that are cut are hardly ever complete, which mostly shows by counting; a search would take long to find that.
        let is_stronger = question != weakest;
        if self.options.skeleton
            && is_stronger
            && self.skeleton.is_refuted_by_counting(observed.trace, question)
        {
            self.decided_by = DecidedBy::Skeleton;
            return Found::No;
        }
        if self.options.skeleton && self.without.is_none() {
            // Where keys decide nothing, the skeleton may take long for want of values.
            let enough = SKELETON_STATES + 4 * observed.trace.len() as u64;
            let max_states = Some(budget.max_states.map_or(enough, |most| most.min(enough)));
            let limited = Budget { max_states, ..budget.clone() };
            self.without = Some(self.skeleton.analyze(observed.trace, weakest, &limited));
        }
        let is_refuted = match self.without.as_ref().map(|without| without.verdict) {
            Some(Verdict::Fail) => true,
            Some(Verdict::WeakPass) => is_stronger,
            Some(Verdict::Pass | Verdict::WeakFail | Verdict::Inconclusive) | None => false,
        };
        if is_refuted {
            self.decided_by = DecidedBy::Skeleton;
            return Found::No;
        }
        if let Some(keyed) = self.keyed.as_mut().filter(|keyed| !keyed.has_keys)
            && let Some(found) = keyed::explain(keyed, &problem, meter, findings, None)
        {
            self.decided_by = DecidedBy::Greedy;
            return found;
        }
        self.decided_by = DecidedBy::Search;
        let tables = tables_of(&mut self.relaxed, &mut self.rigid, &problem);
        let mut search = Search::new(&problem, tables);
        let found = search.run(meter);
        if found == Found::No {
            findings.furthest = search.consumed();
            findings.failure = search.failure();
        }
        found
    }

    /// An execution with values that proves a verdict of [`analyze`](Self::analyze); `None` if none is found within the
    /// budget. It refers to the pool, which must have the actions and lifelines of the engine's.
    #[expect(
        clippy::too_many_arguments,
        reason = "a pool, a multi-trace, a question and an answer"
    )]
    pub fn witness(
        &mut self,
        pool: &mut Pool,
        trace: &MultiTrace,
        facts: &Facts,
        clocks: Clocks,
        order: Option<&ObservedOrder>,
        question: &Question,
        verdict: Verdict,
        budget: &Budget,
    ) -> Option<ValuedWitness> {
        let strict = verdict == Verdict::Pass;
        let strongest = strongest(question, self.partition.len());
        let question = if strict { &strongest } else { question };
        let observed = Observed { trace, facts, clocks, order };
        let about = (&self.pool, &self.valued, &*self.anchors);
        let problem = observed.problem(about, question, strict);
        let mut meter = Meter::new(budget);
        if let Some(constants) = &mut self.constants {
            if let Some(path) = constants.explain(&problem, budget) {
                return construct::construct(&problem, pool, &path, &mut meter);
            }
            // The search may take much longer than the engine that gave the verdict.
            if trace.len() > SEARCHED_EVENTS {
                return None;
            }
        }
        if let Some(keyed) = &mut self.keyed {
            let (mut path, mut findings) = (Path::default(), Findings::default());
            let trail = Some(&mut path);
            let mut found = keyed::explain(keyed, &problem, &mut meter, &mut findings, trail);
            if found.is_none() && keyed.has_keys {
                let (findings, trail) = (&mut findings, Some(&mut path));
                found = keyed::explain_by_sessions(keyed, &problem, &mut meter, findings, trail);
            }
            match found {
                Some(Found::Yes) => {
                    return construct::construct(&problem, pool, &path, &mut meter);
                }
                Some(Found::No | Found::Unknown(_)) => return None,
                None => {}
            }
        }
        let tables = tables_of(&mut self.relaxed, &mut self.rigid, &problem);
        let mut search = Search::new(&problem, tables).with_trail();
        if search.run(&mut meter) != Found::Yes {
            return None;
        }
        construct::construct(&problem, pool, &search.path(), &mut meter)
    }

    /// Whether a multi-trace that is explained needs values that were not logged, or times of different clocks of which
    /// nothing is certain; `false` if only events are missing.
    pub fn assumes_values(
        &mut self,
        trace: &MultiTrace,
        facts: &Facts,
        clocks: Clocks,
        question: &Question,
        budget: &Budget,
    ) -> bool {
        let mut meter = Meter::new(budget);
        let subject = Observed { trace, facts, clocks, order: None };
        let asked = (question, question);
        let found =
            self.explain(subject, asked, true, (budget, &mut meter), &mut Findings::default());
        (self.failure, self.without) = (None, None);
        found == Found::No
    }

    /// What gave the last verdict.
    pub fn decided_by(&self) -> DecidedBy {
        self.decided_by
    }

    /// The number of keyed loops inside each other, at most.
    pub fn depth_of_keys(&self) -> usize {
        self.keyed.as_ref().map_or(0, Keyed::depth)
    }

    /// Why the last analysis failed, in terms of values; `None` if it did not, or if it fails without any value.
    pub fn failure(&self) -> Option<&ValueFailure> {
        self.failure.as_ref()
    }
}

/// The tables with components decoupled, where that is exact: a global prefix and an observed order are about the order
/// between components.
fn tables_of<'t>(
    relaxed: &'t mut Option<Tables>,
    rigid: &'t mut Tables,
    problem: &Problem<'_>,
) -> &'t mut Tables {
    let is_local = *problem.question != Question::GlobalPrefix && problem.order.is_none();
    relaxed.as_mut().filter(|_| is_local).unwrap_or(rigid)
}

/// Whether some event is on several components.
fn has_synchronous(valued: &Valued, partition: &Partition) -> bool {
    valued.nodes.iter().any(|node| {
        let ValuedNode::Event(parts) = node else { return false };
        let mut components = parts.iter().map(|part| partition.component_of(part.action.lifeline));
        let first = components.next();
        components.any(|other| Some(other) != first)
    })
}

/// By variable: the component whose clock gives it its value, if times do.
pub fn anchors(valued: &Valued, partition: &Partition) -> Vec<Option<usize>> {
    let mut anchors = vec![None; valued.variables.len()];
    for node in &valued.nodes {
        let ValuedNode::Event(parts) = node else { continue };
        for part in parts {
            for atom in part.guard.iter().filter(|atom| atom.field == Valued::TIME) {
                if let Some(variable) = atom.binds() {
                    let component = partition.component_of(part.action.lifeline).index();
                    anchors[variable.index()].get_or_insert(component);
                }
            }
        }
    }
    anchors
}
