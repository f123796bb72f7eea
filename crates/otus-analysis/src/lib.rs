//! Analyses of a multi-trace against an interaction: term × multi-trace → verdict.
//!
//! - [`question`]: the question, with the part of each log that was observed;
//! - [`verdict`]: the answer;
//! - [`engine`]: the fast, exact engine, with its [`engine::Options`];
//! - [`live`]: groups fed event by event, and the answer so far after each;
//! - [`graph`]: the searches of the papers, as written, so that node counts and drawn graphs can be
//!   compared with theirs; [`config`] has their options;
//! - [`witness`] and [`certify`](mod@certify): an execution that proves a Pass, and its independent
//!   checker;
//! - [`refute`](mod@refute): certificates that prove a Fail, and their independent checker;
//! - [`explain`](mod@explain): why a multi-trace fails, for users: headline, frontier, repair,
//!   core;
//! - [`coverage`]: the parts of an interaction that multi-traces exercised;
//! - [`explore`](mod@explore) and [`generate`]: from a term to its executions and traces.
#![forbid(unsafe_code)]

pub mod certify;
pub mod config;
pub mod coverage;
pub mod engine;
pub mod explain;
pub mod explore;
pub mod generate;
pub mod graph;
pub mod live;
mod observation;
pub mod question;
pub mod refute;
pub mod values;
pub mod verdict;
pub mod witness;

pub use config::Config;
pub use engine::Engine;
pub use otus_core::budget;
pub use question::{Observed, Question};
pub use verdict::Verdict;
pub use witness::Witness;
