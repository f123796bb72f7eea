//! Observations: from logs and trace files to multi-traces and partial orders.
//!
//! A [`MultiTrace`] is the observation of a distributed system: one local trace per co-localization
//! (component), with no order between components. A [`PartialOrder`] adds the order that messages
//! impose; formulas are evaluated on it.
//!
//! - The values of events: [`Facts`], columns beside a multi-trace, for the fields that guards name.
//! - `.htf` texts: [`lower()`] turns a syntax tree into a multi-trace over a signature, [`check()`]
//!   finds its faults without a signature, [`raise()`] turns a multi-trace back into a tree, and
//!   [`quick`] reads plain texts without a tree.
//! - Case files, JSON lines with one multi-trace each: [`case`].
//! - Logs: [`read`] (streams to records), [`mapping`] (`otus.toml`, the plan), [`run`] (plan and
//!   logs to groups of events, with an account of every record).
//! - Partial-order traces and their file format: [`order`].
//! - Slices, mutants, and learning: [`transform`].
//!
//! # The path of a log event
//!
//! | form | made by | content |
//! |---|---|---|
//! | [`read::Record`] | [`read::read`] | a view of one line or span in the reader's buffer, with the wanted fields |
//! | `mapper::Taken` | the first rule that matches | the record, the rule, the captures of its patterns |
//! | `mapper::PendingAction` | the rule | an action by ids; kept until all actions of the record are known |
//! | `group::Row` | `Mapper::store` | the event by ids of the [`run::Vocabulary`], with variables, vector clock, and the values that are kept |
//! | words in `group::Arena` | `Groups::push` | the encoded row, about thirty bytes, until the group ends |
//! | [`run::Event`] of an [`run::Observed`] | `Mapper::release` | a view of the decoded row; rows are sorted by component and paired |
//! | [`Step`] of a [`MultiTrace`], event of a [`PartialOrder`], line of text | methods of [`run::Observed`] | the result |
//!
//! Everything is linear in the text, and an action of a long trace costs eight bytes (four without
//! its offset).
#![forbid(unsafe_code)]

pub mod case;
mod causality;
pub mod check;
pub mod facts;
mod group;
pub mod lower;
pub mod mapping;
pub mod multitrace;
mod observed_order;
pub mod order;
pub mod quick;
pub mod raise;
pub mod read;
pub mod reduction;
pub mod run;
mod time;
pub mod transform;

pub use case::Case;
pub use check::check;
pub use facts::{FactId, Facts, FieldNames, LogFacts};
pub use lower::{is_declared, lower, lower_with_facts};
pub use multitrace::{ComponentId, MultiTrace, Partition, Step};
pub use observed_order::{Cause, ObservedOrder};
pub use order::PartialOrder;
pub use quick::QuickReader;
pub use raise::{raise, raise_with_facts};
