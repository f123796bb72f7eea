//! Canonical text.

use crate::ast::{SpecFile, TraceFile};

/// The canonical text of a specification.
pub fn spec(tree: &SpecFile) -> String {
    let _ = tree;
    String::new()
}

/// The canonical text of a multi-trace.
pub fn trace(tree: &TraceFile) -> String {
    let _ = tree;
    String::new()
}
