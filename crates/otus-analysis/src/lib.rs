//! Term × multi-trace → verdict.
//!
//! - [`verdict`]: what an analysis answers;
//! - [`config`]: every option, in one table;
//! - [`witness`] and [`certify`](mod@certify): why an answer holds, and a simple checker of that;
//! - [`refute`](mod@refute): why nothing explains a multi-trace, and a simple checker of that;
//! - [`explain`](mod@explain): why a multi-trace fails, for people: headline, frontier, repair, core;
//! - [`coverage`]: which parts of an interaction multi-traces exercised;
//! - [`question`]: what is asked, and what may be missing of each log;
//! - [`engine`]: the fast, exact engine;
//! - [`graph`]: the searches of the papers, as written: people compare their node counts, draw
//!   their graphs and cite them;
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
pub mod observation;
pub mod question;
pub mod refute;
pub mod verdict;
pub mod witness;

pub use config::Config;
pub use engine::Engine;
pub use otus_core::budget;
pub use question::{Observed, Question};
pub use verdict::Verdict;
pub use witness::Witness;
