//! Searches as graphs: the explored executions, or the analysis of a multi-trace.
//!
//! After Fig. 4 to 11 of Mahe et al., "Tooling offline runtime verification against interaction
//! models", and the trees of the HIBOU README of 2020: every node shows an interaction and the rest
//! of the multi-trace, every edge the rule, the action and its position, and leaves have
//! their verdicts. The path to the leaf that decided the verdict is drawn stronger, simulated or
//! removed actions are drawn as assumed, and known or omitted nodes are dotted. Of a large
//! search, a [window](Options::max_nodes) around the verdict is drawn, with a note.

mod card;
mod lanes;
mod window;

use std::fmt::{self, Write as _};

use otus_analysis::Verdict;
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{Leaf, LeafKind, Rule, SearchState};
use otus_core::TermId;
use rustc_hash::FxHashMap;

use crate::geometry::{Size, point};
use crate::layout::layered::{self, Direction, Edge, Layout, layered};
use crate::metrics::{Font, SMALL, grouped};
use crate::scene::{Anchor, End, Item, Key, Line, Role, Scene, Shape, Tone};

/// The options of the picture of a search.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The most nodes of the search that are drawn.
    pub max_nodes: usize,
    /// The verdict of the search.
    pub verdict: Option<Verdict>,
    /// The direction of steps.
    pub direction: Direction,
    /// The picture of an interaction; without one it is written as text.
    pub term: Option<&'a dyn Fn(TermId) -> Scene>,
    /// The picture of the rest of the multi-trace; without one it is drawn as small lanes,
    /// with the numbers of actions consumed and simulated so far.
    pub remaining: Option<&'a dyn Fn(&SearchState) -> Scene>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            max_nodes: 200,
            verdict: None,
            direction: Direction::Down,
            term: None,
            remaining: None,
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("max_nodes", &self.max_nodes)
            .field("verdict", &self.verdict)
            .finish_non_exhaustive()
    }
}

/// Draws a search that was recorded.
pub fn search(context: &Context<'_>, graph: &Graph, options: &Options<'_>) -> Scene {
    let mut scene = Scene::new(match (context.trace, options.verdict) {
        (None, _) => "exploration of an interaction".to_owned(),
        (Some(_), None) => "analysis of a multi-trace".to_owned(),
        (Some(_), Some(verdict)) => format!("analysis of a multi-trace: {verdict}"),
    });
    if graph.nodes.is_empty() {
        scene.description.push_str("Nothing was searched.");
        scene.fit(MARGIN);
        return scene;
    }
    let window = window::window(graph, context.trace.is_some(), options.max_nodes);
    let mut sketch = Sketch::default();
    sketch.nodes(context, graph, &window, options);
    sketch.edges(context, graph, &window);
    sketch.leaves(context, graph, &window, options);
    let sizes: Vec<Size> = sketch.boxes.iter().map(|node| node.content.size).collect();
    let edges: Vec<Edge> = sketch.lines.iter().map(SketchEdge::edge).collect();
    let style = layered::Options {
        flush: true,
        direction: options.direction,
        ..layered::Options::default()
    };
    let layout = layered(&sizes, &edges, &style);
    sketch.draw(&mut scene, &layout);

    let shown = window.kept.iter().filter(|&&kept| kept).count();
    let total = graph.nodes.len();
    let mut notes = Vec::new();
    if shown < total {
        let near = if context.trace.is_some() { "around the verdict" } else { "from the root" };
        notes.push(format!(
            "showing {} of {} nodes, {near}",
            grouped(shown as u64),
            grouped(total as u64)
        ));
    }
    let lost = layout.routes.iter().filter(|route| route.points.is_empty()).count();
    if lost > 0 {
        notes.push(format!("{} edges are not drawn, for want of room", grouped(lost as u64)));
    }
    scene.description = describe(context, graph, options, &notes);
    if let (Some(extent), false) = (scene.extent(), notes.is_empty()) {
        let height = SMALL.line_height() * f64::from(u8::try_from(notes.len()).unwrap_or(2));
        scene.asides(&notes, point(extent.left, extent.top - height - 8.0));
    }
    scene.fit(MARGIN);
    scene
}

const MARGIN: f64 = 12.0;
const LABEL: Font = Font { size: 11.0, bold: false };
const PILL: Font = Font { size: 12.0, bold: true };
const GRAND: Font = Font { size: 14.0, bold: true };
/// The greatest width of the label of an edge.
const LABEL_WIDE: f64 = 170.0;
const LABEL_LINES: usize = 8;

/// The nodes and edges of the picture, before they have places.
#[derive(Default)]
struct Sketch {
    boxes: Vec<SketchNode>,
    lines: Vec<SketchEdge>,
    /// By node of the search: its box.
    of: FxHashMap<usize, usize>,
}

/// A node of the picture.
struct SketchNode {
    content: Scene,
    tone: Tone,
    radius: f64,
    subject: Option<String>,
}

/// An edge of the picture.
struct SketchEdge {
    from: usize,
    to: usize,
    label: Vec<String>,
    tone: Tone,
}

impl SketchEdge {
    fn edge(&self) -> Edge {
        let width = self.label.iter().map(|line| LABEL.width(line)).fold(0.0, f64::max);
        let height = self.label.iter().map(|_| LABEL.line_height()).sum();
        Edge { from: self.from, to: self.to, label: Size { width, height } }
    }
}

impl Sketch {
    fn nodes(
        &mut self,
        context: &Context<'_>,
        graph: &Graph,
        window: &window::Window,
        options: &Options<'_>,
    ) {
        let lanes = match options.remaining {
            Some(_) => FxHashMap::default(),
            None => lanes::lanes(context, graph, &window.kept),
        };
        let mut cards = card::Cards::new(context, options, &lanes);
        for (index, node) in graph.nodes.iter().enumerate().filter(|(i, _)| window.kept[*i]) {
            let tone = if window.on_path[index] { Tone::Active } else { Tone::Normal };
            let content = cards.card(index, node);
            let subject = Some(format!("node-{index}"));
            self.of.insert(index, self.boxes.len());
            self.boxes.push(SketchNode { content, tone, radius: 4.0, subject });
        }
    }

    /// Adds the leaves below nodes, right of their children: verdicts, and the numbers of omitted nodes.
    fn leaves(
        &mut self,
        context: &Context<'_>,
        graph: &Graph,
        window: &window::Window,
        options: &Options<'_>,
    ) {
        for (index, node) in graph.nodes.iter().enumerate().filter(|(i, _)| window.kept[*i]) {
            let from = self.of[&index];
            if let (Some(leaf), Some(_)) = (node.leaf, context.trace) {
                let (text, tone) = leaf_text(leaf);
                let pill = self.pill(&text, PILL, tone);
                self.join(from, pill, Vec::new(), tone);
                if index == window.target {
                    self.verdict(pill, options);
                }
            } else if index == window.target {
                self.verdict(from, options);
            }
            if node.cut > 0 {
                let pill = self.pill(&format!("+{} cut", node.cut), SMALL, Tone::Faded);
                self.join(from, pill, Vec::new(), Tone::Faded);
            }
            let hidden = window.hidden[index];
            if hidden > 0 {
                let text = format!("… {} more", grouped(hidden as u64));
                let pill = self.pill(&text, SMALL, Tone::Faded);
                self.join(from, pill, Vec::new(), Tone::Faded);
            }
        }
    }

    fn verdict(&mut self, from: usize, options: &Options<'_>) {
        if let Some(verdict) = options.verdict {
            let (sign, tone) = sign(verdict);
            let pill = self.pill(&format!("{sign} {verdict}"), GRAND, tone);
            self.join(from, pill, Vec::new(), tone);
        }
    }

    fn edges(&mut self, context: &Context<'_>, graph: &Graph, window: &window::Window) {
        let label = |rule: &Rule| wrap(&context.rule(rule));
        for (index, node) in graph.nodes.iter().enumerate().filter(|(i, _)| window.kept[*i]) {
            let Some((parent, rule)) = &node.parent else { continue };
            let to = self.of[&index];
            let tone = match rule {
                Rule::Execute(_) if window.on_path[index] => Tone::Active,
                Rule::Execute(_) => Tone::Normal,
                Rule::Simulate(_) | Rule::Remove(_) => Tone::Assumed,
            };
            if let Some(gap) = window.gap.filter(|gap| gap.between[1] == index) {
                let text = format!(
                    "… {} steps, {} nodes",
                    grouped(gap.steps as u64),
                    grouped(gap.nodes as u64)
                );
                let pill = self.pill(&text, SMALL, Tone::Faded);
                let from = self.of[&gap.between[0]];
                self.join(from, pill, Vec::new(), Tone::Faded);
                self.join(pill, to, label(rule), tone);
            } else if let Some(&from) = self.of.get(&(parent.0 as usize)) {
                self.join(from, to, label(rule), tone);
            }
        }
        // Edges to known nodes; those between the same two nodes are merged.
        let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut elsewhere: Vec<(usize, usize)> = Vec::new();
        for (from, rule, to) in &graph.again {
            let (from, to) = (from.0 as usize, to.0 as usize);
            let Some(&start) = self.of.get(&from) else { continue };
            let Some(&end) = self.of.get(&to) else {
                elsewhere.push((start, to));
                continue;
            };
            match known.get(&(from, to)) {
                Some(&line) => self.lines[line].label.extend(label(rule)),
                None => {
                    known.insert((from, to), self.lines.len());
                    self.join(start, end, label(rule), Tone::Faded);
                }
            }
        }
        for line in &mut self.lines {
            cap(&mut line.label);
        }
        elsewhere.sort_unstable();
        elsewhere.dedup();
        for group in elsewhere.chunk_by(|x, y| x.0 == y.0) {
            let text = match group {
                [(_, only)] => format!("again {only}, not shown"),
                several => format!("again {} nodes, not shown", several.len()),
            };
            let pill = self.pill(&text, SMALL, Tone::Faded);
            self.join(group[0].0, pill, Vec::new(), Tone::Faded);
        }
    }

    fn join(&mut self, from: usize, to: usize, label: Vec<String>, tone: Tone) {
        self.lines.push(SketchEdge { from, to, label, tone });
    }

    fn pill(&mut self, text: &str, font: Font, tone: Tone) -> usize {
        let size =
            Size { width: font.width(text) + 20.0, height: font.line_height() + font.size * 0.6 };
        let mut content = Scene::default();
        content.size = size;
        let base = size.height / 2.0 + (font.ascent() - font.descent()) / 2.0;
        let at = point(size.width / 2.0, base);
        content.push(Item::label(Role::Node, text, at, Anchor::Middle, font).tone(tone));
        self.boxes.push(SketchNode { content, tone, radius: size.height / 2.0, subject: None });
        self.boxes.len() - 1
    }

    fn draw(&self, scene: &mut Scene, layout: &Layout) {
        let keys: Vec<Key> = self.boxes.iter().map(|_| scene.fresh_key()).collect();
        for (line, route) in self.lines.iter().zip(&layout.routes) {
            if route.points.is_empty() {
                continue;
            }
            let shape = Shape::Line(Line {
                points: route.points.clone(),
                smooth: true,
                ends: [End::Plain, End::Filled],
                on: [Some(keys[line.from]), Some(keys[line.to])],
            });
            scene.push(Item::new(Role::Edge, shape).tone(line.tone));
        }
        for (line, route) in self.lines.iter().zip(&layout.routes) {
            if let Some(rect) = route.label {
                let at = point(rect.left, rect.top);
                scene.lines(&line.label, at, Anchor::Start, LABEL, Role::Edge, line.tone);
            }
        }
        for ((node, rect), key) in self.boxes.iter().zip(&layout.nodes).zip(keys) {
            let shape = Shape::Box { rect: *rect, radius: node.radius };
            let mut item = Item::new(Role::Node, shape).tone(node.tone).key(key);
            item.subject.clone_from(&node.subject);
            scene.push(item);
            scene.place(&node.content, point(rect.left, rect.top));
        }
    }
}

fn wrap(text: &str) -> Vec<String> {
    LABEL.wrap(text, LABEL_WIDE)
}

fn cap(lines: &mut Vec<String>) {
    if lines.len() > LABEL_LINES {
        let missing = lines.len() - LABEL_LINES + 1;
        lines.truncate(LABEL_LINES - 1);
        lines.push(format!("… {missing} more"));
    }
}

/// The text of a leaf, since its colour alone does not suffice.
fn leaf_text(leaf: Leaf) -> (String, Tone) {
    let (sign, tone) = sign(leaf.verdict);
    let name = match leaf.kind {
        LeafKind::Cov
        | LeafKind::TooShort
        | LeafKind::LackObs
        | LeafKind::Out
        | LeafKind::UnCov
        | LeafKind::Ok
        | LeafKind::Ko
        | LeafKind::Dead => leaf.kind.name(),
    };
    (format!("{sign} {name}"), tone)
}

fn sign(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Pass | Verdict::WeakPass => ("✓", Tone::Good),
        Verdict::Inconclusive => ("?", Tone::Assumed),
        Verdict::Fail | Verdict::WeakFail => ("✗", Tone::Bad),
    }
}

fn describe(
    context: &Context<'_>,
    graph: &Graph,
    options: &Options<'_>,
    notes: &[String],
) -> String {
    let leaves = graph.nodes.iter().filter(|node| node.leaf.is_some()).count();
    let kind = if context.trace.is_some() { "leaves" } else { "nodes that may end" };
    let mut text = format!(
        "{} nodes, {} edges to nodes met before, {} {kind}.",
        grouped(graph.nodes.len() as u64),
        grouped(graph.again.len() as u64),
        grouped(leaves as u64)
    );
    if let Some(verdict) = options.verdict {
        let _ = write!(text, " The verdict is {verdict}.");
    }
    for note in notes {
        let _ = write!(text, " ({note})");
    }
    text
}
