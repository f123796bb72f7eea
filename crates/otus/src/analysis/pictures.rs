//! Which multi-traces are drawn on a page, and their pictures.
//!
//! Pictures are for those who look: of every failure that is explained, up to a point, and of the first that
//! are accepted. Which those are only whoever prints knows, since workers are not in the order of the input;
//! a worker draws what may be among them ([`Pictures::is_wanted`]), and what is not is taken away again
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

/// How many failures are drawn.
const FAILURES: usize = 200;
/// How many that pass are drawn, and how many that pass weakly.
const ACCEPTED: usize = 100;

/// How many states it may take to find the run of what a failure has in common with the specification.
const STATES: u64 = 20_000_000;

/// How many have been printed so far.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    failures: AtomicUsize,
    weak: AtomicUsize,
    pass: AtomicUsize,
}

/// How many were met in a job so far.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    weak: usize,
    pass: usize,
}

impl Pictures {
    /// Whether what is accepted may be among the first of the input with its verdict. Called once for each
    /// of a job, since what is behind so many others of its job is behind so many others.
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

    /// Takes the picture away if the case is not among the first. Called in the order of the input.
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

/// Whether a failure with so many others before it is drawn.
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
    // This is one question, where explanations ask many.
    let budget = Budget { max_states: Some(STATES), ..budget.clone() };
    let run = accepted_run(pool, plan.spec.term, trace, (question, explanation), &budget);
    draw(plan, pool, trace, (Some(explanation), run.as_ref()), places)
}

/// The picture of what is accepted.
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
