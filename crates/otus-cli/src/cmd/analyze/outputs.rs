//! Where verdicts go: standard output, and a file for each `--report`.
//!
//! Answers in our own formats are put together by workers, a piece of bytes for each output. Others
//! are written from the model of reports, one case after the other, by whoever prints.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ValueEnum as _;
use clap::builder::PossibleValue;

use super::worker::Bytes;
use crate::args::{AnalyzeArgs, CoverageOutput, VerdictFormat};
use crate::output::{self, Draft};
use crate::report::github::Github;
use crate::report::html::Html;
use crate::report::junit::Junit;
use crate::report::markdown::Markdown;
use crate::report::model::{Case, Run, Totals, Unusable, Writer};
use crate::report::sarif::Sarif;
use crate::report::tap::Tap;

/// All outputs of a run.
pub(super) struct Outputs {
    all: Vec<Output>,
}

struct Output {
    format: VerdictFormat,
    to: Sink,
    /// Who writes it, if workers do not.
    writer: Option<Box<dyn Writer>>,
    /// Whether there is a result already.
    begun: bool,
}

enum Sink {
    Standard,
    /// A file that is there once it is complete.
    File(Draft),
    /// A file that grows.
    Growing(File),
}

/// Refuses what would be written over, or into, something else of the same call.
pub(super) fn refuse_same(args: &AnalyzeArgs) -> anyhow::Result<()> {
    let named = [
        ("--graph", &args.search.graph),
        ("--certificate", &args.certificate),
        ("--order", &args.order),
    ];
    let mut printed: Option<String> = None;
    if args.format != VerdictFormat::Text {
        let format = args.format.to_possible_value();
        let format = format.as_ref().map(PossibleValue::get_name).unwrap_or_default();
        printed = Some(format!("--format {format}"));
    }
    for (flag, _) in named.iter().filter(|(_, name)| name.as_deref() == Some("-")) {
        if let Some(other) = &printed {
            bail!(
                "{flag} - and {other} both write to standard output; name a file for {flag}, or \
                 write the verdicts to a file by --report FORMAT=FILE"
            );
        }
        // A certificate is of a failure and an order of a success: one of them is written.
        if *flag == "--graph" {
            printed = Some("--graph -".to_owned());
        }
    }
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for (flag, name) in named {
        if let Some(name) = name.as_deref().filter(|name| *name != "-") {
            files.push((flag.to_owned(), PathBuf::from(name)));
        }
    }
    for report in &args.report {
        let format = report.format.to_possible_value();
        let format = format.as_ref().map(PossibleValue::get_name).unwrap_or_default();
        files.push((format!("--report {format}"), report.path.clone()));
    }
    for output in &args.coverage {
        match output {
            CoverageOutput::File(path, _) => files.push(("--coverage".to_owned(), path.clone())),
            CoverageOutput::Text | CoverageOutput::Json => {}
        }
    }
    let others = [("--results", &args.results), ("--write-baseline", &args.write_baseline)];
    for (flag, path) in others {
        let Some(path) = path else { continue };
        if path.as_os_str() == "-" {
            bail!("{flag} writes a file, not standard output; give it a name");
        }
        files.push((flag.to_owned(), path.clone()));
    }
    for (index, (flag, path)) in files.iter().enumerate() {
        let same = files[..index].iter().find(|(_, other)| place(other) == place(path));
        if let Some((other, _)) = same {
            bail!("{other} and {flag} both write {}; give each a file of its own", path.display());
        }
    }
    Ok(())
}

/// Where a file is, however it is named.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return found;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// The formats of the outputs of a call, in order.
pub(super) fn formats(args: &AnalyzeArgs) -> Vec<VerdictFormat> {
    let reports = args.report.iter().map(|report| report.format);
    let results = args.results.iter().map(|_| VerdictFormat::Jsonl);
    std::iter::once(args.format).chain(reports).chain(results).collect()
}

/// Whether workers put answers in this format together.
pub(super) fn by_workers(format: VerdictFormat) -> bool {
    writer(format).is_none()
}

fn writer(format: VerdictFormat) -> Option<Box<dyn Writer>> {
    match format {
        VerdictFormat::Text | VerdictFormat::Json | VerdictFormat::Jsonl => None,
        VerdictFormat::Junit => Some(Box::new(Junit::default())),
        VerdictFormat::Sarif => Some(Box::new(Sarif::default())),
        VerdictFormat::Github => Some(Box::new(Github::default())),
        VerdictFormat::Tap => Some(Box::new(Tap::default())),
        VerdictFormat::Markdown => Some(Box::new(Markdown::default())),
        VerdictFormat::Html => Some(Box::new(Html::default())),
    }
}

impl Outputs {
    pub(super) fn open(args: &AnalyzeArgs, run: &Run) -> anyhow::Result<Outputs> {
        let mut outputs = Outputs { all: Vec::new() };
        let mut sinks = vec![(args.format, Sink::Standard)];
        for report in &args.report {
            sinks.push((report.format, Sink::File(Draft::create(&report.path)?)));
        }
        if let Some(path) = &args.results {
            let file = File::options().append(true).create(true).open(path);
            let file = file.with_context(|| format!("cannot write {}", path.display()))?;
            sinks.push((VerdictFormat::Jsonl, Sink::Growing(file)));
        }
        for (format, to) in sinks {
            let mut output = Output { format, to, writer: writer(format), begun: false };
            output.write(|writer, out| writer.begin(run, out))?;
            outputs.all.push(output);
        }
        Ok(outputs)
    }

    /// One that nobody reads but a command of ours.
    pub(super) fn only(mut writer: Box<dyn Writer>, run: &Run) -> anyhow::Result<Outputs> {
        writer.begin(run, &mut io::sink())?;
        let (format, to) = (super::GATHERED, Sink::Standard);
        Ok(Outputs { all: vec![Output { format, to, writer: Some(writer), begun: false }] })
    }

    /// Answers that workers put together.
    pub(super) fn bytes(&mut self, pieces: &Bytes) -> anyhow::Result<()> {
        for (output, bytes) in self.all.iter_mut().zip(pieces) {
            output.bytes(bytes)?;
        }
        Ok(())
    }

    pub(super) fn case(&mut self, case: &Case) -> anyhow::Result<()> {
        self.all.iter_mut().try_for_each(|it| it.write(|writer, out| writer.case(case, out)))
    }

    pub(super) fn unusable(&mut self, what: &Unusable) -> anyhow::Result<()> {
        self.all.iter_mut().try_for_each(|it| it.write(|writer, out| writer.unusable(what, out)))
    }

    /// Ends all of them; `summary` is that of a JSON document, with what members come after it.
    pub(super) fn finish(self, totals: &Totals, summary: &str) -> anyhow::Result<()> {
        for mut output in self.all {
            if output.format == VerdictFormat::Json {
                let begin = if output.begun { "\n" } else { JSON_BEGIN };
                let end = format!("{begin}  ],\n  \"summary\": {summary}\n}}\n");
                output.plain(end.as_bytes())?;
            }
            output.write(|writer, out| writer.end(totals, out))?;
            match output.to {
                Sink::File(file) => drop(file.finish()?),
                Sink::Standard | Sink::Growing(_) => {}
            }
        }
        Ok(())
    }
}

const JSON_BEGIN: &str = "{\n  \"version\": 1,\n  \"results\": [\n";

impl Output {
    fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.format != VerdictFormat::Json {
            return self.plain(bytes);
        }
        // Each result has a comma behind it, which the last one must not have.
        let begin = if self.begun { ",\n" } else { JSON_BEGIN };
        self.plain(begin.as_bytes())?;
        self.begun = true;
        self.plain(bytes.strip_suffix(b",\n").unwrap_or(bytes))
    }

    fn plain(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match &mut self.to {
            Sink::Standard => output::print_bytes(bytes),
            Sink::File(file) => file.write_bytes(bytes),
            Sink::Growing(file) => file.write_all(bytes).context("cannot write results"),
        }
    }

    fn write(
        &mut self,
        say: impl FnOnce(&mut dyn Writer, &mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        match &mut self.to {
            Sink::File(file) => say(&mut **writer, file.writer())?,
            Sink::Growing(file) => say(&mut **writer, file)?,
            Sink::Standard => {
                let mut out = io::BufWriter::new(io::stdout().lock());
                say(&mut **writer, &mut out)?;
                out.flush()?;
            }
        }
        Ok(())
    }
}
