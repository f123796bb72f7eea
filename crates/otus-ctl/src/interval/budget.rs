//! What a diagram may use, and what it has used.
//!
//! Bounds are checked where memory grows and, for time and cancellation, once in some ten thousand
//! intervals made. Meeting one is an outcome: the operation returns a [`Stop`] and every set made before
//! stays valid.

use std::time::Instant;

use otus_core::budget::Cancel;
use thiserror::Error;

/// What a diagram may use; the default is no bound but that of the representation.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// How many nodes it may hold at a time.
    pub max_nodes: Option<u64>,
    /// How many bytes all its tables may take together.
    pub max_bytes: Option<u64>,
    /// When time is up.
    pub deadline: Option<Instant>,
    /// Set from outside (Ctrl-C) to end an operation.
    pub cancel: Cancel,
}

impl Budget {
    /// Asks the clock and the flag.
    pub(crate) fn check_time(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Whether so many bytes are allowed.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Stop> {
        match self.max_bytes {
            Some(most) if bytes as u64 > most => Err(Stop::Memory),
            Some(_) | None => Ok(()),
        }
    }
}

/// Which bound an operation met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Stop {
    /// The node budget is used up.
    #[error("the budget of nodes is used up")]
    Nodes,
    /// The memory budget is used up.
    #[error("the memory budget is used up")]
    Memory,
    /// Time is up.
    #[error("time is up")]
    Time,
    /// Somebody asked for it.
    #[error("it was interrupted")]
    Cancelled,
}

/// What a diagram did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes made, those collected since included.
    pub nodes_made: u64,
    /// Nodes that were asked for and existed already.
    pub nodes_shared: u64,
    /// The most nodes that existed at a time.
    pub peak_nodes: u64,
    /// How often the memory of operations was asked.
    pub memo_lookups: u64,
    /// How often it knew.
    pub memo_hits: u64,
    /// How often garbage was collected.
    pub collections: u64,
}
