//! Comments, the directives in them, and preprocessor lines.

use std::ops::Range;

use super::fragment::Opened;
use super::skip::{Skipping, Until};
use super::{Reader, first_word};
use crate::diagram::directive;
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::statement::{Block, Fragment, StatementKind};

impl Reader<'_> {
    /// The part of a line without comments `/' … '/` at its start or end; `None` if such a comment
    /// continues on the next line.
    pub(super) fn without_comments(&mut self, line: &Line<'_>) -> Option<Range<usize>> {
        let text = line.text();
        let mut start = 0;
        while text[start..].starts_with("/'") {
            match text[start + 2..].find("'/") {
                Some(length) => {
                    start += length + 4;
                    start += text[start..].len() - text[start..].trim_start().len();
                }
                None => {
                    let span = line.span(start..text.len());
                    // A comment inside a note is treated as part of the note, which saves a second
                    // state.
                    if self.skipping.is_none() {
                        self.skipping = Some(Skipping { start: span, until: Until::Comment });
                    }
                    return None;
                }
            }
        }
        let rest = &text[start..];
        let end = match rest.strip_suffix("'/").and_then(|inside| inside.rfind("/'")) {
            Some(comment) if !rest.starts_with('\'') => start + comment,
            Some(_) | None => text.len(),
        };
        Some(start..end)
    }

    pub(super) fn comment(&mut self, line: &Line<'_>, comment: &str) {
        let span = line.whole();
        let at = line.span(1..line.text().len()).start;
        let Some(kind) = directive::read(self.source, comment, at, self.names, self.diagnostics)
        else {
            return;
        };
        if let StatementKind::Open(Fragment::Block(block)) = &kind {
            let concurrent = matches!(block, Block::Par | Block::Coreg(_));
            self.enter(Opened { concurrent, drawn: false });
        } else if kind == StatementKind::Close {
            self.leave();
        }
        self.push(span, kind);
    }

    pub(super) fn preprocessor(&mut self, line: &Line<'_>, rest: &str) {
        let word = first_word(rest).to_ascii_lowercase();
        if matches!(word.as_str(), "theme" | "pragma" | "log" | "dump_memory" | "assert") {
            self.picture.add(Decoration::Pragma, line.whole());
            return;
        }
        let written = rest.split_whitespace().next().unwrap_or("");
        let shown: String = written.chars().take(20).collect();
        self.unsupported(
            line.span(0..1 + rest.find(char::is_whitespace).unwrap_or(rest.len())),
            &format!("`!{shown}` changes the text of the diagram before PlantUML reads it"),
            "give Otus the text after preprocessing, as `plantuml -preproc FILE` writes it",
        );
    }
}
