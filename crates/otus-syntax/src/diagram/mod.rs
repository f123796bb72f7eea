//! Sequence diagrams in Mermaid and PlantUML, alone or inside Markdown.
//!
//! The two languages differ in spelling but have the same structure: lines that declare participants,
//! pass messages, and open, separate and close fragments. Each reader turns its text into a list of
//! [`statement::Statement`]s, from which [`build`] makes the tree of an interaction. Conversely,
//! [`outline`] turns a tree into statements, which each writer spells.
//!
//! ```text
//! mermaid  ─┐                                 ┌─ mermaid
//! plantuml ─┴─ read ─→ statements ─ build ─→ tree ─ outline ─→ statements ─ write ─┴─ plantuml
//! ```

pub mod build;
pub mod directive;
pub mod markdown;
pub mod mermaid;
pub mod outline;
mod picture;
pub mod plantuml;
#[cfg(test)]
mod samples;
pub mod statement;
#[cfg(test)]
mod term;
