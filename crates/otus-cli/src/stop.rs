//! A request to stop, for commands that last until then: Ctrl-C, or SIGTERM. A second one ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

/// The exit status of a process that was told twice to stop.
const INTERRUPTED: i32 = 130;

/// A flag that the first request sets.
pub(crate) fn on_request() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "the user does not want to wait for the end")]
            std::process::exit(INTERRUPTED);
        }
    };
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C")?;
    Ok(stop)
}
