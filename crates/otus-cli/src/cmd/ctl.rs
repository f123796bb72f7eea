//! `otus ctl`: CTL over the cuts of a partial-order trace.
//!
//! The trace and the formulas are read ([`read`]); one checker answers all formulas, one after the
//! other, and each [`answer`] is printed as soon as it is there. [`words`] says what an answer means,
//! [`story`] tells a run event by event.

mod answer;
mod formula_text;
mod read;
mod story;
mod tally;
mod wait;
mod words;

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use otus_core::budget::Cancel;
use otus_core::budget::{Budget, Stop};
use otus_ctl::{Arrangement, Checker, Closure, Engine, Formulas, Options, certify};
use otus_draw::layout::order::{self, cuts_of, space_time};
use otus_trace::order::{PartialOrder, Writes};

use crate::args::{CtlArgs, CtlClosure, CtlEngine, ProcessOrder, ResultFormat};
use crate::shell::Shell;
use crate::exit::Exit;
use crate::picture::{Look, PictureFormat};
use crate::{interrupt, output};
use answer::{Answer, Cuts};
use read::{Asked, Question};
use tally::Tally;
use wait::Wait;

pub(crate) fn run(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let start = Instant::now();
    if args.patterns {
        output::print(&words::patterns())?;
        return Ok(Exit::Success);
    }
    let plan = Plan::new(args)?;
    let Some(Question { trace, formulas, asked, logs }) = read::read(args, color)? else {
        return Ok(Exit::Error);
    };
    if asked.is_empty() {
        bail!(
            "no formula is given: write one after the trace, name a file of them with --file, or \
             have [properties] in otus.toml"
        );
    }
    let mut tally = Tally::new(&trace, asked.len(), logs);
    let found = plan.answer(&trace, formulas, &asked, &mut tally)?;
    if args.format == ResultFormat::Json {
        output::print(&format!("{}\n", answer::document(&found, &tally)))?;
    }
    output::complain(&tally.text(start.elapsed()));
    Ok(tally.exit(args.fail_on))
}

/// An answer for another command.
#[derive(Debug)]
pub(super) struct Decided {
    /// Whether the formula holds, if that is decided.
    pub(super) holds: Option<bool>,
    /// The answer as it is printed.
    pub(super) text: String,
}

/// The answers to a call, for another command; nothing if something is wrong with it, which has been
/// told.
pub(super) fn decide(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Option<Vec<Decided>>> {
    let plan = Plan::new(args)?;
    let Some(Question { trace, formulas, asked, .. }) = read::read(args, color)? else {
        return Ok(None);
    };
    let mut checker = Checker::new(&trace, formulas);
    let mut all = Vec::new();
    for asked in &asked {
        let answer = plan.one(&mut checker, asked)?;
        let text = answer.text(asked, &trace, &checker.formulas);
        all.push(Decided { holds: answer.holds, text });
    }
    Ok(Some(all))
}

/// A partial-order trace from a file; nothing if something is wrong with it, which has been told.
pub(super) fn read_trace(name: &str, shell: &Shell) -> anyhow::Result<Option<PartialOrder>> {
    read::trace(name, Writes::Checked, color)
}

/// How many cuts of a run are drawn.
const MOST_CUTS: usize = 12;

/// What is to be done with every formula.
struct Plan<'a> {
    args: &'a CtlArgs,
    options: Options,
    timeout: Option<Duration>,
    cancel: Cancel,
    look: Look,
}

impl<'a> Plan<'a> {
    fn new(args: &'a CtlArgs) -> anyhow::Result<Self> {
        let timeout = match args.timeout {
            Some(seconds) => Some(
                Duration::try_from_secs_f64(seconds)
                    .context("--timeout takes a number of seconds")?,
            ),
            None => None,
        };
        if let Some(path) = args.draw.as_deref().filter(|path| PictureFormat::of(path).is_none()) {
            bail!("--draw writes .svg and .png files, not {path}");
        }
        if args.closure.is_some() && args.engine != CtlEngine::Ist {
            bail!("--closure is about the engine `ist`; add --engine ist");
        }
        if args.draw.is_none() {
            Look::note_idle(&args.picture, "add --draw FILE");
        }
        let cancel = interrupt::token()?;
        let options = Options {
            engine: match args.engine {
                CtlEngine::Auto => Engine::Auto,
                CtlEngine::Interval => Engine::Interval,
                CtlEngine::Explicit => Engine::Explicit,
                CtlEngine::Ist => Engine::Ist,
            },
            slice: !args.no_slice,
            arrangement: match args.process_order {
                ProcessOrder::Given => Arrangement::Given,
                ProcessOrder::Greedy => Arrangement::Greedy,
            },
            budget: Budget {
                max_states: args.max_nodes,
                max_bytes: Some(args.memory.saturating_mul(1 << 20)),
                cancel: cancel.clone(),
                ..Budget::default()
            },
            closure: match args.closure.unwrap_or(CtlClosure::Downward) {
                CtlClosure::Downward => Closure::Downward,
                CtlClosure::Fixpoint => Closure::Fixpoint,
            },
        };
        Ok(Plan { args, options, timeout, cancel, look: Look::new(&args.picture)? })
    }

    /// Answers all formulas, and prints the answers unless they belong to one document, which are
    /// returned.
    fn answer(
        &self,
        trace: &PartialOrder,
        formulas: Formulas,
        asked: &[Asked],
        tally: &mut Tally,
    ) -> anyhow::Result<Vec<String>> {
        // Only now: whoever waits for input to be read can end that in the usual way.
        let wait = Wait::new(asked.len());
        let mut checker = Checker::new(trace, formulas);
        let mut documents = Vec::new();
        let mut undrawn = self.args.draw.as_deref();
        for (index, asked) in asked.iter().enumerate() {
            wait.begin(index, &asked.property.text);
            let answer = self.one(&mut checker, asked)?;
            wait.end();
            tally.count(&answer);
            if let (Some(path), Some(evidence)) = (undrawn, answer.evidence.first()) {
                let cuts = cuts_of(trace, evidence, MOST_CUTS);
                let mut scene =
                    space_time(trace, &order::Options { cuts: &cuts, ..order::Options::default() });
                scene.title = format!("A run that shows {}", asked.property.text);
                self.look.write(&scene, path)?;
                undrawn = None;
            }
            let formulas = &checker.formulas;
            match self.args.format {
                ResultFormat::Text => {
                    let distance = if index > 0 { "\n" } else { "" };
                    let text = answer.text(asked, trace, formulas);
                    output::print(&format!("{distance}{text}"))?;
                }
                ResultFormat::Jsonl => {
                    output::print(&format!("{}\n", answer.json(asked, trace, formulas)))?;
                }
                ResultFormat::Json => documents.push(answer.json(asked, trace, formulas)),
            }
        }
        if let Some(path) = undrawn {
            output::complain(&format!("{path} was not written: no answer is shown by a run"));
        }
        Ok(documents)
    }

    fn one(&self, checker: &mut Checker<'_>, asked: &Asked) -> anyhow::Result<Answer> {
        let start = Instant::now();
        let mut answer = Answer::new(engine_name(self.options.engine));
        if self.cancel.is_cancelled() {
            answer.stop = Some(Stop::Cancelled);
            return Ok(answer);
        }
        let mut options = self.options.clone();
        options.budget.deadline = self.timeout.and_then(|timeout| start.checked_add(timeout));
        let formula = asked.property.formula;
        match checker.check(formula, &options) {
            Ok(found) => {
                answer.holds = Some(found.holds);
                answer.visible = found.visible;
            }
            Err(stop) => answer.stop = Some(stop),
        }
        answer.elapsed = start.elapsed();
        if self.args.all {
            match checker.satisfying(formula, self.args.limit, &options) {
                Ok(found) => answer.cuts = Cuts::Listed(found),
                Err(stop) => answer.uncounted = Some(stop),
            }
        } else if self.args.count {
            match checker.count(formula, &options) {
                Ok(counts) => answer.cuts = Cuts::Counted(counts),
                Err(stop) => answer.uncounted = Some(stop),
            }
        }
        let Some(holds) = answer.holds else { return Ok(answer) };
        if !self.args.no_witness && story::can_be_shown(&checker.formulas, formula, holds) {
            match checker.explain(formula, &options) {
                Ok(explanation) => {
                    let checked =
                        certify(checker.trace(), &checker.formulas, formula, &explanation);
                    match checked {
                        Ok(checked) if explanation.holds == holds => {
                            answer.trusted = checked.trusted;
                            answer.evidence = explanation.evidence;
                        }
                        Ok(_) => bail!(bug(asked, "it says the opposite of the answer")),
                        Err(fault) => bail!(bug(asked, &fault.to_string())),
                    }
                }
                Err(stop) => answer.unexplained = Some(stop),
            }
        }
        Ok(answer)
    }
}

fn bug(asked: &Asked, fault: &str) -> String {
    format!(
        "a bug in Otus: the run that should show why `{}` holds or not is not accepted ({fault}); \
         please report it with the trace and the formula",
        asked.property.text
    )
}

fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Auto | Engine::Interval => "interval",
        Engine::Explicit => "explicit",
        Engine::Ist => "ist",
    }
}
