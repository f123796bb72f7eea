//! The verdicts of an analysis, from worst to best.

use std::fmt;

/// A global verdict.
///
/// ```
/// use otus_analysis::Verdict;
/// assert!(Verdict::Fail < Verdict::Inconclusive && Verdict::WeakPass < Verdict::Pass);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
    /// No execution explains the observation.
    Fail,
    /// A bounded search found no explanation. This proves nothing.
    WeakFail,
    /// Undecided: a budget ended the search, or observation was lacking (the verdicts of 2020).
    #[default]
    Inconclusive,
    /// An execution explains the observation, but only if some of its events were not observed.
    WeakPass,
    /// The multi-trace is accepted as it is.
    Pass,
}

impl Verdict {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Fail => "Fail",
            Verdict::WeakFail => "WeakFail",
            Verdict::Inconclusive => "Inconclusive",
            Verdict::WeakPass => "WeakPass",
            Verdict::Pass => "Pass",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
