//! A group of raw logs on its way to an analysis: its actions over a signature, and their places.
//!
//! What the reader of logs gives away is only there for a moment and belongs to one thread; a
//! [`Group`] is kept and sent. Lifelines that the signature does not have are left out with their
//! actions, because a diagram speaks of its own lifelines only. Messages that it does not have stay:
//! an action that no diagram has is one that cannot have happened.

use otus_core::index::Index as _;
use otus_core::{Action, Direction, LifelineId, MessageId, Pool, Signature};
use otus_syntax::SourceId;
use otus_syntax::source::offset;
use otus_trace::multitrace::Builder;
use otus_trace::run::{Observed, RunPlace};
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, MultiTrace, Partition};

use crate::logs;

/// The actions of a group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its key.
    pub id: String,
    /// The lifelines of each component, and its actions.
    components: Vec<(Vec<LifelineId>, Vec<Act>)>,
    /// Messages that the signature does not have.
    pub unknown: Vec<String>,
    /// Emissions and their receptions, as a component and an index of its actions.
    pairs: Vec<(At, At)>,
}

type At = (usize, usize);

#[derive(Debug, Clone, Copy)]
struct Act {
    lifeline: LifelineId,
    direction: Direction,
    message: Message,
    /// Whether it is at the moment of the one before it.
    joined: bool,
    place: RunPlace,
}

#[derive(Debug, Clone, Copy)]
enum Message {
    Known(MessageId),
    /// By index.
    Unknown(usize),
}

impl Group {
    pub fn new(observed: &Observed<'_>, signature: &Signature) -> Group {
        let vocabulary = observed.vocabulary();
        let mut group = Group {
            id: logs::name_of(observed),
            components: Vec::with_capacity(observed.components().len()),
            unknown: Vec::new(),
            pairs: Vec::new(),
        };
        let mut at: Vec<Option<At>> = vec![None; observed.len()];
        for component in observed.components() {
            let names = vocabulary.lifelines_of(component.clock).iter();
            let lifelines: Vec<LifelineId> =
                names.filter_map(|&it| signature.lifeline(vocabulary.lifeline(it))).collect();
            let mut acts: Vec<Act> = Vec::with_capacity(component.events.len());
            // Whether an action of the current moment is there already.
            let mut begun = false;
            for index in component.events.clone() {
                let Some(event) = observed.event(index) else { continue };
                begun &= event.joined();
                let Some((direction, message)) = event.action() else { continue };
                let Some(lifeline) = signature.lifeline(event.lifeline()) else { continue };
                let message = match signature.message(message) {
                    Some(known) => Message::Known(known),
                    None => Message::Unknown(group.unknown(message)),
                };
                at[index] = Some((group.components.len(), acts.len()));
                let place = event.place();
                acts.push(Act { lifeline, direction, message, joined: begun, place });
                begun = true;
            }
            group.components.push((lifelines, acts));
        }
        let both = |&(from, to): &(usize, usize)| Some((at[from]?, at[to]?));
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

    /// How many actions it has.
    pub fn len(&self) -> usize {
        self.components.iter().map(|(_, acts)| acts.len()).sum()
    }

    /// The multi-trace. Messages that the pool does not have are added to it. Components are in the
    /// order of their first lifelines, so that groups in which others were silent have the same
    /// partition; [`Group::place`] finds the place of a step.
    pub fn trace(&self, pool: &mut Pool) -> MultiTrace {
        let count = pool.signature().lifeline_count();
        let unknown: Vec<MessageId> =
            self.unknown.iter().map(|message| pool.add_message(message)).collect();
        let components = self.components.iter().map(|(lifelines, _)| lifelines.clone());
        let partition = sorted(components.collect(), count);
        // The first lifeline of a component tells which of ours it is.
        let ours: Vec<Option<usize>> = partition
            .components()
            .map(|component| {
                let first = *partition.lifelines(component).first()?;
                self.components.iter().position(|(lifelines, _)| lifelines.contains(&first))
            })
            .collect();
        let mut builder = Builder::new(partition, self.len(), true);
        for number in ours {
            for (index, act) in
                number.iter().flat_map(|&it| self.components[it].1.iter().enumerate())
            {
                if !act.joined {
                    builder.next_moment();
                }
                let message = match act.message {
                    Message::Known(message) => message,
                    Message::Unknown(index) => unknown[index],
                };
                let Act { lifeline, direction, .. } = *act;
                let action = pool.intern_action(Action { lifeline, direction, message });
                builder.push(action, offset(index));
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    /// Where a step of the multi-trace was read.
    pub fn place(&self, trace: &MultiTrace, component: ComponentId, step: usize) -> Option<Place> {
        let (_, index) = trace.place(component, step)?;
        let first = trace.partition().lifelines(component).first()?;
        let (_, acts) = self.components.iter().find(|(lifelines, _)| lifelines.contains(first))?;
        Some(acts.get(index as usize)?.place)
    }

    /// The pairs of the multi-trace, as far as it is known what belongs together.
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
        let step = |(component, index): At| {
            let first = *self.components[component].0.first()?;
            let component = partition.component_of(first);
            Some((component, *steps[component.0 as usize].get(index)?))
        };
        let pair = |&(from, to): &(At, At)| Some(Pair { from: step(from)?, to: step(to)? });
        self.pairs.iter().filter_map(pair).collect()
    }
}

/// The partition with these components, in the order of their first lifelines.
fn sorted(mut components: Vec<Vec<LifelineId>>, count: usize) -> Partition {
    let mut taken = vec![false; count];
    for lifeline in components.iter().flatten() {
        taken[lifeline.0 as usize] = true;
    }
    let alone = (0..count).filter(|&number| !taken[number]);
    components.extend(alone.map(|number| vec![LifelineId::new(number)]));
    components.retain(|component| !component.is_empty());
    components.sort_by_key(|component| component.iter().min().copied());
    Partition::new(components, count)
}
