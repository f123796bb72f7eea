//! Why a multi-trace passes: one global execution that explains it.
//!
//! A witness says, event by event, what happened, where in the interaction it stood, and whether
//! it was observed; and for `eliminate`, when which lifelines were removed. It refers to nothing
//! but the interaction, so anybody can replay it (see [`certify`](mod@crate::certify)).

use otus_core::semantics::Positions;
use otus_core::{EventId, Pool, RegionId};

use crate::graph::state::{Happening, Rule};

/// A global execution that explains a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// What happened, in order.
    pub steps: Vec<WitnessStep>,
}

/// One step of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessStep {
    /// An event that was observed, on one of the components it touches at least.
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
    /// The lifelines on which it was observed.
    pub observed: RegionId,
}

impl Witness {
    /// The witness of a path in a graph.
    pub fn new(path: &[Rule], positions: &Positions) -> Self {
        let place = |now: &Happening| Place {
            event: now.event,
            position: positions.letters(now.position).collect(),
            observed: now.observed,
        };
        let steps = path.iter().map(|rule| match rule {
            Rule::Execute(now) => WitnessStep::Observed(place(now)),
            Rule::Simulate(now) => WitnessStep::Unobserved(place(now)),
            Rule::Remove(region) => WitnessStep::Removed(*region),
        });
        Witness { steps: steps.collect() }
    }

    /// The global trace: all events in order, and whether each was observed (see
    /// [`Place::observed`] for events of several lifelines).
    pub fn events(&self) -> impl Iterator<Item = (EventId, bool)> {
        self.steps.iter().filter_map(|step| match step {
            WitnessStep::Observed(place) => Some((place.event, true)),
            WitnessStep::Unobserved(place) => Some((place.event, false)),
            WitnessStep::Removed(_) => None,
        })
    }

    /// As text: `a!m.(b?m).−{c}`. Events that were not observed are in parentheses.
    pub fn text(&self, pool: &Pool) -> String {
        self.texts(pool).join(".")
    }

    /// The text of each step.
    pub fn texts(&self, pool: &Pool) -> Vec<String> {
        let steps = self.steps.iter().map(|step| match step {
            WitnessStep::Observed(place) => event(pool, place.event, place.observed),
            WitnessStep::Unobserved(place) => {
                let all = pool.event_lifelines(place.event);
                format!("({})", event(pool, place.event, all))
            }
            WitnessStep::Removed(region) => {
                let lifelines = pool.region(*region);
                let names: Vec<&str> =
                    lifelines.iter().map(|l| pool.signature().lifeline_name(l)).collect();
                format!("−{{{}}}", names.join(", "))
            }
        });
        steps.collect()
    }
}

/// An event: `a!m`, or `{a!m, b?m}`, with what was not observed in parentheses.
pub(crate) fn event(pool: &Pool, event: EventId, observed: RegionId) -> String {
    let texts = pool.event_actions(event).iter().map(|&action| {
        let action = pool.action(action);
        let text = action.text(pool.signature());
        if pool.region_contains(observed, action.lifeline) { text } else { format!("({text})") }
    });
    let texts: Vec<String> = texts.collect();
    if let [only] = texts.as_slice() { only.clone() } else { format!("{{{}}}", texts.join(", ")) }
}
