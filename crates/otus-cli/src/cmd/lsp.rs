//! `otus lsp`: serves an editor over standard input and output.

use std::io::{BufReader, stdin, stdout};

use anyhow::Context as _;
use otus::{Limits, Status};
use otus_lsp::{Config, Ended, serve};

use crate::args::LspArgs;
use crate::shell::Shell;

pub(crate) fn run(args: &LspArgs, shell: &Shell) -> anyhow::Result<Status> {
    // There is no other way, so the flag changes nothing.
    let LspArgs { stdio: _ } = args;
    let limits = Limits {
        timeout: shell.limits.timeout,
        max_bytes: Some(shell.limits.tables),
        ..Limits::default()
    };
    let ended = serve(BufReader::new(stdin()), stdout(), Config { limits });
    Ok(match ended.context("cannot start the server")? {
        Ended::Properly => Status::Passed,
        Ended::Abruptly => Status::Failed,
    })
}
