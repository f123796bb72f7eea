//! From what the user named to specifications and multi-traces.
//!
//! All `.hsf`, `.hif` and `.hcf` files of one call are one specification; each diagram is one by
//! itself. Whatever is wrong with the texts is collected, not thrown.

use otus_core::Lowered;
use otus_syntax::ast::{SpecFile, TraceFile};
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::markdown::{self, Fence, Language};
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::grammar::Parsed;
use otus_syntax::{Code, Diagnostic, Severity, Source, SourceId, Span, parse_spec, parse_trace};
use otus_trace::case::Case;

use crate::args::{Color, Format};
use crate::input::{Input, Inputs};
use crate::output::Stream;
use crate::{output, report};

/// Everything one call is about.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) inputs: Inputs,
    pub(crate) specs: Vec<Spec>,
    pub(crate) traces: Vec<Trace>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The files of one specification.
#[derive(Debug, Default)]
pub(crate) struct Spec {
    pub(crate) files: Vec<SpecFile>,
    /// The formats of the files.
    pub(crate) formats: Vec<Format>,
    /// Whether a text of it has errors, so that what else it seems to say is guesswork.
    pub(crate) faulty: bool,
}

/// A multi-trace.
#[derive(Debug)]
pub(crate) struct Trace {
    /// The file's stem, or the case's id.
    pub(crate) id: String,
    pub(crate) tree: TraceFile,
    /// The line of the case file it comes from.
    pub(crate) case: Option<Case>,
}

/// Which diagrams of a Markdown file to take when none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fences {
    /// All of them.
    All,
    /// The only one; several are an error that lists them.
    One,
}

impl Loaded {
    /// Reads the named files.
    pub(crate) fn read(
        names: &[String],
        from: Option<Format>,
        fences: Fences,
    ) -> anyhow::Result<Loaded> {
        Loaded::default().read_more(names, from, fences)
    }

    /// The name of the file that the interaction of the first specification is in.
    pub(crate) fn interaction_name(&self) -> Option<&str> {
        let files = &self.specs.first()?.files;
        let file = files.iter().find(|file| file.interaction.is_some())?;
        Some(self.inputs.source(file.source).name())
    }

    /// Reads the named files besides what is there already.
    pub(crate) fn read_more(
        self,
        names: &[String],
        from: Option<Format>,
        fences: Fences,
    ) -> anyhow::Result<Loaded> {
        let mut loaded = self;
        let mut files = Spec::default();
        for name in names {
            let input = loaded.inputs.read(name, from)?;
            match input.format {
                Format::Hsf | Format::Hif | Format::Hcf => {
                    let mut parsed = parse_spec(loaded.inputs.source(input.source));
                    parsed.diagnostics.extend(no_interaction(&parsed.tree, input.format));
                    files.faulty |= any_error(&parsed.diagnostics);
                    files.files.push(loaded.keep(parsed));
                    files.formats.push(input.format);
                }
                Format::Mermaid => loaded.diagram(&input, mermaid::read),
                Format::Plantuml => loaded.diagram(&input, plantuml::read),
                Format::Markdown => loaded.markdown(&input, fences),
                Format::Htf => {
                    let id = match input.path.as_deref().and_then(|path| path.file_stem()) {
                        Some(stem) => stem.to_string_lossy().into_owned(),
                        None => "stdin".to_owned(),
                    };
                    loaded.trace(input.source, id, None);
                }
                Format::Jsonl => loaded.cases(input.source),
                Format::Pot => anyhow::bail!(
                    "{name} is a partial-order trace; `otus ctl {name} FORMULA…` checks formulas over it"
                ),
                Format::Ctl => anyhow::bail!(
                    "{name} has formulas; `otus ctl TRACE --file {name}` checks them over a trace"
                ),
            }
        }
        if !files.files.is_empty() {
            loaded.specs.insert(0, files);
        }
        let unusable = std::mem::take(&mut loaded.inputs.diagnostics);
        // A text that could not be read at all has nothing else wrong with it.
        let whole: Vec<SourceId> = unusable.iter().map(|found| found.primary.source).collect();
        loaded.diagnostics.retain(|found| !whole.contains(&found.primary.source));
        loaded.diagnostics.splice(0..0, unusable);
        Ok(loaded)
    }

    /// A file that is one diagram.
    fn diagram(&mut self, input: &Input, read: fn(&Source, Span) -> Parsed<SpecFile>) {
        let source = self.inputs.source(input.source);
        let parsed = read(source, source.whole());
        let faulty = any_error(&parsed.diagnostics);
        let tree = self.keep(parsed);
        self.specs.push(Spec { files: vec![tree], formats: vec![input.format], faulty });
    }

    /// The diagrams of a Markdown file.
    fn markdown(&mut self, input: &Input, fences: Fences) {
        let source = self.inputs.source(input.source);
        let all = markdown::fences(source, &mut self.diagnostics);
        let wanted: Vec<Fence> =
            if input.selector.is_none() && fences == Fences::All && !all.is_empty() {
                all
            } else {
                match markdown::select(source, &all, input.selector.as_deref()) {
                    Ok(fence) => vec![fence.clone()],
                    Err(found) => {
                        self.diagnostics.push(found);
                        Vec::new()
                    }
                }
            };
        for fence in wanted {
            let source = self.inputs.source(input.source);
            let (mut parsed, format) = match fence.language {
                Language::Mermaid => (mermaid::read(source, fence.content), Format::Mermaid),
                Language::PlantUml => (plantuml::read(source, fence.content), Format::Plantuml),
            };
            // A fence without an end takes in the rest of the document, which is no diagram.
            if !fence.closed {
                parsed.diagnostics.clear();
            }
            let faulty = !fence.closed || any_error(&parsed.diagnostics);
            let tree = self.keep(parsed);
            self.specs.push(Spec { files: vec![tree], formats: vec![format], faulty });
        }
    }

    /// The cases of a case file.
    fn cases(&mut self, source: SourceId) {
        let source = self.inputs.source(source);
        let name = source.name().to_owned();
        if let Some(fault) = one_document(source) {
            self.diagnostics.push(fault);
            return;
        }
        let (mut cases, mut faults) = (Vec::new(), Vec::new());
        for case in otus_trace::case::read(source) {
            match case {
                Ok(case) => cases.push(case),
                Err(fault) => otus_syntax::parser::report(&mut faults, *fault),
            }
        }
        self.diagnostics.append(&mut faults);
        for case in cases {
            let name = format!("{name}:{} ({})", case.line, case.id);
            let source = self.inputs.add(name, case.htf.clone());
            self.trace(source, case.id.clone(), Some(case));
        }
    }

    fn trace(&mut self, source: SourceId, id: String, case: Option<Case>) {
        let parsed = parse_trace(self.inputs.source(source));
        let tree = self.keep(parsed);
        self.traces.push(Trace { id, tree, case });
    }

    /// Checks the traces against a specification's signature, or by themselves without one.
    pub(crate) fn check_traces(&mut self, spec: Option<&mut Lowered>) {
        let mut found = Vec::new();
        match spec {
            Some(spec) => {
                for trace in &self.traces {
                    found.extend(otus_trace::lower(&trace.tree, &mut spec.pool).1);
                }
            }
            None => found.extend(self.traces.iter().flat_map(|t| otus_trace::check(&t.tree))),
        }
        self.diagnostics.extend(found);
    }

    /// Prints warnings and errors; returns whether there is an error.
    pub(crate) fn explain(&self, color: Color) -> bool {
        let colored = output::colored(color, Stream::Error);
        let is_worth_it = |found: &&Diagnostic| found.severity > Severity::Note;
        let shown: Vec<Diagnostic> = self.diagnostics.iter().filter(is_worth_it).cloned().collect();
        let text = report::text(&self.inputs.sources, &shown, colored);
        if !text.is_empty() {
            output::complain(text.trim_end());
        }
        any_error(&self.diagnostics)
    }

    fn keep<T>(&mut self, parsed: Parsed<T>) -> T {
        self.diagnostics.extend(parsed.diagnostics);
        parsed.tree
    }
}

impl Spec {
    /// Its terms, and what is wrong with its names.
    pub(crate) fn lower(&self) -> Lowered {
        otus_core::lower(&self.trees())
    }

    /// The trees of its files.
    pub(crate) fn trees(&self) -> Vec<&SpecFile> {
        self.files.iter().collect()
    }
}

/// A `.hif` that says nothing; the empty interaction is written `o`.
fn no_interaction(tree: &SpecFile, format: Format) -> Option<Diagnostic> {
    let nothing = tree.interaction.is_none() && tree.sections.is_empty();
    (nothing && format == Format::Hif).then(|| {
        let message = "this text has no interaction";
        Diagnostic::new(Code::NO_INTERACTION, tree.source, Span::at(0), message)
            .with_help("write one; the empty interaction is `o`")
    })
}

/// JSON that is one document over several lines, and so no case file.
pub(crate) fn one_document(source: &Source) -> Option<Diagnostic> {
    let text = source.text().trim_start_matches('\u{feff}').trim();
    let first = text.lines().next()?;
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    (first.len() < text.len() && !is_json(first) && is_json(text)).then(|| {
        let message = "this is one JSON document over several lines";
        Diagnostic::new(Code::BAD_CASE, source.id(), Span::at(0), message).with_help(
            "a case file has one object a line, like {\"id\": \"x\", \"htf\": \"{[a] a!m; [b] b?m}\"}",
        )
    })
}
