//! Transforms multi-traces: partial observations and mutants.
//!
//! The experiments on interactions derive other multi-traces from accepted ones: parts, which a
//! checker must accept, too, and mutants, most of which it must reject (Mahe, Bannour, Gaston,
//! Lapitre and Le Gall: §5.2 and Appendix C of the paper on lifeline removal, §2.2 and §5.5 of the
//! one on slices).
//!
//! - [`project`]: the same observation on a finer partition.
//! - [`restrict`]: the observation of some of the lifelines.
//! - [`slices`], [`wide_slices`], [`prefixes`], [`global_prefixes`]: a part of each component.
//! - [`noise`], [`swap_actions`], [`remove`], [`duplicate`]: one change in one component.
//! - [`wrong_values`], [`swap_values`], [`wrong_kinds`], [`drop_values`], [`late`], [`early`]: one change in what
//!   events carry.
//! - [`Swaps`]: combinations of the components of two multi-traces.
//! - [`mod@learn`]: an interaction from multi-traces.
//!
//! A component is a word whose letters are *moments*, sets of simultaneous actions. Indices and
//! lengths count moments.
//!
//! Invariants:
//! - the parts and changes of a multi-trace form a set without duplicates, whose size is known and
//!   whose members are computed by number, so a random choice needs no second attempt;
//! - a mutant differs from its original;
//! - the same arguments and seed give the same results;
//! - results other than projections have no offsets, because no text contains them;
//! - events keep their values ([`Facts`](crate::Facts)), which the functions with facts return beside the multi-trace. Two
//!   parts that differ in values only count as one.
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
mod restrict;
mod revalue;
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
pub use project::{NotFiner, project, project_with_facts};
pub use restrict::{restrict, restrict_with_facts};
pub use revalue::{
    Compared, Scope, ValueChange, ValueChanges, drop_values, early, late, swap_values, wrong_kinds,
    wrong_values,
};
pub use share::{NoShare, Share};
pub use shuffle::derive_seed;
