//! Converts an interaction, a multi-trace or a formula to another format.

mod formula;

use std::collections::BTreeSet;

use otus_core::{Pool, raise, raise_valued};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::{Written, mermaid, plantuml};
use otus_syntax::print::{self, Dialect};
use otus_syntax::{Code, Diagnostic, Span};
use otus_trace::case::{self, Case};
use otus_trace::order::{from_multi_trace, pot};

use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::load::{Loaded, SpecFiles, Trace};
use crate::units::counted;

/// The texts to convert, and the format to write.
#[derive(Debug, Clone)]
pub struct ConvertRequest {
    /// The texts: one specification, or multi-traces, optionally with their specification.
    pub names: Vec<String>,
    /// The format of the texts, if their names do not give it.
    pub from: Option<Format>,
    /// The format to write.
    pub to: Format,
}

/// A conversion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Converted {
    /// One text.
    Text(String),
    /// An interaction and its signature, which has a file of its own.
    Interaction {
        /// The interaction.
        interaction: String,
        /// The signature.
        signature: String,
        /// Whether a signature file was given, so that none needs to be written.
        has_signature_file: bool,
    },
    /// Multi-traces, each with a name for its file without an ending.
    Traces(Vec<(String, String)>),
    /// A specification and its multi-trace, which has a file of its own.
    WithTrace {
        /// The specification.
        main: Box<Converted>,
        /// The multi-trace.
        trace: String,
    },
}

/// Converts texts.
///
/// # Errors
/// If a text cannot be read, has errors, or cannot be written in that format.
pub fn convert(context: &Context, request: &ConvertRequest) -> Result<Converted> {
    if formula::is_formula(request) {
        return formula::convert(context, request);
    }
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    Ok(match request.to {
        Format::Mermaid | Format::Plantuml => {
            let (spec, raised) = specification(context, loaded, request.to)?;
            // A diagram that is converted to a diagram keeps its drawing: notes, colours and other
            // parts besides the messages.
            let drawn = match &spec.files[..] {
                [file] if file.drawing.is_some() => file,
                _ => &raised,
            };
            let Written { text, left_out } = written(drawn, request.to);
            if !left_out.is_empty() {
                let is_mermaid = request.to == Format::Mermaid;
                let language = if is_mermaid { "Mermaid" } else { "PlantUML" };
                context.remark(format!("note: {language} cannot show {}", left_out.join("; ")));
            }
            Converted::Text(text)
        }
        Format::Hsf => {
            let (spec, raised) = specification(context, loaded, request.to)?;
            Converted::Text(single_file(&spec, &raised))
        }
        Format::Hif => {
            let (spec, raised) = specification(context, loaded, request.to)?;
            let is_signature = |(file, format): (&SpecFile, &Format)| {
                *format == Format::Hsf && file.interaction.is_none() && !file.sections.is_empty()
            };
            interaction(&raised, spec.files.iter().zip(&spec.formats).any(is_signature))
        }
        Format::Pot => {
            let pool = check_traces(context, &mut loaded)?;
            Converted::Text(order(context, &loaded, pool)?)
        }
        Format::Jsonl => {
            check_traces(context, &mut loaded)?;
            case_file(loaded.traces)
        }
        Format::Htf => {
            check_traces(context, &mut loaded)?;
            trace_files(&loaded.traces)
        }
        Format::Cnf => formula::write(context, &mut loaded)?,
        Format::Ctl => unfit!("formulas cannot be made from other formats; see `otus fmt`"),
        Format::Parquet => unfit!(
            "tables of events are read, not written; `otus analyze --results NAME.parquet` writes one of verdicts"
        ),
        Format::Hcf => unfit!("options cannot be made from other formats; see `otus fmt`"),
        Format::Markdown => unfit!(
            "Markdown is read, not written; convert --to mermaid and paste the diagram into a fence"
        ),
    })
}

/// An interaction as a diagram.
pub(crate) fn diagram(interaction: &SpecFile, to: Format) -> Converted {
    Converted::Text(written(interaction, to).text)
}

fn written(interaction: &SpecFile, to: Format) -> Written {
    let is_mermaid = to == Format::Mermaid;
    let write = if is_mermaid { mermaid::written } else { plantuml::written };
    write(interaction)
}

/// An interaction in the current language of the HIBOU tools.
pub(crate) fn interaction(interaction: &SpecFile, has_signature_file: bool) -> Converted {
    Converted::Interaction {
        interaction: print::interaction(interaction),
        signature: print::signature(interaction),
        has_signature_file,
    }
}

/// Multi-traces as the lines of a case file.
pub(crate) fn case_file(traces: Vec<Trace>) -> Converted {
    let lines = traces.into_iter().map(|Trace { id, tree, case }| {
        let case = case.unwrap_or_else(|| Case { id, ..Case::default() });
        case::write(&Case { htf: print::trace_line(&tree), ..case }) + "\n"
    });
    Converted::Text(lines.collect())
}

/// Multi-traces as files.
pub(crate) fn trace_files(traces: &[Trace]) -> Converted {
    let mut taken = BTreeSet::new();
    let named = traces.iter().map(|it| (file_name(&it.id, &mut taken), print::trace(&it.tree)));
    Converted::Traces(named.collect())
}

/// The only specification, and its interaction.
fn specification(
    context: &Context,
    mut loaded: Loaded,
    to: Format,
) -> Result<(SpecFiles, SpecFile)> {
    if !loaded.traces.is_empty() {
        unfit!("a trace is not a specification; `otus convert` turns traces into .htf or .jsonl");
    }
    let count = loaded.specs.len();
    let Ok([spec]) = <[SpecFiles; 1]>::try_from(std::mem::take(&mut loaded.specs)) else {
        if count == 0 {
            loaded.warn(context)?;
        }
        unfit!("one specification is converted at a time; {count} are given");
    };
    let mut lowered = spec.lower();
    loaded.diagnostics.append(&mut lowered.diagnostics);
    if let (None, Some(file)) = (lowered.term, spec.files.last()) {
        let message = "this specification has no interaction to convert";
        let found = Diagnostic::new(Code::NO_INTERACTION, file.source, Span::at(0), message);
        loaded.diagnostics.push(found.with_help("give the .hif too"));
    }
    if to == Format::Hsf && lowered.term.is_some() {
        loaded.diagnostics.extend(spec.files.iter().flat_map(print::not_in_2020));
    }
    loaded.warn(context)?;
    let Some(term) = lowered.term else {
        return Err(Error::Bug("an interaction without errors has no term".to_owned()));
    };
    let raised = match &lowered.valued {
        Some(valued) => raise_valued(&lowered.pool, valued),
        None => raise(&lowered.pool, term),
    };
    Ok((spec, raised))
}

/// Checks multi-traces against their specification, if one is given; returns its pool.
fn check_traces(context: &Context, loaded: &mut Loaded) -> Result<Option<Pool>> {
    if loaded.traces.is_empty() && !any_error(&loaded.diagnostics) {
        unfit!("no multi-trace is given; .htf and .jsonl are made from .htf and .jsonl files");
    }
    Ok(loaded.lower_with_traces(context)?.map(|lowered| lowered.pool))
}

/// A partial-order trace: the order that the messages of a multi-trace imply.
fn order(context: &Context, loaded: &Loaded, pool: Option<Pool>) -> Result<String> {
    let [trace] = loaded.traces.as_slice() else {
        unfit!("one multi-trace becomes one .pot.json; {} are given", loaded.traces.len());
    };
    if let Some(value) = trace.tree.values.first() {
        let message = "values are left out of the partial order";
        let (source, span) = (trace.tree.source, value.field.span);
        let found = Diagnostic::new(Code::VALUES_LEFT_OUT, source, span, message)
            .with_help("it has the events and their order, not what they carry");
        context.warn(Diagnostics::new(loaded.sources.all.clone(), vec![found]));
    }
    let (pool, observed) = trace.lower(pool);
    let source = loaded.sources.source(trace.tree.source);
    let paired = from_multi_trace(&observed, &pool, Some(source))
        .map_err(|error| Error::Unfit(error.to_string()))?;
    if !paired.unpaired.is_empty() {
        context.remark(format!(
            "note: {} without an emission that was observed: from outside, or from a log that is missing",
            counted(paired.unpaired.len(), "reception")
        ));
    }
    Ok(pot::write(&paired.order))
}

/// The single file of 2020: declarations, options and interaction of all files.
fn single_file(spec: &SpecFiles, raised: &SpecFile) -> String {
    // Comments and directives of a diagram belong to another language, so they are dropped.
    if spec.files.iter().any(|file| file.implicit) {
        return print::spec_in(raised, Dialect::Of2020);
    }
    let (last, first): (Vec<&SpecFile>, Vec<&SpecFile>) =
        spec.files.iter().partition(|file| file.interaction.is_some());
    first.into_iter().chain(last).map(|file| print::spec_in(file, Dialect::Of2020)).collect()
}

/// A file name for a case: letters, digits, `-`, `_` and `.` of its id, made unique among the names in use.
pub fn file_name(id: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut name: String = id.chars().map(safe).take(100).collect();
    if name.trim_matches('.').is_empty() {
        "case".clone_into(&mut name);
    }
    unique(&name, |name| taken.insert(name.to_lowercase()))
}

/// The name itself or, if `take` refuses it, the name with the first number from 2 on that `take`
/// accepts.
pub(crate) fn unique(name: &str, mut take: impl FnMut(&str) -> bool) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while !take(&unique) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}
