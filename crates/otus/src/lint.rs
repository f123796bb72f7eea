//! Finds mistakes in specifications and multi-traces, and parts that are probably mistakes.

use otus_syntax::diagnostic::any_error;

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
        loaded.diagnostics.append(&mut lowered.diagnostics);
        checked.push(lowered);
    }
    if checked.len() > 1 && !loaded.traces.is_empty() {
        let count = checked.len();
        unfit!("traces are checked against one specification; {count} are given here");
    }
    loaded.check_traces(checked.first_mut());
    let diagnostics = &mut loaded.diagnostics;
    diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
    let (specifications, traces) = (loaded.specs.len(), loaded.traces.len());
    Ok(Linted { found: loaded.take_diagnostics(), specifications, traces })
}
