//! First pass: the tree as a list of rows, from top to bottom.
//!
//! A node may be an operand of several others, and is drawn as often as it occurs. The number of
//! rows is bounded; rows beyond the bound are counted, not drawn.

use otus_core::index::Index as _;
use otus_core::{LifelineId, Signature};
use otus_syntax::ast::{NodeId, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::name::Name;

use super::{Options, tone, word};
use crate::metrics::PLAIN;
use crate::scene::Tone;

#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) frames: Vec<Frame>,
}

/// One row; frames open, go on with the next operand, and close.
#[derive(Debug)]
pub(super) enum Row {
    Arrow(Arrow),
    /// ∅ where an operand is empty.
    Empty,
    Open(usize),
    Split(usize),
    Close(usize),
    /// The number of omitted rows.
    Elided(usize),
}

/// A message from a lifeline or the environment to lifelines or the environment. Lifelines are
/// numbered from left to right.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) node: NodeId,
    pub(super) origin: Option<usize>,
    pub(super) targets: Vec<usize>,
    pub(super) label: Vec<String>,
    pub(super) message: String,
    pub(super) synchronous: bool,
    pub(super) tone: Tone,
}

#[derive(Debug)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) title: String,
    /// The lifelines of a coregion on which events are not ordered; empty for `seq` and `par`.
    pub(super) concurrent: Vec<usize>,
    /// The first and the last lifeline it spans; none if it has no action.
    pub(super) span: Option<(usize, usize)>,
    pub(super) tone: Tone,
}

impl Arrow {
    pub(super) fn lifelines(&self) -> impl Iterator<Item = usize> {
        self.origin.into_iter().chain(self.targets.iter().copied())
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

enum Task {
    Visit(NodeId),
    Split(usize),
    Close(usize),
}

impl Rows {
    pub(super) fn of(file: &SpecFile, signature: &Signature, options: &Options<'_>) -> Self {
        let mut rows = Rows::default();
        let Some(interaction) = &file.interaction else { return rows };
        let is_empty = |id: &NodeId| interaction.node(*id).kind == NodeKind::Empty;
        // The frames that are open, innermost last.
        let mut open: Vec<usize> = Vec::new();
        let mut tasks = vec![Task::Visit(interaction.root)];
        let mut left_out = 0;
        while let Some(task) = tasks.pop() {
            let id = match task {
                Task::Visit(id) => id,
                Task::Split(frame) => {
                    if left_out == 0 {
                        rows.rows.push(Row::Split(frame));
                    }
                    continue;
                }
                Task::Close(frame) => {
                    if left_out > 0 {
                        rows.rows.push(Row::Elided(std::mem::take(&mut left_out)));
                    }
                    rows.rows.push(Row::Close(frame));
                    let span = rows.frames[frame].span;
                    open.pop();
                    if let Some(&outer) = open.last() {
                        rows.frames[outer].widen(span);
                    }
                    continue;
                }
            };
            if rows.rows.len() >= options.max_rows {
                left_out += 1;
                continue;
            }
            match &interaction.node(id).kind {
                NodeKind::Empty | NodeKind::Invalid => rows.rows.push(Row::Empty),
                NodeKind::Passing(passing) => {
                    let arrow = arrow(file, signature, options, id, passing);
                    if let Some(&frame) = open.last() {
                        rows.frames[frame].widen(arrow.span());
                    }
                    rows.rows.push(Row::Arrow(arrow));
                }
                NodeKind::Operator(Operator::Seq, operands) => {
                    // ∅ is neutral in a sequence, and is only drawn if there is nothing else.
                    let mut drawn: Vec<NodeId> =
                        operands.iter().copied().filter(|id| !is_empty(id)).collect();
                    if drawn.is_empty() {
                        drawn.extend(operands.first());
                    }
                    tasks.extend(drawn.into_iter().rev().map(Task::Visit));
                }
                NodeKind::Operator(operator, operands) => {
                    let frame = rows.frames.len();
                    let optional = *operator == Operator::Alt
                        && operands.len() == 2
                        && operands.iter().filter(|id| is_empty(id)).count() == 1;
                    let lifelines = operator.region().iter();
                    rows.frames.push(Frame {
                        node: id,
                        title: if optional { "opt".to_owned() } else { title(file, operator) },
                        concurrent: lifelines.filter_map(|l| index(file, signature, l)).collect(),
                        span: None,
                        tone: tone(options, id),
                    });
                    rows.rows.push(Row::Open(frame));
                    open.push(frame);
                    tasks.push(Task::Close(frame));
                    let drawn = operands.iter().filter(|id| !(optional && is_empty(id)));
                    for (place, &operand) in drawn.rev().enumerate() {
                        if place > 0 {
                            tasks.push(Task::Split(frame));
                        }
                        tasks.push(Task::Visit(operand));
                    }
                }
            }
        }
        if left_out > 0 {
            rows.rows.push(Row::Elided(left_out));
        }
        rows
    }

    /// Gives frames without any action the span of the frame around them, or that of the whole diagram.
    pub(super) fn give_spans(&mut self, whole: (usize, usize)) {
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

    /// Renumbers lifelines by their index among those that are shown.
    pub(super) fn keep(&mut self, shown: &[LifelineId], count: usize) {
        let mut place = vec![None; count];
        for (at, lifeline) in shown.iter().enumerate() {
            place[lifeline.index()] = Some(at);
        }
        let moved = |l: usize| place[l].expect("lifelines with actions are shown");
        for row in &mut self.rows {
            if let Row::Arrow(arrow) = row {
                arrow.origin = arrow.origin.map(moved);
                arrow.targets.iter_mut().for_each(|target| *target = moved(*target));
            }
        }
        for frame in &mut self.frames {
            frame.span = frame.span.map(|(first, last)| (moved(first), moved(last)));
            frame.concurrent = frame.concurrent.iter().filter_map(|&l| place[l]).collect();
        }
    }
}

impl Frame {
    fn widen(&mut self, by: Option<(usize, usize)>) {
        self.span = match (self.span, by) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }
}

fn arrow(
    file: &SpecFile,
    signature: &Signature,
    options: &Options<'_>,
    node: NodeId,
    passing: &Passing,
) -> Arrow {
    let lifeline = |name: &Name| index(file, signature, name);
    let mut targets: Vec<usize> = passing.target.lifelines().iter().filter_map(lifeline).collect();
    targets.sort_unstable();
    targets.dedup();
    let message = file.names.text(passing.message.symbol).to_owned();
    Arrow {
        node,
        origin: passing.origin.as_ref().and_then(lifeline),
        targets,
        label: PLAIN.wrap_to(&message, options.label_width, 6),
        message,
        synchronous: passing.synchronous,
        tone: tone(options, node),
    }
}

fn index(file: &SpecFile, signature: &Signature, name: &Name) -> Option<usize> {
    signature.lifeline(file.names.text(name.symbol)).map(otus_core::index::Index::index)
}

fn title(file: &SpecFile, operator: &Operator) -> String {
    let (word, has_region) = word(operator);
    if !has_region {
        return word.to_owned();
    }
    let names = operator.region().iter().map(|name| file.names.text(name.symbol));
    format!("{word} ({})", names.collect::<Vec<_>>().join(", "))
}
