//! The explanation of a failure as data, and its text for people.
//!
//! An explanation has a headline, the expected and the observed actions with their places, how far the logs could be
//! explained, a repair, and a core. Only [`crate::analysis`] creates and words it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use crate::case::Place;
use crate::value::FieldValue;

/// The explanation of a failure. Its text contains all of it, with the lines of specification and logs.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The id of the failure's [`Cause`](crate::Cause), like `too-early`.
    pub cause: &'static str,
    /// The cause in words.
    #[serde(skip)]
    pub cause_name: &'static str,
    /// The problem, in a sentence.
    pub headline: String,
    /// The expected actions, with their places in the specification. Three at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<SpecPlace>,
    /// The observed action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<LogPlace>,
    /// For a failure by values: which value or duration is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueFault>,
    /// Other relevant places of the logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<LogPlace>,
    /// The furthest situations: those in which most is explained. Three at most.
    pub furthest: Vec<Situation>,
    /// The lifelines of each log that fails by itself.
    pub alone: Vec<Vec<String>>,
    /// The edits after which the multi-trace would pass, if a repair was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// The logs that fail together, if they were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// The limit that may have left this incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<&'static str>,
    /// The remaining text, one note per line.
    #[serde(skip)]
    pub notes: Vec<Note>,
    /// The whole text, if the explanation was read from results, or is about a formula.
    #[serde(skip)]
    pub(crate) restored: Option<String>,
}

/// A line below an explanation, like `repair: insert b!m at the end`.
#[derive(Debug, Clone)]
pub struct Note {
    /// The topic, in a word.
    pub topic: &'static str,
    /// The text about the topic.
    pub text: String,
}

/// A place of the specification.
#[derive(Debug, Clone, Serialize)]
pub struct SpecPlace {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The action of the specification, like `b!m`.
    pub action: String,
    /// The first line of the action in the specification.
    pub text: String,
    /// The marked bytes of that line.
    #[serde(skip)]
    pub span: Range<usize>,
}

/// A place of a log.
#[derive(Debug, Clone, Serialize)]
pub struct LogPlace {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The lifelines whose log it is.
    pub lifelines: Vec<String>,
    /// The observed action.
    pub action: String,
    /// The role of the action in the explanation: `observed instead`.
    pub role: &'static str,
    /// The line, or the part around the place if it is long. `None` if it cannot be read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The marked bytes of that text.
    #[serde(skip)]
    pub span: Range<usize>,
    /// The values that it carries, as far as guards name them. A time is a number of seconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, FieldValue>,
    /// Whether the text is a string inside a line of a case file, so that its columns are not those of the file.
    #[serde(skip)]
    pub is_in_case_file: bool,
}

/// What is wrong with a value or a duration. Durations are numbers of seconds.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct ValueFault {
    /// The field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The value of the field in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FieldValue>,
    /// How it should be related to the wanted value: `=`, `>=`, `in` or `~`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
    /// The wanted values. Any of them would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wanted: Vec<FieldValue>,
    /// The time from the anchor to the event, or to the end of the log that lacks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<FieldValue>,
    /// The time that is allowed at most or at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<FieldValue>,
    /// By how much the clocks of both events may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<FieldValue>,
    /// The event that the value or the time is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Place>,
    /// The key of the session that fails, by its field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub key: BTreeMap<String, FieldValue>,
}

/// A situation in which no execution can continue.
#[derive(Debug, Clone, Serialize)]
pub struct Situation {
    /// The progress of each log.
    pub logs: Vec<LogProgress>,
    /// The choices that lead to this situation and not to the others.
    pub choices: Vec<String>,
}

/// The progress of a log in a situation.
#[derive(Debug, Clone, Serialize)]
pub struct LogProgress {
    /// The lifelines of the log.
    pub lifelines: Vec<String>,
    /// The number of explained moments.
    pub consumed: usize,
    /// The number of all moments.
    pub total: usize,
    /// The possible next actions.
    pub expected: Vec<String>,
    /// The next observed action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Edits of the logs after which they would pass.
#[derive(Debug, Clone, Serialize)]
pub struct Repair {
    /// The edits, in order; empty if none were found.
    pub edits: Vec<Edit>,
    /// A lower bound: no repair has fewer edits.
    pub at_least: usize,
    /// Whether the number of edits equals that lower bound.
    #[serde(rename = "smallest")]
    pub is_smallest: bool,
    /// Whether the independent checker accepts it.
    #[serde(rename = "certified")]
    pub is_certified: bool,
    /// The limit that ended the search before all likely edits were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<&'static str>,
}

/// One edit of a log.
#[derive(Debug, Clone, Serialize)]
pub struct Edit {
    /// The place, if it is known.
    #[serde(flatten)]
    pub place: Option<Place>,
    /// The edit in words.
    pub text: String,
}

/// Logs that fail together, independently of the other logs.
#[derive(Debug, Clone, Serialize)]
pub struct Core {
    /// The sessions whose events suffice, by the names and values of their keys; empty if all events are needed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The logs.
    pub logs: Vec<CoreLog>,
    /// Whether no smaller set of logs fails.
    #[serde(rename = "smallest")]
    pub is_smallest: bool,
    /// Whether the independent checker accepts it.
    #[serde(rename = "certified")]
    pub is_certified: bool,
}

/// A log of a core.
#[derive(Debug, Clone, Serialize)]
pub struct CoreLog {
    /// The lifelines of the log.
    pub lifelines: Vec<String>,
    /// The length of the prefix that suffices to fail.
    pub prefix: usize,
    /// The number of all moments.
    pub total: usize,
}

impl Explanation {
    /// An explanation that is a text, whose first line has the headline.
    pub(crate) fn told(
        (cause, cause_name): (&'static str, &'static str),
        headline: String,
        text: String,
    ) -> Explanation {
        Explanation {
            cause,
            cause_name,
            headline,
            expected: Vec::new(),
            observed: None,
            value: None,
            related: Vec::new(),
            furthest: Vec::new(),
            alone: Vec::new(),
            repair: None,
            core: None,
            gave_up: None,
            notes: Vec::new(),
            restored: Some(text),
        }
    }

    /// All places of the logs.
    pub(crate) fn logs(&self) -> impl Iterator<Item = &LogPlace> {
        self.observed.iter().chain(&self.related)
    }

    /// As text for people, with the lines of specification and logs. Each line ends with a newline.
    pub fn render(&self, colored: bool) -> String {
        if let Some(text) = &self.restored {
            return format!("{}\n", text.trim_end());
        }
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        let title = Level::ERROR.primary_title(&self.headline).id(self.cause);
        let mut group: Group<'_> = Group::with_title(title);
        for SpecPlace { place, text, span, action } in &self.expected {
            let label = format!("expected here: {action}");
            group = group.element(snippet(text, place, AnnotationKind::Primary, span, label));
        }
        let mut is_first = self.expected.is_empty();
        for LogPlace { place, text, span, action, role, .. } in self.logs() {
            let label = format!("{role}: {action}");
            if let Some(text) = text {
                let kind = if is_first { AnnotationKind::Primary } else { AnnotationKind::Context };
                group = group.element(snippet(text, place, kind, span, label));
            } else {
                let text = format!("{action} at {}", place.in_line());
                group = group.element(Level::NOTE.with_name(*role).message(text));
            }
            is_first = false;
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.with_name(note.topic).message(&note.text));
        }
        let in_case_files = self.logs().filter(|log| log.is_in_case_file);
        let in_case_files: Vec<String> = in_case_files.map(|log| log.place.in_line()).collect();
        let mut out = String::new();
        for line in renderer.render(&[group]).lines() {
            let line = line.trim_end();
            match in_case_files.iter().find_map(|place| without_column(line, place)) {
                Some(line) => out.push_str(&line),
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

fn snippet<'a>(
    text: &'a str,
    place: &'a Place,
    kind: AnnotationKind,
    span: &Range<usize>,
    label: String,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let annotation = kind.span(span.clone()).label(label);
    Snippet::source(text).path(&place.file).line_start(place.line).annotation(annotation)
}

/// The line that names the origin of an excerpt, without its column, if the origin is this place.
fn without_column(line: &str, place: &str) -> Option<String> {
    let arrow = line.find("::: ").or_else(|| line.find("--> "))?;
    let at = arrow + line[arrow..].find(place)? + place.len();
    let rest = line[at..].strip_prefix(':')?;
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // The rest is empty, or the end of a colour.
    (rest.is_empty() || rest.starts_with('\x1b')).then(|| format!("{}{rest}", &line[..at]))
}
