//! Witnesses of a Pass: one global execution that explains the multi-trace.
//!
//! A witness lists, event by event, what happened, at which position of the interaction, and
//! whether it was observed; for `eliminate` also when lifelines were removed. It refers only to
//! the interaction, so [`certify`](mod@crate::certify) can replay it without any search.

use otus_core::semantics::Positions;
use otus_core::{Action, EventId, LifelineId, Pool, RegionId};

use crate::graph::state::{Occurrence, Rule};

/// A global execution that explains a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The steps, in order.
    pub steps: Vec<WitnessStep>,
}

/// One step of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessStep {
    /// An event that was observed on at least one of the components it touches.
    Observed(WitnessEvent),
    /// An event that was not observed.
    Unobserved(WitnessEvent),
    /// Lifelines that are removed from the interaction.
    Removed(RegionId),
}

impl WitnessStep {
    /// The event of this step; `None` for a removal.
    pub fn event(&self) -> Option<&WitnessEvent> {
        match self {
            WitnessStep::Observed(event) | WitnessStep::Unobserved(event) => Some(event),
            WitnessStep::Removed(_) => None,
        }
    }
}

impl From<WitnessEvent> for WitnessStep {
    /// Observed, unless no lifeline observed the event.
    fn from(event: WitnessEvent) -> Self {
        if event.observed == Pool::NONE {
            WitnessStep::Unobserved(event)
        } else {
            WitnessStep::Observed(event)
        }
    }
}

/// An event and its position in the interaction that is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessEvent {
    /// The event.
    pub event: EventId,
    /// The letters of the event's position: the path from the root, as in the papers.
    pub position: Box<[u8]>,
    /// The lifelines on which it was observed.
    pub observed: RegionId,
}

impl Witness {
    /// The witness of a path in a graph.
    pub fn new(path: &[Rule], positions: &Positions) -> Self {
        let place = |now: &Occurrence| WitnessEvent {
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

    /// The global trace: all events in order, and whether each was observed on some component (see
    /// [`WitnessEvent::observed`] for events on several lifelines).
    pub fn events(&self) -> impl Iterator<Item = (EventId, bool)> {
        let is_observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
        self.steps.iter().filter_map(move |step| Some((step.event()?.event, is_observed(step))))
    }

    /// The same execution with actions that have no peers.
    #[must_use]
    pub fn without_peers(&self, pool: &mut Pool) -> Witness {
        let mut plain = |place: &WitnessEvent| {
            let actions = pool.event_actions(place.event).iter();
            let actions: Vec<Action> =
                actions.map(|&action| pool.action(action).without_peer()).collect();
            WitnessEvent { event: pool.intern_event(&actions), ..place.clone() }
        };
        let steps = self.steps.iter().map(|step| match step {
            WitnessStep::Observed(place) => WitnessStep::Observed(plain(place)),
            WitnessStep::Unobserved(place) => WitnessStep::Unobserved(plain(place)),
            WitnessStep::Removed(region) => WitnessStep::Removed(*region),
        });
        Witness { steps: steps.collect() }
    }

    /// As text: `a!m.(b?m).−{c}`. Events that were not observed are in parentheses.
    pub fn text(&self, pool: &Pool) -> String {
        self.texts(pool).join(".")
    }

    /// The text of each step.
    pub fn texts(&self, pool: &Pool) -> Vec<String> {
        let steps = self.steps.iter().map(|step| match step {
            WitnessStep::Observed(place) => event_text(pool, place.event, place.observed),
            WitnessStep::Unobserved(place) => format!("({})", pool.event_text(place.event)),
            WitnessStep::Removed(region) => {
                format!("−{{{}}}", lifeline_names(pool, pool.region(*region).iter()))
            }
        });
        steps.collect()
    }
}

/// An event as text: `a!m`, or `{a!m, b?m}`, with unobserved actions in parentheses.
pub(crate) fn event_text(pool: &Pool, event: EventId, observed: RegionId) -> String {
    let texts = pool.event_actions(event).iter().map(|&action| {
        let action = pool.action(action);
        let text = action.text(pool.signature());
        if pool.region_contains(observed, action.lifeline) { text } else { format!("({text})") }
    });
    together(texts, ", ")
}

/// The texts of actions at one time: `a!m`, or `{a!m, b?m}`.
pub(crate) fn together(texts: impl Iterator<Item = String>, separator: &str) -> String {
    let texts: Vec<String> = texts.collect();
    if let [only] = &*texts { only.clone() } else { format!("{{{}}}", texts.join(separator)) }
}

/// The names of lifelines: `a, b`.
pub(crate) fn lifeline_names(pool: &Pool, lifelines: impl Iterator<Item = LifelineId>) -> String {
    let names: Vec<&str> = lifelines.map(|l| pool.signature().lifeline_name(l)).collect();
    names.join(", ")
}
