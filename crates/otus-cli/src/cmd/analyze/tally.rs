//! How many verdicts of each kind there are, and what the exit status says about it.

use std::fmt::Write as _;
use std::time::Duration;

use otus_analysis::Verdict;
use otus_syntax::Severity;
use otus_trace::run::Accounting;
use serde_json::{Value, json};

use crate::args::FailOn;
use crate::exit::Exit;
use crate::report::model::{LogTotals, Outcome, Totals};
use crate::words::counted;

/// What a verdict means for whoever waits for it.
pub(super) fn outcome(verdict: Verdict, fail_on: Option<FailOn>) -> Outcome {
    match (verdict, fail_on) {
        (Verdict::Pass, _) => Outcome::Passed,
        (Verdict::WeakPass, Some(FailOn::Weak)) => Outcome::Failed,
        (Verdict::WeakPass, Some(FailOn::Undecided | FailOn::Never) | None) => Outcome::Passed,
        (Verdict::Fail, _) => Outcome::Failed,
        (Verdict::WeakFail | Verdict::Inconclusive, Some(FailOn::Weak | FailOn::Undecided)) => {
            Outcome::Failed
        }
        (Verdict::WeakFail | Verdict::Inconclusive, Some(FailOn::Never) | None) => {
            Outcome::Undecided
        }
    }
}

/// Verdicts, counted.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    pass: usize,
    weak: usize,
    fail: usize,
    undecided: usize,
    /// Failures that the baseline has.
    pub(super) known: usize,
    /// What the baseline has and what is accepted now, if there is a baseline.
    pub(super) fixed: Option<Vec<String>>,
    /// Whether all failures were written into a baseline.
    pub(super) recorded: bool,
    /// What was not checked because of Ctrl-C.
    pub(super) interrupted: usize,
    /// What was decided by an earlier run.
    pub(super) earlier: usize,
    /// What could not be checked because something is wrong with it.
    pub(super) unusable: usize,
    /// What belongs to none of several specifications.
    pub(super) unassigned: usize,
    /// Whether something that was asked for could not be written.
    pub(super) unwritten: bool,
    actions: usize,
    /// How many bytes of files they were read from.
    pub(super) bytes: u64,
    /// How many of the multi-traces are groups of raw logs.
    pub(super) groups: usize,
    /// What became of raw logs, if there are some.
    pub(super) logs: Option<LogTally>,
}

/// Raw logs, counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogTally {
    logs: usize,
    lines: u64,
    unmatched: u64,
    /// Whether a log could not be read.
    unreadable: bool,
}

impl LogTally {
    pub(super) fn new(accounting: &Accounting) -> LogTally {
        let total = accounting.total;
        LogTally {
            logs: accounting.files.len(),
            lines: total.records,
            unmatched: total.unmatched + total.incomplete + total.unreadable,
            unreadable: accounting.findings.iter().any(|it| it.severity == Severity::Error),
        }
    }
}

impl Tally {
    pub(super) fn count(&mut self, verdict: Verdict, actions: usize) {
        self.actions += actions;
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::WeakPass => self.weak += 1,
            Verdict::Fail => self.fail += 1,
            // A bounded search that found nothing has decided nothing.
            Verdict::WeakFail | Verdict::Inconclusive => self.undecided += 1,
        }
    }

    pub(super) fn add(&mut self, other: &Tally) {
        self.pass += other.pass;
        self.weak += other.weak;
        self.fail += other.fail;
        self.undecided += other.undecided;
        self.known += other.known;
        self.interrupted += other.interrupted;
        self.earlier += other.earlier;
        self.unusable += other.unusable;
        self.unassigned += other.unassigned;
        self.unwritten |= other.unwritten;
        self.actions += other.actions;
        self.bytes += other.bytes;
        self.groups += other.groups;
    }

    /// Whether nothing was checked although there were logs.
    pub(super) fn is_vacuous(&self) -> bool {
        self.actions == 0 && self.unusable == 0 && self.interrupted == 0
    }

    /// Whether no group of raw logs was met, not even one that nothing can be said of.
    pub(super) fn has_no_group(&self) -> bool {
        self.groups + self.unusable + self.unassigned + self.interrupted == 0
    }

    pub(super) fn failures(&self) -> usize {
        self.fail
    }

    /// Whether something is undecided.
    pub(super) fn is_undecided(&self) -> bool {
        self.undecided > 0
    }

    pub(super) fn total(&self) -> usize {
        self.pass + self.weak + self.fail + self.undecided
    }

    /// The verdicts in words.
    pub(super) fn verdicts(&self) -> String {
        let known = match self.known {
            0 => String::new(),
            known => format!(" ({known} known)"),
        };
        format!(
            "{} pass, {} weak, {} fail{known}, {} undecided",
            self.pass, self.weak, self.fail, self.undecided
        )
    }

    pub(super) fn text(&self, elapsed: Duration) -> String {
        let actions = counted(self.actions, "action");
        let others = counted(self.total() - self.groups, "multi-trace");
        let mut out = match self.logs {
            None => format!("checked {others}, {actions}"),
            Some(LogTally { logs, unmatched, .. }) => {
                let logs = counted(logs, "log");
                let unmatched = counted(unmatched, "line");
                let groups = counted(self.groups, "group");
                format!("checked {logs}, {actions} ({unmatched} unmatched), {groups}")
            }
        };
        if self.logs.is_some() && self.total() > self.groups {
            let _ = write!(out, ", {others}");
        }
        let millis = elapsed.as_secs_f64() * 1000.0;
        let _ = write!(out, ": {} in {millis:.0} ms", self.verdicts());
        if self.earlier > 0 {
            let _ = write!(out, "; {} decided before", self.earlier);
        }
        if self.unassigned > 0 {
            let _ = write!(out, "; {} of no specification", self.unassigned);
        }
        if self.unusable > 0 {
            let _ = write!(out, "; {} unusable", self.unusable);
        }
        if self.interrupted > 0 {
            let _ = write!(out, "; interrupted, {} not checked", self.interrupted);
        }
        out
    }

    pub(super) fn json(&self) -> Value {
        let mut value = json!({
            "checked": self.total(),
            "actions": self.actions,
            "pass": self.pass,
            "weak": self.weak,
            "fail": self.fail,
            "undecided": self.undecided,
            "unusable": self.unusable,
            "interrupted": self.interrupted,
        });
        if self.unassigned > 0 {
            value["unassigned"] = json!(self.unassigned);
        }
        if let Some(fixed) = &self.fixed {
            value["known"] = json!(self.known);
            value["fixed"] = json!(fixed);
        }
        if let Some(LogTally { logs, lines, unmatched, .. }) = self.logs {
            value["logs"] = json!(logs);
            value["lines"] = json!(lines);
            value["unmatched"] = json!(unmatched);
            value["groups"] = json!(self.groups);
        }
        value
    }

    /// For reports; `offered` failures were explained.
    pub(super) fn totals(&self, offered: usize) -> Totals {
        Totals {
            checked: self.total(),
            actions: self.actions,
            pass: self.pass,
            weak: self.weak,
            fail: self.fail,
            undecided: self.undecided,
            unusable: self.unusable,
            interrupted: self.interrupted,
            is_vacuous: self.is_vacuous(),
            unexplained: (self.fail - self.known).saturating_sub(offered),
            known: self.known,
            coverage: Vec::new(),
            logs: self.logs.map(|LogTally { logs, lines, unmatched, .. }| LogTotals {
                logs,
                lines,
                unmatched,
            }),
        }
    }

    pub(super) fn exit(&self, fail_on: Option<FailOn>, strict: bool) -> Exit {
        let undecided = self.undecided + self.interrupted > 0;
        let failed = self.fail > self.known && !self.recorded;
        match fail_on {
            _ if self.logs.is_some_and(|logs| logs.unreadable) => Exit::Error,
            // Whatever else was found, this was not the question that was to be asked.
            _ if self.unusable > 0 || self.unwritten => Exit::Error,
            Some(FailOn::Never) => Exit::Success,
            _ if strict && self.is_vacuous() => Exit::Failure,
            Some(FailOn::Weak) if self.weak > 0 || failed || undecided => Exit::Failure,
            Some(FailOn::Undecided) if failed || undecided => Exit::Failure,
            _ if failed => Exit::Failure,
            _ if undecided => Exit::Undecided,
            _ => Exit::Success,
        }
    }
}
