//! Commands, which are identified by their first word; titles, and decorations that begin with a sign.

use super::picture::Begun;
use super::skip::Until;
use super::{Reader, first_word};
use crate::diagram::is_one_of;
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::{text, words};
use crate::diagram::statement::Look;
use crate::drawing::{Mark, TitlePlace};

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
        // A space must follow the word, except that a colour may directly follow the word of a
        // fragment.
        let alone = rest.is_empty() || rest.starts_with(char::is_whitespace);
        if at > 0 && !matches!(word.as_str(), "note" | "hnote" | "rnote") {
            return false;
        }
        match word.as_str() {
            "alt" | "opt" | "loop" | "par" | "par2" | "break" | "critical" | "group"
            | "partition"
                if alone || rest.starts_with('#') =>
            {
                self.fragment(line, &word, start);
            }
            "else" | "also" if alone => self.separator(line, rest),
            "end" if alone => return self.end_of(line, rest.trim()),
            "participant" | "actor" | "boundary" | "control" | "entity" | "database"
            | "collections" | "queue"
                if alone =>
            {
                return self.participant(line, start);
            }
            "create" if alone => {
                self.picture.add(Decoration::CREATE, line.whole());
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
                self.picture.add(Decoration::ACTIVATION, line.whole());
            }
            "return" if alone => self.reply(line, start),
            "note" | "hnote" | "rnote"
                if is_one_of(first_word(rest.trim_start()), "left right over across") =>
            {
                self.picture.add(Decoration::NOTE, line.whole());
                let colon = colon_outside_quotes(rest);
                let note = self.note(line, &word, &rest[..colon.unwrap_or(rest.len())]);
                let text = colon.map(|colon| &rest[colon + 1..]);
                self.begin(line.whole(), Begun::Note(note), text);
                if colon.is_none() {
                    self.skip_until(line, Until::End(&["note", "hnote", "rnote"]));
                }
            }
            "ref" if first_word(without_colour(rest)).eq_ignore_ascii_case("over") => {
                self.picture.add(Decoration::REFERENCE, line.whole());
                let rest = without_colour(rest);
                let colon = colon_outside_quotes(rest);
                let listed = rest[..colon.unwrap_or(rest.len())].trim();
                let over = self.lifelines(line, &listed["over".len()..]);
                let text = colon.map(|colon| &rest[colon + 1..]);
                self.begin(line.whole(), Begun::Reference(over), text);
                if colon.is_none() {
                    self.skip_until(line, Until::End(&["ref"]));
                }
            }
            "sprite" if alone && !rest.trim().is_empty() => {
                self.picture.add(Decoration::SPRITE, line.whole());
                if text.ends_with('{') {
                    self.skip_until(line, Until::Sprite);
                } else if rest.contains("<svg") && !rest.contains("</svg>") {
                    self.skip_until(line, Until::Svg);
                }
            }
            "skinparam" | "skinparamlocked" => {
                self.picture.add(Decoration::STYLE, line.whole());
                if text.ends_with('{') {
                    self.skip_until(line, Until::Brace(1));
                }
            }
            _ => {
                let decoration = match word.as_str() {
                    "endbox" if alone => Decoration::BOX,
                    "box" if alone || rest.starts_with('#') => Decoration::BOX,
                    "autonumber" if alone => Decoration::NUMBERING,
                    "newpage" | "autonewpage" if alone => Decoration::PAGE,
                    "ignore" if rest.trim().eq_ignore_ascii_case("newpage") => Decoration::PAGE,
                    "footbox" if is_switch(rest) => Decoration::STYLE,
                    "hide" | "show" | "scale" | "skin" | "url" | "set"
                        if alone && !rest.trim().is_empty() =>
                    {
                        Decoration::STYLE
                    }
                    _ => return false,
                };
                self.picture.add(decoration, line.whole());
                match word.as_str() {
                    "box" => self.open_box(line, rest),
                    "endbox" => self.look(line.whole(), Look::CloseBox),
                    "autonumber" => self.numbering(line, rest),
                    "newpage" => self.mark(line, Mark::Page(text::shown(rest.trim()))),
                    _ => {}
                }
            }
        }
        true
    }

    /// Titles, headers, footers and legends. They take precedence over arrows: `title -> x` is a title.
    pub(super) fn title(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let lower = first_word(text).to_ascii_lowercase();
        let (word, rest) = match lower.as_str() {
            "left" | "right" | "center" => {
                let rest = text[lower.len()..].trim_start();
                let word = first_word(rest);
                if !is_one_of(word, "header footer") {
                    return false;
                }
                (word.to_ascii_lowercase(), &rest[word.len()..])
            }
            _ => (lower.clone(), &text[lower.len()..]),
        };
        let rest = rest.trim();
        let words: &'static [&'static str] = match word.as_str() {
            "title" => &["title"],
            "header" => &["header"],
            "footer" => &["footer"],
            "legend" if !rest.starts_with(['-', '<']) => &["legend"],
            "caption" | "mainframe" => &[],
            _ => return false,
        };
        self.picture.add(Decoration::HEADING, line.whole());
        let is_place =
            |word: &str| is_one_of(word, "left right center top bottom") || word.starts_with('#');
        let alone = rest.is_empty() || word == "legend" && rest.split_whitespace().all(is_place);
        let place = match word.as_str() {
            "title" => TitlePlace::Title,
            "header" => TitlePlace::Header,
            "footer" => TitlePlace::Footer,
            "legend" => TitlePlace::Legend,
            "caption" => TitlePlace::Caption,
            _ => TitlePlace::Frame,
        };
        let is_begun = alone && !words.is_empty();
        self.begin(line.whole(), Begun::Title(place), (!is_begun).then_some(rest));
        if is_begun {
            self.skip_until(line, Until::End(words));
        }
        true
    }

    /// Lines that begin with a sign: dividers, delays, spaces, styles.
    pub(super) fn sign(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let decoration = if text.starts_with("==") && text.ends_with("==") && text.len() >= 4 {
            Decoration::DIVIDER
        } else if text == "…" || text.starts_with("...") && text.ends_with("...") {
            Decoration::DELAY
        } else if text == "|||" || is_space(text) {
            Decoration::SPACE
        } else if text.eq_ignore_ascii_case("<style>") {
            self.skip_until(line, Until::Style);
            Decoration::STYLE
        } else {
            return false;
        };
        self.picture.add(decoration, line.whole());
        let inside = |sign: char| text::shown(text.trim_matches(sign).trim());
        match decoration {
            Decoration::DIVIDER => self.mark(line, Mark::Divider(inside('='))),
            Decoration::DELAY => {
                self.mark(line, Mark::Delay(inside(if text == "…" { '…' } else { '.' })));
            }
            Decoration::SPACE => self.mark(line, Mark::Space(inside('|').parse().ok())),
            _ => {}
        }
        true
    }
}

/// `on` or `off`
fn is_switch(text: &str) -> bool {
    is_one_of(text.trim(), "on off")
}

/// The text without a colour at its start, which may follow the word `ref` directly.
fn without_colour(text: &str) -> &str {
    let text = text.trim_start();
    if !text.starts_with('#') {
        return text;
    }
    text[text.find(char::is_whitespace).unwrap_or(text.len())..].trim_start()
}

/// The position of the colon before the text of a note.
fn colon_outside_quotes(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}

/// `||45||`
fn is_space(text: &str) -> bool {
    text.strip_prefix("||")
        .and_then(|rest| rest.strip_suffix("||"))
        .is_some_and(|inside| inside.bytes().all(|byte| byte.is_ascii_digit()))
}
