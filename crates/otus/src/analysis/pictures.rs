//! The cases that have a picture, and their pictures.
//!
//! The pictures are those of every explained failure, up to a limit, and of the first accepted cases. Workers do not
//! know the order of the input, so they draw every case that may be among the first ([`Pictures::is_wanted`]), and the
//! consumer, who knows it, removes the pictures of those that are not ([`Pictures::settle`]). So a report does not
//! depend on the number of threads.

mod by_value;
mod channels;
mod fill;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use otus_analysis::engine::{Engine, Options};
use otus_analysis::explain::Explanation;
use otus_analysis::question::Observed;
use otus_analysis::witness::WitnessStep;
use otus_analysis::{Question, Verdict, Witness};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::{ActionId, Pool, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use super::places::Places;
use super::plan::Plan;
use crate::case::{Case, CasePicture};
pub(super) use channels::first_terms;
use fill::{Facts, consumed, fill};

/// The maximum number of failures that are drawn.
pub(super) const FAILURES: usize = 200;
/// The maximum number of Passes that are drawn, and of `WeakPass`es.
const ACCEPTED: usize = 100;

/// The maximum number of states that the search for the accepted run of a failure may create.
const STATES: u64 = 20_000_000;

/// For each verdict: the number of cases that have been printed so far.
#[derive(Debug, Default)]
pub(crate) struct Pictures([AtomicUsize; 5]);

/// For each verdict: the number of cases of the current job so far.
pub(super) type Met = [usize; 5];

impl Pictures {
    /// Whether an accepted case may be among the first of the input with its verdict. Called once for each case of a
    /// job, because the cases before it in its job are before it in the input, too.
    pub(super) fn is_wanted(&self, verdict: Verdict, met: &mut Met) -> bool {
        let met = &mut met[verdict as usize];
        let before = (*met).max(self.0[verdict as usize].load(Ordering::Relaxed));
        *met += 1;
        verdict >= Verdict::WeakPass && before < ACCEPTED
    }

    /// Removes the picture if the case is not among the first. Called in the order of the input.
    pub(super) fn settle(&self, case: &mut Case) {
        let most = if case.verdict == Verdict::Fail { FAILURES } else { ACCEPTED };
        if self.0[case.verdict as usize].fetch_add(1, Ordering::Relaxed) >= most {
            case.picture = None;
        }
    }
}

pub(super) struct Drawn<'d> {
    pub(super) plan: &'d Plan,
    pub(super) trace: &'d MultiTrace,
    pub(super) places: &'d Places<'d>,
}

impl Drawn<'_> {
    pub(super) fn failure(
        &self,
        pool: &mut Pool,
        question: &Question,
        explanation: &Explanation,
        budget: &Budget,
    ) -> CasePicture {
        // The budget for the engine's questions in an explanation is smaller, so this question gets
        // its own limit.
        let budget = Budget { max_states: Some(STATES), ..budget.clone() };
        let term = self.plan.spec.term_for(pool, self.trace);
        let run = accepted_run(pool, term, self.trace, question, explanation, &budget);
        self.picture(pool, Some(explanation), run.as_ref())
    }

    /// The picture of a multi-trace: a failing one is drawn with its explanation, an accepted one with its
    /// run.
    pub(super) fn picture(
        &self,
        pool: &Pool,
        explanation: Option<&Explanation>,
        run: Option<&Witness>,
    ) -> CasePicture {
        self.picture_with(pool, explanation, run, &|_, _| None)
    }

    /// The same, with the values of events: by component and step, as text.
    fn picture_with(
        &self,
        pool: &Pool,
        explanation: Option<&Explanation>,
        run: Option<&Witness>,
        values: &dyn Fn(ComponentId, usize) -> Option<String>,
    ) -> CasePicture {
        let Drawn { plan, trace, places } = *self;
        let log = |component: ComponentId, step: usize| {
            let action = trace.steps(component).get(step)?.action();
            places.passage(component, step, &pool.action(action).text(pool.signature()))
        };
        let place = |term: TermId| plan.spec.text.passage(term);
        let (term, pairs) = (plan.spec.term_for(pool, trace), &*places.pairs());
        let (log, place) = (&log, &place);
        fill(&Facts { pool, term, trace, explanation, run, pairs, log, place, values })
    }
}

/// A run of the part of a failing multi-trace that the furthest situation explains. The explanation says how long that
/// part is, but not in which order its moments happened, so the engine is asked once more.
fn accepted_run(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    explanation: &Explanation,
    budget: &Budget,
) -> Option<Witness> {
    let consumed = consumed(trace, explanation);
    let accepted = rebuilt(trace, |component| consumed[component.index()], |action| action);
    let components = trace.partition().components();
    let declared: Vec<Observed> = components.map(|component| question.of(component)).collect();
    let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
    // A global prefix needs no assumed events, so that question is asked first.
    let questions =
        [Question::GlobalPrefix, Question::Each(declared.into_iter().map(cut).collect())];
    let mut run = questions.iter().find_map(|question| {
        let outcome = engine.analyze_up_to(Verdict::WeakPass, &accepted, question, budget);
        engine.witness(pool, term, &accepted, question, outcome.verdict, budget)
    })?;
    // The run may continue after that part with events that do not belong to it.
    let is_observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
    let end = run.steps.iter().rposition(is_observed).map_or(0, |last| last + 1);
    run.steps.truncate(end);
    Some(run)
}

/// A multi-trace of the first moments of each component, in which every action is replaced by
/// another one.
pub(super) fn rebuilt(
    trace: &MultiTrace,
    length: impl Fn(ComponentId) -> usize,
    mut action: impl FnMut(ActionId) -> ActionId,
) -> MultiTrace {
    let mut builder = Builder::new(trace.shared_partition().clone(), trace.len(), false);
    for component in trace.partition().components() {
        for moment in trace.moments(component).take(length(component)) {
            builder.next_moment();
            for step in moment {
                builder.push(action(step.action()), 0);
            }
        }
        builder.next_component();
    }
    builder.finish(SourceId(0))
}

/// The declaration of a log of which only a prefix is left.
fn cut(observed: Observed) -> Observed {
    match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    }
}
