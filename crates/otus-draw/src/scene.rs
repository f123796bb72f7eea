//! Scenes: pictures before they have colours or a file format.
//!
//! Every layout makes a [`Scene`]: shapes with places, each with a [`Role`] (the kind of object that it depicts) and
//! a [`Tone`] (an assessment of that object: normal, good, bad …). A theme turns roles and tones into colours and
//! strokes, [`svg`](crate::svg()) writes the scene, and [`check`](crate::check::flaws) looks for overlaps. Scenes can
//! be placed in scenes: a node of a search graph is a diagram of its own.
//!
//! Invariant: items are in painting order, so that later ones cover earlier ones.

use std::collections::BTreeMap;

use crate::colour::Colour;
use crate::geometry::{Point, Rect, Size, point};
use crate::metrics::{Font, SMALL};

/// A picture.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The title, in one line, for viewers and screen readers.
    pub title: String,
    /// The content in some sentences, for readers who cannot see it.
    pub description: String,
    /// The canvas, from (0, 0).
    pub size: Size,
    /// The items, in painting order.
    pub items: Vec<Item>,
    /// For each [subject](Item::subject): the text that a viewer shows when the pointer rests on it. Consecutive
    /// items of one such subject form one SVG group.
    pub tooltips: BTreeMap<String, String>,
    /// The number of keys in use.
    keys: u32,
}

/// One shape of a picture.
#[derive(Debug, Clone)]
pub struct Item {
    /// The form and place of the shape.
    pub shape: Shape,
    /// The kind of object that the item depicts.
    pub role: Role,
    /// The assessment of that object.
    pub tone: Tone,
    /// The key by which lines are attached to the shape.
    pub key: Option<Key>,
    /// The object that the item depicts, for scripts: `event-12`, `node-3`.
    pub subject: Option<String>,
    /// The colour that the author chose for the item: that of its area, or of the line if the item
    /// is a line.
    pub colour: Option<Colour>,
}

/// Identifies an item that arrows and edges end on, such as a lifeline or a node. Unique in a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

/// A form in its place.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A rectangle with round corners.
    Box {
        /// The sides of the rectangle.
        rect: Rect,
        /// The radius of the corners.
        radius: f64,
    },
    /// A closed polygon.
    Polygon(Vec<Point>),
    /// A circle.
    Disc {
        /// The center of the circle.
        center: Point,
        /// The radius of the circle.
        radius: f64,
    },
    /// A line through some points; it may end in arrow heads.
    Line(Line),
    /// A line of text.
    Label(Label),
}

/// A line through some points.
#[derive(Debug, Clone)]
pub struct Line {
    /// The points of the line, at least two.
    pub points: Vec<Point>,
    /// Whether the corners of the line are rounded off.
    pub smooth: bool,
    /// Whether the line is dotted, as the lines of replies are.
    pub dotted: bool,
    /// The forms of the two ends of the line.
    pub ends: [End; 2],
    /// The items on which its first and its last point must lie.
    pub on: [Option<Key>; 2],
}

/// The form of the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// Nothing.
    #[default]
    Plain,
    /// An open arrow head, for asynchronous messages.
    Open,
    /// A filled arrow head.
    Filled,
    /// A dot, where one emission has several targets.
    Dot,
    /// The upper half of an open arrow head.
    Half,
    /// A cross, for a lost message.
    Cross,
}

/// A line of text.
#[derive(Debug, Clone)]
pub struct Label {
    /// The text.
    pub text: String,
    /// The coordinates of the label's [`Anchor`] on the baseline.
    pub at: Point,
    /// The part of the text that is at these coordinates.
    pub anchor: Anchor,
    /// The size and weight of the font.
    pub font: Font,
}

/// The part of a label that is at its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left end of the label.
    Start,
    /// The middle of the label.
    Middle,
    /// The right end of the label.
    End,
}

impl Label {
    /// The bounding box of the label.
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

/// The kind of object that an item depicts. Themes and checks depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The box with the name of a lifeline, or of a component of a multi-trace.
    Head,
    /// The line below or beside a head.
    Lifeline,
    /// A message, or another arrow between events.
    Message,
    /// The frame of a combined fragment.
    Frame,
    /// The corner of a frame with the name of its operator.
    Tab,
    /// A line that separates the operands of a frame.
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
    /// A band behind other items.
    Band,
    /// A note, or another box with the words of an author.
    Note,
    /// The bar of an activation.
    Bar,
    /// A duration between two events, with its lines.
    Dimension,
    /// Text that belongs to a line beside it.
    Text,
    /// Text of minor importance: asides, counts, positions.
    Aside,
}

impl Role {
    /// The name in style sheets, which is that of the variant.
    pub fn name(self) -> String {
        format!("{self:?}").to_ascii_lowercase()
    }
}

/// An assessment of the object that an item depicts. Tones differ not only in colour, but also in dashes and
/// stroke width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Tone {
    /// None.
    #[default]
    Normal,
    /// The object is absent or not of interest: unobserved, pruned, never exercised.
    Faded,
    /// The object is done: consumed, executed, accepted.
    Good,
    /// The object is assumed: simulated, expected next, removed.
    Assumed,
    /// The object is undecided: a search found nothing, which proves nothing.
    Doubtful,
    /// The object is wrong: observed but not allowed, refuted.
    Bad,
    /// The object is the subject of the picture.
    Active,
}

impl Tone {
    /// All tones, in order.
    pub const ALL: [Tone; 7] = [
        Tone::Normal,
        Tone::Faded,
        Tone::Good,
        Tone::Assumed,
        Tone::Doubtful,
        Tone::Bad,
        Tone::Active,
    ];

    /// The name in style sheets, which is that of the variant.
    pub fn name(self) -> String {
        format!("{self:?}").to_ascii_lowercase()
    }
}

impl Item {
    /// A shape with a role, in the normal tone.
    pub fn new(role: Role, shape: Shape) -> Self {
        Item { shape, role, tone: Tone::Normal, key: None, subject: None, colour: None }
    }

    /// The item in another tone.
    #[must_use]
    pub fn tone(self, tone: Tone) -> Self {
        Item { tone, ..self }
    }

    /// The item with a key for lines to end on.
    #[must_use]
    pub fn key(self, key: Key) -> Self {
        Item { key: Some(key), ..self }
    }

    /// The item with a subject.
    #[must_use]
    pub fn subject(self, subject: impl Into<String>) -> Self {
        Item { subject: Some(subject.into()), ..self }
    }

    /// The item in the colour of its author.
    #[must_use]
    pub fn colour(self, colour: Option<Colour>) -> Self {
        Item { colour, ..self }
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

    /// A line of text with its middle at a point.
    pub fn centered(role: Role, text: impl Into<String>, middle: Point, font: Font) -> Self {
        let at = middle + point(0.0, font.to_baseline());
        Item::label(role, text, at, Anchor::Middle, font)
    }

    /// A straight line without heads.
    pub fn line(role: Role, from: Point, to: Point) -> Self {
        Item::path(role, vec![from, to])
    }

    /// A line through some points, without heads.
    pub fn path(role: Role, points: Vec<Point>) -> Self {
        Item::arrow(role, points, [End::Plain; 2], [None; 2])
    }

    /// A line through some points, with the forms of its ends and the items that the ends lie on.
    pub fn arrow(role: Role, points: Vec<Point>, ends: [End; 2], on: [Option<Key>; 2]) -> Self {
        Item::new(role, Shape::Line(Line { points, smooth: false, dotted: false, ends, on }))
    }

    /// The item with round corners if it is a line.
    #[must_use]
    pub fn smooth(mut self) -> Self {
        if let Shape::Line(line) = &mut self.shape {
            line.smooth = true;
        }
        self
    }

    /// The item dotted if it is a line.
    #[must_use]
    pub fn dotted(mut self, dotted: bool) -> Self {
        if let Shape::Line(line) = &mut self.shape {
            line.dotted = dotted;
        }
        self
    }

    /// The bounding box of the shape, without arrow heads and stroke width.
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
    /// An empty picture with a title.
    pub fn new(title: impl Into<String>) -> Self {
        Scene { title: title.into(), ..Scene::default() }
    }

    /// A new key.
    pub fn fresh_key(&mut self) -> Key {
        self.keys += 1;
        Key(self.keys - 1)
    }

    /// Adds an item on top of all others.
    pub fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Adds lines of text below each other, the first with its top at `at.y`; returns the bottom
    /// of the last.
    pub fn lines<T: AsRef<str>>(
        &mut self,
        lines: &[T],
        at: Point,
        anchor: Anchor,
        font: Font,
        role: Role,
        tone: Tone,
    ) -> f64 {
        let mut y = at.y;
        for line in lines {
            let base = y + (font.line_height() - font.size) / 2.0 + font.ascent();
            self.push(Item::label(role, line.as_ref(), point(at.x, base), anchor, font).tone(tone));
            y += font.line_height();
        }
        y
    }

    /// Adds lines of minor importance, in small type; returns the bottom of the last.
    pub fn asides<T: AsRef<str>>(&mut self, lines: &[T], at: Point) -> f64 {
        self.lines(lines, at, Anchor::Start, SMALL, Role::Aside, Tone::Normal)
    }

    /// Adds the box of a head with centered lines of text; returns all items.
    pub(crate) fn head(
        &mut self,
        rect: Rect,
        lines: &[String],
        font: Font,
        tone: Tone,
    ) -> &mut [Item] {
        let before = self.items.len();
        self.push(Item::rect(Role::Head, rect).tone(tone));
        let top = rect.top + (rect.height() - font.height(lines.len())) / 2.0;
        let at = point(rect.center().x, top);
        self.lines(lines, at, Anchor::Middle, font, Role::Head, tone);
        &mut self.items[before..]
    }

    /// Makes the scene consist of a single text.
    pub(crate) fn nothing_but(&mut self, text: &str, font: Font) {
        self.push(Item::label(Role::Aside, text, Point::default(), Anchor::Start, font));
    }

    pub(crate) fn fresh_keys<T>(&mut self, things: &[T]) -> Vec<Key> {
        things.iter().map(|_| self.fresh_key()).collect()
    }

    /// Puts another picture into this one, with its corner at a point. Keys of the inner picture are renumbered
    /// so that they differ from those of this one.
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

    /// The texts of all labels.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match &item.shape {
            Shape::Label(label) => Some(label.text.as_str()),
            Shape::Box { .. } | Shape::Polygon(_) | Shape::Disc { .. } | Shape::Line(_) => None,
        })
    }

    /// The smallest rectangle that contains every item.
    pub fn extent(&self) -> Option<Rect> {
        self.items.iter().map(Item::rect_of).reduce(Rect::union)
    }

    /// Moves all items onto a canvas with a margin. The sides of the canvas are whole numbers, so that no row of
    /// pixels is covered in part.
    pub fn fit(&mut self, margin: f64) {
        let extent = self.extent().unwrap_or_default().grow(margin);
        let by = point(-extent.left, -extent.top);
        self.items.iter_mut().for_each(|item| item.shift(by));
        self.size = Size { width: extent.width().ceil(), height: extent.height().ceil() };
    }
}
