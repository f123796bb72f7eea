//! The experiments of the papers behind Otus, regenerated: workloads from seeds, the papers' numbers, and ours beside them.
//!
//! - [`ITEMS`]: the tables and figures that can be regenerated, each a function from a [`Setting`] to an
//!   [`Artefact`]; [`ABSENT`]: the others, each with the reason;
//! - [`workload`], [`protocol`], [`sat`]: interactions, multi-traces, partial-order traces and formulas, hand-written
//!   or generated from a seed. Benchmarks and tests use them too;
//! - [`ctl`]: timed checks of CTL formulas;
//! - [`data`]: the numbers that the papers print;
//! - [`table`], [`statistics`]: the form in which measurements are shown.
//!
//! The papers are named by the numbers that the documentation gives them: 000 is "Dealing with observability in
//! interaction-based offline runtime verification of distributed systems" (the removal paper), 001 "Testing
//! distributed systems through symbolic model checking", 003 "Tooling offline runtime verification against
//! interaction models" (the slices paper), 004 the manual of the HIBOU tool of 2020.
//!
//! Invariant: everything but times, and the analyses that a time limit cuts off, follows from the seed. Every
//! verdict is compared with the one known by construction, or with another engine; [`Artefact::wrong`] lists the
//! differences.
#![forbid(unsafe_code)]

mod artefact;
mod clock;
pub mod ctl;
pub mod data;
mod list;
pub mod protocol;
mod regenerate;
pub mod sat;
mod setting;
pub mod statistics;
pub mod table;
pub mod workload;

pub use artefact::{Artefact, Input, Picture};
pub use list::{ABSENT, Absent, ITEMS, Item};
pub use setting::{Interrupted, Setting, Size, Watch};
