//! What a sequence diagram says, line by line, in neither Mermaid nor PlantUML.

use crate::ast::LoopKind;
use crate::name::Name;
use crate::source::Span;

/// One meaningful line of a diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Where it was read.
    pub span: Span,
    /// What it says.
    pub kind: StatementKind,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `participant A as Alice`: declares a lifeline, with what the picture shows.
    Participant {
        /// The lifeline.
        name: Name,
        /// The text in the head of the lifeline, if it is not the name.
        label: Option<String>,
    },
    /// `A->>B: m`
    Message {
        /// Who emits it.
        from: End,
        /// Who receives it.
        to: End,
        /// The message.
        message: Name,
    },
    /// `alt …`, `loop …`: opens a fragment that a [`StatementKind::Close`] ends.
    Open(Fragment),
    /// `else …`, `and …`: begins the next operand of the fragment that is open.
    Next(Separator),
    /// `end`
    Close,
    /// `otus: …` inside a comment, about the statement that follows.
    Mark(Mark),
    /// `otus: empty`: the empty interaction, where a statement is needed.
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
    /// The outside: found and lost messages, the border of the picture, or a participant that
    /// `otus: environment NAME` declares to be outside.
    Environment,
}

/// What opens a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    /// `alt`: operands separated by `else`.
    Alt,
    /// `opt`: one operand or nothing.
    Opt,
    /// `par`: operands separated by `and` (Mermaid) or `else` (PlantUML).
    Par,
    /// `loop`, repeated as its label says.
    Loop(Repetition),
    /// `break`: instead of what follows in the enclosing fragment.
    Break,
    /// `rect`, `group` with free text, `box`: only a frame.
    Frame,
    /// `group strict`, `otus: strict`: the statements inside are the operands.
    Block(Block),
}

/// How often a loop's body happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// At least this often.
    pub least: u32,
    /// At most this often; `None` for any number of times.
    pub most: Option<u32>,
    /// Whether the label said so; `false` for free text, which is read as any number of times.
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

/// What a directive says about the next statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// `otus: synch`: the next arrow is one indivisible step.
    Synchronous,
    /// `otus: loopS`: the kind of the next `loop`.
    LoopKind(LoopKind),
    /// `otus: environment NAME`: arrows from and to NAME go outside.
    Environment(Name),
    /// `otus: name ALIAS NAME`: participant ALIAS of the picture stands for the lifeline NAME.
    Rename {
        /// The participant, as the picture calls it.
        alias: Name,
        /// The lifeline it stands for.
        name: Name,
    },
}

impl Repetition {
    /// Any number of times, as the label said.
    pub const ANY: Repetition = Repetition { least: 0, most: None, stated: true };
}
