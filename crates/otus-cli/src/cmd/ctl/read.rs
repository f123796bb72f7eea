//! The trace and the formulas of a call.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use otus_ctl::{Formulas, Property, lower_with};
use otus_syntax::ast::formula::FormulaId;
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Diagnostic, Severity, Source, parse_formulas};
use otus_trace::order::{PartialOrder, Writes, pot};

use super::words;
use crate::args::{Color, CtlArgs, Format};
use crate::input::{self, Inputs};
use crate::output::{self, Stream};
use crate::report;

/// A formula to be checked.
pub(super) struct Asked {
    pub(super) property: Property,
    /// What it says of runs.
    pub(super) sense: words::Sense,
}

/// The trace, all formulas and those that are asked; nothing if something is wrong with them, which
/// has been told.
pub(super) fn read(
    args: &CtlArgs,
    color: Color,
) -> anyhow::Result<Option<(PartialOrder, Formulas, Vec<Asked>)>> {
    let name = args.trace.as_deref().unwrap_or("-");
    if name == "-" && args.file.iter().any(|file| file == "-") {
        bail!("standard input is either the trace or the formulas, not both");
    }
    let mut inputs = Inputs::default();
    for file in &args.file {
        let (name, bytes) = bytes(file)?;
        inputs.add_bytes(name, bytes);
    }
    for (index, formula) in args.formulas.iter().enumerate() {
        inputs.add(format!("<formula {}>", index + 1), formula.clone());
    }
    let writes = if args.order_writes { Writes::Ordered } else { Writes::Checked };
    let Some(trace) = trace(name, writes, color)? else { return Ok(None) };
    let mut formulas = Formulas::default();
    let mut asked = Vec::new();
    let mut diagnostics = std::mem::take(&mut inputs.diagnostics);
    for source in &inputs.sources {
        let parsed = parse_formulas(source);
        let faults = parsed.diagnostics;
        let lowered = lower_with(&parsed.tree, &trace, formulas);
        formulas = lowered.formulas;
        // Some faults are met twice: as written, and as meant.
        let same = |one: &Diagnostic, other: &Diagnostic| {
            one.code == other.code && one.primary.span == other.primary.span
        };
        let news = |found: &Diagnostic| !faults.iter().any(|fault| same(fault, found));
        diagnostics.extend(lowered.diagnostics.into_iter().filter(news));
        diagnostics.extend(faults);
        let bodies: Vec<FormulaId> = parsed.tree.properties().map(|item| item.body).collect();
        for (property, body) in lowered.properties.into_iter().zip(bodies) {
            let sense = words::Sense::of(&parsed.tree, body);
            asked.push(Asked { property, sense });
        }
    }
    diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
    if complain(&inputs.sources, &diagnostics, color) {
        return Ok(None);
    }
    Ok(Some((trace, formulas, asked)))
}

/// The trace; nothing if something is wrong with it, which has been told.
pub(super) fn trace(
    name: &str,
    writes: Writes,
    color: Color,
) -> anyhow::Result<Option<PartialOrder>> {
    if let Some(reason) =
        input::format_of_ending(Path::new(name)).and_then(|format| not_a_trace(name, format))
    {
        bail!(reason);
    }
    let (name, bytes) = bytes(name).with_context(|| {
        "the first argument is the trace, and the formulas come after it".to_owned()
    })?;
    let mut inputs = Inputs::default();
    let source = inputs.add_bytes(name, bytes);
    if complain(&inputs.sources, &inputs.diagnostics, color) {
        return Ok(None);
    }
    match pot::read(inputs.source(source), writes) {
        Ok(trace) => Ok(Some(trace)),
        Err(diagnostics) => {
            complain(&inputs.sources, &diagnostics, color);
            Ok(None)
        }
    }
}

/// What to do with a file that is something else.
fn not_a_trace(name: &str, format: Format) -> Option<String> {
    Some(match format {
        Format::Pot => return None,
        Format::Ctl => format!("{name} has formulas: give it with --file, and a trace before it"),
        Format::Htf | Format::Jsonl => format!(
            "{name} is a multi-trace, and formulas are about partial-order traces (.pot.json); \
             `otus convert {name} out.pot.json` makes one"
        ),
        Format::Hsf
        | Format::Hif
        | Format::Hcf
        | Format::Mermaid
        | Format::Plantuml
        | Format::Markdown => {
            format!("{name} is a specification, and formulas are about traces (.pot.json)")
        }
    })
}

/// The bytes of a file, or of standard input, and what to call it.
fn bytes(name: &str) -> anyhow::Result<(String, Vec<u8>)> {
    if name != "-" {
        let bytes = std::fs::read(name).map_err(|error| input::explain_missing(name, &error))?;
        return Ok((name.to_owned(), bytes));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(("<stdin>".to_owned(), bytes))
}

/// Prints warnings and errors; returns whether there is an error.
fn complain(sources: &[Source], diagnostics: &[Diagnostic], color: Color) -> bool {
    let colored = output::colored(color, Stream::Error);
    let is_worth_it = |found: &&Diagnostic| found.severity > Severity::Note;
    let shown: Vec<Diagnostic> = diagnostics.iter().filter(is_worth_it).cloned().collect();
    let text = report::text(sources, &shown, colored);
    if !text.is_empty() {
        output::complain(text.trim_end());
    }
    any_error(diagnostics)
}
