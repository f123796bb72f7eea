//! Loops: bounded loops are unfolded, and a `break` leaves the loop.

use super::{Builder, Item};
use crate::ast::{LoopKind, NodeId, Operator};
use crate::code::Code;
use crate::diagram::statement::Repetition;
use crate::source::Span;

/// The maximum number of nodes that unfolding loops may add to a diagram, counted as in a tree,
/// without sharing.
const MAX_UNFOLDED: u64 = 100_000;

/// A loop, and one iteration of it.
pub(super) struct Repeated {
    pub(super) node: NodeId,
    pub(super) body: NodeId,
}

struct LoopParts<'a> {
    items: &'a [Item],
    /// A complete iteration.
    body: NodeId,
    /// An interrupted iteration.
    exit: Option<NodeId>,
}

impl Builder<'_> {
    /// A loop over a sequence. K is the operator that orders its iterations (seq for loopW, strict for
    /// loopS, …), x the body:
    ///
    /// ```text
    /// 0..*       loopK(x)
    /// n..*       K(x, …, x, loopK(x))                     n times x
    /// n..m       K(x, …, x, opt(K(x, opt(… x))))          n times x, then up to m − n more
    /// ```
    ///
    /// A `break` directly in the body leaves the whole loop. Let e be the interrupted iteration,
    /// `seq(p0, alt(B1, seq(p1, B2)))` for a body `p0; break B1; p1; break B2; p2`, and
    /// x = `seq(p0, p1, p2)`:
    ///
    /// ```text
    /// 0..*       K(loopK(x), opt(e))
    /// otherwise  each iteration is alt(K(x, rest), e), with the rest of the iterations
    /// ```
    pub(super) fn repeat(
        &mut self,
        items: &[Item],
        repetition: Repetition,
        kind: &LoopKind,
        opener: Span,
        span: Span,
    ) -> Repeated {
        let (body, exit) = self.loop_body(items, span);
        let node = self.repeated(items, (body, exit), repetition, kind, (opener, span));
        Repeated { node, body }
    }

    fn repeated(
        &mut self,
        items: &[Item],
        (body, exit): (NodeId, Option<NodeId>),
        repetition: Repetition,
        kind: &LoopKind,
        (opener, span): (Span, Span),
    ) -> NodeId {
        if !repetition.stated {
            let message = "how often this loop repeats is free text: read as any number of times";
            let help = "write `loop 0..*`, `loop 1..*`, `loop 3 times` or `loop 2..5`";
            self.findings.report(Code::FREE_TEXT_LOOP, opener, message, help);
        }
        let operator = match kind {
            LoopKind::Strict => Operator::Strict,
            LoopKind::Weak | LoopKind::HeadFirst => Operator::Seq,
            LoopKind::Parallel => Operator::Par,
            LoopKind::Coregion(region) => Operator::Coreg(region.clone()),
        };
        if let Some(exit) =
            exit.filter(|_| items.iter().all(|item| matches!(item, Item::Break(..))))
        {
            // Complete iterations are empty, so only the choice of the interrupted iteration
            // remains.
            return self.optional(exit, span);
        }
        let least = repetition.least;
        let most = repetition.most.map(|most| most.max(least));
        let parts = LoopParts { items, body, exit };
        if !self.may_unfold(&parts, kind, Repetition { most, ..repetition }, opener) {
            return self.apply(Operator::Loop(kind.clone()), vec![body], span);
        }
        let Some(exit) = exit else {
            let mut operands = vec![body; least as usize];
            match most {
                None => {
                    operands.push(self.apply(Operator::Loop(kind.clone()), vec![body], span));
                }
                Some(most) => {
                    let mut further: Option<NodeId> = None;
                    for _ in least..most {
                        let iteration = match further {
                            None => body,
                            Some(next) => self.apply(operator.clone(), vec![body, next], span),
                        };
                        further = Some(self.optional(iteration, span));
                    }
                    operands.extend(further);
                }
            }
            return self.apply(operator, operands, span);
        };
        let (mut next, further) = match most {
            None => {
                let again = self.apply(Operator::Loop(kind.clone()), vec![body], span);
                let leave = self.optional(exit, span);
                (Some(self.apply(operator.clone(), vec![again, leave], span)), 0)
            }
            Some(most) => (None, most - least),
        };
        for round in 0..further + least {
            let complete = match next {
                None => body,
                Some(next) => self.apply(operator.clone(), vec![body, next], span),
            };
            let iteration = self.apply(Operator::Alt, vec![complete, exit], span);
            let is_optional = round < further;
            next = Some(if is_optional { self.optional(iteration, span) } else { iteration });
        }
        match next {
            Some(node) => node,
            None => self.empty(span),
        }
    }

    /// The body of a loop without its breaks, and the interrupted iteration if there are any.
    fn loop_body(&mut self, items: &[Item], span: Span) -> (NodeId, Option<NodeId>) {
        let last_break = items.iter().rposition(|item| matches!(item, Item::Break(..)));
        let exit = last_break.map(|last| {
            let Item::Break(body, _) = items[last] else { unreachable!("found as a break") };
            // The last break ends the interrupted iteration; earlier ones are choices in it.
            let mut interrupted = items[..last].to_vec();
            interrupted.push(Item::Node(body));
            let at = self.span_of(body);
            self.join(&interrupted, &Operator::Seq, at)
        });
        if let [Item::Break(_, opener)] = *items {
            self.break_alone(opener);
        }
        let body: Vec<NodeId> = items
            .iter()
            .filter_map(|item| match *item {
                Item::Node(node) => Some(node),
                Item::Break(..) => None,
            })
            .collect();
        (self.apply(Operator::Seq, body, span), exit)
    }

    /// Whether the copies that a loop needs stay within [`MAX_UNFOLDED`]; reports if they do not.
    ///
    /// Copies share their nodes, but a traversal of the term visits each copy. Without a limit, forty
    /// nested `loop 1..*` would be a term of 2^40 nodes.
    fn may_unfold(
        &mut self,
        parts: &LoopParts<'_>,
        kind: &LoopKind,
        repetition: Repetition,
        opener: Span,
    ) -> bool {
        let &LoopParts { items, body, exit } = parts;
        let Repetition { least, most, .. } = repetition;
        let size = |node: NodeId| self.sizes[node.index()];
        let region = if let LoopKind::Coregion(region) = kind { region.len() as u64 } else { 0 };
        // The number of uses of the body, and the number of uses beyond the first.
        let unfolded = u64::from(most.unwrap_or(least));
        let uses = unfolded + u64::from(most.is_none());
        let again = uses.saturating_sub(1);
        let mut copied = again.saturating_mul(size(body));
        if let Some(exit) = exit {
            // The items before the last break are in the body and in the interrupted iteration. An
            // iteration that may be interrupted adds two choices, an operator and ∅.
            let last = items.iter().rposition(|item| matches!(item, Item::Break(..))).unwrap_or(0);
            let before = items[..last].iter().map(|item| match *item {
                Item::Node(node) => size(node),
                Item::Break(..) => 0,
            });
            copied = before
                .fold(copied, u64::saturating_add)
                .saturating_add(again.saturating_mul(size(exit)))
                .saturating_add(unfolded.saturating_mul(region + 4));
        } else {
            // An optional iteration adds a choice, an operator and ∅.
            let optional = unfolded - u64::from(least);
            copied = copied.saturating_add(optional.saturating_mul(region + 3));
        }
        let total = self.unfolded.saturating_add(copied);
        if total <= MAX_UNFOLDED {
            self.unfolded = total;
            return true;
        }
        let with_others = match self.unfolded {
            0 => String::new(),
            _ => format!(", {total} with the loops before it"),
        };
        let message = format!("unfolding this loop takes {copied} interactions{with_others}");
        let found = self.findings.finding(Code::UNFOLDED_TOO_LARGE, opener, message);
        let help = "repeat it fewer times, or any number of times (`loop 0..*`)";
        let label = format!("at most {MAX_UNFOLDED} are allowed in a diagram");
        self.findings.push(found.with_label(label).with_help(help));
        false
    }
}
