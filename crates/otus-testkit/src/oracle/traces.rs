//! ρ(i): the global traces of an interaction.
//!
//! This is the denotational semantics of Mahe et al., "Tooling offline runtime verification against interaction models"
//! (paper 003), section 3.3, with one generalisation: the letters of a trace are *events*, and an event may be several actions
//! that happen as one (a rendez-vous). An event e is on the lifelines Θ(e) of all its actions; with single actions,
//! Θ(e) = {θ(e)}.
//!
//! ```text
//! ρ(∅) = {ε}                    ρ(e) = {e}
//! ρ(alt(i,j)) = ρ(i) ∪ ρ(j)     ρ(strict(i,j)) = ρ(i);ρ(j)     ρ(coreg_r(i,j)) = ρ(i) ××|r ρ(j)
//! ρ(loopS(i)) = ρ(i);*          ρ(loopC_r(i)) = ρ(i)××|r*
//! ```
//!
//! The sets may be infinite, so the result is *exactly* the set of traces of at most `max_len` events. All operators keep every
//! event of their operands, so a short trace is composed of short traces, and bounding every intermediate set loses none. A
//! loop needs no other bound, because each iteration other than ε adds at least one event.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use otus_core::{EventId, LifelineSet, Pool, Term, TermId};

use super::{Counted, closure, fold};

/// A global trace.
pub type Trace = Vec<EventId>;
/// A set of global traces.
pub type Traces = BTreeSet<Trace>;

/// The traces of a term with at most `max_len` events. `None` if some operator in it makes more
/// than `budget` traces, repetitions counted.
///
/// ```
/// use otus_testkit::oracle::traces;
/// use otus_testkit::read::{Language, read};
///
/// let (lowered, _) = read(Language::Interaction, "loopS(a -- m -> b)");
/// let found = traces(&lowered.pool, lowered.term.unwrap(), 5, 100).unwrap();
/// assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2, 4]);
/// ```
pub fn traces(pool: &Pool, term: TermId, max_len: usize, budget: usize) -> Option<Traces> {
    TraceSets::new(pool, budget).traces(term, max_len).map(Rc::unwrap_or_clone)
}

/// Sets of traces of many terms of one pool; each part of each term is computed once per length.
#[derive(Debug)]
pub struct TraceSets<'a> {
    pool: &'a Pool,
    budget: usize,
    known: BTreeMap<(TermId, usize), Option<Rc<Traces>>>,
}

impl<'a> TraceSets<'a> {
    /// Nothing computed yet. The budget is that of [`traces`].
    pub fn new(pool: &'a Pool, budget: usize) -> Self {
        TraceSets { pool, budget, known: BTreeMap::new() }
    }

    /// The pool whose terms these are.
    pub fn pool(&self) -> &'a Pool {
        self.pool
    }

    /// The same as [`traces`].
    pub fn traces(&mut self, term: TermId, max_len: usize) -> Option<Rc<Traces>> {
        if let Some(known) = self.known.get(&(term, max_len)) {
            return known.clone();
        }
        fold(self.pool, term, |part, operands| {
            if let Some(known) = self.known.get(&(part, max_len)) {
                return known.clone();
            }
            let found = self.combine(part, max_len, operands).map(Rc::new);
            self.known.insert((part, max_len), found.clone());
            found
        })?
    }

    /// ρ of a term from ρ of its operands: the table at the head of this file.
    fn combine(
        &self,
        term: TermId,
        max_len: usize,
        operands: &BTreeMap<TermId, Option<Rc<Traces>>>,
    ) -> Option<Traces> {
        let rho = |operand: TermId| operands.get(&operand)?.as_deref();
        let cut = Cut { max_len, budget: self.budget };
        let pool = self.pool;
        match pool.node(term) {
            Term::Empty => Some(BTreeSet::from([Vec::new()])),
            Term::Event(_) if max_len == 0 => Some(BTreeSet::new()),
            Term::Event(event) => Some(BTreeSet::from([vec![event]])),
            Term::Alt(left, right) => Some(rho(left)?.union(rho(right)?).cloned().collect()),
            Term::Strict(left, right) => concatenation(rho(left)?, rho(right)?, cut),
            Term::Coreg(region, left, right) => {
                conditional_sequencing(pool, &pool.region(region), rho(left)?, rho(right)?, cut)
            }
            Term::LoopS(body) => {
                let body = without_empty(rho(body)?);
                closure(Vec::new(), self.budget, |rest| concatenation(&body, rest, cut))
            }
            Term::LoopC(region, body) => {
                let (region, body) = (pool.region(region), without_empty(rho(body)?));
                closure(Vec::new(), self.budget, |rest| {
                    conditional_sequencing(pool, &region, &body, rest, cut)
                })
            }
        }
    }
}

/// The bounds of sets of traces.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// The length of the longest trace that is kept.
    pub max_len: usize,
    /// The most traces that one operator may make.
    pub budget: usize,
}

/// ```text
/// T1;T2 = {t1.t2 | t1 ∈ T1, t2 ∈ T2}
/// ```
pub fn concatenation(left: &Traces, right: &Traces, cut: Cut) -> Option<Traces> {
    let mut out = Counted::new(cut.budget);
    for (t1, t2) in pairs(left, right, cut.max_len) {
        out.insert([t1, t2].concat())?;
    }
    Some(out.items)
}

/// ```text
/// T1 ××|r T2 = ∪ {t1 ××|r t2 | t1 ∈ T1, t2 ∈ T2}
/// ```
pub fn conditional_sequencing(
    pool: &Pool,
    region: &LifelineSet,
    left: &Traces,
    right: &Traces,
    cut: Cut,
) -> Option<Traces> {
    let mut out = Counted::new(cut.budget);
    for (t1, t2) in pairs(left, right, cut.max_len) {
        conditional_sequencings(pool, region, &mut Vec::new(), t1, t2, &mut out)?;
    }
    Some(out.items)
}

/// Adds `before.t` for every t in
///
/// ```text
/// ε ××|r t2 = {t2}          t1 ××|r ε = {t1}
/// (e1.t1) ××|r (e2.t2) = {e1.t | t ∈ t1 ××|r (e2.t2)}
///                      ∪ {e2.t | t ∈ (e1.t1) ××|r t2, ¬(e1.t1 ××|r Θ(e2))}
/// ```
fn conditional_sequencings(
    pool: &Pool,
    region: &LifelineSet,
    before: &mut Trace,
    left: &[EventId],
    right: &[EventId],
    out: &mut Counted<Trace>,
) -> Option<()> {
    let ([e1, t1 @ ..], [e2, t2 @ ..]) = (left, right) else {
        return out.insert([before, left, right].concat());
    };
    before.push(*e1);
    conditional_sequencings(pool, region, before, t1, right, out)?;
    before.pop();
    if !conflict(pool, left, region, &lifelines(pool, *e2)) {
        before.push(*e2);
        conditional_sequencings(pool, region, before, left, t2, out)?;
        before.pop();
    }
    Some(())
}

/// Whether a trace conflicts with an event on the lifelines Θ, that is, on any of them:
///
/// ```text
/// ε ××|r Θ = ⊥          (e.t) ××|r Θ = (∃ l ∈ Θ(e) ∩ Θ, l ∉ r) ∨ (t ××|r Θ)
/// ```
pub(crate) fn conflict(
    pool: &Pool,
    trace: &[EventId],
    region: &LifelineSet,
    others: &LifelineSet,
) -> bool {
    trace.iter().any(|&event| !lifelines(pool, event).intersection(others).is_subset(region))
}

/// Θ(e)
fn lifelines(pool: &Pool, event: EventId) -> LifelineSet {
    pool.region(pool.event_lifelines(event))
}

/// The pairs of traces whose lengths add up to at most `max_len`.
fn pairs<'a>(
    left: &'a Traces,
    right: &'a Traces,
    max_len: usize,
) -> impl Iterator<Item = (&'a [EventId], &'a [EventId])> {
    let pairs = left.iter().flat_map(move |t1| right.iter().map(move |t2| (&**t1, &**t2)));
    pairs.filter(move |(t1, t2)| t1.len() + t2.len() <= max_len)
}

fn without_empty(traces: &Traces) -> Traces {
    traces.iter().filter(|trace| !trace.is_empty()).cloned().collect()
}
