//! The page of a report, compiled and tested by itself until `otus analyze` writes it.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

#[path = "../src/report/html/mod.rs"]
mod html;
