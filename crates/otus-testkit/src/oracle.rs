//! What interactions mean, slowly and in plain sight.
//!
//! Every faster analysis of Otus is tested against this one, so it shares nothing with them: no
//! pruning, no steps, no normal forms, only what a node of a term is and which lifelines an
//! event touches. Where a paper gives an equation, the code is that equation.
//!
//! - [`mod@traces`]: ρ(i), the global traces of an interaction, up to a length;
//! - [`observe`]: what is seen of a global trace on the components of a partition;
//! - [`mod@member`]: the four questions about an interaction and a multi-trace, by looking at every
//!   trace that can matter, and the bound that says which can;
//! - [`marked`]: the same questions a second way, on traces that carry along which of their
//!   events are observed; it gives up later, and must agree;
//! - [`local`]: the other semantics, on tuples of local traces, in which causality between
//!   lifelines is forgotten;
//! - [`ctl`]: what formulas mean over the cuts of a partial order.
//!
//! Whatever grows too large is given up as `None`, never guessed.

pub mod ctl;
pub mod local;
pub mod marked;
pub mod member;
pub mod observe;
pub mod traces;

use std::collections::{BTreeMap, BTreeSet};

use otus_core::{Pool, TermId};

pub use member::{Members, Question, Window, member};
pub use observe::{Moment, Observation};
pub use traces::{Trace, Traces, traces};

/// A value for a term from the values of its operands, for every part of it once. Operands come
/// before terms, because their numbers are smaller: a term of any depth needs no stack.
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

/// A set that counts what is put into it, and says when it was too much. Repetitions count, so
/// that a budget bounds time as well as memory.
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
/// `step` is T ⋄ _ for a T without its unit, which would add nothing: unit ⋄ x = {x}. As ⋄
/// distributes over unions, only what is new in T⋄(j−1) can give anything new in T⋄j; the
/// closure is reached when nothing is, which `step` must see to by its own bound.
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
