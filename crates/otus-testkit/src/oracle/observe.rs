//! Observations: projections of a global trace.
//!
//! A component of a partition observes the actions on its lifelines, in order. The actions of one event on a component are
//! *one moment*, a set without order. So a rendez-vous (`<synch>`) of a and b is observed
//! - by two components as `a!m` on the one and `b?m` on the other,
//! - by one component with both lifelines as the single moment `{a!m, b?m}`, and as nothing else.
//!
//! Moments are matched exactly. On one component, the trace `a!m.b?m` is two moments and does not match that rendez-vous. The
//! moment `{a!m, b?m}` does not match the asynchronous message, whose actions are two events. A moment `{a!m}` of a component
//! with both lifelines does not match a part of the rendez-vous. `hibou_label` writes traces of models with `<synch>` in this
//! way, and an observer with one clock can distinguish these cases.

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, Pool};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace, Partition};

/// The actions that a component observes at once, sorted.
pub type Moment = Vec<ActionId>;

/// A multi-trace as plain data: for each component of a partition, in order, its moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The lifelines that are observed together.
    pub partition: Partition,
    /// The moments of each component.
    pub components: Vec<Vec<Moment>>,
}

impl Observation {
    /// Nothing observed.
    pub fn empty(partition: Partition) -> Self {
        let components = vec![Vec::new(); partition.len()];
        Observation { partition, components }
    }

    /// The number of moments of all components.
    pub fn len(&self) -> usize {
        self.components.iter().map(Vec::len).sum()
    }

    /// Whether nothing was observed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same multi-trace in the form of `otus-trace`.
    pub fn to_multi_trace(&self) -> MultiTrace {
        let mut builder = Builder::new(self.partition.clone(), self.len(), false);
        for component in &self.components {
            for moment in component {
                builder.next_moment();
                for &action in moment {
                    builder.push(action, 0);
                }
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    /// As text: `[a] a!m.a?n; [b, c] {b!m, c?m}`.
    pub fn text(&self, pool: &Pool) -> String {
        let signature = pool.signature();
        let moment = |moment: &Moment| -> String {
            let actions: Vec<String> =
                moment.iter().map(|&action| pool.action(action).text(signature)).collect();
            match actions.as_slice() {
                [only] => only.clone(),
                [..] => format!("{{{}}}", actions.join(", ")),
            }
        };
        let components = self.partition.components().zip(&self.components);
        let texts = components.map(|(component, moments)| {
            let names = self.partition.lifelines(component).iter();
            let names: Vec<&str> = names.map(|&name| signature.lifeline_name(name)).collect();
            let moments: Vec<String> = moments.iter().map(moment).collect();
            format!("[{}] {}", names.join(", "), moments.join("."))
        });
        texts.collect::<Vec<_>>().join("; ")
    }
}

impl From<&MultiTrace> for Observation {
    fn from(trace: &MultiTrace) -> Self {
        let moments = |component: ComponentId| -> Vec<Moment> {
            let moments = trace.moments(component);
            moments.map(|steps| steps.iter().map(|step| step.action()).collect()).collect()
        };
        let partition = trace.partition().clone();
        let components = partition.components().map(moments).collect();
        Observation { partition, components }
    }
}

/// The moment of each component in an event; components on which it does not occur are left out.
pub fn moments(pool: &Pool, partition: &Partition, event: EventId) -> Vec<(ComponentId, Moment)> {
    let seen = |component: ComponentId| {
        let here =
            |action: &ActionId| partition.component_of(pool.action(*action).lifeline) == component;
        let mut moment: Moment = pool.event_actions(event).iter().copied().filter(here).collect();
        moment.sort_unstable();
        (!moment.is_empty()).then_some((component, moment))
    };
    partition.components().filter_map(seen).collect()
}

/// The projection of a global trace onto a partition.
pub fn project(pool: &Pool, partition: &Partition, trace: &[EventId]) -> Vec<Vec<Moment>> {
    let mut components = vec![Vec::new(); partition.len()];
    for &event in trace {
        for (component, moment) in moments(pool, partition, event) {
            components[component.index()].push(moment);
        }
    }
    components
}
