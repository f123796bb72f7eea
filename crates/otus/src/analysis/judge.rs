//! Judges multi-traces that a caller makes, one after the other.
//!
//! A [`Judge`] is one worker that keeps its engines: the first verdict takes some hundred microseconds, the next ones a few.
//! Its cases are those that the same multi-traces get as files.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use otus_core::Pool;
use otus_trace::{Facts, MultiTrace, Partition};

use super::pipeline::Slot;
use super::places::{From, Origin, TablePlaces};
use super::plan::Plan;
use super::worker::{MapCase, Part, Trouble, Worker};
use crate::case::Case;
use crate::error::{Error, Result};
use crate::run::Run;

pub(crate) struct Judge {
    plan: Arc<Plan>,
    worker: Worker<Case>,
    /// That of all multi-traces.
    partition: Arc<Partition>,
    /// The number of pools that were replaced.
    generation: u64,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl Judge {
    pub(crate) fn new(plan: Plan, partition: Partition) -> Judge {
        let plan = Arc::new(plan);
        let map: MapCase<Case> = Arc::new(|case, _| Some(case.clone()));
        let worker = Worker::new(plan.clone(), map);
        Judge { plan, worker, partition: Arc::new(partition), generation: 1 }
    }

    /// The partition over which multi-traces are made. All of them share it, so that they share an engine.
    pub(crate) fn partition(&self) -> &Arc<Partition> {
        &self.partition
    }

    /// The pool over which multi-traces are made. A multi-trace with unknown messages is made over a copy of it.
    pub(crate) fn pool(&mut self) -> &mut Pool {
        self.worker.pool()
    }

    /// Tells pools apart: actions that were added to one are not in the next.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The case of the run of a table. With messages that the specification lacks, `names` is the pool that has them.
    ///
    /// # Errors
    /// The reason why it cannot be checked.
    pub(crate) fn judge_table(
        &mut self,
        places: &TablePlaces<'_>,
        facts: Option<&Facts>,
        names: Option<&Pool>,
    ) -> Result<Case, String> {
        let origin = Origin { from: From::Table { places }, names };
        self.judge(places.run, (places.trace, facts), &origin)
    }

    fn judge(
        &mut self,
        id: &str,
        observed: (&MultiTrace, Option<&Facts>),
        origin: &Origin<'_>,
    ) -> Result<Case, String> {
        let slot = Slot::default();
        self.worker.judge(id, observed, origin, &slot);
        self.generation += u64::from(self.worker.renew());
        let piece = slot.into_piece();
        match piece.cases.into_iter().next() {
            Some(Part::Done(case)) => Ok(case),
            Some(Part::Tentative(case)) => {
                let is_explained = usize::from(case.explanation.is_some());
                self.plan.explained.fetch_add(is_explained, Ordering::Relaxed);
                Ok(*case)
            }
            None => {
                let reasons = piece.troubles.iter().filter_map(Trouble::unusable);
                Err(reasons.map(|it| it.message).next().unwrap_or_default())
            }
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
    let partition = observed.0.partition().clone();
    let origin = Origin { from: From::Recorded { run }, names: Some(pool) };
    Judge::new(plan, partition).judge("run", observed, &origin).map_err(Error::Unfit)
}
