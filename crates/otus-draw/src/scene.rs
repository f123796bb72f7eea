//! What a picture shows, before it has colours or a file format.
//!
//! Every layout makes a [`Scene`]: shapes with places, each with a [`Role`] (what it is) and a
//! [`Tone`] (what is said of it). Themes turn roles and tones into ink, [`svg`](crate::svg())
//! writes them down, and [`check`](crate::check::flaws) looks for overlaps. Scenes can be
//! placed in scenes: a node of a search graph is a diagram of its own.
//!
//! Invariant: items stand in painting order, what is later lies above.

use std::collections::BTreeMap;

use crate::geometry::{Point, Rect, Size, point};
use crate::metrics::Font;

/// A picture.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// What it shows, in a line; viewers show it, screen readers say it.
    pub title: String,
    /// The same in some sentences, for those who cannot see it.
    pub description: String,
    /// The canvas, from (0, 0).
    pub size: Size,
    /// What is on it, in painting order.
    pub items: Vec<Item>,
    /// By [subject](Item::subject): the text that a viewer shows when the pointer rests on it. Consecutive items
    /// of one such subject form one SVG group.
    pub tooltips: BTreeMap<String, String>,
    /// How many keys are in use.
    keys: u32,
}

/// One thing of a picture.
#[derive(Debug, Clone)]
pub struct Item {
    /// Where and in which form.
    pub shape: Shape,
    /// What it is.
    pub role: Role,
    /// What is said of it.
    pub tone: Tone,
    /// What lines can be attached to, by name.
    pub key: Option<Key>,
    /// What it depicts, for those who click on it: `event-12`, `node-3`.
    pub subject: Option<String>,
}

/// Names something that arrows and edges end on: a lifeline, a node. Unique in a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

/// A form in its place.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A rectangle with round corners.
    Box {
        /// Its sides.
        rect: Rect,
        /// How round the corners are.
        radius: f64,
    },
    /// A closed polygon.
    Polygon(Vec<Point>),
    /// A circle.
    Disc {
        /// Its middle.
        center: Point,
        /// Its radius.
        radius: f64,
    },
    /// A line through some points; what may end in arrow heads.
    Line(Line),
    /// A line of text.
    Label(Label),
}

/// A line through some points.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its points, at least two.
    pub points: Vec<Point>,
    /// Whether its corners are rounded off.
    pub smooth: bool,
    /// What its first and its last point have.
    pub ends: [End; 2],
    /// What its first and its last point are to lie on.
    pub on: [Option<Key>; 2],
}

/// What a line ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// Nothing.
    #[default]
    Plain,
    /// An open arrow head: what is sent need not have arrived yet.
    Open,
    /// A filled arrow head.
    Filled,
    /// A dot: where one emission has several targets.
    Dot,
}

/// A line of text.
#[derive(Debug, Clone)]
pub struct Label {
    /// What it says.
    pub text: String,
    /// Where on the base line its [`Anchor`] is.
    pub at: Point,
    /// Which part of it stands there.
    pub anchor: Anchor,
    /// Its size and weight.
    pub font: Font,
}

/// Which part of a label stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

impl Label {
    /// The room it takes.
    pub fn rect(&self) -> Rect {
        let width = self.font.width(&self.text);
        let left = match self.anchor {
            Anchor::Start => self.at.x,
            Anchor::Middle => self.at.x - width / 2.0,
            Anchor::End => self.at.x - width,
        };
        Rect {
            left,
            top: self.at.y - self.font.ascent(),
            right: left + width,
            bottom: self.at.y + self.font.descent(),
        }
    }
}

/// What an item is. Themes and checks go by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The box with the name of a lifeline, or of a component of a multi-trace.
    Head,
    /// The line below it, or beside it.
    Lifeline,
    /// A message or another arrow that stands for something that happened.
    Message,
    /// The frame of a combined fragment.
    Frame,
    /// The corner of a frame that says what kind it is.
    Tab,
    /// What separates the operands of a frame.
    Separator,
    /// The part of a lifeline on which order does not matter.
    Coregion,
    /// An event of a trace.
    Event,
    /// A node of a graph or tree.
    Node,
    /// An edge of a graph or tree.
    Edge,
    /// A cut through a partial order.
    Cut,
    /// A band behind other things.
    Band,
    /// Text that is read with the lines it stands beside.
    Text,
    /// Text in the second place: asides, counts, positions.
    Aside,
}

impl Role {
    /// All of them, in order.
    pub const ALL: [Role; 14] = [
        Role::Head,
        Role::Lifeline,
        Role::Message,
        Role::Frame,
        Role::Tab,
        Role::Separator,
        Role::Coregion,
        Role::Event,
        Role::Node,
        Role::Edge,
        Role::Cut,
        Role::Band,
        Role::Text,
        Role::Aside,
    ];

    /// Its name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Role::Head => "head",
            Role::Lifeline => "lifeline",
            Role::Message => "message",
            Role::Frame => "frame",
            Role::Tab => "tab",
            Role::Separator => "separator",
            Role::Coregion => "coregion",
            Role::Event => "event",
            Role::Node => "node",
            Role::Edge => "edge",
            Role::Cut => "cut",
            Role::Band => "band",
            Role::Text => "text",
            Role::Aside => "aside",
        }
    }
}

/// What is said of an item. Tones differ in more than colour: in dashes and in width as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Tone {
    /// Nothing.
    #[default]
    Normal,
    /// It is not there, or not of interest: unobserved, pruned, never exercised.
    Faded,
    /// It is done: consumed, executed, accepted.
    Good,
    /// It is assumed: simulated, expected next, removed.
    Assumed,
    /// It is wrong: observed but not allowed, refuted.
    Bad,
    /// It is what the picture is about.
    Active,
}

impl Tone {
    /// All of them, in order.
    pub const ALL: [Tone; 6] =
        [Tone::Normal, Tone::Faded, Tone::Good, Tone::Assumed, Tone::Bad, Tone::Active];

    /// Its name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Tone::Normal => "normal",
            Tone::Faded => "faded",
            Tone::Good => "good",
            Tone::Assumed => "assumed",
            Tone::Bad => "bad",
            Tone::Active => "active",
        }
    }
}

impl Item {
    /// A shape in its role, of which nothing is said yet.
    pub fn new(role: Role, shape: Shape) -> Self {
        Item { shape, role, tone: Tone::Normal, key: None, subject: None }
    }

    /// The same in a tone.
    #[must_use]
    pub fn tone(self, tone: Tone) -> Self {
        Item { tone, ..self }
    }

    /// The same with a name for lines to end on.
    #[must_use]
    pub fn key(self, key: Key) -> Self {
        Item { key: Some(key), ..self }
    }

    /// The same with what it depicts.
    #[must_use]
    pub fn subject(self, subject: impl Into<String>) -> Self {
        Item { subject: Some(subject.into()), ..self }
    }

    /// A rectangle with slightly round corners.
    pub fn rect(role: Role, rect: Rect) -> Self {
        Item::new(role, Shape::Box { rect, radius: 2.0 })
    }

    /// A line of text.
    pub fn label(
        role: Role,
        text: impl Into<String>,
        at: Point,
        anchor: Anchor,
        font: Font,
    ) -> Self {
        Item::new(role, Shape::Label(Label { text: text.into(), at, anchor, font }))
    }

    /// A straight line without heads.
    pub fn line(role: Role, from: Point, to: Point) -> Self {
        Item::path(role, vec![from, to])
    }

    /// A line through some points, without heads.
    pub fn path(role: Role, points: Vec<Point>) -> Self {
        let ends = [End::Plain; 2];
        Item::new(role, Shape::Line(Line { points, smooth: false, ends, on: [None; 2] }))
    }

    /// The room it takes; arrow heads stay within the pen's reach of their lines.
    pub fn rect_of(&self) -> Rect {
        match &self.shape {
            Shape::Box { rect, .. } => *rect,
            Shape::Polygon(points) => Rect::around(points.iter().copied()).unwrap_or_default(),
            Shape::Disc { center, radius } => Rect::at(*center, Size::default()).grow(*radius),
            Shape::Line(line) => Rect::around(line.points.iter().copied()).unwrap_or_default(),
            Shape::Label(label) => label.rect(),
        }
    }

    fn shift(&mut self, by: Point) {
        match &mut self.shape {
            Shape::Box { rect, .. } => *rect = rect.shift(by),
            Shape::Polygon(points) => points.iter_mut().for_each(|p| *p = *p + by),
            Shape::Disc { center, .. } => *center = *center + by,
            Shape::Line(line) => line.points.iter_mut().for_each(|p| *p = *p + by),
            Shape::Label(label) => label.at = label.at + by,
        }
    }
}

impl Scene {
    /// An empty picture of something.
    pub fn new(title: impl Into<String>) -> Self {
        Scene { title: title.into(), ..Scene::default() }
    }

    /// A key that nothing has yet.
    pub fn fresh_key(&mut self) -> Key {
        self.keys += 1;
        Key(self.keys - 1)
    }

    /// Paints one thing more.
    pub fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Writes lines of text below each other, the first with its top at `top`; gives the bottom
    /// of the last.
    pub fn lines<T: AsRef<str>>(
        &mut self,
        lines: &[T],
        (x, top): (f64, f64),
        anchor: Anchor,
        font: Font,
        (role, tone): (Role, Tone),
    ) -> f64 {
        let mut y = top;
        for line in lines {
            let base = y + (font.line_height() - font.size) / 2.0 + font.ascent();
            self.push(Item::label(role, line.as_ref(), point(x, base), anchor, font).tone(tone));
            y += font.line_height();
        }
        y
    }

    /// Puts another picture into this one, with its corner at a place. What lines end on keeps
    /// apart: keys of the inner picture are moved behind all of this one.
    pub fn place(&mut self, inner: &Scene, at: Point) {
        let used = self.keys;
        self.keys += inner.keys;
        self.tooltips.extend(inner.tooltips.clone());
        self.items.extend(inner.items.iter().cloned().map(|mut item| {
            item.shift(at);
            item.key = item.key.map(|key| Key(key.0 + used));
            if let Shape::Line(line) = &mut item.shape {
                line.on = line.on.map(|on| on.map(|key| Key(key.0 + used)));
            }
            item
        }));
    }

    /// Everything that is written in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match &item.shape {
            Shape::Label(label) => Some(label.text.as_str()),
            Shape::Box { .. } | Shape::Polygon(_) | Shape::Disc { .. } | Shape::Line(_) => None,
        })
    }

    /// The smallest rectangle that has every item.
    pub fn extent(&self) -> Option<Rect> {
        self.items.iter().map(Item::rect_of).reduce(Rect::union)
    }

    /// Moves everything so that it fits a canvas with a margin all around. The canvas has whole
    /// sides, so that no row of pixels is covered in part.
    pub fn fit(&mut self, margin: f64) {
        let extent = self.extent().unwrap_or_default().grow(margin);
        let by = point(-extent.left, -extent.top);
        self.items.iter_mut().for_each(|item| item.shift(by));
        self.size = Size { width: extent.width().ceil(), height: extent.height().ceil() };
    }
}
