//! Observations: multi-traces over a signature, and the files that hold many of them.
//!
//! A [`MultiTrace`] is what a distributed system was seen to do: one local trace per
//! co-localization, none ordered against another. [`lower()`] makes one from the tree of a `.htf`
//! text, [`check()`] says what is wrong with such a tree when there is no signature to hold
//! against it, [`raise()`] turns a multi-trace back into a tree to print, [`transform`] derives
//! slices and mutants, and [`case`] reads and writes case files, JSON lines with one multi-trace
//! each. [`quick`] reads plain texts of many multi-traces without making a tree of each.
//! [`order`] has the partial-order traces that formulas are about.
//!
//! Logs come in through [`read`] (streams to records), [`mapping`] (`otus.toml`, the plan) and [`run`]
//! (plan and logs to groups of events, with an account of every line).
//!
//! Everything is linear in the text, and an action of a long trace costs eight bytes (four
//! without its place).
#![forbid(unsafe_code)]

pub mod case;
mod causality;
pub mod check;
mod group;
pub mod lower;
pub mod mapping;
pub mod multitrace;
pub mod order;
pub mod quick;
pub mod raise;
pub mod read;
pub mod run;
pub mod transform;

pub use case::Case;
pub use check::check;
pub use lower::{is_declared, lower};
pub use multitrace::{ComponentId, MultiTrace, Partition, Step};
pub use order::PartialOrder;
pub use quick::QuickReader;
pub use raise::raise;
