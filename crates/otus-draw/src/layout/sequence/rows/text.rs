//! Text that is broken into lines.

use std::ops::Deref;

use super::markup::plain;
use crate::metrics::Font;

/// The lines of a text, and those that its author wrote, so that it can be broken anew where there is more room.
#[derive(Debug, Default)]
pub(in crate::layout::sequence) struct Text {
    lines: Vec<String>,
    written: Vec<String>,
}

impl Text {
    /// The lines of a text, each broken where it is wider than `room`. An author who breaks lines is trusted with
    /// wider ones.
    pub(in crate::layout::sequence) fn of(font: Font, text: &str, room: f64) -> Text {
        let text = plain(text);
        Text::broken(font, text.trim().lines().map(str::trim), room)
    }

    /// Like [`Text::of`], but lines keep their indentation.
    pub(super) fn indented(font: Font, text: &str, room: f64) -> Text {
        let text = plain(text);
        let text = text.trim_end().trim_start_matches(['\n', '\r']);
        Text::broken(font, text.split('\n').map(str::trim_end), room)
    }

    fn broken<'a>(font: Font, written: impl Iterator<Item = &'a str>, room: f64) -> Text {
        let written: Vec<String> = written.map(str::to_owned).collect();
        if written.iter().all(|line| line.trim().is_empty()) {
            return Text::default();
        }
        let room = if written.len() > 1 { room * 1.6 } else { room };
        let lines = written.iter().flat_map(|line| with_some_slack(font, line, room)).collect();
        Text { lines, written }
    }

    /// The name of a message that no author drew, in a few lines.
    pub(super) fn name(font: Font, name: &str, room: f64) -> Text {
        Text { lines: font.wrap_to(name, room, 6), written: vec![name.to_owned()] }
    }

    pub(super) fn put_first(&mut self, line: &str) {
        self.lines.insert(0, line.to_owned());
        self.written.insert(0, line.to_owned());
    }

    /// Breaks it anew for lines as wide as `room`, if that takes fewer lines.
    pub(in crate::layout::sequence) fn fit(&mut self, font: Font, room: f64) {
        if self.lines.len() <= self.written.len() {
            return;
        }
        let lines: Vec<String> =
            self.written.iter().flat_map(|line| font.wrap(line, room)).collect();
        if lines.len() < self.lines.len() {
            self.lines = lines;
        }
    }
}

/// The lines of a text, a little wider than `room` if that saves one of them.
fn with_some_slack(font: Font, line: &str, room: f64) -> Vec<String> {
    let lines = font.wrap(line, room);
    let wider = if lines.len() > 1 { font.wrap(line, room * 1.2) } else { Vec::new() };
    if (1..lines.len()).contains(&wider.len()) { wider } else { lines }
}

impl Deref for Text {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.lines
    }
}
