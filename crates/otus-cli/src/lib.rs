//! The `otus` command, as a function. The binary calls it, and so does the `otus` of the Python package, which would
//! otherwise ship the core twice.
//!
//! Each command parses its arguments, calls the core (the crate `otus`), prints the result ([`output`], [`shell`]), and
//! returns a [`Status`].
#![forbid(unsafe_code)]

mod args;

mod cmd;
mod output;
mod picture;
mod shell;
#[cfg(any(feature = "studio", feature = "watch"))]
mod stop;
mod trace_files;
mod watchdog;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use otus::Status;

use crate::output::Stream;

/// Runs the command and returns its exit status. `program` is the file that starts it again, with other arguments.
///
/// A process calls it once: the watchdog of a command may end the process, and it takes Ctrl-C for itself.
pub fn run(program: PathBuf, arguments: &[OsString]) -> u8 {
    let program = PROGRAM.get_or_init(|| program);
    let status = status(program, arguments);
    // Where Rust has no `main`, nobody writes what is left in the buffer.
    let _ = std::io::stdout().flush();
    status
}

/// The file that starts this program.
fn program() -> &'static Path {
    PROGRAM.get().map_or(Path::new("otus"), PathBuf::as_path)
}

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

fn status(program: &Path, arguments: &[OsString]) -> u8 {
    otus::quiet_panics();
    let args = match args::parse(program, arguments) {
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
fn code(status: Status) -> u8 {
    match status {
        Status::Passed => 0,
        Status::Failed => 1,
        Status::Unusable => 2,
        Status::Undecided => 3,
    }
}
