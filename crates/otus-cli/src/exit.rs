//! The exit status of the process, which scripts and CI rely on.

use std::process::ExitCode;

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything passed.
    Success,
    /// Something failed: a verdict is Fail, a file is not formatted, a lint fired.
    Failure,
    /// A budget or Ctrl-C ended a search before it was decided.
    Undecided,
    /// The command could not run: wrong usage, or unusable input.
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
