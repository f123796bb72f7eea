//! Sessions with choices, as the number of sessions in each residual of the body: class 1 of [`sessions`](super).

use otus_core::index::Index as _;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::alphabet::Alphabet;
use super::super::store::{ExprId, LeafId, SetId, Store};
use super::bag::{Effects, Exclusion, Unobserved};
use super::trail::Fired;

/// The maximum number of shapes of a session.
const MANY: usize = 256;

/// The shapes that sessions can have, and the number of sessions with each shape.
#[derive(Debug, Clone)]
pub(super) struct Shapes {
    all: Vec<Shape>,
    /// For each leaf: the shapes in which it can happen, those with the smallest residuals first.
    moves: Vec<SmallVec<[Move; 2]>>,
    /// Whether each leaf can happen in one shape, and leaves of one shape share a component.
    forced: bool,
    /// Whether every shape in which something can happen has at most one predecessor.
    tree: bool,
}

#[derive(Debug, Clone)]
struct Shape {
    expr: ExprId,
    /// The number of sessions with this shape.
    count: u64,
    /// Whether the shape is the body of a loop, so that another session with this shape can always
    /// begin.
    endless: bool,
    /// Whether any number of sessions may have reached this shape before observation started.
    stocked: bool,
    /// The last event of a session that reached this shape before observation started.
    way: Option<Move>,
    next: Vec<LeafId>,
    previous: SmallVec<[(u32, LeafId); 1]>,
}

/// A step of a session.
#[derive(Debug, Clone, Copy)]
struct Move {
    from: u32,
    to: u32,
    leaf: LeafId,
}

impl Shapes {
    /// The shapes of sessions with these bodies; `None` if there are many.
    pub(super) fn new(
        store: &mut Store,
        alphabet: &Alphabet,
        bodies: &[ExprId],
        sessions: &[(ExprId, u64)],
    ) -> Option<Shapes> {
        let moves = vec![SmallVec::new(); store.leaves.items.len()];
        let mut found = Shapes { all: Vec::new(), moves, forced: true, tree: true };
        let mut numbers: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut leaves: Vec<LeafId> = alphabet.on.iter().flatten().copied().collect();
        leaves.sort_unstable();
        leaves.dedup();
        for &body in bodies {
            let at = found.number(&mut numbers, body)?;
            found.all[at as usize].endless = true;
        }
        for &(session, count) in sessions {
            let at = found.number(&mut numbers, session)?;
            found.all[at as usize].count = count;
        }
        let mut from = 0;
        while let Some(shape) = found.all.get(from) {
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
                found.moves[leaf.index()].push(Move { from: number, to, leaf });
                found.all[from].next.push(leaf);
                found.all[to as usize].previous.push((number, leaf));
            }
            from += 1;
        }
        // A session that has returned to its initial shape cannot be distinguished from a new one, so the result
        // must not depend on that.
        let is_plain = |shape: &Shape| {
            !shape.endless
                || store.nullable(shape.expr)
                || (shape.count == 0 && shape.previous.is_empty())
        };
        if !found.all.iter().all(is_plain) {
            return None;
        }
        found.examine(store);
        Some(found)
    }

    fn number(&mut self, numbers: &mut FxHashMap<ExprId, u32>, expr: ExprId) -> Option<u32> {
        let next = u32::try_from(self.all.len()).ok()?;
        let number = *numbers.entry(expr).or_insert(next);
        if number == next {
            if self.all.len() == MANY {
                return None;
            }
            let (next, previous) = (Vec::new(), SmallVec::new());
            let (endless, stocked) = (false, false);
            let way = None;
            self.all.push(Shape { expr, count: 0, endless, stocked, way, next, previous });
        }
        Some(number)
    }

    /// Sorts moves, and finds out whether they are forced.
    fn examine(&mut self, store: &Store) {
        let shapes = &self.all;
        for moves in &mut self.moves {
            moves.sort_by_key(|one| {
                let from = &shapes[one.from as usize];
                (from.endless, store.size(from.expr), one.from)
            });
            self.forced &= moves.len() <= 1;
        }
        let meet = |a: &LeafId, b: &LeafId| {
            let (a, b) = (&store.leaf(*a).parts, &store.leaf(*b).parts);
            a.iter().any(|(component, _)| b.iter().any(|(other, _)| component == other))
        };
        for shape in &self.all {
            let pairs = |(at, a): (usize, &LeafId)| shape.next[at + 1..].iter().all(|b| meet(a, b));
            self.forced &= shape.endless || shape.next.iter().enumerate().all(pairs);
            // Firing on demand never brings a session to a shape in which nothing can happen.
            self.tree &= shape.previous.len() <= 1 || shape.next.is_empty();
        }
    }

    pub(super) fn is_forced(&self, unobserved: bool) -> bool {
        self.forced && (self.tree || !unobserved)
    }

    pub(super) fn leaves(&self) -> Vec<LeafId> {
        let leaves = (0..self.moves.len()).filter(|&leaf| !self.moves[leaf].is_empty());
        leaves.map(LeafId::new).collect()
    }

    pub(super) fn stock(&mut self, store: &Store, unobserved: Unobserved<'_>) {
        let mut pending: Vec<usize> =
            (0..self.all.len()).filter(|&at| self.all[at].endless).collect();
        while let Some(number) = pending.pop() {
            let leaves = self.all[number].next.iter().filter(|&&leaf| unobserved(store, leaf));
            let ways = leaves.flat_map(|leaf| &self.moves[leaf.index()]);
            let ways: Vec<Move> = ways.filter(|way| way.from as usize == number).copied().collect();
            for way in ways {
                let to = &mut self.all[way.to as usize];
                if !to.endless && !std::mem::replace(&mut to.stocked, true) {
                    to.way = Some(way);
                    pending.push(way.to as usize);
                }
            }
        }
    }

    #[inline]
    pub(super) fn fire(
        &mut self,
        store: &Store,
        leaf: LeafId,
        unobserved: Unobserved<'_>,
        effects: &mut Effects,
    ) -> bool {
        let Some(moves) = self.moves.get(leaf.index()) else { return false };
        let ready = moves.iter().find(|one| self.has(one.from)).copied();
        if let Some(ready) = ready {
            self.take(ready, true, effects);
            return true;
        }
        for one in moves.clone() {
            if self.supply(store, one.from, unobserved, effects) {
                self.take(one, true, effects);
                return true;
            }
        }
        false
    }

    #[inline]
    fn has(&self, shape: u32) -> bool {
        let shape = &self.all[shape as usize];
        shape.count > 0 || shape.endless || shape.stocked
    }

    #[inline]
    fn take(&mut self, one: Move, observed: bool, effects: &mut Effects) {
        if effects.trail.is_some() {
            self.note(one, observed, effects);
        }
        let from = &mut self.all[one.from as usize];
        // Only sessions in flight are counted: the body of a loop needs none, and the stock is used
        // only if there is none.
        from.count = from.count.saturating_sub(1);
        let to = &mut self.all[one.to as usize];
        if !to.endless {
            to.count += 1;
            if to.count == 1 {
                effects.woken.extend_from_slice(&to.next);
            }
        }
    }

    /// Records a move in the trail.
    #[cold]
    fn note(&self, one: Move, observed: bool, effects: &mut Effects) {
        let Some(trail) = &mut effects.trail else { return };
        let session = trail.shape(one.from).pop_front().unwrap_or_else(|| {
            let session = trail.begin();
            // A session of the stock has come here by unobserved events.
            let mut before = Vec::new();
            let mut way = self.all[one.from as usize].way;
            while let Some(last) = way {
                let session = Some(session);
                before.push(Fired { leaf: last.leaf, session, observed: false });
                way = self.all[last.from as usize].way;
            }
            trail.stocked.extend(before.into_iter().rev());
            session
        });
        trail.add(one.leaf, Some(session), observed);
        if !self.all[one.to as usize].endless {
            trail.shape(one.to).push_back(session);
        }
    }

    /// Brings a session to a shape by unobserved events, as few as possible; returns whether that is possible.
    fn supply(
        &mut self,
        store: &Store,
        goal: u32,
        unobserved: Unobserved<'_>,
        effects: &mut Effects,
    ) -> bool {
        // For each shape: the event that follows it on the way to the goal.
        let mut ways: FxHashMap<u32, Option<Move>> = FxHashMap::default();
        ways.insert(goal, None);
        let mut pending = vec![goal];
        let mut next = 0;
        while let Some(&to) = pending.get(next) {
            next += 1;
            if self.has(to) {
                let mut at = to;
                while let Some(one) = ways[&at] {
                    self.take(one, false, effects);
                    at = one.to;
                }
                return true;
            }
            for &(from, leaf) in &self.all[to as usize].previous {
                if !ways.contains_key(&from) && unobserved(store, leaf) {
                    ways.insert(from, Some(Move { from, to, leaf }));
                    pending.push(from);
                }
            }
        }
        false
    }

    pub(super) fn exclude(&mut self, store: &mut Store, lifelines: SetId) -> Exclusion {
        for shape in &self.all {
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
        for shape in &mut self.all {
            let stays = store.prune(shape.expr, lifelines) == shape.expr;
            shape.endless &= stays;
            shape.stocked &= stays;
        }
        Exclusion::Done
    }

    pub(super) fn can_end(&self, store: &mut Store, lifelines: SetId) -> bool {
        let mut left = self.all.iter().filter(|shape| shape.count > 0 && !shape.endless);
        left.all(|shape| store.prune(shape.expr, lifelines) != Store::NEVER)
    }
}
