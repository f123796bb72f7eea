//! The commands, one a file.

mod completions;
mod explain;
mod fmt;
mod man;

use crate::args::{Args, Command};
use crate::exit::Exit;

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Demo(demo) => {
            let _ = demo;
            todo!()
        }
        Command::Fmt(fmt) => fmt::run(fmt, args.color),
        Command::Lint(lint) => {
            let _ = lint;
            todo!()
        }
        Command::Convert(convert) => {
            let _ = convert;
            todo!()
        }
        Command::Explain(explain) => explain::run(explain),
        Command::Completions(completions) => completions::run(completions),
        Command::Man(man) => man::run(man),
    }
}
