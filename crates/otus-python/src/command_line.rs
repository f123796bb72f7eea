//! The command `otus` of the package.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the command with its arguments and returns its exit status. `program` is the file that starts it again. It takes Ctrl-C
/// for itself and may end the process, so it is for a process of its own.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, program: PathBuf, arguments: Vec<OsString>) -> u8 {
    py.detach(|| otus_cli::run(program, &arguments))
}
