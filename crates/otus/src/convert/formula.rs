//! Boolean formulas (`.cnf`) to a specification and a multi-trace, and back: the reduction of paper 000, section 4.3.

use std::path::Path;

use otus_core::raise;
use otus_syntax::print::{self, Dialect};
use otus_syntax::{SourceId, dimacs};
use otus_trace::reduction::{Reduced, reduce, restore};

use super::{ConvertRequest, Converted};
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::load::{Loaded, Sources, Trace};

/// Whether a request is about a formula.
pub(super) fn is_formula(request: &ConvertRequest) -> bool {
    let is_formula =
        |name: &String| Format::of_name(Path::new(name)).or(request.from) == Some(Format::Cnf);
    request.names.iter().any(is_formula)
}

/// The specification and the multi-trace of a formula.
pub(super) fn convert(context: &Context, request: &ConvertRequest) -> Result<Converted> {
    let [name] = request.names.as_slice() else {
        unfit!("one formula is converted at a time, without other files");
    };
    let mut sources = Sources::default();
    let input = sources.read(&*context.files, name, request.from)?;
    let parsed = dimacs::parse(sources.source(input.source));
    let found = sources.diagnostics.into_iter().chain(parsed.diagnostics).collect();
    context.warn(Diagnostics::new(sources.all, found).or_error()?);
    let formula = parsed.tree;
    if request.to == Format::Cnf {
        return Ok(Converted::Text(dimacs::write(&formula)));
    }
    if formula.clauses.is_empty() {
        unfit!(
            "{name} has no clauses, so every assignment satisfies it, and nothing is to be observed"
        );
    }
    let made = reduce(&formula);
    let tree = raise(&made.pool, made.term);
    let stem = input.path.as_deref().and_then(Path::file_stem).unwrap_or("formula".as_ref());
    let id = stem.to_string_lossy().into_owned();
    let trace = Trace { id, tree: otus_trace::raise(&made.trace, &made.pool), case: None };
    let main = match request.to {
        Format::Hif => super::interaction(&tree, false),
        Format::Hsf => Converted::Text(print::spec_in(&tree, Dialect::Of2020)),
        Format::Mermaid | Format::Plantuml => super::diagram(&tree, request.to),
        Format::Htf => return Ok(super::trace_files(&[trace])),
        Format::Jsonl => return Ok(super::case_file(vec![trace])),
        Format::Hcf
        | Format::Markdown
        | Format::Parquet
        | Format::Pot
        | Format::Ctl
        | Format::Cnf => unfit!(
            "a formula becomes a specification (.hif, .hsf, .mmd, .puml) with its multi-trace (.htf)"
        ),
    };
    Ok(Converted::WithTrace { main: Box::new(main), trace: print::trace(&trace.tree) })
}

/// The formula that a specification and a multi-trace encode.
pub(super) fn write(context: &Context, loaded: &mut Loaded) -> Result<Converted> {
    let ([_], [_]) = (loaded.specs.as_slice(), loaded.traces.as_slice()) else {
        // Faults of the texts are reported before other problems.
        loaded.warn(context)?;
        unfit!(
            "a formula is made from one specification and one multi-trace; {} and {} are given",
            loaded.specs.len(),
            loaded.traces.len()
        );
    };
    let Some(lowered) = loaded.lower_with_traces(context)? else {
        return Err(Error::Bug("a specification has no meaning".to_owned()));
    };
    loaded.leave_values_out(&lowered, "the formula");
    loaded.warn(context)?;
    let files = &loaded.specs[0].files;
    let Some(file) = files.get(lowered.file.unwrap_or_default()) else {
        return Err(Error::Bug("a specification has no file".to_owned()));
    };
    let source: SourceId = loaded.traces[0].tree.source;
    let (pool, observed) = loaded.traces[0].lower(Some(lowered.pool));
    let reduced = Reduced { file, pool: &pool, trace: &observed, trace_source: source };
    match restore(&reduced) {
        Ok(formula) => Ok(Converted::Text(dimacs::write(&formula))),
        Err(found) => {
            loaded.diagnostics.push(*found);
            loaded.warn(context)?;
            Err(Error::Bug("a fault is no error".to_owned()))
        }
    }
}
