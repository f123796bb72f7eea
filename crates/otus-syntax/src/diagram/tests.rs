//! What the tests of this folder share.

pub(super) mod samples;
pub(super) mod term;
