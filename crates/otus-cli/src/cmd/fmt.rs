//! `otus fmt`: canonical text.

use std::path::Path;

use otus_syntax::{diagnostic, parse_formulas, parse_spec, parse_trace, print};
use similar::TextDiff;

use crate::args::{FmtArgs};
use crate::shell::Shell;
use otus::Format;
use crate::exit::Exit;
use crate::input::{Inputs, expand, format_of_ending};
use crate::output::Stream;
use otus::words::counted;
use crate::{output, report};

pub(crate) fn run(args: &FmtArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    let mut changed = 0;
    let mut seen = 0;
    for name in &args.files {
        for file in expand(name, is_formatted)? {
            seen += 1;
            let outcome = file_outcome(&file, args, color)?;
            changed += usize::from(outcome == Outcome::Changes);
            exit = exit.max(match outcome {
                Outcome::Faulty => Exit::Error,
                Outcome::Changes if args.check => Exit::Failure,
                Outcome::Changes | Outcome::Canonical => Exit::Success,
            });
        }
    }
    if args.check && changed > 0 {
        output::complain(&format!(
            "{changed} of {} would change; `otus fmt` rewrites {}",
            counted(seen, "file"),
            if changed == 1 { "it" } else { "them" },
        ));
    }
    Ok(exit)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is canonical as it is.
    Canonical,
    /// Its canonical form is another.
    Changes,
    /// It has errors, and was left alone.
    Faulty,
}

fn file_outcome(file: &str, args: &FmtArgs, shell: &Shell) -> anyhow::Result<Outcome> {
    let mut inputs = Inputs::default();
    let input = inputs.read(file, args.from)?;
    let source = inputs.source(input.source);
    let (printed, mut diagnostics) = match input.format {
        Format::Hsf | Format::Hif | Format::Hcf => {
            let parsed = parse_spec(source);
            (print::spec(&parsed.tree), parsed.diagnostics)
        }
        Format::Htf => {
            let parsed = parse_trace(source);
            (print::trace(&parsed.tree), parsed.diagnostics)
        }
        Format::Ctl => {
            let parsed = parse_formulas(source);
            (print::formulas(&parsed.tree), parsed.diagnostics)
        }
        Format::Mermaid | Format::Plantuml | Format::Markdown | Format::Jsonl | Format::Pot => {
            output::complain(&format!(
                "otus: {} is not reformatted; fmt is for .hsf, .hif, .hcf, .htf and .ctl \
                 (`otus convert` writes a diagram or a case file anew)",
                source.name()
            ));
            return Ok(Outcome::Faulty);
        }
    };
    diagnostics.extend(inputs.diagnostics.iter().cloned());
    diagnostics.retain(diagnostic::Diagnostic::is_error);
    if !diagnostics.is_empty() {
        let colored = output::colored(color, Stream::Error);
        let text = report::text(&inputs.sources, &diagnostics, colored);
        output::complain(&format!("{text}{} was left as it is", source.name()));
        return Ok(Outcome::Faulty);
    }
    let same = source.text() == printed;
    let dry = args.check || args.diff;
    if !same && args.diff {
        let diff = TextDiff::from_lines(source.text(), &printed);
        let (old, new) = (source.name(), format!("{} (canonical)", source.name()));
        output::print(&diff.unified_diff().context_radius(3).header(old, &new).to_string())?;
    } else if !same && args.check {
        output::print(&format!("{} is not in canonical form\n", source.name()))?;
    }
    match &input.path {
        None if !dry => output::print(&printed)?,
        Some(path) if !dry && !same => output::write_file(path, &printed)?,
        None | Some(_) => {}
    }
    Ok(if same { Outcome::Canonical } else { Outcome::Changes })
}

fn is_formatted(path: &Path) -> bool {
    matches!(
        Format::of_name(path),
        Some(Format::Hsf | Format::Hif | Format::Hcf | Format::Htf | Format::Ctl)
    )
}
