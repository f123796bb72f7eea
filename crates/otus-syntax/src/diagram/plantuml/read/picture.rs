//! Reads statements that concern only the picture: notes, titles, dividers, numbers, boxes.

use super::Reader;
use crate::diagram::number::Form;
use crate::diagram::plantuml::arrow;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{Look, Numbering};
use crate::drawing::{HeadBox, Mark, Note, NotePlace, NoteShape, Title, TitlePlace};
use crate::name::Name;
use crate::source::Span;

/// A part of the picture whose text is on the following lines.
#[derive(Debug, Clone)]
pub(super) enum Begun {
    Note(Note),
    Reference(Vec<Name>),
    Title(TitlePlace),
}

impl Begun {
    /// Completes the part with its text.
    fn complete(self, text: String) -> Look {
        match self {
            Begun::Note(note) => Look::Mark(Mark::Note(Note { text, ..note })),
            Begun::Reference(over) => Look::Mark(Mark::Reference { over, text }),
            Begun::Title(place) => Look::Title(Title { place, text }),
        }
    }
}

impl Reader<'_> {
    /// Adds a part whose text is complete, or waits for its lines if `written` is `None`.
    pub(super) fn begin(&mut self, span: Span, begun: Begun, written: Option<&str>) {
        match written {
            Some(written) => self.look(span, begun.complete(text::shown(written.trim()))),
            None => self.begun = Some((begun, Vec::new())),
        }
    }

    /// Completes the part that has begun, once all of its lines are read.
    pub(super) fn complete(&mut self, span: Span) {
        if let Some((begun, lines)) = self.begun.take() {
            let indents = lines.iter().filter(|line| !line.trim().is_empty());
            let common = indents.map(|line| line.len() - line.trim_start().len()).min();
            let lines: Vec<String> = lines
                .iter()
                .map(|line| text::shown(line.get(common.unwrap_or_default()..).unwrap_or_default()))
                .collect();
            self.look(span, begun.complete(lines.join("\n")));
        }
    }

    /// `note right of A, B #red`, without its text. `words` is the text after the word `word`.
    pub(super) fn note(&mut self, line: &Line<'_>, word: &str, words: &str) -> Note {
        let shape = match word {
            "hnote" => NoteShape::Hexagon,
            "rnote" => NoteShape::Rectangle,
            _ => NoteShape::Sheet,
        };
        let words = words.trim();
        let (place, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let place = match place.to_ascii_lowercase().as_str() {
            "left" => NotePlace::Left,
            "right" => NotePlace::Right,
            "across" => NotePlace::Across,
            _ => NotePlace::Over,
        };
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("of ").or_else(|| rest.strip_prefix("OF ")).unwrap_or(rest);
        let colour = rest.find('#').map(|at| rest[at..].trim().to_owned());
        let at = self.lifelines(line, rest);
        Note { place, at, text: String::new(), shape, colour }
    }

    /// The lifelines at the start of a text, which is at the end of the line or before a colon in it.
    pub(super) fn lifelines(&mut self, line: &Line<'_>, list: &str) -> Vec<Name> {
        let mut found = Vec::new();
        let mut rest = list.trim_start();
        while let Some(name) = arrow::name(rest) {
            let Some(at) = line.text().find(rest) else { break };
            let part = line.part(at..at + rest.len());
            let after = rest[name.place.end..].trim_start();
            found.push(self.name(&part, &name));
            match after.strip_prefix(',') {
                Some(more) => rest = more.trim_start(),
                None => break,
            }
        }
        found
    }

    /// `box "Title" #colour`
    pub(super) fn open_box(&mut self, line: &Line<'_>, rest: &str) {
        let (title, colour) = match rest.find('#').filter(|&at| !rest[at..].contains('"')) {
            Some(at) => (&rest[..at], Some(rest[at..].trim().to_owned())),
            None => (rest, None),
        };
        let title = text::shown(title.trim().trim_matches('"'));
        let opened = HeadBox { title, colour, members: Vec::new() };
        self.look(line.whole(), Look::OpenBox(opened));
    }

    /// `autonumber 10 5 "format"`, `autonumber 1.2.1`, `autonumber stop`, `autonumber resume`, `autonumber inc A`.
    pub(super) fn numbering(&mut self, line: &Line<'_>, rest: &str) {
        let mut parts = rest.split('"');
        let words: Vec<&str> = parts.next().unwrap_or("").split_whitespace().collect();
        let form = parts.next().map(Form::of_format);
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
        let numbering = match words.first().map(|word| word.to_ascii_lowercase()).as_deref() {
            Some("stop") => Numbering::Stop,
            Some("resume") => Numbering::Resume { step: number(1), form },
            Some("inc") => {
                let letter = words.get(1).and_then(|word| word.bytes().next());
                let level = letter.map(|letter| letter.to_ascii_uppercase().wrapping_sub(b'A'));
                Numbering::Increment { level: level.map_or(0, usize::from) }
            }
            _ => {
                let levels = words.first().into_iter().flat_map(|word| word.split('.'));
                let mut outer: Vec<i64> = levels.filter_map(|level| level.parse().ok()).collect();
                let first = outer.pop().unwrap_or(1);
                let (step, form) = (number(1).unwrap_or(1), form.unwrap_or_default());
                Numbering::Start { outer, first, step, form }
            }
        };
        self.look(line.whole(), Look::Numbering(numbering));
    }
}
