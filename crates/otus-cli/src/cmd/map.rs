//! `otus map`: how lines of logs become actions, every line accounted for.
//!
//! The logs are read once ([`Seen`] keeps what the account does not: the keys of the first groups);
//! the account is printed for people ([`text`]) or scripts ([`json`]), and what was understood is
//! written for other commands ([`mod@write`]).

mod json;
mod text;
mod write;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use otus_core::Signature;
use otus_syntax::Severity;
use otus_trace::run::{Accounting, Observed};

use super::analyze::compare::{self, Stranger};
use crate::args::{MapArgs, MapFormat};
use crate::shell::Shell;
use crate::exit::Exit;
use otus::load::{Fences, Loaded};
use otus::logs::{self, Finder, Logs};
use crate::output;
use otus::project::Project;
use otus::words::counted;
use write::Writer;

pub(crate) fn run(args: &MapArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let mut finder = Finder::new(args.logs.config.as_deref(), color)?;
    // Whoever names several files of a specification after one --spec means all of them.
    let is_spec = |name: &&String| {
        let path = Path::new(name.split('#').next().unwrap_or(name));
        !args.spec.is_empty() && Format::of_name(path).is_some_and(logs::is_spec)
    };
    let (more, names): (Vec<&String>, Vec<&String>) = args.files.iter().partition(is_spec);
    let spec: Vec<String> = args.spec.iter().chain(more).cloned().collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let logs = gather(&names, &mut finder)?;
    let Some(mut logs) = logs else { bail!(nothing_given(&finder)) };
    logs.only.clone_from(&args.logs.group);
    let project = finder.project();
    let specification = specification(&spec, project, color)?;
    let mut seen = Seen::default();
    let mut writer = match &args.write {
        Some(name) => Some(Writer::open(name, args.force)?),
        None => None,
    };
    let mut failed = None;
    let accounting = logs.run(&mut |observed| {
        seen.note(observed);
        match writer.as_mut().map_or(Ok(()), |writer| writer.group(observed)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(group) = args.logs.group.as_deref().filter(|_| seen.groups == 0) {
        bail!(logs::no_group(group));
    }
    let map = Map { args, project, logs: &logs, accounting, specification, seen };
    if let Some(writer) = writer {
        writer.finish()?;
    }
    // Canonical lines on standard output are the result then.
    if args.write.as_deref() != Some("-") {
        output::print(&match args.format {
            MapFormat::Text => text::text(&map),
            MapFormat::Json => json::text(&map),
        })?;
    }
    output::complain(&map.summary(start));
    Ok(map.exit())
}

/// All logs that are meant: those named, or else those of the `otus.toml` here or above.
pub(super) fn gather(names: &[String], finder: &mut Finder) -> anyhow::Result<Option<Logs>> {
    for name in names {
        finder.add(name)?;
    }
    if names.is_empty() {
        finder.project_here()?;
        finder.whole_project()?;
    }
    Ok(finder.take())
}

/// What to say if there are no logs.
pub(super) fn nothing_given(finder: &Finder) -> String {
    let files = counted(finder.passed_over, "file");
    match finder.project() {
        Some(project) if project.plan.sources.is_empty() => {
            format!("{} has no [[source]] that says where logs are; add one", project.name)
        }
        Some(project) => {
            let globs = project.plan.sources.iter().flat_map(|source| &source.files);
            let globs: Vec<&str> = globs.map(otus_trace::mapping::Glob::text).collect();
            format!(
                "no file fits the sources of {}, which have {} (relative to its folder)",
                project.name,
                globs.join(", ")
            )
        }
        None if finder.passed_over > 0 => format!(
            "there is no otus.toml that says how to read logs, and {files} did not tell \
             themselves; `otus init` proposes one"
        ),
        None => "there is no log and no otus.toml here or above; name the logs, or let `otus init \
                 FOLDER` propose an otus.toml"
            .to_owned(),
    }
}

/// What the logs are beside, if a specification is known.
fn specification(
    spec: &[String],
    project: Option<&Project>,
    shell: &Shell,
) -> anyhow::Result<Option<Specification>> {
    let names = match project {
        Some(project) if spec.is_empty() => &*project.spec,
        _ => spec,
    };
    if names.is_empty() {
        return Ok(None);
    }
    let mut loaded = Loaded::read(&shell.context, names, None, Fences::One)?;
    let lowered = super::analyze::one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    let Some((lowered, _)) = lowered.filter(|_| !faulty) else { bail!(output::Told) };
    let signature = lowered.pool.signature().clone();
    Ok(Some(Specification { name: names.join(" "), signature }))
}

/// What the logs are compared with.
struct Specification {
    name: String,
    signature: Signature,
}

/// Everything there is to tell.
struct Map<'m> {
    args: &'m MapArgs,
    project: Option<&'m Project>,
    logs: &'m Logs,
    accounting: Accounting,
    specification: Option<Specification>,
    seen: Seen,
}

/// What is kept of groups.
#[derive(Debug, Default)]
struct Seen {
    /// The first ones: key, events, and whether it was closed.
    first: Vec<(String, usize, bool)>,
    groups: usize,
    actions: usize,
}

/// How many groups are kept.
const GROUPS: usize = 20;

impl Seen {
    fn note(&mut self, observed: &Observed<'_>) {
        self.groups += 1;
        self.actions += observed.events().filter(|event| event.action().is_some()).count();
        if self.first.len() < GROUPS {
            let entry = (logs::name_of(observed), observed.len(), observed.closed());
            self.first.push(entry);
        }
    }
}

impl Map<'_> {
    fn summary(&self, start: Instant) -> String {
        let total = self.accounting.total;
        let mut parts = vec![
            format!("{} matched", total.matched),
            format!("{} ignored", total.ignored),
            format!("{} blank", total.blank),
            format!("{} unmatched", total.unmatched),
        ];
        for (count, what) in [(total.incomplete, "incomplete"), (total.unreadable, "unreadable")] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        format!(
            "mapped {}, {} ({}): {}, {} in {:.0} ms",
            counted(self.accounting.files.len(), "log"),
            counted(total.records, "line"),
            parts.join(", "),
            counted(self.seen.actions, "action"),
            counted(self.seen.groups, "group"),
            start.elapsed().as_secs_f64() * 1000.0,
        )
    }

    fn exit(&self) -> Exit {
        let total = self.accounting.total;
        let error = self.accounting.findings.iter().any(|it| it.severity == Severity::Error);
        let open = total.unmatched + total.incomplete + total.unreadable > 0;
        match self.args.strict {
            _ if error => Exit::Error,
            true if open || self.seen.actions == 0 => Exit::Failure,
            true | false => Exit::Success,
        }
    }

    /// Lifelines and messages of the logs that the specification does not have.
    fn strangers(&self, specification: &Specification) -> (Vec<Stranger>, Vec<Stranger>) {
        let signature = &specification.signature;
        let lifelines = compare::lifelines(&self.accounting, signature);
        (lifelines, compare::messages(&self.accounting, signature))
    }

    /// Lifelines and messages of the specification that the logs do not have.
    fn missing<'s>(&self, specification: &'s Specification) -> (Vec<&'s str>, Vec<&'s str>) {
        let acts = |name: &str| {
            let names = self.accounting.vocabulary.lifeline_names();
            names.zip(&self.accounting.lifelines).any(|(other, account)| {
                other == name && account.sends + account.receives + account.others > 0
            })
        };
        let comes = |name: &str| {
            let names = self.accounting.vocabulary.message_names();
            names
                .zip(&self.accounting.messages)
                .any(|(other, account)| other == name && account.sends + account.receives > 0)
        };
        let signature = &specification.signature;
        let lifelines = signature.lifelines().map(|(_, name)| name).filter(|name| !acts(name));
        let messages = signature.messages().map(|(_, name)| name).filter(|name| !comes(name));
        (lifelines.collect(), messages.collect())
    }

    /// What a rule is called: its source, its name, and where it stands if that is in a file.
    fn rule(&self, index: usize) -> (String, String) {
        let rule = &self.accounting.rules[index];
        let source = self.logs.plan.sources.get(rule.source);
        let source = source.map(|source| source.name.clone()).unwrap_or_default();
        // Sources beyond those of the file were added by us.
        let project = self.project.filter(|it| rule.source < it.plan.sources.len());
        let name = match project {
            Some(project) => {
                let (line, _) = project.source.line_column(rule.span.start);
                format!("{} ({}:{line})", rule.name, project.name)
            }
            None => rule.name.clone(),
        };
        (source, name)
    }
}
