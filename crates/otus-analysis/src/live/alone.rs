//! Slices of loops: each log by itself.
//!
//! If the whole interaction is a loop, and every log may start late and stop early, each log is explained or not by itself
//! ([`decompose`](crate::engine)). So a residual of each component's own projection is all that a group has to remember.
//! Nothing is held, and components need not be decoupled.

use super::Why;
use crate::budget::Stop;
use crate::engine::residuals::{ExprId, LeafId, NEVER, Residuals};

/// For each component, its residual; `None` if every event of the interaction can be next.
#[derive(Debug)]
pub(super) struct Alone(Box<[Option<ExprId>]>);

impl Alone {
    pub(super) fn new(starts: &[Option<ExprId>]) -> Alone {
        Alone(starts.into())
    }

    /// Takes an event. Returns whether what has arrived is explained.
    #[inline]
    pub(super) fn push(
        &mut self,
        residuals: &mut Residuals,
        most: u32,
        component: usize,
        leaf: LeafId,
    ) -> Result<bool, Why> {
        let Some(expr) = &mut self.0[component] else { return Ok(true) };
        let next = residuals.step(*expr, leaf)?;
        let next = residuals.reduce(next)?;
        if residuals.size(next) > most {
            return Err(Why::Stopped(Stop::States));
        }
        *expr = next;
        Ok(next != NEVER)
    }

    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.0.iter_mut().flatten()
    }
}
