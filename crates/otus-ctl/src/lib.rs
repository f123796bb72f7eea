//! Partial order × formula → verdict + witness.
//!
//! The cuts of a partial-order trace form a lattice; a formula of CTL is read over the runs through it.
//!
//! - [`interval`]: the canonical interval diagram, a data structure for sets of vectors. It knows
//!   neither traces nor CTL.
#![forbid(unsafe_code)]

pub mod interval;
