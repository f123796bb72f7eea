//! Syntax trees with spans, before name resolution.
//!
//! The nodes of an [`Interaction`] are stored in an arena and refer to each other by index, so that
//! neither parsing nor dropping nor printing recurses on the depth of the tree. A node may be an
//! operand of several others (bounded loops of diagrams unfold by sharing); there are no cycles.

pub mod formula;
pub mod guard;

use crate::drawing::Drawing;
use crate::name::{Name, Names};
use crate::source::{SourceId, Span};

pub use crate::options::OptionSection;

/// A comment, kept for formatting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The span of the comment.
    pub span: Span,
    /// The comment with its delimiters.
    pub text: Box<str>,
    /// Whether other text precedes it on its line.
    pub trailing: bool,
}

/// A file of a specification: `.hsf`, `.hif`, `.hcf`, the single-file form of 2020, or a diagram. A file
/// may have only some of the parts; lowering merges all files of a specification.
#[derive(Debug, Clone, Default)]
pub struct SpecFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// The table of the names in the file.
    pub names: Names,
    /// The `@…{…}` sections in order; for diagrams, the implied declarations.
    pub sections: Vec<Section>,
    /// The interaction, if the file has one.
    pub interaction: Option<Interaction>,
    /// All comments in order.
    pub comments: Vec<Comment>,
    /// Whether using a name declares it, as in Mermaid and PlantUML.
    pub implicit: bool,
    /// For diagrams: how the author drew the diagram.
    pub drawing: Option<Box<Drawing>>,
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
    /// The span of the section.
    pub fn span(&self) -> Span {
        match self {
            Section::Messages(declarations) | Section::Lifelines(declarations) => declarations.span,
            Section::Options(section) => section.span,
        }
    }
}

/// A section of declarations.
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
    /// The text that diagrams show instead of the name (`participant A as Alice`).
    pub label: Option<String>,
}

/// A node of an [`Interaction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The index of the node in [`Interaction::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interaction: an arena of nodes and its root. Operands have smaller ids than their operator, so
/// one pass in order visits children first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// All nodes, children before parents.
    pub nodes: Vec<Node>,
    /// The root node.
    pub root: NodeId,
}

impl Interaction {
    /// The node with an id.
    ///
    /// # Panics
    /// If the id is not of this interaction.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}

/// A sub-interaction with its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The span of the sub-interaction.
    pub span: Span,
    /// The operator or leaf.
    pub kind: NodeKind,
}

/// The operator or leaf of a sub-interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// `o` or `∅`
    Empty,
    /// A message passing, an emission to or a reception from the environment.
    Passing(Passing),
    /// An operator with any number of operands.
    Operator(Operator, Vec<NodeId>),
    /// Text with a syntax error, which a diagnostic reports.
    Invalid,
}

/// A message passing `a -- m -> b` in all its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passing {
    /// The emitting lifeline; `None` if the message comes from the environment.
    pub origin: Option<Name>,
    /// The message.
    pub message: Name,
    /// What the message must carry.
    pub guard: Vec<guard::Atom>,
    /// The receivers.
    pub target: Target,
    /// `<synch>`: emission and reception are one indivisible step.
    pub synchronous: bool,
}

/// The receivers of a message.
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
    /// `loopS(…)` and the other loops.
    Loop(LoopKind),
    /// `new(x, y)(…)`: one value of each variable for all of its operand.
    New(Vec<Name>),
    /// `loopP(fresh x)(…)`: around the node of a loop, each of whose iterations has its own value of x, different from those
    /// of the others.
    Fresh(Vec<Name>),
}

impl Operator {
    /// The operator without a region that a keyword denotes.
    pub(crate) fn from_keyword(word: &str) -> Option<Operator> {
        Some(match word {
            "strict" => Operator::Strict,
            "seq" => Operator::Seq,
            "par" => Operator::Par,
            "alt" => Operator::Alt,
            "loopS" | "loop_strict" => Operator::Loop(LoopKind::Strict),
            "loopW" | "loop_seq" => Operator::Loop(LoopKind::Weak),
            "loopH" => Operator::Loop(LoopKind::HeadFirst),
            "loopP" | "loop_par" => Operator::Loop(LoopKind::Parallel),
            _ => return None,
        })
    }

    /// The current keyword of the operator, without the region.
    pub fn keyword(&self) -> &'static str {
        match self {
            Operator::Strict => "strict",
            Operator::Seq => "seq",
            Operator::Par => "par",
            Operator::Alt => "alt",
            Operator::Coreg(_) => "coreg",
            Operator::Loop(LoopKind::Strict) => "loopS",
            Operator::Loop(LoopKind::Weak) => "loopW",
            Operator::Loop(LoopKind::HeadFirst) => "loopH",
            Operator::Loop(LoopKind::Parallel) => "loopP",
            Operator::Loop(LoopKind::Coregion(_)) => "loopC",
            Operator::New(_) => "new",
            Operator::Fresh(_) => "fresh",
        }
    }

    /// The variables that a `new` or `fresh` binds; none for the other operators.
    pub fn variables(&self) -> &[Name] {
        if let Operator::New(names) | Operator::Fresh(names) = self { names } else { &[] }
    }

    /// Whether the keyword of the operator is followed by a region.
    pub(crate) fn has_region(&self) -> bool {
        matches!(self, Operator::Coreg(_) | Operator::Loop(LoopKind::Coregion(_)))
    }

    /// The concurrent lifelines of a `coreg` or `loopC`; none for the other operators.
    pub fn region(&self) -> &[Name] {
        if let Operator::Coreg(names) | Operator::Loop(LoopKind::Coregion(names)) = self {
            names
        } else {
            &[]
        }
    }
}

/// The scheduling of a loop's iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopKind {
    /// `loopS`, `loop_strict`
    Strict,
    /// `loopW`, `loop_seq`
    Weak,
    /// `loopH`: the head-first weak loop of `hibou_label`, read as `loopW`.
    HeadFirst,
    /// `loopP`, `loop_par`
    Parallel,
    /// `loopC(l1, l2)`, with its concurrent lifelines.
    Coregion(Vec<Name>),
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

/// A trace file: a multi-trace.
///
/// A file may have millions of actions, so each distinct action is stored once
/// ([`TraceFile::actions`]) and each occurrence in eight bytes ([`Occurrence`]).
#[derive(Debug, Clone, Default)]
pub struct TraceFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// The table of the names in the file.
    pub names: Names,
    /// The distinct actions, in order of first use.
    pub actions: Vec<TraceAction>,
    /// All occurrences, component after component.
    pub occurrences: Vec<Occurrence>,
    /// The components in order; their ranges partition `occurrences`.
    pub components: Vec<Component>,
    /// The values that occurrences carry, ascending by occurrence. Most traces have none.
    pub values: Vec<TraceValue>,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

impl TraceFile {
    /// The values of the occurrence with an index, in the order of the text.
    pub fn values_of(&self, occurrence: usize) -> &[TraceValue] {
        let start = self.values.partition_point(|value| (value.occurrence as usize) < occurrence);
        let rest = &self.values[start..];
        let end = rest.partition_point(|value| value.occurrence as usize == occurrence);
        &rest[..end]
    }
}

/// A value that an occurrence carries: `mid=7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceValue {
    /// Index into [`TraceFile::occurrences`].
    pub occurrence: u32,
    /// The field.
    pub field: Name,
    /// Its value; `None` for `null`, which means unknown. The value of `time` is a number of seconds, or a text in the form
    /// of RFC 3339.
    pub value: Option<guard::Literal>,
    /// The value in the text.
    pub span: Span,
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

/// An occurrence of an action in a trace: the action, its offset, and whether it is simultaneous with the
/// previous occurrence (both are in one `{…}`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    packed: u32,
    /// Offset of its first byte.
    pub start: u32,
}

impl Occurrence {
    const JOINED: u32 = 1 << 31;

    /// The occurrence at `start` of the action with index `action`.
    pub fn new(action: u32, joined: bool, start: u32) -> Self {
        debug_assert!(action < Self::JOINED, "an action index has 31 bits");
        Occurrence { packed: action | if joined { Self::JOINED } else { 0 }, start }
    }

    /// Index into [`TraceFile::actions`].
    pub fn action(self) -> usize {
        (self.packed & !Self::JOINED) as usize
    }

    /// Whether the action is simultaneous with the previous occurrence.
    pub fn joined(self) -> bool {
        self.packed & Self::JOINED != 0
    }
}

/// A component of a multi-trace: a co-localization and its observed trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The whole component.
    pub span: Span,
    /// The lifelines of the component.
    pub lifelines: Colocalization,
    /// The range of the component's actions in [`TraceFile::occurrences`].
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
