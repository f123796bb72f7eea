//! Questions of `otus-analysis` in the form of the oracle.

use otus_analysis::{Observed, Question as Analyzed};
use otus_core::{Pool, TermId};

use super::traces::TraceSets;
use super::{Members, Observation, Window, marked};

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
        Asked::with(seen, question, |observed| {
            if observed == Observed::Unobserved { Window::Slice } else { Window::Complete }
        })
    }

    fn with(seen: &Observation, question: &Analyzed, window: fn(Observed) -> Window) -> Asked {
        let mut seen = seen.clone();
        let components = seen.partition.components().zip(&mut seen.components);
        let windows = components.map(|(component, moments)| {
            let observed = question.of(component);
            if observed == Observed::Unobserved {
                moments.clear();
            }
            window(observed)
        });
        let windows = windows.collect();
        Asked { seen, windows: Some(windows) }
    }

    /// The answer, by enumerating traces ([`member`](mod@super::member)).
    pub fn by_traces(&self, members: &mut Members, sets: &mut TraceSets<'_>) -> Option<bool> {
        members.ask_windows(sets, &self.seen.components, self.windows.as_deref())
    }

    /// The answer, by marked traces ([`marked`]).
    pub fn by_marks(&self, pool: &Pool, term: TermId, budget: usize) -> Option<bool> {
        marked::declared(pool, term, &self.seen, self.windows.as_deref(), budget)
    }
}
