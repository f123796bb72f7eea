//! Questions about a component by itself: the simplest reason why a multi-trace fails.
//!
//! The other components count as unobserved, so the question is exactly whether some execution
//! looks like this log on this component.

use otus_core::index::Index as _;
use otus_trace::ComponentId;

use super::checker::{Answer, Checker, stops_early};
use super::letters::{Letter, Logs};
use crate::question::{Observed, Question};

/// With more components than this, the other lifelines are removed from the interaction. This is
/// much faster, but misses failures that are due to an order imposed by other components.
const WIDE: usize = 32;
/// The maximum number of letters that are asked about.
const MANY: usize = 256;

pub(super) struct Alone<'a, 'c> {
    pub(super) checker: &'a mut Checker<'c>,
    pub(super) declared: &'a [Observed],
    pub(super) component: usize,
}

impl Alone<'_, '_> {
    pub(super) fn ask(&mut self, log: &[Letter]) -> Answer {
        self.ask_as(self.declared[self.component], log)
    }

    fn ask_as(&mut self, observed: Observed, log: &[Letter]) -> Answer {
        if observed == Observed::Unobserved {
            return Answer::Passes;
        }
        let mut logs: Logs = vec![[].into(); self.declared.len()];
        logs[self.component] = log.into();
        let trace = self.checker.letters.trace(&logs);
        let mut declared = self.declared.to_vec();
        declared[self.component] = observed;
        let question = Question::only(declared.into_iter(), &[self.component]);
        if self.declared.len() > WIDE {
            let component = ComponentId::new(self.component);
            return self.checker.ask_local(component, &trace, &question);
        }
        self.checker.ask(&trace, &question)
    }

    /// Whether a log fails even if it may stop early; `None` if unknown.
    fn is_stuck(&mut self, log: &[Letter]) -> Option<bool> {
        self.ask_as(stops_early(self.declared[self.component]), log).fails()
    }

    /// The number of moments of a log that can be explained if the log may stop early.
    pub(super) fn explained(&mut self, log: &[Letter]) -> Option<usize> {
        // Every prefix of an explained prefix is explained, so binary search finds the longest.
        let (mut low, mut high) = (0, log.len() + 1);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if self.is_stuck(&log[..middle])? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low)
    }

    /// The letters that can follow a prefix of a log; `None` if that takes too many questions.
    pub(super) fn expected(&mut self, log: &[Letter]) -> Option<Vec<Letter>> {
        let vocabulary = self.checker.letters.vocabulary(self.component);
        if vocabulary.len() > MANY || !self.checker.affords(vocabulary.len() * (log.len() + 1)) {
            return None;
        }
        let mut longer = log.to_vec();
        let mut found = Vec::new();
        for &(letter, _) in vocabulary {
            longer.push(letter);
            if !self.is_stuck(&longer)? {
                found.push(letter);
            }
            longer.pop();
        }
        Some(found)
    }
}
