//! The grammars: one function per production.

use crate::ast::{SpecFile, TraceFile};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// What a parser returns: always a tree, and whatever there is to say about the text.
#[derive(Debug, Clone, Default)]
pub struct Parsed<T> {
    /// The tree; parts that could not be read are left out or marked invalid.
    pub tree: T,
    /// Findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `.hsf`, `.hif`, `.hcf` and the single-file form of 2020.
pub fn parse_spec(source: &Source) -> Parsed<SpecFile> {
    let _ = source;
    Parsed::default()
}

/// Reads a multi-trace (`.htf`).
pub fn parse_trace(source: &Source) -> Parsed<TraceFile> {
    let _ = source;
    Parsed::default()
}
