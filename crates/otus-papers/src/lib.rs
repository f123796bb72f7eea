//! The experiments of the papers behind Otus, made again: their workloads from seeds, their numbers, and ours beside them.
//!
//! - [`ITEMS`]: the tables and figures that can be made again, each a function from a [`Setting`] to an
//!   [`Artefact`]; [`ABSENT`]: the others, each with the reason;
//! - [`workload`], [`protocol`], [`sat`]: interactions, multi-traces, partial-order traces and formulas, written by us
//!   or made from a seed. Benchmarks and tests use them too;
//! - [`data`]: what the papers print, as numbers in small files;
//! - [`table`], [`statistics`]: what is made of measurements.
//!
//! The papers are named by the numbers that the documentation gives them: 000 is "Dealing with observability in
//! interaction-based offline runtime verification of distributed systems", 001 "Testing distributed systems
//! through symbolic model checking", 003 "Tooling offline runtime verification against interaction models", 004
//! the manual of the tool of 2020.
//!
//! Invariant: everything but times (and what a bound of time lets through) follows from the seed. Every
//! verdict is compared with what it must be by construction, or with another engine; what differs
//! is in [`Artefact::wrong`].
#![forbid(unsafe_code)]

mod artefact;
mod clock;
pub mod data;
mod list;
pub mod protocol;
mod regenerate;
pub mod sat;
mod setting;
pub mod statistics;
pub mod table;
pub mod workload;

pub use artefact::{Artefact, Picture};
pub use list::{ABSENT, Absent, ITEMS, Item};
pub use setting::{Interrupted, Setting, Size, Watch};
