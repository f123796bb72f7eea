//! The trees: what the texts say, with their places, before anything is resolved.
//!
//! Interactions live in an arena ([`Interaction`]): nodes refer to each other by number, so that
//! neither parsing nor dropping nor printing recurses on the user's depth. A node may be the
//! operand of several others (bounded diagram loops unfold by sharing), but never of itself.

pub mod formula;

use crate::name::{Name, Names};
use crate::source::{SourceId, Span};

pub use crate::options::OptionSection;

/// A comment and where it stood, kept so that formatting loses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Where it stood.
    pub span: Span,
    /// The comment with its delimiters.
    pub text: Box<str>,
    /// Whether other text precedes it on its line.
    pub trailing: bool,
}

/// A specification as written: any of `.hsf`, `.hif`, `.hcf`, the single-file form of 2020, or a
/// diagram. A file that has only some of the parts is complete in itself; what belongs together
/// is put together when it is lowered.
#[derive(Debug, Clone, Default)]
pub struct SpecFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// Every name used.
    pub names: Names,
    /// The `@…{…}` sections in order; for diagrams, the declarations they imply.
    pub sections: Vec<Section>,
    /// The interaction, if the file has one.
    pub interaction: Option<Interaction>,
    /// All comments in order.
    pub comments: Vec<Comment>,
    /// Whether names are declared by being used, as in Mermaid and PlantUML.
    pub implicit: bool,
}

/// One `@…{…}` section.
#[derive(Debug, Clone, PartialEq)]
pub enum Section {
    /// `@message{…}`
    Messages(Declarations),
    /// `@lifeline{…}`
    Lifelines(Declarations),
    /// `@analyze_option{…}` or `@explore_option{…}`
    Options(OptionSection),
}

impl Section {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Section::Messages(declarations) | Section::Lifelines(declarations) => declarations.span,
            Section::Options(section) => section.span,
        }
    }
}

/// The names a section declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The whole section.
    pub span: Span,
    /// The names, in order.
    pub names: Vec<Declaration>,
}

/// One declared name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The name.
    pub name: Name,
    /// What diagrams show instead of it (`participant A as Alice`).
    pub label: Option<String>,
}

/// A node of an [`Interaction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An interaction: an arena of nodes and the root among them. Operands always have smaller
/// numbers than the operator that has them, so one pass in order visits children first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// All nodes, children before parents.
    pub nodes: Vec<Node>,
    /// The outermost one.
    pub root: NodeId,
}

impl Interaction {
    /// The node with a given number.
    ///
    /// # Panics
    /// If the number is not of this interaction.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// A sub-interaction with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where it was read.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
}

/// What a sub-interaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// `o` or `∅`
    Empty,
    /// A message passing, an emission to or a reception from the environment.
    Passing(Passing),
    /// An operator applied to operands, as many as were written.
    Operator(Operator, Vec<NodeId>),
    /// Text that could not be read; a diagnostic says why.
    Invalid,
}

/// `a -- m -> b` in all its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passing {
    /// The emitting lifeline; `None` when the message comes from the environment.
    pub origin: Option<Name>,
    /// The message.
    pub message: Name,
    /// Who receives it.
    pub target: Target,
    /// `<synch>`: emission and reception are one indivisible step.
    pub synchronous: bool,
}

/// Who receives a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `->|`
    Environment,
    /// `-> b`
    Lifeline(Name),
    /// `-> (b, c)`
    Broadcast(Vec<Name>),
}

impl Target {
    /// The receiving lifelines.
    pub fn lifelines(&self) -> &[Name] {
        match self {
            Target::Environment => &[],
            Target::Lifeline(name) => std::slice::from_ref(name),
            Target::Broadcast(names) => names,
        }
    }
}

/// The operators of the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    /// `strict(…)`
    Strict,
    /// `seq(…)`
    Seq,
    /// `par(…)`
    Par,
    /// `alt(…)`
    Alt,
    /// `coreg(l1, l2)(…)`, with its concurrent lifelines.
    Coreg(Vec<Name>),
    /// `loopS(…)` and its kin.
    Loop(LoopKind),
}

/// How the iterations of a loop are scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopKind {
    /// `loopS`, `loop_strict`
    Strict,
    /// `loopW`, `loop_seq`
    Weak,
    /// `loopH`: the authors' head-first weak loop, read as `loopW`.
    HeadFirst,
    /// `loopP`, `loop_par`
    Parallel,
    /// `loopC(l1, l2)`, with its concurrent lifelines.
    Coregion(Vec<Name>),
}

impl LoopKind {
    /// How it is spelt today, without its region.
    pub(crate) fn keyword(&self) -> &'static str {
        match self {
            LoopKind::Strict => "loopS",
            LoopKind::Weak => "loopW",
            LoopKind::HeadFirst => "loopH",
            LoopKind::Parallel => "loopP",
            LoopKind::Coregion(_) => "loopC",
        }
    }
}

/// Emission or reception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// `l!m`
    Emission,
    /// `l?m`
    Reception,
}

impl Direction {
    /// `!` or `?`
    pub fn symbol(self) -> char {
        match self {
            Direction::Emission => '!',
            Direction::Reception => '?',
        }
    }
}

/// A multi-trace as written.
///
/// Actions are the bulk of a trace file, so they are stored once per distinct action
/// ([`TraceFile::actions`]) and per occurrence as eight bytes ([`Occurrence`]).
#[derive(Debug, Clone, Default)]
pub struct TraceFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// Every name used.
    pub names: Names,
    /// The distinct actions, in order of first use.
    pub actions: Vec<TraceAction>,
    /// All occurrences, component after component.
    pub occurrences: Vec<Occurrence>,
    /// The components in order; their ranges follow each other in `occurrences`.
    pub components: Vec<Component>,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

/// An action of a trace, `l!m` or `l?m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceAction {
    /// θ(a), the lifeline it happens on; the span is that of its first occurrence.
    pub lifeline: Name,
    /// Emission or reception.
    pub direction: Direction,
    /// The message; the span is that of its first occurrence.
    pub message: Name,
}

/// One event of a trace: which action, where, and whether it is simultaneous with the one
/// before it (both stand in one `{…}`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    packed: u32,
    /// Offset of its first byte.
    pub start: u32,
}

impl Occurrence {
    const JOINED: u32 = 1 << 31;
    /// How many distinct actions a trace can have.
    pub const MAX_ACTIONS: usize = (Self::JOINED - 1) as usize;

    /// The occurrence at `start` of the action with index `action`.
    pub fn new(action: u32, joined: bool, start: u32) -> Self {
        debug_assert!(action < Self::JOINED, "an action index has 31 bits");
        Occurrence { packed: action | if joined { Self::JOINED } else { 0 }, start }
    }

    /// Index into [`TraceFile::actions`].
    pub fn action(self) -> usize {
        (self.packed & !Self::JOINED) as usize
    }

    /// Whether it is simultaneous with the occurrence before it.
    pub fn joined(self) -> bool {
        self.packed & Self::JOINED != 0
    }
}

/// A component of a multi-trace: a co-localization and what was observed on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The whole component.
    pub span: Span,
    /// The lifelines it is about.
    pub lifelines: Colocalization,
    /// Its part of [`TraceFile::occurrences`].
    pub occurrences: std::ops::Range<usize>,
}

/// The lifelines of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Colocalization {
    /// `[#all]`, or a trace without any `[…]`: every lifeline of the signature.
    All(Span),
    /// `[#any]`: the lifelines of the component's own actions.
    Any(Span),
    /// `[l1, l2]`
    Listed(Vec<Name>),
}
