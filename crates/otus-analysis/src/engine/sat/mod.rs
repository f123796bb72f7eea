//! Loop-free terms with many choices, as formulas of propositional logic.
//!
//! Whether a multi-trace is explained is NP-hard even without loops: Mahe et al., "Dealing with
//! observability in interaction-based offline runtime verification", section 4.3, reduce 3-SAT to
//! it. Where a term has many alternatives and no loop, the other way round is best: say it as a
//! formula and let clause learning find out which choices go together.
//!
//! - [`compile`]: what is known of a term without any multi-trace;
//! - [`encode`](mod@encode): the formula for a multi-trace, with its proof;
//! - [`solve`]: our own solver, on [`heap`] and [`formula`]; `crate_solver`: another, behind the
//!   feature `sat`;
//! - [`replay`]: from a model to a witness.
//!
//! **Cost.** Linear in the term, and for each multi-trace linear in its formula, plus the search. Of
//! the reduction of 3-SAT the formula is the very same as the one reduced: with 20 variables some 20 µs,
//! with 100 near the threshold 1 to 2 ms, with 150 some 25 ms (our own solver; release build).
//! **Switch.** `Options::solver`. **Counter.** Conflicts are counted as states.

mod compile;
#[cfg(feature = "sat")]
mod crate_solver;
mod encode;
mod formula;
mod heap;
mod replay;
mod solve;

use otus_core::{Pool, Term, TermId};
use otus_trace::{MultiTrace, Partition};

use self::compile::Compiled;
use self::encode::{Encoding, Places, Without, encode};
use self::formula::Formula;
use super::harm::Harm;
use crate::budget::{Meter, Stop};
use crate::question::Question;
use crate::witness::Witness;

/// From how many alternatives on a formula is better than a search.
const CHOICES: usize = 12;

/// Whether a term is loop-free and has enough alternatives for a formula to be the better way.
pub fn worth_it(pool: &Pool, term: TermId) -> bool {
    let attributes = pool.attributes(term);
    if attributes.loops > 0 || attributes.nodes < 2 * CHOICES as u64 {
        return false;
    }
    let (mut choices, mut visited) = (0, 0u64);
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        visited += 1;
        choices += usize::from(matches!(pool.node(term), Term::Alt(..)));
        if choices >= CHOICES {
            return true;
        }
        if visited > 100_000 {
            return false;
        }
        pending.extend(pool.node(term).operands());
    }
    false
}

/// Decides one question about one multi-trace. `None` if the term has loops, is not decoupled, or
/// the formula would be too large.
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
    compiled: Compiled,
}

/// The answer to a question.
#[derive(Debug)]
pub enum Answer {
    /// It is explained, and this is how.
    Explained(Model),
    /// It is not.
    Refuted,
    /// Nobody knows: the budget ended first.
    Stopped(Stop),
}

/// A choice of branches that explains a multi-trace.
#[derive(Debug)]
pub struct Model {
    values: Vec<bool>,
    places: Vec<Places>,
}

impl Problem {
    /// Prepares a term. `None` if it has loops, is not decoupled, or is far too large.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition) -> Option<Self> {
        if pool.attributes(term).loops > 0 || !Harm::new(pool, term, partition).decoupled() {
            return None;
        }
        Problem::decoupled(pool, term, partition)
    }

    /// The same for a term that is known to be decoupled.
    pub fn decoupled(pool: &Pool, term: TermId, partition: &Partition) -> Option<Self> {
        let compiled = Compiled::new(pool, term, partition)?;
        Some(Problem { term, partition: partition.clone(), compiled })
    }

    /// Decides a question about a multi-trace over the partition. `None` for global prefixes, and
    /// if the formula would be too large.
    pub fn ask(
        &self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        self.ask_with(&solve::Own, trace, question, meter)
    }

    /// The same with another solver.
    fn ask_with(
        &self,
        backend: &impl Backend,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        if *question == Question::GlobalPrefix {
            return None;
        }
        let Encoding { formula, places } =
            match encode(&self.partition, &self.compiled, trace, question) {
                Ok(encoding) => encoding,
                Err(Without::Refuted) => return Some(Answer::Refuted),
                Err(Without::TooLarge) => return None,
            };
        Some(match backend.solve(&formula, meter) {
            Ok(Some(values)) => Answer::Explained(Model { values, places }),
            Ok(None) => Answer::Refuted,
            Err(stop) => Answer::Stopped(stop),
        })
    }

    /// A global trace that shows the answer: all events of the chosen branches, in an order that
    /// the term allows and the multi-trace shows.
    ///
    /// # Panics
    /// If the model is not one of this term, multi-trace and question.
    pub fn witness(
        &self,
        pool: &mut Pool,
        trace: &MultiTrace,
        question: &Question,
        model: &Model,
    ) -> Witness {
        replay::witness(pool, self, trace, question, model)
    }

    /// The same as [`Problem::ask`] with the solver of a crate.
    #[cfg(feature = "sat")]
    pub fn ask_crate(
        &self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        self.ask_with(&crate_solver::Batsat, trace, question, meter)
    }
}

/// A solver of formulas.
trait Backend {
    /// The values of a model, by variable, if there is one.
    fn solve(&self, formula: &Formula, meter: &mut Meter<'_>) -> Result<Option<Vec<bool>>, Stop>;
}
