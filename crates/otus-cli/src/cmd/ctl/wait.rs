//! A line on the terminal that says what a long run is at.
//!
//! A check says nothing until it is done, so the line is a thread's. It ends with the value that
//! started it.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Watches over what takes long.
pub(super) struct Wait {
    shared: Option<Arc<(Mutex<State>, Condvar)>>,
    total: usize,
}

#[derive(Default)]
struct State {
    /// What is going on, and since when.
    what: Option<(String, Instant)>,
    shown: bool,
    over: bool,
}

/// How long something takes before anybody asks.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

impl Wait {
    pub(super) fn new(total: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Wait { shared: None, total };
        }
        let shared = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let watched = shared.clone();
        std::thread::spawn(move || watch(&watched));
        Wait { shared: Some(shared), total }
    }

    /// Something begins.
    pub(super) fn begin(&self, index: usize, what: &str) {
        let Some(shared) = &self.shared else { return };
        let what: String = what.chars().take(50).collect();
        let what = format!("checking {} of {}: {what}", index + 1, self.total);
        lock(&shared.0).what = Some((what, Instant::now()));
    }

    /// It has ended, and its line vanishes.
    pub(super) fn end(&self) {
        let Some(shared) = &self.shared else { return };
        let mut state = lock(&shared.0);
        state.what = None;
        if std::mem::take(&mut state.shown) {
            line("");
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.end();
        if let Some(shared) = &self.shared {
            lock(&shared.0).over = true;
            shared.1.notify_all();
        }
    }
}

fn watch((state, over): &(Mutex<State>, Condvar)) {
    let mut state = lock(state);
    while !state.over {
        if let Some((what, since)) = &state.what
            && since.elapsed() >= PATIENCE
        {
            line(&format!("{what}, {} s", since.elapsed().as_secs()));
            state.shown = true;
        }
        state = over.wait_timeout(state, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn line(text: &str) {
    let mut error = std::io::stderr().lock();
    // Nothing sensible can be done when standard error is gone.
    let _ = write!(error, "\r\x1b[K{text}").and_then(|()| error.flush());
}
