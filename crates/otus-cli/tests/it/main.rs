//! Drives the real binary: every command, every option, every command line we print.
//!
//! Expected output stands in the tests; `SNAPSHOTS=overwrite cargo test -p otus-cli` writes it
//! anew, to be read before it is committed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analyze;
mod as_meant;
mod baseline;
#[cfg(unix)]
mod book;
mod broken;
mod convert;
mod corpus;
mod coverage;
mod ctl;
mod declared;
mod demo;
mod documented;
mod draw;
mod engines;
mod examples;
mod explain;
mod explore;
mod fmt;
mod library;
mod limits;
mod lint;
mod logs;
mod lsp;
mod malformed;
mod manual;
mod observed;
mod odd_calls;
#[cfg(unix)]
mod pictures;
mod reference;
mod reports;
mod restrict;
mod sandbox;
mod schema;
mod score;
mod several;
mod stream;
mod suite;
mod tables;
mod usage;
mod values;
#[cfg(feature = "watch")]
mod watch;
mod wild_logs;
mod wild_spans;
