//! Normal forms: one constructor per operator, which returns the expression of the operator applied
//! to its operands.
//!
//! All laws preserve the traces (D is a conflict relation, see [`Order`]):
//!
//! - *units*: operands ∅ are dropped; a single operand stands for itself;
//! - *restriction*: of D only classes that meet two operands matter, and within these only the
//!   lifelines that occur; if nothing is left, the operands are without conflict;
//! - *flattening*: `sched_D(x, sched_E(y, z)) = sched_F(x, y, z)` if F has the conflicts of D
//!   between x and the others and those of E between y and z;
//! - *independence*: operands that are not connected by conflicts, directly or through others,
//!   become operands of `Par`; neighbours without conflict commute, so they are sorted;
//! - *idempotence*: alternatives are a set; ∅ is dropped beside a nullable alternative;
//!   `loop(alt(∅, x)) = loop(x)`, `loop_D(loop_D(x)) = loop_D(x)`;
//! - *absorption* (switch `absorb`): x is dropped beside y if x ⊑ y ([`include`](super::include));
//!   `loop_D(x)` followed by `loop_D(y)` is `loop_D(y)` if x ⊑ y and they are in conflict as
//!   iterations are, because iterations of x are iterations of y, and zero iterations are allowed.
//!   The same holds in the other order. This keeps expressions of constant size on long traces.
//!
//! *Cost.* Sorting, and comparing neighbours. Flattening stops at [`FLAT`] operands. Absorption
//! compares all pairs of at most [`COMPARED`] alternatives, and is skipped beyond.
//!
//! The laws give equivalent expressions the same number, on which all memo tables rely.

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::{LifelineId, LifelineSet};
use smallvec::SmallVec;

use super::order::Order;
use super::store::{self, Expr, ExprId, ExprRef, Facts, OrderId, Store};

/// The maximum number of operands of a flattened sequence. A step creates a new sequence, so this
/// bounds its cost; longer sequences are trees ([`compile`](super::compile)).
const FLAT: usize = 64;
/// With more alternatives than this, not every pair is compared.
const COMPARED: usize = 24;

/// Operands of an expression under construction; usually few.
type Operands = SmallVec<[ExprId; 16]>;

/// The lifelines in conflict with an operand, as a set of any size or as a 64-bit word.
trait Reach: Clone {
    fn meets(&self, other: &Self) -> bool;
    #[must_use]
    fn with(&self, other: &Self) -> Self;
}

impl Reach for LifelineSet {
    fn meets(&self, other: &Self) -> bool {
        !self.is_disjoint(other)
    }

    fn with(&self, other: &Self) -> Self {
        self.union(other)
    }
}

impl Reach for u64 {
    fn meets(&self, other: &Self) -> bool {
        self & other != 0
    }

    fn with(&self, other: &Self) -> Self {
        self | other
    }
}

impl Store {
    /// The alternative of these expressions.
    pub(crate) fn alt(&mut self, alternatives: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut all = Operands::new();
        for alternative in alternatives {
            if let Expr::Alt(nested) = self.expr(alternative) {
                all.extend_from_slice(nested);
            } else if alternative != Store::NEVER {
                all.push(alternative);
            }
        }
        match all.as_slice() {
            [] => return Store::NEVER,
            [only] => return *only,
            [..] => {}
        }
        all.sort_unstable();
        all.dedup();
        if all[0] == Store::EMPTY && all[1..].iter().any(|&x| self.nullable(x)) {
            all.remove(0);
        }
        if self.absorb && all.len() > 1 && all.len() <= COMPARED {
            self.drop_included(&mut all);
        }
        if let [only] = all.as_slice() {
            return *only;
        }
        if let Some(known) = self.find(ExprRef::Alt(&all)) {
            return known;
        }
        let nullable = all.iter().any(|&x| self.nullable(x));
        let size = self.sum(&all).saturating_add(1);
        let facts = self.facts_of(all.iter().copied(), nullable, size);
        self.intern(Expr::Alt(all.as_slice().into()), facts)
    }

    /// The composition of these operands without conflicts between them, each with its
    /// multiplicity.
    pub(crate) fn par(&mut self, operands: impl IntoIterator<Item = (ExprId, u32)>) -> ExprId {
        let mut all: SmallVec<[(ExprId, u32); 16]> = SmallVec::new();
        for (operand, count) in operands {
            match self.expr(operand) {
                Expr::Never => return Store::NEVER,
                Expr::Empty => {}
                Expr::Par(nested) => all.extend(nested.iter().map(|&(x, n)| (x, n * count))),
                Expr::Leaf(_) | Expr::Alt(_) => all.push((operand, count)),
                Expr::Seq(..) | Expr::Loop(..) | Expr::Suffix(..) => all.push((operand, count)),
            }
        }
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        if self.absorb {
            self.absorb_loops_of_par(&mut all);
        }
        match all.as_slice() {
            [] => return Store::EMPTY,
            [(only, 1)] => return *only,
            [..] => {}
        }
        if let Some(known) = self.find(ExprRef::Par(&all)) {
            return known;
        }
        // A multiplicity above two does not make the expression harder to search.
        let sizes = all.iter().map(|&(x, n)| self.size(x).saturating_mul(n.min(2)));
        let size = sizes.fold(0, u32::saturating_add);
        let nullable = all.iter().all(|&(x, _)| self.nullable(x));
        let facts = self.facts_of(all.iter().map(|&(x, _)| x), nullable, size);
        self.intern(Expr::Par(all.as_slice().into()), facts)
    }

    /// The composition of these operands with conflicts between them.
    pub(crate) fn seq(&mut self, order: OrderId, operands: &[ExprId]) -> ExprId {
        let mut all = Operands::new();
        for &operand in operands {
            match operand {
                Store::NEVER => return Store::NEVER,
                Store::EMPTY => {}
                _ => all.push(operand),
            }
        }
        match all.as_slice() {
            [] => return Store::EMPTY,
            [only] => return *only,
            [..] => {}
        }
        if let Some(singles) = self.order_words[order.index()] {
            return self.plain_seq(singles, all);
        }
        let order = self.between(&self.orders.items[order], &all);
        self.wide_seq(order, all)
    }

    /// [`Store::seq`] for any conflict relation, which is restricted to the operands.
    fn wide_seq(&mut self, order: Order, operands: Operands) -> ExprId {
        let (mut order, mut all) = (order, operands);
        let mut at = 0;
        while at < all.len() {
            // Inlined operands may have operands to inline.
            if !self.inline(&mut order, &mut all, at) {
                at += 1;
            }
        }
        if order.is_none() {
            return self.par(all.into_iter().map(|x| (x, 1)));
        }
        let reach: SmallVec<[LifelineSet; 16]> =
            all.iter().map(|&x| order.conflicts(self.lifelines(x))).collect();
        let groups = groups(&reach);
        if groups.len() == 1 {
            // All operands are connected, so the whole order matters.
            let order = self.intern_order(order);
            return self.connected(order, &all, &reach);
        }
        self.grouped(&groups, &all, &reach, |store, group, _| {
            let order = store.between(&order, group);
            store.intern_order(order)
        })
    }

    /// [`Store::seq`] for the most common case: each lifeline is in conflict only with itself, and
    /// all fit in a word.
    fn plain_seq(&mut self, singles: u64, operands: Operands) -> ExprId {
        let (mut singles, mut all) = (singles, operands);
        let mut words: SmallVec<[u64; 16]> = all.iter().map(|&x| self.facts[x].word).collect();
        singles &= in_several(&words);
        let mut at = 0;
        while at < all.len() {
            match self.inline_plain(&mut singles, &mut all, &mut words, at) {
                Some(true) => {}
                Some(false) => at += 1,
                None => {
                    let order = self.diagonal(singles);
                    let order = Order::clone(&self.orders.items[order]);
                    return self.wide_seq(order, all);
                }
            }
        }
        if singles == 0 {
            return self.par(all.into_iter().map(|x| (x, 1)));
        }
        for word in &mut words {
            *word &= singles;
        }
        let reach = words;
        let groups = groups(&reach);
        if groups.len() == 1 {
            let order = self.diagonal(singles);
            return self.connected(order, &all, &reach);
        }
        self.grouped(&groups, &all, &reach, |store, _, reach| {
            store.diagonal(singles & in_several(reach))
        })
    }

    /// The composition of groups of operands, which are in conflict only inside a group. `order` is
    /// the order of a group, given its operands and what they are in conflict with.
    fn grouped<R: Reach>(
        &mut self,
        groups: &[u64],
        all: &[ExprId],
        reach: &[R],
        order: impl Fn(&mut Store, &[ExprId], &[R]) -> OrderId,
    ) -> ExprId {
        let mut parts: SmallVec<[(ExprId, u32); 8]> = SmallVec::new();
        for &members in groups {
            let group: Operands = bits(members).map(|i| all[i]).collect();
            if let [only] = group.as_slice() {
                parts.push((*only, 1));
                continue;
            }
            let reach: SmallVec<[R; 16]> = bits(members).map(|i| reach[i].clone()).collect();
            let order = order(self, &group, &reach);
            parts.push((self.connected(order, &group, &reach), 1));
        }
        self.par(parts)
    }

    /// The order in which each lifeline of a word is in conflict only with itself.
    fn diagonal(&mut self, singles: u64) -> OrderId {
        if let Some(&known) = self.diagonals.get(&singles) {
            return known;
        }
        let lifelines = bits(singles).map(LifelineId::new).collect();
        let order = self.intern_order(Order::diagonal(lifelines));
        self.diagonals.insert(singles, order);
        order
    }

    /// [`Store::inline`] for [`Store::plain_seq`]; `None` if the operand has another kind of order.
    fn inline_plain(
        &self,
        singles: &mut u64,
        all: &mut Operands,
        words: &mut SmallVec<[u64; 16]>,
        at: usize,
    ) -> Option<bool> {
        let Some((inner, nested)) = self.nested(all, at) else { return Some(false) };
        let inner = inner.map_or(Some(0), |order| self.order_words[order.index()])?;
        let joined = *singles | inner;
        let inside: SmallVec<[u64; 16]> = nested.iter().map(|&x| self.facts[x].word).collect();
        if joined & in_several(words) != *singles || joined & in_several(&inside) != inner {
            return Some(false);
        }
        all.remove(at);
        all.insert_from_slice(at, &nested);
        words.remove(at);
        words.insert_from_slice(at, &inside);
        *singles = joined;
        Some(true)
    }

    /// The loop with this body and these conflicts between iterations.
    pub(crate) fn repeat(&mut self, order: OrderId, body: ExprId) -> ExprId {
        let mut body = body;
        let full = self.order(order);
        if let Expr::Alt(alternatives) = self.expr(body) {
            // ∅ adds nothing, and an iteration of an inner loop of the same kind is an iteration of
            // this loop.
            let plain: Operands = alternatives
                .iter()
                .filter(|&&x| x != Store::EMPTY)
                .map(|&x| self.unrepeated(&full, x))
                .collect();
            body = self.alt(plain);
        }
        body = self.unrepeated(&full, body);
        if body == Store::EMPTY || body == Store::NEVER {
            return Store::EMPTY;
        }
        let lifelines = self.lifelines(body).clone();
        let order = self.intern_order(full.within(&lifelines));
        let word = self.facts[body].word;
        let size = self.size(body).saturating_add(1);
        let facts = Facts { lifelines, word, nullable: true, size };
        self.intern(Expr::Loop(order, body), facts)
    }

    pub(crate) fn intern_order(&mut self, order: Order) -> OrderId {
        match self.orders.find_as(&order, |known| **known == order) {
            Some(known) => known,
            None => {
                let word = order.as_diagonal().filter(|_| self.narrow).map(store::word);
                self.order_words.push(word);
                self.orders.intern(Arc::new(order))
            }
        }
    }

    /// The body of a loop with this order, or the expression itself if it is none.
    fn unrepeated(&self, order: &Order, expr: ExprId) -> ExprId {
        let Expr::Loop(own, body) = *self.expr(expr) else { return expr };
        if *self.orders.items[own] == order.within(self.lifelines(body)) { body } else { expr }
    }

    /// The part of an order that matters between operands.
    pub(super) fn between(&self, order: &Order, operands: &[ExprId]) -> Order {
        order.between(operands.iter().map(|&x| self.lifelines(x)))
    }

    /// Replaces the operand at an index by its own operands, if that preserves all conflicts;
    /// returns whether it did.
    fn inline(&self, order: &mut Order, all: &mut Operands, at: usize) -> bool {
        let Some((inner, nested)) = self.nested(all, at) else { return false };
        let none = Order::default();
        let inner = inner.map_or(&none, |order| &*self.orders.items[order]);
        let joined = order.join(inner);
        if self.between(&joined, all) != *order || self.between(&joined, &nested) != *inner {
            return false;
        }
        all.remove(at);
        all.insert_from_slice(at, &nested);
        *order = joined;
        true
    }

    /// The operands of the operand at an index, and their order, unless they are without conflicts.
    /// `None` if it has no operands to inline, or there is no room for them.
    #[inline]
    fn nested(&self, all: &Operands, at: usize) -> Option<(Option<OrderId>, Operands)> {
        let room = FLAT.saturating_sub(all.len());
        if let Expr::Seq(order, operands) = self.expr(all[at]) {
            return (operands.len() <= room).then(|| (Some(*order), operands[..].into()));
        }
        let Expr::Par(operands) = self.expr(all[at]) else { return None };
        let counts = operands.iter().map(|&(_, n)| n as usize);
        if counts.fold(0, usize::saturating_add) > room {
            return None;
        }
        let copies = operands.iter().flat_map(|&(x, n)| std::iter::repeat_n(x, n as usize));
        Some((None, copies.collect()))
    }

    /// A sequence whose operands are all connected, with an order restricted to what matters.
    fn connected(&mut self, order: OrderId, operands: &[ExprId], reach: &[impl Reach]) -> ExprId {
        if let [only] = operands {
            return *only;
        }
        let all = sorted(operands, reach);
        let is_loop = |&&x: &&ExprId| matches!(self.expr(x), Expr::Loop(..));
        if self.absorb && all.iter().filter(is_loop).nth(1).is_some() {
            let conflicts = self.order(order);
            if let Some(fewer) = self.absorbed(&conflicts, &all) {
                return self.seq(order, &fewer);
            }
        }
        if let Some(known) = self.find(ExprRef::Seq(order, &all)) {
            return known;
        }
        let nullable = all.iter().all(|&x| self.nullable(x));
        let facts = self.facts_of(all.iter().copied(), nullable, self.sum(&all));
        self.intern(Expr::Seq(order, all.as_slice().into()), facts)
    }

    /// The operands without a loop that another loop covers, if there is such a loop.
    fn absorbed(&mut self, order: &Order, all: &[ExprId]) -> Option<Operands> {
        let is_loop = |&i: &usize| matches!(self.expr(all[i]), Expr::Loop(..));
        let loops: SmallVec<[usize; 16]> = (0..all.len()).filter(is_loop).collect();
        for (n, &i) in loops.iter().enumerate() {
            for &j in &loops[n + 1..] {
                let (xs, ys) = (self.lifelines(all[i]), self.lifelines(all[j]));
                if !xs.is_subset(ys) && !ys.is_subset(xs) {
                    continue;
                }
                // One of the two loops must commute with everything between them.
                let apart = |x: usize, k: usize| {
                    !order.relates(self.lifelines(all[x]), self.lifelines(all[k]))
                };
                let first_moves = (i + 1..j).all(|k| apart(i, k));
                let second_moves = (i + 1..j).all(|k| apart(j, k));
                if !first_moves && !second_moves {
                    continue;
                }
                // The remaining loop moves to the index at which both loops can stand.
                let kept = if self.covers(order, all[i], all[j]) {
                    all[j]
                } else if self.covers(order, all[j], all[i]) {
                    all[i]
                } else {
                    continue;
                };
                let mut fewer = Operands::from_slice(all);
                let (place, gone) = if first_moves { (j, i) } else { (i, j) };
                fewer[place] = kept;
                fewer.remove(gone);
                return Some(fewer);
            }
        }
        None
    }

    fn absorb_loops_of_par(&mut self, all: &mut SmallVec<[(ExprId, u32); 16]>) {
        let none = Order::default();
        let mut i = 0;
        while i < all.len() {
            let (own, count) = all[i];
            if matches!(self.expr(own), Expr::Loop(..)) {
                if count > 1 && self.covers(&none, own, own) {
                    all[i].1 = 1;
                }
                if all.iter().any(|&(x, _)| x != own && self.covers(&none, own, x)) {
                    all.remove(i);
                    continue;
                }
            }
            i += 1;
        }
    }

    /// Whether a loop adds no traces beside a larger loop, given these conflicts between the two.
    fn covers(&mut self, order: &Order, small: ExprId, large: ExprId) -> bool {
        let (&Expr::Loop(small_order, x), &Expr::Loop(large_order, y)) =
            (self.expr(small), self.expr(large))
        else {
            return false;
        };
        let (xs, ys) = (self.lifelines(x), self.lifelines(y));
        let large_order = &self.orders.items[large_order];
        xs.is_subset(ys)
            && large_order.within(xs) == *self.orders.items[small_order]
            && large_order.between([xs, ys].into_iter()) == order.between([xs, ys].into_iter())
            && self.includes(x, y)
    }

    fn drop_included(&mut self, all: &mut Operands) {
        let mut i = 0;
        while i < all.len() {
            let own = all[i];
            if (0..all.len()).any(|j| j != i && self.includes(own, all[j])) {
                all.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// The same operator over its operands, each mapped by a function. A composition is `NEVER` as
    /// soon as one operand has no trace.
    pub(super) fn map(
        &mut self,
        expr: ExprId,
        mut map: impl FnMut(&mut Store, ExprId) -> ExprId,
    ) -> ExprId {
        let mut some = |store: &mut Store, x| Some(map(store, x)).filter(|&x| x != Store::NEVER);
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty | Expr::Leaf(_) => expr,
            Expr::Alt(operands) => {
                let all: Vec<ExprId> = operands.iter().filter_map(|&x| some(self, x)).collect();
                if *all == *operands { expr } else { self.alt(all) }
            }
            Expr::Par(operands) => {
                let all = operands.iter().map(|&(x, n)| Some((some(self, x)?, n)));
                let all: Option<Vec<(ExprId, u32)>> = all.collect();
                match all {
                    None => Store::NEVER,
                    Some(all) if *all == *operands => expr,
                    Some(all) => self.par(all),
                }
            }
            Expr::Seq(order, operands) => {
                let all: Option<Vec<ExprId>> = operands.iter().map(|&x| some(self, x)).collect();
                match all {
                    None => Store::NEVER,
                    Some(all) if *all == *operands => expr,
                    Some(all) => self.seq(order, &all),
                }
            }
            Expr::Loop(order, body) => {
                let left = map(self, body);
                if left == body { expr } else { self.repeat(order, left) }
            }
            Expr::Suffix(skipped, inner) => {
                let inner = map(self, inner);
                self.suffix(skipped, inner)
            }
        }
    }

    /// The facts about an expression with these operands.
    fn facts_of(&self, operands: impl Iterator<Item = ExprId>, nullable: bool, size: u32) -> Facts {
        let (mut lifelines, mut word) = (LifelineSet::EMPTY, 0);
        for operand in operands {
            lifelines = lifelines.union(self.lifelines(operand));
            word |= self.facts[operand].word;
        }
        Facts { lifelines, word, nullable, size }
    }

    fn sum(&self, exprs: &[ExprId]) -> u32 {
        exprs.iter().map(|&x| self.size(x)).fold(0, u32::saturating_add)
    }
}

/// The groups of operands that are connected by conflicts, each as a bit set, from the lifelines in
/// conflict with each operand.
fn groups<R: Reach>(reach: &[R]) -> SmallVec<[u64; 8]> {
    if reach.len() > FLAT {
        return SmallVec::from_elem(0, 1);
    }
    let mut groups: SmallVec<[(R, u64); 8]> = SmallVec::new();
    for (i, own) in reach.iter().enumerate() {
        let (mut whole, mut members) = (own.clone(), 1 << i);
        groups.retain(|(known, others)| {
            let together = known.meets(&whole);
            if together {
                whole = whole.with(known);
                members |= *others;
            }
            !together
        });
        groups.push((whole, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// The least order of operands that is reachable by swapping neighbours without conflict.
fn sorted(all: &[ExprId], reach: &[impl Reach]) -> Operands {
    // Most operands are sorted already.
    if all.len() > FLAT || all.is_sorted() {
        return all.into();
    }
    // For each operand: the earlier operands in conflict with it, as a bit set.
    let mut waits: SmallVec<[u64; 16]> = SmallVec::new();
    for (i, own) in reach.iter().enumerate() {
        let conflicts = reach[..i].iter().enumerate().filter(|(_, other)| own.meets(other));
        waits.push(conflicts.fold(0, |all, (j, _)| all | 1 << j));
    }
    let mut left: u64 = u64::MAX >> (64 - all.len());
    let mut sorted = Operands::new();
    while let Some(next) = bits(left).filter(|&i| waits[i] & left == 0).min_by_key(|&i| all[i]) {
        sorted.push(all[next]);
        left &= !(1 << next);
    }
    sorted
}

/// The bits that are set in at least two words.
fn in_several(words: &[u64]) -> u64 {
    let (mut once, mut twice) = (0, 0);
    for word in words {
        twice |= once & word;
        once |= word;
    }
    twice
}

/// The indexes of the set bits.
pub(super) fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let place = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (place < u64::BITS).then_some(place as usize)
    })
}
