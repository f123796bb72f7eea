//! A diagram as its author drew it: the side table of a tree.
//!
//! A tree has what a diagram means. What it shows besides (notes, titles, guards, dotted lines, the order of heads) is
//! in its [`Drawing`], which has an entry for each node that the author drew. Trees and terms stay what they are,
//! so a table that is lost or ignored changes no verdict.
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

/// What a diagram shows besides its meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Titles and the like, in the order of the text.
    pub titles: Vec<Title>,
    /// The heads of the lifelines from left to right: in the order of declaration or first use, unless an `order`
    /// says otherwise.
    pub heads: Vec<Head>,
    /// Boxes around heads, in the order of the text.
    pub boxes: Vec<HeadBox>,
    /// Whether no author drew it.
    is_made: bool,
    /// By node: how it is drawn.
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

    /// Whether an author drew it. Otherwise it has the looks of single nodes only.
    pub fn is_whole(&self) -> bool {
        !self.is_made
    }

    /// Draws an emission that has no reception as an arrow to a lifeline: lost on its way, or to itself.
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
    /// What stands before it at the begin of its operand.
    pub before: Vec<Mark>,
    /// The arrow of a message.
    pub arrow: Option<Arrow>,
    /// The frame of a fragment.
    pub frame: Option<Frame>,
    /// What stands between it and the next statement.
    pub after: Vec<Mark>,
}

/// An arrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrow {
    /// The text at it, perhaps of several lines; empty if there is none.
    pub text: String,
    /// The guard behind the text, in brackets, as its author wrote it; empty if there is none.
    pub guard: String,
    /// Whether its line is dotted, as replies are.
    pub dotted: bool,
    /// Its head.
    pub head: ArrowHead,
    /// Whether it has heads at both ends.
    pub both: bool,
    /// Whether it ends in a cross: its message is lost.
    pub lost: bool,
    /// The lifeline that it points to, if its message is not received there: the sender itself, or the one that
    /// a lost message does not reach.
    pub towards: Option<Name>,
    /// Its number, as the author counts.
    pub number: Option<String>,
    /// The colour of its line.
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
    /// Its label; that of `alt` is the guard of its first operand.
    pub label: String,
    /// The second label of a PlantUML `group`.
    pub second: String,
    /// The colour of its background.
    pub colour: Option<String>,
    /// Its operands as written; empty for a frame between two marks.
    pub operands: Vec<Operand>,
}

/// An operand of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// The text at its beginning; empty for the first one, which has the label of the frame.
    pub guard: String,
    /// Its statements.
    pub node: NodeId,
}

/// Something between statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// A note.
    Note(Note),
    /// `== text ==`
    Divider(String),
    /// `...text...`
    Delay(String),
    /// `|||`, `||45||`: a space of so many pixels.
    Space(Option<u32>),
    /// `ref over A, B : text`
    Reference {
        /// The lifelines that it covers.
        over: Vec<Name>,
        /// Its text.
        text: String,
    },
    /// The begin of a bar on a lifeline.
    Activate {
        /// The lifeline.
        lifeline: Name,
        /// The colour of the bar.
        colour: Option<String>,
    },
    /// The end of the latest bar on a lifeline; `None` stands for that of the latest call.
    Deactivate(Option<Name>),
    /// The lifeline begins with the next arrow to it.
    Create(Name),
    /// The lifeline ends.
    Destroy(Name),
    /// The begin of a frame that is no operator.
    Open(Frame),
    /// Its end.
    Close,
    /// `newpage`, with the title of the page.
    Page(String),
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its place.
    pub place: NotePlace,
    /// The lifelines at which or over which it stands. Empty if it belongs to the arrow before it, or goes across.
    pub at: Vec<Name>,
    /// Its text.
    pub text: String,
    /// Its outline.
    pub shape: NoteShape,
    /// The colour of its background.
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

/// A title or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// Where it stands.
    pub place: TitlePlace,
    /// Its text.
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
    /// Its symbol.
    pub kind: HeadKind,
    /// The stereotype, without `<<` and `>>`.
    pub stereotype: Option<String>,
    /// The colour of its background.
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
    /// Its title.
    pub title: String,
    /// Its colour.
    pub colour: Option<String>,
    /// The lifelines in it.
    pub members: Vec<Name>,
}
