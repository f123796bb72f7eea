//! Greedy firing: as long as the next moment of some log can happen, it does.

use otus_core::LifelineSet;
use smallvec::SmallVec;

use super::super::decoupled::Found;
use super::super::logs::Logs;
use super::super::store::{ExprId, LeafId, SetId, Store};
use super::super::{Context, Ending};
use super::bag::{Bag, Exclusion};
use super::counts::Counts;
use super::frame::Frame;
use super::shapes::Shapes;
use crate::budget::{Meter, Stop};

/// Whether an expression explains the rest of the logs; `None` if this does not show it. The logs are then as before.
pub(crate) fn explain(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    global: bool,
    meter: &mut Meter<'_>,
) -> Option<Found> {
    if !context.options.sessions.is_worth(logs.left()) {
        return None;
    }
    let frame = Frame::of(context.store, start)?;
    let counts = Counts::new(context.store, &frame.bodies, &frame.sessions).map(Bag::Counts);
    let bag = match counts {
        Some(counts) => counts,
        None => {
            let (store, alphabet) = (&mut *context.store, context.alphabet);
            Bag::Shapes(Shapes::new(store, alphabet, &frame.bodies, &frame.sessions)?)
        }
    };
    let initial = logs.consumed.clone();
    let mut firing = Firing::new(context, frame, bag, logs, global);
    let found = match firing.run(meter) {
        Err(stop) => Some(Found::Unknown(stop)),
        Ok(true) => Some(Found::Yes),
        Ok(false) if firing.forced => {
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

struct Firing<'s, 'c, 'l> {
    context: &'s mut Context<'c>,
    frame: Frame,
    bag: Bag,
    logs: &'s mut Logs<'l>,
    global: bool,
    /// Whether all choices so far were forced.
    forced: bool,
    /// The components to try, and by component whether it is among them.
    pending: Vec<usize>,
    is_pending: Vec<bool>,
    /// Leaves that may have become possible.
    woken: Vec<LeafId>,
}

impl<'s, 'c, 'l> Firing<'s, 'c, 'l> {
    fn new(
        context: &'s mut Context<'c>,
        frame: Frame,
        bag: Bag,
        logs: &'s mut Logs<'l>,
        global: bool,
    ) -> Self {
        let count = logs.len();
        let late = !global && logs.late.contains(&true);
        let early = !global && logs.endings.contains(&Ending::Early);
        let forced = !late
            && bag.is_forced(early)
            && (!early || frame.right == Store::EMPTY)
            && are_distinct(context, &frame, &bag);
        Firing {
            context,
            frame,
            bag,
            logs,
            global,
            forced,
            pending: (0..count).rev().collect(),
            is_pending: vec![true; count],
            woken: Vec::new(),
        }
    }

    /// Fires until all logs are consumed or nothing more can happen; returns whether that explains the logs.
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        while let Some(component) = self.pending.pop() {
            self.is_pending[component] = false;
            while self.fire_next(component) {
                if let Some(stop) = self.context.tick(meter) {
                    return Err(stop);
                }
                self.wake();
            }
            if self.context.store.is_spent() {
                return Err(self.context.store.why_spent());
            }
        }
        Ok(self.logs.all_over() && self.can_end())
    }

    /// Lets the next moment of a component happen; returns whether it can.
    fn fire_next(&mut self, component: usize) -> bool {
        let Some((Some(symbol), _)) = self.logs.symbol(component, self.context.alphabet) else {
            return false;
        };
        let alphabet = self.context.alphabet;
        alphabet.leaves[symbol.0 as usize].iter().any(|&leaf| self.fire(leaf))
    }

    /// Lets a leaf happen, if each of its components observes it next or may miss it.
    fn fire(&mut self, leaf: LeafId) -> bool {
        let mut after: SmallVec<[(usize, u32); 2]> = SmallVec::new();
        for &(component, symbol) in &self.context.store.leaf(leaf).parts {
            let component = component.0 as usize;
            match self.logs.symbol(component, self.context.alphabet) {
                Some((head, next)) if head == Some(symbol) => after.push((component, next)),
                _ if !self.global && self.logs.is_outside(component) => {}
                _ => return false,
            }
        }
        if !self.happen(leaf) {
            return false;
        }
        for &(component, next) in &after {
            self.logs.consumed[component] = next;
            self.call(component);
            if self.logs.is_over(component) {
                // From now on its events may be unobserved.
                self.call_all();
            }
        }
        true
    }

    /// Lets a leaf happen somewhere in the expression.
    fn happen(&mut self, leaf: LeafId) -> bool {
        let mut left = self.frame.left;
        if left != Store::EMPTY {
            let next = self.context.store.step(left, leaf);
            if next != Store::NEVER {
                self.frame.left = next;
                self.call_all();
                return true;
            }
            let conflicts = self.conflicts(leaf);
            left = self.context.store.prune(left, conflicts);
            while left == Store::NEVER {
                // Without choices, the order of unobserved events does not matter, and they come to an end.
                if !self.context.store.is_choice_free(self.frame.left) {
                    return false;
                }
                let Some(next) = self.unobserved_step(self.frame.left) else { return false };
                self.frame.left = next;
                left = self.context.store.prune(next, conflicts);
            }
        }
        if !self.happen_after(leaf) {
            return false;
        }
        self.forced &= left == self.frame.left;
        self.frame.left = left;
        true
    }

    /// Lets a leaf happen in a session, or to the right of them.
    fn happen_after(&mut self, leaf: LeafId) -> bool {
        let (logs, global) = (&*self.logs, self.global);
        let unobserved = |store: &Store, leaf: LeafId| is_unobserved(store, logs, global, leaf);
        if self.bag.fire(self.context.store, leaf, &unobserved, &mut self.woken) {
            return true;
        }
        if self.frame.right == Store::EMPTY {
            return false;
        }
        let next = self.context.store.step(self.frame.right, leaf);
        if next == Store::NEVER {
            return false;
        }
        let conflicts = self.conflicts(leaf);
        match self.bag.exclude(self.context.store, conflicts) {
            Exclusion::Done => {
                self.frame.right = next;
                self.call_all();
                true
            }
            Exclusion::Blocked => false,
            Exclusion::Unsupported => {
                self.forced = false;
                false
            }
        }
    }

    /// The lifelines in conflict with a leaf.
    fn conflicts(&mut self, leaf: LeafId) -> SetId {
        let store = &mut *self.context.store;
        let conflicts = match self.frame.order {
            Some(order) => store.order(order).conflicts(&store.leaf(leaf).lifelines),
            None => LifelineSet::EMPTY,
        };
        store.set(&conflicts)
    }

    /// An expression after an unobserved event.
    fn unobserved_step(&mut self, expr: ExprId) -> Option<ExprId> {
        let alphabet = self.context.alphabet;
        alphabet.on.iter().flatten().find_map(|&leaf| {
            let possible = is_unobserved(self.context.store, self.logs, self.global, leaf);
            let next = if possible { self.context.store.step(expr, leaf) } else { Store::NEVER };
            (next != Store::NEVER).then_some(next)
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
        store.prune(self.frame.left, all) != Store::NEVER
            && self.bag.can_end(store, all)
            && store.prune(self.frame.right, all) != Store::NEVER
    }

    /// Tries the components of leaves that may have become possible.
    fn wake(&mut self) {
        while let Some(leaf) = self.woken.pop() {
            for at in 0..self.context.store.leaf(leaf).parts.len() {
                self.call(self.context.store.leaf(leaf).parts[at].0.0 as usize);
            }
        }
    }

    fn call(&mut self, component: usize) {
        if !std::mem::replace(&mut self.is_pending[component], true) {
            self.pending.push(component);
        }
    }

    fn call_all(&mut self) {
        (0..self.is_pending.len()).for_each(|component| self.call(component));
    }
}

/// Whether a leaf may happen now without being observed.
fn is_unobserved(store: &Store, logs: &Logs<'_>, global: bool, leaf: LeafId) -> bool {
    let mut parts = store.leaf(leaf).parts.iter();
    !global && parts.all(|&(component, _)| logs.is_outside(component.0 as usize))
}

/// Whether every symbol belongs to one leaf, and every leaf to one part of a frame, and the parts around the sessions
/// have no choices.
fn are_distinct(context: &mut Context<'_>, frame: &Frame, bag: &Bag) -> bool {
    let own = bag.leaves();
    let store = &mut *context.store;
    if !store.is_choice_free(frame.left) || !store.is_choice_free(frame.right) {
        return false;
    }
    let mut is_met = vec![false; context.alphabet.leaves.len()];
    let mut all: Vec<LeafId> = context.alphabet.on.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().all(|leaf| {
        let places = usize::from(own.contains(&leaf))
            + store.occurrences(frame.left, leaf)
            + store.occurrences(frame.right, leaf);
        places == 0
            || (places == 1
                && store
                    .leaf(leaf)
                    .parts
                    .iter()
                    .all(|&(_, symbol)| !std::mem::replace(&mut is_met[symbol.0 as usize], true)))
    })
}
