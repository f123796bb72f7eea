//! Slices of loops: each log by itself.
//!
//! If the whole interaction is a loop, and every log may start late and stop early, each log is explained or not by itself
//! ([`decompose`](crate::engine)). So a residual of each component's own projection is all that a group has to remember,
//! and components need not be decoupled.
//!
//! If the residual of a component would become too large, its events from there on are kept, and searched at each event,
//! with alternatives one by one.

use otus_core::ActionId;
use otus_trace::multitrace::Step;

use super::standing::Why;
use crate::engine::Ending;
use crate::engine::residuals::{ExprId, LeafId, NEVER, Residuals, TOO_LARGE};

/// For each component, its past; `None` if every event of the interaction can be next.
#[derive(Debug)]
pub(super) struct Alone(Box<[Option<Single>]>);

#[derive(Debug)]
struct Single {
    expr: ExprId,
    /// The events after the residual became too large.
    rest: Vec<Step>,
}

/// How far residuals may grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) size: u32,
    /// The number of events that may be kept.
    pub(super) kept: usize,
}

impl Alone {
    pub(super) fn new(starts: &[Option<ExprId>]) -> Alone {
        let single = |start: &Option<ExprId>| start.map(|expr| Single { expr, rest: Vec::new() });
        Alone(starts.iter().map(single).collect())
    }

    /// Takes an event. Returns whether what has arrived is explained.
    pub(super) fn push(
        &mut self,
        residuals: &mut Residuals,
        most: Most,
        component: usize,
        moment: &[ActionId],
        leaf: LeafId,
    ) -> Result<bool, Why> {
        let Some(single) = &mut self.0[component] else { return Ok(true) };
        if single.rest.is_empty() {
            let mut next = residuals.step(single.expr, leaf)?;
            if next != TOO_LARGE {
                next = residuals.reduce(next)?;
            }
            if residuals.size(next) <= most.size {
                single.expr = next;
                return Ok(next != NEVER);
            }
        }
        single.rest.extend(Step::moment(moment));
        if single.rest.len() > most.kept {
            return Err(Why::Kept);
        }
        let mut rest = vec![Vec::new(); residuals.count()];
        rest[component] = std::mem::take(&mut single.rest);
        let endings = vec![Ending::Early; rest.len()];
        let found = residuals.explains(single.expr, &rest, &endings);
        single.rest = std::mem::take(&mut rest[component]);
        Ok(found?)
    }

    /// The approximate memory beside the tables.
    pub(super) fn bytes(&self) -> usize {
        let rest: usize = self.0.iter().flatten().map(|single| 4 * single.rest.capacity()).sum();
        size_of_val(&*self.0) + rest
    }

    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.0.iter_mut().flatten().map(|single| &mut single.expr)
    }
}
