//! The commands, one per file.

mod analyze;
mod completions;
mod convert;
mod ctl;
mod demo;
mod draw;
mod explain;
mod explore;
mod fmt;
mod generate;
mod init;
mod learn;
mod lint;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod map;
mod mutate;
mod report;
mod restrict;
mod schema;
mod slice;
#[cfg(feature = "studio")]
mod studio;
mod test;
#[cfg(feature = "watch")]
mod watch;

use otus::Status;

use crate::args::{Args, Command};
use crate::shell::Shell;
use crate::watchdog::{self, Scope};

pub(crate) fn run(args: &Args) -> anyhow::Result<Status> {
    let shell = Shell::new(args);
    // It has no end, so it has limits of its own, and a request to stop lets it drain.
    #[cfg(feature = "watch")]
    if let Command::Watch(args) = &args.command {
        return watch::run(args, &shell);
    }
    // It lasts as long as its editor, so only its verdicts have limits.
    #[cfg(feature = "lsp")]
    if let Command::Lsp(args) = &args.command {
        return lsp::run(args, &shell);
    }
    // It lasts until it is stopped; each of its questions has limits.
    #[cfg(feature = "studio")]
    if let Command::Studio(args) = &args.command {
        return studio::run(args, &shell);
    }
    let asks = matches!(args.command, Command::Analyze(_) | Command::Ctl(_) | Command::Test(_));
    let scope = if asks { Scope::Question } else { Scope::Command };
    watchdog::start(shell.limits, scope)?;
    let status = match &args.command {
        Command::Analyze(analyze) => analyze::run(analyze, &shell),
        Command::Completions(completions) => completions::run(completions),
        Command::Ctl(ctl) => ctl::run(ctl, &shell),
        Command::Init(init) => init::run(init, &shell),
        Command::Learn(learn) => learn::run(learn, &shell),
        Command::Man(man) => man::run(man),
        Command::Convert(convert) => convert::run(convert, &shell),
        Command::Demo(demo) => demo::run(demo, &shell),
        Command::Draw(draw) => draw::run(draw, &shell),
        Command::Explain(explain) => explain::run(explain, &shell),
        Command::Explore(explore) => explore::run(explore, &shell),
        Command::Fmt(fmt) => fmt::run(fmt, &shell),
        Command::Generate(generate) => generate::run(generate, &shell),
        Command::Lint(lint) => lint::run(lint, &shell),
        #[cfg(feature = "lsp")]
        Command::Lsp(lsp) => lsp::run(lsp, &shell),
        Command::Mutate(mutate) => mutate::run(mutate, &shell),
        Command::Project(project) => restrict::project(project, &shell),
        Command::Report(report) => report::run(report, &shell),
        Command::Remove(remove) => restrict::remove(remove, &shell),
        #[cfg(feature = "studio")]
        Command::Studio(studio) => studio::run(studio, &shell),
        Command::Slice(slice) => slice::run(slice, &shell),
        Command::Schema(schema) => schema::run(schema),
        Command::Map(map) => map::run(map, &shell),
        Command::Test(test) => test::run(test, &shell),
        #[cfg(feature = "watch")]
        Command::Watch(watch) => watch::run(watch, &shell),
    }?;
    // A command that was stopped has no complete answer, but the failures that it found count.
    let is_stopped = shell.context.cancel.requested().is_some();
    Ok(if is_stopped && status == Status::Passed { Status::Undecided } else { status })
}
