//! From multi-traces to other multi-traces: partial observations and mutants.
//!
//! The experiments on interactions start from accepted multi-traces and derive others from them:
//! parts, which a checker must still recognize, and mutants, most of which it must not (Mahe,
//! Bannour, Gaston, Lapitre and Le Gall: §5.2 and Appendix C of the paper on lifeline removal,
//! §2.2 and §5.5 of the one on slices).
//!
//! - [`project`]: the same observation on a finer partition.
//! - [`slices`], [`wide_slices`], [`prefixes`], [`global_prefixes`]: each component cut.
//! - [`noise`], [`swap_actions`], [`remove`], [`duplicate`]: one change in one component.
//! - [`Swaps`]: components of two multi-traces mixed.
//! - [`mod@learn`]: an interaction from multi-traces.
//!
//! A component is taken as a word of *moments*: actions observed as simultaneous stay together,
//! and indices and lengths count moments. Without such sets a moment is an action.
//!
//! Invariants:
//! - the parts and changes of a multi-trace form a set without duplicates whose size is known and
//!   whose members are reached by number, so none is made that nobody asked for, and a random
//!   choice needs no second attempt;
//! - a mutant differs from its original;
//! - the same arguments and seed give the same results;
//! - results other than projections have no places: nobody wrote them.
//!
//! ```
//! use otus_core::Pool;
//! use otus_syntax::{Source, parse_trace, print};
//! use otus_trace::{lower, raise, transform};
//!
//! let tree = parse_trace(&Source::new("run.htf", "{[a] a!m.a!n; [b] b?m}")).tree;
//! let mut pool = Pool::new(transform::implied_signature([&tree]));
//! let (run, _) = lower(&tree, &mut pool);
//!
//! let slices = transform::slices(&run);
//! assert_eq!(slices.count(), 8);
//! let slice = slices.sample(7).next().unwrap();
//! assert!(slice.trace.len() <= run.len());
//!
//! let swap = transform::swap_actions(&run).get(0).unwrap();
//! let mutant = swap.apply(&run, &mut pool);
//! assert_eq!(print::trace_line(&raise(&mutant, &pool)), "{[a] a!n.a!m; [b] b?m}");
//! assert_eq!(swap.describe(&run, &pool), "swapped a!m (place 1) and a!n (place 2) in [a]");
//! ```

mod change;
mod components;
mod cut;
mod factor;
mod implied;
pub mod learn;
mod mutate;
mod project;
mod share;
mod shuffle;
mod word;

#[cfg(test)]
mod tests;

pub use change::Change;
pub use components::{Swap, Swaps};
pub use cut::{Cut, Cuts, global_prefixes, prefixes, slices, wide_slices};
pub use implied::implied_signature;
pub use mutate::{Changes, Mutant, duplicate, noise, remove, swap_actions};
pub use project::{NotFiner, project};
pub use share::{NoShare, Share};
pub use shuffle::derive_seed;
