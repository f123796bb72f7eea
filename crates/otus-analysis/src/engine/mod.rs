//! The fast, exact engine.

pub mod harm;

use otus_core::{Pool, TermId};
use otus_trace::{MultiTrace, Partition};

use crate::budget::{Budget, Stop};
use crate::question::Question;
use crate::verdict::Verdict;

/// Which ideas are used. Each can be switched off and no verdict changes; only the cost does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Components are taken apart where that is exact.
    pub relax: bool,
    /// At branch points, components are looked at alone before a branch is followed.
    pub look_ahead: bool,
    /// Of coupled components only those are moved that must be.
    pub stubborn: bool,
    /// What is left of a component that stopped early is taken away where that is exact.
    pub strip: bool,
    /// Alternatives and loops that add nothing are dropped.
    pub absorb: bool,
    /// Loop-free terms with many choices go to a solver of propositional formulas.
    pub solver: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            relax: true,
            look_ahead: true,
            stubborn: true,
            strip: true,
            absorb: true,
            solver: true,
        }
    }
}

/// An interaction and a partition, prepared for many multi-traces. Whatever is learnt from one
/// multi-trace is kept for the next. Threads have an engine each.
#[derive(Debug)]
pub struct Engine {}

/// What an analysis found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The answer: Pass if accepted as it is, `WeakPass` if explained, Fail, or Inconclusive.
    pub verdict: Verdict,
    /// How many states were made.
    pub states: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// Of the failing search that got furthest: per component how many moments were consumed.
    pub furthest: Option<Box<[u32]>>,
}

impl Engine {
    /// Prepares an interaction for multi-traces over a partition.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition, options: Options) -> Self {
        let _ = (pool, term, partition, options);
        Engine {}
    }

    /// The verdict on a multi-trace, whose partition must be the engine's.
    pub fn analyze(&mut self, trace: &MultiTrace, question: &Question, budget: &Budget) -> Outcome {
        let _ = (trace, question, budget);
        Outcome { verdict: Verdict::Inconclusive, states: 0, stop: Stop::States, furthest: None }
    }
}
