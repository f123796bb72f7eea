//! One run, looked at closely: what a person asks who explores a failure.
//!
//! A [`Study`] holds one multi-trace of a request with its case, and answers further questions about it: which line is matched
//! with which message, step by step ([`Study::steps`]); why an event or a message cannot be matched at a step
//! ([`Study::why_not`]); and what its logs look like after the repair ([`Study::repaired_logs`]). The verdict, its
//! explanation and its picture are those of [`analyze`](crate::analyze): the same worker makes them.
//!
//! *Values.* The engine behind the further questions knows names and order. If the specification has guards, they are not
//! regarded in [`Study::why_not`], and its answer says so.

mod open;
mod repaired;
mod steps;
#[cfg(test)]
mod tests;
mod why_not;

use std::sync::Arc;

use otus_analysis::engine::{Engine, Options};
use otus_analysis::question::Observed;
use otus_analysis::{Question, Verdict};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::{Action, ActionId, Direction, Pool, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::order::{OrderError, PartialOrder, from_multi_trace};
use otus_trace::run::Group;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;

pub use repaired::{LogChange, RepairedLogs};
pub use steps::{RunEvent, RunLog, Step, StepState, Steps};
pub use why_not::{Before, Possible, Reason, Target, WhyNot};

use super::places::{From, Places};
use super::plan::Plan;
use crate::case::{Case, Place};
use crate::compare::{EventRef, RunEvents};
use crate::picture::{Picture, PictureFormat, PictureStyle};

/// One run of a request, with its case.
pub struct Study {
    plan: Arc<Plan>,
    /// A pool that has the names of all messages of the run.
    pool: Pool,
    term: TermId,
    trace: MultiTrace,
    question: Question,
    held: Held,
    case: Case,
}

/// The run as it was read.
#[derive(Debug)]
enum Held {
    Raw(Box<Group>),
    /// A line of a case file.
    Case {
        file: String,
        line: usize,
        text: String,
    },
    File {
        path: String,
    },
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Study").field("case", &self.case.id).finish_non_exhaustive()
    }
}

impl Held {
    fn from(&self) -> From<'_> {
        match self {
            Held::Raw(group) => From::Raw { group },
            Held::Case { file, line, text } => From::Case { file, line: *line, text },
            Held::File { path } => From::File { path },
        }
    }
}

impl Study {
    /// The case, with its explanation.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// The picture of the case as an `<svg>` element for a page. Ids in it begin with `id`; that of event 3 is `id-event-3`.
    pub fn svg_in_page(&self, id: &str) -> Option<String> {
        let picture = self.case.picture.as_ref()?;
        let limits = &crate::case::picture::LIMITS;
        let scene = otus_draw::layout::failure::failure(&picture.diagram, limits);
        Some(otus_draw::svg_in_page(&scene, id))
    }

    /// The picture of the case as a file.
    pub fn picture(&self, format: PictureFormat, style: &PictureStyle) -> Option<Picture> {
        self.case.picture(format, style)
    }

    /// The file with the interaction, and its text. `None` with several specifications.
    pub fn specification(&self) -> Option<(String, String)> {
        let source = self.plan.covering.as_ref()?.source();
        Some((source.name().to_owned(), source.text().to_owned()))
    }

    /// The order of the events by their messages.
    pub(crate) fn partial_order(&self) -> Result<PartialOrder, OrderError> {
        from_multi_trace(&self.trace, &self.pool, None).map(|paired| paired.order)
    }

    /// The events of the run and its messages, to be compared with those of another run.
    pub fn run_events(&self, steps: &Steps) -> RunEvents {
        let name = |log: &RunLog| log.lifelines.join("+");
        let events = |log: &RunLog| log.events.iter().map(|event| event.action.clone()).collect();
        let logs = steps.logs.iter().map(|log| (name(log), events(log))).collect();
        RunEvents { logs, messages: self.messages() }
    }

    /// The messages of the run: emissions with their receptions, as far as logs or the specification tell them.
    fn messages(&self) -> Vec<(EventRef, EventRef)> {
        let Some(picture) = &self.case.picture else { return Vec::new() };
        let numbers = self.numbers(false);
        let by_number: FxHashMap<usize, (usize, usize)> =
            numbers.into_iter().map(|(at, number)| (number, at)).collect();
        let event = |number: usize| {
            let &(log, step) = by_number.get(&number)?;
            Some((log, self.moment_at(ComponentId::new(log), step)))
        };
        let messages = picture.diagram.messages.iter();
        messages.filter_map(|message| Some((event(message.from)?, event(message.to)?))).collect()
    }

    /// The sender, the receiver and the name of the message of an event, as far as they are known.
    pub(crate) fn ends(&self, at: EventRef) -> Option<(String, String, String)> {
        let component = ComponentId::new(at.0);
        let moment = self.trace.moments(component).nth(at.1)?;
        let action = self.pool.action(moment.first()?.action());
        let signature = self.pool.signature();
        let own = signature.lifeline_name(action.lifeline).to_owned();
        let message = signature.message_name(action.message).to_owned();
        let counterpart = self
            .messages()
            .into_iter()
            .find_map(|(from, to)| if from == at { Some(to) } else { (to == at).then_some(from) });
        let other = match counterpart {
            Some((log, event)) => {
                let moment = self.trace.moments(ComponentId::new(log)).nth(event)?;
                self.pool.action(moment.first()?.action()).lifeline
            }
            // Another log that has the other end of such a message.
            None => {
                let wanted = |it: &Action| {
                    it.message == action.message
                        && it.direction != action.direction
                        && it.lifeline != action.lifeline
                };
                let mut ends = self.trace.actions().map(|it| self.pool.action(it)).filter(wanted);
                ends.next()?.lifeline
            }
        };
        let other = signature.lifeline_name(other).to_owned();
        Some(match action.direction {
            Direction::Emission => (own, other, message),
            Direction::Reception => (other, own, message),
        })
    }

    /// The moment that an action of a log belongs to.
    fn moment_at(&self, component: ComponentId, step: usize) -> usize {
        self.trace.steps(component)[..=step].iter().filter(|it| !it.joined()).count() - 1
    }

    fn places(&self) -> Places<'_> {
        self.held.from().places(&self.trace, &self.plan)
    }

    fn budget(&self) -> Budget {
        self.plan.budget.started()
    }

    /// What is declared about each log.
    fn declared(&self) -> Vec<Observed> {
        let components = self.trace.partition().components();
        components.map(|component| self.question.of(component)).collect()
    }

    /// The names of the lifelines of a log.
    fn lifelines(&self, component: ComponentId) -> Vec<String> {
        super::lifelines(self.trace.partition(), component, &self.pool)
    }

    fn action_text(&self, action: ActionId) -> String {
        self.pool.action(action).text(self.pool.signature())
    }

    /// The actions of a moment in words.
    fn moment_text(&self, actions: &[ActionId]) -> String {
        let texts: Vec<String> = actions.iter().map(|&action| self.action_text(action)).collect();
        match texts.as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }

    /// For each log: how many of its moments the furthest situation explains; all of them unless the run fails.
    fn consumed(&self) -> Vec<usize> {
        let partition = self.trace.partition();
        let all: Vec<usize> =
            partition.components().map(|component| self.trace.moments(component).count()).collect();
        if self.case.verdict != Verdict::Fail {
            return all;
        }
        let mut consumed = vec![0; all.len()];
        let situation = self.case.failure().and_then(|it| it.furthest.first());
        for component in partition.components() {
            let (at, names) = (component.index(), self.lifelines(component));
            let progress =
                situation.and_then(|it| it.logs.iter().find(|log| log.lifelines == names));
            let reached = self.case.furthest.iter().find(|log| log.lifelines == names);
            consumed[at] = match (situation, progress, reached) {
                (Some(_), progress, _) => progress.map_or(0, |it| it.consumed),
                (None, _, Some(reached)) => self.moments_of(component, reached.explained),
                // Only the order between logs is wrong, or a value.
                (None, _, None) => all[at],
            };
        }
        consumed
    }

    /// The number of whole moments in so many actions of a log.
    fn moments_of(&self, component: ComponentId, actions: usize) -> usize {
        let ends = self.trace.moments(component).scan(0, |end, moment| {
            *end += moment.len();
            Some(*end)
        });
        ends.take_while(|&end| end <= actions).count()
    }

    /// The index of the first action of a moment in its log.
    fn step_of(&self, component: ComponentId, moment: usize) -> usize {
        self.trace.moments(component).take(moment).map(<[_]>::len).sum()
    }

    /// The first moments of each log, and one more moment at the end of one.
    fn prefix(&self, lengths: &[usize], more: Option<(ComponentId, &[ActionId])>) -> MultiTrace {
        let trace = &self.trace;
        let mut builder = Builder::new(trace.shared_partition().clone(), trace.len() + 1, false);
        for component in trace.partition().components() {
            for moment in trace.moments(component).take(lengths[component.index()]) {
                builder.next_moment();
                for step in moment {
                    builder.push(step.action(), 0);
                }
            }
            if let Some((_, actions)) = more.filter(|(to, _)| *to == component) {
                builder.next_moment();
                for &action in actions {
                    builder.push(action, 0);
                }
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    fn engine(&self) -> Engine {
        Engine::new(&self.pool, self.term, self.trace.partition(), Options::default())
    }

    /// The place of an action of a log, and the text of its line.
    fn event_place(
        &self,
        places: &Places<'_>,
        component: ComponentId,
        step: usize,
    ) -> (Option<Place>, Option<String>) {
        let action =
            self.trace.steps(component).get(step).map(|step| self.action_text(step.action()));
        if let Held::Raw(group) = &self.held {
            let at = group.place(&self.trace, component, step);
            return match at.and_then(|at| super::places::raw_line(&self.plan, at)) {
                Some((place, text)) => (Some(place), text.map(cut_line)),
                None => (None, None),
            };
        }
        match places.excerpt(component, step, &action.unwrap_or_default()) {
            Some((place, text, _)) => (Some(place), text.map(cut_line)),
            None => (None, None),
        }
    }
}

/// The most characters of a line of a log that are shown.
const LONGEST: usize = 400;

fn cut_line(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The declaration of a log of which only a prefix is looked at.
fn cut(observed: Observed) -> Observed {
    match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    }
}
