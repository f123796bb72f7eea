//! What is asked about an interaction and a multi-trace.
//!
//! Let i be an interaction and C a partition of its lifelines. `σ_C(i)` are the projections of its
//! global traces onto C. A multi-trace µ is *explained* by t ∈ `σ_C(i)` if on every component the
//! observed moments are the part of t that the declaration for this component allows
//! ([`Observed`]). The questions of the papers are those in which every component has the same
//! declaration; only a global prefix is no matter of single components.

use otus_trace::multitrace::ComponentId;

/// Which part of a component's trace was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observed {
    /// All of it.
    Complete,
    /// It may stop early: a prefix.
    StopsEarly,
    /// It may start late: a suffix.
    StartsLate,
    /// It may start late and stop early: a contiguous part.
    Slice,
    /// Nothing: whatever is recorded for it is disregarded.
    Unobserved,
}

impl Observed {
    /// All of them.
    pub const ALL: [Observed; 5] = [
        Observed::Complete,
        Observed::StopsEarly,
        Observed::StartsLate,
        Observed::Slice,
        Observed::Unobserved,
    ];

    /// Whether something may have happened before what was observed.
    pub fn may_start_late(self) -> bool {
        match self {
            Observed::StartsLate | Observed::Slice | Observed::Unobserved => true,
            Observed::Complete | Observed::StopsEarly => false,
        }
    }

    /// Whether something may have happened after what was observed.
    pub fn may_stop_early(self) -> bool {
        match self {
            Observed::StopsEarly | Observed::Slice | Observed::Unobserved => true,
            Observed::Complete | Observed::StartsLate => false,
        }
    }

    /// As written in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Observed::Complete => "complete",
            Observed::StopsEarly => "may stop early",
            Observed::StartsLate => "may start late",
            Observed::Slice => "may start late and stop early",
            Observed::Unobserved => "unobserved",
        }
    }
}

/// A question about an interaction and a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Is µ the projection of a prefix of an accepted global trace?
    GlobalPrefix,
    /// Is µ explained, every component being observed alike? With `Complete` this is acceptance,
    /// with `StopsEarly` multi-prefixes, with `Slice` slices.
    Uniform(Observed),
    /// Is µ explained, each component (by its number) being observed as declared?
    Each(Box<[Observed]>),
}

impl Question {
    /// Is µ accepted?
    pub const ACCEPT: Question = Question::Uniform(Observed::Complete);
    /// Is every component a prefix of that of one accepted multi-trace?
    pub const MULTI_PREFIX: Question = Question::Uniform(Observed::StopsEarly);
    /// Is every component a contiguous part of that of one accepted multi-trace?
    pub const SLICE: Question = Question::Uniform(Observed::Slice);

    /// What is declared for a component. A global prefix ends everywhere at once; seen from one
    /// component it stops early.
    pub fn of(&self, component: ComponentId) -> Observed {
        match self {
            Question::GlobalPrefix => Observed::StopsEarly,
            Question::Uniform(observed) => *observed,
            // Nobody said anything about it, so nothing is assumed to be missing.
            Question::Each(each) => {
                each.get(component.0 as usize).copied().unwrap_or(Observed::Complete)
            }
        }
    }

    /// In a word, for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Question::GlobalPrefix => "global prefix",
            Question::Uniform(Observed::Complete) => "accept",
            Question::Uniform(Observed::StopsEarly) => "multi-prefix",
            Question::Uniform(Observed::StartsLate) => "multi-suffix",
            Question::Uniform(Observed::Slice) => "slice",
            Question::Uniform(Observed::Unobserved) => "unobserved",
            Question::Each(_) => "as declared",
        }
    }
}
