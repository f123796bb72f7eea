//! The commands, one a file.

mod analyze;
mod completions;
mod init;
mod learn;
mod man;
mod map;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::shell::Shell;

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let shell = Shell::new(args.color);
    match &args.command {
        Command::Analyze(analyze) => analyze::run(analyze, &shell),
        Command::Completions(completions) => completions::run(completions),
        Command::Init(init) => init::run(init, &shell),
        Command::Learn(learn) => learn::run(learn, &shell),
        Command::Man(man) => man::run(man),
        Command::Map(map) => map::run(map, &shell),
        other => anyhow::bail!("not ported to the core yet: {other:?}"),
    }
}
