//! Why an event or a message cannot be matched at a step of a run.
//!
//! *Definition.* A step stands for a cut: for each log, the number of its events that were matched before. Let `c` be that
//! cut, and `e` the event that is asked about, of log `l`.
//!
//! ```text
//! now     some execution has exactly the events of c, and then e
//! later   some execution has e as the next event of l after c(l), and the events of c as prefixes of the other logs, which may
//!         have more events before e
//! never   no execution does
//! ```
//!
//! A message of the specification, unlike an event of a log, need not be the next one of its log: it comes *later* as well if what is
//! left of the specification after the events of the cut has it at all.
//!
//! So the answer does not depend on which of several explanations of the events before was chosen. The three are questions
//! to the engine. For `never`, logs are left out one by one, until each of the remaining ones is needed: these are the logs that exclude it.
//!
//! *Unobserved lifelines.* If logs may start late or are not observed, an execution may have events of them at any time, and
//! `now` is told from `later` by one execution: whether it has other events before `e`.

use std::collections::VecDeque;

use otus_analysis::question::Observed;
use otus_analysis::witness::{Witness, WitnessStep};
use otus_analysis::{Engine, Question, Verdict};
use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::semantics::Frontiers;
use otus_core::{ActionId, Direction, EventId, TermId};
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;

use super::{Step, Steps, Study, cut};
use crate::case::Place;

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An event of a log, by their numbers in [`Steps::logs`].
    Event {
        /// The number of the log.
        log: usize,
        /// The number of the event in it.
        event: usize,
    },
    /// The message on a line of the specification.
    Line(usize),
    /// An action, like `shop!pay`.
    Action(String),
}

/// Whether it can be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Possible {
    /// It can be matched at this step.
    Now,
    /// Its log has another event first.
    NotNext,
    /// Other events must come first.
    Later,
    /// No execution with the events before has it next.
    Never,
    /// It was matched before.
    Past,
    /// The specification has no such action.
    Unknown,
    /// A limit was reached.
    Undecided,
}

impl Possible {
    /// The name, as in `otus studio`.
    pub fn name(self) -> &'static str {
        match self {
            Possible::Now => "now",
            Possible::NotNext => "not-next",
            Possible::Later => "later",
            Possible::Never => "never",
            Possible::Past => "past",
            Possible::Unknown => "unknown",
            Possible::Undecided => "undecided",
        }
    }
}

/// The answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WhyNot {
    /// Whether it can be matched.
    pub possible: Possible,
    /// The answer in a sentence.
    pub headline: String,
    /// Further sentences.
    pub reasons: Vec<Reason>,
    /// For [`Possible::Later`]: events of an execution that come before it, in order.
    pub before: Vec<Before>,
}

/// A sentence, and what it is about.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The sentence.
    pub text: String,
    /// The place that it is about.
    pub place: Option<Place>,
}

/// An event that comes before.
#[derive(Debug, Clone)]
pub struct Before {
    /// Like `shop!pay`.
    pub action: String,
    /// Its place in the specification.
    pub place: Option<Place>,
}

/// The most ways to match the events before, and the most terms that the search for a continuation visits.
const MOST_WAYS: usize = 64;
const MOST_TERMS: usize = 3000;
/// The most events of [`WhyNot::before`].
const MOST_BEFORE: usize = 50;

impl WhyNot {
    fn new(possible: Possible, headline: impl Into<String>) -> WhyNot {
        let (reasons, before) = (Vec::new(), Vec::new());
        WhyNot { possible, headline: headline.into(), reasons, before }
    }

    fn because(mut self, text: impl Into<String>, place: Option<Place>) -> WhyNot {
        self.reasons.push(Reason { text: text.into(), place });
        self
    }
}

impl Study {
    /// Why an event or a message cannot be matched after so many steps.
    pub fn why_not(&self, steps: &Steps, step: usize, target: &Target) -> WhyNot {
        let step = step.min(steps.explained);
        let mut lengths = vec![0; steps.logs.len()];
        for (log, _) in steps.steps[..step].iter().filter_map(|step| step.event) {
            lengths[log] += 1;
        }
        let mut answer = match target {
            Target::Event { log, event } => self.why_not_event(steps, &lengths, (*log, *event)),
            Target::Line(line) => self.why_not_line(steps, step, &lengths, *line),
            Target::Action(text) => match self.action_named(text) {
                Some(action) => self.why_not_action(steps, step, &lengths, action),
                None => self.unknown(text),
            },
        };
        if step == steps.explained && answer.possible == Possible::Never {
            let situation = self.case.failure().and_then(|it| it.furthest.first());
            for choice in situation.into_iter().flat_map(|it| &it.choices) {
                answer = answer.because(format!("up to here, the run {choice}"), None);
            }
        }
        if self.plan.spec.valued.is_some() {
            let text = "values are not regarded here: this is about names and order only";
            answer = answer.because(text, None);
        }
        answer
    }

    fn why_not_event(&self, steps: &Steps, lengths: &[usize], at: (usize, usize)) -> WhyNot {
        let (log, event) = at;
        let Some(asked) = steps.logs.get(log).and_then(|log| log.events.get(event)) else {
            return WhyNot::new(Possible::Unknown, "there is no such event");
        };
        if event < lengths[log] {
            let number = steps.steps.iter().position(|step| step.event == Some(at));
            let headline = match number {
                Some(number) => {
                    format!("{} was matched before, in step {}", asked.action, number + 1)
                }
                None => format!("{} was matched before", asked.action),
            };
            let spec = number.and_then(|number| steps.steps[number].spec.clone());
            let answer = WhyNot::new(Possible::Past, headline);
            return match spec {
                Some(place) => answer.because(format!("it is the message at {place}"), Some(place)),
                None => answer,
            };
        }
        let component = ComponentId::new(log);
        let moment = self.trace.moments(component).nth(event).unwrap_or_default();
        let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
        if event == lengths[log] {
            return self.why_not_moment(lengths, component, &actions);
        }
        let first = &steps.logs[log].events[lengths[log]];
        let waits = event - lengths[log];
        let come = if waits == 1 {
            format!("{} comes first", first.action)
        } else {
            format!("{waits} others come first, {} next", first.action)
        };
        let headline = format!("{} is not the next event of its log: {come}", asked.action);
        let mut answer = WhyNot::new(Possible::NotNext, headline);
        let next: Vec<ActionId> = self
            .trace
            .moments(component)
            .nth(lengths[log])
            .unwrap_or_default()
            .iter()
            .map(|step| step.action())
            .collect();
        let of_next = self.why_not_moment(lengths, component, &next);
        answer = answer.because(of_next.headline, first.place.clone());
        if of_next.possible == Possible::Never && actions != next {
            let instead = self.why_not_moment(lengths, component, &actions);
            if matches!(instead.possible, Possible::Now | Possible::Later) {
                let text = format!(
                    "without what comes first in its log, {} could be matched {}",
                    asked.action,
                    if instead.possible == Possible::Now { "here" } else { "later" }
                );
                answer = answer.because(text, asked.place.clone());
            }
        }
        answer
    }

    fn why_not_line(&self, steps: &Steps, step: usize, lengths: &[usize], line: usize) -> WhyNot {
        let Some(covering) = self.plan.covering.as_ref() else {
            let text =
                "several specifications are given, so a line of one of them is not asked about";
            return WhyNot::new(Possible::Undecided, text);
        };
        let tree = covering.tree();
        let mut actions: Vec<ActionId> = Vec::new();
        for node in 0..tree.len() {
            let Some(event) = self.pool.node(tree.term(node)).as_event() else { continue };
            if covering.place(node).is_some_and(|place| place.line == line) {
                for &action in self.pool.event_actions(event) {
                    if !actions.contains(&action) {
                        actions.push(action);
                    }
                }
            }
        }
        // What is sent comes before what is received. An end that was matched already is not what is asked about.
        actions.sort_by_key(|&action| self.pool.action(action).direction == Direction::Reception);
        let mut first = None;
        for action in actions {
            let answer = self.why_not_action(steps, step, lengths, action);
            let was_matched = self.is_in_prefix(lengths, action);
            if !was_matched {
                return answer;
            }
            first.get_or_insert(answer);
        }
        first.unwrap_or_else(|| {
            let text = format!("line {line} of the specification has no message");
            WhyNot::new(Possible::Unknown, text)
        })
    }

    fn is_in_prefix(&self, lengths: &[usize], action: ActionId) -> bool {
        let prefix = self.prefix(lengths, None);
        prefix.actions().any(|other| other == action)
    }

    fn why_not_action(
        &self,
        steps: &Steps,
        step: usize,
        lengths: &[usize],
        action: ActionId,
    ) -> WhyNot {
        let lifeline = self.pool.action(action).lifeline;
        let component = self.trace.partition().component_of(lifeline);
        let found = self.why_not_moment(lengths, component, &[action]);
        if found.possible != Possible::Never {
            return found;
        }
        let Some(before) = self.way_to(&steps.steps[..step], action) else { return found };
        let text = self.action_text(action);
        let headline = format!("{text} cannot come yet: other events must come first");
        let first: Vec<&str> = before.iter().take(3).map(|it| it.action.as_str()).collect();
        let more = if before.len() > 3 { " and more" } else { "" };
        let reason = format!("for example after {}{more}", first.join(", "));
        let mut answer = WhyNot::new(Possible::Later, headline).because(reason, None);
        answer.before = before;
        answer
    }

    /// The shortest continuation after some steps that leads to an action; `None` if there is none, or none was found within the
    /// limits. All ways to match the steps are regarded, in the order of the steps.
    fn way_to(&self, steps: &[Step], action: ActionId) -> Option<Vec<Before>> {
        let mut pool = self.pool.clone();
        let mut frontiers = Frontiers::default();
        let first = simplify(&mut pool, self.term);
        let mut left: Vec<TermId> = vec![first];
        for step in steps {
            let mut next: Vec<TermId> = Vec::new();
            for &term in &left {
                for one in frontiers.steps(&mut pool, term).iter() {
                    let actions = pool.event_actions(one.event);
                    let is_it = actions
                        .iter()
                        .any(|&it| pool.action(it).text(pool.signature()) == step.action);
                    if is_it && !next.contains(&one.follow_up) && next.len() < MOST_WAYS {
                        next.push(one.follow_up);
                    }
                }
            }
            // Both ends of a synchronous message are one event, and several steps.
            if !next.is_empty() {
                left = next;
            }
        }
        // By term: the term before it, and the event between them.
        let mut known: FxHashMap<TermId, Option<(TermId, EventId)>> =
            left.iter().map(|&term| (term, None)).collect();
        let mut pending: VecDeque<TermId> = left.into();
        while let Some(term) = pending.pop_front() {
            for one in frontiers.steps(&mut pool, term).iter() {
                if pool.event_actions(one.event).contains(&action) {
                    return Some(self.path(&known, term));
                }
                if known.len() < MOST_TERMS && !known.contains_key(&one.follow_up) {
                    known.insert(one.follow_up, Some((term, one.event)));
                    pending.push_back(one.follow_up);
                }
            }
            if self.plan.is_cancelled() {
                return None;
            }
        }
        None
    }

    /// The events on the way to a term.
    fn path(
        &self,
        known: &FxHashMap<TermId, Option<(TermId, EventId)>>,
        last: TermId,
    ) -> Vec<Before> {
        let places = super::super::pictures::first_terms(&self.pool, self.term);
        let mut path = Vec::new();
        let mut at = last;
        while let Some(&Some((before, event))) = known.get(&at) {
            for &action in self.pool.event_actions(event).iter().rev() {
                let term = places.get(&action);
                let place = term.and_then(|&term| self.plan.spec.text.excerpt(term, None, 1));
                path.push(Before {
                    action: self.action_text(action),
                    place: place.map(|it| it.place),
                });
            }
            at = before;
        }
        path.reverse();
        path.truncate(MOST_BEFORE);
        path
    }

    /// The action with a text, as events of logs and of the specification are written.
    fn action_named(&self, text: &str) -> Option<ActionId> {
        let actions = (0..self.pool.action_count()).map(ActionId::new);
        let mut named = actions.filter(|&action| self.action_text(action) == text);
        named.next()
    }

    fn unknown(&self, text: &str) -> WhyNot {
        let headline = format!("the specification has no {text}");
        let answer = WhyNot::new(Possible::Unknown, headline);
        let lifeline = text.split(['!', '?']).next().unwrap_or_default();
        let signature = self.pool.signature();
        let names = (0..signature.lifeline_count())
            .map(|at| signature.lifeline_name(otus_core::LifelineId::new(at)));
        if names.into_iter().any(|name| name == lifeline) {
            answer
        } else {
            answer.because(format!("it has no lifeline {lifeline}"), None)
        }
    }

    /// Whether a moment can be the next one of a log after a cut.
    fn why_not_moment(
        &self,
        lengths: &[usize],
        component: ComponentId,
        actions: &[ActionId],
    ) -> WhyNot {
        let text = self.moment_text(actions);
        let known = super::super::pictures::first_terms(&self.pool, self.term);
        if let Some(&stranger) = actions.iter().find(|action| !known.contains_key(action)) {
            return self.unknown(&self.action_text(stranger));
        }
        let mut engine = self.engine();
        let trace = self.prefix(lengths, Some((component, actions)));
        let declared: Vec<Observed> = self.declared().into_iter().map(cut).collect();
        let is_plain = declared.iter().all(|&it| it == Observed::StopsEarly);
        if is_plain {
            match self.ask(&mut engine, &trace, &Question::GlobalPrefix) {
                Some(true) => return now(&text),
                Some(false) => {}
                None => return undecided(&text),
            }
        }
        match self.ask(&mut engine, &trace, &Question::Each(declared.clone().into())) {
            Some(true) => self.later(&mut engine, &trace, component, &declared, &text),
            Some(false) => self.never(&mut engine, &trace, lengths, component, &declared, &text),
            None => undecided(&text),
        }
    }

    /// Whether some execution explains a multi-trace; `None` if a limit was reached.
    fn ask(&self, engine: &mut Engine, trace: &MultiTrace, question: &Question) -> Option<bool> {
        let found = engine.analyze_up_to(Verdict::WeakPass, trace, question, &self.budget());
        match found.verdict {
            Verdict::Pass | Verdict::WeakPass => Some(true),
            Verdict::Fail => Some(false),
            Verdict::WeakFail | Verdict::Inconclusive => None,
        }
    }

    /// The answer if it can be matched after other events.
    fn later(
        &self,
        engine: &mut Engine,
        trace: &MultiTrace,
        component: ComponentId,
        declared: &[Observed],
        text: &str,
    ) -> WhyNot {
        let mut pool = self.pool.clone();
        let question = Question::Each(declared.into());
        let budget = self.budget();
        let found =
            engine.witness(&mut pool, self.term, trace, &question, Verdict::WeakPass, &budget);
        let before = found.map(|run| self.before(&run, trace, component, declared));
        match before {
            Some(before) if before.is_empty() => now(text),
            Some(before) => {
                let first = before.iter().take(3).map(|it| it.action.as_str()).collect::<Vec<_>>();
                let more = if before.len() > 3 { " and more" } else { "" };
                let headline = format!("{text} cannot come yet: other events must come first");
                let reason = format!("for example after {}{more}", first.join(", "));
                let mut answer = WhyNot::new(Possible::Later, headline);
                let place = before.first().and_then(|it| it.place.clone());
                answer = answer.because(reason, place);
                answer.before = before;
                answer
            }
            None => {
                let headline = format!("{text} cannot come yet: other events must come first");
                WhyNot::new(Possible::Later, headline)
            }
        }
    }

    /// The events that an execution has before the last observed event of a log, and that no log has.
    fn before(
        &self,
        run: &Witness,
        trace: &MultiTrace,
        component: ComponentId,
        declared: &[Observed],
    ) -> Vec<Before> {
        let places = self.spec_places(run);
        let partition = trace.partition();
        let mut left = trace.moments(component).count();
        let mut before: Vec<Before> = Vec::new();
        for (number, step) in run.steps.iter().filter(|step| step.event().is_some()).enumerate() {
            let Some(event) = step.event() else { continue };
            let is_observed = matches!(step, WitnessStep::Observed(_));
            let mut is_here = false;
            for &action in self.pool.event_actions(event.event) {
                let lifeline = self.pool.action(action).lifeline;
                let of = partition.component_of(lifeline);
                if is_observed && self.pool.region_contains(event.observed, lifeline) {
                    is_here |= of == component;
                } else if declared[of.index()] != Observed::Unobserved && before.len() < MOST_BEFORE
                {
                    let place = places.get(number).cloned().flatten();
                    before.push(Before { action: self.action_text(action), place });
                }
            }
            if is_here {
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        before
    }

    /// The answer if it cannot be matched: the logs that exclude it.
    fn never(
        &self,
        engine: &mut Engine,
        trace: &MultiTrace,
        lengths: &[usize],
        component: ComponentId,
        declared: &[Observed],
        text: &str,
    ) -> WhyNot {
        let partition = trace.partition();
        let mut needed = declared.to_vec();
        for other in partition.components().filter(|&other| other != component) {
            let before = std::mem::replace(&mut needed[other.index()], Observed::Unobserved);
            if before == Observed::Unobserved {
                continue;
            }
            if self.ask(engine, trace, &Question::Each(needed.clone().into())) != Some(false) {
                needed[other.index()] = before;
            }
        }
        let headline = format!("{text} cannot be matched here, now or later");
        let answer = WhyNot::new(Possible::Never, headline);
        let own = self.lifelines(component).join("+");
        let others: Vec<ComponentId> = partition
            .components()
            .filter(|&it| it != component && needed[it.index()] != Observed::Unobserved)
            .collect();
        let count = lengths[component.index()];
        let own_part = match count {
            0 => format!("at the beginning of the log of {own}"),
            1 => format!("after the first event of {own}"),
            _ => format!("after the first {count} events of {own}"),
        };
        let places = self.places();
        let mut answer = if others.is_empty() {
            let instead = self.instead(engine, lengths, component, declared);
            let goes_on = match instead.as_slice() {
                [] => "the specification has nothing more for it".to_owned(),
                some => format!("the specification goes on with {}", some.join(" or ")),
            };
            answer.because(
                format!("{own_part}, {goes_on}, whatever the other logs have"),
                self.last_place(&places, component, lengths),
            )
        } else {
            let names: Vec<String> =
                others.iter().map(|&other| self.lifelines(other).join("+")).collect();
            let text = format!(
                "{own_part}, it would fit, but not together with what {} saw",
                names.join(" and ")
            );
            answer.because(text, self.last_place(&places, component, lengths))
        };
        for other in others {
            let count = lengths[other.index()];
            let names = self.lifelines(other).join("+");
            let text = match count {
                0 => format!("{names} has had no event yet"),
                1 => format!("{names} has had one event"),
                _ => format!("{names} has had {count} events, the last of them is here"),
            };
            answer = answer.because(text, self.last_place(&places, other, lengths));
        }
        answer
    }

    /// The place of the last event of a log before a cut.
    fn last_place(
        &self,
        places: &super::Places<'_>,
        component: ComponentId,
        lengths: &[usize],
    ) -> Option<Place> {
        let last = lengths[component.index()].checked_sub(1)?;
        self.event_place(places, component, self.step_of(component, last)).0
    }

    /// The actions that can come next in a log after a cut, now or later.
    fn instead(
        &self,
        engine: &mut Engine,
        lengths: &[usize],
        component: ComponentId,
        declared: &[Observed],
    ) -> Vec<String> {
        const MOST: usize = 5;
        const TRIED: usize = 200;
        let known = super::super::pictures::first_terms(&self.pool, self.term);
        let is_own = |&action: &ActionId| {
            let lifeline = self.pool.action(action).lifeline;
            self.trace.partition().component_of(lifeline) == component
        };
        let mut actions: Vec<ActionId> = known.into_keys().filter(is_own).collect();
        actions.sort_unstable();
        let question = Question::Each(declared.into());
        let fits = |action: &ActionId| {
            let trace = self.prefix(lengths, Some((component, &[*action])));
            self.ask(engine, &trace, &question) == Some(true)
        };
        let fitting = actions.into_iter().take(TRIED).filter(fits).take(MOST);
        fitting.map(|action| self.action_text(action)).collect()
    }
}

fn now(text: &str) -> WhyNot {
    WhyNot::new(Possible::Now, format!("{text} can be matched here"))
}

fn undecided(text: &str) -> WhyNot {
    WhyNot::new(
        Possible::Undecided,
        format!("whether {text} can be matched here was not decided within the limits"),
    )
}
