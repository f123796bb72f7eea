//! Reads named texts as specifications and multi-traces.
//!
//! All `.hsf`, `.hif` and `.hcf` files of one request are one specification; each diagram is a specification by
//! itself. Mistakes in the texts are collected as diagnostics; errors are files that cannot be read.

mod diagrams;
pub(crate) mod facts;
pub(crate) mod options;
pub(crate) mod same;
mod sources;

use otus_core::valued::Valued;
use otus_core::{Lowered, Pool, Signature, TermId};
use otus_syntax::ast::{NodeKind, SpecFile, TraceFile};
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::markdown::{self, Fence, Language};
use otus_syntax::grammar::Parsed;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span, parse_spec, parse_trace};
use otus_trace::case::Case;
use otus_trace::transform::implied_signature;
use otus_trace::{Facts, FieldNames, MultiTrace};

use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
pub use sources::expand;
pub(crate) use sources::{Input, Sources, read};

/// The texts of a request, parsed.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) sources: Sources,
    pub(crate) specs: Vec<SpecFiles>,
    pub(crate) traces: Vec<Trace>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether all diagrams of a Markdown file are read if the request names none. If not, several diagrams are an
    /// error, which lists them.
    pub(crate) takes_all_fences: bool,
}

#[derive(Debug, Default)]
pub(crate) struct SpecFiles {
    pub(crate) files: Vec<SpecFile>,
    pub(crate) formats: Vec<Format>,
    /// Whether a file of the specification has errors, so that findings about its meaning are
    /// uncertain.
    pub(crate) is_faulty: bool,
}

#[derive(Debug)]
pub(crate) struct Trace {
    /// The stem of the file's name, or the id of the case.
    pub(crate) id: String,
    pub(crate) tree: TraceFile,
    /// The line of the case file that it comes from.
    pub(crate) case: Option<Case>,
}

impl Loaded {
    pub(crate) fn read(context: &Context, names: &[String], from: Option<Format>) -> Result<Self> {
        Loaded::default().read_more(context, names, from)
    }

    /// The name of the file that the interaction of the first specification is in.
    pub(crate) fn interaction_name(&self) -> Option<&str> {
        let files = &self.specs.first()?.files;
        let file = files.iter().find(|file| file.interaction.is_some())?;
        Some(self.sources.source(file.source).name())
    }

    /// Reads the named files in addition to those that were read before.
    pub(crate) fn read_more(
        self,
        context: &Context,
        names: &[String],
        from: Option<Format>,
    ) -> Result<Loaded> {
        let mut loaded = self;
        let mut files = SpecFiles::default();
        for name in names {
            let input = loaded.sources.read(&*context.files, name, from)?;
            match input.format {
                Format::Hsf | Format::Hif | Format::Hcf => {
                    let mut parsed = parse_spec(loaded.sources.source(input.source));
                    parsed.diagnostics.extend(no_interaction(&parsed.tree, input.format));
                    files.is_faulty |= any_error(&parsed.diagnostics);
                    files.files.push(loaded.keep(parsed));
                    files.formats.push(input.format);
                }
                Format::Mermaid => loaded.diagram(context, &input, Language::Mermaid),
                Format::Plantuml => loaded.diagram(context, &input, Language::PlantUml),
                Format::Markdown => loaded.markdown(context, &input),
                Format::Htf => {
                    let stem = input.path.as_deref().and_then(|path| path.file_stem());
                    let id = stem.unwrap_or("stdin".as_ref()).to_string_lossy().into_owned();
                    loaded.trace(input.source, id, None);
                }
                Format::Jsonl => loaded.cases(input.source),
                Format::Parquet => unfit!(
                    "{name} is a table of events; `otus analyze SPEC {name}` checks its runs"
                ),
                Format::Pot => unfit!(
                    "{name} is a partial-order trace; `otus ctl {name} FORMULA…` checks formulas over it"
                ),
                Format::Cnf => unfit!(
                    "{name} is a Boolean formula, which `otus convert FORMULA.cnf model.hif` turns into a \
                     specification and a multi-trace (with --from cnf, if it has another ending)"
                ),
                Format::Ctl => unfit!(
                    "{name} has formulas; `otus ctl TRACE --file {name}` checks them over a trace"
                ),
            }
        }
        if !files.files.is_empty() {
            loaded.specs.insert(0, files);
        }
        let unusable = std::mem::take(&mut loaded.sources.diagnostics);
        // If a text could not be read at all, other findings about it are dropped.
        let whole: Vec<SourceId> = unusable.iter().map(|found| found.primary.source).collect();
        loaded.diagnostics.retain(|found| !whole.contains(&found.primary.source));
        loaded.diagnostics.splice(0..0, unusable);
        Ok(loaded)
    }

    fn diagram(&mut self, context: &Context, input: &Input, named: Language) {
        let source = self.sources.source(input.source);
        let (parsed, format) = diagrams::read(context, input, source, source.whole(), named);
        self.add_diagram(parsed, format, false);
    }

    fn add_diagram(&mut self, parsed: Parsed<SpecFile>, format: Format, is_faulty: bool) {
        let is_faulty = is_faulty || any_error(&parsed.diagnostics);
        let files = vec![self.keep(parsed)];
        self.specs.push(SpecFiles { files, formats: vec![format], is_faulty });
    }

    fn markdown(&mut self, context: &Context, input: &Input) {
        let source = self.sources.source(input.source);
        let all = markdown::fences(source, &mut self.diagnostics);
        let wanted: Vec<Fence> =
            if input.heading.is_none() && self.takes_all_fences && !all.is_empty() {
                all
            } else {
                match markdown::select(source, &all, input.heading.as_deref()) {
                    Ok(fence) => vec![fence.clone()],
                    Err(found) => {
                        self.diagnostics.push(found);
                        Vec::new()
                    }
                }
            };
        for fence in wanted {
            let source = self.sources.source(input.source);
            let (mut parsed, format) =
                diagrams::read(context, input, source, fence.content, fence.language);
            // A fence without an end extends to the end of the document, and that text is not a
            // diagram.
            if !fence.closed {
                parsed.diagnostics.clear();
            }
            self.add_diagram(parsed, format, !fence.closed);
        }
    }

    fn cases(&mut self, source: SourceId) {
        let source = self.sources.source(source);
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
            let source = self.sources.add(name, case.htf.clone());
            self.trace(source, case.id.clone(), Some(case));
        }
    }

    fn trace(&mut self, source: SourceId, id: String, case: Option<Case>) {
        let parsed = parse_trace(self.sources.source(source));
        let tree = self.keep(parsed);
        self.traces.push(Trace { id, tree, case });
    }

    /// Checks the traces against the signature of a specification, or by themselves without one.
    pub(crate) fn check_traces(&mut self, spec: Option<&mut Lowered>) {
        let trees = self.traces.iter().map(|trace| &trace.tree);
        match spec {
            Some(spec) => self
                .diagnostics
                .extend(trees.flat_map(|tree| otus_trace::lower(tree, &mut spec.pool).1)),
            None => self.diagnostics.extend(trees.flat_map(otus_trace::check)),
        }
    }

    /// The meaning of the first specification, if there is one, against which the traces are checked. Warnings are
    /// reported.
    pub(crate) fn lower_with_traces(&mut self, context: &Context) -> Result<Option<Lowered>> {
        let mut lowered = self.specs.first().map(SpecFiles::lower);
        if let Some(lowered) = &mut lowered {
            self.diagnostics.append(&mut lowered.diagnostics);
        }
        self.check_traces(lowered.as_mut());
        self.warn(context)?;
        Ok(lowered)
    }

    pub(crate) fn take_diagnostics(&mut self) -> Diagnostics {
        Diagnostics::new(self.sources.all.clone(), std::mem::take(&mut self.diagnostics))
    }

    pub(crate) fn warn(&mut self, context: &Context) -> Result<()> {
        context.warn(self.take_diagnostics().or_error()?);
        Ok(())
    }

    /// The meaning of the only specification: its terms and its interaction. Warnings are reported.
    pub(crate) fn only_interaction(&mut self, context: &Context) -> Result<(Lowered, TermId)> {
        let (lowered, term, found) = self.interaction_with_warnings()?;
        context.warn(found);
        Ok((lowered, term))
    }

    /// As [`Loaded::only_interaction`], for a command whose result has no guards and binders.
    pub(crate) fn without_values(
        &mut self,
        context: &Context,
        what: &str,
    ) -> Result<(Lowered, TermId)> {
        let (lowered, term) = self.lower_only()?;
        self.leave_values_out(&lowered, what);
        self.warn(context)?;
        let bug = || Error::Bug("an interaction without errors has no term".to_owned());
        Ok((lowered, term.ok_or_else(bug)?))
    }

    /// Adds the finding that guards and binders of the first specification are left out of a result, if it has some.
    pub(crate) fn leave_values_out(&mut self, lowered: &Lowered, what: &str) {
        if lowered.valued.is_some() {
            let found = self.specs.first().and_then(|spec| values_left_out(spec, lowered, what));
            self.diagnostics.extend(found);
        }
    }

    /// Like [`Loaded::only_interaction`], but warnings are returned.
    pub(crate) fn interaction_with_warnings(&mut self) -> Result<(Lowered, TermId, Diagnostics)> {
        let (lowered, term) = self.lower_only()?;
        let found = self.take_diagnostics().or_error()?;
        let bug = || Error::Bug("an interaction without errors has no term".to_owned());
        Ok((lowered, term.ok_or_else(bug)?, found))
    }

    /// The lifelines and messages of the only specification among some files. Warnings are reported.
    pub(crate) fn signature(
        context: &Context,
        names: &[String],
    ) -> Result<(Signature, Option<Box<Valued>>)> {
        let mut loaded = Loaded::read(context, names, None)?;
        let (lowered, _) = loaded.only_interaction(context)?;
        Ok((lowered.pool.signature().clone(), lowered.valued))
    }

    /// Like [`Loaded::only_interaction`], but warnings are not reported. The term is missing only
    /// if there are errors.
    pub(crate) fn lower_only(&mut self) -> Result<(Lowered, Option<TermId>)> {
        let [spec] = self.specs.as_slice() else {
            if self.specs.is_empty() {
                if any_error(&self.diagnostics) {
                    return Err(Error::Text(Box::new(self.take_diagnostics().without_notes())));
                }
                unfit!(
                    "no specification is given: add a .hif with its .hsf, or a diagram; or name it in \
                     otus.toml, as spec = \"docs/protocol.md#login\""
                );
            }
            unfit!("one specification at a time; {} are given", self.specs.len());
        };
        let mut lowered = spec.lower();
        self.diagnostics.append(&mut lowered.diagnostics);
        if lowered.term.is_none()
            && let Some(file) = spec.files.last()
        {
            let message = "this specification has no interaction";
            let found = Diagnostic::new(Code::NO_INTERACTION, file.source, Span::at(0), message);
            self.diagnostics.push(found.with_help("give the .hif too"));
        }
        let term = lowered.term;
        Ok((lowered, term))
    }

    /// Asks both ends of every message for the same value of some fields, as `[values] same` of `otus.toml` does.
    pub(crate) fn require_same(&mut self, fields: &[String]) {
        for file in self.specs.iter_mut().flat_map(|spec| &mut spec.files) {
            for field in fields {
                same::require(file, field, |_| true);
            }
        }
    }

    fn keep<T>(&mut self, parsed: Parsed<T>) -> T {
        self.diagnostics.extend(parsed.diagnostics);
        parsed.tree
    }
}

impl Trace {
    /// The multi-trace over the names of a specification, or over its own.
    pub(crate) fn lower(&self, spec: Option<Pool>) -> (Pool, MultiTrace) {
        let mut pool = spec.unwrap_or_else(|| Pool::new(implied_signature([&self.tree])));
        let (observed, _) = otus_trace::lower(&self.tree, &mut pool);
        (pool, observed)
    }
}

impl Trace {
    /// As [`Trace::lower`], with the values of its events and their fields, if there are any.
    pub(crate) fn lower_with_values(
        &self,
        spec: Option<Pool>,
    ) -> (Pool, MultiTrace, Option<(Facts, FieldNames)>) {
        let mut pool = spec.unwrap_or_else(|| Pool::new(implied_signature([&self.tree])));
        let fields = facts::fields_of(std::iter::once(&self.tree));
        let (observed, facts) = facts::lower(&self.tree, &mut pool, fields.as_ref());
        (pool, observed, facts.zip(fields))
    }
}

impl SpecFiles {
    /// The terms of the specification, and the findings about its names.
    pub(crate) fn lower(&self) -> Lowered {
        otus_core::lower(&self.files.iter().collect::<Vec<_>>())
    }
}

/// Says that guards and binders are left out, at the first of them.
fn values_left_out(spec: &SpecFiles, lowered: &Lowered, what: &str) -> Option<Diagnostic> {
    let file = spec.files.get(lowered.file?)?;
    let nodes = &file.interaction.as_ref()?.nodes;
    let places = nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Passing(passing) => passing.guard.first().map(|atom| atom.span),
        NodeKind::Operator(operator, _) => operator.variables().first().map(|name| name.span),
        NodeKind::Empty | NodeKind::Invalid => None,
    });
    let first = places.min_by_key(|span| span.start)?;
    let message = format!("guards and binders are left out of {what}");
    let help = "it has the messages and their order, not what they carry";
    let found = Diagnostic::new(Code::VALUES_LEFT_OUT, file.source, first, message);
    Some(found.with_help(help))
}

/// The error if a `.hif` is blank; the empty interaction is written `o`.
fn no_interaction(tree: &SpecFile, format: Format) -> Option<Diagnostic> {
    let nothing = tree.interaction.is_none() && tree.sections.is_empty();
    (nothing && format == Format::Hif).then(|| {
        let message = "this text has no interaction";
        Diagnostic::new(Code::NO_INTERACTION, tree.source, Span::at(0), message)
            .with_help("write one; the empty interaction is `o`")
    })
}

/// The error if a JSON text is one document over several lines, and therefore not a case file.
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
