//! The questions that are being answered: each has a token by which it is cancelled.
//!
//! A newer question of the same route from the same page cancels the older one, because the page wants the newest answer
//! only. A question is also cancelled when its page stops waiting for it, and when the studio ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use otus::Cancel;

/// A page, and a route.
type Key = (String, &'static str);

/// The questions of all pages.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    running: Mutex<BTreeMap<Key, (u64, Cancel)>>,
    next: AtomicU64,
}

/// A question while it is answered. When it is dropped, its work is cancelled.
#[derive(Debug)]
pub(crate) struct Ticket {
    questions: Arc<Questions>,
    key: Key,
    number: u64,
    pub(crate) cancel: Cancel,
}

impl Questions {
    /// Begins a question, and cancels the older one of this page and route.
    pub(crate) fn begin(self: &Arc<Self>, page: &str, route: &'static str) -> Ticket {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (key, cancel) = ((page.to_owned(), route), Cancel::default());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // Requests without a page do not know each other.
        if !page.is_empty()
            && let Some((_, older)) = running.insert(key.clone(), (number, cancel.clone()))
        {
            older.cancel();
        }
        drop(running);
        Ticket { questions: self.clone(), key, number, cancel }
    }

    /// Cancels all questions.
    pub(crate) fn end(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, cancel) in running.values() {
            cancel.cancel();
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.cancel.cancel();
        let running = &self.questions.running;
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get(&self.key).is_some_and(|(number, _)| *number == self.number) {
            running.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_question_cancels_the_older_one_of_its_page_and_route() {
        let questions = Arc::new(Questions::default());
        let first = questions.begin("p", "/api/check");
        let other_route = questions.begin("p", "/api/text");
        let other_page = questions.begin("q", "/api/check");
        let second = questions.begin("p", "/api/check");
        assert!(first.cancel.is_cancelled());
        drop(first);
        for still in [&second, &other_route, &other_page] {
            assert!(!still.cancel.is_cancelled());
        }
        questions.end();
        assert!(second.cancel.is_cancelled());
    }

    #[test]
    fn a_question_that_nobody_waits_for_is_cancelled() {
        let questions = Arc::new(Questions::default());
        let ticket = questions.begin("p", "/api/check");
        let cancel = ticket.cancel.clone();
        drop(ticket);
        assert!(cancel.is_cancelled());
        assert!(questions.running.lock().unwrap().is_empty());
    }
}
