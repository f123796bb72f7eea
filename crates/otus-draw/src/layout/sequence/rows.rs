//! First pass: the tree as a list of rows, from top to bottom.
//!
//! A node may be an operand of several others, and is drawn as often as it occurs. The number of
//! rows is bounded; rows beyond the bound are counted, not drawn.
//!
//! Rows are made with the lifelines of the signature; [`Rows::keep`] numbers them from left to right, and
//! [`Rows::give_spans`] computes the lifelines that each frame and note spans.

mod flatten;
mod mark;
pub(super) mod markup;
mod text;

use otus_core::LifelineId;
use otus_core::index::Index as _;
use otus_syntax::ast::NodeId;
use otus_syntax::drawing::{NotePlace, NoteShape};

use super::columns::arrow_reach;
use super::durations::{Dimension, Times};
use crate::colour::Colour;
use crate::scene::{End, Tone};
pub(super) use text::Text;

#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the rows themselves")]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) frames: Vec<Frame>,
    pub(super) dimensions: Vec<Dimension>,
}

/// One row. A frame has a row where it opens, one where its next operand begins, and one where it
/// closes.
#[derive(Debug)]
pub(super) enum Row {
    Arrow(Arrow),
    /// ∅ where an operand is empty.
    Empty,
    Open(usize),
    /// The next operand of a frame, with its guard.
    Split(usize, Text),
    Close(usize),
    /// The number of omitted rows.
    Elided(usize),
    Note(Note),
    /// A divider or a delay, across all lifelines.
    Across(Across),
    Space(f64),
    Reference(Reference),
    /// The begin of a bar.
    Begin(usize, Option<Colour>),
    /// The end of a bar; `None` stands for the latest one.
    End(Option<usize>),
    /// The lifeline begins with the next arrow that points to it.
    Create(usize),
    /// The lifeline ends.
    Destroy(usize),
}

/// A message from a lifeline or the environment to lifelines or the environment. Lifelines are
/// numbered from left to right.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) node: NodeId,
    pub(super) origin: Option<usize>,
    pub(super) targets: Vec<usize>,
    /// The lifeline to which a lost message was sent.
    pub(super) towards: Option<usize>,
    pub(super) label: Text,
    pub(super) message: String,
    pub(super) synchronous: bool,
    /// The forms of the arrow's tail and head.
    pub(super) ends: [End; 2],
    pub(super) dotted: bool,
    pub(super) colour: Option<Colour>,
    /// The lifeline that is created by the message.
    pub(super) creates: Option<usize>,
    /// The lifelines that are destroyed by the message.
    pub(super) destroys: Vec<usize>,
    /// What its guard says about times.
    pub(super) times: Times,
    pub(super) tone: Tone,
}

#[derive(Debug)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) title: String,
    /// The guard of its first operand, or its label.
    pub(super) guard: Text,
    /// The background; a frame without a title is nothing else.
    pub(super) colour: Option<Colour>,
    /// The lifelines of a coregion on which events are not ordered; empty for `seq` and `par`.
    pub(super) concurrent: Vec<usize>,
    /// The first and the last lifeline that the frame spans; `None` if it contains no action.
    pub(super) span: Option<(usize, usize)>,
    pub(super) tone: Tone,
}

/// A note beside a lifeline or an arrow, or over lifelines.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) place: NotePlace,
    /// The lifelines of the note; empty if the note belongs to the arrow before it, or goes across
    /// the picture.
    pub(super) at: Vec<usize>,
    pub(super) lines: Text,
    pub(super) shape: NoteShape,
    pub(super) colour: Option<Colour>,
    /// The first and the last lifeline that it is beside or over.
    pub(super) span: (usize, usize),
    /// The distance from the lifeline to the end of the arrow that it belongs to; `None` if there is no such arrow.
    pub(super) beside: Option<f64>,
}

/// Text across all lifelines.
#[derive(Debug)]
pub(super) struct Across {
    pub(super) lines: Text,
    /// Whether it is between two lines, as a divider.
    pub(super) ruled: bool,
}

/// A reference to another diagram.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) over: Vec<usize>,
    pub(super) lines: Text,
}

/// The lines of the title of a box.
pub(super) fn lines(title: &str) -> Text {
    Text::of(crate::metrics::STRONG, title, 260.0)
}

impl Arrow {
    pub(super) fn lifelines(&self) -> impl Iterator<Item = usize> {
        self.origin.into_iter().chain(self.targets.iter().copied()).chain(self.towards)
    }

    /// The first and the last lifeline it touches.
    pub(super) fn span(&self) -> Option<(usize, usize)> {
        Some((self.lifelines().min()?, self.lifelines().max()?))
    }

    /// Whether a lifeline sends to itself.
    pub(super) fn returns(&self) -> bool {
        self.origin.is_some_and(|origin| self.targets.contains(&origin))
    }

    pub(super) fn words(&self, names: &[&str]) -> String {
        let name = |l: &usize| names.get(*l).copied().unwrap_or("?");
        let origin = self.origin.as_ref().map_or("the environment", name);
        let targets: Vec<&str> = self.targets.iter().map(name).collect();
        let targets =
            if targets.is_empty() { "the environment".to_owned() } else { targets.join(" and ") };
        let how = if self.synchronous { " in one step" } else { "" };
        format!("{origin} sends {} to {targets}{how}", self.message)
    }
}

impl Row {
    /// The lifelines that the row needs.
    pub(super) fn lifelines(&self) -> Vec<usize> {
        match self {
            Row::Arrow(arrow) => arrow.lifelines().collect(),
            Row::Note(note) => note.at.clone(),
            Row::Reference(reference) => reference.over.clone(),
            Row::Begin(lifeline, _)
            | Row::End(Some(lifeline))
            | Row::Create(lifeline)
            | Row::Destroy(lifeline) => vec![*lifeline],
            Row::Empty
            | Row::Open(_)
            | Row::Split(..)
            | Row::Close(_)
            | Row::Elided(_)
            | Row::Across(_)
            | Row::Space(_)
            | Row::End(None) => Vec::new(),
        }
    }

    /// Whether the search for the arrow next to a mark ends here: the row is an arrow, or the border of
    /// an operand.
    fn is_neighbour(&self) -> bool {
        matches!(
            self,
            Row::Arrow(_) | Row::Open(_) | Row::Split(..) | Row::Close(_) | Row::Elided(_)
        )
    }

    fn as_arrow(&mut self) -> Option<&mut Arrow> {
        if let Row::Arrow(arrow) = self { Some(arrow) } else { None }
    }

    /// Renumbers its lifelines.
    fn renumber(&mut self, moved: &impl Fn(usize) -> usize) {
        let all = |lifelines: &mut Vec<usize>| {
            for lifeline in lifelines.iter_mut() {
                *lifeline = moved(*lifeline);
            }
            lifelines.sort_unstable();
        };
        match self {
            Row::Arrow(arrow) => {
                arrow.origin = arrow.origin.map(moved);
                arrow.towards = arrow.towards.map(moved);
                all(&mut arrow.targets);
                arrow.times.renumber(moved);
            }
            Row::Note(note) => all(&mut note.at),
            Row::Reference(reference) => all(&mut reference.over),
            Row::Begin(lifeline, _)
            | Row::End(Some(lifeline))
            | Row::Create(lifeline)
            | Row::Destroy(lifeline) => *lifeline = moved(*lifeline),
            Row::Empty
            | Row::Open(_)
            | Row::Split(..)
            | Row::Close(_)
            | Row::Elided(_)
            | Row::Across(_)
            | Row::Space(_)
            | Row::End(None) => {}
        }
    }
}

impl Rows {
    /// Numbers lifelines by their index among those that are shown.
    pub(super) fn keep(&mut self, shown: &[LifelineId], count: usize) {
        let mut place = vec![None; count];
        for (at, lifeline) in shown.iter().enumerate() {
            place[lifeline.index()] = Some(at);
        }
        let moved = |l: usize| place[l].expect("lifelines with actions are shown");
        self.rows.iter_mut().for_each(|row| row.renumber(&moved));
        for frame in &mut self.frames {
            frame.concurrent = frame.concurrent.iter().filter_map(|&l| place[l]).collect();
        }
        self.tie_ends_of_life();
        self.give_spans((0, shown.len().saturating_sub(1)));
    }

    /// Connects the creation and the destruction of a lifeline with an arrow. A creation belongs to the next arrow. A
    /// destruction belongs to the next arrow if that touches the lifeline, as in Mermaid; otherwise it belongs to the
    /// arrow before it, as in PlantUML.
    fn tie_ends_of_life(&mut self) {
        let mut used = rustc_hash::FxHashSet::default();
        for at in 0..self.rows.len() {
            let (before, now, after) = {
                let (before, rest) = self.rows.split_at_mut(at);
                let Some((now, after)) = rest.split_first_mut() else { return };
                (before, now, after)
            };
            match now {
                Row::Arrow(arrow) => used.extend(arrow.lifelines()),
                Row::Create(lifeline) => {
                    let next =
                        after.iter_mut().find(|row| row.is_neighbour()).and_then(Row::as_arrow);
                    if let Some(arrow) = next
                        && arrow.origin != Some(*lifeline)
                        && arrow.targets.contains(lifeline)
                        && !used.contains(lifeline)
                    {
                        arrow.creates = Some(*lifeline);
                    }
                }
                Row::Destroy(lifeline) => {
                    let lifeline = *lifeline;
                    let touches = |arrow: &&mut Arrow| arrow.lifelines().any(|l| l == lifeline);
                    let next = after
                        .iter_mut()
                        .find(|row| row.is_neighbour())
                        .and_then(Row::as_arrow)
                        .filter(touches);
                    let arrow = match next {
                        Some(arrow) => Some(arrow),
                        None => {
                            let mut earlier = before.iter_mut().rev();
                            earlier
                                .find(|row| row.is_neighbour())
                                .and_then(Row::as_arrow)
                                .filter(touches)
                        }
                    };
                    if let Some(arrow) = arrow {
                        arrow.destroys.push(lifeline);
                        *now = Row::Space(0.0);
                    }
                }
                Row::Empty
                | Row::Open(_)
                | Row::Split(..)
                | Row::Close(_)
                | Row::Elided(_)
                | Row::Note(_)
                | Row::Across(_)
                | Row::Space(_)
                | Row::Reference(_)
                | Row::Begin(..)
                | Row::End(_) => {}
            }
        }
    }

    /// Computes spans. A frame without any action has the span of the frame around it, or that of the whole diagram.
    fn give_spans(&mut self, whole: (usize, usize)) {
        let mut open: Vec<usize> = Vec::new();
        let mut latest: Option<&Arrow> = None;
        for row in &mut self.rows {
            let span = match row {
                Row::Open(frame) => {
                    open.push(*frame);
                    continue;
                }
                Row::Close(_) => open.pop().and_then(|frame| self.frames[frame].span),
                Row::Arrow(arrow) => {
                    latest = Some(arrow);
                    arrow.span()
                }
                Row::Note(note) => {
                    note.find(latest, whole);
                    Some(note.span)
                }
                Row::Reference(reference) => {
                    if reference.over.is_empty() {
                        reference.over = vec![whole.0, whole.1];
                    }
                    Some((reference.over[0], reference.over[reference.over.len() - 1]))
                }
                Row::Empty
                | Row::Split(..)
                | Row::Elided(_)
                | Row::Across(_)
                | Row::Space(_)
                | Row::Begin(..)
                | Row::End(_)
                | Row::Create(_)
                | Row::Destroy(_) => continue,
            };
            if let Some(&frame) = open.last() {
                self.frames[frame].widen(span);
            }
        }
        let mut open = vec![whole];
        for row in &self.rows {
            if let Row::Open(frame) = row {
                let around = open.last().copied().unwrap_or(whole);
                open.push(*self.frames[*frame].span.get_or_insert(around));
            } else if let Row::Close(_) = row {
                open.pop();
            }
        }
    }
}

impl Note {
    /// Whether its lines belong at the left: some are indented, or are points of a list.
    pub(super) fn is_list(&self) -> bool {
        let is_point = |line: &String| {
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            line.starts_with([' ', '-', '*', '•'])
                || (number.len() < line.len() && number.starts_with(['.', ')']))
        };
        self.lines.len() > 1 && self.lines.iter().any(is_point)
    }

    /// Finds the lifelines that the note is beside or over.
    fn find(&mut self, latest: Option<&Arrow>, whole: (usize, usize)) {
        let over = self.at.first().copied().zip(self.at.last().copied());
        self.span = match (self.place, over) {
            (NotePlace::Across, _) | (NotePlace::Over, None) => whole,
            (_, Some(span)) => span,
            (NotePlace::Left | NotePlace::Right, None) => {
                let Some(arrow) = latest else {
                    self.span = whole;
                    return;
                };
                let reach = arrow_reach(arrow);
                let is_left = self.place == NotePlace::Left;
                self.beside = Some(if is_left { reach.left } else { reach.right });
                arrow.span().unwrap_or(whole)
            }
        };
    }
}

impl Frame {
    fn widen(&mut self, by: Option<(usize, usize)>) {
        self.span = match (self.span, by) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }

    /// Whether the frame is only a background.
    pub(super) fn is_bare(&self) -> bool {
        self.title.is_empty()
    }
}
