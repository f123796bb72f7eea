//! Partial-order traces, formulas over them, and the answers of every engine.

use std::fmt::Write as _;

use otus_ctl::{
    Arrangement, Checker, Engine, FormulaId, Lowered, Options, Property, certify, lower,
};
use otus_syntax::{Source, parse_formulas, print};
use otus_trace::order::{PartialOrder, Writes, pot};

use super::{Fence, Subject, findings};
use crate::oracle::ctl::Lattice;

/// A `pot`; with the argument `order-writes`, concurrent assignments are ordered.
pub(super) fn order(fence: &Fence) -> (Subject, Option<PartialOrder>) {
    let source = Source::new("pot", fence.text.clone());
    let writes = if fence.argument == "order-writes" { Writes::Ordered } else { Writes::Checked };
    match pot::read(&source, writes) {
        Ok(order) => (Subject { canonical: pot::write(&order), ..Subject::default() }, Some(order)),
        Err(diagnostics) => {
            let findings = findings(&source, diagnostics);
            (Subject { findings, ..Subject::default() }, None)
        }
    }
}

/// A `ctl` over the `pot` before it.
pub(super) fn formulas(fence: &Fence, order: &PartialOrder) -> (Subject, Lowered) {
    let source = Source::new("ctl", fence.text.clone());
    let parsed = parse_formulas(&source);
    let lowered = lower(&parsed.tree, order);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(lowered.diagnostics.iter().cloned());
    let canonical = print::formulas(&parsed.tree);
    let subject =
        Subject { canonical, findings: findings(&source, diagnostics), ..Subject::default() };
    (subject, lowered)
}

/// A line per formula: `holds` or `fails`, and the number of cuts at which it holds if the argument `counts` or the expected
/// line asks for it.
pub(super) fn answers(fence: &Fence, order: &PartialOrder, asked: &Lowered) -> String {
    let mut out = String::new();
    let mut lines = fence.text.lines();
    for property in &asked.properties {
        let counted =
            fence.argument == "counts" || lines.next().is_some_and(|line| line.contains(" of "));
        match answer(order, asked, property, counted) {
            Ok(line) | Err(line) => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

/// A line per formula: the boxes of cuts at which it holds.
pub(super) fn boxes(order: &PartialOrder, asked: &Lowered) -> String {
    let mut out = String::new();
    let options = Options { arrangement: Arrangement::Given, ..Options::default() };
    let mut checker = Checker::new(order, asked.formulas.clone());
    for property in &asked.properties {
        let found = checker.satisfying(property.formula, 1000, &options);
        let boxes: Vec<String> = found
            .map(|found| found.boxes)
            .unwrap_or_default()
            .into_iter()
            .map(|ranges| {
                let range = |(name, (low, high)): (&str, (u32, u32))| {
                    let end = if low < high { format!("-{high}") } else { String::new() };
                    format!("{name}:{low}{end}")
                };
                order.process_names().zip(ranges).map(range).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let _ =
            writeln!(out, "{}", if boxes.is_empty() { "none".into() } else { boxes.join(", ") });
    }
    out
}

/// The most cuts for which the definitions are evaluated.
const SMALL: usize = 5000;

/// The answer of all engines to a formula, or the engines that disagree.
fn answer(
    order: &PartialOrder,
    asked: &Lowered,
    property: &Property,
    counted: bool,
) -> Result<String, String> {
    let mut checker = Checker::new(order, asked.formulas.clone());
    let mut said: Option<(bool, String)> = None;
    let mut say = |holds: bool, who: &str| match &said {
        None => {
            said = Some((holds, who.to_owned()));
            Ok(())
        }
        Some((before, _)) if *before == holds => Ok(()),
        Some((before, first)) => Err(format!("{before} by {first}, {holds} by {who}")),
    };
    let lattice = Lattice::new(order, SMALL);
    let truth = lattice.as_ref().map(|lattice| lattice.core(&asked.formulas, property.formula));
    if let Some(truth) = &truth {
        say(truth[0], "its definition")?;
    }
    let mut counts = truth.map(|truth| {
        let satisfying = truth.iter().filter(|&&holds| holds).count();
        format!("{satisfying} of {} cuts", truth.len())
    });
    for engine in [Engine::Auto, Engine::Interval, Engine::Explicit, Engine::Ist] {
        for (slice, arrangement) in [
            (true, Arrangement::Greedy),
            (false, Arrangement::Greedy),
            (true, Arrangement::Given),
            (false, Arrangement::Given),
        ] {
            let options = Options { engine, slice, arrangement, ..Options::default() };
            let who = format!("{engine:?} (slice {slice}, {arrangement:?})");
            say(one(&mut checker, property.formula, &options, &who)?, &who)?;
            if counted {
                let found = checker.count(property.formula, &options);
                let found = found.map_err(|stop| format!("{who}: {stop}"))?;
                let found = format!("{} of {} cuts", found.satisfying, found.cuts);
                match &counts {
                    Some(counts) if *counts != found => {
                        return Err(format!("{counts}, but {found} by {who}"));
                    }
                    Some(_) => {}
                    None => counts = Some(found),
                }
            }
        }
    }
    let word = if said.is_some_and(|(holds, _)| holds) { "holds" } else { "fails" };
    let counts = counts.filter(|_| counted).map(|counts| format!(", {counts}"));
    Ok(format!("{word}{}", counts.unwrap_or_default()))
}

/// The answer of one engine, whose witness the checker must accept.
fn one(
    checker: &mut Checker<'_>,
    formula: FormulaId,
    options: &Options,
    who: &str,
) -> Result<bool, String> {
    let holds = checker.check(formula, options).map_err(|stop| format!("{who}: {stop}"))?.holds;
    let explanation = checker.explain(formula, options).map_err(|stop| format!("{who}: {stop}"))?;
    certify(checker.trace(), &checker.formulas, formula, &explanation, &options.budget)
        .map_err(|fault| format!("{who}: not explained, {fault}"))?;
    if explanation.holds == holds {
        Ok(holds)
    } else {
        Err(format!("{who}: explains the opposite"))
    }
}
