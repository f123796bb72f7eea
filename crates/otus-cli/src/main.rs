//! The `otus` command.
//!
//! Each command parses its arguments, calls the core (the crate `otus`), prints the result ([`output`], [`shell`]), and
//! returns a [`Status`].
#![forbid(unsafe_code)]

mod args;

mod cmd;
mod output;
mod picture;
mod shell;
mod trace_files;
mod watch;

use std::process::ExitCode;

use otus::Status;

use crate::output::Stream;

fn main() -> ExitCode {
    let args = match args::parse() {
        Ok(args) => args,
        Err(error) => {
            // Requests for help or the version are successful; everything else is a usage error.
            let _ = error.print();
            return code(if error.use_stderr() { Status::Unusable } else { Status::Passed });
        }
    };
    code(cmd::run(&args).unwrap_or_else(|error| {
        if output::is_closed_pipe(&error) {
            return Status::Passed;
        }
        match error.downcast_ref::<otus::Error>() {
            Some(otus::Error::Stopped(_)) => {
                output::complain(&format!("otus: {error:#}"));
                return Status::Undecided;
            }
            Some(otus::Error::Text(found)) => {
                output::complain(&found.render(output::colored(args.color, Stream::Error)));
            }
            _ => output::complain(&format!("otus: {error:#}")),
        }
        Status::Unusable
    }))
}

/// The exit status of the process, which scripts and CI rely on.
fn code(status: Status) -> ExitCode {
    ExitCode::from(match status {
        Status::Passed => 0,
        Status::Failed => 1,
        Status::Unusable => 2,
        Status::Undecided => 3,
    })
}
