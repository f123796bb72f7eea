//! Finds mistakes in specifications and multi-traces, and parts that are probably mistakes.

use otus_analysis::values::LoopReport;
use otus_core::{Action, Lowered};
use otus_syntax::diagnostic::any_error;
use otus_trace::Partition;

use crate::analysis::spec_text::excerpt_of;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Result, unfit};
use crate::format::Format;
use crate::load::Loaded;

/// Findings about specifications and multi-traces.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Linted {
    /// The findings, in the order of the texts.
    pub found: Diagnostics,
    /// For every loop of sessions with values: the key that tells its sessions apart, or why an analysis has to search.
    pub sessions: Vec<String>,
    /// The number of specifications.
    pub specifications: usize,
    /// The number of multi-traces.
    pub traces: usize,
}

/// Finds mistakes, and parts that are probably mistakes.
///
/// # Errors
/// If a file cannot be read, or multi-traces are given with several specifications.
pub fn lint(context: &Context, names: &[String], from: Option<Format>) -> Result<Linted> {
    let mut sessions = Vec::new();
    let mut loaded = check(context, names, from, |lowered, loaded| {
        sessions.extend(loops(lowered, loaded));
    })?;
    let (specifications, traces) = (loaded.specs.len(), loaded.traces.len());
    Ok(Linted { found: loaded.take_diagnostics(), sessions, specifications, traces })
}

/// The findings alone, without a look at sessions, which may take long.
pub(crate) fn findings(context: &Context, names: &[String]) -> Result<Diagnostics> {
    check(context, names, None, |_, _| {}).map(|mut loaded| loaded.take_diagnostics())
}

/// The texts with their findings. `each` sees every specification before multi-traces are checked against it.
fn check(
    context: &Context,
    names: &[String],
    from: Option<Format>,
    mut each: impl FnMut(&Lowered, &Loaded),
) -> Result<Loaded> {
    let loaded = Loaded { takes_all_fences: true, ..Loaded::default() };
    let mut loaded = loaded.read_more(context, names, from)?;
    let mut checked = Vec::new();
    for spec in &loaded.specs {
        let mut lowered = spec.lower();
        // In a text with errors, a name that seems unused may be used in the part that was not parsed.
        if !spec.is_faulty && !any_error(&lowered.diagnostics) {
            let trees: Vec<_> = spec.files.iter().collect();
            loaded.diagnostics.extend(otus_core::lint(&trees, &lowered));
        }
        each(&lowered, &loaded);
        loaded.diagnostics.append(&mut lowered.diagnostics);
        checked.push(lowered);
    }
    if checked.len() > 1 && !loaded.traces.is_empty() {
        let count = checked.len();
        unfit!("traces are checked against one specification; {count} are given here");
    }
    loaded.check_traces(checked.first_mut());
    loaded.diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
    Ok(loaded)
}

/// A sentence about every loop of sessions with values, if each lifeline has its own log.
fn loops(lowered: &Lowered, loaded: &Loaded) -> Vec<String> {
    let (Some(valued), Some(term)) = (&lowered.valued, lowered.term) else { return Vec::new() };
    let signature = lowered.pool.signature();
    let partition = Partition::discrete(signature.lifeline_count());
    let source = lowered.place(term).map(|(source, _)| loaded.sources.source(source));
    let found = otus_analysis::values::loops(&lowered.pool, valued, &partition);
    let sentence = |report: LoopReport| {
        let at = source.map(|source| excerpt_of(source, report.span).place.in_line());
        let at = at.map(|at| format!("{at}: ")).unwrap_or_default();
        let LoopReport { key, lacking, is_confluent, is_looked_up, .. } = report;
        let Some(key) = key else {
            let lacks = |(variable, actions): &(String, Vec<Action>)| {
                let names: Vec<String> = actions.iter().map(|it| it.text(signature)).collect();
                format!("{} {} no {variable}", names.join(", "), carry(names.len()))
            };
            let lacking: Vec<String> = lacking.iter().map(lacks).collect();
            return format!(
                "{at}these sessions have no key ({}), so they are searched for",
                lacking.join("; ")
            );
        };
        match is_confluent {
            _ if !is_looked_up => format!(
                "{at}these sessions have the key {key}, but some action occurs elsewhere too, is on several lifelines, or has a \
                 guard with another variable from outside: they are searched for"
            ),
            Some(true) => format!("{at}these sessions have the key {key}: each event is looked up"),
            Some(false) => format!(
                "{at}these sessions have the key {key}, but the order of events of different logs matters in some of \
                 their states: there, orders are searched for"
            ),
            None => format!(
                "{at}these sessions have the key {key} and too many states to tell whether the order of events of \
                 different logs matters"
            ),
        }
    };
    found.into_iter().map(sentence).collect()
}

fn carry(count: usize) -> &'static str {
    if count == 1 { "carries" } else { "carry" }
}
