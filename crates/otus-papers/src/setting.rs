//! The parameters of an experiment (size and seed), and its connection to the caller (progress and cancellation).

use otus_core::budget::Cancel;
use otus_trace::transform::derive_seed;

/// The parameters of an experiment.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The size of the sets of multi-traces.
    pub size: Size,
    /// The seed of all random choices.
    pub seed: u64,
}

/// The size of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Very small input sets, for tests.
    Tiny,
    /// Input sets small enough that the whole experiment takes minutes.
    Quick,
    /// Input sets as large as those of the papers, medians of five, and longer time limits.
    Full,
}

impl Size {
    /// The size in a word.
    pub fn name(self) -> &'static str {
        self.pick("tiny", "quick", "full")
    }

    /// One of three values, depending on the size.
    pub fn pick<T>(self, tiny: T, quick: T, full: T) -> T {
        match self {
            Size::Tiny => tiny,
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// The number of times that an analysis is timed; the median counts.
    pub(crate) fn tries(self) -> usize {
        self.pick(1, 3, 5)
    }
}

impl Setting {
    /// The seed of the recorded runs.
    pub const SEED: u64 = 2023;

    /// The seed for one case of a random choice, derived from the purpose of the choice and the index of
    /// the case.
    pub(crate) fn derive(self, purpose: &str, index: usize) -> u64 {
        derive_seed(self.seed, &[purpose, &index.to_string()])
    }

    pub(crate) fn pick<T>(self, tiny: T, quick: T, full: T) -> T {
        self.size.pick(tiny, quick, full)
    }
}

/// The connection of a running experiment to its caller.
pub struct Watch<'a> {
    /// The token by which the caller ends the experiment.
    pub cancel: Cancel,
    /// Called with the name of a set, the number of its cases done, and the number of all its cases.
    pub progress: &'a dyn Fn(&str, usize, usize),
}

/// The caller cancelled the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// Reports progress.
    ///
    /// # Errors
    /// If the caller cancelled.
    pub(crate) fn step(&self, what: &str, done: usize, all: usize) -> Result<(), Interrupted> {
        (self.progress)(what, done, all);
        self.go_on()
    }

    /// Ends the experiment if the caller cancelled it.
    ///
    /// # Errors
    /// If the caller cancelled.
    pub(crate) fn go_on(&self) -> Result<(), Interrupted> {
        if self.cancel.is_cancelled() { Err(Interrupted) } else { Ok(()) }
    }
}
