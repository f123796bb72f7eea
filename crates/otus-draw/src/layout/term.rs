//! Terms as trees: a node for each operator and leaf, as in Fig. 2b of Mahe et al., "Tooling
//! offline runtime verification against interaction models".
//!
//! Terms share subterms and trees do not, so a tree can be far larger than its term. It is unfolded
//! level by level up to a number of nodes; the rest is drawn as `…` with its size. A position
//! stands beside the node on the side away from its parent, where no edge passes.

pub mod marks;

use otus_core::passing::asynchronous_passing;
use otus_core::{Pool, RegionId, Term, TermId};

use crate::geometry::{Rect, Side, Size, point};
use crate::layout::tree::{self, tree};
use crate::metrics::{Font, PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, End, Item, Role, Scene, Shape, Tone};

pub use marks::{Marks, step};

/// The options of the picture of a term.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Whether the positions of nodes are shown: 1, 2, 11, 121.
    pub positions: bool,
    /// Whether a message passing is one node, `a -- m -> b`, if it has no marks inside.
    pub fold_passings: bool,
    /// The tones of parts.
    pub marks: Option<&'a Marks>,
    /// The maximum number of nodes that are drawn.
    pub max_nodes: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { positions: false, fold_passings: false, marks: None, max_nodes: 2_000 }
    }
}

/// Draws a term.
///
/// ```
/// use otus_draw::layout::term::{Options, term};
/// # use otus_core::{Pool, Signature};
/// # let mut signature = Signature::default();
/// # let (a, m) = (signature.add_lifeline("a"), signature.add_message("m"));
/// # let mut pool = Pool::new(signature);
/// let send = pool.emission(a, m);
/// let twice = pool.seq(send, send);
/// let scene = term(&pool, twice, &Options { positions: true, ..Options::default() });
/// assert!(otus_draw::check::flaws(&scene).is_empty());
/// ```
pub fn term(pool: &Pool, root: TermId, options: &Options<'_>) -> Scene {
    let nodes = unfold(pool, root, options);
    let shapes: Vec<tree::Node> = nodes.iter().map(Node::shape).collect();
    let places = tree(&shapes, 0, GAP);
    let head = if options.positions { SMALL.line_height() } else { 0.0 };
    let depth = places.iter().map(|place| place.level + 1).max().unwrap_or(0);
    let mut scene = Scene::new("term of an interaction");
    scene.description = describe(pool, root, nodes.len());

    // Nearly horizontal edges are hard to follow. So if a node is far from its parent, its whole level is moved
    // down.
    let mut drops = vec![DROP; depth];
    for (node, place) in nodes.iter().zip(&places) {
        for &child in &node.children {
            let aside = (places[child].x - place.x).abs();
            let drop = &mut drops[place.level];
            *drop = drop.max((aside * 0.16).min(3.0 * DROP));
        }
    }
    let mut tops = Vec::with_capacity(depth);
    let mut top = head;
    for drop in drops {
        tops.push(top);
        top += HEIGHT + head + drop;
    }
    let rect = |index: usize| {
        let half = nodes[index].width() / 2.0;
        let corner = point(places[index].x - half, tops[places[index].level]);
        Rect::at(corner, Size { width: half * 2.0, height: HEIGHT })
    };
    let keys = scene.fresh_keys(&nodes);
    for (parent, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            let from = point(rect(parent).center().x, rect(parent).bottom);
            let to = point(rect(child).center().x, rect(child).top);
            let tone = if nodes[child].tone == Tone::Faded { Tone::Faded } else { Tone::Normal };
            let on = [Some(keys[parent]), Some(keys[child])];
            let edge = Item::arrow(Role::Edge, vec![from, to], [End::Plain; 2], on);
            scene.push(edge.tone(tone));
        }
    }
    for (index, node) in nodes.iter().enumerate() {
        let rect = rect(index);
        let radius = if node.is_operator { HEIGHT / 2.0 } else { 2.0 };
        let shape = Shape::Box { rect, radius };
        let mut item = Item::new(Role::Node, shape).tone(node.tone).key(keys[index]);
        item.subject = node.position.as_ref().map(|position| format!("position-{position}"));
        scene.push(item);
        let label = Item::centered(Role::Node, &node.text, rect.center(), node.font());
        scene.push(label.tone(node.tone));
        if let Some(position) = &node.position {
            let (by, anchor) = match node.side {
                Side::Left => (-POSITION_GAP, Anchor::End),
                Side::Right => (POSITION_GAP, Anchor::Start),
            };
            let at = point(rect.center().x + by, rect.top - SMALL.descent() - 1.5);
            scene.push(Item::label(Role::Aside, position, at, anchor, SMALL));
        }
    }
    legend(&mut scene, &nodes);
    scene.fit(MARGIN);
    scene
}

const GAP: f64 = 14.0;
const DROP: f64 = 20.0;
const HEIGHT: f64 = 22.0;
const MARGIN: f64 = 12.0;
/// The distance from an edge to the position that is written beside it.
const POSITION_GAP: f64 = 4.0;

struct Node {
    text: String,
    is_operator: bool,
    tone: Tone,
    /// The side on which the position of the node is written.
    side: Side,
    /// The position of the node, `ε` for the root, if positions are shown.
    position: Option<String>,
    children: Vec<usize>,
}

impl Node {
    fn font(&self) -> Font {
        if self.is_operator { STRONG } else { PLAIN }
    }

    fn width(&self) -> f64 {
        (self.font().width(&self.text) + 14.0).max(HEIGHT)
    }

    fn shape(&self) -> tree::Node {
        let mut extent = [self.width() / 2.0; 2];
        if let Some(position) = &self.position {
            let side = &mut extent[usize::from(self.side == Side::Right)];
            *side = side.max(SMALL.width(position) + POSITION_GAP);
        }
        tree::Node { extent, children: self.children.clone() }
    }
}

/// A subterm that will become a node.
struct Pending {
    term: TermId,
    parent: Option<usize>,
    letter: u8,
    only: bool,
    marks: marks::Cursor,
}

/// The tree of a term, level by level.
fn unfold(pool: &Pool, root: TermId, options: &Options<'_>) -> Vec<Node> {
    let none = Marks::default();
    let marks = options.marks.unwrap_or(&none);
    let mut nodes: Vec<Node> = Vec::new();
    let first = Pending { term: root, parent: None, letter: 0, only: true, marks: marks.cursor() };
    let mut queue = std::collections::VecDeque::from([first]);
    while let Some(now) = queue.pop_front() {
        let index = nodes.len();
        let position = options.positions.then(|| {
            let above = now.parent.and_then(|parent| nodes[parent].position.as_deref());
            match above {
                None => "ε".to_owned(),
                Some(above) => format!("{}{}", above.trim_start_matches('ε'), now.letter),
            }
        });
        let count = pool.node(now.term).operands().len();
        let folded = (options.fold_passings && !marks.has_below(now.marks))
            .then(|| passing(pool, now.term))
            .flatten();
        // Pending subterms will become nodes too, so they count.
        let room = nodes.len() + queue.len() + count < options.max_nodes.max(1);
        let (text, open) = match folded {
            Some(text) => (text, false),
            None if count > 0 && !room => {
                (format!("… {}", size(pool.attributes(now.term).nodes)), false)
            }
            None => (name(pool, now.term), true),
        };
        let is_operator = open && count > 0;
        let left = now.letter == 1 && !now.only;
        nodes.push(Node {
            text,
            is_operator,
            tone: marks.tone(now.marks),
            side: if left { Side::Left } else { Side::Right },
            position,
            children: Vec::new(),
        });
        if let Some(parent) = now.parent {
            nodes[parent].children.push(index);
        }
        if open {
            for (letter, operand) in (1..).zip(pool.node(now.term).operands()) {
                queue.push_back(Pending {
                    term: operand,
                    parent: Some(index),
                    letter,
                    only: count == 1,
                    marks: marks.below(now.marks, letter),
                });
            }
        }
    }
    nodes
}

/// The text of a node: `seq`, `coreg{b}`, `a!m`, `∅`.
fn name(pool: &Pool, term: TermId) -> String {
    let region = |names: [&str; 3], region: RegionId| match region {
        Pool::NONE => names[0].to_owned(),
        Pool::ALL => names[1].to_owned(),
        region => {
            let lifelines = pool.region(region);
            let each: Vec<&str> =
                lifelines.iter().map(|l| pool.signature().lifeline_name(l)).collect();
            shorten(&format!("{}{{{}}}", names[2], each.join(", ")))
        }
    };
    match pool.node(term) {
        Term::Empty => "∅".to_owned(),
        Term::Event(_) => shorten(&pool.text(term)),
        Term::Strict(..) => "strict".to_owned(),
        Term::Coreg(r, ..) => region(["seq", "par", "coreg"], r),
        Term::Alt(..) => "alt".to_owned(),
        Term::LoopS(_) => "loopS".to_owned(),
        Term::LoopC(r, _) => region(["loopW", "loopP", "loopC"], r),
    }
}

/// Shortens a name to the width of a node.
fn shorten(text: &str) -> String {
    STRONG.shorten(text, 220.0)
}

/// `a -- m -> (b, c)`, if the term is an asynchronous passing.
fn passing(pool: &Pool, term: TermId) -> Option<String> {
    let found = asynchronous_passing(pool, term)?;
    let signature = pool.signature();
    let names: Vec<&str> = found.receivers.iter().map(|&l| signature.lifeline_name(l)).collect();
    let target = if let [only] = names.as_slice() {
        (*only).to_owned()
    } else {
        format!("({})", names.join(", "))
    };
    let sender = signature.lifeline_name(found.sender);
    Some(shorten(&format!("{sender} -- {} -> {target}", signature.message_name(found.message))))
}

fn size(nodes: u64) -> String {
    if nodes == u64::MAX { "very many nodes".to_owned() } else { format!("{nodes} nodes") }
}

fn describe(pool: &Pool, root: TermId, drawn: usize) -> String {
    let attributes = pool.attributes(root);
    if attributes.nodes <= 300 {
        return pool.text(root);
    }
    format!("A term of {}, of which {drawn} nodes are drawn.", size(attributes.nodes))
}

/// Draws the legend of the tones that occur, if any.
fn legend(scene: &mut Scene, nodes: &[Node]) {
    let Some(extent) = scene.extent() else { return };
    let mut left = extent.left;
    let top = extent.bottom + 16.0;
    let meanings =
        [(Tone::Active, "happens"), (Tone::Faded, "pruned"), (Tone::Assumed, "simplified")];
    for (tone, meaning) in meanings {
        if !nodes.iter().any(|node| node.tone == tone) {
            continue;
        }
        let swatch = Rect::at(point(left, top), Size { width: 16.0, height: 11.0 });
        scene.push(Item::rect(Role::Node, swatch).tone(tone));
        let at = point(swatch.right + 5.0, swatch.bottom - 1.5);
        scene.push(Item::label(Role::Aside, meaning, at, Anchor::Start, SMALL));
        left = at.x + SMALL.width(meaning) + 16.0;
    }
}
