//! What an analysis answers, from worst to best.

use std::fmt;

/// A global verdict.
///
/// ```
/// use otus_analysis::Verdict;
/// assert!(Verdict::Fail < Verdict::Inconclusive && Verdict::WeakPass < Verdict::Pass);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// What was observed cannot have happened.
    Fail,
    /// A bounded search found no explanation, which proves nothing.
    WeakFail,
    /// Undecided: a budget ended the search, or (2020) observation was lacking.
    Inconclusive,
    /// It can have happened if some of it was not observed.
    WeakPass,
    /// It is accepted as it is.
    Pass,
}

impl Verdict {
    /// As printed.
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
