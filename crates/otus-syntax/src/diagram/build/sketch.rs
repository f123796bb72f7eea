//! Collects, while a diagram is built, how its author drew it.

use super::Aliases;
use crate::ast::{NodeId, Section};
use crate::diagram::number::Form;
use crate::diagram::statement::{Course, Look, Message, Numbering};
use crate::drawing::{self, Drawing, Frame, Head, HeadBox, HeadKind, Mark, Operand};
use crate::name::Name;

/// The drawing so far, and the looks that belong to statements that are still to come.
#[derive(Default)]
pub(super) struct Sketch {
    pub(super) drawing: Drawing,
    arrow: Option<drawing::Arrow>,
    pub(super) frame: Option<Frame>,
    pub(super) guard: Option<String>,
    open_box: Option<HeadBox>,
    numbers: Numbers,
}

/// The state of `autonumber`.
#[derive(Default)]
struct Numbers {
    is_on: bool,
    outer: Vec<i64>,
    next: i64,
    step: i64,
    form: Form,
}

impl Numbers {
    fn take(&mut self, numbering: &Numbering) {
        match numbering {
            Numbering::Start { outer, first, step, form } => {
                let (outer, form) = (outer.clone(), form.clone());
                *self = Numbers { is_on: true, outer, next: *first, step: *step, form };
            }
            Numbering::Stop => self.is_on = false,
            Numbering::Resume { step, form } => {
                self.is_on = true;
                self.step = step.unwrap_or(self.step);
                if let Some(form) = form {
                    self.form.clone_from(form);
                }
            }
            Numbering::Increment { level } => {
                let Some(number) = self.outer.get_mut(*level) else { return };
                *number = number.saturating_add(1);
                self.outer.iter_mut().skip(level + 1).for_each(|below| *below = 1);
                self.next = 1;
            }
        }
    }

    fn next(&mut self) -> String {
        let number = self.form.spell(&self.outer, self.next);
        self.next = self.next.saturating_add(self.step);
        number
    }
}

impl Sketch {
    /// Adds a part of the picture that does not stand between statements.
    pub(super) fn take(&mut self, look: &Look) {
        match look {
            Look::Mark(_) => {}
            Look::Arrow(arrow) => self.arrow = Some(arrow.clone()),
            Look::Frame(frame) => self.frame = Some(frame.clone()),
            Look::Guard(guard) => self.guard = Some(guard.clone()),
            Look::Head(head) => {
                if let Some(open) = &mut self.open_box {
                    open.members.push(head.lifeline);
                }
                let heads = &mut self.drawing.heads;
                if !heads.iter().any(|known| known.lifeline.symbol == head.lifeline.symbol) {
                    heads.push(head.clone());
                }
            }
            Look::Title(title) => self.drawing.titles.push(title.clone()),
            Look::OpenBox(new) => self.open_box = Some(new.clone()),
            Look::CloseBox => self.drawing.boxes.extend(self.open_box.take()),
            Look::Numbering(numbering) => self.numbers.take(numbering),
        }
    }

    /// The look of a message, with its number; `None` if it looks like any other message.
    pub(super) fn arrow(
        &mut self,
        message: &Message,
        origin: Option<Name>,
        target: Option<Name>,
    ) -> Option<drawing::Arrow> {
        let mut arrow = self.arrow.take()?;
        if self.numbers.is_on {
            arrow.number = Some(self.numbers.next());
        }
        let is_local =
            origin.is_some() && origin.map(|end| end.symbol) == target.map(|end| end.symbol);
        if is_local || message.course == Course::Lost {
            arrow.towards = target;
        }
        arrow.lost = message.course == Course::Lost;
        arrow.both = message.course == Course::BothWays;
        Some(arrow)
    }

    /// Puts marks before a node.
    pub(super) fn before(&mut self, node: NodeId, marks: Vec<Mark>) {
        if !marks.is_empty() {
            self.drawing.entry(node).before.splice(0..0, marks);
        }
    }

    /// Puts a frame around a node that has none of its own.
    pub(super) fn around(&mut self, node: NodeId, frame: Frame) {
        let entry = self.drawing.entry(node);
        entry.before.insert(0, Mark::Open(frame));
        entry.after.push(Mark::Close);
    }

    /// Removes the frame that is open between two statements, and returns it.
    pub(super) fn take_frame(
        &mut self,
        before: Option<NodeId>,
        inside: Option<NodeId>,
    ) -> Option<Frame> {
        let after = before.and_then(|node| take_open(&mut self.drawing.entry(node).after));
        after.or_else(|| inside.and_then(|node| take_open(&mut self.drawing.entry(node).before)))
    }

    /// The frame of a fragment with these operands.
    pub(super) fn frame_of(
        &mut self,
        node: NodeId,
        is_own: bool,
        mut frame: Frame,
        operands: &[NodeId],
        last: Option<NodeId>,
        guards: Vec<String>,
    ) {
        // A fragment with a single operand has no node of its own.
        if !is_own || last == Some(node) || operands.contains(&node) {
            self.around(node, frame);
            return;
        }
        let guards = std::iter::once(String::new()).chain(guards);
        let operands = operands.iter().copied().chain(last).zip(guards);
        frame.operands = operands.map(|(node, guard)| Operand { guard, node }).collect();
        self.drawing.entry(node).frame = Some(frame);
    }
}

/// Removes the last frame that some marks open and do not close, and returns it.
pub(super) fn take_open(marks: &mut Vec<Mark>) -> Option<Frame> {
    let mut closed = 0;
    let at = marks.iter().rposition(|mark| {
        let is_open = matches!(mark, Mark::Open(_));
        closed += usize::from(*mark == Mark::Close);
        let is_closed = is_open && closed > 0;
        closed -= usize::from(is_closed);
        is_open && !is_closed
    })?;
    if let Mark::Open(frame) = marks.remove(at) { Some(frame) } else { None }
}

/// The mark with the lifelines that its participants stand for; `None` if they stand for the environment.
pub(super) fn resolved(mark: Mark, aliases: &Aliases) -> Option<Mark> {
    Some(match mark {
        Mark::Note(note) => Mark::Note(drawing::Note { at: aliases.lifelines(&note.at), ..note }),
        Mark::Reference { over, text } => Mark::Reference { over: aliases.lifelines(&over), text },
        Mark::Activate { lifeline, colour } => {
            Mark::Activate { lifeline: aliases.lifeline(lifeline)?, colour }
        }
        Mark::Deactivate(lifeline) => {
            Mark::Deactivate(lifeline.and_then(|lifeline| aliases.lifeline(lifeline)))
        }
        Mark::Create(lifeline) => Mark::Create(aliases.lifeline(lifeline)?),
        Mark::Destroy(lifeline) => Mark::Destroy(aliases.lifeline(lifeline)?),
        Mark::Divider(_)
        | Mark::Delay(_)
        | Mark::Space(_)
        | Mark::Open(_)
        | Mark::Close
        | Mark::Page(_) => mark,
    })
}

impl Drawing {
    /// Completes the list of heads: a lifeline that is used without a declaration has a head too,
    /// at the position of its first use.
    pub(super) fn with_heads(mut self, sections: &[Section]) -> Drawing {
        let declared = sections.iter().filter_map(|section| match section {
            Section::Lifelines(declarations) => Some(&declarations.names),
            Section::Messages(_) | Section::Options(_) => None,
        });
        let known = std::mem::take(&mut self.heads);
        let heads = declared.flatten().map(|declaration| {
            let is_it = |head: &&Head| head.lifeline.symbol == declaration.name.symbol;
            known.iter().find(is_it).cloned().unwrap_or(Head {
                lifeline: declaration.name,
                kind: HeadKind::default(),
                stereotype: None,
                colour: None,
                order: None,
            })
        });
        self.heads = heads.collect();
        // Heads without an order come first, as in PlantUML.
        self.heads.sort_by_key(|head| head.order.unwrap_or(0));
        self
    }
}
