//! Commands: lines that their first word tells apart.

use super::skip::Until;
use super::{Reader, first_word};
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::words;

impl Reader<'_> {
    /// Commands, by their first word.
    pub(super) fn command(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        // `/ note …` puts a note beside the one before.
        let text = text.strip_prefix('/').map_or(text, str::trim_start);
        let at = line.text().len() - text.len();
        let written = first_word(text);
        let word = written.to_ascii_lowercase();
        let rest = &text[written.len()..];
        let start = at + written.len();
        // Words stand alone, except that a colour may follow a fragment's at once.
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
            "endbox" if alone => self.picture.meet(Decoration::Box, line.whole()),
            "participant" | "actor" | "boundary" | "control" | "entity" | "database"
            | "collections" | "queue"
                if alone =>
            {
                return self.participant(line, start);
            }
            "create" if alone => {
                self.picture.meet(Decoration::Create, line.whole());
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
                self.picture.meet(Decoration::Activation, line.whole());
            }
            "return" if alone => self.reply(line, start),
            "note" | "hnote" | "rnote" if has_place(rest) => {
                self.picture.meet(Decoration::Note, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["note", "hnote", "rnote"]));
                }
            }
            "ref" if first_word(rest.trim_start()).eq_ignore_ascii_case("over") => {
                self.picture.meet(Decoration::Reference, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["ref"]));
                }
            }
            "box" if alone || rest.starts_with('#') => {
                self.picture.meet(Decoration::Box, line.whole());
            }
            "autonumber" if alone => self.picture.meet(Decoration::Autonumber, line.whole()),
            "newpage" | "autonewpage" if alone => {
                self.picture.meet(Decoration::Page, line.whole());
            }
            "ignore" if rest.trim().eq_ignore_ascii_case("newpage") => {
                self.picture.meet(Decoration::Page, line.whole());
            }
            "skinparam" | "skinparamlocked" => {
                self.picture.meet(Decoration::Style, line.whole());
                if text.ends_with('{') {
                    self.skip_until(line, Until::Brace(1));
                }
            }
            "footbox" if is_switch(rest) => self.picture.meet(Decoration::Style, line.whole()),
            "hide" | "show" | "scale" | "skin" | "url" if alone && !rest.trim().is_empty() => {
                self.picture.meet(Decoration::Style, line.whole());
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

/// Whether a note says where it stands.
fn has_place(text: &str) -> bool {
    let word = first_word(text.trim_start());
    ["left", "right", "over", "across"].iter().any(|place| word.eq_ignore_ascii_case(place))
}

/// Where the text of a note begins on the line of its head.
fn colon_outside_quotes(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}
