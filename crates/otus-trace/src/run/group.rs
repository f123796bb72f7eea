//! The actions of one group over a signature, owned.
//!
//! An [`Observed`] borrows from the reader of the logs and stays on its thread. A [`Group`] copies the actions, so
//! that they can be kept or sent to another thread, and becomes a multi-trace there ([`Group::trace`]).
//!
//! Lifelines that the signature does not have are left out with their actions, because a diagram describes its own
//! lifelines only. Messages that it does not have stay: no specification explains such an action, and that is a
//! finding.

use otus_core::index::Index as _;
use otus_core::{Action, Direction, LifelineId, MessageId, Pool, Signature};
use otus_syntax::SourceId;
use otus_syntax::source::offset;

use super::observed::Observed;
use super::vocabulary::RunPlace;
use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition};
use crate::transform::learn::Pair;

/// The actions of a group.
#[derive(Debug, Clone)]
pub struct Group {
    /// The name of the group ([`Observed::name`]).
    pub id: String,
    /// The messages that the signature does not have.
    pub unknown: Vec<String>,
    components: Vec<GroupComponent>,
    /// Emissions and their receptions.
    pairs: Vec<(Position, Position)>,
}

/// The actions of one clock, in local order.
#[derive(Debug, Clone)]
struct GroupComponent {
    /// Its lifelines in the signature, acting in this group or not.
    lifelines: Vec<LifelineId>,
    actions: Vec<GroupAction>,
}

/// An action by the indices of its component and of itself in there.
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
    /// Whether it happened at the moment of the one before it.
    is_joined: bool,
    place: RunPlace,
}

#[derive(Debug, Clone, Copy)]
enum Message {
    Known(MessageId),
    /// An index of [`Group::unknown`].
    Unknown(usize),
}

impl Group {
    /// Copies the actions of a group whose lifelines a signature has.
    pub fn new(observed: &Observed<'_>, signature: &Signature) -> Group {
        let vocabulary = observed.vocabulary();
        // A name of the logs is the name or the label of a lifeline; with both in the logs, only the name counts.
        let lifeline_of = |name: &str| {
            signature.lifeline(name).or_else(|| {
                let labelled = signature.lifeline_called(name)?;
                let is_named = vocabulary.has_lifeline(signature.lifeline_name(labelled));
                (!is_named).then_some(labelled)
            })
        };
        let mut group = Group {
            id: observed.name().into_owned(),
            unknown: Vec::new(),
            components: Vec::with_capacity(observed.components().len()),
            pairs: Vec::new(),
        };
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
                let message = match signature.message(message) {
                    Some(known) => Message::Known(known),
                    None => Message::Unknown(group.unknown(message)),
                };
                positions[index] =
                    Some(Position { component: group.components.len(), index: actions.len() });
                let place = event.place();
                actions.push(GroupAction {
                    lifeline,
                    direction,
                    message,
                    is_joined: is_begun,
                    place,
                });
                is_begun = true;
            }
            group.components.push(GroupComponent { lifelines, actions });
        }
        let both = |&(from, to): &(usize, usize)| Some((positions[from]?, positions[to]?));
        group.pairs = observed.pairs().iter().filter_map(both).collect();
        group
    }

    fn unknown(&mut self, message: &str) -> usize {
        let known = self.unknown.iter().position(|other| other == message);
        known.unwrap_or_else(|| {
            self.unknown.push(message.to_owned());
            self.unknown.len() - 1
        })
    }

    /// The number of its actions.
    pub fn len(&self) -> usize {
        self.components.iter().map(|component| component.actions.len()).sum()
    }

    /// Whether it has no action.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The multi-trace. Messages that the pool does not have are added to it. Components are in the
    /// order of their first lifelines, so that groups in which others were silent have the same
    /// partition; [`Group::place`] finds the place of a step.
    pub fn trace(&self, pool: &mut Pool) -> MultiTrace {
        let count = pool.signature().lifeline_count();
        let unknown: Vec<MessageId> =
            self.unknown.iter().map(|message| pool.add_message(message)).collect();
        let components = self.components.iter().map(|component| component.lifelines.clone());
        let partition = sorted(components.collect(), count);
        // The first lifeline of a component tells which of ours it is.
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
                let GroupAction { lifeline, direction, .. } = *act;
                let action = pool.intern_action(Action { lifeline, direction, message });
                builder.push(action, offset(index));
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
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
        self.pairs.iter().filter_map(pair).collect()
    }

    fn with_lifeline(&self, lifeline: LifelineId) -> Option<&GroupComponent> {
        self.components.iter().find(|component| component.lifelines.contains(&lifeline))
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
