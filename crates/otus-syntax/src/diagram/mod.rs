//! Sequence diagrams people already have: Mermaid, PlantUML, and both inside Markdown.
//!
//! The two languages differ in spelling and agree in structure: lines that declare participants,
//! pass messages, and open, separate and close fragments. Each reader turns its text into the
//! same stream of [`statement::Statement`]s; [`build`] turns that stream into the tree of an
//! interaction. The other way, [`outline`] turns a tree into a stream and each writer spells it.
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
