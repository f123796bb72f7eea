//! The errors of the core.
//!
//! A run that does not conform is an answer and not an error (see [`Case`](crate::Case)). Errors are texts with
//! mistakes, files that cannot be read, and requests that contradict themselves.

use std::path::{Path, PathBuf};

use crate::context::Stop;
use crate::diagnostics::{Diagnostics, Finding};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why something cannot be checked.
///
/// Its text gives the problem, the advice, and the source lines:
///
/// ```
/// let text = "sequenceDiagram\n  A->>B: hello\n  lop\n";
/// let error = otus::Spec::parse("flow.mmd", text).unwrap_err();
/// assert!(error.to_string().contains("--> flow.mmd:3:3"));
/// assert_eq!(error.findings()[0].line, 3);
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text has mistakes: a diagram, an interaction, a formula, an `otus.toml`, a baseline.
    #[error("{}", .0.render(false))]
    Text(Box<Diagnostics>),
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The request cannot be carried out: it contradicts itself, names something that does not exist, or
    /// does not fit the specification or the logs.
    #[error("{0}")]
    Unfit(String),
    /// A limit or the caller ended the work before there was a result.
    #[error("no result: {0}")]
    Stopped(Stop),
    /// An internal error of Otus.
    #[error("a bug in Otus: {0}; please report it")]
    Bug(String),
}

impl Error {
    /// The mistakes of a text; empty if the error is about something else.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            Error::Text(found) => found.findings(),
            Error::Read { .. } | Error::Unfit(_) | Error::Stopped(_) | Error::Bug(_) => Vec::new(),
        }
    }

    /// A temporary file cannot be written or read.
    pub(crate) fn spill(source: std::io::Error) -> Error {
        Error::Read { path: PathBuf::from("a temporary file"), source }
    }

    pub(crate) fn read(path: &Path, source: std::io::Error) -> Error {
        Error::Read { path: path.to_owned(), source }
    }
}

/// Returns an [`Error::Unfit`].
macro_rules! unfit {
    ($($argument:tt)*) => {
        return Err($crate::error::Error::Unfit(format!($($argument)*)))
    };
}
pub(crate) use unfit;
