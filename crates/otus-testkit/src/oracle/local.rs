//! The semantics of paper 000: tuples of local traces.
//!
//! Mahe et al., "Dealing with observability in interaction-based offline runtime verification of distributed systems",
//! Definition 4, builds multi-traces of the discrete partition directly: an operator acts on each lifeline separately, and
//! nothing orders one lifeline against another. So strict and weak sequencing are the same.
//!
//! ```text
//! σ(∅) = {ε}                    σ(a) = {a^ε}
//! σ(alt(i,j)) = σ(i) ∪ σ(j)     σ(strict(i,j)) = σ(seq(i,j)) = σ(i);σ(j)     σ(par(i,j)) = σ(i)||σ(j)
//! σ(loopS(i)) = σ(loopW(i)) = σ(i);*         σ(loopP(i)) = σ(i)||*
//! ```
//!
//! The paper has neither co-regions nor rendez-vous. This file extends the definition to both: `coreg_r` interleaves on the
//! lifelines of r and concatenates on the others, so that it is `;` for r = ∅ and `||` for r = L; an event puts each of its
//! actions on its own lifeline, independently of the others (two actions on one lifeline stay one moment).
//!
//! Every projection of a global trace is in σ, but not vice versa: `par(a -- m1 -> b, b -- m2 -> a)` allows a: a?m2.a!m1 with
//! b: b?m1.b!m2 here, where each message is received before the other is sent. Removal of lifelines is exact for this semantics
//! (Theorem 1 of the paper).
//!
//! The bound on witnesses is that of [`member`](mod@super::member), whose proof applies to the order of each lifeline
//! separately. Lengths are counted in moments, so the weight of an event is its number of lifelines.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::index::Index as _;
use otus_core::{LifelineId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::Partition;

use super::member::{Question, count, witness_length};
use super::observe::{Moment, Observation, moments};
use super::{Counted, closure, fold};

/// A trace for each lifeline.
pub type Tuple = Vec<Vec<Moment>>;

/// The tuples of a term with at most `max_len` moments; `None` if some operator makes more than
/// `budget`.
pub fn tuples(pool: &Pool, term: TermId, max_len: usize, budget: usize) -> Option<BTreeSet<Tuple>> {
    let lifelines = pool.signature().lifeline_count();
    let unit: Tuple = vec![Vec::new(); lifelines];
    let discrete = Partition::discrete(lifelines);
    fold(pool, term, |part, operands: &BTreeMap<TermId, Option<BTreeSet<Tuple>>>| {
        let of = |operand: TermId| operands.get(&operand)?.as_ref();
        let compose = |region: RegionId, left: &BTreeSet<Tuple>, right: &BTreeSet<Tuple>| {
            let region = pool.region(region);
            let mut out = Counted::new(budget);
            for first in left {
                for second in right {
                    if count(first) + count(second) <= max_len {
                        compositions(&region, first, second, &mut out)?;
                    }
                }
            }
            Some(out.items)
        };
        let repeat = |region: RegionId, body: &BTreeSet<Tuple>| {
            let body = body.iter().filter(|tuple| **tuple != unit).cloned().collect();
            closure(unit.clone(), budget, |rest| compose(region, &body, rest))
        };
        match pool.node(part) {
            Term::Empty => Some(BTreeSet::from([unit.clone()])),
            Term::Event(event) => {
                let mut tuple = unit.clone();
                for (component, moment) in moments(pool, &discrete, event) {
                    tuple[component.index()].push(moment);
                }
                Some([tuple].into_iter().filter(|tuple| count(tuple) <= max_len).collect())
            }
            Term::Alt(left, right) => Some(of(left)?.union(of(right)?).cloned().collect()),
            Term::Strict(left, right) => compose(Pool::NONE, of(left)?, of(right)?),
            Term::Coreg(region, left, right) => compose(region, of(left)?, of(right)?),
            Term::LoopS(body) => repeat(Pool::NONE, of(body)?),
            Term::LoopC(region, body) => repeat(region, of(body)?),
        }
    })?
}

/// The answer to a question in this semantics. `None` for the global prefix, because there are no global traces here, for a
/// partition that is not discrete, and if the budget is exceeded.
pub fn member(
    pool: &Pool,
    term: TermId,
    observation: &Observation,
    question: Question,
    budget: usize,
) -> Option<bool> {
    let window = question.window()?;
    let partition = &observation.partition;
    if !partition.is_discrete() {
        return None;
    }
    let weight = |event| pool.region(pool.event_lifelines(event)).len();
    let length = match question {
        Question::Accept => observation.len(),
        Question::GlobalPrefix | Question::MultiPrefix | Question::Slice => {
            witness_length(pool, term, observation.len(), weight)
        }
    };
    let explains = |tuple: &Tuple| {
        // Tuples are in the order of the lifelines, components in any order.
        tuple.iter().enumerate().all(|(lifeline, trace)| {
            let component = partition.component_of(LifelineId::new(lifeline));
            window.fits(&observation.components[component.index()], trace)
        })
    };
    Some(tuples(pool, term, length, budget)?.iter().any(explains))
}

/// Adds the compositions of two tuples. With r empty this is
///
/// ```text
/// µ1;ε = µ1        µ1;(a^µ2) = (µ1^a);µ2
/// ```
///
/// which appends lifeline by lifeline; with all lifelines it is
///
/// ```text
/// ε||µ2 = {µ2}     µ1||ε = {µ1}
/// (a1^µ1)||(a2^µ2) = a1^(µ1||(a2^µ2)) ∪ a2^((a1^µ1)||µ2)
/// ```
///
/// where a multi-trace has as many heads as it has lifelines with actions. So the lifelines can be interleaved one after the
/// other, and the result has every combination of their interleavings.
fn compositions(
    region: &LifelineSet,
    left: &Tuple,
    right: &Tuple,
    out: &mut Counted<Tuple>,
) -> Option<()> {
    let mut made: Vec<Tuple> = vec![Vec::new()];
    for (lifeline, (t1, t2)) in left.iter().zip(right).enumerate() {
        let here = if region.contains(LifelineId::new(lifeline)) {
            interleavings(t1, t2)
        } else {
            BTreeSet::from([[t1.clone(), t2.clone()].concat()])
        };
        let extend = |tuple: &Tuple| -> Vec<Tuple> {
            here.iter().map(|trace| [tuple.clone(), vec![trace.clone()]].concat()).collect()
        };
        made = made.iter().flat_map(extend).collect();
    }
    made.into_iter().try_for_each(|tuple| out.insert(tuple))
}

/// ```text
/// ε||t2 = {t2}     t1||ε = {t1}
/// (a1.t1)||(a2.t2) = {a1.t | t ∈ t1||(a2.t2)} ∪ {a2.t | t ∈ (a1.t1)||t2}
/// ```
fn interleavings(left: &[Moment], right: &[Moment]) -> BTreeSet<Vec<Moment>> {
    let ([a1, t1 @ ..], [a2, t2 @ ..]) = (left, right) else {
        return BTreeSet::from([[left, right].concat()]);
    };
    let prepend = |head: &Moment, rest: BTreeSet<Vec<Moment>>| {
        let head = vec![head.clone()];
        rest.into_iter().map(move |trace| [head.clone(), trace].concat()).collect::<Vec<_>>()
    };
    let mut all = BTreeSet::new();
    all.extend(prepend(a1, interleavings(t1, right)));
    all.extend(prepend(a2, interleavings(left, t2)));
    all
}
