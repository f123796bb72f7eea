//! Questions of `otus-analysis` in the form of the oracle.

use otus_analysis::{Observed, Question as Analyzed};
use otus_core::{Pool, TermId};
use otus_trace::ComponentId;

use super::traces::TraceSets;
use super::{Members, Observation, Question, Window, marked};

/// A multi-trace with a window for each component.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The multi-trace without the moments of unobserved components, which are disregarded.
    pub seen: Observation,
    /// The windows; `None` for a global prefix.
    pub windows: Option<Vec<Window>>,
}

impl Asked {
    /// A question about a multi-trace.
    pub fn new(seen: &Observation, question: &Analyzed) -> Asked {
        if *question == Analyzed::GlobalPrefix {
            return Asked { seen: seen.clone(), windows: None };
        }
        Asked::with(seen, question, |observed| match observed {
            Observed::Complete => Window::Complete,
            Observed::StopsEarly => Window::Prefix,
            Observed::StartsLate => Window::Suffix,
            Observed::Slice | Observed::Unobserved => Window::Slice,
        })
    }

    /// The question with nothing missing. Unobserved components stay unobserved.
    pub fn complete(seen: &Observation, question: &Analyzed) -> Asked {
        Asked::with(seen, question, |observed| match observed {
            Observed::Unobserved => Window::Slice,
            Observed::Complete | Observed::StopsEarly | Observed::StartsLate | Observed::Slice => {
                Window::Complete
            }
        })
    }

    fn with(seen: &Observation, question: &Analyzed, window: fn(Observed) -> Window) -> Asked {
        let mut seen = seen.clone();
        let components: Vec<ComponentId> = seen.partition.components().collect();
        let each: Vec<Observed> = components.into_iter().map(|it| question.of(it)).collect();
        for (moments, observed) in seen.components.iter_mut().zip(&each) {
            if *observed == Observed::Unobserved {
                moments.clear();
            }
        }
        Asked { seen, windows: Some(each.into_iter().map(window).collect()) }
    }

    /// The answer, by enumerating traces ([`member`](mod@super::member)).
    pub fn by_traces(&self, members: &mut Members, sets: &mut TraceSets<'_>) -> Option<bool> {
        let components = &self.seen.components;
        match &self.windows {
            Some(windows) => members.ask_windows(sets, components, windows),
            None => members.ask(sets, components, Question::GlobalPrefix),
        }
    }

    /// The answer, by marked traces ([`marked`]).
    pub fn by_marks(&self, pool: &Pool, term: TermId, budget: usize) -> Option<bool> {
        match &self.windows {
            Some(windows) => marked::declared(pool, term, &self.seen, windows, budget),
            None => marked::member(pool, term, &self.seen, Question::GlobalPrefix, budget),
        }
    }
}
