//! Automata as graphs: states are circles with numbers, accepting states have two rings, and the initial state has an
//! arrow without origin.
//!
//! Transitions between the same two states are one arrow with all their letters. A state with unknown
//! transitions is dotted and has an arrow to `…`. States are numbered in breadth-first order from the
//! initial one, so a large automaton is drawn up to some number, and the picture says so.

use otus_core::Pool;
use otus_core::automaton::{Automaton, SymbolId};
use otus_core::index::Index as _;

use crate::geometry::{Point, Rect, Size, point};
use crate::layout::arrow::{self, Arrow, LABEL};
use crate::layout::layered::{self, Direction, layered};
use crate::metrics::{Font, PLAIN, SMALL};
use crate::scene::{Anchor, Item, Key, Role, Scene, Shape, Tone};

/// The options of the picture of an automaton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The maximum number of states that are drawn.
    pub max_states: usize,
    /// The direction of transitions.
    pub direction: Direction,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_states: 200, direction: Direction::Right }
    }
}

/// Draws an automaton. The pool must be the one of the term that it was built from.
///
/// ```
/// use otus_core::automaton::{AutomatonLimits, build};
/// use otus_draw::layout::automaton::{Options, automaton};
/// # use otus_core::{Pool, Signature};
/// # let mut signature = Signature::default();
/// # let (a, m) = (signature.add_lifeline("a"), signature.add_message("m"));
/// # let mut pool = Pool::new(signature);
/// let send = pool.emission(a, m);
/// let term = pool.loop_s(send);
/// let machine = build(&mut pool, term, AutomatonLimits::default());
/// let scene = automaton(&pool, &machine, &Options::default());
/// assert!(otus_draw::check::flaws(&scene).is_empty());
/// ```
pub fn automaton(pool: &Pool, automaton: &Automaton, options: &Options) -> Scene {
    let shown = automaton.len().min(options.max_states.max(1));
    let mut sketch = Sketch::default();
    for (id, state) in automaton.states().iter_with_ids().take(shown) {
        let text = id.0.to_string();
        let radius = (LETTER.width(&text) / 2.0 + 7.0).max(15.0);
        let tone = if state.cut { Tone::Faded } else { Tone::Normal };
        sketch.nodes.push(Node::State { text, radius, tone, accepting: state.accepting });
    }
    let mut hidden = vec![0_usize; shown];
    for edge in automaton.edges() {
        let (from, to) = (edge.from.index(), edge.to.index());
        if from >= shown {
            continue;
        }
        if to < shown {
            let label = label(pool, automaton, &edge.symbols);
            sketch.edges.push(Arrow { from, to, label, tone: Tone::Normal });
        } else {
            hidden[from] += edge.symbols.len();
        }
    }
    for (state, known) in automaton.states().iter().take(shown).enumerate() {
        let text = match (known.cut, hidden[state]) {
            (false, 0) => continue,
            (true, 0) => "…".to_owned(),
            (_, 1) => "… 1 transition".to_owned(),
            (_, several) => format!("… {several} transitions"),
        };
        let to = sketch.nodes.len();
        sketch.nodes.push(Node::More(text));
        sketch.edges.push(Arrow { from: state, to, label: Vec::new(), tone: Tone::Faded });
    }
    let mut scene = sketch.draw(options);
    scene.title.push_str("Automaton of an interaction");
    let whole = if automaton.is_complete() {
        ""
    } else {
        " It is cut: there are more states, which were not made."
    };
    scene.description = format!(
        "{} states, {} transitions. State 0 is initial; states with two rings accept.{whole}",
        automaton.len(),
        automaton.transitions().len()
    );
    if let (true, Some(extent)) = (shown < automaton.len(), scene.extent()) {
        let note = format!("showing {shown} of {} states, nearest to the first", automaton.len());
        let top = extent.top - SMALL.line_height() - 8.0;
        scene.asides(&[note], point(extent.left, top));
    }
    scene.fit(MARGIN);
    scene
}

const MARGIN: f64 = 12.0;
const LETTER: Font = PLAIN;
/// The distance from the ring of an accepting state to its inner ring.
const RING: f64 = 3.5;
/// The length of the arrow to the initial state.
const ENTRY: f64 = 26.0;
/// The maximum width of a label, and the maximum number of its lines.
const LABEL_WIDE: f64 = 150.0;
const LABEL_LINES: usize = 6;

/// The nodes and edges of the picture, before they have coordinates.
#[derive(Default)]
struct Sketch {
    nodes: Vec<Node>,
    edges: Vec<Arrow>,
}

enum Node {
    State {
        text: String,
        radius: f64,
        tone: Tone,
        accepting: bool,
    },
    /// A placeholder for states that are not drawn.
    More(String),
}

impl Node {
    fn size(&self) -> Size {
        match self {
            Node::State { radius, .. } => Size { width: 2.0 * radius, height: 2.0 * radius },
            Node::More(text) => {
                Size { width: SMALL.width(text) + 14.0, height: SMALL.line_height() + 4.0 }
            }
        }
    }

    /// The point where a line to the center of the node meets its border; `end` is the point where it meets the
    /// bounding box.
    fn meet(&self, place: Rect, end: Point, from: Point) -> Point {
        match self {
            Node::State { radius, .. } if (from - place.center()).length() > *radius => {
                place.center().toward(from, *radius)
            }
            Node::State { .. } | Node::More(_) => end,
        }
    }

    fn paint(&self, place: Rect, key: Key, scene: &mut Scene) {
        let center = place.center();
        let (text, font, tone) = match self {
            Node::State { text, radius, tone, accepting } => {
                let disc =
                    |radius: f64| Item::new(Role::Node, Shape::Disc { center, radius }).tone(*tone);
                scene.push(disc(*radius).key(key).subject(format!("state-{text}")));
                if *accepting {
                    scene.push(disc(radius - RING));
                }
                (text, LETTER, *tone)
            }
            Node::More(text) => {
                let shape = Shape::Box { rect: place, radius: place.height() / 2.0 };
                scene.push(Item::new(Role::Node, shape).tone(Tone::Faded).key(key));
                (text, SMALL, Tone::Faded)
            }
        };
        scene.push(Item::centered(Role::Node, text, center, font).tone(tone));
    }
}

impl Sketch {
    fn draw(&self, options: &Options) -> Scene {
        let sizes: Vec<Size> = self.nodes.iter().map(Node::size).collect();
        let edges: Vec<layered::Edge> = self.edges.iter().map(Arrow::edge).collect();
        let style = layered::Options {
            direction: options.direction,
            node_gap: 26.0,
            spread: 1.3,
            ..layered::Options::default()
        };
        let layout = layered(&sizes, &edges, &style);
        let mut scene = Scene::default();
        let keys = scene.fresh_keys(&self.nodes);
        let (anchor, entry) = match options.direction {
            Direction::Down => (Anchor::Start, point(0.0, ENTRY)),
            Direction::Right => (Anchor::Middle, point(ENTRY, 0.0)),
        };
        let meet = |node: usize, end: Point, from: Point| {
            self.nodes[node].meet(layout.nodes[node], end, from)
        };
        arrow::paint(&mut scene, &self.edges, &layout, &keys, anchor, |edge, route| {
            let mut points = route.to_vec();
            if let ([first, second, ..], [.., before, last]) = (route, route) {
                points[0] = meet(edge.from, *first, *second);
                points[route.len() - 1] = meet(edge.to, *last, *before);
            }
            points
        });
        for ((node, place), &key) in self.nodes.iter().zip(&layout.nodes).zip(&keys) {
            node.paint(*place, key, &mut scene);
        }
        if let (Some(place), Some(&key)) = (layout.nodes.first(), keys.first()) {
            let end = match options.direction {
                Direction::Down => point(place.center().x, place.top),
                Direction::Right => point(place.left, place.center().y),
            };
            scene.push(arrow::line(vec![end - entry, end], [None, Some(key)], Tone::Normal));
        }
        scene
    }
}

/// The letters of a transition, one per line if they are few.
fn label(pool: &Pool, automaton: &Automaton, symbols: &[SymbolId]) -> Vec<String> {
    // A label never has room for more letters than this, so the others are not formatted.
    let symbols = symbols.iter().take(40 * LABEL_LINES);
    let each: Vec<String> = symbols.map(|&symbol| automaton.label(pool, symbol)).collect();
    if each.len() <= 3 {
        return each.iter().flat_map(|text| LABEL.wrap_to(text, LABEL_WIDE, 2)).collect();
    }
    LABEL.wrap_to(&each.join(", "), LABEL_WIDE, LABEL_LINES)
}
