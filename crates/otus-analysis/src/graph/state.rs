//! The nodes, edges and leaves of the graphs that the searches of the papers explore.

use otus_core::semantics::PositionId;
use otus_core::{EventId, RegionId, TermId};

use crate::graph::measure::Measure;
use crate::verdict::Verdict;

otus_core::define_id! {
    /// What a node knows of the values of variables; 0 if the interaction has none.
    pub StoreId;
}

/// A node: the interaction that is left, and how much of the multi-trace is consumed.
///
/// The paper's γ (whether observation has started on a component) is not stored: observation of a
/// component has started if a moment of it is consumed, since only execution starts it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchState {
    /// The interaction.
    pub term: TermId,
    /// For each component: the number of consumed moments.
    pub consumed: Box<[u32]>,
    /// The removed lifelines.
    pub removed: RegionId,
    /// How many more simulated steps are allowed.
    pub measure: Measure,
    /// Whether every event so far was observed, and nothing was compared that was not logged.
    pub exact: bool,
    /// What is known of the values of variables.
    pub store: StoreId,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// R_e: an event happens and is consumed from the multi-trace; in a simulation possibly only
    /// on some of the components it touches.
    Execute(Occurrence),
    /// R_s: an event happens and is not observed.
    Simulate(Occurrence),
    /// R_r: lifelines are removed.
    Remove(RegionId),
}

/// An event with its position and the lifelines that observe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The event.
    pub event: EventId,
    /// The position of the event in the term.
    pub position: PositionId,
    /// The number of loops it instantiates.
    pub loop_depth: u32,
    /// The lifelines on which it is observed: all, some or none of its own.
    pub observed: RegionId,
}

impl Rule {
    /// The event of an execution or simulation.
    pub fn occurrence(&self) -> Option<Occurrence> {
        match self {
            Rule::Execute(occurrence) | Rule::Simulate(occurrence) => Some(*occurrence),
            Rule::Remove(_) => None,
        }
    }
}

/// A local verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The name of this local verdict in the papers.
    pub kind: LeafKind,
    /// The verdict on the whole multi-trace if no leaf is better.
    pub verdict: Verdict,
}

/// The local verdicts of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// The multi-trace is consumed, and the interaction may terminate.
    Cov,
    /// The multi-trace is consumed, but the interaction may not terminate yet.
    TooShort,
    /// No rule applies, and some but not all components are consumed.
    LackObs,
    /// No rule applies, and no component is consumed.
    Out,
    /// Not accepted.
    UnCov,
    /// The multi-trace is consumed.
    Ok,
    /// No rule applies: `Nok` of removal, `Ko` of simulation.
    Ko,
    /// A component by itself cannot be explained.
    Dead,
}

impl LeafKind {
    /// The name used in reports.
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
