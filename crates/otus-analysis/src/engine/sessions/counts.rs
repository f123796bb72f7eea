//! Sessions without choices, as the number of times that each event has happened: class 2 of [`sessions`](super).

use otus_core::index::Index as _;
use smallvec::SmallVec;

use super::super::store::{Expr, ExprId, LeafId, SetId, Store};
use super::bag::{Effects, Exclusion, Unobserved};

/// The maximum number of events of a session.
const MANY: usize = 64;

/// How often each event of the bodies has happened.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    events: Vec<Event>,
    by_leaf: Vec<Option<u32>>,
    /// The sessions of each body.
    kinds: Vec<Kind>,
}

/// The sessions of one body.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    /// The number of sessions that have begun.
    begun: u64,
    /// Whether no more sessions may begin.
    closed: bool,
}

#[derive(Debug, Clone)]
struct Event {
    leaf: LeafId,
    kind: usize,
    count: u64,
    /// The events that happen right before it in each session, and those right after it.
    before: SmallVec<[usize; 4]>,
    after: SmallVec<[usize; 4]>,
}

impl Counts {
    /// The counts of sessions with these bodies. Each alternative of a body must have no choices and no event twice,
    /// because `loopP(alt(x, y))` is split into `par(loopP(x), loopP(y))`. `None` if this does not hold, or if the
    /// sessions in flight cannot be served first come, first served: of two sessions of one kind, one must have done
    /// every event that the other has done.
    pub(super) fn new(
        store: &mut Store,
        bodies: &[ExprId],
        sessions: &[(ExprId, u64)],
    ) -> Option<Counts> {
        let kinds: Vec<ExprId> =
            bodies.iter().flat_map(|&body| alternatives(store, body)).collect();
        let none = vec![Kind::default(); kinds.len()];
        let by_leaf = vec![None; store.leaves.items.len()];
        let mut counts = Counts { events: Vec::new(), by_leaf, kinds: none };
        for (kind, &body) in kinds.iter().enumerate() {
            counts.add(store, kind, body)?;
        }
        counts.resume(store, sessions)?;
        Some(counts)
    }

    /// Adds the events of a body.
    fn add(&mut self, store: &mut Store, kind: usize, body: ExprId) -> Option<()> {
        let leaves = distinct_leaves(store, body)?;
        let first = self.events.len();
        for &leaf in &leaves {
            let number = u32::try_from(self.events.len()).ok()?;
            if self.by_leaf[leaf.index()].replace(number).is_some() {
                return None;
            }
            let (before, after) = (SmallVec::new(), SmallVec::new());
            self.events.push(Event { leaf, kind, count: 0, before, after });
        }
        let count = leaves.len();
        // For each pair of events: whether the first happens before the second.
        let mut precedes = vec![false; count * count];
        for (at, &leaf) in leaves.iter().enumerate() {
            let reached = all_without(store, body, &leaves, leaf);
            if store.is_spent() {
                return None;
            }
            for (other, later) in leaves.iter().enumerate() {
                precedes[at * count + other] = other != at && !reached.contains(later);
            }
        }
        for at in 0..count {
            for other in (0..count).filter(|other| precedes[at * count + other]) {
                let between = |x: usize| precedes[at * count + x] && precedes[x * count + other];
                if !(0..count).any(between) {
                    self.events[first + at].after.push(first + other);
                    self.events[first + other].before.push(first + at);
                }
            }
        }
        Some(())
    }

    fn event_of(&self, leaf: LeafId) -> Option<usize> {
        Some(self.by_leaf.get(leaf.index()).copied().flatten()? as usize)
    }

    /// Counts the events of sessions in flight.
    fn resume(&mut self, store: &Store, sessions: &[(ExprId, u64)]) -> Option<()> {
        let mut all = sessions.to_vec();
        all.sort_by_key(|&(session, _)| store.size(session));
        // For each kind: the events that the session before has done.
        let mut further: Vec<Option<Vec<bool>>> = vec![None; self.kinds.len()];
        for (session, count) in all {
            let own = distinct_leaves(store, session)?;
            let kind = self.events[self.event_of(*own.first()?)?].kind;
            let is_own = |&x| self.event_of(x).is_some_and(|x| self.events[x].kind == kind);
            if !own.iter().all(is_own) {
                return None;
            }
            let is_done = |event: &Event| event.kind == kind && !own.contains(&event.leaf);
            let done: Vec<bool> = self.events.iter().map(is_done).collect();
            let nested = further[kind]
                .as_ref()
                .is_none_or(|further| done.iter().zip(further).all(|(own, other)| *other || !own));
            let closed = self.events.iter().zip(&done).all(|(event, is_done)| {
                !is_done || event.before.iter().all(|&before| done[before])
            });
            if !nested || !closed {
                return None;
            }
            for (event, _) in self.events.iter_mut().zip(&done).filter(|(_, done)| **done) {
                event.count += count;
            }
            self.kinds[kind].begun += count;
            further[kind] = Some(done);
        }
        Some(())
    }

    pub(super) fn leaves(&self) -> Vec<LeafId> {
        self.events.iter().map(|event| event.leaf).collect()
    }

    pub(super) fn fire(
        &mut self,
        store: &Store,
        leaf: LeafId,
        unobserved: Unobserved<'_>,
        effects: &mut Effects,
    ) -> bool {
        let Some(at) = self.event_of(leaf) else { return false };
        self.fire_event(store, at, unobserved, effects, true)
    }

    fn fire_event(
        &mut self,
        store: &Store,
        at: usize,
        unobserved: Unobserved<'_>,
        effects: &mut Effects,
        observed: bool,
    ) -> bool {
        let count = self.events[at].count;
        let kind = self.events[at].kind;
        if self.kinds[kind].closed && count == self.kinds[kind].begun {
            return false;
        }
        for k in 0..self.events[at].before.len() {
            let before = self.events[at].before[k];
            // An event has happened at most as often as the events before it, so it is enough that
            // each of these has happened once more.
            if self.events[before].count <= count
                && !(unobserved(store, self.events[before].leaf)
                    && self.fire_event(store, before, unobserved, effects, false))
            {
                return false;
            }
        }
        self.events[at].count += 1;
        if let Some(trail) = &mut effects.trail {
            let session = trail.of_kind(kind, count);
            trail.add(self.events[at].leaf, Some(session), observed);
        }
        self.kinds[kind].begun = self.kinds[kind].begun.max(count + 1);
        for &after in &self.events[at].after {
            let after = &self.events[after];
            // If `after` has happened less often than this event, it was not waiting for this
            // event.
            if after.count == count {
                effects.woken.push(after.leaf);
            }
        }
        true
    }

    pub(super) fn exclude(&mut self, store: &Store, lifelines: SetId) -> Exclusion {
        if !self.can_end(store, lifelines) {
            return Exclusion::Blocked;
        }
        for event in self.events.iter().filter(|event| is_on(store, event.leaf, lifelines)) {
            self.kinds[event.kind].closed = true;
        }
        Exclusion::Done
    }

    /// Whether no session has an event left on some lifelines.
    pub(super) fn can_end(&self, store: &Store, lifelines: SetId) -> bool {
        let mut own = self.events.iter().filter(|event| is_on(store, event.leaf, lifelines));
        own.all(|event| event.count == self.kinds[event.kind].begun)
    }
}

/// The alternatives of a body.
fn alternatives(store: &Store, body: ExprId) -> Vec<ExprId> {
    match store.expr(body) {
        Expr::Alt(all) => all.to_vec(),
        Expr::Never
        | Expr::Empty
        | Expr::Leaf(_)
        | Expr::Par(_)
        | Expr::Seq(..)
        | Expr::Loop(..)
        | Expr::Suffix(..) => vec![body],
    }
}

fn is_on(store: &Store, leaf: LeafId, lifelines: SetId) -> bool {
    !store.leaf(leaf).lifelines.is_disjoint(&store.sets.items[lifelines])
}

/// The leaves of an expression; `None` if there are many, or one occurs twice.
fn distinct_leaves(store: &Store, expr: ExprId) -> Option<Vec<LeafId>> {
    let mut leaves = Vec::new();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match store.expr(expr) {
            Expr::Never | Expr::Empty => {}
            Expr::Leaf(leaf) => {
                if leaves.len() == MANY || leaves.contains(leaf) {
                    return None;
                }
                leaves.push(*leaf);
            }
            Expr::Par(operands) => {
                if operands.iter().any(|&(_, count)| count > 1) {
                    return None;
                }
                pending.extend(operands.iter().map(|&(x, _)| x));
            }
            Expr::Seq(_, operands) => pending.extend_from_slice(operands),
            Expr::Alt(_) | Expr::Loop(..) | Expr::Suffix(..) => return None,
        }
    }
    Some(leaves)
}

/// The leaves that can happen if one leaf does not happen.
fn all_without(store: &mut Store, body: ExprId, leaves: &[LeafId], but: LeafId) -> Vec<LeafId> {
    let mut reached = Vec::new();
    let mut rest = body;
    while let Some((leaf, next)) = leaves
        .iter()
        .filter(|&&leaf| leaf != but && !reached.contains(&leaf))
        .map(|&leaf| (leaf, store.step(rest, leaf)))
        .find(|&(_, next)| next != Store::NEVER)
    {
        reached.push(leaf);
        rest = next;
    }
    reached
}
