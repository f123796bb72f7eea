//! Rows for the marks that authors write between messages: notes, dividers, delays and the like.

use otus_syntax::drawing::{Frame, Mark};
use otus_syntax::name::Name;

use super::markup::plain;
use super::{Across, Note, Reference, Row, Text};
use crate::colour::Colour;
use crate::metrics::{PLAIN, STRONG};

/// The width at which the text of notes is broken, in addition to the lines of their author.
const NOTE_WIDTH: f64 = 300.0;

/// The row of a mark that neither opens nor closes a frame; `None` if the mark is not visible.
pub(super) fn row(mark: &Mark, lifeline: impl Fn(&Name) -> Option<usize>) -> Option<Row> {
    let sorted = |names: &[Name]| {
        let mut all: Vec<usize> = names.iter().filter_map(&lifeline).collect();
        all.sort_unstable();
        all
    };
    Some(match mark {
        Mark::Note(note) => Row::Note(Note {
            place: note.place,
            at: sorted(&note.at),
            lines: Text::indented(PLAIN, &note.text, NOTE_WIDTH),
            shape: note.shape,
            colour: colour(note.colour.as_ref()),
            span: (0, 0),
            beside: None,
        }),
        Mark::Divider(text) | Mark::Page(text) => {
            Row::Across(Across { lines: Text::of(STRONG, text, 400.0), ruled: true })
        }
        Mark::Delay(text) => {
            Row::Across(Across { lines: Text::of(PLAIN, text, 400.0), ruled: false })
        }
        Mark::Space(pixels) => Row::Space(f64::from(pixels.unwrap_or(12).min(200))),
        Mark::Reference { over, text } => Row::Reference(Reference {
            over: sorted(over),
            lines: Text::of(PLAIN, text, NOTE_WIDTH),
        }),
        Mark::Activate { lifeline: name, colour: chosen } => {
            Row::Begin(lifeline(name)?, colour(chosen.as_ref()))
        }
        Mark::Deactivate(None) => Row::End(None),
        Mark::Deactivate(Some(name)) => Row::End(Some(lifeline(name)?)),
        Mark::Create(name) => Row::Create(lifeline(name)?),
        Mark::Destroy(name) => Row::Destroy(lifeline(name)?),
        Mark::Open(_) | Mark::Close => return None,
    })
}

/// The title and the guard of a frame as its author wrote them. A `group` or `partition` has its label as title.
pub(super) fn titles(frame: &Frame, word: &str) -> (String, Text) {
    match frame.keyword.as_str() {
        "rect" | "box" => (String::new(), Text::default()),
        "group" | "partition" if !frame.label.is_empty() => {
            (plain(&frame.label), guard(&frame.second))
        }
        "par2" | "par_over" => ("par".to_owned(), guard(&frame.label)),
        "" => (word.to_owned(), guard(&frame.label)),
        keyword => (keyword.to_owned(), guard(&frame.label)),
    }
}

/// A guard in its brackets.
pub(super) fn guard(text: &str) -> Text {
    let text = plain(text);
    let text = text.trim();
    if text.is_empty() {
        return Text::default();
    }
    let has_brackets = text.starts_with('[') && text.ends_with(']');
    let text = if has_brackets { text.to_owned() } else { format!("[{text}]") };
    Text::of(PLAIN, &text, 300.0)
}

pub(super) fn colour(chosen: Option<&String>) -> Option<Colour> {
    chosen.and_then(|text| Colour::of(text))
}
