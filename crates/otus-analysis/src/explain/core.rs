//! The core of a failure: a small set of components that fail together whatever the others
//! observed, and how little of their logs suffices to fail.
//!
//! *Components.* Components outside the set count as unobserved, so if the set fails without them,
//! it fails with them. A component that fails by itself is a smallest core. Otherwise all pairs are
//! tried, if there are not too many, and then components are left out one by one as long as the
//! rest fails. In a global prefix, where order between components matters, their lifelines are
//! removed from the interaction instead, which only enlarges its set of multi-traces.
//!
//! *Prefixes.* A log that is cut may stop early; a log that is not cut keeps its declaration. If
//! some prefixes fail under this question, longer ones fail too, because an explanation of the
//! longer ones explains the shorter ones. So binary search finds the shortest failing prefix, one
//! component after the other.

use otus_core::algebra::{Memo, project};
use otus_core::index::Index as _;
use otus_core::{LifelineSet, TermId};
use otus_trace::ComponentId;

use super::checker::{Checked, Checker, stops_early};
use super::letters::Logs;
use super::{Case, GaveUp};
use crate::engine::{self, Engine};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

/// Components that fail together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// The components.
    pub components: Vec<ComponentId>,
    /// Whether no smaller set fails. Otherwise no component can be left out of this set.
    pub is_smallest: bool,
    /// For each component of the core: the number of its first moments that suffice to fail.
    pub prefixes: Vec<usize>,
    /// The question on which these prefixes fail.
    pub question: Question,
    /// The interaction against which they fail: the whole one, or for a global prefix the one
    /// without the other lifelines.
    pub term: TermId,
    /// The confirmation of the failure.
    pub checked: Checked,
    /// The limit that ended the search for fewer components or shorter prefixes of their logs.
    pub gave_up: Option<GaveUp>,
}

/// The maximum number of pairs that are tried.
const PAIRS: usize = 200;

/// The core of a multi-trace that fails, given the components that fail by themselves.
pub(super) fn core(checker: &mut Checker<'_>, case: &Case<'_>, failing: &[usize]) -> Option<Core> {
    let before = checker.gave_up.take();
    let found = Cores { checker, case }.find(failing);
    checker.gave_up = before.or(checker.gave_up);
    found
}

struct Cores<'a, 'c> {
    checker: &'a mut Checker<'c>,
    case: &'a Case<'a>,
}

impl Cores<'_, '_> {
    fn find(&mut self, failing: &[usize]) -> Option<Core> {
        let observed = |&at: &usize| self.case.declared[at] != Observed::Unobserved;
        let all: Vec<usize> = (0..self.case.logs.len()).filter(observed).collect();
        let whole = self.lengths();
        if let Some(&one) = failing.first() {
            return self.shorten(&[one], true);
        }
        if *self.case.question == Question::GlobalPrefix && !self.fails(&all, &whole)? {
            return self.by_removal(&all);
        }
        let (mut chosen, mut smallest) = (all.clone(), false);
        let pairs = all.len() * all.len().saturating_sub(1) / 2;
        if all.len() > 2 && pairs <= PAIRS {
            smallest = true;
            'pairs: for (at, &one) in all.iter().enumerate() {
                for &other in &all[at + 1..] {
                    match self.fails(&[one, other], &whole) {
                        Some(true) => {
                            chosen = vec![one, other];
                            break 'pairs;
                        }
                        Some(false) => {}
                        None => smallest = false,
                    }
                }
            }
        }
        if chosen.len() > 2 {
            chosen = leave_out(chosen, |rest| self.fails(rest, &whole));
        }
        let smallest = chosen.len() <= 2 || smallest && chosen.len() == 3;
        self.shorten(&chosen, smallest)
    }

    /// Cuts the logs of a core as short as possible.
    fn shorten(&mut self, chosen: &[usize], is_smallest: bool) -> Option<Core> {
        let mut lengths = self.lengths();
        for &component in chosen {
            // `low`: the longest prefix that does not fail; `high`: the shortest known to fail.
            let (mut low, mut high) = (None, lengths[component]);
            while low.map_or(0, |low: usize| low + 1) < high {
                let middle = usize::midpoint(low.map_or(0, |low: usize| low + 1), high - 1);
                let mut shorter = lengths.clone();
                shorter[component] = middle;
                match self.fails(chosen, &shorter) {
                    Some(true) => high = middle,
                    Some(false) => low = Some(middle),
                    None => break,
                }
            }
            lengths[component] = high;
        }
        let (logs, question) = self.cut(chosen, &lengths);
        self.publish(chosen, is_smallest, &logs, question, self.checker.term)
    }

    /// Leaves out components one by one, by removing their lifelines.
    fn by_removal(&mut self, all: &[usize]) -> Option<Core> {
        let chosen = leave_out(all.to_vec(), |rest| self.fails_removed(rest));
        let term = self.projected(&chosen);
        // A single component does not fail, since `alone` found none.
        let is_smallest = chosen.len() <= 2;
        let logs = self.kept(&chosen);
        self.publish(&chosen, is_smallest, &logs, Question::GlobalPrefix, term)
    }

    /// The core of components that fail with these logs on this question.
    fn publish(
        &mut self,
        chosen: &[usize],
        is_smallest: bool,
        logs: &Logs,
        question: Question,
        term: TermId,
    ) -> Option<Core> {
        let checked = self.checker.refute(term, &self.case.letters.trace(logs), &question)?;
        Some(Core {
            components: chosen.iter().map(|&at| ComponentId::new(at)).collect(),
            is_smallest,
            prefixes: chosen.iter().map(|&at| logs[at].len()).collect(),
            question,
            term,
            checked,
            gave_up: self.checker.gave_up,
        })
    }

    fn projected(&mut self, chosen: &[usize]) -> TermId {
        let partition = &self.case.letters.partition;
        let lifelines = chosen.iter().flat_map(|&at| partition.lifelines(ComponentId::new(at)));
        let lifelines: LifelineSet = lifelines.copied().collect();
        let region = self.checker.pool.intern_region(&lifelines);
        project(self.checker.pool, &mut Memo::default(), self.checker.term, region)
    }

    fn kept(&self, chosen: &[usize]) -> Logs {
        let kept = self.case.logs.iter().enumerate();
        kept.map(|(at, log)| if chosen.contains(&at) { log.clone() } else { [].into() }).collect()
    }

    fn fails_removed(&mut self, chosen: &[usize]) -> Option<bool> {
        let trace = self.case.letters.trace(&self.kept(chosen));
        let budget = self.checker.charge(trace.len())?;
        let term = self.projected(chosen);
        let options = engine::Options::default();
        let partition = &self.case.letters.partition;
        let mut engine = Engine::new(self.checker.pool, term, partition, options);
        let goal = Verdict::WeakPass;
        match engine.analyze_up_to(goal, &trace, &Question::GlobalPrefix, &budget).verdict {
            Verdict::Fail => Some(true),
            Verdict::Pass | Verdict::WeakPass => Some(false),
            Verdict::WeakFail | Verdict::Inconclusive => None,
        }
    }

    /// For each component: the number of moments that are to be explained.
    fn lengths(&self) -> Vec<usize> {
        (0..self.case.logs.len()).map(|at| self.case.log(at).len()).collect()
    }

    /// Whether prefixes of these logs fail; `None` if unknown.
    fn fails(&mut self, chosen: &[usize], lengths: &[usize]) -> Option<bool> {
        let (logs, question) = self.cut(chosen, lengths);
        self.checker.ask(&self.case.letters.trace(&logs), &question).fails()
    }

    /// Prefixes of these logs, and the question about them.
    fn cut(&self, chosen: &[usize], lengths: &[usize]) -> (Logs, Question) {
        let mut own = self.case.declared.clone();
        let mut logs: Logs = vec![[].into(); own.len()];
        for &at in chosen {
            let log = &self.case.logs[at];
            let whole = lengths[at] >= log.len();
            logs[at] = if whole { log.clone() } else { log[..lengths[at]].into() };
            if !whole {
                own[at] = stops_early(own[at]);
            }
        }
        (logs, Question::only(own.into_iter(), chosen))
    }
}

/// Leaves out components, the last one first, as long as the rest fails.
fn leave_out(all: Vec<usize>, mut fails: impl FnMut(&[usize]) -> Option<bool>) -> Vec<usize> {
    let mut chosen = all.clone();
    for candidate in all.into_iter().rev() {
        let rest: Vec<usize> = chosen.iter().copied().filter(|&c| c != candidate).collect();
        if !rest.is_empty() && fails(&rest) == Some(true) {
            chosen = rest;
        }
    }
    chosen
}
