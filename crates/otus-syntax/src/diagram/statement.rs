//! The statements of sequence diagrams, independent of Mermaid and PlantUML.

use crate::ast::{LoopKind, Operator};
use crate::diagram::number::Form;
use crate::drawing;
use crate::grammar::interaction::guard::Draft;
use crate::name::Name;
use crate::source::Span;

/// A statement of a diagram, usually one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub span: Span,
    pub kind: StatementKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatementKind {
    /// `participant A as Alice`: declares a lifeline, with its label in the picture.
    Participant {
        name: Name,
        /// The text in the head of the lifeline, if it differs from the name.
        label: Option<String>,
    },
    /// `A->>B: m`
    Message(Message),
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
    /// A part of the picture that has no effect on the interaction.
    Look(Look),
}

/// A part of the picture, for the [`Drawing`](crate::drawing::Drawing).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    /// A mark between statements.
    Mark(drawing::Mark),
    /// The look of the next message.
    Arrow(drawing::Arrow),
    /// The look of the next fragment.
    Frame(drawing::Frame),
    /// The guard of the operand that the next separator begins.
    Guard(String),
    Head(drawing::Head),
    Title(drawing::Title),
    OpenBox(drawing::HeadBox),
    CloseBox,
    /// `autonumber`: how the following arrows are numbered.
    Numbering(Numbering),
}

/// The numbering of arrows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Numbering {
    Start {
        /// The levels of the number but for the last: 1 and 2 of `1.2.7`.
        outer: Vec<i64>,
        first: i64,
        step: i64,
        form: Form,
    },
    Stop,
    /// Continues the numbering where it stopped, perhaps with another step.
    Resume {
        step: Option<i64>,
        form: Option<Form>,
    },
    /// The next number of a level; those below it begin with 1.
    Increment {
        level: usize,
    },
}

/// An arrow. An end that is `None` is the environment: of a found or lost message, at the border of the
/// picture, or the participant of `otus: environment NAME`.
#[expect(clippy::struct_field_names, reason = "the message of an arrow is its name")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    pub from: Option<Name>,
    pub to: Option<Name>,
    pub message: Name,
    pub course: Course,
}

/// The course of a message after it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// The message is sent and received.
    Arrives,
    /// `A-xB`: the message is sent towards B and never received.
    Lost,
    /// `A<<->>B`: there is a message in each direction, in either order.
    BothWays,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fragment {
    /// `alt`: operands separated by `else`, of which exactly one happens. A single operand is an `opt`.
    Alt,
    /// `opt`: one operand or nothing. Several operands are an `alt`.
    Opt,
    /// `par`: operands separated by `and` (Mermaid) or `else` (PlantUML).
    Par,
    /// `loop`, with the repetition of its label.
    Loop(Repetition),
    /// `break`: replaces the rest of the enclosing fragment.
    Break,
    /// `rect`, `group` with free text, `box`: a frame without meaning. Operands that `else` separates are
    /// alternatives.
    Frame,
    /// Mermaid's `critical`: a part that always happens, and options that may follow it.
    Critical(Options),
    /// `group strict`, `otus: strict`: an operator that diagrams lack. The statements inside are its
    /// operands, or, for a loop, its body.
    Block(Operator),
    /// `otus: broadcast`: one emission that several lifelines receive. The statements are arrows with the
    /// same origin and the same message.
    Broadcast,
}

/// The number of iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repetition {
    pub least: u32,
    /// The largest number; `None` if it is unbounded.
    pub most: Option<u32>,
    /// Whether the label states the number. It is `false` for free text, which is read as any
    /// number of iterations.
    pub stated: bool,
}

/// The meaning of the options of a `critical` fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Options {
    /// The critical part happens, then at most one option.
    After,
    /// `otus: critical alt`: either the critical part or one of the options happens.
    Instead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Else,
    And,
    /// Mermaid's `option` inside `critical`.
    Option,
    /// PlantUML's `else` in a fragment that is neither `alt` nor `par`.
    Or,
}

/// A directive about the next statement or the whole diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `otus: synch`: the next arrow is one indivisible step.
    Synchronous,
    /// `otus: loopS`, `otus: loopP(fresh x)`: the kind of the next `loop`, and the variables that each iteration has for
    /// itself.
    LoopKind(LoopKind, Vec<Name>),
    /// The guard of the next arrow, from the brackets of its label.
    Guard(Vec<Draft>),
    /// PlantUML's `{s}` before an arrow in a diagram with values. None is left when a diagram is read.
    Anchor(Name),
    /// `otus: values`: brackets at the end of a label are guards.
    Values,
    /// `otus: critical alt`: the meaning of the next `critical`.
    Critical(Options),
    /// PlantUML's `&`: the next arrow or fragment happens in parallel with the arrow or fragment
    /// before.
    Beside,
    /// `otus: environment NAME`: the participant NAME is the environment.
    Environment(Name),
    /// `otus: name ALIAS NAME`: participant ALIAS of the picture is the lifeline NAME.
    Rename { alias: Name, name: Name },
}

impl Message {
    /// A message that arrives.
    pub(crate) fn new(from: Option<Name>, to: Option<Name>, message: Name) -> Message {
        Message { from, to, message, course: Course::Arrives }
    }

    /// The lifelines at its ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = Name> {
        [self.from, self.to].into_iter().flatten()
    }
}

impl Repetition {
    /// Any number of times, stated by the label.
    pub(crate) const ANY: Repetition = Repetition { least: 0, most: None, stated: true };
}
