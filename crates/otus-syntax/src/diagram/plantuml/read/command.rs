//! Commands: lines that are identified by their first word.

use super::skip::Until;
use super::{Reader, first_word};
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::words;

impl Reader<'_> {
    /// Parses a command. Returns whether the line is one.
    pub(super) fn command(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        // `/ note …` places a note beside the previous one.
        let text = text.strip_prefix('/').map_or(text, str::trim_start);
        let at = line.text().len() - text.len();
        let written = first_word(text);
        let word = written.to_ascii_lowercase();
        let rest = &text[written.len()..];
        let start = at + written.len();
        // A space follows the word, except that a colour may follow the word of a fragment directly.
        let alone = rest.is_empty() || rest.starts_with(char::is_whitespace);
        if at > 0 && !matches!(word.as_str(), "note" | "hnote" | "rnote") {
            return false;
        }
        match word.as_str() {
            "alt" | "opt" | "loop" | "par" | "par2" | "break" | "critical" | "group"
                if alone || rest.starts_with('#') =>
            {
                self.fragment(line, &word, start);
            }
            "else" | "also" if alone => self.separator(line, &word, rest),
            "end" if alone => return self.end_of(line, rest.trim()),
            "endbox" if alone => self.picture.add(Decoration::Box, line.whole()),
            "participant" | "actor" | "boundary" | "control" | "entity" | "database"
            | "collections" | "queue"
                if alone =>
            {
                return self.participant(line, start);
            }
            "create" if alone => {
                self.picture.add(Decoration::Create, line.whole());
                let kind = first_word(rest.trim_start());
                let after = rest.trim_start()[kind.len()..].trim_start();
                let named = words::is_participant_kind(kind) && !after.is_empty();
                let skip = if named { rest.len() - after.len() } else { 0 };
                return self.participant(line, start + skip);
            }
            "activate" | "deactivate" | "destroy" if alone => {
                return self.life(line, &word, rest.trim());
            }
            "autoactivate" if is_switch(rest) => {
                self.calls.automatic = rest.trim().eq_ignore_ascii_case("on");
                self.picture.add(Decoration::Activation, line.whole());
            }
            "return" if alone => self.reply(line, start),
            "note" | "hnote" | "rnote" if has_place(rest) => {
                self.picture.add(Decoration::Note, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["note", "hnote", "rnote"]));
                }
            }
            "ref" if first_word(rest.trim_start()).eq_ignore_ascii_case("over") => {
                self.picture.add(Decoration::Reference, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["ref"]));
                }
            }
            "box" if alone || rest.starts_with('#') => {
                self.picture.add(Decoration::Box, line.whole());
            }
            "autonumber" if alone => self.picture.add(Decoration::Autonumber, line.whole()),
            "newpage" | "autonewpage" if alone => {
                self.picture.add(Decoration::Page, line.whole());
            }
            "ignore" if rest.trim().eq_ignore_ascii_case("newpage") => {
                self.picture.add(Decoration::Page, line.whole());
            }
            "skinparam" | "skinparamlocked" => {
                self.picture.add(Decoration::Style, line.whole());
                if text.ends_with('{') {
                    self.skip_until(line, Until::Brace(1));
                }
            }
            "footbox" if is_switch(rest) => self.picture.add(Decoration::Style, line.whole()),
            "hide" | "show" | "scale" | "skin" | "url" if alone && !rest.trim().is_empty() => {
                self.picture.add(Decoration::Style, line.whole());
            }
            _ => return false,
        }
        true
    }
}

/// `on` or `off`
fn is_switch(text: &str) -> bool {
    ["on", "off"].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Whether a note has a position.
fn has_place(text: &str) -> bool {
    let word = first_word(text.trim_start());
    ["left", "right", "over", "across"].iter().any(|place| word.eq_ignore_ascii_case(place))
}

/// The position of the colon before the text of a note.
fn colon_outside_quotes(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}
