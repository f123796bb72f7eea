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
use crate::args::{CtlArgs};
use crate::shell::Shell;
use otus::Format;
use crate::cmd::map::nothing_given;
use crate::input::{self, Inputs};
use otus::logs::{self, Finder, Told};
use crate::output::{self, Stream};
use otus::words::counted;
use crate::{findings, report};

/// A formula to be checked.
pub(super) struct Asked {
    pub(super) property: Property,
    /// What it says of runs.
    pub(super) sense: words::Sense,
}

/// What a call is about.
pub(super) struct Question {
    pub(super) trace: PartialOrder,
    pub(super) formulas: Formulas,
    /// Those of the formulas that are asked.
    pub(super) asked: Vec<Asked>,
    /// The raw logs that the trace is from, in words.
    pub(super) logs: Option<String>,
}

/// The trace and the formulas; nothing if something is wrong with them, which has been told.
pub(super) fn read(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Option<Question>> {
    let mut asked_for = Given::sort(args, color)?;
    if asked_for.uses_standard_input() && args.file.iter().any(|file| file == "-") {
        bail!("standard input is either the trace or the formulas, not both");
    }
    let mut inputs = Inputs::default();
    for file in &args.file {
        let (name, bytes) = bytes(file)?;
        inputs.add_bytes(name, bytes);
    }
    for (index, formula) in asked_for.formulas.iter().enumerate() {
        inputs.add(format!("<formula {}>", index + 1), formula.clone());
    }
    let writes = if args.order_writes { Writes::Ordered } else { Writes::Checked };
    for (name, text) in asked_for.properties(!inputs.sources.is_empty()) {
        inputs.add(name, text);
    }
    let (trace, logs) = match &asked_for.trace {
        Some(name) => match trace(name, writes, color)? {
            Some(trace) => (trace, None),
            None => return Ok(None),
        },
        None => {
            let (trace, logs) = asked_for.group(args, writes)?;
            (trace, Some(logs))
        }
    };
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
    Ok(Some(Question { trace, formulas, asked, logs }))
}

/// What the names of a call stand for.
struct Given {
    /// A partial-order trace.
    trace: Option<String>,
    finder: Finder,
    formulas: Vec<String>,
}

impl Given {
    /// Raw logs and a trace are files; what is none is a formula. The trace comes first.
    fn sort(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Given> {
        let mut finder = Finder::new(args.logs.config.as_deref(), color)?;
        let mut names = args.names.iter().peekable();
        let mut trace = None;
        while let Some(name) = names.peek() {
            let path = Path::new(name.as_str());
            let taken = if path.is_dir() {
                finder.add(name)?;
                if finder.count() == 0 {
                    bail!("the folder {name} has no log; {}", nothing_given(&finder));
                }
                true
            } else {
                path.is_file() && finder.file(path, None)? == Told::Log
            };
            if !taken {
                break;
            }
            names.next();
        }
        if finder.count() == 0 {
            // Formulas alone are about the logs of an `otus.toml`.
            let is_formula = names.peek().is_none_or(|name| {
                *name != "-" && !Path::new(name.as_str()).exists() && is_formula(name)
            });
            if is_formula && finder.project_here()?.is_some() {
                finder.whole_project()?;
                if finder.count() == 0 {
                    bail!(nothing_given(&finder));
                }
            } else if let Some(name) = names.peek() {
                let path = Path::new(name.as_str());
                if finder.file(path, None)? == Told::Unmapped {
                    bail!(finder.unmapped(path));
                }
                trace = names.next().cloned();
            } else {
                bail!(
                    "no trace is given: name a .pot.json, or raw logs; without a name, the logs \
                     are those of an otus.toml, and there is none here or above"
                );
            }
        }
        let formulas = names.cloned().collect();
        Ok(Given { trace, finder, formulas })
    }

    fn uses_standard_input(&self) -> bool {
        self.trace.as_deref() == Some("-")
    }

    /// The properties of `otus.toml`, unless others are asked for.
    fn properties(&self, others: bool) -> Vec<(String, String)> {
        let Some(project) = self.finder.project_in_use().filter(|_| !others) else {
            return Vec::new();
        };
        let properties = project.properties.iter();
        properties
            .map(|(name, formula)| {
                let text =
                    if is_plain(name) { format!("{name}: {formula}") } else { formula.clone() };
                (format!("{} [properties] {name}", project.name), text)
            })
            .collect()
    }

    /// The order of the only group of raw logs, or of the one that is asked for; and which logs
    /// these were.
    fn group(&mut self, args: &CtlArgs, writes: Writes) -> anyhow::Result<(PartialOrder, String)> {
        let Some(mut logs) = self.finder.take() else { bail!(nothing_given(&self.finder)) };
        logs.only.clone_from(&args.logs.group);
        let mut keys: Vec<String> = Vec::new();
        let mut groups = 0;
        let mut found = None;
        let accounting = logs.run(&mut |observed| {
            groups += 1;
            if keys.len() < SHOWN {
                keys.push(logs::name_of(observed));
            }
            if groups == 1 {
                found = Some(observed.order(writes));
            }
            std::ops::ControlFlow::Continue(())
        });
        let text = findings::text(&accounting, Severity::Warning);
        if !text.is_empty() {
            output::complain(text.trim_end());
        }
        let more = if groups > keys.len() { ", …" } else { "" };
        match (found, &args.logs.group) {
            (Some(found), _) if groups == 1 => match found {
                Ok(order) => {
                    let total = accounting.total;
                    let left = total.unmatched + total.incomplete + total.unreadable;
                    let group = match accounting.groups.total {
                        0 | 1 => String::new(),
                        _ => format!("group {} of ", keys.join("")),
                    };
                    let logs = counted(accounting.files.len(), "log");
                    let lines = counted(left, "line");
                    Ok((order, format!("{group}{logs} ({lines} unmatched)")))
                }
                Err(error) => bail!("the events have no order: {error}"),
            },
            (Some(_), _) => bail!(
                "formulas are about one group, and there are {groups}: {}{more}; choose one by \
                 --group KEY",
                keys.join(", ")
            ),
            (None, Some(group)) => {
                bail!(logs::no_group(group))
            }
            (None, None) => bail!(
                "no line became an event, so there is nothing to check; `otus map --explain` tells why"
            ),
        }
    }
}

/// How many groups are named when one is to be chosen.
const SHOWN: usize = 5;

/// Whether a text can be a formula rather than the misspelt name of a file.
fn is_formula(text: &str) -> bool {
    input::Format::of_name(Path::new(text)).is_none() && !text.contains('/')
}

/// Whether a name can stand before a formula.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The trace; nothing if something is wrong with it, which has been told.
pub(super) fn trace(
    name: &str,
    writes: Writes,
    shell: &Shell,
) -> anyhow::Result<Option<PartialOrder>> {
    if let Some(reason) =
        input::Format::of_name(Path::new(name)).and_then(|format| not_a_trace(name, format))
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
fn complain(sources: &[Source], diagnostics: &[Diagnostic], shell: &Shell) -> bool {
    let colored = output::colored(color, Stream::Error);
    let is_worth_it = |found: &&Diagnostic| found.severity > Severity::Note;
    let shown: Vec<Diagnostic> = diagnostics.iter().filter(is_worth_it).cloned().collect();
    let text = report::text(sources, &shown, colored);
    if !text.is_empty() {
        output::complain(text.trim_end());
    }
    any_error(diagnostics)
}
