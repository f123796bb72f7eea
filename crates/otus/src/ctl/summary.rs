//! The counts of answers, and the exit status.

use std::time::Duration;

use otus_core::budget::Stop;
use otus_trace::order::PartialOrder;
use serde::Serialize;

use super::answer::Answer;
use crate::summary::{FailOn, Status};
use crate::units::counted;

/// The answers to a request, counted, and the size of its trace.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The processes of the trace.
    pub processes: usize,
    /// The events of the trace.
    pub events: usize,
    /// The edges of the trace between different processes.
    pub edges: usize,
    /// The formulas that were asked.
    pub formulas: usize,
    /// The number of formulas that hold.
    pub hold: usize,
    /// The number of formulas that fail.
    pub fail: usize,
    /// The number of formulas that a limit or a cancellation left undecided.
    pub undecided: usize,
    /// The number of warnings about the formulas.
    pub warnings: usize,
    /// Whether the check was cancelled.
    pub interrupted: bool,
    /// The formulas that are decided but whose cuts could not be counted.
    #[serde(skip)]
    pub uncounted: usize,
    /// The formulas that are decided but whose warnings are not complete.
    #[serde(skip)]
    pub unwarned: usize,
    /// A description of the raw logs that the trace comes from.
    #[serde(skip)]
    pub logs: Option<String>,
    /// The name of the trace, or a description of its logs.
    #[serde(skip)]
    pub trace: String,
}

impl Summary {
    pub(super) fn new(
        trace: &PartialOrder,
        formulas: usize,
        name: &str,
        logs: Option<String>,
    ) -> Self {
        Summary {
            trace: logs.clone().unwrap_or_else(|| name.to_owned()),
            processes: trace.process_count(),
            events: trace.event_count(),
            edges: trace.edges().len(),
            formulas,
            logs,
            ..Summary::default()
        }
    }

    pub(super) fn add(&mut self, answer: &Answer) {
        match answer.holds {
            Some(true) => self.hold += 1,
            Some(false) => self.fail += 1,
            None => self.undecided += 1,
        }
        if answer.holds.is_some() && answer.uncounted.is_some() {
            self.uncounted += 1;
        }
        self.warnings += answer.warnings.len();
        self.unwarned += usize::from(answer.holds.is_some() && answer.unwarned.is_some());
        let stops = [answer.undecided, answer.uncounted, answer.unexplained, answer.unwarned];
        self.interrupted |= stops.contains(&Some(Stop::Cancelled));
    }

    /// `checked 2 formulas over 3 processes, 12 events, 4 edges: 1 hold, 1 fail, 0 undecided in 3 ms`.
    pub fn text(&self, elapsed: Duration) -> String {
        let millis = elapsed.as_secs_f64() * 1000.0;
        let uncounted = if self.uncounted > 0 { "; not all cuts counted" } else { "" };
        let interrupted = if self.interrupted { "; interrupted" } else { "" };
        format!("{} in {millis:.0} ms{uncounted}{interrupted}", self.counts())
    }

    /// Like [`text`](Self::text), but without the time.
    pub fn counts(&self) -> String {
        let Summary { hold, fail, undecided, .. } = self;
        let logs = self.logs.as_ref().map(|logs| format!("{logs}, ")).unwrap_or_default();
        let formulas = counted(self.formulas, "formula");
        let processes = if self.processes == 1 { "process" } else { "processes" };
        let processes = format!("{} {processes}", self.processes);
        let (events, edges) = (counted(self.events, "event"), counted(self.edges, "edge"));
        let warnings = match self.warnings {
            0 => String::new(),
            some => format!(", {}", counted(some, "warning")),
        };
        format!(
            "checked {formulas} over {logs}{processes}, {events}, {edges}: {hold} hold, {fail} fail, \
             {undecided} undecided{warnings}"
        )
    }

    /// The overall status of the answers. With `strict`, a warning counts as a failure.
    pub fn status(&self, fail_on: Option<FailOn>, strict: bool) -> Status {
        let unwarned = if strict { self.unwarned } else { 0 };
        let is_undecided = self.undecided + self.uncounted + unwarned > 0;
        match fail_on {
            Some(FailOn::Never) => Status::Passed,
            Some(FailOn::Undecided | FailOn::Weak) if is_undecided => Status::Failed,
            _ if self.fail > 0 || (strict && self.warnings > 0) => Status::Failed,
            _ if is_undecided => Status::Undecided,
            _ => Status::Passed,
        }
    }
}
