//! `otus convert`: the same interaction or multi-trace in another format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus_core::{Pool, raise};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::print::{self, Dialect};
use otus_syntax::{Code, Diagnostic, Span, diagnostic};
use otus_trace::case::{self, Case};
use otus_trace::order::{from_multi_trace, pot};
use otus_trace::transform;

use crate::args::{ConvertArgs};
use crate::shell::Shell;
use otus::Format;
use crate::cases::{self, Place};
use crate::exit::Exit;
use otus::load::{Fences, Loaded, Spec, Trace};
use crate::output;
use otus::words::counted;

pub(crate) fn run(args: &ConvertArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (inputs, target) = destination(args)?;
    let loaded = Loaded::read(&shell.context, &inputs, args.from.map(Into::into), Fences::One)?;
    let mut converter = Converter { loaded, target, force: args.force, color };
    converter.run()
}

/// What to write, and where.
#[derive(Debug, Clone)]
struct Target {
    format: Format,
    place: Place,
}

/// Tells the files to read from the one to write.
fn destination(args: &ConvertArgs) -> anyhow::Result<(Vec<String>, Target)> {
    let mut inputs = args.files.clone();
    let named = match (&args.output, args.to) {
        (Some(output), _) => Some(output.clone()),
        // With --to alone everything is read, unless the last file is plainly the one to write.
        (None, Some(_)) => None,
        (None, None) => {
            if inputs.len() < 2 {
                bail!(
                    "say what to convert to: `otus convert {} OUT`, or --to FORMAT for standard output",
                    inputs[0]
                );
            }
            inputs.pop()
        }
    };
    let Some(named) = named.filter(|named| named != "-") else {
        let format = args.to.context("writing to standard output needs --to FORMAT")?;
        return Ok((inputs, Target { format, place: Place::Stdout }));
    };
    let place = Place::named(Some(&named));
    if let Place::Folder(_) = place {
        return Ok((inputs, Target { format: args.to.unwrap_or(Format::Htf), place }));
    }
    let format = args.to.or_else(|| Format::of_name(Path::new(&named))).with_context(|| {
        format!(
            "the ending of {named} names no format; use .hif, .hsf, .mmd, .puml, .htf, .jsonl or .pot.json, or --to"
        )
    })?;
    Ok((inputs, Target { format, place }))
}

struct Converter {
    loaded: Loaded,
    target: Target,
    force: bool,
    shell: &Shell,
}

impl Converter {
    fn run(&mut self) -> anyhow::Result<Exit> {
        match self.target.format {
            Format::Hsf | Format::Hif | Format::Mermaid | Format::Plantuml => self.spec(),
            Format::Htf | Format::Jsonl | Format::Pot => self.traces(),
            Format::Ctl => bail!("formulas cannot be made from other formats; see `otus fmt`"),
            Format::Hcf => bail!("options cannot be made from other formats; see `otus fmt`"),
            Format::Markdown => bail!(
                "Markdown is read, not written; convert --to mermaid and paste the diagram into a fence"
            ),
        }
    }

    fn spec(&mut self) -> anyhow::Result<Exit> {
        if !self.loaded.traces.is_empty() {
            bail!(
                "a trace is not a specification; `otus convert` turns traces into .htf or .jsonl"
            );
        }
        let specs = std::mem::take(&mut self.loaded.specs);
        let [spec] = specs.as_slice() else {
            if specs.is_empty() && diagnostic::any_error(&self.loaded.diagnostics) {
                self.loaded.explain(self.color);
                return Ok(Exit::Error);
            }
            bail!("one specification is converted at a time; {} are given", specs.len());
        };
        let mut lowered = spec.lower();
        self.loaded.diagnostics.append(&mut lowered.diagnostics);
        let Some(term) = lowered.term else {
            self.no_interaction(spec);
            self.loaded.explain(self.color);
            return Ok(Exit::Error);
        };
        if self.target.format == Format::Hsf {
            self.loaded.diagnostics.extend(spec.files.iter().flat_map(print::not_in_2020));
        }
        if self.loaded.explain(self.color) {
            return Ok(Exit::Error);
        }
        let raised = raise(&lowered.pool, term);
        let text = match self.target.format {
            Format::Mermaid => mermaid::write(&raised),
            Format::Plantuml => plantuml::write(&raised),
            Format::Hsf => single_file(spec, &raised),
            Format::Hif => {
                return self.hif(spec, &raised);
            }
            Format::Hcf
            | Format::Markdown
            | Format::Htf
            | Format::Jsonl
            | Format::Pot
            | Format::Ctl => String::new(),
        };
        match self.target.place.clone() {
            Place::Stdout => output::print(&text)?,
            Place::File(path) => self.write(&[(path, text)])?,
            Place::Folder(path) => bail!("{} is a folder; name the file to write", path.display()),
        }
        Ok(Exit::Success)
    }

    /// A `.hif`, and its signature beside it unless a `.hsf` was given.
    fn hif(&mut self, spec: &Spec, raised: &SpecFile) -> anyhow::Result<Exit> {
        let has_signature_file = spec.files.iter().zip(&spec.formats).any(|(file, format)| {
            *format == Format::Hsf && file.interaction.is_none() && !file.sections.is_empty()
        });
        let signature = print::signature(raised);
        let interaction = print::interaction(raised);
        match self.target.place.clone() {
            Place::Stdout => output::print(&format!("{signature}{interaction}"))?,
            Place::File(path) => {
                let beside = (path.with_extension("hsf"), signature);
                let mut files = vec![beside, (path, interaction)];
                if has_signature_file {
                    files.remove(0);
                }
                self.write(&files)?;
            }
            Place::Folder(path) => bail!("{} is a folder; name the file to write", path.display()),
        }
        Ok(Exit::Success)
    }

    fn traces(&mut self) -> anyhow::Result<Exit> {
        if self.loaded.traces.is_empty() && !diagnostic::any_error(&self.loaded.diagnostics) {
            bail!("no multi-trace is given; .htf and .jsonl are made from .htf and .jsonl files");
        }
        // A specification, if one is given, is checked against.
        let specs = std::mem::take(&mut self.loaded.specs);
        let mut lowered = specs.first().map(Spec::lower);
        if let Some(lowered) = &mut lowered {
            self.loaded.diagnostics.append(&mut lowered.diagnostics);
        }
        self.loaded.check_traces(lowered.as_mut());
        if self.loaded.explain(self.color) {
            return Ok(Exit::Error);
        }
        let traces = std::mem::take(&mut self.loaded.traces);
        if self.target.format == Format::Pot {
            return self.order(&traces, lowered.map(|lowered| lowered.pool));
        }
        if self.target.format == Format::Jsonl {
            let lines: String = traces.into_iter().map(|trace| case_line(trace) + "\n").collect();
            match self.target.place.clone() {
                Place::Stdout => output::print(&lines)?,
                Place::File(path) => self.write(&[(path, lines)])?,
                Place::Folder(path) => self.write(&[(path.join("cases.jsonl"), lines)])?,
            }
            return Ok(Exit::Success);
        }
        match (self.target.place.clone(), traces.as_slice()) {
            (Place::Stdout, [trace]) => output::print(&print::trace(&trace.tree))?,
            (Place::File(path), [trace]) => self.write(&[(path, print::trace(&trace.tree))])?,
            (Place::Folder(folder), traces) => self.folder(&folder, traces)?,
            (Place::Stdout | Place::File(_), traces) => bail!(
                "{} multi-traces do not fit in one .htf; name a folder (`runs/`) or a .jsonl",
                traces.len()
            ),
        }
        Ok(Exit::Success)
    }

    /// A partial-order trace: what the messages of a multi-trace say of its order.
    fn order(&self, traces: &[Trace], pool: Option<Pool>) -> anyhow::Result<Exit> {
        let [trace] = traces else {
            bail!("one multi-trace becomes one .pot.json; {} are given", traces.len());
        };
        let mut pool =
            pool.unwrap_or_else(|| Pool::new(transform::implied_signature([&trace.tree])));
        let (observed, _) = otus_trace::lower(&trace.tree, &mut pool);
        let source = self.loaded.sources.source(trace.tree.source);
        let paired = from_multi_trace(&observed, &pool, Some(source))?;
        let text = pot::write(&paired.order);
        match self.target.place.clone() {
            Place::Stdout => output::print(&text)?,
            Place::File(path) => self.write(&[(path, text)])?,
            Place::Folder(path) => bail!("{} is a folder; name the file to write", path.display()),
        }
        if !paired.unpaired.is_empty() {
            output::complain(&format!(
                "note: {} without an emission that was observed: from outside, or from a log that is missing",
                counted(paired.unpaired.len(), "reception")
            ));
        }
        Ok(Exit::Success)
    }

    fn folder(&self, folder: &Path, traces: &[Trace]) -> anyhow::Result<()> {
        cases::make_folder(folder)?;
        let mut taken = BTreeSet::new();
        let files = traces.iter().map(|trace| {
            let path = folder.join(format!("{}.htf", cases::file_name(&trace.id, &mut taken)));
            (path, print::trace(&trace.tree))
        });
        self.write(&files.collect::<Vec<_>>())
    }

    /// Writes all files, or none if one of them exists already.
    fn write(&self, files: &[(PathBuf, String)]) -> anyhow::Result<()> {
        for (path, _) in files {
            cases::refuse_existing(path, self.force)?;
        }
        for (path, text) in files {
            output::write_file(path, text)?;
            output::complain(&format!("wrote {}", path.display()));
        }
        Ok(())
    }

    fn no_interaction(&mut self, spec: &Spec) {
        let Some(file) = spec.files.last() else { return };
        self.loaded.diagnostics.push(
            Diagnostic::new(
                Code::NO_INTERACTION,
                file.source,
                Span::at(0),
                "this specification has no interaction to convert",
            )
            .with_help("give the .hif too"),
        );
    }
}

/// The single file of 2020: declarations, options and interaction of all files.
fn single_file(spec: &Spec, raised: &SpecFile) -> String {
    // A diagram has comments and directives of its own language.
    if spec.files.iter().any(|file| file.implicit) {
        return print::spec_in(raised, Dialect::Of2020);
    }
    let (last, first): (Vec<&SpecFile>, Vec<&SpecFile>) =
        spec.files.iter().partition(|file| file.interaction.is_some());
    first.into_iter().chain(last).map(|file| print::spec_in(file, Dialect::Of2020)).collect()
}

fn case_line(trace: Trace) -> String {
    let htf = print::trace_line(&trace.tree);
    let case = match trace.case {
        Some(case) => Case { htf, ..case },
        None => Case { id: trace.id, htf, ..Case::default() },
    };
    case::write(&case)
}
