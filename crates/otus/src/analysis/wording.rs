//! The wording of an explanation: names instead of ids, places instead of terms and moments.
//!
//! This is the only module that words explanations; the library, the command line and all reports show its text.
//!
//! An explanation is computed with a pool and an engine of its own. The pool and the engine of a worker depend on the
//! multi-traces that it checked before, and the explanation of one multi-trace must not depend on others.

mod by_value;

pub(super) use by_value::duration;

use std::fmt::Write as _;

use otus_analysis::Question;
use otus_analysis::Verdict;
use otus_analysis::explain::{self, Cause, Change, Checked, Expected, Headline, Taken};
use otus_analysis::values::ValueFailure;
use otus_core::budget::Budget;
use otus_core::{Action, ActionId, Pool, TermId};
use otus_trace::multitrace::Step;
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, Facts, MultiTrace, ObservedOrder};

use super::lifelines;
use super::pictures::{Drawn, rebuilt};
use super::places::{From, Origin, Places};
use super::plan::{Method, Plan};
use super::relax;
use super::request::Explain;
use super::spec_text::Excerpt;
use super::values;
use super::wrong_order;
use crate::case::CasePicture;
use crate::explanation::{
    Core, CoreLog, Edit, Explanation, LogPlace, LogProgress, Note, Repair, Situation, SpecPlace,
};

pub(super) struct Failure<'a> {
    pub(super) trace: &'a MultiTrace,
    /// What its events carry, if the specification has values.
    pub(super) facts: Option<&'a Facts>,
    /// The most actions of each component that could be explained.
    pub(super) furthest: Option<&'a [u32]>,
    /// Why its values are wrong, if that is known.
    pub(super) by_value: Option<&'a ValueFailure>,
    /// The pool that has the names of all messages of the multi-trace.
    pub(super) names: &'a Pool,
    pub(super) question: &'a Question,
    pub(super) origin: &'a Origin<'a>,
    /// The order between logs, if the multi-trace fails only because of it.
    pub(super) order: Option<&'a ObservedOrder>,
    pub(super) is_drawn: bool,
}

impl Failure<'_> {
    /// The explanation, and the picture if requested; `None` if the limits are too small.
    pub(super) fn explain(
        &self,
        plan: &Plan,
        budget: &Budget,
        effort: Explain,
    ) -> Option<(Explanation, Option<CasePicture>)> {
        let mut pool = plan.spec.pool.clone();
        let own = translated(self.trace, self.names, &mut pool);
        let (max_questions, patience) = effort.budget();
        let partners = plan.spec.partners.clone();
        let mut options =
            explain::Options { max_questions, partners, ..explain::Options::default() };
        // For a long multi-trace, many situations must be visited before the furthest one is
        // reached, so the limit grows with its length.
        let moments = u64::try_from(own.moment_count()).unwrap_or(u64::MAX);
        options.max_situations = options.max_situations.max(moments.saturating_mul(2));
        options.budget = Budget {
            timeout: Some(patience),
            deadline: budget.deadline,
            cancel: budget.cancel.clone(),
            max_bytes: budget.max_bytes.map(|bytes| bytes / 4),
            ..options.budget
        }
        .started();
        let term = plan.spec.term_for(&pool, &own);
        if let Some(order) = self.order {
            let wrong =
                wrong_order::find(&pool, term, &own, order, self.question, &options.budget)?;
            let places = self.origin.from.places(self.trace, plan);
            let wording = Wording { plan, pool: &pool, trace: &own, facts: self.facts, places };
            return Some((wording.wrong_order(wrong), None));
        }
        // What is known about a session or a value says more than names alone.
        let is_by_value = self.by_value.is_some_and(by_value::is_telling);
        let found = if is_by_value {
            None
        } else {
            let found = explain::explain(&mut pool, term, &own, self.question, &options);
            Some(found).filter(|found| found.verdict == Verdict::Fail)
        };
        let Some(found) = found else {
            let places = self.origin.from.places(self.trace, plan);
            let facts = self.facts;
            let wording = Wording { plan, pool: self.names, trace: self.trace, facts, places };
            let asked =
                by_value::Asked { question: self.question, budget: &options.budget, effort };
            let told = facts.and(wording.by_value(self.by_value, self.furthest?, &asked))?;
            let picture = self.is_drawn.then(|| {
                let drawn = Drawn { plan, trace: self.trace, places: &wording.places };
                drawn.values(self.names, (self.by_value, self.furthest), facts, &told)
            });
            return Some((told, picture));
        };
        let places = self.origin.from.places(self.trace, plan);
        let picture = self.is_drawn.then(|| {
            let drawn = Drawn { plan, trace: &own, places: &places };
            drawn.failure(&mut pool, self.question, &found, &options.budget)
        });
        let wording = Wording { plan, pool: &pool, trace: &own, facts: self.facts, places };
        let mut told = wording.explanation(&found, effort);
        let is_about_observation = found.headline.as_ref().is_none_or(|it| !it.cause.is_unknown());
        if self.facts.is_some() && told.repair.is_some() {
            let text = "values are not regarded here: the repair is about names and order only";
            told.notes.push(Note { topic: "note", text: text.to_owned() });
        }
        if let Method::Fast(declared) = &plan.method
            && is_about_observation
            && self.facts.is_none()
            && let Some(text) = relax::help(&pool, term, &own, declared, &options.budget)
        {
            told.notes.push(Note { topic: "help", text });
        }
        let switch = found.headline.as_ref().and_then(|headline| switch(headline.cause));
        if let (From::Raw { .. }, Some(text)) = (&self.origin.from, switch) {
            told.notes.push(Note { topic: "help", text: text.to_owned() });
        }
        Some((told, picture))
    }
}

/// The option that makes an analysis ignore, in all logs, what a cause is about.
#[expect(clippy::wildcard_enum_match_arm, reason = "most causes have no such switch")]
fn switch(cause: Cause) -> Option<&'static str> {
    match cause {
        Cause::UnknownMessage => Some(
            "--ignore-unknown-messages leaves such messages out, as does ignore_unknown_messages = true below \
             [observation] in otus.toml",
        ),
        Cause::WrongPeer => Some(
            "--ignore-peers compares messages only, as does ignore_peers = true below [observation] in otus.toml",
        ),
        _ => None,
    }
}

/// The same multi-trace over another pool with the same lifelines.
fn translated(trace: &MultiTrace, from: &Pool, into: &mut Pool) -> MultiTrace {
    let translate = |action| {
        let Action { lifeline, direction, message, peer } = from.action(action);
        let name = from.signature().message_name(message);
        let known = into.signature().message(name);
        let message = known.unwrap_or_else(|| into.add_message(name));
        into.intern_action(Action { lifeline, direction, message, peer })
    };
    rebuilt(trace, |_| usize::MAX, translate)
}

struct Wording<'a> {
    plan: &'a Plan,
    pool: &'a Pool,
    trace: &'a MultiTrace,
    facts: Option<&'a Facts>,
    places: Places<'a>,
}

impl Wording<'_> {
    fn explanation(self, found: &explain::Explanation, effort: Explain) -> Explanation {
        let headline = found.headline.as_ref();
        let mut told = Explanation {
            cause: headline.map_or("not-explained", |headline| headline.cause.id()),
            cause_name: headline.map_or("cannot have happened", |headline| headline.cause.name()),
            headline: headline.map_or_else(
                || "no execution of the specification explains this".to_owned(),
                |headline| headline.text.clone(),
            ),
            expected: headline.map(|it| self.expected(it)).unwrap_or_default(),
            observed: headline.and_then(|it| self.observed(it)),
            value: None,
            related: headline.and_then(|it| self.related(it)).into_iter().collect(),
            furthest: found.frontier.states.iter().map(|state| self.situation(state)).collect(),
            alone: found.alone.iter().map(|lone| self.lifelines(lone.component)).collect(),
            repair: found.repair.as_ref().map(|search| self.repair(search)),
            core: found.core.as_ref().map(|core| self.core(core)),
            gave_up: found.gave_up.map(explain::GaveUp::reason),
            notes: Vec::new(),
            restored: None,
        };
        told.notes = notes(&told, effort);
        told
    }

    /// The explanation of an observed order between two logs that no execution has.
    fn wrong_order(&self, edge: Pair) -> Explanation {
        let place = |(component, step): (ComponentId, usize), role| {
            self.log_place(component, self.moment_of(component, step), role)
        };
        let action =
            |(component, step): (ComponentId, usize)| self.trace.steps(component)[step].action();
        let text = |at| explain::in_the_past(self.pool, &[action(at)]);
        Explanation {
            cause: "wrong-order",
            cause_name: "wrong order",
            headline: format!(
                "{} before {}, but no execution of the specification has them in this order",
                text(edge.from),
                text(edge.to)
            ),
            expected: Vec::new(),
            observed: place(edge.to, "observed"),
            value: None,
            related: place(edge.from, "happened before it").into_iter().collect(),
            furthest: Vec::new(),
            alone: Vec::new(),
            repair: None,
            core: None,
            gave_up: None,
            notes: vec![Note {
                topic: "help",
                text: "ids, spans or vector clocks tell this order; --ignore-order compares each \
                       log by itself"
                    .to_owned(),
            }],
            restored: None,
        }
    }

    /// The expected actions, with their places in the specification, each place once.
    fn expected(&self, headline: &Headline) -> Vec<SpecPlace> {
        let mut places: Vec<SpecPlace> = Vec::new();
        for expected in headline.expected.iter().chain(&headline.first) {
            let Expected { term, within, places: count, .. } = *expected;
            let found = self.plan.spec.text.excerpt(term, within, count);
            let Some(Excerpt { place, text, span }) = found else { continue };
            let place = SpecPlace { place, text, span, action: self.moment(&expected.moment) };
            match places.iter_mut().find(|known| known.place == place.place) {
                Some(known) if known.action != place.action => {
                    known.action = format!("{} or {}", known.action, place.action);
                }
                Some(_) => {}
                None => places.push(place),
            }
        }
        places.truncate(3);
        places
    }

    fn observed(&self, headline: &Headline) -> Option<LogPlace> {
        let count = self.trace.moments(headline.component).count();
        if headline.moment < count {
            let role = if headline.expected.is_empty() { "observed" } else { "observed instead" };
            return self.log_place(headline.component, headline.moment, role);
        }
        self.log_place(headline.component, count.checked_sub(1)?, "the log ends after")
    }

    /// The other end of a message, if it was observed.
    fn related(&self, headline: &Headline) -> Option<LogPlace> {
        let other = headline.counterpart?;
        let mut moments = self.trace.moments(other.component);
        let is_other = |steps: &[Step]| steps.iter().any(|step| step.action() == other.action);
        self.log_place(other.component, moments.position(is_other)?, "the other end")
    }

    /// The moment of a step.
    fn moment_of(&self, component: ComponentId, step: usize) -> usize {
        let moments = self.trace.moments(component).scan(0, |end, steps| {
            *end += steps.len();
            Some(*end)
        });
        moments.take_while(|&end| end <= step).count()
    }

    fn log_place(
        &self,
        component: ComponentId,
        moment: usize,
        role: &'static str,
    ) -> Option<LogPlace> {
        let steps: usize = self.trace.moments(component).take(moment).map(<[_]>::len).sum();
        let actions: Vec<ActionId> =
            self.trace.moments(component).nth(moment)?.iter().map(|step| step.action()).collect();
        let first = self.pool.action(*actions.first()?).text(self.pool.signature());
        let (place, text, span) = self.places.excerpt(component, steps, &first)?;
        let (lifelines, action) = (self.lifelines(component), self.moment(&actions));
        let is_in_case_file = self.places.is_case();
        let valued = self.plan.spec.valued.as_ref().zip(self.facts);
        let values = valued.map(|(valued, facts)| values::known(valued, facts, component, steps));
        let values = values.unwrap_or_default().into_iter().collect();
        Some(LogPlace { place, lifelines, action, role, text, span, values, is_in_case_file })
    }

    fn situation(&self, state: &explain::Reached) -> Situation {
        let components = state.components.iter().map(|progress| LogProgress {
            lifelines: self.lifelines(progress.component),
            consumed: progress.consumed,
            total: progress.total,
            next: progress.next.as_deref().map(|next| self.moment(next)),
            expected: progress.expected.iter().map(|next| self.moment(&next.moment)).collect(),
        });
        let choices = state.choices.iter().map(|choice| match choice.taken {
            Taken::Branch(branch) => format!("took the branch{}", self.at(branch)),
            Taken::Entered(body) => format!("went into the loop{}", self.at(body)),
            Taken::Left => format!("left the loop{}", self.at(choice.at)),
        });
        Situation { logs: components.collect(), choices: choices.collect() }
    }

    /// The place of a term, if it is known: ` at flow.mmd:7`.
    fn at(&self, term: TermId) -> String {
        let found = self.plan.spec.text.excerpt(term, None, 1);
        found.map(|found| format!(" at {}", found.place.in_line())).unwrap_or_default()
    }

    fn repair(&self, search: &explain::repair::Search) -> Repair {
        let found = search.found.as_ref();
        let edits = found.into_iter().flat_map(|found| {
            found.edits.iter().zip(&found.places).zip(found.text(self.trace, self.pool))
        });
        let edits = edits.map(|((edit, &moment), mut text)| {
            let is_at_moment = edit.change != Change::StoppedEarly;
            let found = self.log_place(edit.component, moment, "").filter(|_| is_at_moment);
            let place = found.map(|log| log.place);
            if let Some(place) = &place {
                let _ = write!(text, " at {}", place.in_line());
            }
            Edit { place, text }
        });
        Repair {
            edits: edits.collect(),
            at_least: search.at_least,
            is_smallest: found.is_some_and(|found| found.is_smallest),
            is_certified: found.is_some_and(|found| found.checked == Checked::Certified),
            gave_up: search.gave_up.map(explain::GaveUp::reason),
        }
    }

    fn core(&self, core: &explain::Core) -> Core {
        let parts = core.components.iter().zip(&core.prefixes).map(|(&component, &prefix)| {
            let total = self.trace.moments(component).count();
            CoreLog { lifelines: self.lifelines(component), prefix, total }
        });
        Core {
            keys: Vec::new(),
            logs: parts.collect(),
            is_smallest: core.is_smallest,
            is_certified: core.checked == Checked::Certified,
        }
    }

    fn lifelines(&self, component: ComponentId) -> Vec<String> {
        lifelines(self.trace.partition(), component, self.pool)
    }

    /// The actions of one moment: `a!m`, or `{a!m, b?m}`.
    fn moment(&self, actions: &[ActionId]) -> String {
        let texts = actions.iter().map(|&it| self.pool.action(it).text(self.pool.signature()));
        let texts: Vec<String> = texts.collect();
        match texts.as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }
}

fn notes(told: &Explanation, effort: Explain) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |topic, text: String| notes.push(Note { topic, text });
    let states = match effort {
        Explain::None | Explain::Short | Explain::First(_) => {
            &told.furthest[..told.furthest.len().min(1)]
        }
        Explain::Full => &told.furthest,
    };
    for state in states {
        let mut text = consumed(state, effort);
        if !state.choices.is_empty() && told.furthest.len() > 1 {
            text.push_str("; it ");
            text.push_str(&state.choices.join(", "));
        }
        if !text.is_empty() {
            note("consumed", text);
        }
    }
    // If the core consists of one log, the note about the core says the same.
    let is_said = told.core.as_ref().is_some_and(|core| core.logs.len() == 1);
    if let [first, ..] = told.alone.as_slice()
        && !is_said
    {
        let names = first.join(" and ");
        note("alone", format!("the log of {names} fails whatever the others saw"));
    }
    if let Some(repair) = &told.repair {
        note("repair", repair_text(repair, told.value.is_some()));
    }
    if let Some(core) = &told.core {
        note("core", core_text(core));
    }
    if let Some(reason) = told.gave_up {
        note("incomplete", format!("{reason}, so more may be known of this than is said here"));
    }
    notes
}

/// How far each log is explained: `a 1/2, b 0/3`. A full explanation also has the next observed and
/// the expected actions.
fn consumed(state: &Situation, effort: Explain) -> String {
    let parts = state.logs.iter().filter(|progress| progress.total > 0).map(|progress| {
        let LogProgress { lifelines, consumed, total, next, expected } = progress;
        let mut text = format!("{} {consumed}/{total}", lifelines.join("+"));
        if let Some(next) = next.as_ref().filter(|_| effort == Explain::Full) {
            let expected = match expected.as_slice() {
                [] => "nothing expected".to_owned(),
                some => format!("expected {}", some.join(" or ")),
            };
            let _ = write!(text, " (next {next}, {expected})");
        }
        text
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// `is_by_value`: the engine decides about values, and there is no other checker.
fn repair_text(repair: &Repair, is_by_value: bool) -> String {
    if !repair.edits.is_empty() {
        let by = if repair.is_certified || is_by_value {
            ""
        } else {
            " (by the engine, not checked again)"
        };
        let edits: Vec<&str> = repair.edits.iter().map(|edit| edit.text.as_str()).collect();
        return format!("{}{by}", edits.join("; then "));
    }
    let is_one_too_few = repair.at_least > 1;
    match (repair.gave_up, is_one_too_few) {
        (Some(reason), false) => format!("none was found, since {reason}"),
        (Some(reason), true) => {
            format!("one edit is not enough, and no more were tried, since {reason}")
        }
        (None, false) => "no repair by up to three edits was found".to_owned(),
        (None, true) => {
            "one edit is not enough, and no repair by two or three was found".to_owned()
        }
    }
}

fn core_text(core: &Core) -> String {
    let parts = core.logs.iter().map(|part| {
        let CoreLog { lifelines, prefix, total } = part;
        let names = lifelines.join("+");
        if prefix < total { format!("{names} (the first {prefix} of {total})") } else { names }
    });
    let parts: Vec<String> = parts.collect();
    if !core.keys.is_empty() {
        // `mid 7: client (the first 3 of 4), broker`
        return format!("{}: {}", core.keys.join(" and "), parts.join(", "));
    }
    match parts.as_slice() {
        [only] => format!("{only} fails alone, whatever the others saw"),
        several => format!("{} fail together", several.join(" and ")),
    }
}
