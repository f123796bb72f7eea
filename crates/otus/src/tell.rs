//! From an explanation to what is said about it: names for ids, places for terms and moments.

use std::fmt::Write as _;

use otus_analysis::explain::{self, Checked, Edit, Explanation, Headline};
use otus_core::{ActionId, Pool};
use otus_trace::{ComponentId, MultiTrace};

use crate::outcome::{Expected, Failure, Place};
use crate::spec::Spec;

/// How many assumed events are listed.
const ASSUMED: usize = 100;

/// Says what is in an explanation.
pub(crate) struct Teller<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) pool: &'a Pool,
    pub(crate) trace: &'a MultiTrace,
    /// Where the step with a given number was observed.
    pub(crate) place: &'a dyn Fn(usize) -> Option<Place>,
}

impl Teller<'_> {
    pub(crate) fn failure(&self, why: &Explanation) -> Failure {
        let mut told = Failure {
            cause: "not-explained",
            headline: "no execution of the specification explains this".to_owned(),
            expected: Vec::new(),
            observed: None,
            observed_at: None,
            repair: Vec::new(),
            core: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(headline) = &why.headline {
            told.cause = headline.cause.id();
            told.headline.clone_from(&headline.text);
            told.expected = self.expected(headline);
            self.observed(headline, &mut told);
        }
        if let Some(state) = why.frontier.states.first() {
            let logs = state.components.iter().filter(|progress| progress.total > 0);
            let logs = logs.map(|progress| {
                let names = self.lifelines(progress.component).join("+");
                format!("{names} {}/{}", progress.consumed, progress.total)
            });
            let logs = logs.collect::<Vec<_>>().join(", ");
            if !logs.is_empty() {
                told.notes.push(("consumed", logs));
            }
        }
        if let Some(search) = &why.repair {
            let text = self.repair(search, &mut told.repair);
            told.notes.push(("repair", text));
        }
        if let Some(core) = &why.core {
            let names = core.components.iter().map(|&component| self.lifelines(component));
            let names: Vec<Vec<String>> = names.collect();
            told.core = names.iter().flatten().cloned().collect();
            let parts: Vec<String> = names.iter().map(|names| names.join("+")).collect();
            told.notes.push((
                "core",
                match parts.as_slice() {
                    [only] => format!("{only} fails alone, whatever the others saw"),
                    several => format!("{} fail together", several.join(" and ")),
                },
            ));
        }
        if let Some(gave_up) = why.gave_up {
            let reason = gave_up.reason();
            let text = format!("{reason}, so more may be known of this than is said here");
            told.notes.push(("incomplete", text));
        }
        told
    }

    /// What a weak pass takes to be missing.
    pub(crate) fn assumed(&self, why: &Explanation) -> Vec<String> {
        let components = why.assumed.iter().flat_map(|assumed| &assumed.components);
        let moments = components.flat_map(|missing| missing.before.iter().chain(&missing.after));
        moments.take(ASSUMED).map(|moment| self.moment(moment)).collect()
    }

    /// What would have been right, where the specification has it: each place once.
    fn expected(&self, headline: &Headline) -> Vec<Expected> {
        let mut all: Vec<Expected> = Vec::new();
        for one in headline.expected.iter().chain(&headline.first) {
            let Some((place, text, span)) = self.spec.excerpt(one.term, one.within, one.places)
            else {
                continue;
            };
            let action = self.moment(&one.moment);
            match all.iter_mut().find(|known| known.place == place) {
                Some(known) if known.action != action => {
                    // Writing to a string cannot fail.
                    let _ = write!(known.action, " or {action}");
                }
                Some(_) => {}
                None => all.push(Expected { action, place, text, span }),
            }
        }
        all.truncate(3);
        all
    }

    /// What was observed at the fault, and at the other end of a message.
    fn observed(&self, headline: &Headline, told: &mut Failure) {
        let count = self.trace.moments(headline.component).count();
        let (moment, role) = if headline.moment < count {
            let role = if headline.expected.is_empty() { "observed" } else { "observed instead" };
            (Some(headline.moment), role)
        } else {
            (count.checked_sub(1), "the log ends after")
        };
        let seen = moment.and_then(|moment| self.seen(headline.component, moment));
        if let Some((action, place)) = seen {
            told.notes.push((role, at(&action, place.as_ref())));
            if headline.moment < count {
                (told.observed, told.observed_at) = (Some(action), place);
            }
        }
        let Some(other) = headline.counterpart else { return };
        let mut moments = self.trace.moments(other.component);
        let there = moments.position(|steps| steps.iter().any(|s| s.action() == other.action));
        if let Some((action, place)) = there.and_then(|moment| self.seen(other.component, moment)) {
            told.notes.push(("the other end", at(&action, place.as_ref())));
        }
    }

    /// A moment that was observed, and where.
    fn seen(&self, component: ComponentId, moment: usize) -> Option<(String, Option<Place>)> {
        let before: usize = self.trace.moments(component).take(moment).map(<[_]>::len).sum();
        let steps = self.trace.moments(component).nth(moment)?;
        let actions: Vec<ActionId> = steps.iter().map(|step| step.action()).collect();
        let number = self.trace.place(component, before).map(|(_, number)| number as usize);
        Some((self.moment(&actions), number.and_then(self.place)))
    }

    /// A repair in words, and edit by edit.
    fn repair(&self, search: &explain::repair::Search, edits: &mut Vec<String>) -> String {
        let Some(found) = &search.found else {
            let least = match search.at_least {
                0 | 1 => String::new(),
                least => format!("; it takes at least {least} edits"),
            };
            return match search.gave_up {
                Some(gave_up) => format!("none was found, since {}{least}", gave_up.reason()),
                None => format!("none of up to three edits was found{least}"),
            };
        };
        let mut texts = found.text(self.trace, self.pool);
        edits.clone_from(&texts);
        for ((edit, &moment), text) in found.edits.iter().zip(&found.places).zip(&mut texts) {
            let is_at_moment = !matches!(edit, Edit::StoppedEarly { .. });
            let place = self.seen(edit.component(), moment).filter(|_| is_at_moment);
            if let Some((_, Some(place))) = place {
                let _ = write!(text, " at {place}");
            }
        }
        let by = match found.checked {
            Checked::Certified => "",
            Checked::EngineOnly => " (by the engine, not checked again)",
        };
        format!("{}{by}", texts.join("; then "))
    }

    fn lifelines(&self, component: ComponentId) -> Vec<String> {
        let lifelines = self.trace.partition().lifelines(component).iter();
        lifelines.map(|&it| self.pool.signature().lifeline_name(it).to_owned()).collect()
    }

    /// The actions of one moment: `a!m`, or `{a!m, b?m}`.
    fn moment(&self, actions: &[ActionId]) -> String {
        let texts = actions.iter().map(|&it| self.pool.action(it).text(self.pool.signature()));
        match texts.collect::<Vec<_>>().as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }
}

fn at(action: &str, place: Option<&Place>) -> String {
    place.map_or_else(|| action.to_owned(), |place| format!("{action} at {place}"))
}
