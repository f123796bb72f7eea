//! Parallel sessions told apart by a key.

/// The table of sessions.
#[derive(Debug)]
pub(super) struct Keyed {}
