//! Checks formulas over a trace, one after another.
//!
//! A formula is checked first; then its cuts are counted and its verdict is explained, under the same limits. The
//! explanation is certified: an independent checker replays it on the trace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use otus_core::budget::{Budget, Stop};
use otus_ctl::certify::Fault;
use otus_ctl::{
    Checker, Closure, Engine, FormulaId, Formulas, Options, Property, certify, lower_with,
};
use otus_syntax::{Diagnostic, parse_formulas};
use otus_trace::order::PartialOrder;

use super::answer::{Answer, SatisfyingCuts};
use super::meaning::Sense;
use super::request::{CutQuery, Request};
use super::summary::Summary;
use super::witness::{Witness, can_be_shown};
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::load::Sources;

/// A trace and formulas, ready to be checked.
#[derive(Debug)]
pub struct Check {
    trace: Arc<PartialOrder>,
    formulas: Formulas,
    /// With the claim of each about runs.
    properties: Vec<(Property, Sense)>,
    request: Request,
    pub(super) logs: Option<String>,
}

impl Check {
    /// Resolves formulas over a trace. Warnings about them are reported.
    pub(super) fn new(
        context: &Context,
        trace: PartialOrder,
        mut sources: Sources,
        request: &Request,
    ) -> Result<Check> {
        let mut formulas = Formulas::default();
        let mut properties = Vec::new();
        let mut diagnostics = std::mem::take(&mut sources.diagnostics);
        for source in &sources.all {
            let parsed = parse_formulas(source);
            let faults = parsed.diagnostics;
            let lowered = lower_with(&parsed.tree, &trace, formulas);
            formulas = lowered.formulas;
            // The parser and the resolver both report some errors.
            let is_same = |one: &Diagnostic, other: &Diagnostic| {
                one.code == other.code && one.primary.span == other.primary.span
            };
            let is_new = |found: &Diagnostic| !faults.iter().any(|fault| is_same(fault, found));
            diagnostics.extend(lowered.diagnostics.into_iter().filter(is_new));
            diagnostics.extend(faults);
            let bodies = parsed.tree.properties().map(|item| item.body);
            for (property, body) in lowered.properties.into_iter().zip(bodies) {
                properties.push((property, Sense::of(&parsed.tree, body)));
            }
        }
        diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
        context.warn(Diagnostics::new(sources.all, diagnostics).or_error()?);
        let (trace, request) = (Arc::new(trace), request.clone());
        Ok(Check { trace, formulas, properties, request, logs: None })
    }

    /// The number of formulas.
    pub fn formula_count(&self) -> usize {
        self.properties.len()
    }

    /// Checks the formulas one after another, as the iterator is advanced. Once `context.cancel` is cancelled, the
    /// remaining formulas are undecided.
    pub fn run(&self, context: &Context) -> Answers<'_> {
        Answers {
            check: self,
            checker: Checker::new(&self.trace, self.formulas.clone()),
            context: context.clone(),
            next: 0,
            summary: Summary::new(&self.trace, self.properties.len(), self.logs.clone()),
        }
    }
}

/// The answers to the formulas of a [`Check`], in their order. Each is computed when the iterator reaches it.
#[derive(Debug)]
pub struct Answers<'c> {
    check: &'c Check,
    checker: Checker<'c>,
    context: Context,
    next: usize,
    summary: Summary,
}

/// The most characters of a formula in a progress line.
const SHOWN: usize = 50;

impl Iterator for Answers<'_> {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        let (property, sense) = self.check.properties.get(self.next)?;
        self.next += 1;
        let text: String = property.text.chars().take(SHOWN).collect();
        let total = self.check.properties.len();
        self.context.monitor.step(Some(&format!("checking {} of {total}: {text}", self.next)));
        let answer = self.answer(property, *sense);
        self.context.monitor.step(None);
        if let Ok(answer) = &answer {
            self.summary.add(answer);
        }
        Some(answer)
    }
}

impl Answers<'_> {
    /// The summary of the answers so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    fn answer(&mut self, asked: &Property, sense: Sense) -> Result<Answer> {
        let start = Instant::now();
        let Check { trace, request, .. } = self.check;
        let mut answer = Answer {
            formula: asked.text.clone(),
            name: asked.name.clone(),
            meaning: None,
            engine: engine_name(request.engine),
            visible_events: 0,
            elapsed: Duration::ZERO,
            cuts: None,
            holds: None,
            undecided: None,
            uncounted: None,
            unexplained: None,
            witness: None,
            trace: trace.clone(),
        };
        if self.context.cancel.is_cancelled() {
            answer.undecided = Some(Stop::Cancelled);
            return Ok(answer);
        }
        let options = options(request, &self.context, start);
        let formula = asked.formula;
        match self.checker.check(formula, &options) {
            Ok(found) => {
                answer.holds = Some(found.holds);
                answer.meaning = sense.phrase(found.holds);
                answer.visible_events = found.visible;
            }
            Err(stop) => answer.undecided = Some(stop),
        }
        answer.elapsed = start.elapsed();
        match self.cuts(formula, &options) {
            Ok(cuts) => answer.cuts = cuts,
            Err(stop) => answer.uncounted = Some(stop),
        }
        if request.witness {
            self.explain(formula, &options, &mut answer)?;
        }
        Ok(answer)
    }

    fn cuts(
        &mut self,
        formula: FormulaId,
        options: &Options,
    ) -> Result<Option<SatisfyingCuts>, Stop> {
        let (counts, boxes, complete) = match self.check.request.cuts {
            CutQuery::None => return Ok(None),
            CutQuery::Count => (self.checker.count(formula, options)?, None, false),
            CutQuery::List { limit } => {
                let found = self.checker.satisfying(formula, limit, options)?;
                (found.counts, Some(found.boxes), found.complete)
            }
        };
        let (all, satisfying) = (counts.cuts.to_string(), counts.satisfying.to_string());
        Ok(Some(SatisfyingCuts { all, satisfying, boxes, complete }))
    }

    /// Adds certified runs that prove a verdict, if runs can prove it.
    fn explain(
        &mut self,
        formula: FormulaId,
        options: &Options,
        answer: &mut Answer,
    ) -> Result<()> {
        let can_be_shown = |&holds: &bool| can_be_shown(&self.checker.formulas, formula, holds);
        let Some(holds) = answer.holds.filter(can_be_shown) else { return Ok(()) };
        let explanation = match self.checker.explain_verdict(formula, holds, options) {
            Ok(explanation) => explanation,
            Err(stop) => {
                answer.unexplained = Some(stop);
                return Ok(());
            }
        };
        let (trace, formulas) = (self.checker.trace(), &self.checker.formulas);
        let certified = match certify(trace, formulas, formula, &explanation, &options.budget) {
            Ok(certified) => certified,
            Err(Fault::Stopped(stop)) => {
                answer.unexplained = Some(stop);
                return Ok(());
            }
            Err(fault) => {
                return Err(Error::Bug(format!(
                    "the run that should show why `{}` holds or not is not accepted ({fault})",
                    answer.formula
                )));
            }
        };
        let evidence = &explanation.evidence;
        answer.witness = Witness::new(trace, formulas, formula, evidence, certified.trusted);
        Ok(())
    }
}

/// The options of a check that starts now. All its phases share one deadline.
fn options(request: &Request, context: &Context, start: Instant) -> Options {
    let limits = request.limits;
    Options {
        engine: request.engine,
        slice: request.slice,
        arrangement: request.process_order,
        closure: request.closure.unwrap_or(Closure::Downward),
        budget: Budget {
            max_states: limits.max_states,
            max_bytes: limits.max_bytes,
            deadline: limits.timeout.and_then(|timeout| start.checked_add(timeout)),
            cancel: context.cancel.clone(),
            ..Budget::default()
        },
    }
}

fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Auto | Engine::Interval => "interval",
        Engine::Explicit => "explicit",
        Engine::Ist => "ist",
    }
}
