//! Tests of the crate as a whole.
#![expect(clippy::unwrap_used, reason = "tests")]

mod interval;
