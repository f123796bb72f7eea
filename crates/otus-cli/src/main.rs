//! The `otus` command.
//!
//! Each command parses its arguments, calls the core (the crate `otus`), prints the result ([`output`], [`shell`]), and
//! returns an [`Exit`].
#![forbid(unsafe_code)]

mod args;
mod cases;
mod cmd;
mod exit;
mod interrupt;
mod output;
mod picture;
mod shell;

use clap::Parser as _;

use crate::args::Args;
use crate::exit::Exit;
use crate::output::Stream;

fn main() -> std::process::ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are results; everything else is a usage error.
            let exit = if error.use_stderr() { Exit::Error } else { Exit::Success };
            let _ = error.print();
            return exit.into();
        }
    };
    let exit = cmd::run(&args).unwrap_or_else(|error| {
        if output::is_closed_pipe(&error) {
            return Exit::Success;
        }
        match error.downcast_ref::<otus::Error>() {
            Some(otus::Error::Text(found)) => {
                output::complain(&found.render(output::colored(args.color, Stream::Error)));
            }
            _ if error.is::<output::Told>() => {}
            _ => output::complain(&format!("otus: {error:#}")),
        }
        Exit::Error
    });
    exit.into()
}
