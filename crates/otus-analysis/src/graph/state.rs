//! Nodes, edges and leaves of the graphs.

use otus_core::semantics::PositionId;
use otus_core::{EventId, RegionId, TermId};

use crate::graph::measure::Measure;
use crate::verdict::Verdict;

/// A node: what may still happen, and what is still to be explained.
///
/// γ of the paper, whether observation has started on a component, is whether a moment of it was
/// consumed: only execution starts it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The interaction.
    pub term: TermId,
    /// How many moments of each component are consumed.
    pub consumed: Box<[u32]>,
    /// The lifelines that were removed.
    pub removed: RegionId,
    /// What simulation may still do.
    pub measure: Measure,
    /// Whether all that happened so far was observed.
    pub exact: bool,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// R_e: an event happens and is consumed from the multi-trace; in a simulation perhaps only
    /// on some of the components it touches.
    Execute(Happening),
    /// R_s: an event happens and is not observed.
    Simulate(Happening),
    /// R_r: lifelines are removed.
    Remove(RegionId),
}

/// An event where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happening {
    /// The event.
    pub event: EventId,
    /// Its position.
    pub position: PositionId,
    /// How many loops it instantiates.
    pub loop_depth: u32,
    /// The lifelines on which it is observed: all of its own, or none, or some.
    pub observed: RegionId,
}

impl Rule {
    /// The event that happens, if one does.
    pub fn happening(&self) -> Option<Happening> {
        match self {
            Rule::Execute(happening) | Rule::Simulate(happening) => Some(*happening),
            Rule::Remove(_) => None,
        }
    }
}

/// A local verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// What the papers call it.
    pub kind: LeafKind,
    /// What it means for the whole.
    pub verdict: Verdict,
}

/// The local verdicts of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// All is consumed, and the interaction may end.
    Cov,
    /// All is consumed, but the interaction may not end yet.
    TooShort,
    /// Some components are consumed, others cannot be.
    LackObs,
    /// No component is consumed, and none can go on.
    Out,
    /// Not accepted.
    UnCov,
    /// All is consumed.
    Ok,
    /// No rule applies: `Nok` of removal, `Ko` of simulation.
    Ko,
    /// A component by itself cannot be explained.
    Dead,
}

impl LeafKind {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            LeafKind::Cov => "Cov",
            LeafKind::TooShort => "TooShort",
            LeafKind::LackObs => "LackObs",
            LeafKind::Out => "Out",
            LeafKind::UnCov => "UnCov",
            LeafKind::Ok => "Ok",
            LeafKind::Ko => "Ko",
            LeafKind::Dead => "Dead",
        }
    }
}
