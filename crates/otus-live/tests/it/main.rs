//! The library, followed from outside: files that rotate, and a log on disk.
//!
//! The tests wait for what should come, in bounded loops, and never for a time to pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod files;
mod properties;
mod recovery;
mod support;
