//! Term × multi-trace → verdict.
//!
//! - [`verdict`]: what an analysis answers;
//! - [`config`]: every option, in one table;
//! - [`graph`]: the searches of the papers, as written: people compare their node counts, draw
//!   their graphs and cite them;
#![forbid(unsafe_code)]

pub mod budget;
pub mod config;
pub mod graph;
pub mod observation;
pub mod verdict;

pub use config::Config;
pub use verdict::Verdict;
