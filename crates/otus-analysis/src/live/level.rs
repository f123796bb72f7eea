//! Levels of held events: a look ahead beyond silent components.
//!
//! An event is held while its step would make the residual grow and some other component is silent, that is, has no
//! event left here. What is held may be wrong already, so it is followed in residuals that forget the silent components:
//!
//! ```text
//! level 0:      x₀ = the residual, after the events that are forgotten
//! level k + 1:  starts from xₖ without the components that have no event left at level k,
//!               and consumes what it can of the others
//! ```
//!
//! **Claim.** Let a level be at expression x and positions p. What has arrived is explained, if every log may stop
//! early, iff x explains the events after p. If no event is left after p, it is explained iff x is not `NEVER`.
//!
//! *Proof.* By induction on the steps. Any component may move first, since components are decoupled
//! ([`decoupled`](crate::engine)); so consuming an event is exact. A component of which all events are consumed and that may
//! stop early may be erased, which is exact in decoupled expressions ([`erase`](crate::engine)); so going to the next level
//! is exact. Every expression but `NEVER` has a trace, which need not be completed by any log that may stop early. ∎
//!
//! A level that is stuck has a silent component that its expression mentions, and the next level mentions one less. So there
//! are at most as many levels as components, the last one consumes everything, and *a failure is found at the first event at
//! which there is one*, whatever is held. Two components have one level: the automaton of the component that is ahead.
//!
//! *When a level moves*, the levels above it start elsewhere. Their runs are not repeated: the new run follows the moves of
//! the old one until both are at the same expression, from where on they are the same. Mostly that is at once: a slow
//! component completes the iteration that a fast one has begun, and the residual is what it was before.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::apart::Reach;
use super::queues::Queues;
use super::standing::Why;
use crate::engine::residuals::{ExprId, NEVER, Residuals, TOO_LARGE};

/// For each component, the number of its consumed events since the group began.
pub(super) type Positions = SmallVec<[u64; 4]>;

#[derive(Debug, Clone, Copy)]
struct Move {
    component: u32,
    /// The expression after the move.
    expr: ExprId,
}

impl Move {
    fn new(component: usize, expr: ExprId) -> Move {
        Move { component: u32::try_from(component).unwrap_or(u32::MAX), expr }
    }
}

/// A residual without some silent components, and the events that it has consumed beyond those of the level below.
#[derive(Debug)]
pub(super) struct Level {
    start: ExprId,
    from: Positions,
    moves: VecDeque<Move>,
    pub(super) expr: ExprId,
    pub(super) at: Positions,
}

impl Level {
    /// The level above an expression at these positions.
    pub(super) fn new(expr: ExprId, at: &Positions) -> Level {
        Level { start: expr, from: at.clone(), moves: VecDeque::new(), expr, at: at.clone() }
    }

    /// Moves the start of a level. Returns whether what it had consumed is still explained.
    pub(super) fn rebase(
        &mut self,
        residuals: &mut Residuals,
        queues: &Queues,
        reach: Reach,
        start: ExprId,
        from: &Positions,
    ) -> Result<bool, Why> {
        if self.start == start && self.from == *from {
            return Ok(true);
        }
        // Components that the level has forgotten are silent in it, whatever was consumed of them below.
        for component in 0..from.len() {
            if self.from[component] < from[component] && !residuals.may_act(self.start, component) {
                (self.from[component], self.at[component]) = (from[component], from[component]);
            }
        }
        let mut old = self.start;
        let mut at = std::mem::replace(&mut self.from, from.clone());
        self.start = start;
        // Skip the moves that the level below has made now.
        while at.iter().zip(from).any(|(at, from)| at < from) {
            let Some(first) = self.moves.pop_front() else {
                *self = Level::new(start, from);
                return Ok(true);
            };
            at[first.component as usize] += 1;
            old = first.expr;
        }
        // Make the moves among these that the level below has not made.
        let mut expr = start;
        let mut before: SmallVec<[Move; 4]> = SmallVec::new();
        for component in 0..at.len() {
            for position in from[component]..at[component] {
                let Some(leaf) = queues.get(component, position) else { continue };
                expr = residuals.step(expr, leaf)?;
                if expr == NEVER {
                    return Ok(false);
                }
                if residuals.size(expr) > reach.most {
                    *self = Level::new(start, from);
                    return Ok(true);
                }
                before.push(Move::new(component, expr));
            }
        }
        // Follow the old run until both are the same.
        let mut made = 0;
        while expr != old {
            let step = self.moves.get(made).map(|next| next.component as usize);
            let step = step.and_then(|c| Some((c, queues.get(c, at[c])?)));
            let next = match step {
                Some((_, leaf)) => residuals.step(expr, leaf)?,
                None => TOO_LARGE,
            };
            if next == NEVER {
                return Ok(false);
            }
            let Some((component, _)) = step.filter(|_| residuals.size(next) <= reach.most) else {
                self.moves.truncate(made);
                (self.expr, self.at) = (expr, at);
                break;
            };
            let known = &mut self.moves[made];
            old = std::mem::replace(&mut known.expr, next);
            at[component] += 1;
            expr = next;
            made += 1;
        }
        for first in before.into_iter().rev() {
            self.moves.push_front(first);
        }
        Ok(true)
    }

    /// Consumes an event of a component.
    pub(super) fn take(&mut self, component: usize, expr: ExprId) {
        self.at[component] += 1;
        self.expr = expr;
        self.moves.push_back(Move::new(component, expr));
    }

    /// The number of remembered moves.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// All residuals of the level.
    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let moves = self.moves.iter_mut().map(|one| &mut one.expr);
        [&mut self.start, &mut self.expr].into_iter().chain(moves)
    }
}
