//! How much is done, from which seed, and who watches.

use otus_core::budget::Cancel;

/// What an experiment may choose by.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// How much is done.
    pub size: Size,
    /// Where all randomness comes from.
    pub seed: u64,
}

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A little of everything: for tests.
    Tiny,
    /// All of it within minutes.
    Quick,
    /// Sets as large as those of the papers, medians of five, and more patience.
    Full,
}

impl Size {
    /// One of three, by size.
    pub fn pick<T>(self, tiny: T, quick: T, full: T) -> T {
        match self {
            Size::Tiny => tiny,
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// How often an analysis is timed; the median counts.
    pub(crate) fn tries(self) -> usize {
        self.pick(1, 3, 5)
    }
}

impl Setting {
    /// One of three, by size.
    pub(crate) fn pick<T>(self, tiny: T, quick: T, full: T) -> T {
        self.size.pick(tiny, quick, full)
    }
}

/// Whoever waits: is told how far it is, and may have enough.
pub struct Watch<'a> {
    /// Set from outside to end it.
    pub cancel: Cancel,
    /// Told what is done, how much of it, and how much there is.
    pub progress: &'a dyn Fn(&str, usize, usize),
}

/// Somebody had enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// Tells how far it is.
    ///
    /// # Errors
    /// If somebody had enough.
    pub(crate) fn step(&self, what: &str, done: usize, all: usize) -> Result<(), Interrupted> {
        (self.progress)(what, done, all);
        self.go_on()
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// If somebody had enough.
    pub(crate) fn go_on(&self) -> Result<(), Interrupted> {
        if self.cancel.is_cancelled() { Err(Interrupted) } else { Ok(()) }
    }
}
