//! Checks formulas over a trace, one after another.
//!
//! A formula is checked first; then its cuts are counted and its verdict is explained, under the same limits. The
//! explanation is certified: an independent checker replays it on the trace. Finally, within what is left of the
//! limits, the checker looks for signs that the formula is vacuous.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use otus_core::budget::{Budget, Stop};
use otus_ctl::certify::Fault;
use otus_ctl::{
    Checker, Closure, Engine, FormulaId, Formulas, Options, Property, certify, lower_with,
};
use otus_syntax::{Diagnostic, Source, Span, parse_formulas};
use otus_trace::order::PartialOrder;

use super::answer::{Answer, SatisfyingCuts, Stats};
use super::meaning::Sense;
use super::note::notes;
use super::request::{CutQuery, Request};
use super::summary::Summary;
use super::warning::Warning;
use super::witness::{Witness, can_be_shown};
use crate::case::{Columns, Place};
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::load::Sources;

/// A formula to be checked.
#[derive(Debug)]
struct Asked {
    property: Property,
    /// The claim of the formula about runs.
    sense: Sense,
    /// The warnings of the resolver.
    warnings: Vec<Warning>,
    /// The place where the formula is written, if it is in a file.
    place: Option<Place>,
}

/// A trace and formulas, ready to be checked.
#[derive(Debug)]
pub struct Check {
    trace: Arc<PartialOrder>,
    formulas: Formulas,
    properties: Vec<Asked>,
    request: Request,
    /// The name of the trace.
    pub(super) name: String,
    pub(super) logs: Option<String>,
}

impl Check {
    /// Resolves formulas over a trace. Warnings about them become part of the answers.
    pub(super) fn new(
        context: &Context,
        trace: Arc<PartialOrder>,
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
            // Some errors are reported by both the parser and the resolver, so duplicates are
            // removed.
            let is_same = |one: &Diagnostic, other: &Diagnostic| {
                one.code == other.code && one.primary.span == other.primary.span
            };
            let is_new = |found: &Diagnostic| !faults.iter().any(|fault| is_same(fault, found));
            let bodies = parsed.tree.properties().map(|item| item.body);
            let mut answered = vec![false; lowered.diagnostics.len()];
            for (property, body) in lowered.properties.into_iter().zip(bodies) {
                let mut warnings = Vec::new();
                for &index in &property.warnings {
                    answered[index] = true;
                    warnings.push(Warning::from_diagnostic(&lowered.diagnostics[index]));
                }
                let sense = Sense::of(&parsed.tree, body);
                let place = place(source, property.span);
                properties.push(Asked { property, sense, warnings, place });
            }
            let others = lowered.diagnostics.into_iter().zip(answered);
            let others = others.filter(|(_, answered)| !answered).map(|(found, _)| found);
            diagnostics.extend(others.filter(is_new));
            diagnostics.extend(faults);
        }
        diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
        context.warn(Diagnostics::new(sources.all, diagnostics).or_error()?);
        let request = request.clone();
        Ok(Check { trace, formulas, properties, request, name: String::new(), logs: None })
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
            summary: Summary::new(
                &self.trace,
                self.properties.len(),
                &self.name,
                self.logs.clone(),
            ),
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

/// The maximum number of characters of a formula in a progress line.
const SHOWN: usize = 50;

impl Iterator for Answers<'_> {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        let asked = self.check.properties.get(self.next)?;
        self.next += 1;
        let text: String = asked.property.text.chars().take(SHOWN).collect();
        let total = self.check.properties.len();
        self.context.monitor.step(Some(&format!("checking {} of {total}: {text}", self.next)));
        let answer = self.answer(asked);
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

    fn answer(&mut self, asked: &Asked) -> Result<Answer> {
        let start = Instant::now();
        let Check { trace, request, .. } = self.check;
        let Asked { property, sense, warnings, place } = asked;
        let mut answer = Answer {
            formula: property.text.clone(),
            name: property.name.clone(),
            place: place.clone(),
            meaning: None,
            engine: engine_name(request.engine),
            visible_events: 0,
            elapsed: Duration::ZERO,
            cuts: None,
            stats: None,
            warnings: warnings.clone(),
            notes: notes(property, trace),
            holds: None,
            undecided: None,
            uncounted: None,
            unexplained: None,
            unwarned: None,
            witness: None,
            trace: trace.clone(),
        };
        self.context.cancel.beat();
        if let Some(reason) = self.context.cancel.reason() {
            answer.undecided = Some(reason);
            return Ok(answer);
        }
        let options = options(request, &self.context, start);
        let formula = property.formula;
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
        if request.stats {
            match self.checker.stats(formula, &options) {
                Ok(stats) => {
                    answer.stats = Some(Stats {
                        nodes: stats.nodes,
                        visible_events: stats.visible,
                        visible_processes: stats.processes,
                        visible_cuts: stats.cuts.to_string(),
                    });
                }
                Err(stop) => answer.uncounted = answer.uncounted.or(Some(stop)),
            }
        }
        if request.witness {
            self.explain(formula, &options, &mut answer)?;
        }
        if request.warnings {
            let vacuities = self.checker.vacuity(property, answer.holds, &options);
            let signs = vacuities.found.iter();
            answer.warnings.extend(signs.map(|sign| Warning::of(sign, property, &self.checker)));
            answer.unwarned = vacuities.unchecked.filter(|_| answer.holds.is_some());
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

/// A place in a file of formulas; texts of the command line and of settings have none.
fn place(source: &Source, span: Span) -> Option<Place> {
    let is_file = Format::of_name(Path::new(source.name())) == Some(Format::Ctl);
    let (line, start) = source.line_column(span.start);
    let (end_line, end) = source.line_column(span.end);
    let columns = Some(Columns { start, end_line, end });
    is_file.then(|| Place { file: source.name().to_owned(), line, columns })
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
        Engine::Auto => "auto",
        Engine::Interval => "interval",
        Engine::Explicit => "explicit",
        Engine::Ist => "ist",
    }
}
