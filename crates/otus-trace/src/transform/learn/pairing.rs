//! Which emission a reception belongs to, and one order of everything that respects it.
//!
//! A moment of a log is one *node*: a single action, or the simultaneous actions of one message
//! passing. Known pairs (message ids) are taken as they are. The rest is found by replaying the
//! logs: an emission puts its message in flight, a reception takes one out of flight, and when
//! nothing moves, the reception that waits in vain came from outside. Of several messages in flight
//! a reception takes that of the lifeline with which its own has exchanged most, and of equals the
//! oldest. A message of one lifeline that several others received as often as it was sent was
//! broadcast.
//!
//! The replay costs a step for each node, and its result is a linear order in which every log is
//! in order and every reception is after its emission: whatever the guess, a run is drawn as
//! something that can have happened.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use otus_core::{Action, ActionId, Direction, LifelineId, MessageId, Pool};
use rustc_hash::FxHashMap;

use super::note::Notes;
use super::{NoteKind, Run};
use crate::multitrace::{ComponentId, MultiTrace};

/// The nodes of a run with their counterparts.
#[derive(Debug, Default)]
pub(super) struct Paired {
    pub(super) nodes: Vec<Node>,
    /// The actions of all nodes in turn.
    actions: Vec<ActionId>,
    /// By node: the emission it receives.
    pub(super) sender: Vec<Option<usize>>,
    /// Whether moments were taken apart that no interaction has.
    pub(super) is_altered: bool,
    /// The nodes in an order in which they can have happened.
    pub(super) order: Vec<usize>,
}

/// One moment of a log, as far as an interaction can have it.
#[derive(Debug, Clone)]
pub(super) struct Node {
    component: ComponentId,
    /// The index of its first step in the component.
    step: usize,
    actions: std::ops::Range<usize>,
    pub(super) message: MessageId,
    pub(super) role: Role,
}

/// What a node can be paired with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// With receptions.
    Send,
    /// With an emission.
    Receive,
    /// With nothing: emission and reception are one step.
    Whole,
}

impl Paired {
    /// The actions of a node.
    pub(super) fn actions(&self, node: usize) -> &[ActionId] {
        &self.actions[self.nodes[node].actions.clone()]
    }

    /// The lifelines of a node.
    pub(super) fn lifelines<'p>(
        &'p self,
        node: usize,
        pool: &'p Pool,
    ) -> impl Iterator<Item = LifelineId> + use<'p> {
        self.actions(node).iter().map(|&action| pool.action(action).lifeline)
    }

    /// The first lifeline of a node.
    fn lifeline(&self, node: usize, pool: &Pool) -> LifelineId {
        pool.action(self.actions[self.nodes[node].actions.start]).lifeline
    }
}

/// Pairs the emissions and receptions of a run.
pub(super) fn pair(pool: &Pool, number: usize, run: &Run<'_>, notes: &mut Notes) -> Paired {
    let mut paired = nodes(pool, number, run.trace, notes);
    paired.sender = vec![None; paired.nodes.len()];
    let taken = known(&mut paired, number, run, notes);
    if run.infer {
        broadcasts(pool, &mut paired, &taken);
    }
    Replay::new(pool, &mut paired, taken, run.infer).run(number, notes);
    paired
}

/// The moments of all components. Those that no interaction has are taken apart.
fn nodes(pool: &Pool, number: usize, trace: &MultiTrace, notes: &mut Notes) -> Paired {
    let mut paired = Paired::default();
    for component in trace.partition().components() {
        let mut step = 0;
        for moment in trace.moments(component) {
            let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
            if let Some((message, role)) = passing(pool, &actions) {
                paired.push(component, step, &actions, message, role);
            } else {
                paired.is_altered = true;
                notes.add(NoteKind::Simultaneous(actions.clone()), number);
                for (index, &action) in actions.iter().enumerate() {
                    let Action { message, direction, .. } = pool.action(action);
                    let role = role_of(direction);
                    paired.push(component, step + index, &[action], message, role);
                }
            }
            step += moment.len();
        }
    }
    paired
}

impl Paired {
    fn push(
        &mut self,
        component: ComponentId,
        step: usize,
        actions: &[ActionId],
        message: MessageId,
        role: Role,
    ) {
        let start = self.actions.len();
        self.actions.extend_from_slice(actions);
        let actions = start..self.actions.len();
        self.nodes.push(Node { component, step, actions, message, role });
    }
}

fn role_of(direction: Direction) -> Role {
    match direction {
        Direction::Emission => Role::Send,
        Direction::Reception => Role::Receive,
    }
}

/// The message of the actions of a moment, if they can be one step of an interaction.
fn passing(pool: &Pool, actions: &[ActionId]) -> Option<(MessageId, Role)> {
    let first = pool.action(*actions.first()?);
    let (mut sends, mut receives) = (0, 0);
    for (index, &id) in actions.iter().enumerate() {
        let action = pool.action(id);
        if action.message != first.message || actions[..index].contains(&id) {
            return None;
        }
        match action.direction {
            Direction::Emission => sends += 1,
            Direction::Reception => receives += 1,
        }
    }
    match (sends, receives) {
        (1, 0) => Some((first.message, Role::Send)),
        (0, _) => Some((first.message, Role::Receive)),
        (1, _) => Some((first.message, Role::Whole)),
        (_, _) => None,
    }
}

/// Takes over the pairs that are known; which nodes are in one.
fn known(paired: &mut Paired, number: usize, run: &Run<'_>, notes: &mut Notes) -> Vec<bool> {
    let mut taken = vec![false; paired.nodes.len()];
    if run.pairs.is_empty() {
        return taken;
    }
    let at = |(component, step): (ComponentId, usize)| {
        let place = |node: &Node| (node.component, node.step);
        let after = paired.nodes.partition_point(|node| place(node) <= (component, step));
        let node = after.checked_sub(1)?;
        let Node { component: found, step: first, ref actions, .. } = paired.nodes[node];
        (found == component && step < first + actions.len()).then_some(node)
    };
    let mut senders = Vec::new();
    for pair in run.pairs {
        let (from, to) = (at(pair.from), at(pair.to));
        let fits = |from: usize, to: usize| {
            let (send, receive) = (&paired.nodes[from], &paired.nodes[to]);
            send.role == Role::Send
                && receive.role == Role::Receive
                && send.message == receive.message
        };
        match (from, to) {
            (Some(from), Some(to)) if fits(from, to) && !taken[to] => {
                taken[from] = true;
                taken[to] = true;
                senders.push((to, from));
            }
            (_, _) => notes.add(NoteKind::BadPair(*pair), number),
        }
    }
    for (to, from) in senders {
        paired.sender[to] = Some(from);
    }
    taken
}

/// Pairs what was broadcast: the k-th reception of each receiver with the k-th emission.
fn broadcasts(pool: &Pool, paired: &mut Paired, taken: &[bool]) {
    #[derive(Default)]
    struct Traffic {
        sends: Vec<usize>,
        senders: BTreeSet<LifelineId>,
        receives: BTreeMap<LifelineId, Vec<usize>>,
    }
    let mut traffic: BTreeMap<MessageId, Traffic> = BTreeMap::new();
    for (id, node) in paired.nodes.iter().enumerate() {
        let of = traffic.entry(node.message).or_default();
        match node.role {
            Role::Whole => {}
            Role::Send | Role::Receive if taken[id] => {}
            Role::Send => {
                of.sends.push(id);
                of.senders.insert(paired.lifeline(id, pool));
            }
            Role::Receive => of.receives.entry(paired.lifeline(id, pool)).or_default().push(id),
        }
    }
    for of in traffic.values() {
        let each = of.receives.values().all(|receives| receives.len() == of.sends.len());
        let own = of.senders.iter().any(|sender| of.receives.contains_key(sender));
        if of.senders.len() == 1 && of.receives.len() > 1 && each && !own {
            for receives in of.receives.values() {
                for (&to, &from) in receives.iter().zip(&of.sends) {
                    paired.sender[to] = Some(from);
                }
            }
        }
    }
}

/// How far a reception looks among the messages in flight.
const NEAR: usize = 32;

/// The logs being replayed.
struct Replay<'a> {
    pool: &'a Pool,
    paired: &'a mut Paired,
    /// By node: whether it is in a known pair.
    taken: Vec<bool>,
    infer: bool,
    /// By component: the next node, and where its nodes end.
    next: Vec<(usize, usize)>,
    done: Vec<bool>,
    /// By message: emissions not received yet, oldest first.
    flying: FxHashMap<MessageId, VecDeque<usize>>,
    /// By message: how many emissions, not in a pair, have not happened.
    to_come: FxHashMap<MessageId, usize>,
    /// Components that may be able to move.
    ready: BTreeSet<usize>,
    /// Which components wait for a message, and for a node.
    for_message: FxHashMap<MessageId, Vec<usize>>,
    for_node: FxHashMap<usize, Vec<usize>>,
    /// By two lifelines, the smaller one first: how many messages they have exchanged.
    exchanged: FxHashMap<(LifelineId, LifelineId), u32>,
}

impl<'a> Replay<'a> {
    fn new(pool: &'a Pool, paired: &'a mut Paired, taken: Vec<bool>, infer: bool) -> Self {
        let mut next: Vec<(usize, usize)> = Vec::new();
        let mut to_come: FxHashMap<MessageId, usize> = FxHashMap::default();
        let mut broadcast = vec![false; paired.nodes.len()];
        for sender in paired.sender.iter().flatten() {
            broadcast[*sender] = true;
        }
        let mut before = None;
        for (id, node) in paired.nodes.iter().enumerate() {
            if before != Some(node.component) {
                next.push((id, id));
                before = Some(node.component);
            }
            if let Some((_, end)) = next.last_mut() {
                *end = id + 1;
            }
            if node.role == Role::Send && !broadcast[id] {
                *to_come.entry(node.message).or_default() += 1;
            }
        }
        let taken = taken.iter().zip(broadcast).map(|(&taken, paired)| taken || paired).collect();
        let ready = (0..next.len()).collect();
        let done = vec![false; paired.nodes.len()];
        Replay {
            pool,
            paired,
            taken,
            infer,
            next,
            done,
            flying: FxHashMap::default(),
            to_come,
            ready,
            for_message: FxHashMap::default(),
            for_node: FxHashMap::default(),
            exchanged: FxHashMap::default(),
        }
    }

    fn run(mut self, number: usize, notes: &mut Notes) {
        loop {
            while let Some(component) = self.ready.pop_first() {
                self.advance(component);
            }
            // Everybody waits: the first whose message nobody sends any more, or the first at all.
            let waits = |&component: &usize| self.next[component].0 < self.next[component].1;
            let in_vain = |&component: &usize| {
                let node = self.next[component].0;
                let message = self.paired.nodes[node].message;
                self.paired.sender[node].is_none()
                    && self.to_come.get(&message).is_none_or(|&count| count == 0)
            };
            let mut waiting = (0..self.next.len()).filter(waits);
            let Some(stuck) = waiting.clone().find(in_vain).or_else(|| waiting.next()) else {
                return;
            };
            let node = self.next[stuck].0;
            if self.paired.sender[node].take().is_some() {
                notes.add(NoteKind::Cycle(self.paired.actions(node)[0]), number);
            } else if self.infer && !self.taken[node] {
                self.paired.sender[node] = self.take(node, true);
            }
            self.happen(stuck, node);
            self.ready.insert(stuck);
        }
    }

    /// Lets a component go on until it waits.
    fn advance(&mut self, component: usize) {
        loop {
            let (node, end) = self.next[component];
            if node == end {
                return;
            }
            let Node { message, role, .. } = self.paired.nodes[node];
            if role == Role::Receive {
                if let Some(sender) = self.paired.sender[node] {
                    if !self.done[sender] {
                        self.for_node.entry(sender).or_default().push(component);
                        return;
                    }
                } else if self.infer && !self.taken[node] {
                    let Some(sender) = self.take(node, false) else {
                        self.for_message.entry(message).or_default().push(component);
                        return;
                    };
                    self.paired.sender[node] = Some(sender);
                }
            }
            self.happen(component, node);
        }
    }

    /// A node happens.
    fn happen(&mut self, component: usize, node: usize) {
        self.done[node] = true;
        self.next[component].0 += 1;
        self.paired.order.push(node);
        let Node { message, role, .. } = self.paired.nodes[node];
        match role {
            Role::Send => {
                self.ready.extend(self.for_node.remove(&node).unwrap_or_default());
                if !self.taken[node] {
                    self.flying.entry(message).or_default().push_back(node);
                    if let Some(count) = self.to_come.get_mut(&message) {
                        *count -= 1;
                    }
                    self.ready.extend(self.for_message.remove(&message).unwrap_or_default());
                }
            }
            Role::Receive => {
                if let Some(sender) = self.paired.sender[node] {
                    *self.exchanged.entry(self.pair_of(sender, node)).or_default() += 1;
                }
            }
            Role::Whole => {}
        }
    }

    /// The message in flight that a node receives; one of its own lifeline only if there is no
    /// other, and none is to come, or nothing else moves.
    fn take(&mut self, node: usize, is_stuck: bool) -> Option<usize> {
        let message = self.paired.nodes[node].message;
        let flying = self.flying.get(&message)?;
        let own = self.paired.lifeline(node, self.pool);
        let near = flying.iter().take(NEAR).enumerate();
        let best = near.max_by_key(|&(index, &sender)| {
            let other = self.paired.lifeline(sender, self.pool) != own;
            let known = self.exchanged.get(&self.pair_of(sender, node)).copied().unwrap_or(0);
            (other, known, std::cmp::Reverse(index))
        });
        let (index, &sender) = best?;
        let is_own = self.paired.lifeline(sender, self.pool) == own;
        if is_own && !is_stuck && self.to_come.get(&message).is_some_and(|&count| count > 0) {
            return None;
        }
        self.flying.get_mut(&message)?.remove(index)
    }

    fn pair_of(&self, one: usize, other: usize) -> (LifelineId, LifelineId) {
        let (one, other) =
            (self.paired.lifeline(one, self.pool), self.paired.lifeline(other, self.pool));
        (one.min(other), one.max(other))
    }
}
