//! Parsers and printers: text to syntax trees, and back.
//!
//! The formats are signatures and interactions (`.hsf`, `.hif`), multi-traces (`.htf`), options
//! (`.hcf`), formulas (`.ctl`, `.cnf`), and sequence diagrams in Mermaid and PlantUML, alone or inside Markdown.
//! This crate implements syntax only: semantics is the task of later crates, and it does no IO.
//!
//! Invariants:
//! - parsing never fails: every parser returns a [`Parsed`] tree together with diagnostics;
//! - no input makes a parser panic, recurse on the depth of the input, or take more than linear time;
//! - every node of a tree has the [`Span`] of its text;
//! - `parse ∘ print ∘ parse = parse` for every tree.
//!
//! ```
//! use otus_syntax::{Source, parse_spec};
//!
//! let source = Source::new("model.hif", "seq(a -- m -> b, o)");
//! let parsed = parse_spec(&source);
//! assert!(parsed.diagnostics.is_empty());
//! assert_eq!(otus_syntax::print::spec(&parsed.tree), "seq(a -- m -> b, o)\n");
//! ```
#![forbid(unsafe_code)]

pub mod ast;
pub mod code;
pub mod diagnostic;
pub mod diagram;
pub mod dimacs;
pub mod drawing;
pub mod excerpt;
pub mod grammar;
pub mod lexer;
pub mod mentions;
pub mod name;
pub mod options;
pub mod parser;
pub mod print;
pub mod rational;
pub mod source;
pub mod suggest;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use grammar::{Parsed, parse_formulas, parse_spec, parse_trace};
pub use name::{Name, Names, Symbol};
pub use rational::Rational;
pub use source::{Source, SourceId, Span};
