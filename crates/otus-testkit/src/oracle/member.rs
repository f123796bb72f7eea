//! The four questions about an interaction and a multi-trace, answered by enumerating traces.
//!
//! `σ_C(i)` is the set of projections of ρ(i) onto the partition C. A *witness* for µ is a trace
//! t ∈ ρ(i) that explains it; the questions differ in the meaning of *explains* ([`Question`],
//! [`Window`]). ρ(i) may be infinite, but it suffices to look for short witnesses.
//!
//! # How long a witness must be
//!
//! *Accept*: every event of t is a moment of some component. So t has at most |µ| events, where |µ| is the number of moments.
//!
//! *Otherwise* call an event of t observed if one of its moments is matched with one of µ. At most |µ| events are observed.
//!
//! **Claim.** If there is a witness, there is one in which every iteration of every loop, at
//! every level of nesting, has an observed event.
//!
//! *Proof.* First, the conditions of the operators on a trace. By induction on its equations,
//! t ∈ t1 ××|r t2 iff t is a shuffle of t1 and t2 in which no event of t2 comes before a
//! conflicting one of t1; t1;t2 is the shuffle in which none comes before any. Both are conditions
//! on pairs of events that are present. So if events of t1 are deleted, and the same events of t, then t is still a
//! composition of the two, as long as the rest of t1 is a trace of its own operand. Now take an iteration without observed
//! event in a witness t ∈ ρ(i), and delete its events (there may be none) from t. Its loop has a trace of T⋄j with one factor
//! replaced by ε, which by ε ⋄ x = {x} is in T⋄(j−1), so still in the loop's set. Each operator above the loop is a
//! composition, for which the argument above applies, or an alternative or a loop, for which it applies to the operand or
//! iteration that contains the deleted events. So the shorter trace is in ρ(i). No observed moment was deleted and the order
//! of the others is unchanged, so in each component
//! - a contiguous window stays contiguous, because only moments outside it are deleted;
//! - a window that is the beginning, the end, or all of the component's trace stays so;
//!
//! and for a global prefix only events after it are deleted. The result is a witness with one
//! iteration less, so the process ends. ∎
//!
//! In such a witness let B(i,k) be the most events that can come from a part i of which at most
//! k events are observed:
//!
//! ```text
//! B(∅,k) = 0        B(e,k) = 1        B(alt(i,j),k) = max(B(i,k), B(j,k))
//! B(f(i,j),k) = max over k1+k2 = k of B(i,k1) + B(j,k2),      f ∈ {strict, coreg_r}
//! B(loop(i),k) = max over k1+…+kn ≤ k, each kx ≥ 1, of B(i,k1) + … + B(i,kn)
//! ```
//!
//! Two operands have no event in common, nor have two iterations, so each observed event belongs to one of them; an iteration
//! has at least one. B(i,|µ|) is at most (leaves outside loops) + (leaves in loops)·|µ|.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use otus_core::{Pool, Term, TermId};
use otus_trace::Partition;

use super::fold;
use super::observe::{Moment, Observation, project};
use super::traces::TraceSets;

/// A question about an interaction i and a multi-trace µ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// µ ∈ `σ_C(i)`
    Accept,
    /// µ is the projection of a prefix of a trace of ρ(i).
    GlobalPrefix,
    /// Each component of µ is a prefix of that of one multi-trace of `σ_C(i)`.
    MultiPrefix,
    /// Each component of µ is a contiguous part of that of one multi-trace of `σ_C(i)`.
    Slice,
}

impl Question {
    /// From the strongest to the weakest.
    pub const ALL: [Question; 4] =
        [Question::Accept, Question::GlobalPrefix, Question::MultiPrefix, Question::Slice];

    /// The window of every component; `None` for a global prefix, which is not defined by components.
    pub fn window(self) -> Option<Window> {
        match self {
            Question::Accept => Some(Window::Complete),
            Question::GlobalPrefix => None,
            Question::MultiPrefix => Some(Window::Prefix),
            Question::Slice => Some(Window::Slice),
        }
    }
}

/// The part of a component's trace that was observed. A component that was not observed at all has the window `Prefix` or
/// `Slice` and no moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Window {
    /// All of it.
    Complete,
    /// It may stop early.
    Prefix,
    /// It may start late.
    Suffix,
    /// It may start late and stop early.
    Slice,
}

impl Window {
    /// All of them.
    pub const ALL: [Window; 4] = [Window::Complete, Window::Prefix, Window::Suffix, Window::Slice];

    /// Whether `seen` can be the observed part of `trace`.
    ///
    /// ```text
    /// t′ is a slice of t iff t = t⁻.t′.t⁺ for some t⁻, t⁺; a prefix iff t⁻ = ε; a suffix iff t⁺ = ε
    /// ```
    pub fn fits<T: PartialEq>(self, seen: &[T], trace: &[T]) -> bool {
        match self {
            Window::Complete => trace == seen,
            Window::Prefix => trace.starts_with(seen),
            Window::Suffix => trace.ends_with(seen),
            Window::Slice => (0..=trace.len()).any(|start| trace[start..].starts_with(seen)),
        }
    }
}

/// The answer to a question, found by enumerating every trace that can be a witness. `None` if one operator makes more than
/// `budget` traces.
///
/// ```
/// use otus_testkit::oracle::{Observation, Question, member};
/// use otus_testkit::read::{Language, read};
/// # use otus_syntax::{Source, parse_trace};
///
/// let (mut lowered, _) = read(Language::Interaction, "loopS(a -- m -> b)");
/// let trace = parse_trace(&Source::new("x", "[b] b?m.b?m")).tree;
/// let trace = Observation::from(&otus_trace::lower(&trace, &mut lowered.pool).0);
/// let term = lowered.term.unwrap();
/// let answer = |question| member(&lowered.pool, term, &trace, question, 1000);
/// assert_eq!(answer(Question::GlobalPrefix), Some(false));
/// assert_eq!(answer(Question::MultiPrefix), Some(true));
/// ```
pub fn member(
    pool: &Pool,
    term: TermId,
    observation: &Observation,
    question: Question,
    budget: usize,
) -> Option<bool> {
    let mut sets = TraceSets::new(pool, budget);
    Members::new(term, observation.partition.clone()).ask(
        &mut sets,
        &observation.components,
        question,
    )
}

/// B(i,k) for k = `observed`: if there is a witness, there is one of at most this length, where `weight` is the length of an
/// event.
pub fn witness_length(
    pool: &Pool,
    term: TermId,
    observed: usize,
    weight: impl Fn(otus_core::EventId) -> usize,
) -> usize {
    // Indexed by k, from 0 to `observed`; monotone.
    let bounds = fold(pool, term, |part, operands: &BTreeMap<TermId, Vec<usize>>| {
        let of = |operand: TermId, k: usize| operands.get(&operand).map_or(0, |bounds| bounds[k]);
        let all = 0..=observed;
        match pool.node(part) {
            Term::Empty => vec![0; observed + 1],
            Term::Event(event) => vec![weight(event); observed + 1],
            Term::Alt(left, right) => all.map(|k| of(left, k).max(of(right, k))).collect(),
            Term::Strict(left, right) | Term::Coreg(_, left, right) => all
                .map(|k| {
                    let splits = (0..=k).map(|k1| of(left, k1).saturating_add(of(right, k - k1)));
                    splits.max().unwrap_or(0)
                })
                .collect(),
            Term::LoopS(body) | Term::LoopC(_, body) => {
                let mut bounds = vec![0];
                for k in 1..=observed {
                    let firsts = (1..=k).map(|k1| of(body, k1).saturating_add(bounds[k - k1]));
                    bounds.push(firsts.max().unwrap_or(0));
                }
                bounds
            }
        }
    });
    bounds.and_then(|bounds| bounds.last().copied()).unwrap_or(0)
}

type Projections = BTreeSet<Vec<Vec<Moment>>>;

/// A term and a partition, for questions about many multi-traces: projections are computed once per length.
#[derive(Debug)]
pub struct Members {
    term: TermId,
    partition: Partition,
    accepted: BTreeMap<usize, Option<Rc<Projections>>>,
    prefixes: BTreeMap<usize, Option<Rc<Projections>>>,
}

impl Members {
    /// Nothing computed yet.
    pub fn new(term: TermId, partition: Partition) -> Self {
        Members { term, partition, accepted: BTreeMap::new(), prefixes: BTreeMap::new() }
    }

    /// The same as [`member`], for a multi-trace over this partition.
    pub fn ask(
        &mut self,
        sets: &mut TraceSets<'_>,
        components: &[Vec<Moment>],
        question: Question,
    ) -> Option<bool> {
        let windows = question.window().map(|window| vec![window; components.len()]);
        self.ask_windows(sets, components, windows.as_deref())
    }

    /// Whether some multi-trace of `σ_C(i)` has each component of µ in its declared window; without windows, whether µ is a
    /// global prefix.
    pub fn ask_windows(
        &mut self,
        sets: &mut TraceSets<'_>,
        components: &[Vec<Moment>],
        windows: Option<&[Window]>,
    ) -> Option<bool> {
        let observed = count(components);
        let Some(windows) = windows else {
            let length = witness_length(sets.pool(), self.term, observed, |_| 1);
            return Some(self.prefixes(sets, length)?.contains(components));
        };
        if windows.iter().all(|&window| window == Window::Complete) {
            return Some(self.accepted(sets, observed)?.contains(components));
        }
        let length = witness_length(sets.pool(), self.term, observed, |_| 1);
        let accepted = self.accepted(sets, length)?;
        let explains = |accepted: &Vec<Vec<Moment>>| {
            let pairs = components.iter().zip(accepted).zip(windows);
            pairs.into_iter().all(|((seen, trace), window)| window.fits(seen, trace))
        };
        Some(accepted.iter().any(explains))
    }

    /// The projections of the traces with at most `length` events.
    pub fn accepted(&mut self, sets: &mut TraceSets<'_>, length: usize) -> Option<Rc<Projections>> {
        let (term, partition, pool) = (self.term, &self.partition, sets.pool());
        let compute = || {
            let traces = sets.traces(term, length)?;
            let projections = traces.iter().map(|trace| project(pool, partition, trace));
            Some(Rc::new(projections.collect()))
        };
        self.accepted.entry(length).or_insert_with(compute).clone()
    }

    /// The projections of prefixes of the traces with at most `length` events.
    fn prefixes(&mut self, sets: &mut TraceSets<'_>, length: usize) -> Option<Rc<Projections>> {
        let (term, partition, pool) = (self.term, &self.partition, sets.pool());
        let compute = || {
            let traces = sets.traces(term, length)?;
            let prefixes: BTreeSet<_> = traces
                .iter()
                .flat_map(|trace| (0..=trace.len()).map(|end| &trace[..end]))
                .collect();
            let projections = prefixes.iter().map(|prefix| project(pool, partition, prefix));
            Some(Rc::new(projections.collect()))
        };
        self.prefixes.entry(length).or_insert_with(compute).clone()
    }
}

/// |µ|, in moments.
pub(crate) fn count(components: &[Vec<Moment>]) -> usize {
    components.iter().map(Vec::len).sum()
}
