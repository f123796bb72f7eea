//! Reads the trace and the formulas of a request.

use std::ops::ControlFlow;
use std::path::Path;

use otus_ctl::Engine;
use otus_trace::order::{PartialOrder, Writes, pot};

use super::check::Check;
use super::request::Request;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::files::FileKind;
use crate::format::Format;
use crate::load::Sources;
use crate::logs::{self, Finder, Told, findings};
use crate::units::counted;

/// Reads the trace or the raw logs of a request, and its formulas. Warnings about them are reported.
///
/// # Errors
/// If something cannot be read or has mistakes, if there is no formula, if there are several groups of logs and none is
/// chosen, or if the request contradicts itself.
pub fn open(context: &Context, request: &Request) -> Result<Check> {
    if request.closure.is_some() && request.engine != Engine::Ist {
        unfit!("--closure is about the engine `ist`; add --engine ist");
    }
    let (trace, mut finder, formulas) = sort(context, request)?;
    if trace.as_deref() == Some("-") && request.files.iter().any(|file| file == "-") {
        unfit!("standard input is either the trace or the formulas, not both");
    }
    let mut sources = Sources::default();
    for file in &request.files {
        sources.read(&*context.files, file, Some(Format::Ctl))?;
    }
    for (index, formula) in formulas.iter().enumerate() {
        sources.add(format!("<formula {}>", index + 1), formula.clone());
    }
    if let Some(project) = finder.project_in_use().filter(|_| sources.all.is_empty()) {
        for (name, formula) in &project.properties {
            let text = if is_plain(name) { format!("{name}: {formula}") } else { formula.clone() };
            sources.add(format!("{} [properties] {name}", project.name), text);
        }
    }
    let writes = if request.order_writes { Writes::Ordered } else { Writes::Checked };
    let name = trace.clone().unwrap_or_default();
    let (trace, logs) = match &trace {
        Some(name) => (read_trace(context, name, writes)?, None),
        None => {
            let (trace, logs) = group(context, request, &mut finder, writes)?;
            (trace, Some(logs))
        }
    };
    let mut check = Check::new(context, trace.into(), sources, request)?;
    check.name = if name == "-" { "<stdin>".to_owned() } else { name };
    check.logs = logs;
    if check.formula_count() == 0 {
        unfit!(
            "no formula is given: write one after the trace, name a file of them with --file, or \
             have [properties] in otus.toml"
        );
    }
    Ok(check)
}

/// Reads a partial-order trace; `-` is standard input.
pub(crate) fn read_trace(context: &Context, name: &str, writes: Writes) -> Result<PartialOrder> {
    let format = Format::of_name(Path::new(name));
    if let Some(reason) = format.and_then(|format| not_a_trace(name, format)) {
        return Err(Error::Unfit(reason));
    }
    let mut sources = Sources::default();
    let input = sources.read(&*context.files, name, Some(Format::Pot)).map_err(|error| {
        let advice = "the first argument is the trace, and the formulas come after it";
        Error::Unfit(format!("{advice}: {error}"))
    })?;
    let Sources { all, diagnostics, .. } = sources;
    // A trace may be large, and a diagnostic about how it was read is rare.
    if !diagnostics.is_empty() {
        context.warn(Diagnostics::new(all.clone(), diagnostics).or_error()?);
    }
    pot::read(&all[input.source.0 as usize], writes)
        .map_err(|found| Error::Text(Box::new(Diagnostics::new(all, found).without_notes())))
}

/// The partial-order trace of a request, its raw logs, and its formulas. Names of files come first; everything after
/// the trace or the last log is a formula.
fn sort(context: &Context, request: &Request) -> Result<(Option<String>, Finder, Vec<String>)> {
    let mut finder = Finder::new(context, request.config.as_deref())?;
    let mut names = request.names.iter().peekable();
    while let Some(name) = names.peek() {
        let path = Path::new(name.as_str());
        let is_log = match context.files.kind(path) {
            Some(FileKind::Folder) => {
                finder.add(name)?;
                if finder.count() == 0 {
                    unfit!("the folder {name} has no log; {}", finder.no_logs());
                }
                true
            }
            Some(FileKind::File) => finder.file(path, None)? == Told::Log,
            None => false,
        };
        if !is_log {
            break;
        }
        names.next();
    }
    let mut trace = None;
    if finder.count() == 0 {
        // If the request has only formulas, they are checked over the logs of `otus.toml`.
        let is_formula = names.peek().is_none_or(|name| {
            let path = Path::new(name.as_str());
            *name != "-" && context.files.kind(path).is_none() && may_be_formula(name)
        });
        if is_formula && finder.project_here()?.is_some() {
            finder.whole_project()?;
            if finder.count() == 0 {
                unfit!("{}", finder.no_logs());
            }
        } else if let Some(name) = names.next() {
            let path = Path::new(name.as_str());
            if finder.file(path, None)? == Told::Unmapped {
                unfit!("{}", finder.unmapped(path));
            }
            trace = Some(name.clone());
        } else {
            unfit!(
                "no trace is given: name a .pot.json, or raw logs; without a name, the logs \
                 are those of an otus.toml, and there is none here or above"
            );
        }
    }
    Ok((trace, finder, names.cloned().collect()))
}

/// The order of the group of raw logs that a request names.
pub(super) fn group_of(context: &Context, request: &Request) -> Result<PartialOrder> {
    let quiet = Context { monitor: std::sync::Arc::new(crate::Silent), ..context.clone() };
    let (trace, mut finder, _) = sort(&quiet, request)?;
    if trace.is_some() || finder.count() == 0 {
        unfit!("no raw logs are given");
    }
    Ok(group(&quiet, request, &mut finder, Writes::Ordered)?.0)
}

/// The maximum number of groups that the message about a missing choice names.
const SHOWN: usize = 5;

/// The order of the only group of raw logs, or of the requested one; and a description of these logs.
fn group(
    context: &Context,
    request: &Request,
    finder: &mut Finder,
    writes: Writes,
) -> Result<(PartialOrder, String)> {
    let Some(mut logs) = finder.take() else { unfit!("{}", finder.no_logs()) };
    logs.only.clone_from(&request.group);
    let mut keys: Vec<String> = Vec::new();
    let mut groups = 0;
    let mut found = None;
    let accounting = logs.run(&mut |observed| {
        groups += 1;
        if keys.len() < SHOWN {
            keys.push(observed.name().into_owned());
        }
        if groups == 1 {
            found = Some(observed.order(writes));
        }
        ControlFlow::Continue(())
    });
    findings::report(context, &accounting);
    let order = match (found, &request.group) {
        (Some(order), _) if groups == 1 => order,
        (Some(_), _) => {
            let more = if groups > keys.len() { ", …" } else { "" };
            let keys = keys.join(", ");
            unfit!(
                "formulas are about one group, and there are {groups}: {keys}{more}; choose one by \
                 --group KEY"
            )
        }
        (None, Some(group)) => return Err(Error::Unfit(logs::no_group(group))),
        (None, None) => unfit!(
            "no line became an event, so there is nothing to check; `otus map --explain` tells why"
        ),
    };
    let order =
        order.map_err(|error| Error::Unfit(format!("the events have no order: {error}")))?;
    let total = accounting.total;
    let left = counted(total.unmatched + total.incomplete + total.unreadable, "line");
    let group = match accounting.groups.total {
        0 | 1 => String::new(),
        _ => format!("group {} of ", keys.concat()),
    };
    let logs = counted(accounting.files.len(), "log");
    Ok((order, format!("{group}{logs} ({left} unmatched)")))
}

/// Whether a text can be a formula rather than the misspelt name of a file.
fn may_be_formula(text: &str) -> bool {
    Format::of_name(Path::new(text)).is_none() && !text.contains('/')
}

/// Whether a name can be written before a formula, as in `name: formula`.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The advice for a file that is no partial-order trace.
fn not_a_trace(name: &str, format: Format) -> Option<String> {
    Some(match format {
        Format::Pot => return None,
        Format::Ctl => format!("{name} has formulas: give it with --file, and a trace before it"),
        Format::Htf | Format::Jsonl => format!(
            "{name} is a multi-trace, and formulas are about partial-order traces (.pot.json); \
             `otus convert {name} out.pot.json` makes one"
        ),
        Format::Parquet => format!(
            "{name} is a table of events, and formulas are about partial-order traces (.pot.json)"
        ),
        Format::Cnf => format!(
            "{name} is a Boolean formula without time, and there is no trace to check it over"
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
