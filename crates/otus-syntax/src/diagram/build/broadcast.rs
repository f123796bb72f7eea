//! Broadcasts: one emission that several lifelines receive.

use super::{Arrow, Builder, Scope};
use crate::ast::{NodeId, NodeKind, Operator, Passing, Target};
use crate::name::Name;
use crate::source::Span;

impl Builder<'_> {
    /// The arrows of a `broadcast` block as one message passing. If they differ, that is reported and they
    /// become a sequence.
    pub(super) fn broadcast(&mut self, scope: Scope, span: Span) -> NodeId {
        let finding = match (scope.foreign, &scope.arrows[..]) {
            (Some(at), _) => Some((at, "only arrows can stand in a broadcast")),
            (None, []) => Some((scope.opener, "this broadcast has no arrow")),
            (None, [first, others @ ..]) => {
                let origin = first.origin.map(|name| name.symbol);
                let differs = others.iter().find(|arrow| {
                    arrow.origin.map(|name| name.symbol) != origin
                        || arrow.message.symbol != first.message.symbol
                });
                let outside = scope.arrows.iter().find(|arrow| arrow.target.is_none());
                differs
                    .map(|arrow| (arrow.span, "the arrows of a broadcast differ"))
                    .or(outside.map(|arrow| (arrow.span, "a broadcast reaches lifelines only")))
            }
        };
        if let Some((at, message)) = finding {
            self.misplaced(
                at,
                message,
                "a broadcast is one emission received by several: write only arrows with the \
                 same sender and the same message between `otus: broadcast` and `otus: end`",
            );
            let passing = |arrow| self.passing(arrow, scope.synchronous);
            let operands = scope.arrows.into_iter().map(passing).collect();
            return self.apply(Operator::Seq, operands, span);
        }
        let Arrow { origin, message, .. } = scope.arrows[0];
        let mut targets: Vec<Name> = scope.arrows.iter().filter_map(|arrow| arrow.target).collect();
        let target = match targets.len() {
            1 => Target::Lifeline(targets.remove(0)),
            _ => Target::Broadcast(targets),
        };
        let synchronous = scope.synchronous;
        self.node(
            span,
            NodeKind::Passing(Passing { origin, message, guard: Vec::new(), target, synchronous }),
        )
    }
}
