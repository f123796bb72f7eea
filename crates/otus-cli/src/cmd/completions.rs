//! `otus completions`: scripts that complete the command line in a shell.

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "otus", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
