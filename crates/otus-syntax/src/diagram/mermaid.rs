//! Mermaid sequence diagrams.
//!
//! [`read()`] follows the lexical rules of Mermaid's own parser where they matter for meaning:
//! what is a keyword, where a name ends, which `#` begins a comment and which an entity, that `;`
//! ends a statement. [`write()`] keeps to what that parser accepts; a lifeline whose name Mermaid
//! cannot spell gets an alias and a directive `%% otus: name ALIAS "…"` that gives the name back.
//!
//! What the picture shows and an interaction does not have (notes, activation, titles, …) is
//! reported once per kind ([`picture`](crate::diagram::picture)), never refused.

mod decoration;
mod entity;
mod lexis;
mod preamble;
mod read;
mod write;

pub use preamble::other_diagram;
pub use read::read;
pub use write::write;

#[cfg(test)]
mod tests;
