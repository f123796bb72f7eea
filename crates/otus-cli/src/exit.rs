//! What the exit status says: the contract with scripts and CI.

use std::process::ExitCode;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Nothing to complain about.
    Success,
    /// The answer is no: a file is not formatted, a lint fired.
    Failure,
    /// A budget or Ctrl-C ended a search before it was decided.
    Undecided,
    /// The question could not be asked: usage, or an unusable text.
    Error,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Error => 2,
            Exit::Undecided => 3,
        })
    }
}
