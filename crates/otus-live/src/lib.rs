//! Follows a running system, and tells when it leaves its sequence diagram.
//!
//! This is the shell of `otus watch`, as a library: inputs that never end, a log on disk from which a killed process goes on,
//! and outputs. What a group of events means, and how a failure is explained, is decided by the core
//! ([`otus::live`]) and by the live engine (`otus_analysis::live`).
//!
//! ```text
//! files, standard input, OTLP ─→ batches ─→ one thread: write-ahead log → mapping → groups → verdicts ─→ outputs
//!                                 (bounded)                                            └─ counters ─→ /metrics
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`config`] | what is followed, when groups end, limits |
//! | [`batch`] | what an input sends: whole lines, or the spans of one request |
//! | [`input`] | growing files, standard input, the receivers of OTLP |
//! | [`wal`] | segments, checkpoints, and what a restart reads of them |
//! | [`follow`] | records of one group into the live engine, as long as arrival order is local order |
//! | [`properties`] | when formulas are asked about an open group |
//! | [`groups`] | open groups, when they end, and groups that ended |
//! | [`watch`], [`taker`] | the thread that owns all of this, and how it takes a batch |
//! | [`recover`] | the restart |
//! | [`verdict`], [`output`] | what is told about a group, and how |
//!
//! **Order.** One thread writes a batch to the log, waits until it is on disk, acknowledges it, and only then maps it. So the log
//! has the batches in the order in which they were mapped, and reading it again takes the same steps. The end of a group depends
//! on the time, so it is written to the log as well.
//!
//! **Claims.** A verdict that is told while a group is open is a Fail that nothing can undo. Every group that had an event is
//! judged exactly once for each generation; a process that is killed and started again with the same log tells the same
//! verdicts under the same ids, each of them once in the file of verdicts.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod batch;
pub mod config;
mod counters;
mod error;
mod follow;
mod groups;
mod hash;
mod input;
mod output;
mod properties;
mod recover;
mod taker;
mod verdict;
mod wal;
mod watch;

pub use config::{Closing, Config, Format, Inputs, Limits, Tls};
pub use counters::Counters;
pub use error::{Error, Result};
pub use follow::memory;
pub use verdict::{Ended, Told};
pub use watch::{Stopped, judge_requests, watch};
