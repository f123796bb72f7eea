//! Ctrl-C: the first ends the work and reports what was found, the second ends the process.

use std::sync::OnceLock;

use anyhow::Context as _;
use otus_core::budget::Cancel;

/// The exit status of a process that SIGINT ended, as shells report it.
const INTERRUPTED: i32 = 130;

/// The token that Ctrl-C cancels. The handler is installed at the first call.
pub(crate) fn token() -> anyhow::Result<Cancel> {
    static TOKEN: OnceLock<Cancel> = OnceLock::new();
    if let Some(token) = TOKEN.get() {
        return Ok(token.clone());
    }
    let token = TOKEN.get_or_init(Cancel::default).clone();
    let cancel = token.clone();
    let handle = move || {
        if cancel.is_cancelled() {
            #[expect(clippy::exit, reason = "the user asked twice and does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        cancel.cancel();
    };
    ctrlc::set_handler(handle).context("cannot watch for Ctrl-C")?;
    Ok(token)
}
