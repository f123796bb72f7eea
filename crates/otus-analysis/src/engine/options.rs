//! The switches of the engine's reductions.

use super::PATIENCE;

/// Switches of the engine's reductions. Each can be switched off without changing a verdict; only
/// the cost changes. They are for tests and measurements. The question itself is a
/// [`Question`](crate::Question), and the limits are a [`Budget`](otus_core::budget::Budget); [`Config`](crate::Config) is for the searches of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Options {
    /// Decouple components where that is exact.
    pub relax: bool,
    /// At branch points, check each component by itself before following a branch.
    pub look_ahead: bool,
    /// Decide slices of loops one log at a time.
    pub decompose: bool,
    /// Of coupled components, move only those of a stubborn set.
    pub stubborn: bool,
    /// Erase the rest of a component that stopped early, where that is exact.
    pub erase: bool,
    /// Drop alternatives and loops that another one includes.
    pub absorb: bool,
    /// Consume the logs of parallel sessions greedily.
    pub sessions: When,
    /// Refute by how often moments occur.
    pub counting: When,
    /// Follow logs that may start late through the places of a component's projection.
    pub places: When,
    /// Decide terms with many choices, and searches that take long, by a solver of propositional
    /// formulas.
    pub solver: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            relax: true,
            look_ahead: true,
            decompose: true,
            stubborn: true,
            erase: true,
            absorb: true,
            sessions: When::Long,
            counting: When::Long,
            places: When::Long,
            solver: true,
        }
    }
}

/// When a reduction is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Never.
    Never,
    /// Use the reduction if a search may take long, or takes long.
    Long,
    /// Always.
    Always,
}

impl When {
    /// The number of actions from which a search may take long.
    pub(super) const LONG: usize = 64;

    /// Whether the reduction is used for this number of actions, before any search.
    pub(super) fn is_worth(self, actions: usize) -> bool {
        match self {
            When::Never => false,
            When::Long => actions >= When::LONG,
            When::Always => true,
        }
    }

    /// The number of states of a search of so many actions after which it is used. A search that meets no choice has
    /// about a state for each action; it should not be interrupted, because it would begin again.
    pub(super) fn patience(self, actions: usize) -> u64 {
        match self {
            When::Never => u64::MAX,
            When::Long => 4 * PATIENCE + 2 * actions as u64,
            When::Always => 1,
        }
    }
}
