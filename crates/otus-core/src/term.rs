//! What a term is, and what is known of each.
//!
//! The operators are those of Mahe et al., "Tooling offline runtime verification against
//! interaction models", section 3, in which weak sequencing and interleaving are the two ends
//! of one operator: `seq = coreg_∅`, `par = coreg_L`, and likewise for the loops.

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
    /// `coreg_r(i, j)`: in order on each lifeline outside r.
    Coreg(RegionId, TermId, TermId),
    /// `alt(i, j)`: one of the two.
    Alt(TermId, TermId),
    /// `loopS(i)`: iterations one after the other.
    LoopS(TermId),
    /// `loopC_r(i)`: iterations composed by `coreg_r`.
    LoopC(RegionId, TermId),
}

impl Term {
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

/// What is computed once for every term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The lifelines of its events.
    pub lifelines: RegionId,
    /// Whether it accepts the empty trace.
    pub terminates: bool,
    /// How many nodes it has as a tree; [`u64::MAX`] stands for that many or more.
    pub nodes: u64,
    /// The length of the longest way down to a leaf; 0 for a leaf. [`u32::MAX`] stands for that
    /// much or more.
    pub depth: u32,
    /// β, how deeply loops are nested in it; 0 without a loop.
    pub loop_depth: u32,
    /// How many loops it has as a tree; [`u32::MAX`] stands for that many or more.
    pub loops: u32,
    /// η, the most events that can happen outside its loops; [`u32::MAX`] stands for that many
    /// or more.
    pub outside_loops: u32,
}
