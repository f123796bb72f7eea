//! The size of text.
//!
//! Widths are the advances of the bundled font, `DejaVu` Sans, without kerning.
//! Viewers that lack it usually have Verdana, whose widths are nearly the same, and the SVG gives the
//! length of every text (`textLength`), so that a label that fits here fits everywhere.
//! Characters that the font lacks get the width that terminals give them.

use std::sync::LazyLock;

use ttf_parser::Face;
use unicode_width::UnicodeWidthChar as _;

use crate::geometry::float;

/// The regular face, reduced; see `font/LICENSE`.
pub(crate) const REGULAR: &[u8] = include_bytes!("../font/DejaVuSans.ttf");
/// The bold face, reduced.
pub(crate) const BOLD: &[u8] = include_bytes!("../font/DejaVuSans-Bold.ttf");

/// The size and weight of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Font {
    /// The em square, in pixels.
    pub size: f64,
    /// Whether the font is bold.
    pub bold: bool,
}

/// The font of most labels.
pub const PLAIN: Font = Font { size: 12.0, bold: false };
/// The font of headings.
pub const STRONG: Font = Font { size: 12.0, bold: true };
/// The font of text of minor importance.
pub const SMALL: Font = Font { size: 10.0, bold: false };

impl Font {
    /// The height of capitals and tall letters above the baseline.
    pub fn ascent(self) -> f64 {
        self.size * 0.78
    }

    /// The depth of letters below the baseline.
    pub fn descent(self) -> f64 {
        self.size * 0.24
    }

    /// The distance from one line of text to the next.
    pub fn line_height(self) -> f64 {
        self.size * 1.25
    }

    /// The height of some lines.
    pub fn height(self, lines: usize) -> f64 {
        self.line_height() * float(lines)
    }

    /// The distance from the middle of a line of text down to its baseline.
    pub fn to_baseline(self) -> f64 {
        (self.ascent() - self.descent()) / 2.0
    }

    /// The width of a text on one line.
    pub fn width(self, text: &str) -> f64 {
        let units: u32 = text.chars().map(|c| FACES[usize::from(self.bold)].advance(c)).sum();
        f64::from(units) / UNITS * self.size
    }

    /// The width of the widest of some lines.
    pub fn widest<T: AsRef<str>>(self, lines: &[T]) -> f64 {
        lines.iter().map(|line| self.width(line.as_ref())).fold(0.0, f64::max)
    }

    /// Breaks a text into lines no wider than `room`: at spaces, after punctuation, before
    /// capitals, and at any character if necessary. There is always at least one line.
    ///
    /// ```
    /// use otus_draw::metrics::PLAIN;
    ///
    /// assert_eq!(PLAIN.wrap("acknowledge_order", 90.0), ["acknowledge_", "order"]);
    /// assert_eq!(PLAIN.wrap("then placeOrder", 90.0), ["then", "placeOrder"]);
    /// ```
    pub fn wrap(self, text: &str, room: f64) -> Vec<String> {
        let mut lines =
            Wrapped { font: self, room, done: Vec::new(), line: String::new(), used: 0.0 };
        for word in split(text, is_word_end) {
            if self.width(word.trim_end()) <= room {
                lines.push(word);
                continue;
            }
            for piece in split(word, is_piece_end) {
                if self.width(piece.trim_end()) <= room {
                    lines.push(piece);
                    continue;
                }
                lines.end_line();
                for c in piece.chars() {
                    lines.push(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
        lines.end()
    }

    /// Breaks a text into at most `most` lines; if they do not suffice, the last ends in `…`.
    pub fn wrap_to(self, text: &str, room: f64, most: usize) -> Vec<String> {
        let mut lines = self.wrap(text, room);
        if lines.len() > most.max(1) {
            lines.truncate(most.max(1));
            if let Some(last) = lines.last_mut() {
                *last = self.shorten(&format!("{last}…"), room);
            }
        }
        lines
    }

    /// The text, with its end replaced by `…` if it is wider than `room`.
    pub fn shorten(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let mut used = self.width("…");
        cut_off(text, |c| {
            used += self.width(c.encode_utf8(&mut [0; 4]));
            used <= room
        })
    }
}

/// The beginning of a text, as long as its characters fit, and `…`.
pub(crate) fn cut_off(text: &str, mut fits: impl FnMut(char) -> bool) -> String {
    text.chars().take_while(|&c| fits(c)).chain(['…']).collect()
}

/// Whether the bundled font has every character of a text.
pub fn covers(text: &str) -> bool {
    text.chars().all(|c| FACES[0].face.glyph_index(c).is_some())
}

/// A number with its digits in groups of three: `4,970`.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 event`, `4,970 events`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Units of both fonts per em.
const UNITS: f64 = 2048.0;

static FACES: LazyLock<[Advances; 2]> = LazyLock::new(|| [REGULAR, BOLD].map(Advances::of));

/// The widths of a font's characters, with a table for ASCII.
struct Advances {
    face: Face<'static>,
    ascii: [u16; 128],
}

impl Advances {
    fn of(bytes: &'static [u8]) -> Self {
        let face = Face::parse(bytes, 0).expect("the font that Otus carries is well-formed");
        let mut advances = Advances { face, ascii: [0; 128] };
        for c in 0..128_u8 {
            advances.ascii[usize::from(c)] = advances.look_up(char::from(c));
        }
        advances
    }

    fn advance(&self, c: char) -> u32 {
        let known = self.ascii.get(c as usize).copied();
        u32::from(known.unwrap_or_else(|| self.look_up(c)))
    }

    fn look_up(&self, c: char) -> u16 {
        let glyph = self.face.glyph_index(c);
        glyph.and_then(|glyph| self.face.glyph_hor_advance(glyph)).unwrap_or_else(|| {
            match c.width() {
                Some(0) => 0,
                Some(2) => 2048,
                // A control character is drawn as U+FFFD.
                None => 2100,
                // The approximate width of letters of other scripts, and of the box for a missing
                // character.
                Some(_) => 1300,
            }
        })
    }
}

/// Lines that are being filled.
struct Wrapped {
    font: Font,
    room: f64,
    done: Vec<String>,
    line: String,
    used: f64,
}

impl Wrapped {
    /// Adds a part of the text, on a new line if there is no room for it.
    fn push(&mut self, part: &str) {
        let is_blank = part.trim_end().is_empty();
        if self.used + self.font.width(part.trim_end()) > self.room
            && !self.line.is_empty()
            && !is_blank
        {
            self.end_line();
        }
        self.line.push_str(part);
        self.used += self.font.width(part);
    }

    fn end_line(&mut self) {
        if !self.line.trim_end().is_empty() {
            self.done.push(self.line.trim_end().to_owned());
        }
        self.line.clear();
        self.used = 0.0;
    }

    fn end(mut self) -> Vec<String> {
        if !self.line.is_empty() || self.done.is_empty() {
            self.done.push(self.line.trim_end().to_owned());
        }
        self.done
    }
}

/// Whether a word ends between two characters.
fn is_word_end(before: char, after: char) -> bool {
    before.is_whitespace() && !after.is_whitespace()
}

/// Whether a word may be broken between two characters.
fn is_piece_end(before: char, after: char) -> bool {
    ("_-./:,;)]}=&|".contains(before) && after.is_alphanumeric())
        || (before.is_lowercase() && after.is_uppercase())
}

/// Splits a text at every place where a part ends.
fn split(text: &str, ends: fn(char, char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut before: Option<char> = None;
        for (at, c) in rest.char_indices() {
            if before.is_some_and(|before| ends(before, c)) {
                let (part, tail) = rest.split_at(at);
                rest = tail;
                return Some(part);
            }
            before = Some(c);
        }
        (!rest.is_empty()).then(|| std::mem::take(&mut rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_wrap(text: &str, room: f64, expected: &[&str]) {
        let lines = PLAIN.wrap(text, room);
        assert_eq!(lines, expected);
        assert!(lines.iter().all(|l| PLAIN.width(l) <= room || l.chars().count() == 1));
    }

    #[test]
    fn lines_end_where_words_do() {
        check_wrap("", 10.0, &[""]);
        check_wrap("short", 100.0, &["short"]);
        check_wrap("one two three", 60.0, &["one two", "three"]);
        check_wrap("placeOrderNow", 70.0, &["placeOrder", "Now"]);
        check_wrap("a/b/cdefghijklmn", 60.0, &["a/b/", "cdefghijkl", "mn"]);
        check_wrap("日本語の長い名前", 40.0, &["日本語", "の長い", "名前"]);
        check_wrap("mm", 1.0, &["m", "m"]);
        // A word that fits on a line of its own stays whole.
        check_wrap("pull(imgRef, a)", 80.0, &["pull(imgRef,", "a)"]);
        check_wrap("set status=queued", 100.0, &["set", "status=queued"]);
    }

    #[test]
    fn what_is_too_long_is_shortened_to_its_room() {
        assert_eq!(PLAIN.shorten("subscribe", 1000.0), "subscribe");
        let short = PLAIN.shorten("subscribe", 40.0);
        assert!(short.ends_with('…') && PLAIN.width(&short) <= 40.0, "{short}");
    }

    #[test]
    fn the_papers_symbols_are_in_the_font() {
        assert!(covers("∅ ε λ α σ → ⇢ ⊥ ☘ ⚑ ✓ ✗ ≤ ∥ ⟨⟩ ⊆ é ж …"));
        assert!(!covers("日"));
    }

    #[test]
    fn large_numbers_have_groups() {
        let shown = [0, 12, 999, 1000, 4970, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "999", "1,000", "4,970", "1,234,567"]);
    }

    #[test]
    fn bold_is_wider() {
        assert!(STRONG.width("broker") > PLAIN.width("broker"));
    }
}
