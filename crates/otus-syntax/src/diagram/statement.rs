//! The statements of sequence diagrams, independent of Mermaid and PlantUML.

use crate::ast::LoopKind;
use crate::name::Name;
use crate::source::Span;

/// A statement of a diagram, usually one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its span.
    pub span: Span,
    /// Its content.
    pub kind: StatementKind,
}

/// The content of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `participant A as Alice`: declares a lifeline, with its label in the picture.
    Participant {
        /// The lifeline.
        name: Name,
        /// The text in the head of the lifeline, if it is not the name.
        label: Option<String>,
    },
    /// `A->>B: m`
    Message {
        /// The sender.
        from: End,
        /// The receiver.
        to: End,
        /// The message.
        message: Name,
    },
    /// `alt …`, `loop …`: opens a fragment that a [`StatementKind::Close`] ends.
    Open(Fragment),
    /// `else …`, `and …`: begins the next operand of the innermost open fragment.
    Next(Separator),
    /// `end`
    Close,
    /// `otus: …` inside a comment, which applies to the next statement or to the diagram.
    Mark(Mark),
    /// `otus: empty`: the empty interaction as a statement.
    Empty,
    /// `otus: lifeline a, b`: declares lifelines that need no head in the picture.
    Lifelines(Vec<Name>),
    /// `otus: message m, n`: declares messages that the diagram does not use.
    Messages(Vec<Name>),
}

/// One end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A lifeline.
    Lifeline(Name),
    /// The environment: found and lost messages, the border of the picture, or the participant of
    /// `otus: environment NAME`.
    Environment,
}

/// The kind of a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    /// `alt`: operands separated by `else`.
    Alt,
    /// `opt`: one operand or nothing.
    Opt,
    /// `par`: operands separated by `and` (Mermaid) or `else` (PlantUML).
    Par,
    /// `loop`, with the repetition of its label.
    Loop(Repetition),
    /// `break`: replaces the rest of the enclosing fragment.
    Break,
    /// `rect`, `group` with free text, `box`: a frame without meaning.
    Frame,
    /// `group strict`, `otus: strict`: the statements inside are the operands.
    Block(Block),
}

/// The number of iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// The least number.
    pub least: u32,
    /// The largest number; `None` if it is unbounded.
    pub most: Option<u32>,
    /// Whether the label states it; `false` for free text, which is read as any number of times.
    pub stated: bool,
}

/// Operators that diagrams lack, applied to the statements of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Each statement entirely before the next.
    Strict,
    /// The usual order, made explicit where nesting matters.
    Seq,
    /// Statements in any order.
    Par,
    /// Exactly one of the statements.
    Alt,
    /// Concurrent on the listed lifelines, ordered on the others.
    Coreg(Vec<Name>),
    /// A loop over the statements in sequence.
    Loop(LoopKind),
    /// One emission received by several: the statements are arrows with one origin and message.
    Broadcast,
}

/// The keyword of a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `else`
    Else,
    /// `and`
    And,
}

/// A directive about the next statement or the whole diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// `otus: synch`: the next arrow is one indivisible step.
    Synchronous,
    /// `otus: loopS`: the kind of the next `loop`.
    LoopKind(LoopKind),
    /// `otus: environment NAME`: the participant NAME is the environment.
    Environment(Name),
    /// `otus: name ALIAS NAME`: participant ALIAS of the picture is the lifeline NAME.
    Rename {
        /// The participant of the picture.
        alias: Name,
        /// The lifeline.
        name: Name,
    },
}

impl Repetition {
    /// Any number of times, stated by the label.
    pub const ANY: Repetition = Repetition { least: 0, most: None, stated: true };
}
