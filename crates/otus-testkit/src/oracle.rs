//! The slow reference semantics.
//!
//! Every faster analysis of Otus is compared with this one, so it shares nothing with them: no pruning, no steps, no normal
//! forms, only the nodes of a term and the lifelines of an event. Where a paper gives an equation, the code is that equation.
//!
//! - [`mod@traces`]: ρ(i), the global traces of an interaction, up to a length;
//! - [`observe`]: the projections of a global trace to the components of a partition;
//! - [`mod@member`]: the four questions about an interaction and a multi-trace, answered by enumerating every trace up to a
//!   proven length;
//! - [`marked`]: the same questions in a second way, on traces whose events are marked as observed or not; it handles larger
//!   cases, and the two must agree;
//! - [`asked`]: the questions of `otus-analysis` in the form of these two;
//! - [`local`]: the semantics of paper 000, on tuples of local traces, without causality between lifelines;
//! - [`ctl`]: the meaning of formulas over the cuts of a partial order;
//! - [`values`]: interactions whose events carry values.
//!
//! A computation that exceeds its budget returns `None`, never a guess.

pub mod asked;
pub mod ctl;
pub mod local;
pub mod marked;
pub mod member;
pub mod observe;
pub mod traces;
pub mod values;

use std::collections::{BTreeMap, BTreeSet};

use otus_core::{Pool, TermId};

pub use asked::Asked;
pub use member::{Members, Question, Window, member};
pub use observe::{Moment, Observation};
pub use traces::{Trace, Traces, traces};

/// Computes a value of a term from the values of its operands, once for each part of the term. Operands have smaller ids than
/// the terms that contain them, so a loop over the ids needs no stack.
pub(crate) fn fold<T>(
    pool: &Pool,
    term: TermId,
    mut value: impl FnMut(TermId, &BTreeMap<TermId, T>) -> T,
) -> Option<T> {
    let mut parts = BTreeSet::new();
    let mut pending = vec![term];
    while let Some(part) = pending.pop() {
        if parts.insert(part) {
            pending.extend(pool.node(part).operands());
        }
    }
    let mut values = BTreeMap::new();
    for part in parts {
        let found = value(part, &values);
        values.insert(part, found);
    }
    values.remove(&term)
}

/// A set with a budget of insertions. Repeated insertions count, so the budget bounds time as well as memory.
#[derive(Debug)]
pub(crate) struct Counted<T> {
    pub(crate) items: BTreeSet<T>,
    left: usize,
}

impl<T: Ord> Counted<T> {
    pub(crate) fn new(budget: usize) -> Self {
        Counted { items: BTreeSet::new(), left: budget }
    }

    /// Adds an item; `None` if the budget is used up.
    pub(crate) fn insert(&mut self, item: T) -> Option<()> {
        self.spend()?;
        self.items.insert(item);
        Some(())
    }

    /// Counts one more; `None` if the budget is used up.
    pub(crate) fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }
}

/// ```text
/// T⋄* = ∪_j T⋄j     T⋄0 = {unit}     T⋄j = T ⋄ T⋄(j−1)
/// ```
/// `step` is T ⋄ _ for a T without its unit, which would add nothing: unit ⋄ x = {x}. As ⋄ distributes over unions, only new
/// members of T⋄(j−1) can give new members of T⋄j. The closure is complete when there are none; `step` bounds the length of
/// its results, so that this happens.
pub(crate) fn closure<T: Ord + Clone>(
    unit: T,
    budget: usize,
    mut step: impl FnMut(&BTreeSet<T>) -> Option<BTreeSet<T>>,
) -> Option<BTreeSet<T>> {
    let mut all = BTreeSet::from([unit]);
    let mut new = all.clone();
    while !new.is_empty() {
        new = step(&new)?.difference(&all).cloned().collect();
        all.extend(new.iter().cloned());
        if all.len() > budget {
            return None;
        }
    }
    Some(all)
}
