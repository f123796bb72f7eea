//! Limits on a computation, and the reasons for which it stops.
//!
//! Every search and every check takes a [`Budget`]. A [`Meter`] tracks how much of a budget is used: the
//! loop of a search counts each state with it and stops when it returns a [`Stop`]. An exhausted
//! budget is not an error: the verdict is `Inconclusive`, unless it was already found.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The limits of a computation. The default is no limit.
///
/// Several phases share one time limit if they are given the same [started](Budget::started) budget.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// The maximum number of states a search may visit, or of nodes an interval diagram may have.
    pub max_states: Option<u64>,
    /// The maximum duration, counted from the start of the computation.
    pub timeout: Option<Duration>,
    /// The point in time at which the computation must end, whenever it started.
    pub deadline: Option<Instant>,
    /// The maximum number of bytes that all tables together may take.
    pub max_bytes: Option<u64>,
    /// Stops the computation from another thread or from a signal handler (Ctrl-C).
    pub cancel: Cancel,
}

impl Budget {
    /// The budget from now on: its timeout becomes a deadline. To start it again changes nothing.
    ///
    /// ```
    /// use std::time::Duration;
    /// use otus_core::budget::{Budget, Stop};
    ///
    /// let budget = Budget { timeout: Some(Duration::ZERO), ..Budget::default() }.started();
    /// assert_eq!(budget.started().deadline, budget.deadline);
    /// assert_eq!(budget.check_time(), Err(Stop::Time));
    /// ```
    #[must_use]
    pub fn started(&self) -> Self {
        Budget { timeout: None, deadline: self.end(), ..self.clone() }
    }

    /// The earlier of the deadline and the end of a timeout that starts now.
    fn end(&self) -> Option<Instant> {
        let end = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.deadline.into_iter().chain(end).min()
    }

    /// Checks the cancel token and the deadline; a timeout counts only once it is [started](Budget::started).
    ///
    /// # Errors
    /// The limit that was met.
    pub fn check_time(&self) -> Result<(), Stop> {
        if let Some(reason) = self.cancel.reason() {
            return Err(reason);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Checks the memory that all tables together take.
    ///
    /// # Errors
    /// [`Stop::Memory`] if it is too much.
    #[inline]
    pub fn check_bytes(&self, bytes: usize) -> Result<(), Stop> {
        match self.max_bytes {
            Some(most) if bytes as u64 > most => Err(Stop::Memory),
            Some(_) | None => Ok(()),
        }
    }
}

/// A cancellation token: stops every computation that holds a clone of it.
///
/// A user cancels it by Ctrl-C; a watchdog cancels it with the limit that the process has reached. In the other
/// direction, [`Cancel::beat`] tells a watchdog that the work goes on.
///
/// ```
/// use otus_core::budget::{Cancel, Stop};
///
/// let cancel = Cancel::default();
/// let shared = cancel.clone();
/// cancel.cancel_for(Stop::Memory);
/// cancel.cancel();
/// assert!(shared.is_cancelled());
/// assert_eq!(shared.reason(), Some(Stop::Memory));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Token>);

#[derive(Debug, Default)]
struct Token {
    is_cancelled: AtomicBool,
    is_noticed: AtomicBool,
    reason: OnceLock<Stop>,
    beats: AtomicU64,
}

impl Cancel {
    /// Requests cancellation, which cannot be undone.
    pub fn cancel(&self) {
        self.cancel_for(Stop::Cancelled);
    }

    /// Requests cancellation because a limit was reached. The first reason counts.
    pub fn cancel_for(&self, reason: Stop) {
        let _ = self.0.reason.set(reason);
        self.0.is_cancelled.store(true, Ordering::Release);
    }

    /// Whether cancellation was requested. A computation that asks is expected to stop, so a request counts as
    /// [noticed](Cancel::is_noticed) afterwards.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        let is_cancelled = self.0.is_cancelled.load(Ordering::Relaxed);
        if is_cancelled {
            self.0.is_noticed.store(true, Ordering::Relaxed);
        }
        is_cancelled
    }

    /// The reason for which cancellation was requested; a computation that asks is expected to stop, as for
    /// [`Cancel::is_cancelled`].
    pub fn reason(&self) -> Option<Stop> {
        if self.is_cancelled() { self.requested() } else { None }
    }

    /// Like [`Cancel::reason`], but for a watchdog: asking does not count as noticing, because a
    /// watchdog has no computation to stop.
    pub fn requested(&self) -> Option<Stop> {
        self.0.reason.get().copied()
    }

    /// Whether a computation has seen the request. A watchdog leaves such a computation time to report its results.
    pub fn is_noticed(&self) -> bool {
        self.0.is_noticed.load(Ordering::Relaxed)
    }

    /// Tells a watchdog that a question with a time limit of its own is answered, or that more input was read.
    #[inline]
    pub fn beat(&self) {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of [beats](Cancel::beat) so far.
    pub fn beats(&self) -> u64 {
        self.0.beats.load(Ordering::Relaxed)
    }
}

/// The reason for which a computation stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The search space is exhausted.
    Exhausted,
    /// A verdict at least as good as the goal was found.
    Goal,
    /// [`Budget::max_states`] is reached.
    States,
    /// [`Budget::max_bytes`] is reached.
    Memory,
    /// [`Budget::timeout`] has passed.
    Time,
    /// [`Budget::cancel`] was triggered.
    Cancelled,
}

impl Stop {
    /// Whether a part of the search space was left unexplored because the budget ran out.
    pub fn is_early(self) -> bool {
        match self {
            Stop::Exhausted | Stop::Goal => false,
            Stop::States | Stop::Memory | Stop::Time | Stop::Cancelled => true,
        }
    }

    /// The reason in words, for an inconclusive verdict.
    pub fn reason(self) -> &'static str {
        match self {
            Stop::Exhausted => "everything was explored",
            Stop::Goal => "the goal was reached",
            Stop::States => "the budget of states is used up",
            Stop::Memory => "the memory budget is used up",
            Stop::Time => "time is up",
            Stop::Cancelled => "it was interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.reason())
    }
}

/// An operation that cannot return a partial result returns the limit that it reached as an error.
impl std::error::Error for Stop {}

/// The number of states between two reads of the clock, which costs about as much as a small step.
const CHECKED: u64 = 64;

/// The used part of a budget.
#[derive(Debug)]
pub struct Meter<'b> {
    budget: &'b Budget,
    deadline: Option<Instant>,
    states: u64,
}

impl<'b> Meter<'b> {
    /// A meter with nothing used; the timeout starts now.
    pub fn new(budget: &'b Budget) -> Self {
        Meter { budget, deadline: budget.end(), states: 0 }
    }

    /// Counts a state. Returns the reason to stop, if there is one.
    #[inline]
    pub fn count(&mut self) -> Option<Stop> {
        if self.budget.max_states.is_some_and(|most| self.states >= most) {
            return Some(Stop::States);
        }
        self.states += 1;
        if self.states.is_multiple_of(CHECKED) {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Some(Stop::Time);
            }
            if let Some(reason) = self.budget.cancel.reason() {
                return Some(reason);
            }
        }
        None
    }

    /// The maximum number of states that [`Meter::count_many`] may count before the next call of
    /// [`Meter::count`], which checks the limits.
    #[inline]
    pub fn room(&self) -> u64 {
        let unseen = CHECKED - 1 - self.states % CHECKED;
        self.budget.max_states.map_or(unseen, |most| unseen.min(most.saturating_sub(self.states)))
    }

    /// Counts several states without checking limits; at most [`Meter::room`].
    #[inline]
    pub fn count_many(&mut self, states: u64) {
        self.states += states;
    }

    /// Counts a step that is as much work as this number of states, and checks all limits.
    pub fn count_work(&mut self, states: u64) -> Option<Stop> {
        if self.is_out() {
            return Some(Stop::States);
        }
        self.states = self.states.saturating_add(states);
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Stop::Time);
        }
        self.budget.cancel.reason()
    }

    /// Whether [`Budget::max_states`] is reached.
    pub fn is_out(&self) -> bool {
        self.budget.max_states.is_some_and(|most| self.states >= most)
    }

    /// The time at which the timeout passes.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether tables of this size exceed [`Budget::max_bytes`].
    #[inline]
    pub fn is_too_large(&self, bytes: usize) -> bool {
        self.budget.check_bytes(bytes).is_err()
    }

    /// The number of states counted so far.
    pub fn states(&self) -> u64 {
        self.states
    }
}
