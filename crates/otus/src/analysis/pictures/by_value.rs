//! The picture of a failure by values: what the events carry, the wrong value, and the duration that is too long or too
//! short, as a dimension with the measured and the allowed time.

use otus_analysis::Verdict;
use otus_analysis::explain::{
    Basis, Cause, Expected, Explanation, Frontier, Headline, Progress, Reached,
};
use otus_analysis::values::{Elapsed, LogPlace, ValueCause, ValueFailure};
use otus_core::index::Index as _;
use otus_core::{Action, ActionId, Pool};
use otus_draw::layout::failure::{EventState, PictureDuration};
use otus_trace::{ComponentId, Facts, MultiTrace, Step};

use super::super::values;
use super::super::wording::duration;
use super::Drawn;
use super::channels::first_terms;
use crate::case::CasePicture;
use crate::explanation;

/// The most expected actions that are drawn on one log.
const EXPECTED: usize = 2;

/// Every log stops at some event. Only the log that the failure names is wrong there, or all logs of a cycle; the others wait.
fn leave_waiting(picture: &mut CasePicture, failure: &ValueFailure) {
    let Some(at) = failure.at else { return };
    let in_cycle = if let ValueCause::Cycle(waiting) = &failure.cause { &waiting[..] } else { &[] };
    let is_wrong = |component: usize| {
        let mut wrong = in_cycle.iter().map(|waiting| waiting.at).chain([at]);
        wrong.any(|place| place.component.index() == component)
    };
    let diagram = &mut picture.diagram;
    for event in &mut diagram.events {
        let component = diagram.lifelines[event.lifeline].component;
        if event.state == EventState::Offending && !is_wrong(component) {
            event.state = EventState::NotReached;
        }
    }
}

impl Drawn<'_> {
    pub(in super::super) fn values(
        &self,
        names: &Pool,
        (failure, furthest): (Option<&ValueFailure>, Option<&[u32]>),
        facts: Option<&Facts>,
        told: &explanation::Explanation,
    ) -> CasePicture {
        let mut pool = names.clone();
        let trace = self.trace;
        let explanation = self.explanation(&mut pool, failure, furthest, told);
        let valued = self.plan.spec.valued.as_deref();
        let wrong = |component: ComponentId, step: usize| {
            let failure = failure?;
            if failure.at != Some(LogPlace { component, step }) {
                return None;
            }
            match &failure.cause {
                ValueCause::WrongValue { .. } => {
                    let fault = told.value.as_ref()?;
                    let wanted: Vec<String> =
                        fault.wanted.iter().map(ToString::to_string).collect();
                    let relation = fault.relation.filter(|&it| it != "=").unwrap_or_default();
                    Some(format!("≠ {relation}{}", wanted.join(" or ")))
                }
                ValueCause::TooLate(time) | ValueCause::TooEarly(time) => {
                    Some(format!("after {}", duration(time.elapsed)))
                }
                ValueCause::UsedAgain { .. } => Some("again".to_owned()),
                ValueCause::NoSession { .. }
                | ValueCause::Unexpected
                | ValueCause::Cycle(_)
                | ValueCause::Missing { .. } => None,
            }
        };
        let carried = |component: ComponentId, step: usize| {
            let known = values::known(valued?, facts?, component, step);
            let known = known.iter().filter(|(field, _)| field != "time");
            let mut texts: Vec<String> = known.map(|(field, it)| format!("{field} {it}")).collect();
            texts.extend(wrong(component, step));
            (!texts.is_empty()).then(|| texts.join(" "))
        };
        let mut picture = self.picture_with(&pool, Some(&explanation), None, &carried);
        if let Some(failure) = failure {
            leave_waiting(&mut picture, failure);
        }
        let time = failure.and_then(|failure| match &failure.cause {
            ValueCause::TooLate(time) | ValueCause::TooEarly(time) => Some((*time, failure.at?)),
            ValueCause::Missing { overdue: Some(overdue), .. } => Some((overdue.time, overdue.end)),
            ValueCause::WrongValue { .. }
            | ValueCause::UsedAgain { .. }
            | ValueCause::NoSession { .. }
            | ValueCause::Unexpected
            | ValueCause::Cycle(_)
            | ValueCause::Missing { overdue: None, .. } => None,
        });
        if let Some((time, to)) = time {
            picture.diagram.durations.extend(Self::duration(&picture, trace, time, to));
        }
        picture
    }

    /// The dimension between the anchor and an event.
    fn duration(
        picture: &CasePicture,
        trace: &MultiTrace,
        time: Elapsed,
        to: LogPlace,
    ) -> Option<PictureDuration> {
        let since = time.since?;
        // Observed events of a component stand in the order of its log.
        let find = |place: LogPlace| {
            let lifelines = &picture.diagram.lifelines;
            let events = picture.diagram.events.iter().enumerate().filter(|(_, event)| {
                lifelines[event.lifeline].component == place.component.index()
                    && event.state != EventState::Expected
            });
            events.map(|(at, _)| at).nth(place.step)
        };
        trace.steps(since.component).get(since.step)?;
        let clocks = time.uncertainty.map(|by| format!(" ± {}", duration(by)));
        Some(PictureDuration {
            from: find(since)?,
            to: find(to)?,
            text: format!("{}{}", duration(time.elapsed), clocks.unwrap_or_default()),
            allowed: duration(time.allowed),
        })
    }

    /// The failure in the form that all pictures are made of.
    fn explanation(
        &self,
        pool: &mut Pool,
        failure: Option<&ValueFailure>,
        furthest: Option<&[u32]>,
        told: &explanation::Explanation,
    ) -> Explanation {
        let trace = self.trace;
        let terms = first_terms(pool, self.plan.spec.term_for(pool, trace));
        let mut expect = |action: Action| {
            let action: ActionId = pool.intern_action(action);
            let term = *terms.get(&action)?;
            let moment = [action].into();
            Some(Expected { moment, term, places: 1, within: None, now: true })
        };
        let moments = |steps: &[Step]| steps.iter().filter(|step| !step.joined()).count();
        let is_missing = |failure: &&ValueFailure| {
            matches!(failure.cause, ValueCause::Missing { .. } | ValueCause::UsedAgain { .. })
        };
        let mut components = Vec::new();
        for component in trace.partition().components() {
            let steps = trace.steps(component);
            let reached = furthest.and_then(|all| all.get(component.index()).copied()).unwrap_or(0);
            let reached = (reached as usize).min(steps.len());
            let is_own =
                |action: &Action| trace.partition().component_of(action.lifeline) == component;
            // What the session of the failure lacks; other sessions would clutter the picture.
            let wanted = failure.filter(is_missing).into_iter().flat_map(|it| &it.expected);
            let mut wanted: Vec<Action> = wanted.map(|it| it.action).filter(is_own).collect();
            wanted.dedup();
            let expected = wanted.into_iter().filter_map(&mut expect).take(EXPECTED).collect();
            components.push(Progress {
                component,
                consumed: moments(&steps[..reached]),
                total: moments(steps),
                next: None,
                expected,
                may_end: false,
            });
        }
        let at = failure.and_then(|failure| failure.at);
        let is_over = failure.is_some_and(|it| matches!(it.cause, ValueCause::Missing { .. }));
        let headline = at.map(|at| {
            let steps = trace.steps(at.component);
            let step = if is_over { steps.len() } else { at.step.min(steps.len()) };
            Headline {
                cause: Cause::Unexpected,
                component: at.component,
                moment: moments(&steps[..step]),
                observed: None,
                expected: Vec::new(),
                first: Vec::new(),
                partners: Vec::new(),
                counterpart: None,
                alone: None,
                basis: Basis::Frontier,
                text: told.headline.clone(),
            }
        });
        let consumed = components.iter().map(|it| it.consumed).sum();
        let term = self.plan.spec.term_for(pool, trace);
        let state = Reached { term, components, choices: Vec::new() };
        Explanation {
            verdict: Verdict::Fail,
            headline,
            alone: Vec::new(),
            frontier: Frontier { states: vec![state], consumed, is_furthest: false },
            repair: None,
            core: None,
            assumed: None,
            questions: 0,
            gave_up: None,
        }
    }
}
