//! The commands, one a file.

mod analyze;
mod completions;
mod convert;
mod ctl;
mod demo;
mod derive;
mod draw;
mod explain;
mod explore;
mod fmt;
mod generate;
mod init;
mod learn;
mod lint;
mod man;
mod map;
mod mutate;
mod schema;
mod slice;
mod test;

use crate::args::{Args, Command};
use crate::exit::Exit;

/// Runs the command that was asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Analyze(analyze) => analyze::run(analyze, args.color),
        Command::Ctl(ctl) => ctl::run(ctl, args.color),
        Command::Demo(demo) => demo::run(demo, args.color),
        Command::Fmt(fmt) => fmt::run(fmt, args.color),
        Command::Lint(lint) => lint::run(lint, args.color),
        Command::Convert(convert) => convert::run(convert, args.color),
        Command::Map(map) => map::run(map, args.color),
        Command::Init(init) => init::run(init, args.color),
        Command::Learn(learn) => learn::run(learn, args.color),
        Command::Schema(schema) => schema::run(schema),
        Command::Draw(draw) => draw::run(draw, args.color),
        Command::Explain(explain) => explain::run(explain, args.color),
        Command::Explore(explore) => explore::run(explore, args.color),
        Command::Generate(generate) => generate::run(generate, args.color),
        Command::Slice(slice) => slice::run(slice, args.color),
        Command::Mutate(mutate) => mutate::run(mutate, args.color),
        Command::Test(test) => test::run(test, args.color),
        Command::Completions(completions) => completions::run(completions),
        Command::Man(man) => man::run(man),
    }
}
