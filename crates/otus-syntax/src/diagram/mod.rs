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

mod build;
mod colour;
mod directive;
mod language;
pub mod markdown;
mod mentions;
pub mod mermaid;
mod number;
mod outline;
mod picture;
pub mod plantuml;
mod statement;
#[cfg(test)]
mod tests;
mod values;

pub use language::language_of;
pub(crate) use mentions::mentions;

use crate::source::{Source, Span};

/// A diagram as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The parts of the author's drawing that the language cannot show, sorted.
    pub left_out: Vec<&'static str>,
}

/// The part of a range after a byte order mark at its start.
fn without_mark(source: &Source, range: Span) -> Span {
    let has_mark =
        source.text().get(range.range()).is_some_and(|text| text.starts_with('\u{feff}'));
    if has_mark { Span::new(range.start + 3, range.end) } else { range }
}

/// The name of a message whose arrow has no text.
pub(crate) const UNNAMED: &str = "unnamed";

/// The character of a numeric escape such as `u{2028}` at the start of a text, and the length of the
/// escape. `least` is the minimum number of its hexadecimal digits.
fn numbered(text: &str, open: &str, close: u8, least: usize) -> Option<(char, usize)> {
    let digits = text.strip_prefix(open)?;
    let length = digits.bytes().take(7).position(|byte| byte == close)?;
    let digits = &digits[..length];
    if length < least || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    Some((character, open.len() + length + 1))
}

/// Whether `word` is one of the words in a list, in upper or lower case.
fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|each| word.eq_ignore_ascii_case(each))
}
