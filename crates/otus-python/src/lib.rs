//! Otus for Python: the extension module `otus._otus`.
//!
//! It converts what Python gives, calls the core, and converts the answer; the package `python/otus` has the classes that
//! users see. Long work runs on a thread of its own, without the lock of the interpreter, so that Ctrl-C stops it.
#![deny(unsafe_code)]

mod answers;
mod case;
mod columns;
mod command_line;
mod commands;
mod error;
mod files;
mod findings;
mod interrupt;
mod options;
mod spec;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _otus {
    #[pymodule_export]
    use super::command_line::command_line;
    #[pymodule_export]
    use super::commands::{check_folder, check_spans, ctl, ctl_order, explain, learn};
    #[pymodule_export]
    use super::findings::Findings;
    #[pymodule_export]
    use super::spec::Spec;
    #[pymodule_export]
    use super::table::Checker;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
