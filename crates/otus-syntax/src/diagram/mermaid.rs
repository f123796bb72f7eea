//! Mermaid sequence diagrams.
//!
//! [`read()`] follows the lexical rules of Mermaid's own parser where they affect the meaning: keywords,
//! the ends of names, `#` as the beginning of a comment or of an entity, `;` as the end of a statement.
//! [`write()`] writes only text that Mermaid's parser accepts; a lifeline whose name Mermaid cannot spell
//! gets an alias and a directive `%% otus: name ALIAS "…"` with its name.
//!
//! Constructs without a counterpart in interactions (notes, activation, titles, …) are accepted and
//! noted once per kind ([`picture`](crate::diagram::picture)).

mod entity;
mod lexis;
mod preamble;
mod read;
mod write;

pub(super) use preamble::is_diagram;
pub use preamble::other_diagram;
pub use read::read;
pub(super) use read::statements;
pub use write::{write, written};

#[cfg(test)]
mod tests;
