//! The `otus` command.
//!
//! The only crate that reads files, prints and exits. A command is a function from its arguments
//! to an [`Exit`]; what it has to say goes through [`output`], and what is wrong with the user's
//! texts is rendered by [`report`].
#![forbid(unsafe_code)]

mod args;
mod baseline;
mod cases;
mod certificate_file;
mod cmd;
mod exit;
mod expectation;
mod feed;
mod findings;
mod graph_file;
mod group;
mod input;
mod interrupt;
mod load;
mod logs;
mod options;
mod order_file;
mod output;
mod picture;
mod pipeline;
mod project;
mod report;
mod words;

use clap::Parser as _;

use crate::args::Args;
use crate::exit::Exit;

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
        if error.is::<output::Told>() {
            return Exit::Error;
        }
        output::complain(&format!("otus: {error:#}"));
        Exit::Error
    });
    exit.into()
}
