//! The nodes of an interaction term, and the attributes computed for each.
//!
//! The operators are those of Mahe et al., "Tooling offline runtime verification against
//! interaction models", section 3. Weak sequencing and interleaving are the two extremes of one
//! operator: `seq = coreg_∅` and `par = coreg_L`, and likewise for the loops.

use crate::index::{EventId, RegionId, TermId};

/// One node of an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// ∅
    Empty,
    /// One indivisible step: a single action, or a synchronous passing.
    Event(EventId),
    /// `strict(i, j)`: all of i before all of j.
    Strict(TermId, TermId),
    /// `coreg_r(i, j)`: i before j on each lifeline outside r, in any order on the lifelines of r.
    Coreg(RegionId, TermId, TermId),
    /// `alt(i, j)`: one of the two.
    Alt(TermId, TermId),
    /// `loopS(i)`: iterations one after the other.
    LoopS(TermId),
    /// `loopC_r(i)`: iterations composed by `coreg_r`.
    LoopC(RegionId, TermId),
}

impl Term {
    /// The event of a leaf.
    pub fn as_event(self) -> Option<EventId> {
        if let Term::Event(event) = self { Some(event) } else { None }
    }

    /// The operands of a `strict`.
    pub fn as_strict(self) -> Option<(TermId, TermId)> {
        if let Term::Strict(left, right) = self { Some((left, right)) } else { None }
    }

    /// The operands of a `coreg` with this region.
    pub fn as_coreg(self, region: RegionId) -> Option<(TermId, TermId)> {
        if let Term::Coreg(own, left, right) = self
            && own == region
        {
            Some((left, right))
        } else {
            None
        }
    }

    /// The operands of an `alt`.
    pub fn as_alt(self) -> Option<(TermId, TermId)> {
        if let Term::Alt(left, right) = self { Some((left, right)) } else { None }
    }

    /// Whether the node is a loop of any kind.
    pub fn is_loop(self) -> bool {
        matches!(self, Term::LoopS(_) | Term::LoopC(..))
    }

    /// The operands, left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = TermId> + ExactSizeIterator {
        let (operands, count) = match self {
            Term::Empty | Term::Event(_) => ([TermId(0), TermId(0)], 0),
            Term::LoopS(body) | Term::LoopC(_, body) => ([body, body], 1),
            Term::Strict(left, right) | Term::Coreg(_, left, right) | Term::Alt(left, right) => {
                ([left, right], 2)
            }
        };
        operands.into_iter().take(count)
    }
}

/// The attributes of a term, computed once when it is interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The lifelines of the events of the term.
    pub lifelines: RegionId,
    /// Whether the term accepts the empty trace.
    pub terminates: bool,
    /// The number of nodes of its tree, saturating.
    pub nodes: u64,
    /// The height of the term as a tree, saturating; 0 for a leaf.
    pub depth: u32,
    /// β, the depth of loop nesting; 0 without a loop.
    pub loop_depth: u32,
    /// The number of loops in its tree, saturating.
    pub loops: u32,
    /// η, the maximum number of events that can happen outside the loops of the term, saturating.
    pub outside_loops: u32,
}
