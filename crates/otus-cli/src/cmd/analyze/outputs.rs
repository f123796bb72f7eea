//! Where verdicts go: standard output, and a file for each `--report`.
//!
//! Answers in our own formats are put together by workers, a piece of bytes for each output. Others
//! are written from the model of reports, one case after the other, by whoever prints.

use std::io::{self, Write};

use super::worker::Bytes;
use crate::args::{AnalyzeArgs, VerdictFormat};
use crate::output::{self, Draft};
use crate::report::github::Github;
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
    /// None for standard output.
    file: Option<Draft>,
    /// Who writes it, if workers do not.
    writer: Option<Box<dyn Writer>>,
    /// Whether there is a result already.
    begun: bool,
}

/// The formats of the outputs of a call, in order.
pub(super) fn formats(args: &AnalyzeArgs) -> Vec<VerdictFormat> {
    std::iter::once(args.format).chain(args.report.iter().map(|report| report.format)).collect()
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
    }
}

impl Outputs {
    pub(super) fn open(args: &AnalyzeArgs, run: &Run) -> anyhow::Result<Outputs> {
        let mut outputs = Outputs { all: Vec::new() };
        let files = args.report.iter().map(|report| (report.format, Some(&report.path)));
        for (format, path) in std::iter::once((args.format, None)).chain(files) {
            let file = path.map(|path| Draft::create(path)).transpose()?;
            let mut output = Output { format, file, writer: writer(format), begun: false };
            output.write(|writer, out| writer.begin(run, out))?;
            outputs.all.push(output);
        }
        Ok(outputs)
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

    /// Ends all of them; `summary` is that of a JSON document.
    pub(super) fn finish(self, totals: &Totals, summary: &str) -> anyhow::Result<()> {
        for mut output in self.all {
            if output.format == VerdictFormat::Json {
                let begin = if output.begun { "\n" } else { JSON_BEGIN };
                let end = format!("{begin}  ],\n  \"summary\": {summary}\n}}\n");
                output.plain(end.as_bytes())?;
            }
            output.write(|writer, out| writer.end(totals, out))?;
            if let Some(file) = output.file {
                file.finish()?;
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
        match &mut self.file {
            Some(file) => file.write_bytes(bytes),
            None => output::print_bytes(bytes),
        }
    }

    fn write(
        &mut self,
        say: impl FnOnce(&mut dyn Writer, &mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        match &mut self.file {
            Some(file) => say(&mut **writer, file.writer())?,
            None => {
                let mut out = io::BufWriter::new(io::stdout().lock());
                say(&mut **writer, &mut out)?;
                out.flush()?;
            }
        }
        Ok(())
    }
}
