//! Finds the emission of each reception, and a linear order of the run.
//!
//! A moment of a log is one *node*: a single action, or the simultaneous actions of one message
//! passing. Known pairs (message ids) are kept. The other pairs are found by replaying the logs as
//! if messages were not buffered: an emission waits until a component is about to receive its
//! message. If no component is, the emission whose reception comes soonest happens, and its message
//! is in flight. If no component can send, a reception that waits in vain gets its message from the
//! environment. So messages cross only where they must.
//!
//! If several lifelines could exchange a message, those that usually do so are preferred; replays
//! of all runs count this beforehand ([`Channels`]). Other lifelines exchange it only if nothing
//! else is possible. Among equals, a receiver whose answer is awaited is preferred, and then the
//! oldest message. A message with unpaired emissions and receptions in every run is exchanged with
//! the environment only. A message that one lifeline sent, and several others received as often as
//! it was sent, was broadcast. Actions whose letters name a peer are paired only with this peer.
//!
//! The replay takes about one step per node. In its linear order every log is in order and every
//! reception comes after its emission, so the drawn run is possible even if a guess is wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use otus_core::{Action, ActionId, Direction, LifelineId, MessageId, Peer, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::note::Notes;
use super::{NoteKind, Run};
use crate::multitrace::{ComponentId, MultiTrace};

/// The nodes of a run with their counterparts.
#[derive(Debug, Default)]
pub(super) struct PairedRun {
    pub(super) nodes: Vec<Node>,
    /// The actions of all nodes in turn.
    actions: Vec<ActionId>,
    /// For each node: the emission that it receives.
    pub(super) sender: Vec<Option<usize>>,
    /// Whether a moment was split because no interaction can have it.
    pub(super) is_altered: bool,
    /// The nodes in a possible order.
    pub(super) order: Vec<usize>,
}

/// One moment of a log, or a part of a moment that no interaction has.
#[derive(Debug, Clone)]
pub(super) struct Node {
    component: ComponentId,
    /// The index of its first step in the component.
    step: usize,
    actions: std::ops::Range<usize>,
    pub(super) message: MessageId,
    pub(super) role: Role,
}

/// The role of a node in a message passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// An emission, to be paired with receptions.
    Send,
    /// A reception, to be paired with an emission.
    Receive,
    /// An emission and its receptions in one step, which needs no pairing.
    Whole,
}

impl PairedRun {
    pub(super) fn actions(&self, node: usize) -> &[ActionId] {
        &self.actions[self.nodes[node].actions.clone()]
    }

    pub(super) fn lifelines<'p>(
        &'p self,
        node: usize,
        pool: &'p Pool,
    ) -> impl Iterator<Item = LifelineId> + use<'p> {
        self.actions(node).iter().map(|&action| pool.action(action).lifeline)
    }

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

    /// For each node: whether it is in a pair.
    fn taken(&self) -> Vec<bool> {
        let mut taken = vec![false; self.nodes.len()];
        for (to, &from) in self.sender.iter().enumerate() {
            for node in from.map(|from| [from, to]).into_iter().flatten() {
                taken[node] = true;
            }
        }
        taken
    }

    /// Whether an emission and a reception name each other as peers, if they name any.
    fn agree(&self, from: usize, to: usize, pool: &Pool) -> bool {
        let is_peer = |action: Action, other: Action| {
            action.peer.is_none_or(|peer| peer == Peer::Lifeline(other.lifeline))
        };
        let actions = |node: usize| self.actions(node).iter().map(|&id| pool.action(id));
        actions(from)
            .all(|send| actions(to).all(|receive| is_peer(send, receive) && is_peer(receive, send)))
    }

    /// The peer that all actions of a node name, if it is a lifeline.
    pub(super) fn peer(&self, node: usize, pool: &Pool) -> Option<LifelineId> {
        let mut peers = self.actions(node).iter().map(|&action| pool.action(action).peer);
        let first = peers.next()?;
        match first {
            Some(Peer::Lifeline(lifeline)) if peers.all(|peer| peer == first) => Some(lifeline),
            Some(Peer::Lifeline(_) | Peer::Environment) | None => None,
        }
    }

    /// The first lifeline of a node.
    fn lifeline(&self, node: usize, pool: &Pool) -> LifelineId {
        pool.action(self.actions[self.nodes[node].actions.start]).lifeline
    }
}

pub(super) fn pair(
    pool: &Pool,
    number: usize,
    run: &Run<'_>,
    channels: &Channels,
    notes: &mut Notes,
) -> PairedRun {
    let mut paired = nodes(pool, number, run.trace, notes);
    known(pool, &mut paired, number, run, notes);
    if run.infer {
        let taken = paired.taken();
        broadcasts(pool, &mut paired, &taken);
    }
    let taken = paired.taken();
    Replay::new(pool, &mut paired, taken, run.infer, channels.clone()).run(number, notes);
    paired
}

/// The moments of all components. A moment that cannot be one step of an interaction is split into
/// its actions.
fn nodes(pool: &Pool, number: usize, trace: &MultiTrace, notes: &mut Notes) -> PairedRun {
    let mut paired = PairedRun::default();
    for component in trace.partition().components() {
        let mut step = 0;
        for moment in trace.moments(component) {
            let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
            if let Some((message, role)) = passing(pool, &actions) {
                paired.push(component, step, &actions, message, role);
            } else {
                paired.is_altered = true;
                for (index, &action) in actions.iter().enumerate() {
                    let Action { message, direction, .. } = pool.action(action);
                    let role = match direction {
                        Direction::Emission => Role::Send,
                        Direction::Reception => Role::Receive,
                    };
                    paired.push(component, step + index, &[action], message, role);
                }
                notes.add(NoteKind::Simultaneous(actions), number);
            }
            step += moment.len();
        }
    }
    paired
}

/// The message and the role of a moment, if it can be one step of an interaction.
fn passing(pool: &Pool, actions: &[ActionId]) -> Option<(MessageId, Role)> {
    let first = pool.action(*actions.first()?);
    let (mut sends, mut receives) = (0, 0);
    for (index, &id) in actions.iter().enumerate() {
        let action = pool.action(id);
        let is_same =
            |&other: &ActionId| pool.action(other).without_peer() == action.without_peer();
        if action.message != first.message || actions[..index].iter().any(is_same) {
            return None;
        }
        match action.direction {
            Direction::Emission => sends += 1,
            Direction::Reception => receives += 1,
        }
    }
    let role = match (sends, receives) {
        (1, 0) => Role::Send,
        (0, _) => Role::Receive,
        (1, _) => Role::Whole,
        (_, _) => return None,
    };
    Some((first.message, role))
}

fn known(pool: &Pool, paired: &mut PairedRun, number: usize, run: &Run<'_>, notes: &mut Notes) {
    let nodes = &paired.nodes;
    let at = |(component, step): (ComponentId, usize)| {
        let place = |node: &Node| (node.component, node.step);
        let after = nodes.partition_point(|node| place(node) <= (component, step));
        let node = after.checked_sub(1)?;
        let Node { component: found, step: first, ref actions, .. } = nodes[node];
        (found == component && step < first + actions.len()).then_some(node)
    };
    let fits = |from: usize, to: usize| {
        let (send, receive) = (&nodes[from], &nodes[to]);
        send.role == Role::Send
            && receive.role == Role::Receive
            && send.message == receive.message
            && paired.agree(from, to, pool)
    };
    let mut sender: Vec<Option<usize>> = vec![None; nodes.len()];
    for pair in run.pairs {
        match (at(pair.from), at(pair.to)) {
            (Some(from), Some(to)) if fits(from, to) && sender[to].is_none() => {
                sender[to] = Some(from);
            }
            (_, _) => notes.add(NoteKind::BadPair(*pair), number),
        }
    }
    paired.sender = sender;
}

/// Pairs broadcast messages: the k-th reception of each receiver with the k-th emission.
fn broadcasts(pool: &Pool, paired: &mut PairedRun, taken: &[bool]) {
    #[derive(Default)]
    struct Broadcast {
        sends: Vec<usize>,
        senders: BTreeSet<LifelineId>,
        receives: BTreeMap<LifelineId, Vec<usize>>,
    }
    let mut traffic: BTreeMap<MessageId, Broadcast> = BTreeMap::new();
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
        let agree = || {
            let pairs = of.receives.values().flat_map(|receives| of.sends.iter().zip(receives));
            pairs.into_iter().all(|(&from, &to)| paired.agree(from, to, pool))
        };
        if of.senders.len() == 1 && of.receives.len() > 1 && each && !own && agree() {
            for receives in of.receives.values() {
                for (&to, &from) in receives.iter().zip(&of.sends) {
                    paired.sender[to] = Some(from);
                }
            }
        }
    }
}

/// The maximum number of senders and receivers of a message that are considered for the next pair.
const NEAR: usize = 16;

struct Replay<'a> {
    pool: &'a Pool,
    paired: &'a mut PairedRun,
    /// The channels of all runs, with those of this run so far.
    channels: Channels,
    /// For each node: whether it is in a known pair.
    taken: Vec<bool>,
    infer: bool,
    /// For each component: the next node, and the end of its nodes.
    next: Vec<(usize, usize)>,
    done: Vec<bool>,
    traffic: BTreeMap<MessageId, MessageState>,
    /// The messages that may have a sender and a receiver now.
    active: BTreeSet<MessageId>,
    /// The components whose next node is an emission that waits for its receiver.
    sending: BTreeSet<usize>,
    /// For each node: the components whose next node waits for it.
    for_node: FxHashMap<usize, Vec<usize>>,
    /// The components whose next node is a reception that waits.
    waiting: BTreeSet<usize>,
}

/// The lifelines that are allowed to exchange a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// Only those that usually exchange it.
    Usual,
    Any,
}

#[derive(Debug, Default)]
struct MessageState {
    /// The emissions that are not received yet, oldest first.
    in_flight: VecDeque<usize>,
    /// The components that can send it now, and those that can receive it now.
    sending: BTreeSet<usize>,
    receiving: BTreeSet<usize>,
    /// The number of emissions that have not happened.
    to_come: usize,
    /// For each component: its receptions that have not happened, last first.
    receptions: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Replay<'a> {
    fn new(
        pool: &'a Pool,
        paired: &'a mut PairedRun,
        taken: Vec<bool>,
        infer: bool,
        channels: Channels,
    ) -> Self {
        let mut next: Vec<(usize, usize)> = Vec::new();
        let mut traffic: BTreeMap<MessageId, MessageState> = BTreeMap::new();
        let mut before = None;
        for (id, node) in paired.nodes.iter().enumerate() {
            if before != Some(node.component) {
                next.push((id, id));
                before = Some(node.component);
            }
            if let Some((_, end)) = next.last_mut() {
                *end = id + 1;
            }
            let of = traffic.entry(node.message).or_default();
            match node.role {
                Role::Send if !taken[id] => of.to_come += 1,
                Role::Receive if !taken[id] => {
                    of.receptions.entry(next.len() - 1).or_default().push(id);
                }
                Role::Send | Role::Receive | Role::Whole => {}
            }
        }
        for of in traffic.values_mut() {
            for receptions in of.receptions.values_mut() {
                receptions.reverse();
            }
        }
        let done = vec![false; paired.nodes.len()];
        Replay {
            pool,
            paired,
            channels,
            taken,
            infer,
            next,
            done,
            traffic,
            active: BTreeSet::new(),
            sending: BTreeSet::new(),
            for_node: FxHashMap::default(),
            waiting: BTreeSet::new(),
        }
    }

    fn run(mut self, number: usize, notes: &mut Notes) {
        for component in 0..self.next.len() {
            self.settle(component);
        }
        loop {
            if let Some(&message) = self.active.first() {
                if !self.exchange(message, Fit::Usual) {
                    self.active.remove(&message);
                }
            } else if let Some(component) = self.sender() {
                self.send(component);
                self.settle(component);
            } else if let Some(component) = self.stuck() {
                let node = self.next[component].0;
                let message = self.paired.nodes[node].message;
                if self.paired.sender[node].take().is_some() {
                    notes.add(NoteKind::Cycle(self.paired.actions(node)[0]), number);
                } else if self.exchange(message, Fit::Any) {
                    continue;
                }
                self.receive(component);
                self.settle(component);
            } else {
                return;
            }
        }
    }

    /// Lets a component proceed until its next node depends on other components.
    fn settle(&mut self, first: usize) {
        let mut components = vec![first];
        while let Some(component) = components.pop() {
            let (node, end) = self.next[component];
            if node == end {
                continue;
            }
            let Node { message, role, .. } = self.paired.nodes[node];
            let inferred =
                self.infer && !self.taken[node] && !self.channels.outside.contains(&message);
            match role {
                Role::Send if inferred => {
                    self.sending.insert(component);
                    self.traffic.entry(message).or_default().sending.insert(component);
                    self.active.insert(message);
                    continue;
                }
                Role::Receive if inferred => {
                    self.waiting.insert(component);
                    self.traffic.entry(message).or_default().receiving.insert(component);
                    self.active.insert(message);
                    continue;
                }
                Role::Receive => {
                    if let Some(sender) = self.paired.sender[node].filter(|&from| !self.done[from])
                    {
                        self.waiting.insert(component);
                        self.for_node.entry(sender).or_default().push(component);
                        continue;
                    }
                }
                Role::Send | Role::Whole => {}
            }
            components.push(component);
            components.extend(self.happen(component));
        }
    }

    /// Lets the next node of a component happen; returns the components that waited for it.
    fn happen(&mut self, component: usize) -> Vec<usize> {
        let node = self.next[component].0;
        self.next[component].0 += 1;
        self.done[node] = true;
        self.paired.order.push(node);
        let woken = self.for_node.remove(&node).unwrap_or_default();
        for component in &woken {
            self.waiting.remove(component);
        }
        woken
    }

    /// Lets an emission happen before it is received.
    fn send(&mut self, component: usize) {
        let node = self.next[component].0;
        let message = self.paired.nodes[node].message;
        self.sending.remove(&component);
        let of = self.traffic.entry(message).or_default();
        of.sending.remove(&component);
        of.to_come = of.to_come.saturating_sub(1);
        of.in_flight.push_back(node);
        self.active.insert(message);
        self.happen(component);
    }

    fn receive(&mut self, component: usize) {
        let node = self.next[component].0;
        let message = self.paired.nodes[node].message;
        self.waiting.remove(&component);
        let of = self.traffic.entry(message).or_default();
        of.receiving.remove(&component);
        if let Some(receptions) = of.receptions.get_mut(&component)
            && receptions.last() == Some(&node)
        {
            receptions.pop();
        }
        self.happen(component);
    }

    /// Lets a component receive a message that is in flight, or is sent now; returns whether that
    /// was possible.
    fn exchange(&mut self, message: MessageId, fit: Fit) -> bool {
        let Some(of) = self.traffic.get(&message) else { return false };
        // The emissions in flight, then those that can happen now, with their components.
        let in_flight = of.in_flight.iter().take(NEAR).map(|&node| (None, node));
        let ready = of.sending.iter().take(NEAR).map(|&from| (Some(from), self.next[from].0));
        let senders: Vec<(Option<usize>, usize)> = in_flight.chain(ready).collect();
        let mut best = None;
        for &to in of.receiving.iter().take(NEAR) {
            for (rank, &(_, from)) in senders.iter().enumerate() {
                let Some(score) = self.score(message, from, self.next[to].0, fit) else {
                    continue;
                };
                let score = (score, std::cmp::Reverse(rank));
                if best.is_none_or(|(known, _, _)| score > known) {
                    best = Some((score, rank, to));
                }
            }
        }
        let Some((_, rank, to)) = best else { return false };
        let (from, sender) = senders[rank];
        if let Some(from) = from {
            self.send(from);
        }
        if let Some(of) = self.traffic.get_mut(&message) {
            // An emission that happens now is the last one in flight.
            of.in_flight.remove(if from.is_some() { of.in_flight.len() - 1 } else { rank });
        }
        let receiver = self.next[to].0;
        self.paired.sender[receiver] = Some(sender);
        self.channels.count(self.channel(message, sender, receiver));
        self.receive(to);
        if let Some(from) = from {
            self.settle(from);
        }
        self.settle(to);
        true
    }

    /// How well two nodes fit together: whether their lifelines usually exchange this message,
    /// whether the next message of the receiver is awaited, and the logarithm of how often they
    /// exchange it. A lifeline sends a message to itself only if no other lifeline has it.
    fn score(
        &self,
        message: MessageId,
        from: usize,
        to: usize,
        fit: Fit,
    ) -> Option<(bool, bool, u32)> {
        let channel = self.channel(message, from, to);
        let is_shared = || self.channels.lifeline.get(&message).is_none_or(Option::is_none);
        if channel.from == channel.to && is_shared() || !self.paired.agree(from, to, self.pool) {
            return None;
        }
        let usual = self.channels.is_usual(channel);
        let often = self.channels.times(channel).checked_ilog2().unwrap_or(0);
        match fit {
            Fit::Usual if !usual => None,
            Fit::Usual | Fit::Any => Some((usual, self.is_awaited(from, to), often)),
        }
    }

    fn channel(&self, message: MessageId, from: usize, to: usize) -> Channel {
        let lifeline = |node: usize| self.paired.lifeline(node, self.pool);
        Channel { message, from: lifeline(from), to: lifeline(to) }
    }

    /// Whether the node after a reception on its component is an emission for which a component
    /// waits, or will wait once the sender has proceeded.
    fn is_awaited(&self, from: usize, to: usize) -> bool {
        let after = |node: usize| {
            let next = self.paired.nodes.get(node + 1)?;
            (next.component == self.paired.nodes[node].component).then_some(next)
        };
        let Some(answer) = after(to).filter(|answer| answer.role == Role::Send) else {
            return false;
        };
        let waits = |node: &Node| node.role == Role::Receive && node.message == answer.message;
        let receiving = |of: &MessageState| !of.receiving.is_empty();
        after(from).is_some_and(waits) || self.traffic.get(&answer.message).is_some_and(receiving)
    }

    /// The component that sends although no component can receive its message now: preferably one
    /// whose message is never received, or else one whose message is received soonest.
    fn sender(&self) -> Option<usize> {
        let soonest = |&component: &usize| {
            let message = self.paired.nodes[self.next[component].0].message;
            let receptions = self.traffic.get(&message).into_iter().flat_map(|of| &of.receptions);
            let distances = receptions.take(4 * NEAR).filter_map(|(receiver, receptions)| {
                let next = receptions.last().filter(|_| *receiver != component)?;
                Some(next - self.next[*receiver].0 + 1)
            });
            distances.min().unwrap_or(0)
        };
        self.sending.iter().take(NEAR).copied().min_by_key(soonest)
    }

    /// The component that proceeds although it waits: the first whose message is not sent any more,
    /// or else the first.
    fn stuck(&self) -> Option<usize> {
        let in_vain = |&component: &usize| {
            let node = self.next[component].0;
            let of = self.traffic.get(&self.paired.nodes[node].message);
            self.paired.sender[node].is_none() && of.is_none_or(|of| of.to_come == 0)
        };
        let first = self.waiting.iter().copied().find(in_vain);
        first.or_else(|| self.waiting.first().copied())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Channel {
    message: MessageId,
    from: LifelineId,
    to: LifelineId,
}

/// How often lifelines exchange messages, in all runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Channels {
    /// A channel is usual if no other channel of its sender or of its receiver has more messages
    /// than this factor times its own.
    usual: u64,
    counts: FxHashMap<Channel, u64>,
    /// The largest of the counts of a message with a sender, and with a receiver.
    by_sender: FxHashMap<(MessageId, LifelineId), u64>,
    by_receiver: FxHashMap<(MessageId, LifelineId), u64>,
    /// For each message: the only lifeline that sends or receives it; `None` if there are several.
    lifeline: FxHashMap<MessageId, Option<LifelineId>>,
    /// For each message: the number of runs with a pair of it, and the number of those in which
    /// both emissions and receptions were unpaired.
    left_over: FxHashMap<MessageId, (usize, usize)>,
    /// The messages that are exchanged with the environment only.
    outside: FxHashSet<MessageId>,
}

impl Channels {
    /// The channels of some runs before anything is paired.
    pub(super) fn new(pool: &Pool, runs: &[Run<'_>], usual: u64) -> Self {
        let mut channels = Channels { usual, ..Channels::default() };
        let mut seen = vec![false; pool.action_count()];
        for run in runs {
            let components = run.trace.partition().components();
            for step in components.flat_map(|component| run.trace.steps(component)) {
                if std::mem::replace(&mut seen[step.action().0 as usize], true) {
                    continue;
                }
                let Action { lifeline, message, .. } = pool.action(step.action());
                let only = channels.lifeline.entry(message).or_insert(Some(lifeline));
                if *only != Some(lifeline) {
                    *only = None;
                }
            }
        }
        channels
    }

    /// Counts the pairs of a run.
    pub(super) fn add(&mut self, pool: &Pool, paired: &PairedRun) {
        let mut is_received = vec![false; paired.nodes.len()];
        for &from in paired.sender.iter().flatten() {
            is_received[from] = true;
        }
        // For each message: whether it is paired, sent without a reception, received without an
        // emission.
        let mut found: FxHashMap<MessageId, [bool; 3]> = FxHashMap::default();
        for (id, node) in paired.nodes.iter().enumerate() {
            let which = match node.role {
                Role::Send if is_received[id] => 0,
                Role::Send => 1,
                Role::Receive if paired.sender[id].is_none() => 2,
                Role::Receive | Role::Whole => continue,
            };
            found.entry(node.message).or_default()[which] = true;
        }
        for node in &paired.nodes {
            if let Some([true, sent, received]) = found.remove(&node.message) {
                let (runs, both) = self.left_over.entry(node.message).or_default();
                *runs += 1;
                *both += usize::from(sent && received);
            }
        }
        for (to, from) in paired.sender.iter().enumerate() {
            if let Some(from) = *from {
                let message = paired.nodes[to].message;
                let [from, to] = [from, to].map(|node| paired.lifeline(node, pool));
                self.count(Channel { message, from, to });
            }
        }
    }

    /// The same channels without counts, for another replay. If every run has unpaired emissions
    /// and unpaired receptions of a message, the message is exchanged with the environment.
    pub(super) fn emptied(&self) -> Self {
        let is_outside = |(_, (runs, both)): &(&MessageId, &(usize, usize))| runs == both;
        let found = self.left_over.iter().filter(is_outside).map(|(&message, _)| message);
        let outside = self.outside.iter().copied().chain(found).collect();
        Channels {
            usual: self.usual,
            lifeline: self.lifeline.clone(),
            outside,
            ..Channels::default()
        }
    }

    fn count(&mut self, channel: Channel) {
        let Channel { message, from, to } = channel;
        let count = self.counts.entry(channel).or_default();
        *count += 1;
        let most = self.by_sender.entry((message, from)).or_default();
        *most = (*most).max(*count);
        let most = self.by_receiver.entry((message, to)).or_default();
        *most = (*most).max(*count);
    }

    fn times(&self, channel: Channel) -> u64 {
        self.counts.get(&channel).copied().unwrap_or(0)
    }

    /// Whether a channel is used not much less than the others of its sender and its receiver.
    fn is_usual(&self, channel: Channel) -> bool {
        let Channel { message, from, to } = channel;
        let count = self.times(channel);
        let most_sent = self.by_sender.get(&(message, from)).copied().unwrap_or(0);
        let most_received = self.by_receiver.get(&(message, to)).copied().unwrap_or(0);
        count.saturating_mul(self.usual) >= most_sent.max(most_received)
    }
}
