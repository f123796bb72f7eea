//! Why a system cannot be followed, or not any longer.

use std::io;
use std::path::Path;

/// An error that ends the watch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The specification or the mapping cannot be used.
    #[error(transparent)]
    Core(#[from] otus::Error),
    /// The configuration contradicts itself, or the log on disk does not fit it.
    #[error("{0}")]
    Unfit(String),
    /// Reading or writing failed.
    #[error("{what}: {error}")]
    Io {
        /// What was to be done, with the advice.
        what: String,
        /// The cause.
        error: io::Error,
    },
}

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error about a file.
pub(crate) fn about(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let what = format!("cannot {doing} {}", path.display());
    move |error| Error::Io { what, error }
}
