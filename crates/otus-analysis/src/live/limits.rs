//! Limits of live analyses: caps of a group, and the budget of each event.

use crate::budget::Budget;
use crate::verdict::Verdict;

/// Limits of live analyses.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most events that a group keeps if its residual does not stand for them.
    pub kept: usize,
    /// The most events that a group holds back because a component is silent. A held event takes up to twelve bytes, so the
    /// default is 48 MB at most.
    pub held: usize,
    /// The size of tables, in bytes, beyond which they are compacted.
    pub tables: usize,
    /// The size of residuals up to which nothing is held; by default it follows from the interaction. For tests.
    pub slack: Option<u32>,
    /// The best verdict that is asked for when a group closes. With [`Verdict::WeakPass`] it is not asked whether
    /// nothing is missing, which takes less memory if logs may start late.
    pub goal: Verdict,
    /// The limits of the work for one event or one closing.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            kept: 10_000,
            held: 4_000_000,
            tables: 64 << 20,
            slack: None,
            goal: Verdict::Pass,
            budget: Budget::default(),
        }
    }
}
