//! Sessions with choices, as the number of sessions in each residual of the body: class 1 of [`sessions`](super).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::alphabet::Alphabet;
use super::super::store::{ExprId, LeafId, SetId, Store};
use super::bag::{Exclusion, Unobserved};

/// The most shapes of a session.
const MANY: usize = 256;

/// The shapes that sessions can have, and how many have each.
#[derive(Debug)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// By leaf: the shapes that it can happen in, those with the least left first.
    moves: FxHashMap<LeafId, SmallVec<[Move; 2]>>,
    /// Whether each leaf can happen in one shape, and leaves of one shape share a component.
    forced: bool,
    /// Whether every shape has at most one predecessor.
    tree: bool,
}

#[derive(Debug)]
struct Shape {
    expr: ExprId,
    /// The number of sessions.
    count: u64,
    /// Whether it is the body of a loop, so that there are always enough.
    endless: bool,
    next: Vec<LeafId>,
    previous: SmallVec<[(u32, LeafId); 1]>,
}

/// A step of a session.
#[derive(Debug, Clone, Copy)]
struct Move {
    from: u32,
    to: u32,
}

impl Shapes {
    /// The shapes of sessions with these bodies; `None` if there are many.
    pub(super) fn new(
        store: &mut Store,
        alphabet: &Alphabet,
        bodies: &[ExprId],
        sessions: &[(ExprId, u64)],
    ) -> Option<Shapes> {
        let mut found =
            Shapes { shapes: Vec::new(), moves: FxHashMap::default(), forced: true, tree: true };
        let mut numbers: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut leaves: Vec<LeafId> = alphabet.on.iter().flatten().copied().collect();
        leaves.sort_unstable();
        leaves.dedup();
        for &body in bodies {
            let at = found.number(&mut numbers, body)?;
            found.shapes[at as usize].endless = true;
        }
        for &(session, count) in sessions {
            let at = found.number(&mut numbers, session)?;
            found.shapes[at as usize].count = count;
        }
        let mut from = 0;
        while let Some(shape) = found.shapes.get(from) {
            let expr = shape.expr;
            for &leaf in &leaves {
                let next = store.step(expr, leaf);
                if store.is_spent() {
                    return None;
                }
                if next == Store::NEVER {
                    continue;
                }
                let to = found.number(&mut numbers, next)?;
                let number = u32::try_from(from).ok()?;
                found.moves.entry(leaf).or_default().push(Move { from: number, to });
                found.shapes[from].next.push(leaf);
                found.shapes[to as usize].previous.push((number, leaf));
            }
            from += 1;
        }
        // Sessions that are back at the beginning are not told apart from new ones, so nothing may depend on them.
        let is_plain = |shape: &Shape| {
            !shape.endless
                || store.nullable(shape.expr)
                || (shape.count == 0 && shape.previous.is_empty())
        };
        if !found.shapes.iter().all(is_plain) {
            return None;
        }
        found.examine(store);
        Some(found)
    }

    fn number(&mut self, numbers: &mut FxHashMap<ExprId, u32>, expr: ExprId) -> Option<u32> {
        let next = u32::try_from(self.shapes.len()).ok()?;
        let number = *numbers.entry(expr).or_insert(next);
        if number == next {
            if self.shapes.len() == MANY {
                return None;
            }
            let (next, previous) = (Vec::new(), SmallVec::new());
            self.shapes.push(Shape { expr, count: 0, endless: false, next, previous });
        }
        Some(number)
    }

    /// Sorts moves, and finds out whether they are forced.
    fn examine(&mut self, store: &Store) {
        let shapes = &self.shapes;
        for moves in self.moves.values_mut() {
            moves.sort_by_key(|one| {
                let from = &shapes[one.from as usize];
                (from.endless, store.size(from.expr), one.from)
            });
            self.forced &= moves.len() == 1;
        }
        let meet = |a: &LeafId, b: &LeafId| {
            let (a, b) = (&store.leaf(*a).parts, &store.leaf(*b).parts);
            a.iter().any(|(component, _)| b.iter().any(|(other, _)| component == other))
        };
        for shape in &self.shapes {
            let pairs = |(at, a): (usize, &LeafId)| shape.next[at + 1..].iter().all(|b| meet(a, b));
            self.forced &= shape.endless || shape.next.iter().enumerate().all(pairs);
            self.tree &= shape.previous.len() <= 1;
        }
    }

    pub(super) fn is_forced(&self, unobserved: bool) -> bool {
        self.forced && (self.tree || !unobserved)
    }

    pub(super) fn leaves(&self) -> Vec<LeafId> {
        self.moves.keys().copied().collect()
    }

    #[inline]
    pub(super) fn fire(
        &mut self,
        store: &Store,
        leaf: LeafId,
        unobserved: Unobserved<'_>,
        woken: &mut Vec<LeafId>,
    ) -> bool {
        let Some(moves) = self.moves.get(&leaf) else { return false };
        let ready = moves.iter().find(|one| self.has(one.from)).copied();
        if let Some(ready) = ready {
            self.take(ready, woken);
            return true;
        }
        for one in moves.clone() {
            if self.supply(store, one.from, unobserved, woken) {
                self.take(one, woken);
                return true;
            }
        }
        false
    }

    #[inline]
    fn has(&self, shape: u32) -> bool {
        let shape = &self.shapes[shape as usize];
        shape.endless || shape.count > 0
    }

    #[inline]
    fn take(&mut self, one: Move, woken: &mut Vec<LeafId>) {
        let from = &mut self.shapes[one.from as usize];
        if !from.endless {
            from.count -= 1;
        }
        let to = &mut self.shapes[one.to as usize];
        if !to.endless {
            to.count += 1;
            if to.count == 1 {
                woken.extend_from_slice(&to.next);
            }
        }
    }

    /// Brings a session to a shape by unobserved events, as few as possible; returns whether that is possible.
    fn supply(
        &mut self,
        store: &Store,
        goal: u32,
        unobserved: Unobserved<'_>,
        woken: &mut Vec<LeafId>,
    ) -> bool {
        // By shape: the event after it on the way to the goal.
        let mut ways: FxHashMap<u32, Option<Move>> = FxHashMap::default();
        ways.insert(goal, None);
        let mut pending = vec![goal];
        let mut next = 0;
        while let Some(&to) = pending.get(next) {
            next += 1;
            if self.has(to) {
                let mut at = to;
                while let Some(one) = ways[&at] {
                    self.take(one, woken);
                    at = one.to;
                }
                return true;
            }
            for &(from, leaf) in &self.shapes[to as usize].previous {
                if !ways.contains_key(&from) && unobserved(store, leaf) {
                    ways.insert(from, Some(Move { from, to }));
                    pending.push(from);
                }
            }
        }
        false
    }

    pub(super) fn exclude(&mut self, store: &mut Store, lifelines: SetId) -> Exclusion {
        for shape in &self.shapes {
            let rest = store.prune(shape.expr, lifelines);
            if rest == shape.expr {
                continue;
            }
            if shape.count > 0 && rest == Store::NEVER {
                return Exclusion::Blocked;
            }
            if shape.count > 0 || (shape.endless && rest != Store::NEVER) {
                return Exclusion::Unsupported;
            }
        }
        for shape in &mut self.shapes {
            shape.endless &= store.prune(shape.expr, lifelines) == shape.expr;
        }
        Exclusion::Done
    }

    pub(super) fn can_end(&self, store: &mut Store, lifelines: SetId) -> bool {
        let mut left = self.shapes.iter().filter(|shape| shape.count > 0 && !shape.endless);
        left.all(|shape| store.prune(shape.expr, lifelines) != Store::NEVER)
    }
}
