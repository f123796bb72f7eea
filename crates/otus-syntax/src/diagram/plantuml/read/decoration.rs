//! Titles, and decorations that begin with a sign.

use super::skip::Until;
use super::{Reader, first_word};
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::Line;

impl Reader<'_> {
    /// Titles, headers, footers and legends. They take precedence over arrows: `title -> x` is a title.
    pub(super) fn title(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let lower = first_word(text).to_ascii_lowercase();
        let (word, rest) = match lower.as_str() {
            "left" | "right" | "center" => {
                let rest = text[lower.len()..].trim_start();
                let word = first_word(rest);
                if word.eq_ignore_ascii_case("header") || word.eq_ignore_ascii_case("footer") {
                    (word.to_ascii_lowercase(), &rest[word.len()..])
                } else {
                    return false;
                }
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
        self.picture.add(Decoration::Title, line.whole());
        let place = |word: &str| {
            ["left", "right", "center", "top", "bottom"]
                .iter()
                .any(|place| word.eq_ignore_ascii_case(place))
        };
        let alone = rest.is_empty()
            || word == "legend"
                && rest.split_whitespace().all(|word| place(word) || word.starts_with('#'));
        if alone && !words.is_empty() {
            self.skip_until(line, Until::End(words));
        }
        true
    }

    /// Lines that begin with a sign: dividers, delays, spaces, styles.
    pub(super) fn sign(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let decoration = if text.starts_with("==") && text.ends_with("==") && text.len() >= 4 {
            Decoration::Divider
        } else if text == "…" || text.starts_with("...") && text.ends_with("...") {
            Decoration::Delay
        } else if text == "|||" || is_space(text) {
            Decoration::Space
        } else if text.eq_ignore_ascii_case("<style>") {
            self.skip_until(line, Until::Style);
            Decoration::Style
        } else {
            return false;
        };
        self.picture.add(decoration, line.whole());
        true
    }
}

/// `||45||`
fn is_space(text: &str) -> bool {
    text.strip_prefix("||")
        .and_then(|rest| rest.strip_suffix("||"))
        .is_some_and(|inside| inside.bytes().all(|byte| byte.is_ascii_digit()))
}
