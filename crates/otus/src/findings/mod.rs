//! What many runs have in common: counts of verdicts, causes of failures, a sample of failures, and coverage.
//!
//! [`Findings`] of some runs can be merged with those of others: of another thread, another machine, or another night. Merging
//! is associative and commutative, and the findings of a set of runs do not depend on how the set was divided. This is why the
//! sample is chosen by hashes of ids and not by who came first (see `sample`), and why causes are counted in the sample: to
//! know a cause, a failure must be explained, which takes a thousand times as long as a verdict.
//!
//! ```text
//! cases ─ add ─→ Findings ─ merge ─→ Findings ─→ rows: verdicts, causes, sample, coverage
//!                    └──── JSON ──────┘
//! ```

mod coverage;
mod sample;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use coverage::{CoverageRows, PartRow};
pub use sample::Sampled;

use crate::analysis::coverage::CoverageReport;
use crate::case::{Case, Unusable};
use crate::cause::{CAUSES, Cause};
use crate::error::{Result, unfit};
use sample::{Sample, hash};

/// The name of the verdict of a run that could not be checked.
pub(crate) const UNUSABLE: &str = "Unusable";

/// The names of verdicts, from those that need attention most.
const NAMES: [&str; 6] = [UNUSABLE, "Fail", "WeakFail", "Inconclusive", "WeakPass", "Pass"];

/// What some runs have in common.
///
/// ```
/// use otus::findings::Findings;
/// use otus::table::{Batch, Checker, CheckerOptions, Texts};
/// use otus::Spec;
///
/// let spec = Spec::parse("ping.mmd", "sequenceDiagram\n  a->>b: ping\n  b-->>a: pong\n")?;
/// let part = |run: &str, lifelines: &[Option<&str>], actions: &[Option<&str>]| {
///     let options = CheckerOptions::scattered().findings(10);
///     let mut checker = Checker::new(&spec, options)?;
///     let runs = vec![Some(run); lifelines.len()];
///     checker.push(&Batch::new(
///         Texts::Each(&runs),
///         Texts::Each(lifelines),
///         Texts::Each(actions),
///     ))?;
///     checker.finish()?.into_findings()
/// };
/// let both = [Some("a"), Some("b"), Some("b"), Some("a")];
/// let mut all = part("1", &both, &[Some("!ping"), Some("?ping"), Some("!pong"), Some("?pong")])?;
/// // In another run, b forgets to answer.
/// all.merge(part("2", &both[..2], &[Some("!ping"), Some("?ping")])?)?;
/// let causes = all.causes();
/// assert_eq!((causes[0].cause.as_str(), causes[0].runs, causes[0].example.as_str()), ("stopped-early", 1, "2"));
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The version of this format.
    version: u32,
    /// The name of the specification.
    specification: String,
    /// By the index of a verdict in [`NAMES`].
    verdicts: BTreeMap<usize, Counted>,
    /// Failures that were explained.
    failures: Sample,
    /// Runs that could not be checked.
    unusable: Sample,
    coverage: Option<CoverageRows>,
}

const VERSION: u32 = 1;

/// The runs with a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    runs: u64,
    events: u64,
    /// The run whose id has the smallest hash.
    example: String,
}

/// How many runs have a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerdictRow {
    /// The name of the verdict, or `Unusable` for runs that could not be checked.
    pub verdict: String,
    /// The number of runs.
    pub runs: u64,
    /// The number of their events; runs that could not be checked count none.
    pub events: u64,
    /// One of the runs.
    pub example: String,
}

/// How many runs did not pass for the same cause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CauseRow {
    /// The id of the [`Cause`]. `not-explained` is the cause of the failures that are not in the sample.
    pub cause: String,
    /// The place of the specification that the failures are about: `flow.mmd:3`.
    pub place: Option<String>,
    /// The number of runs.
    pub runs: u64,
    /// One of the runs.
    pub example: String,
    /// Its problem in one line.
    pub headline: String,
}

impl Findings {
    /// The findings of no runs. `sample` is the number of failures that are kept with their explanations.
    pub fn new(specification: impl Into<String>, sample: usize) -> Findings {
        Findings {
            version: VERSION,
            specification: specification.into(),
            verdicts: BTreeMap::new(),
            failures: Sample::new(sample),
            unusable: Sample::new(sample),
            coverage: None,
        }
    }

    /// The name of the specification.
    pub fn specification(&self) -> &str {
        &self.specification
    }

    /// Whether a failure of this run belongs to the sample, so that it should be explained.
    pub fn wants(&self, run: &str) -> bool {
        self.failures.wants(run)
    }

    /// Adds a case. A failure without an explanation is counted and not kept.
    pub fn add(&mut self, case: &Case) {
        self.count(case.verdict.name(), &case.id, case.actions as u64);
        let Some(explanation) = case.failure() else { return };
        let place = explanation.expected.first().map(|expected| expected.place.in_line());
        self.failures.add(Sampled {
            run: case.id.clone(),
            verdict: case.verdict.name().to_owned(),
            events: case.actions as u64,
            cause: case.cause().map(|cause| cause.id.to_owned()),
            place,
            headline: case.headline(),
            explanation: Some(explanation.to_string()),
        });
    }

    /// Adds a run that could not be checked.
    pub fn add_unusable(&mut self, unusable: &Unusable) {
        let run = unusable.name().unwrap_or_default();
        self.count(UNUSABLE, &run, 0);
        self.unusable.add(Sampled {
            run,
            verdict: UNUSABLE.to_owned(),
            events: 0,
            cause: None,
            place: None,
            headline: unusable.message.clone(),
            explanation: None,
        });
    }

    fn count(&mut self, verdict: &str, run: &str, events: u64) {
        let index = NAMES.iter().position(|name| *name == verdict).unwrap_or_default();
        match self.verdicts.get_mut(&index) {
            Some(counted) => {
                counted.runs += 1;
                counted.events += events;
                if (hash(run), run) < (hash(&counted.example), &*counted.example) {
                    run.clone_into(&mut counted.example);
                }
            }
            None => {
                let example = run.to_owned();
                self.verdicts.insert(index, Counted { runs: 1, events, example });
            }
        }
    }

    /// Sets the coverage of these runs.
    pub fn set_coverage(&mut self, report: &CoverageReport) {
        self.coverage = Some(CoverageRows::of(report));
    }

    /// Adds the findings of other runs of the same specification.
    ///
    /// # Errors
    /// If they are about another specification, or only one of them has coverage.
    pub fn merge(&mut self, other: Findings) -> Result<()> {
        if self.specification != other.specification {
            unfit!(
                "these findings are about different specifications, `{}` and `{}`; merge only findings of the same one",
                self.specification,
                other.specification
            );
        }
        match (&mut self.coverage, &other.coverage) {
            (Some(own), Some(other)) => own.merge(other)?,
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => unfit!(
                "coverage was counted for a part of the runs only, so it would be too small; count it for all of them, \
                 or for none"
            ),
        }
        for (index, Counted { runs, events, example }) in other.verdicts {
            match self.verdicts.get_mut(&index) {
                Some(own) => {
                    own.runs += runs;
                    own.events += events;
                    if (hash(&example), &*example) < (hash(&own.example), &*own.example) {
                        own.example = example;
                    }
                }
                None => drop(self.verdicts.insert(index, Counted { runs, events, example })),
            }
        }
        self.failures.merge(other.failures);
        self.unusable.merge(other.unusable);
        Ok(())
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.verdicts.values().map(|counted| counted.runs).sum()
    }

    /// The number of runs by verdict, from the verdicts that need attention most.
    pub fn verdicts(&self) -> Vec<VerdictRow> {
        let row = |(&index, counted): (&usize, &Counted)| VerdictRow {
            verdict: NAMES[index].to_owned(),
            runs: counted.runs,
            events: counted.events,
            example: counted.example.clone(),
        };
        self.verdicts.iter().map(row).collect()
    }

    /// The causes of all verdicts but Pass, with the most frequent one first, and then the failures that are not in the sample.
    ///
    /// Causes of failures are counted in the sample. They are the causes of all failures if there is no row for
    /// `not-explained`; otherwise their shares are estimates.
    pub fn causes(&self) -> Vec<CauseRow> {
        let mut rows: Vec<CauseRow> = Vec::new();
        for failure in &self.failures.runs {
            let cause = failure.cause.as_deref().unwrap_or_default();
            let known =
                rows.iter_mut().find(|row| row.cause == cause && row.place == failure.place);
            match known {
                Some(row) => row.runs += 1,
                None => rows.push(CauseRow {
                    cause: cause.to_owned(),
                    place: failure.place.clone(),
                    runs: 1,
                    example: failure.run.clone(),
                    headline: failure.headline.clone(),
                }),
            }
        }
        // Equal counts stay in the order of the sample.
        rows.sort_by_key(|row| std::cmp::Reverse(row.runs));
        let explained = self.failures.runs.len() as u64;
        for VerdictRow { verdict, runs, example, .. } in self.verdicts() {
            let (cause, runs) = match verdict.as_str() {
                "Fail" => ("not-explained", runs.saturating_sub(explained)),
                "WeakPass" => ("weak-pass", runs),
                "WeakFail" | "Inconclusive" => ("undecided", runs),
                _ => continue,
            };
            if runs > 0 {
                let meaning = CAUSES.iter().find(|it: &&Cause| it.id == cause);
                rows.push(CauseRow {
                    cause: cause.to_owned(),
                    place: None,
                    runs,
                    example,
                    headline: meaning.map(|it| it.meaning.to_owned()).unwrap_or_default(),
                });
            }
        }
        rows
    }

    /// Failures with their explanations, and runs that could not be checked: a random sample.
    pub fn sample(&self) -> impl Iterator<Item = &Sampled> {
        self.unusable.runs.iter().chain(&self.failures.runs)
    }

    /// How often the parts of the specification were exercised, if that was counted.
    pub fn coverage(&self) -> Option<&CoverageRows> {
        self.coverage.as_ref()
    }

    /// The findings as one line of JSON, from which [`Findings::from_json`] makes them again elsewhere.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// The findings that [`Findings::to_json`] wrote.
    ///
    /// # Errors
    /// If the text has other contents.
    pub fn from_json(text: &str) -> Result<Findings> {
        let found: Findings = match serde_json::from_str(text) {
            Ok(found) => found,
            Err(error) => unfit!("these are no findings of Otus: {error}"),
        };
        if found.version != VERSION {
            unfit!(
                "these findings have version {}, this Otus reads version {VERSION}; use the same Otus everywhere",
                found.version
            );
        }
        let is_known = found.verdicts.keys().all(|&index| index < NAMES.len());
        if !is_known || !found.failures.is_sound() || !found.unusable.is_sound() {
            unfit!("these are no findings of Otus: they were changed after they were written");
        }
        Ok(found)
    }
}

fn json(findings: &Findings) -> String {
    serde_json::to_string(findings).expect("keys are texts and numbers")
}
