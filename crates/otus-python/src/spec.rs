//! Specifications.

use std::sync::Arc;

use otus::{Cancel, Context, Disk, FieldValue, Run, Tapped};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::case::CaseParts;
use crate::error::raise;
use crate::files::{Kept, Recorded};
use crate::interrupt::interruptible;
use crate::options::Checks;

/// A specification, with the files it was read from.
#[pyclass(frozen, module = "otus._otus")]
pub(crate) struct Spec {
    pub(crate) spec: otus::Spec,
    names: Vec<String>,
    folder: String,
    files: Vec<(String, Vec<u8>)>,
}

/// An event as Python gives it: lifeline, action, values, time, and the line that recorded it.
type Event = (String, String, Vec<(String, FieldOf)>, Option<i64>, Option<(String, u32)>);

/// The names of a specification, the working folder, and the files with their contents.
type Sources = (Vec<String>, String, Vec<(String, Vec<u8>)>);

/// A value of a field.
#[derive(FromPyObject)]
pub(crate) enum FieldOf {
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Unknown(Option<i64>),
}

impl From<FieldOf> for FieldValue {
    fn from(value: FieldOf) -> FieldValue {
        match value {
            FieldOf::Boolean(value) => value.into(),
            FieldOf::Integer(value) => value.into(),
            FieldOf::Number(value) => value.into(),
            FieldOf::Text(value) => value.into(),
            FieldOf::Unknown(value) => value.into(),
        }
    }
}

#[pymethods]
impl Spec {
    /// Reads files from the disk.
    #[staticmethod]
    fn read(py: Python<'_>, names: Vec<String>) -> PyResult<Spec> {
        let files = Arc::new(Tapped { files: Disk, tap: Recorded::default() });
        let context = Context { files: files.clone(), ..Context::default() };
        let spec = py.detach(|| otus::Spec::open(&context, &names));
        let spec = spec.map_err(|error| raise(py, &error))?;
        let folder = context.files.working_folder().to_string_lossy().into_owned();
        Ok(Spec { spec, names, folder, files: files.tap.read() })
    }

    /// Reads files that are in memory.
    #[new]
    fn new(
        py: Python<'_>,
        names: Vec<String>,
        folder: String,
        files: Vec<(String, Vec<u8>)>,
    ) -> PyResult<Spec> {
        let context = Context::default().with_files(Kept::new(&folder, &files));
        let spec = py.detach(|| otus::Spec::open(&context, &names));
        let spec = spec.map_err(|error| raise(py, &error))?;
        Ok(Spec { spec, names, folder, files })
    }

    /// The arguments with which the specification can be made again.
    pub(crate) fn sources(&self) -> Sources {
        (self.names.clone(), self.folder.clone(), self.files.clone())
    }

    #[getter]
    fn name(&self) -> &str {
        self.spec.name()
    }

    #[getter]
    fn lifelines(&self) -> Vec<&str> {
        self.spec.lifelines().collect()
    }

    #[getter]
    fn messages(&self) -> Vec<&str> {
        self.spec.messages().collect()
    }

    #[getter]
    fn warnings(&self) -> &str {
        self.spec.warnings()
    }

    /// The diagram as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.spec.svg())
    }

    /// The diagram as text.
    fn text(&self, py: Python<'_>, columns: usize) -> Option<String> {
        py.detach(|| self.spec.text(columns))
    }

    /// Checks one run, and draws it.
    fn check(&self, py: Python<'_>, events: Vec<Event>, checks: Checks) -> PyResult<CaseParts> {
        let mut run = Run::new();
        for (lifeline, action, values, time, place) in events {
            let mut log = run.log(lifeline);
            match action.split_at_checked(1) {
                Some(("!", message)) if !message.is_empty() => log.sent(message),
                Some(("?", message)) if !message.is_empty() => log.received(message),
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "the action {action:?} is neither \"!message\" (sent) nor \"?message\" (received)"
                    )));
                }
            };
            for (field, value) in values {
                log.with(field, value);
            }
            if let Some(time) = time {
                log.at(otus::EventTime::nanoseconds(time));
            }
            if let Some((file, line)) = place {
                log.from_line(file, line);
            }
        }
        let cancel = Cancel::default();
        let options = checks.options(py)?.draw().cancel(cancel.clone());
        let work = || self.spec.check_with(&run, &options).map(|case| CaseParts::new(&case));
        interruptible(py, &cancel, work)?.map_err(|error| raise(py, &error))
    }
}
