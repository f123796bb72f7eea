//! Text for people: one line per case, followed by its details.

use std::io::{self, Write};

use otus_analysis::Verdict;

use super::{Formatter, Writer};
use crate::case::{self, Case, Unexplained};
use crate::units::counted;

/// The maximum number of events of a long execution that are shown.
const SHOWN: usize = 200;

#[derive(Debug)]
pub(super) struct Text {
    pub(super) colored: bool,
}

impl Writer for Text {
    fn formatter(&self) -> Option<Formatter> {
        let colored = self.colored;
        Some(Box::new(move |case, out| {
            write(case, colored, out).expect("a vector takes all that is written");
        }))
    }
}

fn write(case: &Case, colored: bool, out: &mut dyn Write) -> io::Result<()> {
    let is_fast = case.engine == "fast";
    if case.kind.is_empty() {
        writeln!(out, "{}: {}", case.id, case.verdict)?;
    } else {
        how(case, is_fast, out)?;
    }
    details(case, is_fast, colored, out)
}

/// The verdict, and how it was found.
fn how(case: &Case, is_fast: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: {} ({}{}, {} partition, {}, {:.1} ms)",
        case.id,
        case.verdict,
        if case.observed.is_some() { "observed " } else { "" },
        case.kind,
        case.partition,
        counted(case.states, if is_fast { "state" } else { "node" }),
        case.elapsed.as_secs_f64() * 1000.0,
    )
}

fn details(case: &Case, is_fast: bool, colored: bool, out: &mut dyn Write) -> io::Result<()> {
    if let Some(spec) = &case.spec {
        match case.tried.as_slice() {
            [] | [_] => writeln!(out, "  specification: {spec}")?,
            several => writeln!(
                out,
                "  specification: {spec}, which explains most of it; none of {} fits",
                several.join(", ")
            )?,
        }
    }
    if let Some(reason) = &case.reason {
        let hint = match (case.is_limited, is_fast) {
            (true, true) => " (--max-states, --timeout, --memory)",
            (true, false) => " (--max-states, --timeout)",
            (false, _) => "",
        };
        let is_weak = case.verdict == Verdict::WeakPass;
        let what = if is_weak { "undecided whether it is a Pass" } else { "undecided" };
        writeln!(out, "  {what}: {reason}{hint}")?;
    }
    if let Some(note) = &case.note {
        writeln!(out, "  note: {note}")?;
    }
    if let Some(witness) = &case.witness {
        writeln!(out, "  explained by: {}", witness.shortened(SHOWN))?;
    }
    if case.is_witness_missing {
        writeln!(out, "  explained by: not worked out, it takes long (--witness)")?;
    }
    let missing = case.missing.as_deref().unwrap_or_default();
    if !missing.is_empty() {
        writeln!(out, "  assumed missing: {}", case::joined(missing, ", "))?;
    } else if !case.declared.is_empty() {
        writeln!(out, "  assumed: {}", case.declared.join(", "))?;
    }
    if case.known {
        let why = case.explanation.as_ref();
        let why = why.map(|why| format!(", {}: {}", why.cause, why.headline));
        return writeln!(out, "  known failure{}", why.unwrap_or_default());
    }
    if let Some(explanation) = &case.explanation {
        for line in explanation.render(colored).lines() {
            writeln!(out, "  {line}")?;
        }
        return Ok(());
    }
    if let Some(how_far) = case.how_far() {
        writeln!(out, "  {how_far}")?;
    }
    for Unexplained { action, file, line } in &case.unexplained {
        writeln!(out, "  not explained: {action} at {file}:{line}")?;
    }
    Ok(())
}
