//! The order that was observed between logs.
//!
//! The actions of one log are in order. Ids of messages, parents of spans and vector clocks also tell that an action of
//! one log *happened before* an action of another. An *ordered multi-trace* is a multi-trace with such edges. A
//! global trace explains it if it explains the multi-trace such that, for every edge, the event of the first action
//! is not after the event of the second one (both may be one event, if the message is passed synchronously):
//!
//! ```text
//! t explains (µ, ≺)   iff   t explains µ at positions p, and x ≺ y implies p(x) ≤ p(y)
//! ```
//!
//! So the explanations are the linear extensions of the observed order that the interaction allows.

use std::ops::Range;

use otus_core::index::Index as _;

use crate::multitrace::{ComponentId, MultiTrace};
use crate::transform::learn::Pair;

/// Edges between the logs of a multi-trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedOrder {
    /// For each component: the causes of its actions, by step.
    causes: Vec<Vec<Cause>>,
}

/// An action of another log that happened before an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// The index of the action in its log.
    pub step: u32,
    /// The log of the cause.
    pub component: ComponentId,
    /// The index of the cause in its log.
    pub cause: u32,
}

impl ObservedOrder {
    /// The order with these edges. Edges within a log are dropped, because a log is ordered anyway.
    pub fn new(trace: &MultiTrace, edges: &[Pair]) -> ObservedOrder {
        let mut causes = vec![Vec::new(); trace.partition().len()];
        for edge in edges.iter().filter(|edge| edge.from.0 != edge.to.0) {
            let step = |step: usize| u32::try_from(step).unwrap_or(u32::MAX);
            let ((component, cause), (to, effect)) = (edge.from, edge.to);
            let cause = Cause { step: step(effect), component, cause: step(cause) };
            causes[to.index()].push(cause);
        }
        for causes in &mut causes {
            causes.sort_unstable();
            causes.dedup();
        }
        ObservedOrder { causes }
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.causes.iter().all(Vec::is_empty)
    }

    /// The causes of some actions of a log.
    pub fn causes(&self, component: ComponentId, steps: Range<u32>) -> &[Cause] {
        let Some(all) = self.causes.get(component.index()) else { return &[] };
        let first = all.partition_point(|cause| cause.step < steps.start);
        let count = all[first..].partition_point(|cause| cause.step < steps.end);
        &all[first..first + count]
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = Pair> {
        self.causes.iter().enumerate().flat_map(|(component, causes)| {
            causes.iter().map(move |cause| Pair {
                from: (cause.component, cause.cause as usize),
                to: (ComponentId::new(component), cause.step as usize),
            })
        })
    }

    /// The order with some of the edges.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&Pair) -> bool) -> ObservedOrder {
        let mut order = self.clone();
        for (component, causes) in order.causes.iter_mut().enumerate() {
            causes.retain(|cause| {
                keep(&Pair {
                    from: (cause.component, cause.cause as usize),
                    to: (ComponentId::new(component), cause.step as usize),
                })
            });
        }
        order
    }
}
