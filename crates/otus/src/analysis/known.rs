//! Known failures: those of a baseline, and those that a new baseline will have.
//!
//! Whether a failure is known depends on its cause, so a failure that the baseline lists is explained even if
//! the request asks for no explanations. Such failures do not count among the first ones, which are explained anyway.

use std::collections::BTreeSet;

use otus_analysis::Verdict;

use super::baseline::{Baseline, Failure, Failures};
use super::request::{Explain, Request};
use crate::context::Context;
use crate::error::Result;
use crate::explanation::Explanation;
use crate::summary::Summary;

/// The baselines of a request.
#[derive(Debug, Default)]
pub(super) struct KnownFailures {
    baseline: Option<Baseline>,
    /// The old content of the baseline that the failures of this run are written to.
    rewritten: Option<Baseline>,
}

impl KnownFailures {
    /// Whether there is a baseline to compare with or to write.
    pub(super) fn is_some(&self) -> bool {
        self.baseline.is_some() || self.rewritten.is_some()
    }

    pub(super) fn read(context: &Context, request: &Request) -> Result<KnownFailures> {
        let read = |path| Baseline::read(context, path);
        let rewritten = match &request.write_baseline {
            Some(path) if context.files.kind(path).is_some() => Some(read(path)?),
            Some(_) => Some(Baseline::default()),
            None => None,
        };
        let baseline = request.baseline.as_deref().map(read).transpose()?;
        Ok(KnownFailures { baseline, rewritten })
    }

    /// Whether a failure is known whatever its cause.
    pub(super) fn is_known_for_any_cause(&self, id: &str) -> bool {
        let listed = self.baseline.as_ref().and_then(|baseline| baseline.of(id));
        listed.is_some_and(<[_]>::is_empty)
    }

    /// Whether the cause of a failure must be known.
    pub(super) fn needs_cause(&self, id: &str, explain: Explain) -> bool {
        let listed = self.baseline.as_ref().and_then(|baseline| baseline.of(id));
        listed.is_some_and(|causes| !causes.is_empty())
            || (self.rewritten.is_some() && explain != Explain::None)
    }

    /// Notes a verdict, and returns whether it is a known failure.
    pub(super) fn note(
        &self,
        id: &str,
        verdict: Verdict,
        explanation: Option<&Explanation>,
        met: &mut Met,
    ) -> bool {
        let is_fail = verdict == Verdict::Fail;
        if is_fail && self.rewritten.is_some() {
            let why = explanation.map(|it| (it.cause, it.headline.clone()));
            met.failures.push(Failure { id: id.to_owned(), why });
        }
        let Some(causes) = self.baseline.as_ref().and_then(|baseline| baseline.of(id)) else {
            return false;
        };
        let is_undecided = matches!(verdict, Verdict::WeakFail | Verdict::Inconclusive);
        met.listed.push((id.to_owned(), is_fail || is_undecided));
        is_fail && (causes.is_empty() || explanation.is_some_and(|it| causes.contains(&it.cause)))
    }

    /// Notes a verdict of an earlier run. Its cause was not kept, so a listed failure counts as known.
    pub(super) fn note_earlier(&self, id: &str, verdict: Verdict, met: &mut Met) -> bool {
        let is_known = self.note(id, verdict, None, met);
        let is_listed = self.baseline.as_ref().is_some_and(|baseline| baseline.of(id).is_some());
        is_known || (is_listed && verdict == Verdict::Fail)
    }
}

/// The failures and ids in a part of a run.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// All failures, for a new baseline.
    failures: Vec<Failure>,
    /// Ids of the baseline, and whether they fail.
    listed: Vec<(String, bool)>,
}

impl Met {
    pub(super) fn append(&mut self, mut other: Met) {
        self.failures.append(&mut other.failures);
        self.listed.append(&mut other.listed);
    }
}

/// The failures and ids in a whole run.
#[derive(Debug, Default)]
pub(super) struct MetAll {
    failures: Failures,
    failing: BTreeSet<String>,
    passing: BTreeSet<String>,
}

impl MetAll {
    pub(super) fn add(&mut self, met: Met) {
        for failure in met.failures {
            self.failures.add(failure);
        }
        for (id, is_failing) in met.listed {
            if is_failing { &mut self.failing } else { &mut self.passing }.insert(id);
        }
    }

    /// The ids of the baseline that are accepted now, and the numbers of ids that were not met and of all; nothing
    /// without a baseline.
    pub(super) fn fixed(&self, known: &KnownFailures) -> Option<(Vec<String>, (usize, usize))> {
        let count = known.baseline.as_ref()?.len();
        let met = self.passing.union(&self.failing).count();
        let fixed = self.passing.difference(&self.failing).cloned().collect();
        Some((fixed, (count.saturating_sub(met), count)))
    }

    /// The text of the new baseline and the number of its ids, unless the run was cancelled.
    pub(super) fn baseline(
        &self,
        known: &KnownFailures,
        summary: &Summary,
    ) -> Option<(String, usize)> {
        let old = known.rewritten.as_ref().filter(|_| summary.interrupted == 0)?;
        Some((self.failures.text(old), self.failures.len()))
    }
}
