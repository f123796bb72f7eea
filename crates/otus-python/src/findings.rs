//! What all runs of a table have in common, as Arrow.

use std::iter::once;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use otus::findings;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::answers::{Column, batch};
use crate::error::{raise, unfit};

/// Counts of verdicts, causes, a sample of failures, and coverage.
#[pyclass(frozen, module = "otus._otus")]
pub(crate) struct Findings(pub(crate) findings::Findings);

#[pymethods]
impl Findings {
    /// Reads the text of `text`.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str) -> PyResult<Findings> {
        findings::Findings::from_json(text).map(Findings).map_err(|error| raise(py, &error))
    }

    /// Findings that can be sent: one line.
    fn text(&self) -> String {
        self.0.to_json()
    }

    /// These and others.
    fn merged(&self, py: Python<'_>, other: &Findings) -> PyResult<Findings> {
        let mut all = self.0.clone();
        all.merge(other.0.clone()).map_err(|error| raise(py, &error))?;
        Ok(Findings(all))
    }

    #[getter]
    fn runs(&self) -> u64 {
        self.0.runs()
    }

    /// The table of this name, with the columns of the files of Parquet that the command writes; `None` if nobody counted it.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Option<PyTable>> {
        let columns = match name {
            "totals" => totals(&self.0),
            "causes" => causes(&self.0),
            "sample" => sample(&self.0),
            "coverage" => match self.0.coverage() {
                Some(coverage) => parts(coverage),
                None => return Ok(None),
            },
            _ => return Err(unfit(py, format!("there is no table {name:?} of findings"))),
        };
        let batch = batch(columns).map_err(|error| unfit(py, error.to_string()))?;
        let schema = batch.schema();
        PyTable::try_new(vec![batch], schema).map(Some)
    }
}

fn texts<'t>(name: &'static str, texts: impl Iterator<Item = &'t str>) -> Column {
    (name, false, Arc::new(StringArray::from_iter_values(texts)))
}

fn some_texts<'t>(name: &'static str, texts: impl Iterator<Item = Option<&'t str>>) -> Column {
    (name, true, Arc::new(texts.collect::<StringArray>()))
}

fn counts(name: &'static str, counts: impl Iterator<Item = u64>) -> Column {
    let counts = counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let array: ArrayRef = Arc::new(Int64Array::from_iter_values(counts));
    (name, false, array)
}

fn totals(findings: &findings::Findings) -> Vec<Column> {
    let rows = findings.verdicts();
    vec![
        texts("verdict", rows.iter().map(|row| &*row.verdict)),
        counts("runs", rows.iter().map(|row| row.runs)),
        counts("events", rows.iter().map(|row| row.events)),
        texts("example", rows.iter().map(|row| &*row.example)),
    ]
}

fn causes(findings: &findings::Findings) -> Vec<Column> {
    let rows = findings.causes();
    vec![
        texts("cause", rows.iter().map(|row| &*row.cause)),
        some_texts("place", rows.iter().map(|row| row.place.as_deref())),
        counts("runs", rows.iter().map(|row| row.runs)),
        texts("example", rows.iter().map(|row| &*row.example)),
        texts("headline", rows.iter().map(|row| &*row.headline)),
    ]
}

fn sample(findings: &findings::Findings) -> Vec<Column> {
    let rows: Vec<_> = findings.sample().collect();
    vec![
        texts("run", rows.iter().map(|row| &*row.run)),
        texts("verdict", rows.iter().map(|row| &*row.verdict)),
        counts("events", rows.iter().map(|row| row.events)),
        some_texts("cause", rows.iter().map(|row| row.cause.as_deref())),
        some_texts("place", rows.iter().map(|row| row.place.as_deref())),
        texts("headline", rows.iter().map(|row| &*row.headline)),
        some_texts("explanation", rows.iter().map(|row| row.explanation.as_deref())),
    ]
}

/// The first row has the number of accepted runs.
fn parts(coverage: &findings::CoverageRows) -> Vec<Column> {
    let rows = &coverage.parts;
    vec![
        texts("kind", once("runs").chain(rows.iter().map(|row| &*row.kind))),
        texts("part", once("accepted").chain(rows.iter().map(|row| &*row.part))),
        texts("place", once("").chain(rows.iter().map(|row| &*row.place))),
        counts("runs", once(coverage.counted).chain(rows.iter().map(|row| row.runs))),
        counts("observed", once(coverage.counted).chain(rows.iter().map(|row| row.observed))),
        counts("assumed", once(coverage.left_out).chain(rows.iter().map(|row| row.assumed))),
    ]
}
