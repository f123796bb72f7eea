//! The look of statements, from the drawing of a tree.
//!
//! Titles, heads, guards, labels and arrows go with their statements. Marks between statements are written after
//! the statement that they follow; [`presentation`](super::presentation) keeps the marks that still make sense
//! there.

use super::{Walk, equal};
use crate::ast::{NodeId, NodeKind, Operator, Passing};
use crate::diagram::directive;
use crate::diagram::statement::{Course, Look, Message, Statement, StatementKind};
use crate::drawing::{Drawing, Frame, Mark};
use crate::source::Span;

/// Adds titles and heads, which precede all statements.
pub(super) fn headings(drawing: &Drawing, statements: &mut Vec<Statement>) {
    let titles = drawing.titles.iter().map(|title| Look::Title(title.clone()));
    let heads = drawing.heads.iter().map(|head| Look::Head(head.clone()));
    let looks = titles.chain(heads).map(StatementKind::Look);
    statements.extend(looks.map(|kind| Statement { span: Span::default(), kind }));
}

impl Walk<'_> {
    /// Writes the marks before a node; those after it follow its statements.
    pub(super) fn marks(&mut self, node: NodeId) {
        let Some(shown) = self.drawing.and_then(|drawing| drawing.of(node)) else { return };
        let span = self.interaction.node(node).span;
        let look = |mark: &Mark| StatementKind::Look(Look::Mark(mark.clone()));
        for mark in &shown.before {
            self.write(span, look(mark));
        }
        for mark in shown.after.iter().rev() {
            self.tasks.push(super::Task::Write(span, look(mark)));
        }
    }

    /// Writes the arrow of a message as it was drawn. Returns whether the message is written with it.
    pub(super) fn drawn_arrow(&mut self, node: NodeId) -> bool {
        let Some(shown) = self.drawing.and_then(|drawing| drawing.of(node)) else { return false };
        let Some(arrow) = &shown.arrow else { return false };
        let at = self.interaction.node(node);
        let span = at.span;
        self.write(span, StatementKind::Look(Look::Arrow(arrow.clone())));
        let message = match &at.kind {
            NodeKind::Passing(Passing { origin, message, target, synchronous: false, .. })
                if target.lifelines().is_empty() && arrow.towards.is_some() =>
            {
                let course = if arrow.lost { Course::Lost } else { Course::Arrives };
                Message { from: *origin, to: arrow.towards, message: *message, course }
            }
            NodeKind::Operator(Operator::Par, ways) if self.goes_both_ways(node) => {
                let Some(NodeKind::Passing(forth)) =
                    ways.first().map(|&way| &self.interaction.node(way).kind)
                else {
                    return false;
                };
                let (from, message) = (forth.origin, forth.message);
                let (to, course) = (forth.target.lifelines().first().copied(), Course::BothWays);
                Message { from, to, message, course }
            }
            NodeKind::Empty | NodeKind::Invalid | NodeKind::Passing(_) | NodeKind::Operator(..) => {
                return false;
            }
        };
        self.write(span, StatementKind::Message(message));
        true
    }

    /// Whether a node was drawn as one arrow with two heads.
    pub(super) fn goes_both_ways(&self, node: NodeId) -> bool {
        let shown = self.drawing.and_then(|drawing| drawing.of(node));
        let NodeKind::Operator(Operator::Par, ways) = &self.interaction.node(node).kind else {
            return false;
        };
        let is_drawn = shown.and_then(|shown| shown.arrow.as_ref()).is_some_and(|arrow| arrow.both);
        let way = |at: usize| ways.get(at).map(|&way| &self.interaction.node(way).kind);
        match (way(0), way(1)) {
            (Some(NodeKind::Passing(forth)), Some(NodeKind::Passing(back))) => {
                is_drawn
                    && !forth.synchronous
                    && ways.len() == 2
                    && equal(&forth.guard, &back.guard)
            }
            _ => false,
        }
    }

    /// Writes the look of a frame with this number of operands; returns the guards of the operands.
    pub(super) fn look_of_frame(&mut self, node: NodeId, operands: usize) -> Vec<String> {
        let Some(frame) = self.frame(node).filter(|frame| frame.operands.len() == operands) else {
            return Vec::new();
        };
        let guards = frame.operands.iter().map(|operand| operand.guard.clone()).collect();
        let look = StatementKind::Look(Look::Frame(frame.clone()));
        self.write(self.interaction.node(node).span, look);
        guards
    }

    /// Writes the look of a loop, unless its label states bounds, because a loop with bounds is
    /// unfolded.
    pub(super) fn look_of_loop(&mut self, node: NodeId) {
        let is_free = |frame: &&Frame| {
            let repetition = directive::repetition(&frame.label);
            // A loop without a label means `0..*` too.
            let is_any = (repetition.least, repetition.most) == (0, None) && !repetition.stated;
            frame.keyword == "loop" && is_any
        };
        let Some(frame) = self.frame(node).filter(is_free).cloned() else { return };
        self.write(self.interaction.node(node).span, StatementKind::Look(Look::Frame(frame)));
    }

    fn frame(&self, node: NodeId) -> Option<&Frame> {
        self.drawing.and_then(|drawing| drawing.of(node))?.frame.as_ref()
    }
}
