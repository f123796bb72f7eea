//! How far a long experiment is, for whoever watches a terminal.

use std::io::{IsTerminal as _, Write as _};

/// One line that is written over again; nothing where nobody watches.
pub(super) struct Progress {
    shown: bool,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress { shown: std::io::stderr().is_terminal() }
    }

    /// `done` of `all`.
    pub(super) fn show(&self, what: &str, done: usize, all: usize) {
        if self.shown && done.is_multiple_of(10) {
            // Nobody is harmed by a line that cannot be shown.
            let _ = write!(std::io::stderr(), "\r\x1b[K{what}: {done} of {all}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
