//! A result as it was written, and the case that it was.

use std::time::Duration;

use otus_analysis::Verdict;

use crate::case::{Case, Place};
use crate::cause::{CAUSES, Cause};
use crate::error::{Result, unfit};
use crate::explanation::{Explanation, LogPlace, SpecPlace};
#[cfg(feature = "parquet")]
use crate::parquet::ResultRow;

/// A result.
#[derive(Debug, Clone, Default)]
pub(super) struct Restored {
    pub(super) run: String,
    pub(super) verdict: String,
    pub(super) events: u64,
    pub(super) cause: Option<String>,
    pub(super) headline: Option<String>,
    /// All that there was to say.
    pub(super) explanation: Option<String>,
    /// The place in the specification: `flow.mmd:3`.
    pub(super) place: Option<String>,
    /// The place in a log.
    pub(super) log: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) note: Option<String>,
    pub(super) spec: Option<String>,
    pub(super) is_known: bool,
    /// How the verdict was found, if the result tells it.
    pub(super) kind: &'static str,
    pub(super) observed: Option<&'static str>,
    pub(super) partition: Option<String>,
    pub(super) engine: &'static str,
    pub(super) states: u64,
    pub(super) micros: u64,
}

impl Restored {
    /// A row of a table of verdicts (`run, verdict, events, cause, headline, explanation`), or of a sample, which has a column
    /// `place` after `cause`.
    #[cfg(feature = "parquet")]
    pub(super) fn of_row(ResultRow { texts, counts }: ResultRow, has_place: bool) -> Restored {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        Restored {
            run: next().unwrap_or_default(),
            verdict: next().unwrap_or_default(),
            cause: next(),
            place: if has_place { next() } else { None },
            headline: next(),
            explanation: next(),
            events: counts.first().copied().unwrap_or_default(),
            ..Restored::default()
        }
    }

    pub(super) fn case(self) -> Result<Case> {
        let Some(verdict) = verdict(&self.verdict) else {
            unfit!(
                "run `{}` has the verdict `{}`; verdicts are Pass, WeakPass, Inconclusive, WeakFail, Fail and Unusable",
                self.run,
                self.verdict
            );
        };
        let mut case = Case::new(&self.run, verdict);
        case.actions = usize::try_from(self.events).unwrap_or(usize::MAX);
        case.explanation = self.explained(verdict).map(Box::new);
        case.reason = self.reason.map(Into::into);
        case.note = self.note.map(Into::into);
        case.spec = self.spec.map(Into::into);
        case.known = self.is_known;
        (case.kind, case.observed, case.engine) = (self.kind, self.observed, self.engine);
        case.partition = self.partition.unwrap_or_default().into();
        (case.states, case.elapsed) = (self.states, Duration::from_micros(self.micros));
        Ok(case)
    }

    fn explained(&self, verdict: Verdict) -> Option<Explanation> {
        if verdict != Verdict::Fail {
            return None;
        }
        let text = self.explanation.clone()?;
        let own = self.cause.as_deref().unwrap_or_default();
        let is_own = |it: &&Cause| it.id == own;
        let known = CAUSES.iter().find(is_own);
        let (cause, cause_name) =
            known.map_or(("not-explained", "cannot have happened"), |it| (it.id, it.name));
        let expected = self.place.as_deref().map(|at| SpecPlace {
            place: place(at),
            action: String::new(),
            text: String::new(),
            span: 0..0,
        });
        let observed = self.log.as_deref().map(|at| LogPlace {
            place: place(at),
            lifelines: Vec::new(),
            action: String::new(),
            role: "observed",
            text: None,
            span: 0..0,
            values: std::collections::BTreeMap::default(),
            is_in_case_file: false,
        });
        let headline = self.headline.clone().unwrap_or_default();
        Some(Explanation {
            expected: expected.into_iter().collect(),
            observed,
            ..Explanation::told((cause, cause_name), headline, text)
        })
    }
}

fn verdict(name: &str) -> Option<Verdict> {
    let all =
        [Verdict::Pass, Verdict::WeakPass, Verdict::Inconclusive, Verdict::WeakFail, Verdict::Fail];
    all.into_iter().find(|verdict| verdict.name() == name)
}

/// `flow.mmd:3`
fn place(text: &str) -> Place {
    let line = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = line.unwrap_or((text, 0));
    Place { file: file.to_owned(), line, columns: None }
}
