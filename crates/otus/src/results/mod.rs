//! Reports from results: what an analysis wrote becomes cases again, and any writer of reports can write them.
//!
//! ```text
//! .jsonl, .json ─┐
//! verdicts ──────┼─→ cases, in the order of the files ─→ Reports
//! sample ────────┘        (a sample explains cases of verdicts; without verdicts it has the only cases)
//! totals, causes, coverage ─→ Summary
//! ```
//!
//! Counts of several files are added, so that the parts of a table that a cluster wrote are one table.

mod json;
mod restored;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::analysis::coverage::CoverageReport;
use crate::case::{Case, Unusable};
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::findings::{CauseRow, CoverageRows, Findings, UNUSABLE};
use crate::load::expand;
#[cfg(feature = "parquet")]
use crate::parquet::{ResultFile, ResultRow};
use crate::report::{Reports, Run};
use crate::summary::{self, Summary};
use json::JsonFile;
use restored::Restored;

/// The tables of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResultTable {
    /// A row for each run.
    Verdicts,
    /// How many runs have a verdict.
    Totals,
    /// How many runs fail for a cause.
    Causes,
    /// Failures with their explanations.
    Sample,
    /// How often parts of the specification were exercised.
    Coverage,
}

/// The results of one or more analyses.
pub struct Results {
    /// As the caller named them.
    names: Vec<String>,
    json: Vec<JsonFile>,
    #[cfg(feature = "parquet")]
    verdicts: Vec<ResultFile>,
    sample: Vec<Restored>,
    /// By name of the verdict: runs and events.
    totals: BTreeMap<String, (u64, u64)>,
    causes: Vec<CauseRow>,
    coverage: Option<CoverageRows>,
}

impl std::fmt::Debug for Results {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Results").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The number of failures that tell the causes if there is no table of causes.
const SAMPLE: usize = 10_000;

impl Results {
    /// Reads files and folders of results: `.jsonl`, `.json` and tables (`.parquet`).
    ///
    /// # Errors
    /// If there is none, or one of them cannot be read or is something else.
    pub fn read(context: &Context, names: &[String]) -> Result<Results> {
        let mut results = Results {
            names: names.to_vec(),
            json: Vec::new(),
            #[cfg(feature = "parquet")]
            verdicts: Vec::new(),
            sample: Vec::new(),
            totals: BTreeMap::new(),
            causes: Vec::new(),
            coverage: None,
        };
        for name in names {
            let is_result = |path: &Path| ending(path).is_some();
            for path in expand(&*context.files, name, is_result)? {
                match ending(Path::new(&path)) {
                    Some(kind @ (Ending::Json | Ending::Lines)) => {
                        let is_document = kind == Ending::Json;
                        results.json.push(JsonFile::open(context, &path, is_document)?);
                    }
                    #[cfg(feature = "parquet")]
                    Some(Ending::Parquet) => results.table(context, &path)?,
                    #[cfg(not(feature = "parquet"))]
                    Some(Ending::Parquet) => unfit!(
                        "{path} is Parquet, which this build of Otus does not read; build it with the feature `parquet`"
                    ),
                    None => unfit!(
                        "{path} is no file of results by its ending; give .jsonl (of --results or --format jsonl), .json (of \
                         --format json) or .parquet (of --results)"
                    ),
                }
            }
        }
        Ok(results)
    }

    #[cfg(feature = "parquet")]
    fn table(&mut self, context: &Context, path: &str) -> Result<()> {
        let file = ResultFile::open(&context.files, Path::new(path))?;
        match file.table {
            ResultTable::Verdicts => self.verdicts.push(file),
            ResultTable::Sample => file.each(&mut |row| {
                self.sample.push(Restored::of_row(row, true));
                Ok(())
            })?,
            ResultTable::Totals => file.each(&mut |ResultRow { texts, counts }| {
                if let ([Some(verdict), ..], [runs, events]) = (&*texts, &*counts) {
                    let known = self.totals.entry(verdict.clone()).or_default();
                    *known = (known.0 + runs, known.1 + events);
                }
                Ok(())
            })?,
            ResultTable::Causes => file.each(&mut |row| {
                self.add_cause(row);
                Ok(())
            })?,
            ResultTable::Coverage => file.each(&mut |ResultRow { texts, counts }| {
                if let ([Some(kind), Some(part), place], [runs, observed, assumed]) =
                    (&*texts, &*counts)
                {
                    let place = place.as_deref().unwrap_or_default();
                    let rows = self.coverage.get_or_insert_default();
                    rows.add([kind, part, place], [*runs, *observed, *assumed]);
                }
                Ok(())
            })?,
        }
        Ok(())
    }

    #[cfg(feature = "parquet")]
    fn add_cause(&mut self, ResultRow { texts, counts }: ResultRow) {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        let (cause, place) = (next().unwrap_or_default(), next());
        let runs = counts.first().copied().unwrap_or_default();
        let known = self.causes.iter_mut().find(|it| it.cause == cause && it.place == place);
        if let Some(known) = known {
            known.runs += runs;
            return;
        }
        let (example, headline) = (next().unwrap_or_default(), next().unwrap_or_default());
        self.causes.push(CauseRow { cause, place, runs, example, headline });
    }

    /// What the reports say about the analyses.
    pub fn run(&self) -> Run {
        let first = self.json.first();
        Run {
            version: env!("CARGO_PKG_VERSION"),
            specs: self.names.clone(),
            interaction: None,
            kind: first.map_or("", |file| file.kind),
            by_observed: first.is_some_and(|file| file.by_observed),
            engine: first.map_or("fast", |file| file.engine),
        }
    }

    /// Writes reports, up to their ends. Returns the totals and the sinks.
    ///
    /// # Errors
    /// If a file is damaged, if there are no results at all, and if a sink cannot be written.
    pub fn write<S: Write>(self, mut reports: Reports<S>) -> Result<(Summary, Vec<S>)> {
        let unwritten =
            |error: std::io::Error| Error::Read { path: "the report".into(), source: error };
        reports.begin(&self.run()).map_err(unwritten)?;
        let format = reports.formatter();
        let mut summary = Summary::default();
        let mut findings = Findings::new("", SAMPLE);
        let mut add = |restored: Restored| -> Result<()> {
            if restored.verdict == UNUSABLE {
                let Restored { run, headline, .. } = restored;
                let message = headline.unwrap_or_default();
                let unusable = Unusable { id: Some(run), message, place: None };
                findings.add_unusable(&unusable);
                summary.unusable += 1;
                return reports.unusable(&unusable).map_err(unwritten);
            }
            let mut case: Case = restored.case()?;
            case.outcome = summary::outcome(case.verdict, None);
            findings.add(&case);
            summary.count(case.verdict, case.actions);
            summary.verdicts.known += usize::from(case.known);
            match format(&case, None) {
                Some(formatted) => reports.write(&formatted).map_err(unwritten),
                None => Ok(()),
            }
        };
        for file in &self.json {
            file.each(&mut add)?;
        }
        self.tables(&mut add)?;
        if findings.runs() == 0 && self.totals.is_empty() {
            unfit!("{} has no results, so there is nothing to report", self.names.join(", "));
        }
        summary.causes = if self.causes.is_empty() { findings.causes() } else { self.causes };
        summary.coverage =
            self.coverage.as_ref().map(|rows| Box::new(CoverageReport::restored(rows)));
        if !self.totals.is_empty() {
            // Verdicts that are not listed one by one are counted.
            let total = |verdict: &str| self.totals.get(verdict).map_or(0, |(runs, _)| *runs);
            let most = |own: &mut usize, other: u64| {
                *own = (*own).max(usize::try_from(other).unwrap_or(usize::MAX));
            };
            most(&mut summary.verdicts.pass, total("Pass"));
            most(&mut summary.verdicts.weak, total("WeakPass"));
            most(&mut summary.verdicts.fail, total("Fail"));
            most(&mut summary.verdicts.undecided, total("WeakFail") + total("Inconclusive"));
            most(&mut summary.unusable, total(UNUSABLE));
            most(&mut summary.actions, self.totals.values().map(|(_, events)| events).sum());
        }
        let sinks = reports.end(&summary).map_err(unwritten)?;
        Ok((summary, sinks))
    }

    /// The rows of tables of verdicts, with what the sample knows about them; without verdicts, the sample.
    #[cfg(feature = "parquet")]
    fn tables(&self, add: &mut dyn FnMut(Restored) -> Result<()>) -> Result<()> {
        if self.verdicts.is_empty() {
            return self.sample.iter().try_for_each(|row| add(row.clone()));
        }
        let sample: BTreeMap<&str, &Restored> =
            self.sample.iter().map(|row| (row.run.as_str(), row)).collect();
        for file in &self.verdicts {
            file.each(&mut |row| {
                let mut row = Restored::of_row(row, false);
                if let Some(known) = sample.get(row.run.as_str())
                    && known.verdict == row.verdict
                {
                    row.place.clone_from(&known.place);
                    row.explanation = row.explanation.or_else(|| known.explanation.clone());
                }
                add(row)
            })?;
        }
        Ok(())
    }

    #[cfg(not(feature = "parquet"))]
    fn tables(&self, add: &mut dyn FnMut(Restored) -> Result<()>) -> Result<()> {
        self.sample.iter().try_for_each(|row| add(row.clone()))
    }
}

/// The formats of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Lines,
    Json,
    Parquet,
}

fn ending(path: &Path) -> Option<Ending> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => Some(Ending::Lines),
        "json" => Some(Ending::Json),
        "parquet" | "pq" => Some(Ending::Parquet),
        _ => None,
    }
}
