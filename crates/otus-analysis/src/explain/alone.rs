//! Questions about a component by itself: the simplest reason why a multi-trace fails.
//!
//! The other components count as unobserved, so the question is exactly whether some execution
//! looks like this log on this component.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};

use super::checker::{Answer, Checker, only, stops_early};
use super::letters::{Letter, Letters, Logs};
use crate::question::Observed;

/// With more components than this, the other lifelines are removed from the interaction. This is
/// much faster, but misses failures that are due to an order imposed by other components.
const WIDE: usize = 32;

/// A multi-trace with only one log.
fn trace(letters: &Letters, component: usize, log: &[Letter], components: usize) -> MultiTrace {
    let mut logs: Logs = vec![[].into(); components];
    logs[component] = log.into();
    letters.trace(&logs)
}

/// Whether a component by itself fails; `None` if unknown.
pub(super) fn fails(
    checker: &mut Checker<'_>,
    letters: &Letters,
    declared: &[Observed],
    component: usize,
    log: &[Letter],
) -> Option<bool> {
    ask(checker, letters, declared, component, log).fails()
}

/// The engine's answer about a component by itself.
pub(super) fn ask(
    checker: &mut Checker<'_>,
    letters: &Letters,
    declared: &[Observed],
    component: usize,
    log: &[Letter],
) -> Answer {
    if declared[component] == Observed::Unobserved {
        return Answer::Passes(crate::Verdict::Pass);
    }
    let trace = trace(letters, component, log, declared.len());
    let question = only(declared, &[component]);
    if declared.len() > WIDE {
        return checker.ask_local(ComponentId::new(component), &trace, &question);
    }
    checker.ask(&trace, &question)
}

/// The number of moments of a log that can be explained by themselves if the log may stop early.
pub(super) fn explained(
    checker: &mut Checker<'_>,
    letters: &Letters,
    declared: &[Observed],
    component: usize,
    log: &[Letter],
) -> Option<usize> {
    let weak = weakened(declared, component);
    // Every prefix of an explained prefix is explained, so binary search finds the longest.
    let (mut low, mut high) = (0, log.len() + 1);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if fails(checker, letters, &weak, component, &log[..middle])? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(low)
}

/// The most letters that are asked about.
const MANY: usize = 256;

/// The letters that can follow a prefix of a log on the component by itself; `None` if that takes
/// too many questions.
pub(super) fn expected(
    checker: &mut Checker<'_>,
    letters: &Letters,
    declared: &[Observed],
    component: usize,
    log: &[Letter],
) -> Option<Vec<Letter>> {
    let vocabulary = letters.vocabulary(component);
    if vocabulary.len() > MANY || !checker.affords(vocabulary.len() * (log.len() + 1)) {
        return None;
    }
    let weak = weakened(declared, component);
    let mut longer = log.to_vec();
    let mut found = Vec::new();
    for &(letter, _) in vocabulary {
        longer.push(letter);
        if !fails(checker, letters, &weak, component, &longer)? {
            found.push(letter);
        }
        longer.pop();
    }
    Some(found)
}

fn weakened(declared: &[Observed], component: usize) -> Vec<Observed> {
    let mut weak = declared.to_vec();
    weak[component] = stops_early(weak[component]);
    weak
}
