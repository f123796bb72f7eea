//! Judges multi-traces that a caller makes, one after the other.
//!
//! A [`Judge`] is one worker that keeps its engines: the first verdict takes some hundred microseconds, the next ones a few.
//! Its cases are those that the same multi-traces get as files.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use otus_core::Pool;
use otus_trace::{Facts, MultiTrace};

use super::pipeline::Slot;
use super::places::{From, Origin};
use super::plan::Plan;
use super::worker::{MapCase, Part, Piece, Trouble, Worker};
use crate::case::Case;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::table::{Known, RunRows};

pub(crate) struct Judge {
    plan: Arc<Plan>,
    worker: Worker<Case>,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl Judge {
    pub(crate) fn new(plan: Plan) -> Judge {
        let plan = Arc::new(plan);
        let map: MapCase<Case> = Arc::new(|case, _| Some(case.clone()));
        let worker = Worker::new(plan.clone(), map);
        Judge { plan, worker }
    }

    /// The case of the run of a table, whose events are ordered by a column.
    ///
    /// # Errors
    /// The reason why it cannot be checked.
    pub(crate) fn judge_rows(
        &mut self,
        (run, column): (&str, &str),
        rows: &mut RunRows,
        known: &Known,
    ) -> Result<Case, String> {
        let slot = Slot::default();
        self.worker.rows((run, column), rows, known, &slot);
        only_case(&self.plan, slot.into_piece())
    }

    fn judge(
        &mut self,
        id: &str,
        observed: (&MultiTrace, Option<&Facts>),
        origin: &Origin<'_>,
    ) -> Result<Case, String> {
        let slot = Slot::default();
        self.worker.judge(id, observed, origin, &slot);
        only_case(&self.plan, slot.into_piece())
    }
}

/// The case of the only multi-trace of a piece; its explanation counts as one of the first. The error is the reason why it
/// cannot be checked.
pub(super) fn only_case(plan: &Plan, piece: Piece<Case>) -> Result<Case, String> {
    match piece.cases.into_iter().next() {
        Some(Part::Done(case)) => Ok(case),
        Some(Part::Tentative(case)) => {
            let is_explained = usize::from(case.explanation.is_some());
            plan.explained.fetch_add(is_explained, Ordering::Relaxed);
            Ok(*case)
        }
        None => {
            let reasons = piece.troubles.iter().filter_map(Trouble::unusable);
            Err(reasons.map(|it| it.message).next().unwrap_or_default())
        }
    }
}

/// Checks events that a program recorded, as a multi-trace over a pool that has its messages.
pub(crate) fn check_recorded(
    plan: Plan,
    run: &Run,
    observed: (&MultiTrace, Option<&Facts>),
    pool: &Pool,
) -> Result<Case> {
    let origin = Origin { from: From::Recorded { run }, names: Some(pool) };
    Judge::new(plan).judge("run", observed, &origin).map_err(Error::Unfit)
}
