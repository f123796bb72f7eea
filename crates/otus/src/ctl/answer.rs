//! The answer to a formula, as data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use otus_core::budget::Stop;
use otus_draw::layout::order::{Options, run_of_cuts, space_time};
use otus_trace::order::{EventId, PartialOrder};

use super::witness::Witness;
use crate::picture::{Picture, PictureFormat, PictureStyle, render_or_svg};

/// Whether a formula holds, and a run that proves it. Its [`Display`](fmt::Display) has both.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The formula in its canonical form.
    pub formula: String,
    /// The name of the formula, if it has one.
    pub name: Option<String>,
    /// The answer as a claim about runs: `possible in some order (EF)`. `None` if it is undecided or combines several
    /// modalities.
    pub meaning: Option<String>,
    /// The name of the engine.
    pub engine: &'static str,
    /// The number of events that can affect the formula.
    pub visible_events: usize,
    /// The time until the formula was decided.
    pub elapsed: Duration,
    /// The cuts at which it holds, if requested and computed within the limits.
    pub cuts: Option<SatisfyingCuts>,
    pub(super) holds: Option<bool>,
    /// The limit that left it undecided.
    pub(super) undecided: Option<Stop>,
    /// The limit that prevented the count of cuts.
    pub(super) uncounted: Option<Stop>,
    /// The limit that prevented a witness.
    pub(super) unexplained: Option<Stop>,
    pub(super) witness: Option<Witness>,
    pub(super) trace: Arc<PartialOrder>,
}

/// The cuts at which a formula holds. Numbers are decimal texts, because they may have any size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SatisfyingCuts {
    /// The number of all cuts of the trace.
    pub all: String,
    /// The number of those at which the formula holds.
    pub satisfying: String,
    /// Some of these as disjoint boxes, if requested: by process the least and the greatest number of its events.
    pub boxes: Option<Vec<Vec<(u32, u32)>>>,
    /// Whether these are all boxes.
    pub complete: bool,
}

/// The most cuts of a run that are drawn.
const MOST_CUTS: usize = 12;

impl Answer {
    /// Whether it holds; `false` if it is undecided.
    pub fn holds(&self) -> bool {
        self.holds == Some(true)
    }

    /// Whether it holds; `None` if it is undecided.
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

    /// Draws that run as cuts through the trace; `None` if there is no run.
    pub fn draw(&self, format: PictureFormat, style: &PictureStyle) -> Option<Picture> {
        self.witness.as_ref()?;
        let cuts = run_of_cuts(&self.trace, &self.run(), MOST_CUTS);
        let options = Options { cuts: &cuts, ..Options::default() };
        let mut scene = space_time(&self.trace, &options);
        scene.title = format!("A run that shows {}", self.formula);
        Some(render_or_svg(&scene, format, style))
    }

    fn run(&self) -> Vec<EventId> {
        self.witness.as_ref().map(Witness::first_path).unwrap_or_default()
    }
}

/// A limit in words. The states of a set of cuts are its nodes.
pub(super) fn reason(stop: Stop) -> &'static str {
    if stop == Stop::States { "the budget of nodes is used up" } else { stop.reason() }
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its process.
    pub process: String,
    /// Its number among those of its process, from 1.
    pub position: u32,
    /// A description of the event.
    pub text: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
