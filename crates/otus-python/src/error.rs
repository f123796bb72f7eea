//! Errors of the core as exceptions of the package.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The exception for an error: `otus.SpecError` for a text with mistakes, `otus.Stopped` if a limit ended the work, else
/// `otus.OtusError`.
pub(crate) fn raise(py: Python<'_>, error: &otus::Error) -> PyErr {
    let class = match error {
        otus::Error::Text(_) => "SpecError",
        otus::Error::Stopped(_) => "Stopped",
        _ => "OtusError",
    };
    let findings = error.findings().into_iter().map(|found| {
        let otus::Finding { code, is_error, message, file, line, column, help, .. } = found;
        (code, is_error, message, file, line, column, help)
    });
    let findings: Vec<_> = findings.collect();
    exception(py, class, (error.to_string(), findings))
}

/// The exception about a table: a column that is missing or has the wrong type, or a row.
pub(crate) fn table_error(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, "TableError", (message.into(),))
}

/// The exception about an argument.
pub(crate) fn unfit(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, "OtusError", (message.into(),))
}

fn exception<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let made = py.import("otus._errors").and_then(|module| {
        let arguments = arguments.into_pyobject(py)?;
        module.getattr(class)?.call1(arguments)?.into_bound_py_any(py)
    });
    made.map_or_else(|error| error, PyErr::from_value)
}
