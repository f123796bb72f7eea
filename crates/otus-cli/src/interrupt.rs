//! Ctrl-C: the first one stops the work and reports the results so far, the second one ends the process.

use std::sync::{LazyLock, OnceLock};

use anyhow::Context as _;
use otus::Cancel;

/// The exit status of a process that SIGINT ended, as shells report it.
const INTERRUPTED: i32 = 130;

/// The token that Ctrl-C cancels once [`watch`] was called.
pub(crate) fn token() -> Cancel {
    static TOKEN: LazyLock<Cancel> = LazyLock::new(Cancel::default);
    TOKEN.clone()
}

/// Makes Ctrl-C cancel the token. Before this call, Ctrl-C ends the process, so the user can abort a command that waits
/// for standard input.
pub(crate) fn watch() -> anyhow::Result<()> {
    static WATCHED: OnceLock<()> = OnceLock::new();
    if WATCHED.set(()).is_err() {
        return Ok(());
    }
    let handle = || {
        let token = token();
        if token.is_cancelled() {
            #[expect(clippy::exit, reason = "the user asked twice and does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        token.cancel();
    };
    ctrlc::set_handler(handle).context("cannot watch for Ctrl-C")
}
