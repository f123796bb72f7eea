//! How many formulas hold, and what the exit status says about it.

use std::time::Duration;

use otus_core::budget::Stop;
use otus_trace::order::PartialOrder;
use serde_json::{Value, json};

use super::answer::Answer;
use crate::args::CtlFailOn;
use crate::exit::Exit;

/// Answers, counted, and what they are about.
#[derive(Debug)]
pub(super) struct Tally {
    processes: usize,
    events: usize,
    edges: usize,
    formulas: usize,
    hold: usize,
    fail: usize,
    undecided: usize,
    /// Formulas that are decided, and whose cuts could not be counted.
    uncounted: usize,
    interrupted: bool,
    /// The raw logs that the trace is from, in words.
    logs: Option<String>,
}

impl Tally {
    pub(super) fn new(trace: &PartialOrder, formulas: usize, logs: Option<String>) -> Self {
        Tally {
            logs,
            processes: trace.process_count(),
            events: trace.event_count(),
            edges: trace.edges().len(),
            formulas,
            hold: 0,
            fail: 0,
            undecided: 0,
            uncounted: 0,
            interrupted: false,
        }
    }

    pub(super) fn count(&mut self, answer: &Answer) {
        match answer.holds {
            Some(true) => self.hold += 1,
            Some(false) => self.fail += 1,
            None => self.undecided += 1,
        }
        if answer.holds.is_some() && answer.uncounted.is_some() {
            self.uncounted += 1;
        }
        let stops = [answer.stop, answer.uncounted, answer.unexplained];
        self.interrupted |= stops.contains(&Some(Stop::Cancelled));
    }

    pub(super) fn text(&self, elapsed: Duration) -> String {
        let plural = |count: usize, word: &str, ending: &str| {
            format!("{count} {word}{}", if count == 1 { "" } else { ending })
        };
        format!(
            "checked {} over {}{}, {}, {}: {} hold, {} fail, {} undecided in {:.0} ms{}{}",
            plural(self.formulas, "formula", "s"),
            self.logs.as_ref().map(|logs| format!("{logs}, ")).unwrap_or_default(),
            plural(self.processes, "process", "es"),
            plural(self.events, "event", "s"),
            plural(self.edges, "edge", "s"),
            self.hold,
            self.fail,
            self.undecided,
            elapsed.as_secs_f64() * 1000.0,
            if self.uncounted > 0 { "; not all cuts counted" } else { "" },
            if self.interrupted { "; interrupted" } else { "" },
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "processes": self.processes,
            "events": self.events,
            "edges": self.edges,
            "formulas": self.formulas,
            "hold": self.hold,
            "fail": self.fail,
            "undecided": self.undecided,
            "interrupted": self.interrupted,
        })
    }

    pub(super) fn exit(&self, fail_on: Option<CtlFailOn>) -> Exit {
        let undecided = self.undecided + self.uncounted > 0;
        match fail_on {
            Some(CtlFailOn::Never) => Exit::Success,
            Some(CtlFailOn::Undecided) if undecided => Exit::Failure,
            Some(CtlFailOn::Undecided) | None if self.fail > 0 => Exit::Failure,
            Some(CtlFailOn::Undecided) | None if undecided => Exit::Undecided,
            Some(CtlFailOn::Undecided) | None => Exit::Success,
        }
    }
}
