//! The answer of the oracle to a case, and the verdict of a search that follows from it.

use std::collections::{BTreeMap, BTreeSet};

use otus_analysis::Verdict;
use otus_analysis::config::Kind;
use otus_core::{Pool, TermId};
use otus_testkit::oracle::member::witness_length;
use otus_testkit::oracle::{Observation, Question, Window, local};

/// The answers of the oracle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    /// The answer to each question.
    pub(crate) answers: [bool; 4],
    /// Whether the multi-trace is a multi-prefix in the semantics of tuples; only on the discrete partition.
    pub(crate) tuples: Option<bool>,
}

impl Truth {
    pub(crate) fn answer(self, question: Question) -> bool {
        self.answers[question as usize]
    }

    /// The verdict of an analysis that is not cut. `eliminate` has its own semantics.
    pub(crate) fn verdict(self, kind: Kind) -> Verdict {
        let (weak, worst) = match kind {
            Kind::Accept => (Question::Accept, Verdict::Fail),
            Kind::Prefix => (Question::GlobalPrefix, Verdict::Fail),
            Kind::Eliminate => (Question::MultiPrefix, Verdict::Fail),
            Kind::Simulate(simulation) if simulation.before => (Question::Slice, Verdict::WeakFail),
            Kind::Simulate(_) => (Question::MultiPrefix, Verdict::WeakFail),
        };
        if self.answer(Question::Accept) {
            Verdict::Pass
        } else if self.answer(weak) {
            Verdict::WeakPass
        } else {
            worst
        }
    }
}

/// The tuples of a term by the number of observed moments, for multi-prefixes.
pub(crate) struct Tuples {
    term: TermId,
    by_length: BTreeMap<usize, Option<BTreeSet<local::Tuple>>>,
}

impl Tuples {
    pub(crate) fn new(term: TermId) -> Self {
        Tuples { term, by_length: BTreeMap::new() }
    }

    pub(crate) fn has_multi_prefix(&mut self, pool: &Pool, seen: &Observation) -> Option<bool> {
        if !seen.partition.is_discrete() {
            return None;
        }
        let length = seen.len();
        let term = self.term;
        let tuples = self.by_length.entry(length).or_insert_with(|| {
            let weight = |event| pool.region(pool.event_lifelines(event)).len();
            local::tuples(pool, term, witness_length(pool, term, length, weight), 5_000)
        });
        // Components of the discrete partition are in the order of the lifelines.
        let fits = |tuple: &local::Tuple| {
            tuple.iter().zip(&seen.components).all(|(t, s)| Window::Prefix.fits(s, t))
        };
        Some(tuples.as_ref()?.iter().any(fits))
    }
}
