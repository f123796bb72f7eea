//! The `verdicts` fence: what the multi-trace before it is under each kind of analysis.
//!
//! A line is `KIND: VERDICT`, where the kind is written as in a `.hcf` (`accept`,
//! `simulate[before = true, loop num = 2]`). Every verdict is asked for under all strategies, with
//! and without memoization and local analyses: options must not change it. A witness must be
//! accepted by the checker. If they differ or the analysis is not defined, the line says so.
//! A configuration that is not done after some thousand nodes has no say; a kind for which none
//! is done is undecided.

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Config, Verdict};
use otus_core::{Lowered, TermId};
use otus_syntax::ast::Section;
use otus_syntax::options::{LocalAnalysis, Strategy};
use otus_syntax::{Source, parse_spec};
use otus_trace::MultiTrace;

/// The lines as they should be.
pub(super) fn answers(expected: &str, spec: &mut Lowered, trace: &MultiTrace) -> String {
    let Some(term) = spec.term else { return "there is no interaction\n".to_owned() };
    let lines = expected.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let kind = line.rsplit_once(':').map_or(line, |(kind, _)| kind).trim();
        let verdict = verdict(kind, spec, term, trace).unwrap_or_else(|fault| fault);
        format!("{kind}: {verdict}\n")
    });
    lines.collect()
}

fn verdict(
    kind: &str,
    spec: &mut Lowered,
    term: TermId,
    trace: &MultiTrace,
) -> Result<String, String> {
    let options = Source::new("kind", format!("@analyze_option{{ analysis_kind = {kind} }}"));
    let parsed = parse_spec(&options);
    if let Some(fault) = parsed.diagnostics.first() {
        return Err(fault.message.clone());
    }
    let mut found: Option<Verdict> = None;
    for config in configurations() {
        let mut config = config;
        for section in &parsed.tree.sections {
            if let Section::Options(section) = section {
                config.apply(section);
            }
        }
        let outcome = graph::analyze(&mut spec.pool, term, trace, &config, &mut Silent)
            .map_err(|unfit| unfit.to_string())?;
        if let Some(witness) = &outcome.witness {
            let claim = (config.kind, outcome.verdict);
            certify(&mut spec.pool, term, trace, claim, witness)
                .map_err(|refuted| format!("the witness is refuted: {refuted}"))?;
        }
        if outcome.stop.is_early() {
            continue;
        }
        if found.is_some_and(|found| found != outcome.verdict) {
            let Config { strategy, memoize, local_analysis, .. } = config;
            return Err(format!(
                "changed by the options: {strategy:?}, {local_analysis:?}, memoize {memoize}"
            ));
        }
        found = Some(outcome.verdict);
    }
    Ok(found.unwrap_or(Verdict::Inconclusive).to_string())
}

/// Every strategy, with and without local analyses, memoization and partial-order reduction.
fn configurations() -> impl Iterator<Item = Config> {
    let strategies = [Strategy::Depth, Strategy::Breadth, Strategy::HighCoverage];
    let locals = [LocalAnalysis::Off, LocalAnalysis::On, LocalAnalysis::Front];
    strategies.into_iter().flat_map(move |strategy| {
        locals.into_iter().flat_map(move |local_analysis| {
            [(false, false), (true, false), (false, true)].map(
                |(memoize, partial_order_reduction)| Config {
                    strategy,
                    local_analysis,
                    memoize,
                    partial_order_reduction,
                    budget: Budget { max_states: Some(5_000), ..Budget::default() },
                    ..Config::default()
                },
            )
        })
    })
}
