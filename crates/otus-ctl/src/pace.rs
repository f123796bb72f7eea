//! Checks the limits of time and memory while a phase of a check runs.
//!
//! A budget is respected only if every loop checks it. So each loop whose length depends on the trace or the formula
//! counts its steps with a [`Pace`], which reads the clock and the cancel token after about [`BETWEEN`] of them. A step
//! takes some ten nanoseconds; a step that takes longer, for example one per process, counts as several.
//!
//! Tables that one phase leaves for the next (the courses of atoms, clocks, the visible events) are subtracted from
//! the memory that the next one may use: [`beside`].

use otus_core::budget::{Budget, Stop};

/// The number of steps between two checks. It is small in tests, so that small cases are checked
/// often.
const BETWEEN: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// The limits of a phase, and the steps since they were checked.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    pub(crate) budget: Budget,
    left: usize,
}

impl Pace {
    /// The pace of a phase with these limits, whose timeout starts now unless it has started.
    pub(crate) fn new(budget: &Budget) -> Self {
        Pace { budget: budget.started(), left: BETWEEN }
    }

    /// Counts some steps, and checks time and cancellation now and then.
    #[inline]
    pub(crate) fn step(&mut self, steps: usize) -> Result<(), Stop> {
        if let Some(left) = self.left.checked_sub(steps) {
            self.left = left;
            return Ok(());
        }
        self.left = BETWEEN;
        self.check()
    }

    /// Checks time and cancellation.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        #[cfg(test)]
        fuse::burn()?;
        self.budget.check_time()
    }
}

/// The budget without the memory that tables of this size take.
pub(crate) fn beside(budget: &Budget, bytes: usize) -> Budget {
    let max_bytes = budget.max_bytes.map(|most| most.saturating_sub(bytes as u64));
    Budget { max_bytes, ..budget.clone() }
}

/// Cancels the current thread after a number of checks, so that tests can stop every phase anywhere, without a clock.
#[cfg(test)]
pub(crate) mod fuse {
    use std::cell::Cell;

    use otus_core::budget::Stop;

    thread_local! {
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static BURNT: Cell<u64> = const { Cell::new(0) };
    }

    /// Runs some work. The first `checks` checks succeed; every later one cancels the work. Returns the result
    /// and the number of checks.
    pub(crate) fn with<T>(checks: Option<u64>, work: impl FnOnce() -> T) -> (T, u64) {
        LEFT.set(checks);
        BURNT.set(0);
        let result = work();
        LEFT.set(None);
        (result, BURNT.get())
    }

    pub(super) fn burn() -> Result<(), Stop> {
        BURNT.set(BURNT.get() + 1);
        match LEFT.get() {
            Some(0) => Err(Stop::Cancelled),
            left => {
                LEFT.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }
}
