//! Draws specifications, multi-traces and partial orders: as pictures, as text, and for Graphviz.

mod order;
mod specification;
mod trace;

use std::path::Path;

use otus_draw::{Scene, terminal};

use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::picture::{self, Picture, PictureFormat, PictureStyle};

/// The texts to draw, and the options.
#[derive(Debug, Clone, Default)]
pub struct DrawRequest {
    /// The texts.
    pub names: Vec<String>,
    /// The format of the texts, if their names do not give it.
    pub from: Option<Format>,
    /// The kind of drawing; by default the kind that suits the formats of the texts.
    pub what: Option<What>,
    /// For a sequence diagram: only lifelines with actions.
    pub only_used: bool,
    /// For a term: show the positions.
    pub positions: bool,
    /// For a term: the step to mark, as `a!m@121`.
    pub step: Option<String>,
    /// For a partial order: the cuts to draw, as `p=1,q=2`.
    pub cuts: Vec<String>,
    /// For a sharing tree: the formula whose cuts it represents; by default all cuts.
    pub formula: Option<String>,
    /// The automaton.
    pub automaton: Option<AutomatonKind>,
    /// The maximum number of nodes of an automaton or a lattice.
    pub max_nodes: usize,
    /// The maximum number of columns of a text drawing.
    pub width: usize,
    /// Whether a text drawing has only ASCII characters.
    pub ascii: bool,
}

/// The drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The sequence diagram of a specification.
    Sequence,
    /// The term of a specification, as a tree.
    Term,
    /// The automaton of a specification.
    Automaton,
    /// A multi-trace.
    Trace,
    /// The space-time diagram of an order.
    Order,
    /// The lattice of the cuts of an order.
    Lattice,
    /// The interval sharing tree of a set of cuts.
    SharingTree,
}

/// The automata of a specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AutomatonKind {
    /// The automaton whose states are the terms that the step rules derive; it may be
    /// nondeterministic.
    Rules,
    /// The deterministic automaton.
    Deterministic,
    /// The minimal deterministic automaton.
    #[default]
    Minimal,
}

/// A drawing, in all its formats.
#[derive(Debug)]
pub struct Drawing {
    scene: Scene,
    text: Result<String, String>,
    dot: Option<String>,
}

impl Drawing {
    fn picture(scene: Scene) -> Self {
        let text = Err("this has no form made of text; add -o picture.svg".to_owned());
        Drawing { scene, text, dot: None }
    }

    /// The picture.
    ///
    /// # Errors
    /// If it cannot be rendered.
    pub fn render(&self, format: PictureFormat, style: &PictureStyle) -> Result<Picture> {
        picture::render(&self.scene, format, style)
    }

    /// The text drawing.
    ///
    /// # Errors
    /// If there is no text drawing, or it is too wide.
    pub fn text(&self) -> Result<&str> {
        self.text.as_deref().map_err(|reason| Error::Unfit(reason.clone()))
    }

    /// The graph for Graphviz, if the drawing is a graph.
    pub fn dot(&self) -> Option<&str> {
        self.dot.as_deref()
    }
}

/// Draws texts.
///
/// # Errors
/// If they cannot be read, have errors, or have no such drawing.
pub fn draw(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let what = request.what.unwrap_or_else(|| request.implied());
    request.refuse_idle(what)?;
    match what {
        What::Sequence => specification::sequence(context, request),
        What::Term => specification::term(context, request),
        What::Automaton => specification::automaton(context, request),
        What::Trace => trace::draw(context, request),
        What::Order => order::draw(context, request),
        What::Lattice => order::draw_lattice(context, request),
        What::SharingTree => order::draw_sharing_tree(context, request),
    }
}

impl DrawRequest {
    /// The default drawing for the formats.
    fn implied(&self) -> What {
        let formats = || self.names.iter().map(|name| self.format_of(name));
        if formats().any(|format| format == Some(Format::Pot)) {
            What::Order
        } else if formats().any(|format| format.is_some_and(Format::is_multi_trace)) {
            What::Trace
        } else {
            What::Sequence
        }
    }

    /// Refuses options that have no effect on this drawing.
    fn refuse_idle(&self, what: What) -> Result<()> {
        let is_order = matches!(what, What::Order | What::Lattice);
        let idle = [
            ("--step", self.step.is_some() && what != What::Term, "a term: add --what term"),
            ("--positions", self.positions && what != What::Term, "a term: add --what term"),
            (
                "--automaton",
                self.automaton.is_some() && what != What::Automaton,
                "an automaton: add --what automaton",
            ),
            (
                "--cut",
                !self.cuts.is_empty() && !is_order,
                "an order of events: name a .pot.json, or add --what order",
            ),
            (
                "--formula",
                self.formula.is_some() && what != What::SharingTree,
                "an interval sharing tree: add --what ist",
            ),
            ("--only-used", self.only_used && what != What::Sequence, "a sequence diagram"),
        ];
        if let Some((flag, _, kind)) = idle.into_iter().find(|(_, is_idle, _)| *is_idle) {
            unfit!("{flag} is about the picture of {kind}");
        }
        Ok(())
    }

    /// The format of a file, by its ending or by the request.
    pub fn format_of(&self, file: &str) -> Option<Format> {
        Format::of_name(Path::new(file)).or(self.from)
    }

    fn text_options(&self) -> terminal::Options {
        terminal::Options { width: self.width, ascii: self.ascii, ..terminal::Options::default() }
    }

    fn title(&self, what: &str) -> String {
        let name = |file: &String| match Path::new(file).file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => file.clone(),
        };
        let names: Vec<String> = self.names.iter().map(name).collect();
        format!("{what} of {}", names.join(", "))
    }
}
