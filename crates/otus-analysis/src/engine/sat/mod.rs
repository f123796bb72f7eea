//! Terms and multi-traces as formulas of propositional logic.
//!
//! Whether a multi-trace is explained is NP-hard even without loops: Mahe et al., "Dealing with
//! observability in interaction-based offline runtime verification", section 4.3, reduce 3-SAT to
//! it. Where a term has many alternatives, the other way round is best: say it as a
//! formula and let clause learning find out which choices go together. The same is true of where windows of
//! observation begin (slices), and loops are no obstacle, as only so many iterations matter.
//!
//! - [`compile`]: what is known of a term without any multi-trace;
//! - [`encode`](mod@encode): the formula for a multi-trace, with its proof;
//! - [`solve`](mod@solve): our own solver, on [`heap`] and [`formula`]; `crate_solver`: another, behind the
//!   feature `sat`;
//! - [`unroll`]: how often loops have to be unrolled;
//! - [`replay`], [`rest`]: from a model to a witness.
//!
//! **Cost.** Linear in the term, and for each multi-trace linear in its formula, plus the search. Of
//! the reduction of 3-SAT the formula is the very same as the one reduced: with 20 variables some 50 µs
//! in all, with 100 near the threshold about 1 ms, with 150 about 20 ms (`cargo run --release -p otus-bench -- engine sat`). A formula has up to
//! (leaves × moments) variables for a component that is a chain, and (leaves² × moments) clauses for
//! one that is none; what would be too large is left to the search.
//!
//! **Switch.** `Options::solver`. The theorem of [`harm`](super::harm) is used whatever `Options::relax` says. **Counter.** Conflicts are counted as states.

mod compile;
#[cfg(feature = "sat")]
mod crate_solver;
mod encode;
mod formula;
mod heap;
mod replay;
mod rest;
mod solve;
mod unroll;

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
/// Of how many parts of a term alternatives are counted.
const COUNTED: usize = 100_000;

/// Whether a term is loop-free and has enough alternatives for a formula to be the better way.
pub fn worth_it(pool: &Pool, term: TermId) -> bool {
    has_choices(pool, term, |_| true)
}

/// Whether it has enough of them side by side, not one inside another, to leave out any search.
pub(super) fn is_plain(pool: &Pool, term: TermId) -> bool {
    has_choices(pool, term, |node| !matches!(node, Term::Alt(..)))
}

/// The same, alternatives being looked for inside of some terms.
fn has_choices(pool: &Pool, term: TermId, goes_on: impl Fn(Term) -> bool) -> bool {
    let attributes = pool.attributes(term);
    if attributes.loops > 0 || attributes.nodes < 2 * CHOICES as u64 {
        return false;
    }
    let (mut choices, mut visited) = (0, 0);
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        let node = pool.node(term);
        visited += 1;
        choices += usize::from(matches!(node, Term::Alt(left, right) if left != right));
        if choices >= CHOICES {
            return true;
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
    /// Whether relaxing the term changes nothing.
    decoupled: bool,
    form: Form,
}

/// What is kept of a term.
#[derive(Debug)]
enum Form {
    /// It has no loops.
    Once(Box<Compiled>),
    /// It is unrolled for each multi-trace.
    Unrolled(Box<Pool>),
}

/// The longest multi-traces for which loops are unrolled, and the largest pools that are kept.
const LONGEST: usize = 2_000;
const LARGEST_POOL: usize = 100_000;
/// How many cycles of a coupled term are forbidden before giving up.
const ROUNDS: usize = 500;
/// Iterations that are tried first, before as many as can be needed.
const FIRST: [usize; 2] = [3, 12];

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
    /// Whether the order of all events was looked at.
    exact: bool,
    /// What was unrolled for it.
    unrolled: Option<Box<Compiled>>,
}

impl Problem {
    /// Prepares a term. `None` if it is far too large.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition) -> Option<Self> {
        Self::of(&Harm::new(pool, term, partition), (pool, term, partition))
    }

    /// The same where it is known what relaxing would change.
    pub(super) fn of(
        harm: &Harm,
        (pool, term, partition): (&Pool, TermId, &Partition),
    ) -> Option<Self> {
        let form = if pool.attributes(term).loops > 0 {
            if pool.term_count() > LARGEST_POOL {
                return None;
            }
            Form::Unrolled(Box::new(pool.clone()))
        } else {
            Form::Once(Box::new(Compiled::new(pool, term, partition, |_| 0)?))
        };
        Some(Problem { term, partition: partition.clone(), decoupled: harm.decoupled(), form })
    }

    /// Whether a multi-trace is short enough to unroll the loops for it.
    pub fn takes(&self, trace: &MultiTrace) -> bool {
        match &self.form {
            Form::Once(_) => true,
            Form::Unrolled(_) => trace.len() <= LONGEST,
        }
    }

    /// Decides a question about a multi-trace over the partition. `None` for global prefixes, if the
    /// formula would be too large, and sometimes if the term is coupled.
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
        let pool = match &self.form {
            Form::Once(compiled) => return self.decide(backend, compiled, trace, question, meter),
            Form::Unrolled(pool) => pool,
        };
        if !self.takes(trace) {
            return None;
        }
        let bounds = unroll::bounds(pool, self.term, trace, question);
        let most = bounds.values().copied().max().unwrap_or(0);
        let rounds = FIRST.into_iter().filter(|&few| 2 * few < most).chain([most]);
        for few in rounds {
            let iterations = |part: TermId| bounds.get(&part).copied().unwrap_or(0).min(few);
            let compiled = Compiled::new(pool, self.term, &self.partition, iterations)?;
            match self.decide(backend, &compiled, trace, question, meter)? {
                Answer::Explained(model) => {
                    let unrolled = Some(Box::new(compiled));
                    return Some(Answer::Explained(Model { unrolled, ..model }));
                }
                // More iterations may explain what few do not.
                Answer::Refuted if few < most => {}
                answer @ (Answer::Refuted | Answer::Stopped(_)) => return Some(answer),
            }
        }
        None
    }

    fn decide(
        &self,
        backend: &impl Backend,
        compiled: &Compiled,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
    ) -> Option<Answer> {
        let exact = !self.decoupled;
        let Encoding { mut formula, mut places } =
            match encode(&self.partition, compiled, trace, question, exact) {
                Ok(encoding) => encoding,
                Err(Without::Refuted) => return Some(Answer::Refuted),
                Err(Without::TooLarge) => return None,
            };
        for _ in 0..ROUNDS {
            let values = match backend.solve(&formula, meter) {
                Ok(Some(values)) => values,
                Ok(None) => return Some(Answer::Refuted),
                Err(stop) => return Some(Answer::Stopped(stop)),
            };
            let model = Model { values, places, exact, unrolled: None };
            if self.decoupled {
                return Some(Answer::Explained(model));
            }
            match replay::plan((compiled, &self.partition), trace, question, &model) {
                Ok(_) => return Some(Answer::Explained(model)),
                Err(cycle) => encode::forbid(&mut formula, compiled, &model.places, &cycle),
            }
            places = model.places;
        }
        None
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

    /// What a model is about.
    fn compiled<'a>(&'a self, model: &'a Model) -> &'a Compiled {
        match (&self.form, &model.unrolled) {
            (Form::Once(compiled), _) => compiled,
            (Form::Unrolled(_), unrolled) => unrolled.as_deref().expect("it was unrolled"),
        }
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
