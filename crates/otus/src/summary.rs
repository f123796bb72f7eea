//! The totals of an analysis: counts of verdicts, of unchecked inputs, and of log lines.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use otus_analysis::Verdict;
use otus_core::index::Index as _;
use otus_core::{LifelineSet, Pool};
use otus_syntax::{Code, Severity};
use otus_trace::MultiTrace;
use otus_trace::run::Accounting;

use crate::analysis::coverage::CoverageReport;
use crate::case::{Outcome, Place};
use crate::findings::CauseRow;
use crate::logs::findings;
use crate::units::counted;

/// The number of cases by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdicts {
    /// Pass.
    pub pass: usize,
    /// `WeakPass`.
    pub weak: usize,
    /// Fail.
    pub fail: usize,
    /// The number of Fails that the baseline lists.
    pub known: usize,
    /// The number of Inconclusive verdicts, and of `WeakFail`s, because a bounded search without a
    /// result is undecided.
    pub undecided: usize,
}

impl Verdicts {
    /// The number of all verdicts.
    pub fn total(&self) -> usize {
        self.pass + self.weak + self.fail + self.undecided
    }
}

/// `3 pass, 0 weak, 1 fail, 0 undecided`
impl fmt::Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdicts { pass, weak, fail, known, undecided } = self;
        write!(f, "{pass} pass, {weak} weak, {fail} fail")?;
        if *known > 0 {
            write!(f, " ({known} known)")?;
        }
        write!(f, ", {undecided} undecided")
    }
}

/// The totals of an analysis.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The verdicts.
    pub verdicts: Verdicts,
    /// The number of observed actions.
    pub actions: usize,
    /// The number of failures without an explanation, because there are too many.
    pub unexplained: usize,
    /// The ids of the baseline that are accepted now, if there is a baseline.
    pub fixed: Option<Vec<String>>,
    /// The number of multi-traces that were not checked because the analysis was cancelled.
    pub interrupted: usize,
    /// The number of verdicts that an earlier run found.
    pub earlier: usize,
    /// The number of multi-traces that could not be checked because of a fault in them.
    pub unusable: usize,
    /// The number of multi-traces that belong to none of several specifications.
    pub unassigned: usize,
    /// Whether no line of the logs became an action of the specification, and this counts as a
    /// failure.
    pub is_unobserved: bool,
    /// Whether an attachment is missing that should exist.
    pub is_attachment_missing: bool,
    /// The number of bytes read from files of multi-traces.
    pub bytes: u64,
    /// The number of multi-traces that are groups of raw logs.
    pub groups: usize,
    /// The number of values that a guard names and that were not logged, or could not be read.
    pub unknown_values: usize,
    pub(crate) acted: Acted,
    /// The lifelines of the specification, and those with events; `None` if there are several specifications.
    pub lifelines: Option<LifelineCount>,
    /// The lifelines without any event in the logs that counted as unobserved.
    pub silent: BTreeSet<String>,
    /// The counts of raw logs, if there are any.
    pub logs: Option<LogSummary>,
    /// The totals for each specification, if there are several.
    pub by_spec: Vec<(String, Summary)>,
    /// The reasons why the analysis is vacuous, for example because every log would have passed.
    pub warnings: Vec<String>,
    /// The coverage of the specification, if requested.
    pub coverage: Option<Box<CoverageReport>>,
    /// The causes of verdicts other than Pass, if the report is made from results.
    pub causes: Vec<CauseRow>,
}

/// The lifelines of a specification, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LifelineCount {
    /// The number of lifelines with events.
    pub acted: usize,
    /// The number of all lifelines.
    pub all: usize,
}

impl LifelineCount {
    pub(crate) fn new(acted: &Acted, lifelines: &LifelineSet) -> LifelineCount {
        let acted = lifelines.iter().filter(|&lifeline| acted.0.contains(lifeline)).count();
        LifelineCount { acted, all: lifelines.len() }
    }
}

/// The lifelines on which events were observed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acted(LifelineSet);

impl Acted {
    /// Adds the lifelines of a multi-trace.
    pub(crate) fn add(&mut self, pool: &Pool, trace: &MultiTrace) {
        let partition = trace.partition();
        // Most runs soon have events on all lifelines. A bulk run comes here as often as it analyses.
        if self.0.len() == partition.lifeline_count() {
            return;
        }
        for component in partition.components() {
            let (lifelines, steps) = (partition.lifelines(component), trace.steps(component));
            match (lifelines, steps) {
                (_, []) => {}
                ([only], _) => {
                    self.0.insert(*only);
                }
                (several, steps) => {
                    if several.iter().all(|&lifeline| self.0.contains(lifeline)) {
                        continue;
                    }
                    // Actions with unknown messages are not in the pool, but other actions of the
                    // same log are.
                    let known = steps.iter().map(|step| step.action());
                    let known = known.filter(|action| action.index() < pool.action_count());
                    known.for_each(|action| {
                        self.0.insert(pool.action(action).lifeline);
                    });
                }
            }
        }
    }
}

/// Raw logs, counted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LogSummary {
    /// The number of files.
    pub logs: usize,
    /// The number of their lines.
    pub lines: u64,
    /// The lines that no rule matched, or that could not be read.
    pub unmatched: u64,
    /// Whether a log could not be read at all.
    pub is_unreadable: bool,
    /// The values that a guard names and that could not be read.
    pub unread: u64,
    /// Where the first of these values is.
    pub first_unread: Option<Place>,
}

impl LogSummary {
    pub(crate) fn new(accounting: &Accounting) -> LogSummary {
        let total = accounting.total;
        let unusable = accounting.findings.iter().filter(|it| it.code == Code::UNUSABLE_VALUE);
        let first_unread = unusable.flat_map(|finding| &finding.places).min();
        LogSummary {
            unread: accounting.values.iter().map(|field| field.unusable).sum(),
            first_unread: first_unread.map(|&place| findings::place(accounting, place)),
            logs: accounting.files.len(),
            lines: total.records,
            unmatched: total.unmatched + total.incomplete + total.unreadable,
            is_unreadable: accounting.findings.iter().any(|it| it.severity == Severity::Error),
        }
    }
}

/// The verdicts that count as failures besides Fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailOn {
    /// Also `WeakPass` and undecided verdicts.
    Weak,
    /// Also undecided verdicts.
    Undecided,
    /// No verdict counts as a failure, not even Fail.
    Never,
}

/// The status of a verdict, by the verdicts that count as failures.
pub(crate) fn outcome(verdict: Verdict, fail_on: Option<FailOn>) -> Outcome {
    match (verdict, fail_on) {
        (Verdict::Fail, _) | (Verdict::WeakPass, Some(FailOn::Weak)) => Outcome::Failed,
        (Verdict::Pass | Verdict::WeakPass, _) => Outcome::Passed,
        (_, Some(FailOn::Weak | FailOn::Undecided)) => Outcome::Failed,
        (_, Some(FailOn::Never) | None) => Outcome::Undecided,
    }
}

/// The overall status of an analysis, which is the exit status of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing failed.
    Passed,
    /// Something failed.
    Failed,
    /// Nothing failed, but a limit or a cancellation left something undecided.
    Undecided,
    /// Something could not be checked.
    Unusable,
}

impl Summary {
    pub(crate) fn add(&mut self, other: &Summary) {
        let Verdicts { pass, weak, fail, known, undecided } = other.verdicts;
        self.verdicts.pass += pass;
        self.verdicts.weak += weak;
        self.verdicts.fail += fail;
        self.verdicts.known += known;
        self.verdicts.undecided += undecided;
        self.actions += other.actions;
        self.interrupted += other.interrupted;
        self.earlier += other.earlier;
        self.unusable += other.unusable;
        self.unassigned += other.unassigned;
        self.is_attachment_missing |= other.is_attachment_missing;
        self.bytes += other.bytes;
        self.groups += other.groups;
        self.unknown_values += other.unknown_values;
        self.acted.0 = self.acted.0.union(&other.acted.0);
        self.silent.extend(other.silent.iter().cloned());
    }

    pub(crate) fn count(&mut self, verdict: Verdict, actions: usize) {
        match verdict {
            Verdict::Pass => self.verdicts.pass += 1,
            Verdict::WeakPass => self.verdicts.weak += 1,
            Verdict::Fail => self.verdicts.fail += 1,
            Verdict::WeakFail | Verdict::Inconclusive => self.verdicts.undecided += 1,
        }
        self.actions += actions;
    }

    /// The number of verdicts.
    pub fn checked(&self) -> usize {
        self.verdicts.total()
    }

    /// Whether no action was checked, and no other finding explains this.
    pub fn is_vacuous(&self) -> bool {
        self.actions == 0 && self.unusable == 0 && self.interrupted == 0
    }

    /// Whether there was no group of raw logs, not even an unusable one.
    pub(crate) fn has_no_group(&self) -> bool {
        self.groups + self.unusable + self.unassigned + self.interrupted == 0
    }

    /// The overall status. With `is_strict`, a vacuous analysis fails. With `is_recorded`, failures that were written
    /// to a new baseline do not count.
    pub fn status(&self, fail_on: Option<FailOn>, is_strict: bool, is_recorded: bool) -> Status {
        let is_undecided = self.verdicts.undecided + self.interrupted > 0;
        let has_failed = self.verdicts.fail > self.verdicts.known && !is_recorded;
        match fail_on {
            _ if self.logs.as_ref().is_some_and(|logs| logs.is_unreadable) => Status::Unusable,
            // An input could not be checked, or a requested file is missing.
            _ if self.unusable > 0 || self.is_attachment_missing => Status::Unusable,
            Some(FailOn::Never) => Status::Passed,
            _ if is_strict && (self.is_vacuous() || !self.warnings.is_empty()) => Status::Failed,
            _ if has_failed => Status::Failed,
            _ if self.is_unobserved => Status::Undecided,
            Some(FailOn::Weak) if self.verdicts.weak > 0 => Status::Failed,
            Some(FailOn::Weak | FailOn::Undecided) if is_undecided => Status::Failed,
            _ if is_undecided => Status::Undecided,
            _ => Status::Passed,
        }
    }

    /// Additional facts that follow the counts: `; 2 decided before; 4 values unknown (1 not read, first at b.log:3);
    /// interrupted, 3 not checked`.
    pub fn remainder(&self) -> String {
        let parts = [
            (self.earlier, "", "decided before"),
            (self.unassigned, "", "of no specification"),
            (self.unusable, "", "unusable"),
            (self.interrupted, "interrupted, ", "not checked"),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        let text = |(count, before, after)| format!("; {before}{count} {after}");
        let mut all = parts.map(text).collect::<Vec<_>>().concat();
        if self.unknown_values > 0 {
            let _ = write!(all, "; {} unknown", counted(self.unknown_values, "value"));
            if let Some(LogSummary { unread: unread @ 1.., first_unread, .. }) = &self.logs {
                let _ = write!(all, " ({unread} not read");
                if let Some(place) = first_unread {
                    let _ = write!(all, ", first at {place}");
                }
                all.push(')');
            }
        }
        all
    }
}

/// `checked 4 logs, 18 actions (0 lines unmatched), 1 group: 0 pass, …`, without the time.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut actions = counted(self.actions, "action");
        let is_told = |count: &LifelineCount| {
            self.logs.is_some() || self.actions > 0 && count.acted < count.all
        };
        if let Some(LifelineCount { acted, all }) = self.lifelines.filter(is_told) {
            actions = format!("{actions} on {acted} of {}", counted(all, "lifeline"));
        }
        let others = counted(self.checked() - self.groups.min(self.checked()), "multi-trace");
        match &self.logs {
            None => write!(f, "checked {others}, {actions}")?,
            Some(LogSummary { logs, unmatched, .. }) => {
                let logs = counted(*logs, "log");
                let unmatched = counted(*unmatched, "line");
                let groups = counted(self.groups, "group");
                write!(f, "checked {logs}, {actions} ({unmatched} unmatched), {groups}")?;
                if self.checked() > self.groups {
                    write!(f, ", {others}")?;
                }
            }
        }
        write!(f, ": {}", self.verdicts)
    }
}
