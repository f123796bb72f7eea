//! Known failures (`--baseline`), and all failures as known ones (`--write-baseline`).
//!
//! Whether a failure is known depends on its cause, so listed ones are explained whatever `--explain`
//! says; they do not count among the first that are. The others go their usual way.

use std::collections::BTreeSet;

use otus_analysis::Verdict;

use super::plan::{Effort, Plan};
use super::tally::Tally;
use super::worker::Piece;
use crate::args::AnalyzeArgs;
use crate::baseline::{Baseline, Failure, Failures};
use crate::output;
use crate::report::model::Explanation;

/// Whether anything here is about a multi-trace.
pub(super) fn matters(plan: &Plan, id: &str) -> bool {
    plan.recorded.is_some()
        || plan.baseline.as_ref().is_some_and(|baseline| baseline.of(id).is_some())
}

/// Why it fails, if that has to be known.
pub(super) fn cause<T>(
    plan: &Plan,
    id: &str,
    verdict: Verdict,
    explain: impl FnOnce(Effort) -> Option<T>,
) -> Option<T> {
    if verdict != Verdict::Fail {
        return None;
    }
    let listed = plan.baseline.as_ref().and_then(|baseline| baseline.of(id));
    let is_compared = listed.is_some_and(|causes| !causes.is_empty());
    let is_recorded = plan.recorded.is_some() && plan.effort.is_some();
    (is_compared || is_recorded).then(|| explain(plan.effort.unwrap_or(Effort::Short)))?
}

/// Notes what there is to be noted, and whether it is a known failure.
pub(super) fn settle(
    plan: &Plan,
    id: &str,
    verdict: Verdict,
    explanation: Option<&Explanation>,
    piece: &mut Piece,
) -> bool {
    let is_fail = verdict == Verdict::Fail;
    if is_fail && plan.recorded.is_some() {
        let why = explanation.map(|it| (it.rule, it.headline.clone()));
        piece.failures.push(Failure { id: id.to_owned(), why });
    }
    let Some(causes) = plan.baseline.as_ref().and_then(|baseline| baseline.of(id)) else {
        return false;
    };
    let is_undecided = matches!(verdict, Verdict::WeakFail | Verdict::Inconclusive);
    piece.listed.push((id.to_owned(), is_fail || is_undecided));
    let fits = causes.is_empty() || explanation.is_some_and(|it| causes.contains(&it.rule));
    let known = is_fail && fits;
    piece.tally.known += usize::from(known);
    known
}

/// The same for what an earlier run has decided, whose cause is not known.
pub(super) fn of_earlier(plan: &Plan, id: &str, verdict: Verdict, piece: &mut Piece) -> bool {
    if !matters(plan, id) {
        return false;
    }
    let known = settle(plan, id, verdict, None, piece);
    let listed = plan.baseline.as_ref().is_some_and(|baseline| baseline.of(id).is_some());
    if !known && listed && verdict == Verdict::Fail {
        piece.tally.known += 1;
        return true;
    }
    known
}

/// What became of known failures in a run.
#[derive(Debug, Default)]
pub(super) struct Known {
    failures: Failures,
    /// Those that are listed and fail.
    failing: BTreeSet<String>,
    /// Those that are listed and do not.
    passing: BTreeSet<String>,
}

/// How many of them are named.
const NAMED: usize = 20;

impl Known {
    pub(super) fn add(&mut self, piece: &mut Piece) {
        for failure in piece.failures.drain(..) {
            self.failures.add(failure);
        }
        for (id, is_fail) in piece.listed.drain(..) {
            if is_fail { &mut self.failing } else { &mut self.passing }.insert(id);
        }
    }

    /// Ids of the baseline that are accepted now.
    pub(super) fn fixed(&self, plan: &Plan) -> Option<Vec<String>> {
        plan.baseline.as_ref()?;
        Some(self.passing.difference(&self.failing).cloned().collect())
    }

    /// Says which known failures are none any more, and writes a new baseline if that is asked for.
    /// Returns whether it was written.
    pub(super) fn write(
        &self,
        args: &AnalyzeArgs,
        plan: &Plan,
        tally: &Tally,
    ) -> anyhow::Result<bool> {
        if let (Some(path), Some(fixed)) = (&args.baseline, &tally.fixed) {
            let name = path.display();
            for id in fixed.iter().take(NAMED) {
                output::complain(&format!("fixed: {id} is accepted now; remove it from {name}"));
            }
            if let Some(more) = fixed.len().checked_sub(NAMED).filter(|&more| more > 0) {
                output::complain(&format!("fixed: and {more} more; --write-baseline removes them"));
            }
            let count = plan.baseline.as_ref().map_or(0, Baseline::len);
            let met = self.passing.union(&self.failing).count();
            if met < count {
                let missing = count - met;
                output::complain(&format!("note: {missing} of {count} in {name} were not checked"));
            }
        }
        let (Some(path), Some(old)) = (&args.write_baseline, &plan.recorded) else {
            return Ok(false);
        };
        if tally.interrupted > 0 {
            output::complain(&format!("{} was not written: interrupted", path.display()));
            return Ok(false);
        }
        self.failures.write(path, old)?;
        Ok(true)
    }
}
