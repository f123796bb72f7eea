//! Why a multi-trace passes: one global execution that explains it.
//!
//! A witness says, event by event, what happened, where in the interaction it stood, and whether
//! it was observed; and for `eliminate`, when which lifelines were removed. It refers to nothing
//! but the interaction, so anybody can replay it (see [`certify`](mod@crate::certify)).

use otus_core::semantics::{PositionId, Positions};
use otus_core::{EventId, Pool, RegionId};

use crate::graph::state::Rule;

/// A global execution that explains a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// What happened, in order.
    pub steps: Vec<WitnessStep>,
}

/// One step of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessStep {
    /// An event that was observed.
    Observed(Place),
    /// An event that was not observed.
    Unobserved(Place),
    /// Lifelines that are no longer considered.
    Removed(RegionId),
}

/// An event and where it stands in the interaction that is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The event.
    pub event: EventId,
    /// The letters of its position.
    pub position: Box<[u8]>,
}

impl Witness {
    /// The witness of a path in a graph.
    pub fn new(path: &[Rule], positions: &Positions) -> Self {
        let place = |event: EventId, position: PositionId| Place {
            event,
            position: positions.letters(position).collect(),
        };
        let steps = path.iter().map(|rule| match rule {
            Rule::Execute(now) => WitnessStep::Observed(place(now.event, now.position)),
            Rule::Simulate(now) => WitnessStep::Unobserved(place(now.event, now.position)),
            Rule::Remove(region) => WitnessStep::Removed(*region),
        });
        Witness { steps: steps.collect() }
    }

    /// The global trace: all events in order, and whether each was observed.
    pub fn events(&self) -> impl Iterator<Item = (EventId, bool)> {
        self.steps.iter().filter_map(|step| match step {
            WitnessStep::Observed(place) => Some((place.event, true)),
            WitnessStep::Unobserved(place) => Some((place.event, false)),
            WitnessStep::Removed(_) => None,
        })
    }

    /// In words: `a!m.(b?m).−{c}`, with unobserved events in parentheses.
    pub fn text(&self, pool: &Pool) -> String {
        let event = |event: EventId| {
            let actions = pool.event_actions(event).iter();
            let texts: Vec<String> =
                actions.map(|&action| pool.action(action).text(pool.signature())).collect();
            if let [only] = texts.as_slice() {
                only.clone()
            } else {
                format!("{{{}}}", texts.join(", "))
            }
        };
        let steps = self.steps.iter().map(|step| match step {
            WitnessStep::Observed(place) => event(place.event),
            WitnessStep::Unobserved(place) => format!("({})", event(place.event)),
            WitnessStep::Removed(region) => {
                let lifelines = pool.region(*region);
                let names: Vec<&str> =
                    lifelines.iter().map(|l| pool.signature().lifeline_name(l)).collect();
                format!("−{{{}}}", names.join(", "))
            }
        });
        steps.collect::<Vec<_>>().join(".")
    }
}
