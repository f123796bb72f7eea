//! Broadcasts: one emission that several lifelines receive.

use super::{Arrow, Builder, Scope};
use crate::ast::guard::{Atom, Test};
use crate::ast::{NodeId, NodeKind, Operator, Passing, Target};
use crate::grammar::interaction::guard::same;
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
        let guard = self.shared_guard(&scope.arrows);
        let Arrow { origin, message, .. } = scope.arrows[0];
        let mut targets: Vec<Name> = scope.arrows.iter().filter_map(|arrow| arrow.target).collect();
        let target = match targets.len() {
            1 => Target::Lifeline(targets.remove(0)),
            _ => Target::Broadcast(targets),
        };
        let synchronous = scope.synchronous;
        self.node(span, NodeKind::Passing(Passing { origin, message, guard, target, synchronous }))
    }

    /// The guard of a broadcast, from those of its arrows. An atom of every arrow is an atom of the broadcast; one of some arrows
    /// only is one at their ends.
    fn shared_guard(&mut self, arrows: &[Arrow]) -> Vec<Atom> {
        let mut guard: Vec<Atom> = Vec::new();
        for arrow in arrows {
            // From the last atom to the first: one that other arrows lack goes before the next that they have, so that atoms keep
            // the order in which they stand at their arrows.
            let mut at = guard.len();
            for atom in self.shared(arrow, arrows).into_iter().rev() {
                match guard.iter().position(|known| same(known, &atom)) {
                    Some(known) => at = at.min(known),
                    None => guard.insert(at, atom),
                }
            }
        }
        guard
    }

    /// The atoms of an arrow, as they are in the guard of the whole broadcast.
    fn shared(&mut self, arrow: &Arrow, arrows: &[Arrow]) -> Vec<Atom> {
        let mut atoms = Vec::new();
        for atom in &arrow.guard {
            let has_it = |other: &Arrow| other.guard.iter().any(|it| same(it, atom));
            if atom.lifeline.is_some() || arrows.iter().all(has_it) {
                atoms.push(atom.clone());
            } else if let Test::Same(_) = atom.test {
                self.misplaced(
                    atom.span,
                    "only some arrows of this broadcast have this atom",
                    "write it at every arrow: all ends carry the same value then",
                );
            } else {
                let ends = [arrow.origin, arrow.target].into_iter().flatten();
                atoms.extend(ends.map(|end| Atom { lifeline: Some(end), ..atom.clone() }));
            }
        }
        atoms
    }
}
