//! Chooses the multi-traces that a page shows as pictures, and draws them.
//!
//! A page shows the explained failures, up to a limit, and the first accepted multi-traces. Workers finish out of
//! order, so only the consumer, who sees cases in input order, knows which are first. A worker therefore draws every
//! candidate ([`Pictures::is_wanted`]), and the consumer removes the pictures that are not needed
//! ([`Pictures::settle`]). So a page does not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use otus_analysis::explain::Explanation;
use otus_analysis::{Question, Verdict, Witness};
use otus_core::budget::Budget;
use otus_core::{Pool, TermId};
use otus_trace::{ComponentId, MultiTrace};

use super::places::Places;
use super::plan::Plan;
use crate::case::Case;
use crate::report::html::fill::{Facts, accepted_run, detail};
use crate::report::html::model::{Detail, Excerpt};

/// The most failures that are drawn.
const FAILURES: usize = 200;
/// The most passes that are drawn, and the most weak passes.
const ACCEPTED: usize = 100;

/// The most states of the search for the run that a failure shares with the specification.
const STATES: u64 = 20_000_000;

/// The numbers of pictures printed so far.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    failures: AtomicUsize,
    weak: AtomicUsize,
    pass: AtomicUsize,
}

/// The numbers of candidates in a job so far.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    weak: usize,
    pass: usize,
}

impl Pictures {
    /// Whether an accepted multi-trace may be among the first of the input with its verdict. Call it once for each of
    /// a job, because the earlier ones of its job are also earlier in the input.
    pub(super) fn is_wanted(&self, verdict: Verdict, met: &mut Accepted) -> bool {
        let (printed, met) = match verdict {
            Verdict::Pass => (&self.pass, &mut met.pass),
            Verdict::WeakPass => (&self.weak, &mut met.weak),
            Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => return false,
        };
        let before = (*met).max(printed.load(Ordering::Relaxed));
        *met += 1;
        before < ACCEPTED
    }

    /// Removes the picture if the case is not among the first. Call it in the order of the input.
    pub(super) fn settle(&self, case: &mut Case) {
        let (printed, most) = match case.verdict {
            Verdict::Pass => (&self.pass, ACCEPTED),
            Verdict::WeakPass => (&self.weak, ACCEPTED),
            Verdict::Fail => (&self.failures, FAILURES),
            Verdict::WeakFail | Verdict::Inconclusive => return,
        };
        if printed.fetch_add(1, Ordering::Relaxed) >= most {
            case.picture = None;
        }
    }
}

/// Whether a failure with this many failures before it is drawn.
pub(super) fn is_drawn(before: usize) -> bool {
    before < FAILURES
}

/// The picture of a failure.
pub(super) fn failure(
    plan: &Plan,
    pool: &mut Pool,
    trace: &MultiTrace,
    (question, explanation): (&Question, &Explanation),
    places: &Places<'_>,
    budget: &Budget,
) -> Detail {
    // The picture needs one question, whereas explanations need many.
    let budget = Budget { max_states: Some(STATES), ..budget.clone() };
    let run = accepted_run(pool, plan.spec.term, trace, (question, explanation), &budget);
    draw(plan, pool, trace, (Some(explanation), run.as_ref()), places)
}

/// The picture of an accepted multi-trace.
pub(super) fn accepted(
    plan: &Plan,
    pool: &Pool,
    trace: &MultiTrace,
    run: &Witness,
    places: &Places<'_>,
) -> Detail {
    draw(plan, pool, trace, (None, Some(run)), places)
}

fn draw(
    plan: &Plan,
    pool: &Pool,
    trace: &MultiTrace,
    (explanation, run): (Option<&Explanation>, Option<&Witness>),
    places: &Places<'_>,
) -> Detail {
    let log = |component: ComponentId, step: usize| -> Option<Excerpt> {
        let action = trace.steps(component).get(step)?.action();
        places.passage(component, step, &pool.action(action).text(pool.signature()))
    };
    let place = |term: TermId| plan.spec.text.passage(term);
    let (term, pairs) = (plan.spec.term, &*places.pairs());
    detail(&Facts { pool, term, trace, explanation, run, pairs, log: &log, place: &place })
}
