//! The question that an analysis answers about an interaction and a multi-trace.
//!
//! Let i be an interaction and C a partition of its lifelines. `σ_C(i)` is the set of projections
//! of its global traces onto C. A multi-trace µ is *explained* by t ∈ `σ_C(i)` if, on every
//! component, the observed moments are a part of t that the declaration of that component allows
//! ([`Observed`]). The questions of the papers give every component the same declaration; only
//! [`Question::GlobalPrefix`] cannot be stated component by component.
//!
//! A [`Question`] belongs to the caller. It does not say how to search: [`Config`](crate::Config)
//! configures the searches of the papers ([`graph`](crate::graph)), and
//! [`Options`](crate::engine::Options) switches reductions of the fast engine on and off without
//! changing its answers.

use otus_trace::multitrace::ComponentId;

/// The part of a component's trace that was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observed {
    /// The whole trace.
    Complete,
    /// A prefix: observation may stop early.
    StopsEarly,
    /// A suffix: observation may start late.
    StartsLate,
    /// A contiguous part: observation may start late and stop early.
    Slice,
    /// Nothing. Any recorded actions are ignored.
    Unobserved,
}

impl Observed {
    /// All declarations.
    pub const ALL: [Observed; 5] = [
        Observed::Complete,
        Observed::StopsEarly,
        Observed::StartsLate,
        Observed::Slice,
        Observed::Unobserved,
    ];

    /// Whether events may have happened before the observed part.
    pub fn may_start_late(self) -> bool {
        matches!(self, Observed::StartsLate | Observed::Slice | Observed::Unobserved)
    }

    /// Whether events may have happened after the observed part.
    pub fn may_stop_early(self) -> bool {
        matches!(self, Observed::StopsEarly | Observed::Slice | Observed::Unobserved)
    }

    /// The name used in options and reports.
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
    /// Is µ explained if every component has the same declaration? `Complete` asks for acceptance,
    /// `StopsEarly` for multi-prefixes, `Slice` for slices.
    Uniform(Observed),
    /// Is µ explained if each component, by number, has its own declaration?
    Each(Box<[Observed]>),
}

impl Question {
    /// Is µ accepted?
    pub const ACCEPT: Question = Question::Uniform(Observed::Complete);
    /// Is there one accepted multi-trace of which every component of µ is a prefix?
    pub const MULTI_PREFIX: Question = Question::Uniform(Observed::StopsEarly);
    /// Is there one accepted multi-trace of which every component of µ is a contiguous part?
    pub const SLICE: Question = Question::Uniform(Observed::Slice);

    /// The declaration of a component. A global prefix ends on all components at the same time;
    /// seen from a single component it stops early.
    pub fn of(&self, component: ComponentId) -> Observed {
        match self {
            Question::GlobalPrefix => Observed::StopsEarly,
            Question::Uniform(observed) => *observed,
            // A component without a declaration is taken to be complete.
            Question::Each(each) => {
                each.get(component.0 as usize).copied().unwrap_or(Observed::Complete)
            }
        }
    }

    /// The question in which only these components are observed, as declared.
    pub(crate) fn only(declared: impl Iterator<Item = Observed>, chosen: &[usize]) -> Question {
        let kept = declared.enumerate().map(|(at, observed)| {
            if chosen.contains(&at) { observed } else { Observed::Unobserved }
        });
        Question::Each(kept.collect())
    }

    /// The name used in reports.
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
