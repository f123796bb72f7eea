//! The `otus` binary: [`otus_cli::run`] with the arguments of the process.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("otus"));
    ExitCode::from(otus_cli::run(program, &arguments))
}
