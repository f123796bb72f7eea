//! From a specification and what was observed to an outcome.

use otus_analysis::budget::Budget;
use otus_analysis::explain::{self, explain};
use otus_analysis::{Engine, Question, engine};
use otus_core::{Action, LifelineId, Pool};
use otus_syntax::SourceId;
use otus_syntax::source::offset;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use crate::error::Error;
use crate::options::{self, Options};
use crate::outcome::{Outcome, Place, Verdict};
use crate::run::Run;
use crate::spec::Spec;
use crate::tell::Teller;

/// How many events of a log are listed below a failure.
const LISTED: usize = 24;

/// Checks a run.
pub(crate) fn run(spec: &Spec, run: &Run, options: &Options) -> Result<Outcome, Error> {
    let mut pool = spec.pool().clone();
    let trace = trace(spec, &mut pool, run, options)?;
    let question = options.question(spec, trace.partition())?;
    let place = |index: usize| {
        let event = run.events.get(index)?;
        let (file, line) = (event.at.file().to_owned(), event.at.line() as usize);
        Some(Place { file, line, column: None })
    };
    let mut engine = Engine::new(&pool, spec.term(), trace.partition(), engine::Options::default());
    let asked = Asked { spec, trace: &trace, question: &question, budget: &options.budget };
    let mut outcome = asked.answer(&mut engine, &mut pool, &place);
    if let Some(failure) = &mut outcome.failure {
        let lines = run.lines(LISTED);
        failure.notes.extend(lines.into_iter().map(|line| ("recorded", line)));
    }
    Ok(outcome)
}

/// A question about one multi-trace.
pub(crate) struct Asked<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) question: &'a Question,
    pub(crate) budget: &'a Budget,
}

impl Asked<'_> {
    /// The answer. The place of a step of the multi-trace is a number that `place` knows.
    pub(crate) fn answer(
        &self,
        engine: &mut Engine,
        pool: &mut Pool,
        place: &dyn Fn(usize) -> Option<Place>,
    ) -> Outcome {
        let Asked { spec, trace, question, budget } = *self;
        let found = engine.analyze(trace, question, budget);
        let mut outcome = Outcome {
            verdict: Verdict::of(found.verdict),
            events: trace.len(),
            failure: None,
            assumed: Vec::new(),
            reason: None,
        };
        match outcome.verdict {
            Verdict::Pass => {}
            Verdict::Undecided => outcome.reason = Some(found.stop.reason()),
            Verdict::Fail | Verdict::WeakPass => {
                let mut limits = explain::Options::default();
                // The limits on questions and states are reached long before, and are the same
                // everywhere; this is for questions of which a single one takes long.
                limits.budget.timeout = Some(budget.timeout.unwrap_or(PATIENCE));
                limits.budget.cancel.clone_from(&budget.cancel);
                let why = explain(pool, spec.term(), trace, question, &limits);
                let teller = Teller { spec, pool, trace, place };
                if outcome.verdict == Verdict::Fail {
                    outcome.failure = Some(Box::new(teller.failure(&why)));
                } else {
                    outcome.assumed = teller.assumed(&why);
                }
            }
        }
        outcome
    }
}

/// How long an explanation may take if nobody says how long a check may.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// The multi-trace of a run. The place of a step is the number of its event.
fn trace(spec: &Spec, pool: &mut Pool, run: &Run, options: &Options) -> Result<MultiTrace, Error> {
    let partition = options.partition(spec)?;
    let ignored: Vec<bool> = run.lifelines().map(|name| options.ignores(name)).collect();
    let known: Vec<Option<LifelineId>> = run.lifelines().map(|name| spec.lifeline(name)).collect();
    let mut acts = vec![false; known.len()];
    let mut logs: Vec<Vec<(usize, Action)>> = vec![Vec::new(); partition.len()];
    for (index, event) in run.events.iter().enumerate() {
        let number = event.lifeline.0 as usize;
        acts[number] = true;
        let Some(lifeline) = known[number].filter(|_| !ignored[number]) else { continue };
        let message = pool.add_message(&event.message);
        let action = Action { lifeline, direction: event.direction, message };
        let ComponentId(component) = partition.component_of(lifeline);
        logs[component as usize].push((index, action));
    }
    let strangers = run.lifelines().enumerate();
    let strangers = strangers.filter(|&(it, _)| acts[it] && !ignored[it] && known[it].is_none());
    let strangers: Vec<&str> = strangers.map(|(_, name)| name).collect();
    if let [first, others @ ..] = strangers.as_slice() {
        let others = match others {
            [] => String::new(),
            others => format!(" (nor `{}`)", others.join("`, `")),
        };
        return Err(Error::Unfit(format!(
            "{}{others}; Options::ignore leaves out what it records",
            options::unknown(spec, first)
        )));
    }
    let mut builder = Builder::new(partition, run.len(), true);
    for log in logs {
        for (index, action) in log {
            builder.next_moment();
            let action = pool.intern_action(action);
            builder.push(action, offset(index));
        }
        builder.next_component();
    }
    Ok(builder.finish(SourceId(0)))
}
