//! CTL over the cuts of a partial order, directly by the definitions.
//!
//! It implements section 3 of paper 001 (Kalyon, Massart, Meuter and Van Begin, CFV 2007.79) and nothing else: no clocks, no
//! derived forms, no sets of vectors.
//!
//! - [`Lattice`]: all cuts, found by running enabled events, each with the valuation that replaying assignments
//!   gives it;
//! - [`Ctl`]: formulas with every modality as an operator of its own;
//! - [`Lattice::truth_by_runs`]: the semantics of section 3.2 word for word: runs are enumerated, and a
//!   modality quantifies over them;
//! - [`Lattice::truth`]: the same by unfolding a run at its first cut, so that larger lattices are
//!   feasible. A run from C ≠ E is C followed by a run from a successor of C, and every C ≠ E has one;
//! - [`Lattice::core`]: the formulas of `otus-ctl`, from whose few operators all others are derived.
//!
//! All three must agree, which tests the derivations as well.

mod atom;
mod formula;
mod lattice;
mod runs;

pub use formula::{Ctl, Node};
pub use lattice::Lattice;
