//! A diagram as its author drew it: the side table of a tree.
//!
//! A tree contains the meaning of a diagram. The other parts of the picture (notes, titles, guards, dotted lines, the
//! order of heads) are in its [`Drawing`], which has an entry for each node that the author drew. The table has no
//! influence on trees and terms, so losing or ignoring it changes no verdict.
//!
//! ```text
//! statement of the text             entry
//! an arrow                          Shown::arrow of the node of its message
//! alt, opt, par, loop, critical     Shown::frame of the node of the fragment, with its operands as written
//! group, rect, box around messages  Mark::Open … Mark::Close around the nodes of its statements
//! notes, dividers, delays, …        Mark, after the node of the statement before it
//! participant, create, box          Head, HeadBox
//! title, header, footer, …          Title
//! ```
//!
//! A mark that no statement precedes in its operand is in [`Shown::before`] of the first one; in an operand without
//! statements, of its ∅. Marks keep the order of the text. A loop with bounds is unfolded in the tree: its
//! [`Frame`] has the body once, as it was drawn. Texts are decoded, with `\n` between lines. Colours are the words
//! of the author (`#FF0000`, `Gold`, `rgb(0, 0, 255)`), without a leading `#` only if there was none.

use rustc_hash::FxHashMap;

use crate::ast::NodeId;
use crate::name::Name;

/// The parts of a diagram that have no effect on its meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Titles, headers, footers, captions and legends, in the order of the text.
    pub titles: Vec<Title>,
    /// The heads of the lifelines from left to right: in the order of declaration or first use, unless an `order`
    /// says otherwise.
    pub heads: Vec<Head>,
    /// Boxes around heads, in the order of the text.
    pub boxes: Vec<HeadBox>,
    /// Whether the drawing was made by a program and not by an author.
    is_made: bool,
    /// For each node: how it is drawn.
    pub(crate) nodes: FxHashMap<NodeId, Shown>,
}

impl Drawing {
    /// How a node is drawn; `None` if the author drew nothing for it.
    pub fn of(&self, node: NodeId) -> Option<&Shown> {
        self.nodes.get(&node)
    }

    /// The title of the picture.
    pub fn title(&self) -> Option<&str> {
        let mut titles = self.titles.iter().filter(|title| title.place == TitlePlace::Title);
        titles.next_back().map(|title| title.text.as_str())
    }

    /// Whether an author drew the whole diagram. Otherwise only single nodes have a look.
    pub fn is_whole(&self) -> bool {
        !self.is_made
    }

    /// Draws an emission without a reception as an arrow to a lifeline: the message is lost on its way
    /// there, or goes to the sender itself.
    pub fn point(&mut self, node: NodeId, text: &str, towards: Name, is_lost: bool) {
        self.is_made = true;
        let text = text.to_owned();
        let arrow = Arrow { text, lost: is_lost, towards: Some(towards), ..Arrow::default() };
        self.entry(node).arrow = Some(arrow);
    }

    pub(crate) fn entry(&mut self, node: NodeId) -> &mut Shown {
        self.nodes.entry(node).or_default()
    }
}

/// How a node is drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The marks before the node, at the beginning of its operand.
    pub before: Vec<Mark>,
    /// The arrow of a message.
    pub arrow: Option<Arrow>,
    /// The frame of a fragment.
    pub frame: Option<Frame>,
    /// The marks between the node and the next statement.
    pub after: Vec<Mark>,
}

/// An arrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrow {
    /// The text of the arrow, perhaps of several lines; empty if there is none.
    pub text: String,
    /// The guard behind the text, in brackets, as its author wrote it; empty if there is none.
    pub guard: String,
    /// Whether the line of the arrow is dotted, as replies are.
    pub dotted: bool,
    /// The head of the arrow.
    pub head: ArrowHead,
    /// Whether the arrow has heads at both ends.
    pub both: bool,
    /// Whether the arrow ends in a cross: the message is lost.
    pub lost: bool,
    /// The lifeline that the arrow points to, if the message is not received there: the sender itself, or the
    /// lifeline that a lost message does not reach.
    pub towards: Option<Name>,
    /// The number of the message, as the author counts.
    pub number: Option<String>,
    /// The colour of the arrow's line.
    pub colour: Option<String>,
}

/// The head of an arrow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArrowHead {
    /// `->>` of Mermaid, `->` of PlantUML.
    #[default]
    Filled,
    /// `-)` of Mermaid, `->>` of PlantUML: asynchronous.
    Open,
    /// `-|\`, `-/`: half of a head.
    Half,
    /// `->` of Mermaid: a line.
    None,
}

/// The frame of a fragment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The word in its corner: `alt`, `loop`, `group`, `critical`, `rect`.
    pub keyword: String,
    /// The label of the frame; the label of `alt` is the guard of its first operand.
    pub label: String,
    /// The second label of a PlantUML `group`.
    pub second: String,
    /// The colour of the frame's background.
    pub colour: Option<String>,
    /// The operands of the frame as written; empty for a frame between two marks.
    pub operands: Vec<Operand>,
}

/// An operand of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// The text at its beginning; empty for the first one, which has the label of the frame.
    pub guard: String,
    /// The statements of the operand.
    pub node: NodeId,
}

/// A part of the drawing between statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// A note.
    Note(Note),
    /// `== text ==`
    Divider(String),
    /// `...text...`
    Delay(String),
    /// `|||`, `||45||`: a vertical space, perhaps with its height in pixels.
    Space(Option<u32>),
    /// `ref over A, B : text`
    Reference {
        /// The lifelines that the reference covers.
        over: Vec<Name>,
        /// The text of the reference.
        text: String,
    },
    /// The begin of a bar on a lifeline.
    Activate {
        /// The lifeline.
        lifeline: Name,
        /// The colour of the bar.
        colour: Option<String>,
    },
    /// The end of the latest bar on a lifeline; `None` means the bar of the latest call.
    Deactivate(Option<Name>),
    /// The lifeline begins with the next arrow that points to it.
    Create(Name),
    /// The lifeline ends.
    Destroy(Name),
    /// The beginning of a frame that is not an operator.
    Open(Frame),
    /// The end of such a frame.
    Close,
    /// `newpage`, with the title of the page.
    Page(String),
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The place of the note.
    pub place: NotePlace,
    /// The lifelines beside which or over which the note is drawn. The list is empty if the note belongs to the
    /// arrow before it, or goes across all lifelines.
    pub at: Vec<Name>,
    /// The text of the note.
    pub text: String,
    /// The outline of the note.
    pub shape: NoteShape,
    /// The colour of the note's background.
    pub colour: Option<String>,
}

/// The place of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotePlace {
    /// To the left of a lifeline, or of the arrow before it.
    Left,
    /// To the right of a lifeline, or of the arrow before it.
    Right,
    /// Over lifelines.
    Over,
    /// Over all lifelines.
    Across,
}

/// The outline of a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoteShape {
    /// A sheet with a folded corner.
    #[default]
    Sheet,
    /// `hnote`
    Hexagon,
    /// `rnote`
    Rectangle,
}

/// A title, header, footer, caption or legend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// The place of the title.
    pub place: TitlePlace,
    /// The text of the title.
    pub text: String,
}

/// The place of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitlePlace {
    /// Above the picture.
    Title,
    /// Above the title.
    Header,
    /// Below the picture.
    Footer,
    /// Directly below the picture.
    Caption,
    /// In a box beside the picture.
    Legend,
    /// In the corner of a frame around the picture (`mainframe`).
    Frame,
}

/// The head of a lifeline. Its label is that of its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The lifeline.
    pub lifeline: Name,
    /// The symbol of the head.
    pub kind: HeadKind,
    /// The stereotype, without `<<` and `>>`.
    pub stereotype: Option<String>,
    /// The colour of the head's background.
    pub colour: Option<String>,
    /// `order 10`: its place from left to right.
    pub order: Option<i32>,
}

/// The symbol of a lifeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HeadKind {
    /// A rectangle.
    #[default]
    Participant,
    /// A stick figure.
    Actor,
    /// A circle with a bar.
    Boundary,
    /// A circle with an arrow.
    Control,
    /// A circle on a line.
    Entity,
    /// A cylinder.
    Database,
    /// Two rectangles.
    Collections,
    /// A lying cylinder.
    Queue,
}

impl HeadKind {
    /// The kind that a word of PlantUML, or the type of a Mermaid participant, denotes.
    pub fn from_word(word: &str) -> Option<HeadKind> {
        Some(match word.to_ascii_lowercase().as_str() {
            "participant" => HeadKind::Participant,
            "actor" => HeadKind::Actor,
            "boundary" => HeadKind::Boundary,
            "control" => HeadKind::Control,
            "entity" => HeadKind::Entity,
            "database" => HeadKind::Database,
            "collections" => HeadKind::Collections,
            "queue" => HeadKind::Queue,
            _ => return None,
        })
    }

    /// The word of both languages.
    pub fn word(self) -> &'static str {
        match self {
            HeadKind::Participant => "participant",
            HeadKind::Actor => "actor",
            HeadKind::Boundary => "boundary",
            HeadKind::Control => "control",
            HeadKind::Entity => "entity",
            HeadKind::Database => "database",
            HeadKind::Collections => "collections",
            HeadKind::Queue => "queue",
        }
    }
}

/// A box around heads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadBox {
    /// The title of the box.
    pub title: String,
    /// The colour of the box.
    pub colour: Option<String>,
    /// The lifelines in the box.
    pub members: Vec<Name>,
}
