//! How many verdicts of each kind there are, and what the exit status says about it.

use std::fmt::Write as _;
use std::time::Duration;

use otus_analysis::Verdict;
use serde_json::{Value, json};

use crate::args::FailOn;
use crate::exit::Exit;
use crate::words::counted;

/// Verdicts, counted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pass: usize,
    weak: usize,
    fail: usize,
    undecided: usize,
    /// What was not checked because of Ctrl-C.
    pub(super) interrupted: usize,
    /// What could not be checked because something is wrong with it.
    pub(super) unusable: usize,
    /// Whether something that was asked for could not be written.
    pub(super) unwritten: bool,
    actions: usize,
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
        self.interrupted += other.interrupted;
        self.unusable += other.unusable;
        self.unwritten |= other.unwritten;
        self.actions += other.actions;
    }

    pub(super) fn total(&self) -> usize {
        self.pass + self.weak + self.fail + self.undecided
    }

    /// The verdicts in words.
    pub(super) fn verdicts(&self) -> String {
        format!(
            "{} pass, {} weak, {} fail, {} undecided",
            self.pass, self.weak, self.fail, self.undecided
        )
    }

    pub(super) fn text(&self, elapsed: Duration) -> String {
        let mut out = format!(
            "checked {}, {}: {} in {:.0} ms",
            counted(self.total(), "multi-trace"),
            counted(self.actions, "action"),
            self.verdicts(),
            elapsed.as_secs_f64() * 1000.0,
        );
        if self.unusable > 0 {
            let _ = write!(out, "; {} unusable", self.unusable);
        }
        if self.interrupted > 0 {
            let _ = write!(out, "; interrupted, {} not checked", self.interrupted);
        }
        out
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "checked": self.total(),
            "actions": self.actions,
            "pass": self.pass,
            "weak": self.weak,
            "fail": self.fail,
            "undecided": self.undecided,
            "unusable": self.unusable,
            "interrupted": self.interrupted,
        })
    }

    pub(super) fn exit(&self, fail_on: Option<FailOn>) -> Exit {
        let undecided = self.undecided + self.interrupted > 0;
        match fail_on {
            // Whatever else was found, this was not the question that was to be asked.
            _ if self.unusable > 0 || self.unwritten => Exit::Error,
            Some(FailOn::Never) => Exit::Success,
            Some(FailOn::Weak) if self.weak > 0 || self.fail > 0 || undecided => Exit::Failure,
            Some(FailOn::Undecided) if self.fail > 0 || undecided => Exit::Failure,
            _ if self.fail > 0 => Exit::Failure,
            _ if undecided => Exit::Undecided,
            _ => Exit::Success,
        }
    }
}
