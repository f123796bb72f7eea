//! Terms and multi-traces as propositional formulas.
//!
//! Deciding whether a multi-trace is explained is NP-hard even without loops: Mahe et al., "Dealing
//! with observability in interaction-based offline runtime verification", section 4.3, reduce 3-SAT
//! to it. For a term with many alternatives, the opposite direction works best: encode the question
//! as a formula and let clause learning find out which choices go together. The same holds for the
//! unknown starts of slices. Loops are unrolled, since only a bounded number of iterations matters.
//!
//! - [`compile`]: the encoding of a term, independent of the multi-trace;
//! - [`encode`](mod@encode): the formula for a multi-trace, with its proof;
//! - [`solve`](mod@solve): the solver, on [`heap`] and [`formula`];
//! - [`unroll`]: how often loops have to be unrolled;
//! - [`replay`], [`residual`]: from a model to a witness.
//!
//! **Cost.** Linear in the term, and for each multi-trace linear in its formula, plus the search.
//! For the reduction of 3-SAT the formula is the original one: with 20 variables it takes some 50
//! µs in all, with 100 near the threshold about 1 ms, with 150 about 20 ms
//! (`cargo run --release -p otus-bench -- engine sat`). A formula has up to (leaves × moments)
//! variables for a component that is a chain, and (leaves² × moments) clauses for other components;
//! questions whose formula would be too large are left to the search.
//!
//! The theorem of [`coupling`](super::coupling) is used whatever `Options::relax` says.

mod compile;
mod encode;
mod formula;
mod heap;
mod replay;
mod residual;
mod solve;
mod unroll;

use otus_core::{Pool, Term, TermId};
use otus_trace::{MultiTrace, Partition};

use self::compile::Unrolled;
use self::encode::{NoFormula, Places, encode};
use super::compile::Interaction;
use super::coupling::Coupling;
use crate::budget::{Meter, Stop};
use crate::question::Question;

/// The estimated work of a search from which on a formula is faster. Solving a formula takes some tens of microseconds,
/// and this amount of work takes about two hundred.
const WORK: u64 = 500;
/// The minimum number of ways to resolve alternatives for which a formula is used. A formula also costs more
/// for a larger term, so size alone is no reason for one.
const WAYS: u64 = 8;
/// The maximum number of subterms in which alternatives are counted.
const COUNTED: usize = 100_000;

/// Whether a term is loop-free, and a formula is probably faster than a long search.
pub fn worth_it(pool: &Pool, term: TermId) -> bool {
    is_much_work(pool, term, |_| true)
}

/// Whether the alternatives that stand side by side, not nested, are enough to ask the formula before any
/// search. (Nested alternatives are mostly resolved by the first events of their branches.)
pub(super) fn is_plain(pool: &Pool, term: TermId) -> bool {
    is_much_work(pool, term, |node| !matches!(node, Term::Alt(..)))
}

/// Whether a term is loop-free and the estimated work of a search is at least [`WORK`]. The estimate is the size of the
/// term, times the number of ways in which its alternatives can be resolved. Alternatives are counted only below terms
/// for which `goes_on` holds.
fn is_much_work(pool: &Pool, term: TermId, goes_on: impl Fn(Term) -> bool) -> bool {
    let attributes = pool.attributes(term);
    if attributes.loops > 0 {
        return false;
    }
    let mut ways: u64 = 1;
    let mut visited = 0;
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        let node = pool.node(term);
        visited += 1;
        if matches!(node, Term::Alt(left, right) if left != right) {
            ways = ways.saturating_mul(2);
            if ways >= WAYS && ways.saturating_mul(attributes.nodes) >= WORK {
                return true;
            }
        }
        if visited > COUNTED {
            return false;
        }
        if goes_on(node) {
            pending.extend(node.operands());
        }
    }
    false
}

/// Decides one question about one multi-trace. `None` for global prefixes, if the formula would be
/// too large, and sometimes if the term is coupled.
pub fn solve(
    pool: &Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    meter: &mut Meter<'_>,
) -> Option<Answer> {
    Problem::new(pool, term, trace.partition())?.ask(trace, question, meter)
}

/// A term and a partition, prepared for many multi-traces.
#[derive(Debug)]
pub struct Problem {
    term: TermId,
    partition: Partition,
    /// Whether relaxing the whole term is exact.
    decoupled: bool,
    prepared: Prepared,
}

/// The stored form of a term.
#[derive(Debug)]
enum Prepared {
    /// The encoding of a term without loops.
    LoopFree(Box<Unrolled>),
    /// The pool of a term with loops. The loops are unrolled for each multi-trace.
    WithLoops(Box<Pool>),
}

/// The maximum length of multi-traces for which loops are unrolled, and the maximum size of pools
/// that are kept.
const LONGEST: usize = 2_000;
const LARGEST_POOL: usize = 100_000;
/// The number of cycles of a coupled term that are forbidden before giving up.
const ROUNDS: usize = 500;
/// The numbers of iterations that are tried before the full bound.
const FIRST: [usize; 2] = [3, 12];

/// The answer to a question.
#[derive(Debug)]
pub enum Answer {
    /// The multi-trace is explained by this model.
    Explained(Model),
    /// The multi-trace is not explained.
    Refuted,
    /// Undecided: the budget ended first.
    Stopped(Stop),
}

/// A choice of branches that explains a multi-trace.
#[derive(Debug)]
pub struct Model {
    values: Vec<bool>,
    places: Vec<Places>,
    /// Whether the order of all events was checked.
    exact: bool,
    /// The unrolled term that the model is about.
    unrolled: Option<Box<Unrolled>>,
}

impl Problem {
    /// Encodes a term for the solver. The encoding of a term with loops depends on the multi-trace, so only its pool is
    /// kept. `None` if a term without loops has more than 100,000 leaves, or if the pool of a term with loops has more
    /// than 100,000 terms.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition) -> Option<Self> {
        Self::of(&Coupling::new(pool, term, partition), Interaction { pool, term, partition })
    }

    /// Like [`Problem::new`], if the coupling nodes are known already.
    pub(super) fn of(coupling: &Coupling, interaction: Interaction<'_>) -> Option<Self> {
        let Interaction { pool, term, partition } = interaction;
        let prepared = if pool.attributes(term).loops > 0 {
            if pool.term_count() > LARGEST_POOL {
                return None;
            }
            Prepared::WithLoops(Box::new(pool.clone()))
        } else {
            Prepared::LoopFree(Box::new(Unrolled::new(pool, term, partition, |_| 0)?))
        };
        Some(Problem {
            term,
            partition: partition.clone(),
            decoupled: coupling.decoupled(),
            prepared,
        })
    }

    /// Whether a multi-trace is short enough to unroll the loops for it.
    pub fn takes(&self, trace: &MultiTrace) -> bool {
        match &self.prepared {
            Prepared::LoopFree(_) => true,
            Prepared::WithLoops(_) => trace.len() <= LONGEST,
        }
    }

    /// Decides a question about a multi-trace over the partition. `None` for global prefixes, if
    /// the formula would be too large, and sometimes if the term is coupled.
    pub fn ask(
        &self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        if *question == Question::GlobalPrefix {
            return None;
        }
        let pool = match &self.prepared {
            Prepared::LoopFree(compiled) => return self.decide(compiled, trace, question, meter),
            Prepared::WithLoops(pool) => pool,
        };
        if !self.takes(trace) {
            return None;
        }
        let bounds = unroll::bounds(pool, self.term, trace, question);
        let most = bounds.values().copied().max().unwrap_or(0);
        let rounds = FIRST.into_iter().filter(|&few| 2 * few < most).chain([most]);
        for few in rounds {
            let iterations = |part: TermId| bounds.get(&part).copied().unwrap_or(0).min(few);
            let compiled = Unrolled::new(pool, self.term, &self.partition, iterations)?;
            match self.decide(&compiled, trace, question, meter)? {
                Answer::Explained(model) => {
                    let unrolled = Some(Box::new(compiled));
                    return Some(Answer::Explained(Model { unrolled, ..model }));
                }
                // A larger number of iterations may explain what a smaller one does not.
                Answer::Refuted if few < most => {}
                answer @ (Answer::Refuted | Answer::Stopped(_)) => return Some(answer),
            }
        }
        None
    }

    fn decide(
        &self,
        compiled: &Unrolled,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        let exact = !self.decoupled;
        let (mut formula, mut places) =
            match encode(&self.partition, compiled, trace, question, exact) {
                Ok(encoding) => encoding,
                Err(NoFormula::Refuted) => return Some(Answer::Refuted),
                Err(NoFormula::TooLarge) => return None,
            };
        for _ in 0..ROUNDS {
            let values = match solve::solve(&formula, meter) {
                Ok(Some(values)) => values,
                Ok(None) => return Some(Answer::Refuted),
                Err(stop) => return Some(Answer::Stopped(stop)),
            };
            let model = Model { values, places, exact, unrolled: None };
            if self.decoupled {
                return Some(Answer::Explained(model));
            }
            match replay::plan(compiled, &self.partition, trace, question, &model) {
                Ok(_) => return Some(Answer::Explained(model)),
                Err(cycle) => encode::forbid(&mut formula, compiled, &model.places, &cycle),
            }
            places = model.places;
        }
        None
    }

    fn compiled<'a>(&'a self, model: &'a Model) -> &'a Unrolled {
        match (&self.prepared, &model.unrolled) {
            (Prepared::LoopFree(compiled), _) => compiled,
            (Prepared::WithLoops(_), unrolled) => unrolled.as_deref().expect("it was unrolled"),
        }
    }
}
