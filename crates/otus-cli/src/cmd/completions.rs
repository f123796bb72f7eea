//! `otus completions`: scripts that complete the command line in a shell.

use clap::CommandFactory as _;
use otus::Status;

use crate::args::{Args, CompletionsArgs};
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "otus", &mut script);
    output::answer(&script)
}
