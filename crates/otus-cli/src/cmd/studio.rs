//! `otus studio`: starts the local web app, prints its address, and waits until it is told to stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use otus::Status;
use otus_studio::{Config, start};

use crate::args::StudioArgs;
use crate::output;
use crate::shell::Shell;
use crate::stop;

/// The time between two looks whether to stop.
const TICK: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &StudioArgs, shell: &Shell) -> anyhow::Result<Status> {
    let stop = stop::on_request()?;
    let begun = Instant::now();
    let studio = start(&Config {
        folder: args.folder.clone(),
        port: args.port,
        timeout: shell.limits.timeout,
        max_bytes: Some(shell.limits.tables),
    })?;
    output::print(&format!("{}\n", studio.url()))?;
    output::complain("otus: open this address in a browser; Ctrl-C ends the studio");
    let lasts = args.lasts.map(Duration::from_secs);
    while !stop.load(Ordering::Relaxed) && lasts.is_none_or(|lasts| begun.elapsed() < lasts) {
        std::thread::sleep(TICK);
    }
    drop(studio);
    Ok(Status::Passed)
}
