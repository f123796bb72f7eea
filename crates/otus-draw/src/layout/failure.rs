//! The picture of a failure: a space-time diagram of the observed events around the place where no run continues.
//!
//! Every lifeline is a column, and time goes downwards. An event is a box on its lifeline; its [`EventState`] says, for
//! example, whether the accepted run contains it, or whether it was expected where the run ends. A message is an arrow
//! from its emission to its reception. The same picture shows an accepted run in which some events are assumed (verdict
//! `WeakPass`): it then has no [culprit](FailurePicture::culprit).
//!
//! The layout takes plain data, names and numbers, so that reports in any format can fill it in, and works in
//! three passes: [`window`] keeps the neighbourhood of the failure and counts the rest, [`rows`] gives every moment a row
//! below all moments that happened before it, and [`paint`] places boxes and routes arrows. All boxes of a column have
//! the same width and arrows turn only between columns and between rows, so no arrow crosses a label. All passes are
//! linear in the events and messages, but for sorting.
//!
//! Indices out of range are ignored, so that a mistake in the data cannot make a report fail.

mod mermaid;
mod paint;
mod rows;
mod window;

pub use mermaid::mermaid;

use crate::scene::Scene;

use window::Window;

/// The data of the picture: the observed events, those that the accepted run explains, and the expected ones.
///
/// ```
/// use otus_draw::layout::failure::{
///     EventState, FailurePicture, Options, PictureEvent, PictureLifeline, PictureMessage, failure,
/// };
///
/// let event = |lifeline, label: &str, state| PictureEvent {
///     lifeline,
///     label: label.to_owned(),
///     state,
///     ..PictureEvent::default()
/// };
/// let picture = FailurePicture {
///     lifelines: vec![PictureLifeline::new("client", 0), PictureLifeline::new("server", 1)],
///     events: vec![
///         event(0, "client!ask", EventState::Explained),
///         event(1, "server?ask", EventState::Explained),
///         event(1, "server!answer", EventState::Expected),
///         event(1, "server!stop", EventState::Offending),
///     ],
///     messages: vec![PictureMessage { from: 0, to: 1 }],
///     run: vec![0, 1],
///     culprit: Some(3),
///     durations: Vec::new(),
/// };
/// let scene = failure(&picture, &Options::default());
/// assert_eq!(otus_draw::check::flaws(&scene), []);
/// assert!(otus_draw::svg_in_page(&scene, "case1").contains("id=\"case1-event-3\""));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailurePicture {
    /// The lifelines, in the order of their columns.
    pub lifelines: Vec<PictureLifeline>,
    /// The events. Those of one component stand in the order of its log, and expected events directly before
    /// the event that was observed instead. Indices of events, here and in the ids of the picture, count from 0.
    pub events: Vec<PictureEvent>,
    /// The messages of which both the emission and the reception are known.
    pub messages: Vec<PictureMessage>,
    /// The accepted run: indices of explained and assumed events in an order that the specification allows.
    pub run: Vec<usize>,
    /// The event that the headline of the failure names, if there is one. It is usually an offending event. If the
    /// log ends too early, it is an expected event.
    pub culprit: Option<usize>,
    /// Durations between two events that are too long or too short.
    pub durations: Vec<PictureDuration>,
}

impl FailurePicture {
    /// For each lifeline: the number of its component. Components are renumbered so that the
    /// numbers are less than the number of lifelines.
    fn components(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.lifelines.iter().map(|it| it.component).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lifelines = self.lifelines.iter();
        lifelines.map(|it| numbers.partition_point(|&number| number < it.component)).collect()
    }
}

/// A column of the picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureLifeline {
    /// The name of the lifeline.
    pub name: String,
    /// The number of the component it belongs to. The lifelines of one component share a log, so that all their events
    /// are ordered.
    pub component: usize,
    /// Whether the component of the lifeline belongs to the smallest set of components that fails
    /// by itself.
    pub core: bool,
}

impl PictureLifeline {
    /// A lifeline outside the failing core.
    pub fn new(name: impl Into<String>, component: usize) -> Self {
        PictureLifeline { name: name.into(), component, core: false }
    }
}

/// An event of the picture, observed or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureEvent {
    /// The index of the event's lifeline.
    pub lifeline: usize,
    /// The action of the event: `broker!PUBREL`. The picture leaves out the name of the lifeline at
    /// the beginning.
    pub label: String,
    /// Whether the event was observed, and whether the accepted run contains it.
    pub state: EventState,
    /// What the event carries, in a few words: `mid 7`.
    pub values: Option<String>,
    /// Whether the event belongs to the same moment as the event before it of its component.
    pub joined: bool,
    /// Where the event was observed, for the tooltip: `logs/broker.log:36`.
    pub log: Option<String>,
    /// The place of the specification that it comes from, for the tooltip: `docs/mqtt.md:22`.
    pub specification: Option<String>,
}

/// The relation of an event to the logs and to the accepted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum EventState {
    /// The event was observed, and the accepted run contains it.
    #[default]
    Explained,
    /// The event was observed, but the accepted run cannot continue with it.
    Offending,
    /// The event was not observed; the specification allows it in place of an offending event.
    Expected,
    /// The event was observed after an offending event of its component, so no run was tried with
    /// it.
    NotReached,
    /// The event was not observed; the accepted run assumes that it happened.
    Assumed,
}

impl EventState {
    /// All states, in the order of the legend.
    pub const ALL: [EventState; 5] = [
        EventState::Explained,
        EventState::Offending,
        EventState::Expected,
        EventState::NotReached,
        EventState::Assumed,
    ];

    /// The state in words: `observed and explained`.
    pub fn words(self) -> &'static str {
        match self {
            EventState::Explained => "observed and explained",
            EventState::Offending => "observed, but not allowed here",
            EventState::Expected => "expected here, not observed",
            EventState::NotReached => "observed, not reached",
            EventState::Assumed => "assumed, not observed",
        }
    }
}

/// A message: the indices of two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PictureMessage {
    /// The index of the emission.
    pub from: usize,
    /// The index of the reception.
    pub to: usize,
}

/// A duration: the indices of two events, what was measured between them, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PictureDuration {
    /// The index of the earlier event.
    pub from: usize,
    /// The index of the later event.
    pub to: usize,
    /// The measured time: `3.1 s`.
    pub text: String,
    /// The allowed time: `2 s`.
    pub allowed: String,
}

/// Limits of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The maximum number of events that are drawn.
    pub max_events: usize,
    /// The maximum number of lifelines that are drawn.
    pub max_lifelines: usize,
    /// Whether only the [core](PictureLifeline::core) and the lifeline of the culprit are drawn.
    pub is_core_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_events: 120, max_lifelines: 24, is_core_only: false }
    }
}

/// The picture of a failure, or of an accepted run.
///
/// An event has the subject `event-<index>`, a lifeline `lifeline-<index>` and a message `message-<index>`, with
/// the indices of the [`FailurePicture`]; events and heads of lifelines have tooltips.
pub fn failure(picture: &FailurePicture, options: &Options) -> Scene {
    let window = Window::of(picture, *options);
    let mut scene = paint::paint(picture, &window);
    let is_in_run =
        |it: &PictureEvent| matches!(it.state, EventState::Explained | EventState::Assumed);
    let is_run = picture.culprit.is_none() && picture.events.iter().all(is_in_run);
    let title = if is_run { "A run" } else { "A failure" };
    title.clone_into(&mut scene.title);
    scene.description = describe(picture, &window);
    scene
}

/// For each event, whether it is in the picture. Reports read only the log lines of these events.
pub fn drawn(picture: &FailurePicture, options: &Options) -> Vec<bool> {
    Window::of(picture, *options).drawn()
}

/// The parts that the picture leaves out, in sentences; empty if it leaves out nothing.
pub fn note(picture: &FailurePicture, options: &Options) -> String {
    Window::of(picture, *options).note(picture).join(" ")
}

/// The picture in words, for readers who cannot see it.
fn describe(picture: &FailurePicture, window: &Window) -> String {
    let drawn = window.drawn();
    let of = |state: EventState| {
        let events = picture.events.iter().zip(&drawn);
        let labels: Vec<&str> = events
            .filter(|(event, drawn)| **drawn && event.state == state)
            .map(|(event, _)| event.label.as_str())
            .take(10)
            .collect();
        (!labels.is_empty())
            .then(|| format!("{}: {}.", capitalized(state.words()), labels.join(", ")))
    };
    let lifelines: Vec<&str> =
        window.columns.iter().map(|&at| picture.lifelines[at].name.as_str()).collect();
    let mut sentences = vec![format!("Lifelines from left to right: {}.", lifelines.join(", "))];
    let culprit = picture.culprit.and_then(|at| picture.events.get(at));
    if let Some(event) = culprit {
        sentences.push(format!("The failure is at {}: {}.", event.label, event.state.words()));
    }
    let states = EventState::ALL.into_iter().filter(|&state| state != EventState::Explained);
    sentences.extend(states.filter_map(of));
    sentences.extend(window.note(picture));
    sentences.join(" ")
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
