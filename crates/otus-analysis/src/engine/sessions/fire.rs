//! Greedy firing: as long as the next moment of some log can happen, it is consumed.

use otus_core::LifelineSet;
use otus_core::index::Index as _;
use smallvec::SmallVec;

use super::super::decoupled::Found;
use super::super::logs::Logs;
use super::super::store::{ExprId, LeafId, Store};
use super::super::{Context, Ending};
use super::bag::{Bag, Effects, Exclusion};
use super::net::Net;
use super::trail::Trail;
use crate::budget::{Meter, Stop};

/// Whether the expression of a net explains the logs. `None` if greedy firing does not decide this; the logs are
/// then unchanged.
pub(crate) fn explain(
    context: &mut Context<'_>,
    net: &Net,
    logs: &mut Logs<'_>,
    global: bool,
    meter: &mut Meter<'_>,
) -> Option<Found> {
    let initial = logs.consumed.clone();
    let mut firing = Firing::new(context, net, logs, global)?;
    firing.stock();
    let found = match firing.run(meter) {
        Err(stop) => Some(Found::Unknown(stop)),
        Ok(true) => Some(Found::Yes),
        Ok(false) if firing.is_conclusive() && !firing.context.store.is_spent() => {
            firing.logs.note_furthest();
            Some(Found::No)
        }
        Ok(false) => None,
    };
    match found {
        Some(_) => context.counters.sessions += 1,
        None => logs.consumed.copy_from_slice(&initial),
    }
    found
}

/// The events of greedy firing, with their sessions, if it explains the logs.
pub(crate) fn trail(
    context: &mut Context<'_>,
    net: &Net,
    logs: &mut Logs<'_>,
    global: bool,
    meter: &mut Meter<'_>,
) -> Option<Trail> {
    let mut firing = Firing::new(context, net, logs, global)?;
    firing.effects.trail = Some(Trail::default());
    firing.stock();
    let explains = firing.run(meter) == Ok(true);
    firing.effects.trail.filter(|_| explains)
}

struct Firing<'s, 'c, 'l> {
    context: &'s mut Context<'c>,
    net: &'s Net,
    /// The residual of the parts to the left of the sessions.
    left: ExprId,
    right: ExprId,
    bag: Bag,
    logs: &'s mut Logs<'l>,
    global: bool,
    /// Whether all choices so far were forced.
    forced: bool,
    /// The components to try, and for each component whether it is among them.
    pending: Vec<usize>,
    is_pending: Vec<bool>,
    effects: Effects,
}

impl<'s, 'c, 'l> Firing<'s, 'c, 'l> {
    fn new(
        context: &'s mut Context<'c>,
        net: &'s Net,
        logs: &'s mut Logs<'l>,
        global: bool,
    ) -> Option<Self> {
        let count = logs.len();
        let late = !global && logs.late.contains(&true);
        let early = !global && logs.endings.contains(&Ending::Early);
        let sessions = net.sessions(late)?;
        let forced = !late && sessions.distinct && sessions.bag.is_forced(early);
        Some(Firing {
            context,
            net,
            left: net.frame.left,
            right: net.frame.right,
            bag: sessions.bag.clone(),
            logs,
            global,
            forced,
            pending: (0..count).rev().collect(),
            is_pending: vec![true; count],
            effects: Effects::default(),
        })
    }

    /// Adds the sessions that may have begun before late logs start, unless events to the left of the sessions are
    /// observed.
    fn stock(&mut self) {
        if self.global || !self.logs.late.contains(&true) {
            return;
        }
        let alphabet = self.context.alphabet;
        let begins_left = (0..self.logs.len()).any(|component| {
            let head = self.logs.symbol(component, alphabet).and_then(|(head, _)| head);
            head.is_some_and(|head| {
                let leaves = &self.net.leaves[head.index()];
                leaves.iter().any(|&leaf| self.context.store.occurs(self.left, leaf))
            })
        });
        if begins_left {
            return;
        }
        let mut left = self.left;
        let mut steps = Vec::new();
        while left != Store::EMPTY {
            if !self.context.store.is_choice_free(left) {
                return;
            }
            let Some((leaf, next)) = self.unobserved_step(left) else { return };
            steps.push(leaf);
            left = next;
        }
        self.left = left;
        if let Some(trail) = &mut self.effects.trail {
            for leaf in steps {
                trail.add(leaf, None, false);
            }
            trail.before_stock = trail.fired.len();
        }
        let (logs, global) = (&*self.logs, self.global);
        let unobserved = |store: &Store, leaf: LeafId| is_unobserved(store, logs, global, leaf);
        self.bag.stock(self.context.store, &unobserved);
    }

    /// Fires until all logs are consumed or nothing more can happen; returns whether that explains the logs.
    ///
    /// An event to the right of the sessions may make other events impossible, so it waits until nothing
    /// else can happen.
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        loop {
            while let Some(component) = self.pending.pop() {
                self.is_pending[component] = false;
                while self.fire_next(component, Place::Within) {
                    if let Some(stop) = self.context.tick(meter) {
                        return Err(stop);
                    }
                    self.wake();
                }
                if self.context.store.is_spent() {
                    return Err(self.context.store.why_spent());
                }
            }
            let may_be_right = self.right != Store::EMPTY && !self.logs.all_over();
            let count = self.logs.len();
            if !(may_be_right && (0..count).any(|c| self.fire_next(c, Place::Right))) {
                return Ok(self.logs.all_over() && self.can_end());
            }
            if let Some(stop) = self.context.tick(meter) {
                return Err(stop);
            }
            self.call_all();
        }
    }

    /// Lets the next moment of a component happen at some place; returns whether it can.
    #[inline]
    fn fire_next(&mut self, component: usize, place: Place) -> bool {
        let Some((Some(symbol), _)) = self.logs.symbol(component, self.context.alphabet) else {
            return false;
        };
        let net = self.net;
        net.leaves[symbol.index()].iter().any(|&leaf| self.fire(leaf, place))
    }

    /// Lets a leaf happen if each of its components observes it next or need not observe it.
    #[inline]
    fn fire(&mut self, leaf: LeafId, place: Place) -> bool {
        let mut after: SmallVec<[(usize, u32); 2]> = SmallVec::new();
        for &(component, symbol) in &self.context.store.leaf(leaf).parts {
            let component = component.index();
            match self.logs.symbol(component, self.context.alphabet) {
                Some((head, next)) if head == Some(symbol) => after.push((component, next)),
                _ if !self.global && self.logs.is_outside(component) => {}
                _ => return false,
            }
        }
        if !self.happen(leaf, place) {
            return false;
        }
        for &(component, next) in &after {
            self.logs.consumed[component] = next;
            self.call(component);
            if self.logs.is_over(component) {
                // From now on, events of this component may be unobserved.
                self.call_all();
            }
        }
        true
    }

    /// Lets a leaf happen somewhere in the expression.
    #[inline]
    fn happen(&mut self, leaf: LeafId, place: Place) -> bool {
        if self.left == Store::EMPTY {
            return self.happen_after(leaf, Store::EMPTY, place);
        }
        loop {
            let next = self.context.store.step(self.left, leaf);
            if next != Store::NEVER {
                self.left = next;
                self.note(leaf, true);
                self.call_all();
                return true;
            }
            let conflicts = self.conflicts(leaf);
            let conflicts = self.context.store.set(&conflicts);
            let left = self.context.store.prune(self.left, conflicts);
            if left != Store::NEVER && self.happen_after(leaf, left, place) {
                self.forced &= left == self.left;
                self.left = left;
                return true;
            }
            // Without choices, unobserved events can be taken in any order, and there are finitely many
            // of them.
            if self.context.store.is_spent() || !self.context.store.is_choice_free(self.left) {
                return false;
            }
            let Some((step, next)) = self.unobserved_step(self.left) else { return false };
            self.left = next;
            self.note(step, false);
            self.call_all();
        }
    }

    /// Lets a leaf happen in a session or to the right of the sessions. `left` is the residual of the parts to
    /// the left of the sessions.
    #[inline]
    fn happen_after(&mut self, leaf: LeafId, left: ExprId, place: Place) -> bool {
        match place {
            Place::Within => {
                let (logs, global, order) = (&*self.logs, self.global, self.net.frame.order);
                let unobserved = |store: &Store, leaf: LeafId| {
                    let behind = order.is_some_and(|order| {
                        let own = &store.leaf(leaf).lifelines;
                        left != Store::EMPTY
                            && store.orders.items[order].relates(store.lifelines(left), own)
                    });
                    !behind && is_unobserved(store, logs, global, leaf)
                };
                self.bag.fire(self.context.store, leaf, &unobserved, &mut self.effects)
            }
            Place::Right => self.happen_right(leaf),
        }
    }

    /// Lets a leaf happen to the right of the sessions.
    fn happen_right(&mut self, leaf: LeafId) -> bool {
        let next = self.context.store.step(self.right, leaf);
        if next == Store::NEVER {
            return false;
        }
        let conflicts = self.conflicts(leaf);
        let set = self.context.store.set(&conflicts);
        match self.bag.exclude(self.context.store, set) {
            Exclusion::Done => {
                self.right = next;
                self.note(leaf, true);
                self.forced &= !self.concerns_others(leaf, &conflicts);
                true
            }
            Exclusion::Blocked => false,
            Exclusion::Unsupported => {
                self.forced = false;
                false
            }
        }
    }

    /// Whether greedy firing that is stuck proves that there is no explanation.
    ///
    /// Events to the right of the sessions wait for unobserved events of other components only if these are in
    /// conflict with them, or stand to the right of the sessions too.
    fn is_conclusive(&mut self) -> bool {
        if !self.forced || self.right == Store::EMPTY || !self.may_miss() {
            return self.forced;
        }
        let net = self.net;
        (0..self.logs.len()).all(|component| {
            let head = self.logs.symbol(component, self.context.alphabet);
            let Some((Some(symbol), _)) = head else { return true };
            net.leaves[symbol.index()].iter().all(|&leaf| {
                if !self.context.store.occurs(self.right, leaf) {
                    return true;
                }
                let conflicts = self.conflicts(leaf);
                self.context.store.step(self.right, leaf) != Store::NEVER
                    && !self.concerns_others(leaf, &conflicts)
            })
        })
    }

    /// Whether events may be unobserved after the end of a log.
    fn may_miss(&self) -> bool {
        !self.global && self.logs.endings.contains(&Ending::Early)
    }

    /// Whether lifelines in conflict with a leaf may have unobserved events before it: those of components that may stop
    /// early, unless they observe the leaf next.
    fn concerns_others(&self, leaf: LeafId, conflicts: &LifelineSet) -> bool {
        let parts = &self.context.store.leaf(leaf).parts;
        let observes =
            |at| !self.logs.is_over(at) && parts.iter().any(|(own, _)| own.index() == at);
        let mut others = self.context.store.components.iter().enumerate();
        !self.global
            && others.any(|(at, lifelines)| {
                self.logs.endings[at] == Ending::Early
                    && !observes(at)
                    && !lifelines.is_disjoint(conflicts)
            })
    }

    /// The lifelines in conflict with a leaf.
    fn conflicts(&self, leaf: LeafId) -> LifelineSet {
        let store = &*self.context.store;
        match self.net.frame.order {
            Some(order) => store.orders.items[order].conflicts(&store.leaf(leaf).lifelines),
            None => LifelineSet::EMPTY,
        }
    }

    /// Records an event of a part beside the sessions.
    fn note(&mut self, leaf: LeafId, observed: bool) {
        if let Some(trail) = &mut self.effects.trail {
            trail.add(leaf, None, observed);
        }
    }

    /// An unobserved event of an expression, and the expression after it.
    fn unobserved_step(&mut self, expr: ExprId) -> Option<(LeafId, ExprId)> {
        let alphabet = self.context.alphabet;
        alphabet.on.iter().flatten().find_map(|&leaf| {
            let possible = is_unobserved(self.context.store, self.logs, self.global, leaf);
            let next = if possible { self.context.store.step(expr, leaf) } else { Store::NEVER };
            (next != Store::NEVER).then_some((leaf, next))
        })
    }

    /// Whether the rest can be completed by unobserved events.
    fn can_end(&mut self) -> bool {
        if self.global {
            return true;
        }
        let ended = (0..self.logs.len()).filter(|&c| self.logs.endings[c] == Ending::Final);
        let store = &mut *self.context.store;
        let all = ended.fold(LifelineSet::EMPTY, |all, c| all.union(&store.components[c]));
        let all = store.set(&all);
        store.prune(self.left, all) != Store::NEVER
            && self.bag.can_end(store, all)
            && store.prune(self.right, all) != Store::NEVER
    }

    /// Tries the components of leaves that may have become possible.
    #[inline]
    fn wake(&mut self) {
        while let Some(leaf) = self.effects.woken.pop() {
            for at in 0..self.context.store.leaf(leaf).parts.len() {
                self.call(self.context.store.leaf(leaf).parts[at].0.index());
            }
        }
    }

    #[inline]
    fn call(&mut self, component: usize) {
        if !std::mem::replace(&mut self.is_pending[component], true) {
            self.pending.push(component);
        }
    }

    fn call_all(&mut self) {
        (0..self.is_pending.len()).for_each(|component| self.call(component));
    }
}

/// Where a leaf happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a session, or to the left of the sessions.
    Within,
    /// To the right of the sessions.
    Right,
}

/// Whether a leaf may happen now without being observed.
fn is_unobserved(store: &Store, logs: &Logs<'_>, global: bool, leaf: LeafId) -> bool {
    let mut parts = store.leaf(leaf).parts.iter();
    !global && parts.all(|&(component, _)| logs.is_outside(component.index()))
}
