//! The answer to a formula, as data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use otus_core::budget::Stop;
use otus_draw::layout::order::{Options, run_of_cuts, space_time};
use otus_draw::{Scene, svg_in_page};
use otus_trace::order::{EventId, PartialOrder};
use serde::Serialize;

use super::warning::Warning;
use super::witness::Witness;
use crate::case::Place;
use crate::picture::{Picture, PictureFormat, PictureStyle, render_or_svg};

/// Whether a formula holds, and a run that proves it. Its [`Display`](fmt::Display) has both.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The formula in its canonical form.
    pub formula: String,
    /// The name of the formula, if it has one.
    pub name: Option<String>,
    /// The place where the formula is written, if it is in a file.
    pub place: Option<Place>,
    /// The answer as a claim about runs: `possible in some order (EF)`. `None` if it is undecided or combines several
    /// modalities.
    pub meaning: Option<String>,
    /// The name of the engine that decided the formula.
    pub engine: &'static str,
    /// The number of events that can affect the formula.
    pub visible_events: usize,
    /// The time until the formula was decided.
    pub elapsed: Duration,
    /// The cuts at which it holds, if requested and computed within the limits.
    pub cuts: Option<SatisfyingCuts>,
    /// The sizes of the check of the formula, if requested and computed within the limits.
    pub stats: Option<Stats>,
    /// Signs that the formula says nothing, or not what was meant.
    pub warnings: Vec<Warning>,
    /// The facts on which the answer is based: the choices of a quantifier over processes, the members of a
    /// history, and the order of assignments that was assumed.
    pub notes: Vec<String>,
    pub(super) holds: Option<bool>,
    /// The limit that left it undecided.
    pub(super) undecided: Option<Stop>,
    /// The limit that prevented the count of cuts.
    pub(super) uncounted: Option<Stop>,
    /// The limit that prevented a witness.
    pub(super) unexplained: Option<Stop>,
    /// The limit that ended the search for warnings.
    pub(super) unwarned: Option<Stop>,
    pub(super) witness: Option<Witness>,
    pub(super) trace: Arc<PartialOrder>,
}

/// The cuts at which a formula holds. Numbers are decimal texts, because they may have any size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SatisfyingCuts {
    /// The number of all cuts of the trace.
    pub all: String,
    /// The number of cuts at which the formula holds.
    pub satisfying: String,
    /// Some of these cuts as disjoint boxes, if requested. A box has, for each process, the least and the
    /// greatest number of its events.
    pub boxes: Option<Vec<Vec<(u32, u32)>>>,
    /// Whether the list has all boxes.
    pub complete: bool,
}

/// The sizes of a check: the part of the trace that is visible to the formula, and the data that
/// represents its cuts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// The nodes of all sets of cuts; with the engine `explicit`, the cuts that were visited.
    pub nodes: u64,
    /// The events that can affect the formula.
    pub visible_events: usize,
    /// The processes with such events.
    pub visible_processes: usize,
    /// The cuts of these events, as a decimal text, because the number may have any size.
    pub visible_cuts: String,
}

/// The maximum number of cuts of a run that are drawn.
const MOST_CUTS: usize = 12;

impl Answer {
    /// Whether the formula holds; `false` if this is undecided.
    pub fn holds(&self) -> bool {
        self.holds == Some(true)
    }

    /// Whether the formula holds; `None` if this is undecided.
    pub fn decided(&self) -> Option<bool> {
        self.holds
    }

    /// `holds`, `fails` or `undecided`.
    pub fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "undecided",
        }
    }

    /// The reason why it is undecided, why cuts are not counted, or why no run is shown.
    pub fn reason(&self) -> Option<String> {
        let stop = self.undecided.or(self.uncounted).or(self.unexplained)?;
        Some(reason(stop).to_owned())
    }

    /// A run, event by event, that proves why it holds or does not hold. An independent checker has replayed it.
    /// Empty if no single run proves the answer.
    pub fn witness(&self) -> Vec<Step> {
        let step = |event: EventId| {
            let process = self.trace.process_name(self.trace.process_of(event)).to_owned();
            Step { process, position: self.trace.position(event), text: self.trace.describe(event) }
        };
        self.run().into_iter().map(step).collect()
    }

    /// The name of the formula, or else its text.
    pub fn title_text(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.formula.clone())
    }

    /// The verdict and its meaning: `fails: never in some order (AF)`.
    pub fn full_headline(&self) -> String {
        let (verdict, headline) = (self.verdict(), self.headline());
        if headline == verdict { headline } else { format!("{verdict}: {headline}") }
    }

    /// The warnings and the notes.
    pub fn remarks(&self) -> Vec<String> {
        let warnings = self.warnings.iter().map(|warning| format!("warning: {warning}"));
        warnings.chain(self.notes.iter().cloned()).collect()
    }

    /// The place that a report marks: of the formula if it is in a file, otherwise of the last event of the run.
    pub(super) fn report_place(&self) -> Option<Place> {
        let last = || self.event_places().pop().map(|(place, _)| place);
        self.place.clone().or_else(last)
    }

    /// The events of the run that come from a line of a file, each with its description.
    pub(super) fn event_places(&self) -> Vec<(Place, String)> {
        let place = |event: EventId| {
            let at = self.trace.place(event);
            let (file, line) = (at.file?.to_owned(), at.line? as usize);
            Some((Place { file, line, columns: None }, self.trace.describe(event)))
        };
        self.run().into_iter().filter_map(place).collect()
    }

    /// The run as an SVG element for a page; `id` begins every id in it.
    pub(super) fn svg_in_page(&self, id: &str, most_events: usize) -> Option<String> {
        self.witness.as_ref()?;
        Some(svg_in_page(&self.scene(most_events), id))
    }

    /// Draws that run as cuts through the trace; `None` if there is no run.
    pub fn draw(&self, format: PictureFormat, style: &PictureStyle) -> Option<Picture> {
        self.witness.as_ref()?;
        Some(render_or_svg(&self.scene(Options::default().limit), format, style))
    }

    fn scene(&self, most_events: usize) -> Scene {
        let cuts = run_of_cuts(&self.trace, &self.run(), MOST_CUTS);
        let options = Options { cuts: &cuts, limit: most_events };
        let mut scene = space_time(&self.trace, &options);
        scene.title = format!("A run that shows {}", self.formula);
        scene
    }

    /// The events of the run.
    pub(super) fn events(&self) -> Vec<EventId> {
        self.run()
    }

    fn run(&self) -> Vec<EventId> {
        self.witness.as_ref().map(Witness::first_path).unwrap_or_default()
    }
}

/// A limit in words. In a check of formulas, "states" are the nodes of a set of cuts.
pub(super) fn reason(stop: Stop) -> &'static str {
    if stop == Stop::States { "the budget of nodes is used up" } else { stop.reason() }
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The process of the event.
    pub process: String,
    /// The number of the event among those of its process, from 1.
    pub position: u32,
    /// A description of the event.
    pub text: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
