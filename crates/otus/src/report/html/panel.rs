//! The panel of a case: the steps of its explanation, its picture, and the lines that the events come from.

use std::borrow::Cow;

use otus_draw::layout::failure::{self, EventState, Options, drawn, failure};
use otus_draw::svg_in_page;
use serde::Serialize;

use crate::case::picture::LIMITS;
use crate::case::{Case, CasePicture, Passage, joined};
use crate::cause::Cause;
use crate::explanation::{Explanation, LogPlace, LogProgress as Progress};
use crate::report::capitalized;
use crate::units::counted;

/// The maximum number of logs that are named although they are explained to their end.
const NAMED: usize = 8;

/// The limits of a picture as Mermaid text.
const MERMAID: Options = Options { max_events: 40, ..LIMITS };

/// The first part of every id in a picture. Only one picture is in the page at a time.
const ID: &str = "case";

/// The note of a case whose picture would make the page too large.
const NOT_DRAWN: &str = concat!(
    "To keep this file small, only the first failures are drawn. ",
    "Analyze this group by itself to see its diagram."
);

#[derive(Debug, Serialize)]
pub(super) struct Panel<'c> {
    pub(super) ladder: Vec<Rung>,
    pub(super) diagram: Diagram<'c>,
    specification: &'c [Passage],
    mermaid: String,
}

/// A step of an explanation.
#[derive(Debug, Serialize)]
pub(super) struct Rung {
    /// `Repair`.
    pub(super) title: String,
    pub(super) text: String,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Diagram<'c> {
    /// The SVG element; empty if there is no picture.
    svg: String,
    /// The SVG with only those lifelines that suffice to fail; `None` if these are all lifelines,
    /// or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<Core>,
    /// The parts that the picture leaves out, or the reason why there is no picture.
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    pub(super) events: Vec<Event<'c>>,
    /// The steps of the accepted run that are drawn: the id of an event, and the number of the step from 1.
    run: Vec<[usize; 2]>,
    /// The number of all steps of the run.
    steps: usize,
}

#[derive(Debug, Serialize)]
struct Core {
    svg: String,
    /// The number of these lifelines, and that of all lifelines.
    lifelines: [usize; 2],
}

/// An event that is drawn.
#[derive(Debug, Serialize)]
pub(super) struct Event<'c> {
    /// The SVG element with the id `case-event-<id>` depicts it.
    id: usize,
    lifeline: &'c str,
    /// The action, and what it carries.
    label: Cow<'c, str>,
    /// The name of its state in the style sheet.
    state: &'static str,
    words: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    culprit: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'c Passage>,
    /// The index of its place in [`Panel::specification`].
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<usize>,
}

impl<'c> Panel<'c> {
    /// The panel of a case, without its picture if that would make the page too large.
    pub(super) fn new(case: &'c Case, has_room: bool) -> Self {
        let mut panel = Panel {
            ladder: ladder(case),
            diagram: Diagram::default(),
            specification: &[],
            mermaid: String::new(),
        };
        let picture = case.picture.as_deref().filter(|it| !it.diagram.events.is_empty());
        if let Some(picture) = picture {
            panel.mermaid = failure::mermaid(&picture.diagram, &MERMAID);
            if has_room {
                panel.diagram = Diagram::new(picture);
                panel.specification = &picture.specification;
            } else {
                NOT_DRAWN.clone_into(&mut panel.diagram.note);
            }
        }
        panel
    }
}

impl<'c> Diagram<'c> {
    fn new(picture: &'c CasePicture) -> Self {
        let CasePicture { diagram: of, logs, places, .. } = picture;
        let is_drawn = drawn(of, &LIMITS);
        let event = |id: usize| {
            let event = &of.events[id];
            Event {
                id,
                lifeline: &of.lifelines[event.lifeline].name,
                label: match &event.values {
                    Some(values) => Cow::Owned(format!("{} {values}", event.label)),
                    None => Cow::Borrowed(event.label.as_str()),
                },
                state: name(event.state),
                words: event.state.words(),
                culprit: of.culprit == Some(id),
                log: logs.get(id).and_then(Option::as_ref),
                specification: places.get(id).copied().flatten(),
            }
        };
        let steps = of.run.iter().zip(1..).map(|(&event, step)| [event, step]);
        Diagram {
            svg: svg_in_page(&failure(of, &LIMITS), ID),
            core: Core::new(picture, &is_drawn),
            note: failure::note(of, &LIMITS),
            events: (0..of.events.len()).filter(|&id| is_drawn[id]).map(event).collect(),
            run: steps.filter(|&[id, _]| is_drawn.get(id) == Some(&true)).collect(),
            steps: of.run.len(),
        }
    }
}

impl Core {
    /// The smaller picture shows about the same events of these lifelines as the picture of all lifelines (`is_drawn`,
    /// for each event), so that readers can open the lines of nearly all events.
    fn new(picture: &CasePicture, is_drawn: &[bool]) -> Option<Self> {
        let of = &picture.diagram;
        let culprit = of.culprit.and_then(|event| of.events.get(event)).map(|it| it.lifeline);
        let is_core = |at: usize| of.lifelines[at].core || culprit == Some(at);
        let count = (0..of.lifelines.len()).filter(|&at| is_core(at)).count();
        let has_core = of.lifelines.iter().any(|it| it.core) && count < of.lifelines.len();
        let events = of.events.iter().zip(is_drawn);
        let max_events = events.filter(|(it, is_drawn)| **is_drawn && is_core(it.lifeline)).count();
        has_core.then(|| Core {
            svg: svg_in_page(
                &failure(of, &Options { max_events, is_core_only: true, ..LIMITS }),
                ID,
            ),
            lifelines: [count, of.lifelines.len()],
        })
    }
}

fn name(state: EventState) -> &'static str {
    match state {
        EventState::Explained => "explained",
        EventState::Offending => "offending",
        EventState::Expected => "expected",
        EventState::NotReached => "not-reached",
        EventState::Assumed => "assumed",
    }
}

/// The steps of the explanation, from the cause to the details.
fn ladder(case: &Case) -> Vec<Rung> {
    let mut rungs = Vec::new();
    let mut rung = |title: &str, text: String| {
        rungs.push(Rung { title: title.to_owned(), text });
    };
    if let Some(explanation) = case.explanation.as_deref() {
        if let Some(Cause { name, meaning, help, .. }) = case.cause() {
            rung("Cause", format!("{}. {meaning}\n{help}", capitalized(name)));
        }
        if let Some(text) = &explanation.restored {
            rung("Explanation", text.clone());
        }
        for (title, lines) in places(explanation) {
            rung(title, lines.join("\n"));
        }
        for (title, text) in furthest(explanation) {
            rung(&title, text);
        }
        // The explained moments of each log are listed above, so the note about them is left out.
        for note in explanation.notes.iter().filter(|note| note.topic != "consumed") {
            rung(&capitalized(note.topic), note.text.clone());
        }
    }
    let missing = case.missing.as_deref().unwrap_or_default();
    if !missing.is_empty() {
        rung("Assumed missing", joined(missing, "\n"));
    }
    if let Some(reason) = &case.reason {
        rung("Undecided whether it is more", reason.to_string());
    }
    if let Some(note) = &case.note {
        rung("Note", note.to_string());
    }
    rungs
}

fn places(explanation: &Explanation) -> Vec<(&'static str, Vec<String>)> {
    if explanation.restored.is_some() {
        return Vec::new();
    }
    let expected = explanation.expected.iter();
    let expected = expected.map(|it| format!("{} at {}", it.action, it.place.in_line()));
    let observed = explanation.logs();
    let observed = observed.map(|LogPlace { place, action, role, .. }| {
        format!("{role}: {action} at {}", place.in_line())
    });
    let both = [("Expected", expected.collect()), ("Observed", observed.collect::<Vec<_>>())];
    both.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// The furthest situations: how far the logs can be explained.
fn furthest(explanation: &Explanation) -> Vec<(String, String)> {
    let is_one = explanation.furthest.len() == 1;
    let mut texts: Vec<String> = Vec::new();
    for situation in &explanation.furthest {
        let mut lines = progress_of_all(&situation.logs);
        if !is_one {
            lines.extend(situation.choices.iter().map(|choice| format!("It {choice}.")));
        }
        let text = lines.join("\n");
        // Situations can differ in facts that this text does not contain, so equal texts are shown
        // once.
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    let is_one = texts.len() == 1;
    let titled = |(text, number): (String, usize)| {
        let way = if is_one { String::new() } else { format!(", way {number}") };
        (format!("How far it can be explained{way}"), text)
    };
    texts.into_iter().zip(1..).map(titled).collect()
}

/// How far each log can be explained. Of many logs, those that are explained to their end are only counted.
fn progress_of_all(components: &[Progress]) -> Vec<String> {
    let is_whole = |it: &&Progress| it.consumed == it.total;
    let (whole, part): (Vec<&Progress>, Vec<&Progress>) = components.iter().partition(is_whole);
    if components.len() <= NAMED || part.is_empty() || whole.is_empty() {
        return components.iter().filter_map(progress).collect();
    }
    let mut lines: Vec<String> = part.into_iter().filter_map(progress).collect();
    lines.push(format!("{} to the end", counted(whole.len(), "other log")));
    lines
}

/// `broker: 5 of 7, next broker?PUBCOMP, expected broker!PUBREL`
fn progress(progress: &Progress) -> Option<String> {
    let Progress { lifelines, consumed, total, next, expected } = progress;
    if *total == 0 && expected.is_empty() {
        return None;
    }
    let mut text = format!("{}: {consumed} of {total}", lifelines.join("+"));
    if let Some(next) = next {
        text.push_str(", next ");
        text.push_str(next);
    }
    if !expected.is_empty() {
        text.push_str(", expected ");
        text.push_str(&expected.join(" or "));
    }
    Some(text)
}
