//! Specifications: diagrams and interactions, read and ready to be checked against.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use otus_core::{LifelineId, Lowered, Signature, TermId};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::markdown::{self, Language};
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::source::MAX_SOURCE_BYTES;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span, excerpt, parse_spec};

use crate::check;
use crate::error::Error;
use crate::options::Options;
use crate::outcome::{Outcome, Place};
use crate::run::Recorded;

/// What a system should do. Cheap to clone, and shared by threads.
#[derive(Debug, Clone)]
pub struct Spec {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    sources: Vec<Source>,
    lowered: Lowered,
    term: TermId,
    #[cfg_attr(not(feature = "draw"), expect(dead_code, reason = "only pictures need the tree"))]
    tree: SpecFile,
    /// The terms of the interaction's nodes with their places, in the order of the text.
    nodes: Vec<(TermId, Span)>,
    warnings: String,
}

impl Spec {
    /// Reads a specification from a text. The end of its name says what it is: `.mmd` (Mermaid), `.puml`
    /// (PlantUML), `.hif` or `.hsf` (interactions), or `.md` (Markdown with a diagram in it;
    /// `protocol.md#login` is the one below that heading).
    ///
    /// An interaction that declares no lifelines or messages has those that it uses.
    ///
    /// ```
    /// let spec = otus::Spec::parse("flow.puml", "@startuml\nclient -> server : get\n@enduml")?;
    /// assert_eq!(spec.lifelines().collect::<Vec<_>>(), ["client", "server"]);
    ///
    /// let spec = otus::Spec::parse("flow.hif", "loopW(client -- get -> server)")?;
    /// assert_eq!(spec.messages().collect::<Vec<_>>(), ["get"]);
    /// # Ok::<(), otus::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text has mistakes, or no interaction, or the name does not say what it is.
    pub fn parse(name: &str, text: impl Into<String>) -> Result<Spec, Error> {
        Spec::of(vec![(name.to_owned(), text.into())])
    }

    /// Reads a file, by its ending as [`Spec::parse`]: `docs/flow.mmd`, `docs/protocol.md#login`.
    ///
    /// # Errors
    /// If it cannot be read, and as [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Spec, Error> {
        Spec::read_all([path])
    }

    /// Reads several files that are one specification: a signature (`.hsf`) and an interaction (`.hif`).
    ///
    /// # Errors
    /// As [`Spec::read`].
    pub fn read_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Spec, Error> {
        let mut texts = Vec::new();
        for path in paths {
            let name = path.as_ref().to_string_lossy().into_owned();
            let (file, _) = split_heading(&name);
            let text = std::fs::read_to_string(file)
                .map_err(|source| Error::Read { path: PathBuf::from(file), source })?;
            texts.push((name, text));
        }
        Spec::of(texts)
    }

    /// What it is called: the name of its text.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its lifelines, in order.
    pub fn lifelines(&self) -> impl Iterator<Item = &str> {
        self.signature().lifelines().map(|(_, name)| name)
    }

    /// Its messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.signature().messages().map(|(_, name)| name)
    }

    /// What is probably not meant as it is written, as text; empty if there is nothing.
    pub fn warnings(&self) -> &str {
        &self.inner.warnings
    }

    /// Checks what was observed: can it have happened, if this specification is right?
    ///
    /// Lifelines are those of the specification, by their names or by what diagrams show instead
    /// (`participant c as client` may be recorded as either).
    ///
    /// # Errors
    /// If a lifeline is recorded that the specification does not have.
    pub fn check(&self, run: &impl Recorded) -> Result<Outcome, Error> {
        self.check_with(run, &Options::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// If a lifeline is recorded that the specification does not have and that is not ignored, or if
    /// options do not fit.
    pub fn check_with(&self, run: &impl Recorded, options: &Options) -> Result<Outcome, Error> {
        check::run(self, &run.recorded(), options)
    }

    /// The sequence diagram as SVG.
    #[cfg(feature = "draw")]
    pub fn svg(&self) -> String {
        use otus_draw::layout::sequence;
        let options = sequence::Options { title: self.name().to_owned(), ..Default::default() };
        let scene = sequence::sequence(&self.inner.tree, self.signature(), &options);
        otus_draw::svg(&scene, otus_draw::Theme::Auto)
    }

    /// The sequence diagram as text, if so many columns suffice.
    #[cfg(feature = "draw")]
    pub fn text(&self, columns: usize) -> Option<String> {
        use otus_draw::terminal;
        let options = terminal::Options { width: columns, ..Default::default() };
        terminal::sequence(&self.inner.tree, self.signature(), &options).ok()
    }

    fn of(texts: Vec<(String, String)>) -> Result<Spec, Error> {
        let (mut sources, mut files, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut name = String::new();
        for (number, (named, text)) in texts.into_iter().enumerate() {
            let (file, heading) = split_heading(&named);
            let format = Format::of(file).ok_or_else(|| Error::UnknownFormat(file.to_owned()))?;
            if text.len() > MAX_SOURCE_BYTES {
                return Err(Error::Unfit(format!("{file} is longer than 4 GiB")));
            }
            let id = SourceId(u32::try_from(number).unwrap_or(u32::MAX));
            let source = Source::with_id(id, file, text);
            let tree = tree(&source, format, heading, &mut found);
            if let Some(tree) = tree {
                if tree.interaction.is_some() || name.is_empty() {
                    named.clone_into(&mut name);
                }
                files.push(tree);
            }
            sources.push(source);
        }
        // Who declares nothing means what is used.
        if files.iter().all(|file| file.sections.is_empty()) {
            for file in &mut files {
                file.implicit = true;
            }
        }
        let mut lowered = otus_core::lower(&files.iter().collect::<Vec<_>>());
        found.append(&mut lowered.diagnostics);
        if lowered.term.is_none()
            && let Some(source) = sources.last()
            && !otus_syntax::diagnostic::any_error(&found)
        {
            let message = "this specification has no interaction";
            found.push(
                Diagnostic::new(Code::NO_INTERACTION, source.id(), Span::at(0), message).with_help(
                    "read the .hif with it, by Spec::read_all; the empty interaction is `o`",
                ),
            );
        }
        let warnings = Error::unless_usable(&sources, &found)?;
        let (Some(term), Some(file)) = (lowered.term, lowered.file) else {
            return Err(Error::Bug("an interaction without errors has no term".to_owned()));
        };
        let tree = files.swap_remove(file);
        let interaction = tree.interaction.as_ref().map(|tree| tree.nodes.as_slice());
        let mut nodes: Vec<(TermId, Span)> = lowered
            .nodes
            .iter()
            .zip(interaction.unwrap_or_default())
            .map(|(&term, node)| (term, node.span))
            .collect();
        nodes.sort_by_key(|(_, span)| (span.start, span.end));
        let inner = Inner { name, sources, lowered, term, tree, nodes, warnings };
        Ok(Spec { inner: Arc::new(inner) })
    }

    pub(crate) fn signature(&self) -> &Signature {
        self.inner.lowered.pool.signature()
    }

    pub(crate) fn pool(&self) -> &otus_core::Pool {
        &self.inner.lowered.pool
    }

    pub(crate) fn term(&self) -> TermId {
        self.inner.term
    }

    /// The lifeline with a name, or with a label that only it has.
    pub(crate) fn lifeline(&self, name: &str) -> Option<LifelineId> {
        let signature = self.signature();
        signature.lifeline(name).or_else(|| {
            let mut labelled =
                signature.lifelines().filter(|&(id, _)| signature.label(id) == Some(name));
            let (found, _) = labelled.next()?;
            labelled.next().is_none().then_some(found)
        })
    }

    /// Where a term stands, the line, and which bytes of it are meant. Of a term that stands in several
    /// places the one within another term is taken, if that is known.
    pub(crate) fn excerpt(
        &self,
        term: TermId,
        within: Option<TermId>,
        places: u64,
    ) -> Option<(Place, String, Range<usize>)> {
        let lowered = &self.inner.lowered;
        let (source, mut span) = lowered.place(term)?;
        let around = within.filter(|_| places > 1).and_then(|within| lowered.place(within));
        if let Some((_, around)) = around {
            let inside = |span: &Span| span.start >= around.start && span.end <= around.end;
            let mut all = self.inner.nodes.iter().filter(|(other, _)| *other == term);
            span = all.find(|(_, span)| inside(span)).map_or(span, |&(_, span)| span);
        }
        let source = self.inner.sources.get(source.0 as usize)?;
        let (line, column) = source.line_column(span.start);
        let place = Place { file: source.name().to_owned(), line, column: Some(column) };
        let (text, span) = excerpt::line(source.text(), span.range());
        Some((place, text, span))
    }
}

/// What a text of a specification is.
#[derive(Debug, Clone, Copy)]
enum Format {
    Mermaid,
    PlantUml,
    Markdown,
    Interaction,
}

impl Format {
    fn of(name: &str) -> Option<Format> {
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "mmd" | "mermaid" => Some(Format::Mermaid),
            "puml" | "plantuml" | "pu" | "iuml" | "wsd" => Some(Format::PlantUml),
            "md" | "markdown" => Some(Format::Markdown),
            "hif" | "hsf" | "hcf" => Some(Format::Interaction),
            _ => None,
        }
    }
}

/// The tree of a text; none if a document has not the diagram that is meant.
fn tree(
    source: &Source,
    format: Format,
    heading: Option<&str>,
    found: &mut Vec<Diagnostic>,
) -> Option<SpecFile> {
    let parsed = match format {
        Format::Mermaid => mermaid::read(source, source.whole()),
        Format::PlantUml => plantuml::read(source, source.whole()),
        Format::Interaction => parse_spec(source),
        Format::Markdown => {
            let fences = markdown::fences(source, found);
            let fence = match markdown::select(source, &fences, heading) {
                Ok(fence) => fence,
                Err(wrong) => {
                    found.push(wrong);
                    return None;
                }
            };
            match fence.language {
                Language::Mermaid => mermaid::read(source, fence.content),
                Language::PlantUml => plantuml::read(source, fence.content),
            }
        }
    };
    found.extend(parsed.diagnostics);
    Some(parsed.tree)
}

/// `file.md#heading` is a file and a heading.
fn split_heading(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('#') {
        Some((file, heading)) if matches!(Format::of(file), Some(Format::Markdown)) => {
            (file, Some(heading))
        }
        _ => (name, None),
    }
}
