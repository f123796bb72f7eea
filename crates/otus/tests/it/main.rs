//! The library from outside, as tests of services use it.
#![expect(clippy::unwrap_used, reason = "tests")]

mod api;
mod check;
mod ctl;
mod findings;
mod language;
mod live_properties;
#[cfg(feature = "parquet")]
mod parquet;
mod project;
mod specs;
mod table;
mod vacuity;
mod values;
