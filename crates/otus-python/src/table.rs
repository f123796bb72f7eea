//! Tables of events, in and out as Arrow.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::DataType;
use otus::table::{Batch, CheckerOptions, ColumnNames};
use otus::{Cancel, Error};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyRecordBatch;

use crate::answers::Answers;
use crate::columns::{self, ValueColumn};
use crate::error::{raise, table_error};
use crate::findings::Findings;
use crate::interrupt::Owner;
use crate::options::Checks;
use crate::spec::Spec;

/// The names of the columns of the caller's table.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
struct Names {
    run: String,
    lifeline: String,
    action: String,
    peer: Option<String>,
    order: Option<String>,
    time: Option<String>,
    /// Fields and their columns.
    values: Vec<(String, String)>,
}

/// How rows are taken, and what is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    grouped: bool,
    explain: usize,
    expected: Vec<String>,
    memory: Option<usize>,
    folder: Option<String>,
    allow_empty: bool,
    keep_unusable: bool,
    /// How many failures the findings keep, if they are asked for.
    findings: Option<usize>,
    coverage: bool,
}

/// Checks the runs in tables.
#[pyclass(frozen, module = "otus._otus")]
pub(crate) struct Checker {
    /// Taken when the table ends.
    checker: Owner<Option<otus::table::Checker>>,
    reading: Arc<Reading>,
}

/// How tables are read.
struct Reading {
    names: Names,
    keeps_unusable: bool,
    has_findings: bool,
}

/// What goes wrong with a table.
enum Fault {
    Table(String),
    Core(Error),
}

impl Fault {
    fn raise(&self, py: Python<'_>) -> PyErr {
        match self {
            Fault::Table(message) | Fault::Core(Error::Unfit(message)) => table_error(py, message),
            Fault::Core(error) => raise(py, error),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Core(error)
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Fault::Table(message)
    }
}

#[pymethods]
impl Checker {
    #[new]
    fn new(
        py: Python<'_>,
        spec: &Spec,
        names: Names,
        checks: Checks,
        settings: Settings,
    ) -> PyResult<Checker> {
        let Settings { grouped, explain, expected, memory, folder, allow_empty, .. } = settings;
        let Settings { keep_unusable, findings, coverage, .. } = settings;
        let new = if grouped { CheckerOptions::grouped() } else { CheckerOptions::scattered() };
        let cancel = Cancel::default();
        let mut options = new
            .checks(checks.options(py)?)
            .explain(explain)
            .expected(expected)
            .allow_empty(allow_empty)
            .cancel(cancel.clone())
            .names(ColumnNames {
                run: names.run.clone(),
                lifeline: names.lifeline.clone(),
                action: names.action.clone(),
                order: names.order.clone().unwrap_or_else(|| "row".to_owned()),
                time: names.time.clone().unwrap_or_else(|| "time".to_owned()),
            });
        if let Some(sample) = findings {
            options = options.findings(sample);
        }
        if coverage {
            options = options.coverage();
        }
        if let Some(bytes) = memory {
            options = options.memory(bytes);
        }
        if let Some(folder) = folder {
            options = options.temporary_files(folder);
        }
        let spec = spec.spec.clone();
        let make = move || otus::table::Checker::new(&spec, options).map(Some);
        let checker = Owner::new(py, cancel, make)?.map_err(|error| raise(py, &error))?;
        let has_findings = findings.is_some() || coverage;
        let reading = Arc::new(Reading { names, keeps_unusable: keep_unusable, has_findings });
        Ok(Checker { checker, reading })
    }

    /// Takes a table, and gives the answers for the runs that are over.
    fn push(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<PyTable> {
        let table: AnyRecordBatch = table.extract().map_err(|_| {
            let kind = table.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            let help = "pass a table of pyarrow, pandas, Polars, a DuckDB relation, or anything else with \
                        __arrow_c_stream__ or __arrow_c_array__";
            table_error(py, format!("a {kind} is no table of Arrow; {help}"))
        })?;
        let reader = table.into_reader()?;
        let reading = self.reading.clone();
        let answers = self.checker.ask(py, move |checker| reading.take(checker, reader))?;
        finished(py, answers)
    }

    /// Ends the table, and gives the other answers, and the findings if they were asked for.
    fn finish(&self, py: Python<'_>) -> PyResult<(PyTable, Option<Findings>)> {
        let reading = self.reading.clone();
        let ended = self.checker.ask(py, move |checker| reading.end(checker))?;
        let (answers, findings) = ended.map_err(|fault| fault.raise(py))?;
        Ok((finished(py, Ok(answers))?, findings.map(Findings)))
    }
}

fn finished(py: Python<'_>, answers: Result<Answers, Fault>) -> PyResult<PyTable> {
    let batch = answers.and_then(|answers| {
        answers.finish().map_err(|error| Fault::Core(Error::Bug(error.to_string())))
    });
    let batch = batch.map_err(|fault| fault.raise(py))?;
    let schema = batch.schema();
    PyTable::try_new(vec![batch], schema)
}

/// The last answers of a table, and what all have in common.
type Ended = (Answers, Option<otus::findings::Findings>);

/// The number of rows that are converted at once. Small parts reuse the same memory. But the core looks up a dictionary once for each
/// part, so parts are large if the column of runs is a dictionary.
fn part(batch: &RecordBatch, run: &str) -> usize {
    let is_dictionary = batch
        .column_by_name(run)
        .is_some_and(|column| matches!(column.data_type(), DataType::Dictionary(..)));
    if is_dictionary { 1 << 20 } else { 1 << 16 }
}

impl Reading {
    fn take(
        &self,
        checker: &mut Option<otus::table::Checker>,
        reader: Box<dyn RecordBatchReader + Send>,
    ) -> Result<Answers, Fault> {
        let checker = checker.as_mut().ok_or_else(over)?;
        let mut answers = Answers::default();
        // A table without rows may have no batch, but its columns are checked as well.
        let empty = RecordBatch::new_empty(reader.schema());
        let mut dictionary = None;
        self.rows(checker, &empty, &mut dictionary, &mut answers)?;
        for batch in reader {
            let batch = batch.map_err(|error| format!("the table cannot be read: {error}"))?;
            let rows = part(&batch, &self.names.run);
            for start in (0..batch.num_rows()).step_by(rows) {
                let length = rows.min(batch.num_rows() - start);
                self.rows(checker, &batch.slice(start, length), &mut dictionary, &mut answers)?;
            }
        }
        Ok(answers)
    }

    /// `dictionary`: that of the runs of the rows before. Several batches often have the same one.
    fn rows(
        &self,
        checker: &mut otus::table::Checker,
        batch: &RecordBatch,
        dictionary: &mut Option<ArrayRef>,
        answers: &mut Answers,
    ) -> Result<(), Fault> {
        let Names { run, lifeline, action, peer, order, time, values } = &self.names;
        let column = |name: &String, argument: &str| column(batch, name, argument);
        let run = (column(run, "run")?, run);
        let own = run.0.as_any_dictionary_opt().map(|runs| runs.values().clone());
        let both = dictionary.as_ref().zip(own.as_ref());
        let shares_runs = both.is_some_and(|(one, other)| one.to_data().ptr_eq(&other.to_data()));
        *dictionary = own;
        let runs = columns::runs(run.0, run.1)?;
        let lifelines = columns::names(column(lifeline, "lifeline")?, lifeline)?;
        let actions = columns::names(column(action, "action")?, action)?;
        let peers = peer.as_ref().map(|peer| columns::names(column(peer, "peer")?, peer));
        let peers = peers.transpose()?;
        let orders = order.as_ref().map(|order| columns::orders(column(order, "order")?, order));
        let orders = orders.transpose()?;
        let times = time.as_ref().map(|time| columns::times(column(time, "time")?, time));
        let times = times.transpose()?;
        let fields = values.iter().map(|(field, name)| {
            Ok((field.as_str(), columns::values(column(name, "values")?, name)?))
        });
        let fields: Vec<(&str, ValueColumn<'_>)> = fields.collect::<Result<_, String>>()?;
        let values: Vec<_> = fields.iter().map(|(field, it)| (*field, it.values())).collect();
        let mut rows = Batch::new(runs.texts(), lifelines.texts(), actions.texts());
        rows.shares_runs = shares_runs;
        rows.peer = peers.as_ref().map(|peers| peers.texts());
        rows.order = orders.as_deref();
        rows.time = times.as_deref();
        rows.values = &values;
        for item in checker.push(&rows)? {
            answers.add(&item, self.keeps_unusable)?;
        }
        Ok(())
    }

    fn end(&self, checker: &mut Option<otus::table::Checker>) -> Result<Ended, Fault> {
        let mut answers = Answers::default();
        let mut rest = checker.take().ok_or_else(over)?.finish()?;
        for item in rest.by_ref() {
            answers.add(&item?, self.keeps_unusable)?;
        }
        let findings = self.has_findings.then(|| rest.into_findings()).transpose()?;
        Ok((answers, findings))
    }
}

fn over() -> String {
    "this checker has ended its table; make a new one".to_owned()
}

/// A column of a table.
fn column<'b>(batch: &'b RecordBatch, name: &str, argument: &str) -> Result<&'b ArrayRef, String> {
    batch.column_by_name(name).ok_or_else(|| {
        let schema = batch.schema();
        let names: Vec<String> =
            schema.fields().iter().take(12).map(|field| format!("`{}`", field.name())).collect();
        let more = if schema.fields().len() > names.len() { ", …" } else { "" };
        let names = names.join(", ");
        format!("there is no column `{name}`; the table has {names}{more}: say {argument}=…")
    })
}
