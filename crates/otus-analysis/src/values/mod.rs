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
//! 1. the engine of the [skeleton](crate::engine), which refutes what is wrong without any value;
//! 2. [`keyed`]: parallel sessions told apart by a key, one look-up for each event;
//! 3. [`search`]: shapes, registers and conditions, exact for every interaction and question.

mod condition;
mod event;
mod expr;
mod failure;
mod keyed;
mod observation;
mod search;
mod step;
#[cfg(test)]
mod tests;

use otus_core::index::Index as _;
use otus_core::valued::{Valued, ValuedNode};
use otus_core::{Pool, TermId};
use otus_trace::{Facts, MultiTrace, Partition};
use rustc_hash::FxHashMap;

use crate::budget::{Budget, Meter, Stop};
use crate::engine::coupling::Coupling;
use crate::engine::{Engine, Options, Outcome, strongest};
use crate::question::Question;
use crate::verdict::Verdict;
use expr::Exprs;
pub use failure::{LogPlace, ValueCause, ValueFailure};
use keyed::Keyed;
use observation::Problem;
use search::{Found, Search, Tables};
use step::Steps;

/// What is known of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clocks {
    /// The nanoseconds by which any two clocks may differ; `None` if that is unknown.
    pub uncertainty: Option<i64>,
}

/// Switches of the engine's reductions, for tests and measurements. Each can be switched off without changing a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueOptions {
    /// Ask the engine of the skeleton first.
    pub skeleton: bool,
    /// Follow parallel sessions by their keys.
    pub keyed: bool,
    /// Follow decoupled components one at a time.
    pub relax: bool,
}

impl Default for ValueOptions {
    fn default() -> Self {
        ValueOptions { skeleton: true, keyed: true, relax: true }
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
    /// By variable: the component of the clock that gives it its value.
    anchors: Vec<Option<usize>>,
    options: ValueOptions,
    /// Why the last analysis failed.
    failure: Option<ValueFailure>,
}

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
            anchors: anchors(valued, partition),
            options,
            failure: None,
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
        self.failure = None;
        if self.options.skeleton {
            let without = self.skeleton.analyze(trace, question, budget);
            if without.verdict == Verdict::Fail {
                return without;
            }
        }
        let strong = strongest(question, self.partition.len());
        let mut meter = Meter::new(budget);
        let mut furthest = None;
        let mut undecided = None;
        for (asked, verdict) in [(&strong, Verdict::Pass), (question, Verdict::WeakPass)] {
            let strict = verdict == Verdict::Pass;
            let found =
                self.explain(trace, facts, clocks, asked, strict, &mut meter, &mut furthest);
            match found {
                Found::Yes => {
                    self.failure = None;
                    let states = meter.states();
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
        let furthest = furthest.filter(|_| verdict == Verdict::Fail);
        Outcome { verdict, states: meter.states(), stop, furthest }
    }

    #[expect(clippy::too_many_arguments, reason = "those of an analysis, and how strict it is")]
    fn explain(
        &mut self,
        trace: &MultiTrace,
        facts: &Facts,
        clocks: Clocks,
        question: &Question,
        strict: bool,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        let problem = Problem {
            pool: &self.pool,
            valued: &self.valued,
            trace,
            facts,
            clocks,
            question,
            strict,
            anchors: &self.anchors,
        };
        if let Some(keyed) = &mut self.keyed
            && let Some(found) = keyed::explain(keyed, &problem, meter, furthest, &mut self.failure)
        {
            return found;
        }
        let relaxed = self.relaxed.as_mut().filter(|_| *question == Question::ACCEPT);
        let one_at_a_time = relaxed.is_some();
        let tables = relaxed.unwrap_or(&mut self.rigid);
        let mut search = Search::new(&problem, tables, one_at_a_time);
        let found = search.run(meter);
        if found == Found::No {
            *furthest = search.consumed();
            self.failure = search.failure();
        }
        found
    }

    /// Why the last analysis failed, in terms of values; `None` if it did not, or if it fails without any value.
    pub fn failure(&self) -> Option<&ValueFailure> {
        self.failure.as_ref()
    }
}

/// Whether some event is on several components.
fn has_synchronous(valued: &Valued, partition: &Partition) -> bool {
    valued.nodes.iter().any(|node| match node {
        ValuedNode::Event(parts) => {
            let mut components =
                parts.iter().map(|part| partition.component_of(part.action.lifeline));
            let first = components.next();
            components.any(|other| Some(other) != first)
        }
        _ => false,
    })
}

/// By variable: the component whose clock gives it its value, if times do.
fn anchors(valued: &Valued, partition: &Partition) -> Vec<Option<usize>> {
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
