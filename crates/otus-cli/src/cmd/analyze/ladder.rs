//! From an explanation to what is said about it: names for ids, places for terms and moments.
//!
//! An explanation is worked out with a pool and an engine of its own. Those of a worker know what they
//! learnt from multi-traces before, and what is said about one must not depend on others.

use std::fmt::Write as _;

use otus_analysis::Question;
use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::explain::{self, Checked, Edit, Expected, Headline, Taken};
use otus_core::{Action, ActionId, Pool, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use super::pictures;
use super::plan::{Effort, Plan};
use super::seen::Seen;
use crate::report::html::model::Detail;
use crate::report::model::{
    Core, CorePart, Explanation, LogPlace, Note, Progress, Repair, Situation, SpecPlace,
};
use crate::words::counted;

/// Why a multi-trace fails, and its picture if that is wanted; `None` if that was too much to find out.
pub(super) fn explanation(
    plan: &Plan,
    (effort, is_drawn): (Effort, bool),
    (trace, names): (&MultiTrace, &Pool),
    question: &Question,
    seen: &Seen<'_>,
) -> Option<(Explanation, Option<Detail>)> {
    let mut pool = plan.pool.clone();
    let own = translated(trace, names, &mut pool);
    let mut options =
        explain::Options { max_questions: effort.questions(), ..explain::Options::default() };
    // The furthest situation of a long multi-trace has as many before it.
    let moments = u64::try_from(own.moment_count()).unwrap_or(u64::MAX);
    options.max_situations = options.max_situations.max(moments.saturating_mul(2));
    options.budget = Budget {
        timeout: Some(effort.patience()),
        cancel: plan.budget.cancel.clone(),
        max_bytes: plan.budget.max_bytes,
        ..options.budget
    };
    let found = explain::explain(&mut pool, plan.term, &own, question, &options);
    if found.verdict != Verdict::Fail {
        return None;
    }
    let places = seen.places(trace, plan);
    let picture = is_drawn.then(|| {
        let budget = &options.budget;
        pictures::failure(plan, &mut pool, &own, (question, &found), &places, budget)
    });
    let teller = Teller { plan, pool: &pool, trace: &own, seen: places };
    Some((teller.tell(&found, effort), picture))
}

/// The same multi-trace over another pool with the same lifelines.
fn translated(trace: &MultiTrace, from: &Pool, into: &mut Pool) -> MultiTrace {
    let mut builder = Builder::new(trace.shared_partition().clone(), trace.len(), false);
    for component in trace.partition().components() {
        for moment in trace.moments(component) {
            builder.next_moment();
            for step in moment {
                let Action { lifeline, direction, message } = from.action(step.action());
                let name = from.signature().message_name(message);
                let known = into.signature().message(name);
                let message = known.unwrap_or_else(|| into.add_message(name));
                builder.push(into.intern_action(Action { lifeline, direction, message }), 0);
            }
        }
        builder.next_component();
    }
    builder.finish(SourceId(0))
}

/// Says what is in an explanation.
struct Teller<'a> {
    plan: &'a Plan,
    pool: &'a Pool,
    trace: &'a MultiTrace,
    seen: super::seen::Places<'a>,
}

impl Teller<'_> {
    fn tell(mut self, found: &explain::Explanation, effort: Effort) -> Explanation {
        let headline = found.headline.as_ref();
        let mut told = Explanation {
            rule: headline.map_or("not-explained", |headline| headline.cause.id()),
            cause: headline.map_or("cannot have happened", |headline| headline.cause.name()),
            headline: headline.map_or_else(
                || "no execution of the specification explains this".to_owned(),
                |headline| headline.text.clone(),
            ),
            expected: Vec::new(),
            observed: None,
            related: Vec::new(),
            furthest: found.frontier.states.iter().map(|state| self.situation(state)).collect(),
            alone: found.alone.iter().map(|lone| self.lifelines(lone.component)).collect(),
            repair: None,
            core: None,
            gave_up: found.gave_up.map(explain::GaveUp::reason),
            notes: Vec::new(),
        };
        if let Some(headline) = headline {
            told.expected = self.expected(headline);
            told.observed = self.observed(headline);
            told.related = self.related(headline);
        }
        told.repair = found.repair.as_ref().map(|search| self.repair(search));
        told.core = found.core.as_ref().map(|core| self.core(core));
        told.notes = notes(&told, effort);
        told
    }

    /// What would have been right, where the specification has it: each place once.
    fn expected(&self, headline: &Headline) -> Vec<SpecPlace> {
        let mut places: Vec<SpecPlace> = Vec::new();
        for expected in headline.expected.iter().chain(&headline.first) {
            let Some(place) = self.spec_place(expected) else { continue };
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

    fn spec_place(&self, expected: &Expected) -> Option<SpecPlace> {
        let (place, text, span) =
            self.plan.spec.excerpt(expected.term, expected.within, expected.places)?;
        Some(SpecPlace { place, text, span, action: self.moment(&expected.moment) })
    }

    fn observed(&mut self, headline: &Headline) -> Option<LogPlace> {
        let count = self.trace.moments(headline.component).count();
        if headline.moment < count {
            let role = if headline.expected.is_empty() { "observed" } else { "observed instead" };
            return self.log_place(headline.component, headline.moment, role);
        }
        self.log_place(headline.component, count.checked_sub(1)?, "the log ends after")
    }

    /// The other end of a message, if it was observed.
    fn related(&mut self, headline: &Headline) -> Vec<LogPlace> {
        let Some(other) = headline.counterpart else { return Vec::new() };
        let mut moments = self.trace.moments(other.component).enumerate();
        let found = moments.find(|(_, steps)| steps.iter().any(|s| s.action() == other.action));
        let Some((moment, _)) = found else { return Vec::new() };
        self.log_place(other.component, moment, "the other end").into_iter().collect()
    }

    /// Where a moment was read.
    fn log_place(
        &mut self,
        component: ComponentId,
        moment: usize,
        role: &'static str,
    ) -> Option<LogPlace> {
        let steps: usize = self.trace.moments(component).take(moment).map(<[_]>::len).sum();
        let actions: Vec<ActionId> =
            self.trace.moments(component).nth(moment)?.iter().map(|step| step.action()).collect();
        let first = self.pool.action(*actions.first()?).text(self.pool.signature());
        let (place, text, span) = self.seen.excerpt(component, steps, &first)?;
        let (lifelines, action) = (self.lifelines(component), self.moment(&actions));
        let is_within = self.seen.is_case();
        Some(LogPlace { place, text, span, lifelines, action, role, is_within })
    }

    fn situation(&self, state: &explain::Reached) -> Situation {
        let components = state.components.iter().map(|progress| Progress {
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
        Situation { components: components.collect(), choices: choices.collect() }
    }

    /// Where a term is, if that is known: ` at flow.mmd:7`.
    fn at(&self, term: TermId) -> String {
        match self.plan.spec.excerpt(term, None, 1) {
            Some((place, ..)) => format!(" at {}:{}", place.file, place.line),
            None => String::new(),
        }
    }

    fn repair(&mut self, search: &explain::repair::Search) -> Repair {
        let gave_up = search.gave_up.map(explain::GaveUp::reason);
        let Some(found) = &search.found else {
            return Repair {
                edits: Vec::new(),
                places: Vec::new(),
                at_least: search.at_least,
                is_smallest: false,
                is_certified: false,
                gave_up,
            };
        };
        let mut places = Vec::new();
        let mut edits = found.text(self.trace, self.pool);
        for ((edit, &moment), text) in found.edits.iter().zip(&found.places).zip(&mut edits) {
            let at_moment = !matches!(edit, Edit::StoppedEarly { .. });
            let place = self.log_place(edit.component(), moment, "").filter(|_| at_moment);
            if let Some(LogPlace { place, .. }) = &place {
                let _ = write!(text, " at {}:{}", place.file, place.line);
            }
            places.push(place.map(|place| place.place));
        }
        Repair {
            edits,
            places,
            at_least: search.at_least,
            is_smallest: found.is_smallest,
            is_certified: found.checked == Checked::Certified,
            gave_up,
        }
    }

    fn core(&self, core: &explain::Core) -> Core {
        let parts = core.components.iter().zip(&core.prefixes).map(|(&component, &prefix)| {
            let total = self.trace.moments(component).count();
            CorePart { lifelines: self.lifelines(component), prefix, total }
        });
        Core {
            components: parts.collect(),
            is_smallest: core.is_smallest,
            is_certified: core.checked == Checked::Certified,
        }
    }

    fn lifelines(&self, component: ComponentId) -> Vec<String> {
        let lifelines = self.trace.partition().lifelines(component).iter();
        lifelines
            .map(|&lifeline| self.pool.signature().lifeline_name(lifeline).to_owned())
            .collect()
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

/// The ladder below the headline, in words.
fn notes(told: &Explanation, effort: Effort) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |topic, text: String| notes.push(Note { topic, text });
    let states = match effort {
        Effort::Short => &told.furthest[..told.furthest.len().min(1)],
        Effort::Full => &told.furthest,
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
    // A core of one says the same.
    let is_said = told.core.as_ref().is_some_and(|core| core.components.len() == 1);
    if let [first, ..] = told.alone.as_slice()
        && !is_said
    {
        let names = first.join(" and ");
        note("alone", format!("the log of {names} fails whatever the others saw"));
    }
    if let Some(repair) = &told.repair {
        note("repair", repair_text(repair));
    }
    if let Some(core) = &told.core {
        note("core", core_text(core));
    }
    if let Some(reason) = told.gave_up {
        note("incomplete", format!("{reason}, so more may be known of this than is said here"));
    }
    notes
}

/// `a 1/2, b 0/3`, with what was next and what was expected if somebody wants to know all.
fn consumed(state: &Situation, effort: Effort) -> String {
    let parts = state.components.iter().filter(|progress| progress.total > 0).map(|progress| {
        let Progress { lifelines, consumed, total, next, expected } = progress;
        let mut text = format!("{} {consumed}/{total}", lifelines.join("+"));
        match (effort, next) {
            (Effort::Full, Some(next)) if expected.is_empty() => {
                let _ = write!(text, " (next {next}, nothing expected)");
            }
            (Effort::Full, Some(next)) => {
                let _ = write!(text, " (next {next}, expected {})", expected.join(" or "));
            }
            (Effort::Full, None) | (Effort::Short, _) => {}
        }
        text
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn repair_text(repair: &Repair) -> String {
    if !repair.edits.is_empty() {
        let by = if repair.is_certified { "" } else { " (by the engine, not checked again)" };
        return format!("{}{by}", repair.edits.join("; then "));
    }
    let least = match repair.at_least {
        0 | 1 => String::new(),
        least => format!("; it takes at least {}", counted(least, "edit")),
    };
    match repair.gave_up {
        Some(reason) => format!("none was found, since {reason}{least}"),
        None => format!("none of up to three edits was found{least}"),
    }
}

fn core_text(core: &Core) -> String {
    let parts = core.components.iter().map(|part| {
        let CorePart { lifelines, prefix, total } = part;
        let names = lifelines.join("+");
        if prefix < total { format!("{names} (the first {prefix} of {total})") } else { names }
    });
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [only] => format!("{only} fails alone, whatever the others saw"),
        several => format!("{} fail together", several.join(" and ")),
    }
}
