//! The actions of one group over a signature, owned.
//!
//! An [`Observed`] borrows from the reader of the logs and stays on its thread. A [`Group`] copies the actions, so
//! that they can be kept or sent to another thread, and becomes a multi-trace there ([`Group::trace`]).
//!
//! Lifelines that the signature does not have are left out with their actions, because a diagram describes its own
//! lifelines only. Actions with unknown messages stay: no specification explains such an action, so the analysis
//! reports it. A peer that the signature does not have is the environment. The peer of a span is often an address, so
//! it counts only if it is the name of a lifeline.
//!
//! A database often writes no spans itself. Its events are then *deduced* from the spans of its callers, at the times
//! of the callers. The events that come from one caller are in order. Those from several callers are not, because their
//! clocks need not agree, although a log has to be one sequence. [`Group::blurred`] lists the lifelines for which this
//! is so: the order of their events is not reliable.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_core::{Action, Direction, LifelineId, MessageId, Partners, Peer, Pool, Signature};
use otus_syntax::SourceId;
use otus_syntax::source::offset;
use rustc_hash::FxHashMap;

use super::observed::{Event, Observed};
use super::vocabulary::{RunPlace, RunValueId};
use crate::facts::{self, FactId, Facts, FieldNames};
use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition};
use crate::observed_order::ObservedOrder;
use crate::transform::learn::Pair;

/// The actions of a group.
#[derive(Debug, Clone)]
pub struct Group {
    /// The name of the group ([`Observed::name`]).
    pub id: String,
    /// The messages that the signature does not have.
    pub unknown: Vec<String>,
    /// The lifelines of the signature on which no group has an event, as far as that is known
    /// ([`Observed::silent`]).
    pub silent: Vec<LifelineId>,
    /// The lifelines all of whose events are deduced, from the spans of several callers.
    pub blurred: Vec<LifelineId>,
    components: Vec<GroupComponent>,
    /// Emissions and their receptions.
    pairs: Vec<(Position, Position)>,
    /// The order between components, as far as the logs show it.
    order: Vec<(Position, Position)>,
    /// What its actions carry, if values are kept.
    facts: Option<Box<GroupFacts>>,
}

/// The values that the actions of a group carry.
#[derive(Debug, Clone)]
struct GroupFacts {
    /// The fields, after the time.
    names: Vec<String>,
    /// By [`GroupAction::event`].
    facts: Facts,
}

/// The actions of one clock, in local order.
#[derive(Debug, Clone)]
struct GroupComponent {
    /// The lifelines of the clock in the signature, whether or not they act in this group.
    lifelines: Vec<LifelineId>,
    actions: Vec<GroupAction>,
}

/// An action, given by the index of its component and its index in the component.
#[derive(Debug, Clone, Copy)]
struct Position {
    component: usize,
    index: usize,
}

#[derive(Debug, Clone, Copy)]
struct GroupAction {
    lifeline: LifelineId,
    direction: Direction,
    message: Message,
    peer: Option<Peer>,
    /// Whether the action happened at the same moment as the action before it.
    is_joined: bool,
    place: RunPlace,
    /// The number of its event in the group.
    event: u32,
}

#[derive(Debug, Clone, Copy)]
enum Message {
    Known(MessageId),
    /// An index of [`Group::unknown`].
    Unknown(usize),
}

/// The callers whose spans imply events of a lifeline.
#[derive(Default)]
struct Callers<'r> {
    names: BTreeSet<Option<&'r str>>,
    /// Whether the lifeline has an event of its own.
    is_observed: bool,
}

impl<'r> Callers<'r> {
    fn add(&mut self, event: Event<'r>) {
        self.is_observed |= !event.is_deduced();
        self.names.insert(event.peer());
    }

    fn are_several(&self) -> bool {
        !self.is_observed && self.names.len() > 1
    }
}

impl Group {
    /// Copies the actions of a group whose lifelines a signature has.
    pub fn new(observed: &Observed<'_>, signature: &Signature) -> Group {
        let vocabulary = observed.vocabulary();
        let lifeline_of = |name: &str| vocabulary.lifeline_in(signature, name);
        let mut group = Group {
            id: observed.name().into_owned(),
            unknown: Vec::new(),
            silent: Vec::new(),
            blurred: Vec::new(),
            components: Vec::with_capacity(observed.components().len()),
            pairs: Vec::new(),
            order: Vec::new(),
            facts: GroupFacts::new(observed).map(Box::new),
        };
        let mut callers: BTreeMap<LifelineId, Callers<'_>> = BTreeMap::new();
        let mut positions: Vec<Option<Position>> = vec![None; observed.len()];
        for component in observed.components() {
            let names = vocabulary.lifelines_of(component.clock).iter();
            let lifelines: Vec<LifelineId> =
                names.filter_map(|&it| lifeline_of(vocabulary.lifeline(it))).collect();
            let mut actions: Vec<GroupAction> = Vec::with_capacity(component.events.len());
            // Whether the current moment has an action already.
            let mut is_begun = false;
            for index in component.events.clone() {
                let Some(event) = observed.event(index) else { continue };
                is_begun &= event.joined();
                let Some((direction, message)) = event.action() else { continue };
                let Some(lifeline) = lifeline_of(event.lifeline()) else { continue };
                callers.entry(lifeline).or_default().add(event);
                // A call between spans has the name of one of the two spans; the diagram may use
                // the other name.
                let known = || event.also().and_then(|also| signature.message(also));
                let message = match signature.message(message).or_else(known) {
                    Some(known) => Message::Known(known),
                    None => Message::Unknown(group.unknown(message)),
                };
                positions[index] =
                    Some(Position { component: group.components.len(), index: actions.len() });
                actions.push(GroupAction {
                    lifeline,
                    direction,
                    message,
                    peer: event.peer().and_then(|peer| match lifeline_of(peer) {
                        Some(lifeline) => Some(Peer::Lifeline(lifeline)),
                        None => (!event.is_of_span()).then_some(Peer::Environment),
                    }),
                    is_joined: is_begun,
                    place: event.place(),
                    event: offset(index),
                });
                is_begun = true;
            }
            group.components.push(GroupComponent { lifelines, actions });
        }
        let both = |&(from, to): &(usize, usize)| Some((positions[from]?, positions[to]?));
        group.pairs = observed.pairs().iter().filter_map(both).collect();
        let several = callers.iter().filter(|(_, callers)| callers.are_several());
        group.blurred = several.map(|(&lifeline, _)| lifeline).collect();
        // The log of a blurred lifeline would imply an order between the events of different
        // callers that was not observed.
        let is_sharp = |at: Position| {
            let lifeline = group.components[at.component].actions[at.index].lifeline;
            !group.blurred.contains(&lifeline)
        };
        let order = observed.happened_before();
        let order =
            order.iter().filter_map(both).filter(|&(from, to)| is_sharp(from) && is_sharp(to));
        group.order = order.collect();
        group
    }

    fn unknown(&mut self, message: &str) -> usize {
        index_of(&mut self.unknown, message)
    }

    /// Removes the peers of all actions.
    pub fn drop_peers(&mut self) {
        for action in self.components.iter_mut().flat_map(|component| &mut component.actions) {
            action.peer = None;
        }
    }

    /// Leaves out the actions whose messages the signature does not have.
    pub fn drop_unknown(&mut self) {
        if self.unknown.is_empty() {
            return;
        }
        self.unknown.clear();
        self.retain(|act| matches!(act.message, Message::Known(_)));
    }

    /// Leaves out the actions of a file behind a line, because they came later than what is asked about.
    pub fn drop_after(&mut self, last: RunPlace) {
        self.retain(|act| act.place.file != last.file || act.place.line <= last.line);
    }

    fn retain(&mut self, is_kept: impl Fn(&GroupAction) -> bool) {
        let mut moved: Vec<Vec<Option<usize>>> = Vec::new();
        for component in &mut self.components {
            let mut left = 0;
            let new = component.actions.iter().map(|act| {
                is_kept(act).then(|| {
                    left += 1;
                    left - 1
                })
            });
            moved.push(new.collect());
            // The first remaining action of a moment begins the moment.
            let mut is_begun = false;
            component.actions.retain_mut(|act| {
                is_begun &= act.is_joined;
                let is_kept = is_kept(act);
                if is_kept {
                    act.is_joined = is_begun;
                    is_begun = true;
                }
                is_kept
            });
        }
        let position = |it: Position| {
            let index = moved[it.component][it.index]?;
            Some(Position { index, ..it })
        };
        let both = |&(from, to): &(Position, Position)| Some((position(from)?, position(to)?));
        self.pairs = self.pairs.iter().filter_map(both).collect();
        self.order = self.order.iter().filter_map(both).collect();
    }

    /// The number of its actions.
    pub fn len(&self) -> usize {
        self.components.iter().map(|component| component.actions.len()).sum()
    }

    /// Whether it has no action.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The multi-trace over the letters that the partners of an interaction need. Messages that the pool does not have
    /// are added to it. Components are in the order of their first lifelines, so that groups have the same partition
    /// even if different lifelines act in them. [`Group::place`] finds the line of a step.
    pub fn trace(&self, pool: &mut Pool, partners: &Partners) -> MultiTrace {
        self.build(pool, &|action, peer| partners.letter(action, peer))
    }

    /// The multi-trace whose letters have all peers that are known.
    pub fn trace_with_peers(&self, pool: &mut Pool) -> MultiTrace {
        self.build(pool, &|action, peer| Action { peer: Some(peer), ..action })
    }

    fn build(&self, pool: &mut Pool, with_peer: &dyn Fn(Action, Peer) -> Action) -> MultiTrace {
        let count = pool.signature().lifeline_count();
        let unknown: Vec<MessageId> =
            self.unknown.iter().map(|message| pool.add_message(message)).collect();
        let components = self.components.iter().map(|component| component.lifelines.clone());
        let partition = sorted(components.collect(), count);
        // The first lifeline of a component identifies the component of the group.
        let ours: Vec<Option<&GroupComponent>> = partition
            .components()
            .map(|component| self.with_lifeline(*partition.lifelines(component).first()?))
            .collect();
        let mut builder = Builder::new(partition, self.len(), true);
        for component in ours {
            let actions = component.map_or(&[][..], |component| &component.actions);
            for (index, act) in actions.iter().enumerate() {
                if !act.is_joined {
                    builder.next_moment();
                }
                let message = match act.message {
                    Message::Known(message) => message,
                    Message::Unknown(index) => unknown[index],
                };
                let GroupAction { lifeline, direction, peer, .. } = *act;
                let action = Action { lifeline, direction, message, peer: None };
                let letter = peer.map_or(action, |peer| with_peer(action, peer));
                builder.push(pool.intern_action(letter), offset(index));
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    /// What the steps of the multi-trace carry of some fields. Everything is unknown if no values were kept
    /// ([`Plan::keep`](crate::mapping::Plan::keep)).
    pub fn facts(&self, trace: &MultiTrace, fields: &FieldNames) -> Facts {
        let Some(own) = &self.facts else { return Facts::unknown(trace, fields.items.len()) };
        let mut origins = Vec::with_capacity(trace.len());
        for component in trace.partition().components() {
            let first = trace.partition().lifelines(component).first();
            let ours = first.and_then(|&first| self.with_lifeline(first));
            let actions = ours.map_or(&[][..], |ours| &ours.actions);
            origins.extend((0..trace.steps(component).len()).map(|step| {
                let place = trace.place(component, step);
                let action = place.and_then(|(_, index)| actions.get(index as usize));
                action.map_or(facts::NEW, |action| action.event)
            }));
        }
        let number = |name: &str| own.names.iter().position(|known| known == name);
        let others = fields.items.iter().skip(1).map(|name| number(name).map(|at| at + 1));
        let columns: Vec<Option<usize>> = std::iter::once(Some(0)).chain(others).collect();
        own.facts.gathered(trace, &origins, &columns)
    }

    /// The place in the logs of a step of the multi-trace.
    pub fn place(
        &self,
        trace: &MultiTrace,
        component: ComponentId,
        step: usize,
    ) -> Option<RunPlace> {
        let (_, index) = trace.place(component, step)?;
        let first = trace.partition().lifelines(component).first()?;
        Some(self.with_lifeline(*first)?.actions.get(index as usize)?.place)
    }

    /// The known pairs of the multi-trace.
    pub fn pairs(&self, trace: &MultiTrace) -> Vec<Pair> {
        self.steps(trace, &self.pairs)
    }

    /// The order that was observed between the logs of the multi-trace; `None` if there is none.
    pub fn order(&self, trace: &MultiTrace) -> Option<ObservedOrder> {
        let order = ObservedOrder::new(trace, &self.steps(trace, &self.order));
        Some(order).filter(|order| !order.is_empty())
    }

    /// The steps of some pairs of actions.
    fn steps(&self, trace: &MultiTrace, pairs: &[(Position, Position)]) -> Vec<Pair> {
        if pairs.is_empty() {
            return Vec::new();
        }
        let partition = trace.partition();
        let steps: Vec<Vec<usize>> = partition
            .components()
            .map(|component| {
                let length = trace.steps(component).len();
                let mut steps = vec![0; length];
                for step in 0..length {
                    if let Some((_, index)) = trace.place(component, step) {
                        steps[index as usize] = step;
                    }
                }
                steps
            })
            .collect();
        let step = |position: Position| {
            let first = *self.components[position.component].lifelines.first()?;
            let component = partition.component_of(first);
            Some((component, *steps[component.0 as usize].get(position.index)?))
        };
        let pair =
            |&(from, to): &(Position, Position)| Some(Pair { from: step(from)?, to: step(to)? });
        pairs.iter().filter_map(pair).collect()
    }

    fn with_lifeline(&self, lifeline: LifelineId) -> Option<&GroupComponent> {
        self.components.iter().find(|component| component.lifelines.contains(&lifeline))
    }
}

impl GroupFacts {
    /// Copies the values of a group; `None` if it has none.
    fn new(observed: &Observed<'_>) -> Option<GroupFacts> {
        let kept = observed.kept();
        let carries = |event: Event<'_>| event.time().is_some() || !event.value_ids().is_empty();
        let id_field = kept.iter().position(|name| name == "id");
        if id_field.is_none() && !observed.events().any(carries) {
            return None;
        }
        let mut facts = Facts::of_events(observed.len(), kept.len() + 1);
        let mut ids: FxHashMap<RunValueId, FactId> = FxHashMap::default();
        let all = ComponentId(0);
        for (number, event) in observed.events().enumerate() {
            if let Some(time) = event.time() {
                facts.set_time(all, number, time);
            }
            // What a rule lists under `id` counts, else what pairs the message.
            if let Some((field, id)) = id_field.zip(event.id_value()) {
                facts.set(FieldId::new(field + 1), all, number, id);
            }
            for &(field, value) in event.value_ids() {
                let id = *ids
                    .entry(value)
                    .or_insert_with(|| facts.intern(observed.vocabulary().value(value).clone()));
                facts.set_id(FieldId::new(field as usize + 1), all, number, id);
            }
        }
        Some(GroupFacts { names: kept.to_vec(), facts })
    }
}

/// The partition with these components, in the order of their first lifelines.
fn sorted(mut components: Vec<Vec<LifelineId>>, count: usize) -> Partition {
    let mut is_taken = vec![false; count];
    for lifeline in components.iter().flatten() {
        is_taken[lifeline.0 as usize] = true;
    }
    let alone = (0..count).filter(|&number| !is_taken[number]);
    components.extend(alone.map(|number| vec![LifelineId::new(number)]));
    components.retain(|component| !component.is_empty());
    components.sort_by_key(|component| component.iter().min().copied());
    Partition::new(components, count)
}

/// The index of a name in a list, to which it is added if it is new.
fn index_of(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|other| other == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}
