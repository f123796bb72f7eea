//! `otus init`: an `otus.toml` for a folder of logs.
//!
//! The files are looked at ([`look`]): what they are, and which are alike. What their lines say of
//! sending and receiving becomes rules ([`speech`]). The text ([`propose`]) is written twice: the
//! first is run on the logs, and what it leaves over is put into the second as comments. So the
//! proposal always can be read, and says itself how far it goes.

mod look;
mod propose;
mod speech;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus_core::Signature;
use otus_syntax::Source;
use otus_trace::mapping::Plan;
use otus_trace::run::Accounting;

use crate::args::{InitArgs};
use crate::shell::Shell;
use crate::cases::refuse_existing;
use crate::exit::Exit;
use otus::load::{Fences, Loaded};
use otus::logs::Logs;
use crate::output;
use otus::project::{self, FILE, OWN_KEYS};
use otus::words::counted;
use look::Folder;
use propose::Proposal;

pub(crate) fn run(args: &InitArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let folder = &*args.folder;
    if !folder.is_dir() {
        let name = folder.display();
        if folder.is_file() {
            bail!("{name} is a file; `otus init` takes the folder it is in");
        }
        bail!("there is no folder {name}");
    }
    let target = match args.output.as_deref() {
        Some("-") => None,
        Some(name) => Some(PathBuf::from(name)),
        None if folder == Path::new(".") => Some(PathBuf::from(FILE)),
        None => Some(folder.join(FILE)),
    };
    if let Some(path) = &target {
        refuse_existing(path, args.force)?;
    }
    let signature = match args.spec.as_slice() {
        [] => None,
        names => match specification(names, color)? {
            Some(signature) => Some(signature),
            None => return Ok(Exit::Error),
        },
    };
    let looked = Folder::look(folder)?;
    if looked.sources.is_empty() {
        bail!(
            "{} has no file that looks like a log (.log, .txt, .json, .jsonl, .csv, packed or not)",
            folder.display()
        );
    }
    let spec = args.spec.iter().map(|name| relative(name, folder)).collect::<Vec<_>>();
    let mut proposal = Proposal::new(&looked, spec);
    let first = try_on(&proposal.text(), &looked)?;
    proposal.refine(&first, signature.as_ref());
    let text = proposal.text();
    let last = try_on(&text, &looked)?;
    match &target {
        None => output::print(&text)?,
        Some(path) => {
            output::write_file(path, &text)?;
            output::complain(&format!("wrote {}", path.display()));
        }
    }
    let total = last.total;
    output::complain(&format!(
        "proposed {} for {}: {} of {} become {}; `otus map{} --explain` shows the rest",
        counted(looked.sources.len(), "source"),
        counted(last.files.len(), "log"),
        total.matched,
        counted(total.records, "line"),
        counted(last.files.iter().map(|file| file.events).sum::<u64>(), "event"),
        if folder == Path::new(".") { String::new() } else { format!(" {}", folder.display()) },
    ));
    Ok(Exit::Success)
}

/// The names of a specification; nothing if it is faulty, which is told.
fn specification(names: &[String], shell: &Shell) -> anyhow::Result<Option<Signature>> {
    let mut loaded = Loaded::read(&shell.context, names, None, Fences::One)?;
    let found = super::analyze::one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    let signature = found.map(|(lowered, _)| lowered.pool.signature().clone());
    Ok(signature.filter(|_| !faulty))
}

/// Runs a proposal on the logs it is for.
fn try_on(text: &str, looked: &Folder) -> anyhow::Result<Accounting> {
    let source = Source::new(FILE, text);
    let (plan, found) = Plan::parse(&source, &OWN_KEYS);
    let fault = found.first().map(|found| found.message.clone()).unwrap_or_default();
    let plan = plan.with_context(|| {
        format!("a bug in Otus: the proposal cannot be read ({fault}), please report it:\n{text}")
    })?;
    let mut logs = Logs { plan, ..Logs::default() };
    for (path, inside) in looked.sources.iter().flat_map(|source| &source.files) {
        let source = logs.plan.source_of(inside).with_context(|| {
            format!("a bug in Otus: the proposal has no source for {inside}, please report it")
        })?;
        logs.add(project::shown(path), source, path);
    }
    Ok(logs.run(&mut |_| ControlFlow::Continue(())))
}

/// A file as it is called from a folder.
fn relative(name: &str, folder: &Path) -> String {
    let (path, selector) = match name.split_once('#') {
        Some((path, selector)) => (path, format!("#{selector}")),
        None => (name, String::new()),
    };
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (path, folder) = (whole(Path::new(path)), whole(folder));
    for (up, ancestor) in folder.ancestors().enumerate() {
        if let Ok(inside) = path.strip_prefix(ancestor) {
            let inside = inside.to_string_lossy().replace('\\', "/");
            return format!("{}{inside}{selector}", "../".repeat(up));
        }
    }
    format!("{}{selector}", path.display())
}
