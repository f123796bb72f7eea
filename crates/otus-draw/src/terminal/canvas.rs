//! A canvas of character cells, in rows, for drawings in a terminal.

use unicode_width::UnicodeWidthChar as _;

use crate::metrics::cut_off;

/// The content of the second cell of a wide character.
const HALF: char = '\0';

#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) out: String,
    row: Vec<char>,
    ascii: bool,
}

impl Canvas {
    pub(super) fn new(width: usize, ascii: bool) -> Self {
        Canvas { out: String::new(), row: vec![' '; width], ascii }
    }

    pub(super) fn put(&mut self, at: usize, cell: char) {
        if at >= self.row.len() {
            return;
        }
        // If one half of a wide character is overwritten, the other becomes blank.
        if self.row[at] == HALF && at > 0 {
            self.row[at - 1] = ' ';
        }
        if self.row.get(at + 1) == Some(&HALF) {
            self.row[at + 1] = ' ';
        }
        self.row[at] = cell;
    }

    /// Sets a range of cells, its end excluded.
    pub(super) fn fill(&mut self, from: usize, to: usize, cell: char) {
        (from..to).for_each(|at| self.put(at, cell));
    }

    pub(super) fn text(&mut self, at: usize, text: &str) {
        let mut at = at;
        for c in text.chars().map(visible) {
            match c.width() {
                Some(2) => {
                    self.put(at, ' ');
                    self.put(at + 1, ' ');
                    if at + 1 < self.row.len() {
                        self.row[at] = c;
                        self.row[at + 1] = HALF;
                    }
                    at += 2;
                }
                Some(0) | None => {}
                Some(_) => {
                    self.put(at, c);
                    at += 1;
                }
            }
        }
    }

    pub(super) fn at(&self, at: usize) -> char {
        self.row.get(at).copied().unwrap_or(' ')
    }

    pub(super) fn next(&mut self) {
        let row = std::mem::take(&mut self.row);
        let used = row.iter().rposition(|&c| c != ' ').map_or(0, |last| last + 1);
        for &c in &row[..used] {
            if self.ascii {
                self.out.push(plain(c));
            } else if c != HALF {
                self.out.push(c);
            }
        }
        self.out.push('\n');
        self.row = row;
        self.clear();
    }

    pub(super) fn clear(&mut self) {
        self.row.fill(' ');
    }

    /// Writes a line of text that may be wider than the picture.
    pub(super) fn say(&mut self, text: &str) {
        if self.ascii {
            self.out.extend(text.chars().map(plain));
        } else {
            self.out.push_str(text);
        }
        self.out.push('\n');
    }
}

fn visible(c: char) -> char {
    if c.is_control() { '\u{FFFD}' } else { c }
}

pub(super) fn width(text: &str) -> usize {
    text.chars().map(|c| visible(c).width().unwrap_or(0)).sum()
}

/// The text, with its end replaced by `…` if it has more than `most` columns.
pub(super) fn shorten(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut used = 1;
    cut_off(text, |c| {
        used += visible(c).width().unwrap_or(0);
        used <= most
    })
}

/// The most similar ASCII character.
pub(super) fn plain(c: char) -> char {
    match c {
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╞' | '╡' | '╪' => {
            '+'
        }
        '─' => '-',
        '╌' => '.',
        '═' => '=',
        '│' => '|',
        '►' => '>',
        '◄' => '<',
        '○' => '*',
        '∅' | '·' => 'o',
        '…' => '~',
        HALF => ' ',
        c if c.is_ascii() => c,
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_cells_and_never_break() {
        let mut canvas = Canvas::new(6, false);
        canvas.text(0, "日本a");
        canvas.put(1, '│');
        canvas.next();
        assert_eq!(canvas.out, " │本a\n");
        assert_eq!(width("日本a"), 5);
        assert_eq!(shorten("日本語", 4), "日…");
    }
}
