//! The studio over real sockets.
#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod client;
mod guard;
mod large;
mod questions;
mod saving;
