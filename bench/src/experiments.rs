//! The experiments of the papers, from a seed: `-- experiments`, or `-- experiments --full`.
//!
//! - [`removal`]: the four use cases of Mahe et al., "Dealing with observability…", Appendix C;
//! - [`satisfiability`]: the formulas of its Appendix B;
//! - [`slices`]: the two interactions of Mahe et al., "Tooling offline runtime verification…",
//!   section 5.5.
//!
//! Everything but the times is the same in every run. Tables are Markdown, for `bench/records/`.

pub(crate) mod model;
mod progress;
mod removal;
mod satisfiability;
pub(crate) mod slices;
pub(crate) mod table;

use crate::size::Size;

impl Size {
    /// How often each analysis is timed; the median counts.
    fn tries(self) -> usize {
        self.pick(1, 5)
    }
}

/// Where all randomness comes from.
const SEED: u64 = 2023;

pub(crate) fn run(size: Size) {
    println!("# Experiments of the papers");
    println!();
    println!(
        "Seed {SEED}, {} sets, {}. Times in milliseconds.",
        size.pick("small", "paper-sized"),
        size.pick("each analysis timed once", "medians of five")
    );
    removal::run(size);
    slices::run(size);
    satisfiability::run(size);
}
