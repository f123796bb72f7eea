//! Searches as graphs: the explored executions, or the analysis of a multi-trace.
//!
//! After Fig. 4 to 11 of Mahe et al., "Tooling offline runtime verification against interaction
//! models", and the trees of the HIBOU README of 2020: every node shows an interaction and the rest
//! of the multi-trace, every edge the rule, the action and its position, and leaves have
//! their verdicts. The path to the leaf that decided the verdict is drawn stronger, simulated or
//! removed actions are drawn as assumed, and known or omitted nodes are dotted. `… 3 cut` below a node says
//! that a filter or a limit cut off three of its children. Of a large search, a
//! [window](Options::max_nodes) around the verdict is drawn, with a note. The options of the search
//! can stand [above it](Options::legend), as in the README.

mod card;
mod lanes;
mod window;

use std::fmt::{self, Write as _};

use otus_analysis::Verdict;
use otus_analysis::graph::Rule;
use otus_analysis::graph::record::{Context, Graph, Recorded};
use otus_core::TermId;
use rustc_hash::FxHashMap;

use crate::geometry::{Rect, Size, point};
use crate::layout::arrow::{self, Arrow, LABEL};
use crate::layout::layered::{self, Direction, Edge, Layout, layered};
use crate::metrics::{Font, SMALL, grouped};
use crate::scene::{Anchor, Item, Role, Scene, Shape, Tone};

use window::Window;

/// The options of the picture of a search.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The maximum number of nodes of the search that are drawn.
    pub max_nodes: usize,
    /// The verdict of the search.
    pub verdict: Option<Verdict>,
    /// The direction of steps.
    pub direction: Direction,
    /// Draws the picture of an interaction. If it is `None`, interactions are written as text.
    pub term: Option<&'a dyn Fn(TermId) -> Scene>,
    /// The options of the search, one per line, which stand in a frame above it.
    pub legend: &'a [String],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            max_nodes: 200,
            verdict: None,
            direction: Direction::Down,
            term: None,
            legend: &[],
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("max_nodes", &self.max_nodes)
            .field("verdict", &self.verdict)
            .field("legend", &self.legend)
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
    let mut sketch = Sketch {
        context,
        graph,
        window: &window,
        options,
        boxes: Vec::new(),
        arrows: Vec::new(),
        of: FxHashMap::default(),
    };
    sketch.nodes();
    sketch.edges();
    sketch.leaves();
    let sizes: Vec<Size> = sketch.boxes.iter().map(|node| node.content.size).collect();
    let edges: Vec<Edge> = sketch.arrows.iter().map(Arrow::edge).collect();
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
        notes.push(format!("showing {} of {} nodes, {near}", grouped(shown), grouped(total)));
    }
    let lost = layout.routes.iter().filter(|route| route.points.is_empty()).count();
    if lost > 0 {
        notes.push(format!("{} edges are not drawn, for want of room", grouped(lost)));
    }
    scene.description = describe(context, graph, options, &notes);
    if let (Some(extent), false) = (scene.extent(), notes.is_empty()) {
        let height = SMALL.height(notes.len());
        scene.asides(&notes, point(extent.left, extent.top - height - 8.0));
    }
    legend(&mut scene, options.legend);
    scene.fit(MARGIN);
    scene
}

/// The greatest width of a line of the legend.
const LEGEND_WIDE: f64 = 420.0;

/// Adds a frame with lines of text above everything else, at its left side.
fn legend(scene: &mut Scene, lines: &[String]) {
    let (Some(extent), false) = (scene.extent(), lines.is_empty()) else { return };
    let lines: Vec<String> = lines.iter().flat_map(|line| SMALL.wrap(line, LEGEND_WIDE)).collect();
    let width = lines.iter().map(|line| SMALL.width(line)).fold(0.0, f64::max) + 2.0 * PADDING;
    let height = SMALL.height(lines.len()) + 2.0 * PADDING;
    let (left, bottom) = (extent.left, extent.top - 14.0);
    let rect = Rect { left, top: bottom - height, right: left + width, bottom };
    scene.push(Item::rect(Role::Node, rect).tone(Tone::Faded));
    scene.asides(&lines, point(rect.left + PADDING, rect.top + PADDING));
}

const MARGIN: f64 = 12.0;
const PADDING: f64 = 8.0;
const PILL: Font = Font { size: 12.0, bold: true };
const GRAND: Font = Font { size: 14.0, bold: true };
/// The greatest width of the label of an edge.
const LABEL_WIDE: f64 = 170.0;
const LABEL_LINES: usize = 8;

/// The nodes and edges of the picture, before they have places.
struct Sketch<'a> {
    context: &'a Context<'a>,
    graph: &'a Graph,
    window: &'a Window,
    options: &'a Options<'a>,
    boxes: Vec<SketchNode>,
    arrows: Vec<Arrow>,
    of: FxHashMap<usize, usize>,
}

struct SketchNode {
    content: Scene,
    tone: Tone,
    radius: f64,
    subject: Option<String>,
}

impl<'a> Sketch<'a> {
    /// The nodes of the search that are drawn, with their numbers.
    fn kept(&self) -> impl Iterator<Item = (usize, &'a Recorded)> + use<'a> {
        let window = self.window;
        self.graph.nodes.iter().enumerate().filter(move |(index, _)| window.kept[*index])
    }

    fn nodes(&mut self) {
        let mut cards = card::Cards {
            context: self.context,
            options: self.options,
            lanes: lanes::lanes(self.context, self.graph, &self.window.kept),
            pictures: FxHashMap::default(),
        };
        for (index, node) in self.kept() {
            let tone = if self.window.on_path[index] { Tone::Active } else { Tone::Normal };
            let content = cards.card(index, node);
            let subject = Some(format!("node-{index}"));
            self.of.insert(index, self.boxes.len());
            self.boxes.push(SketchNode { content, tone, radius: 4.0, subject });
        }
    }

    /// Adds the leaves below nodes, right of their children: verdicts, and the numbers of omitted nodes.
    fn leaves(&mut self) {
        for (index, node) in self.kept() {
            let from = self.of[&index];
            let mut last = from;
            if let (Some(leaf), Some(_)) = (node.leaf, self.context.trace) {
                let (sign, tone) = sign(leaf.verdict);
                last = self.hang(from, &format!("{sign} {}", leaf.kind.name()), PILL, tone);
            }
            if let Some(verdict) = self.options.verdict.filter(|_| index == self.window.target) {
                let (sign, tone) = sign(verdict);
                self.hang(last, &format!("{sign} {verdict}"), GRAND, tone);
            }
            if node.cut > 0 {
                let text = format!("… {} cut", grouped(node.cut));
                self.hang(from, &text, SMALL, Tone::Faded);
            }
            let hidden = self.window.hidden[index];
            if hidden > 0 {
                self.hang(from, &format!("… {} more", grouped(hidden)), SMALL, Tone::Faded);
            }
        }
    }

    fn edges(&mut self) {
        let (context, graph) = (self.context, self.graph);
        let label = |rule: &Rule| LABEL.wrap(&context.rule(rule), LABEL_WIDE);
        for (index, node) in self.kept() {
            let Some((parent, rule)) = &node.parent else { continue };
            let to = self.of[&index];
            let tone = match rule {
                Rule::Execute(_) if self.window.on_path[index] => Tone::Active,
                Rule::Execute(_) => Tone::Normal,
                Rule::Simulate(_) | Rule::Remove(_) => Tone::Assumed,
            };
            if let Some(gap) = self.window.gap.filter(|gap| gap.between[1] == index) {
                let text = format!("… {} steps, {} nodes", grouped(gap.steps), grouped(gap.nodes));
                let pill = self.hang(self.of[&gap.between[0]], &text, SMALL, Tone::Faded);
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
                Some(&arrow) => self.arrows[arrow].label.extend(label(rule)),
                None => {
                    known.insert((from, to), self.arrows.len());
                    self.join(start, end, label(rule), Tone::Faded);
                }
            }
        }
        for arrow in &mut self.arrows {
            cap(&mut arrow.label, LABEL_LINES, "more");
        }
        elsewhere.sort_unstable();
        elsewhere.dedup();
        for group in elsewhere.chunk_by(|x, y| x.0 == y.0) {
            let text = match group {
                [(_, only)] => format!("again {only}, not shown"),
                several => format!("again {} nodes, not shown", several.len()),
            };
            self.hang(group[0].0, &text, SMALL, Tone::Faded);
        }
    }

    fn join(&mut self, from: usize, to: usize, label: Vec<String>, tone: Tone) {
        self.arrows.push(Arrow { from, to, label, tone });
    }

    /// Adds a node with a text below another node; returns its number.
    fn hang(&mut self, from: usize, text: &str, font: Font, tone: Tone) -> usize {
        let size =
            Size { width: font.width(text) + 20.0, height: font.line_height() + font.size * 0.6 };
        let mut content = Scene::default();
        content.size = size;
        let middle = point(size.width / 2.0, size.height / 2.0);
        content.push(Item::centered(Role::Node, text, middle, font).tone(tone));
        self.boxes.push(SketchNode { content, tone, radius: size.height / 2.0, subject: None });
        let to = self.boxes.len() - 1;
        self.join(from, to, Vec::new(), tone);
        to
    }

    fn draw(&self, scene: &mut Scene, layout: &Layout) {
        let keys = scene.fresh_keys(&self.boxes);
        arrow::paint(scene, &self.arrows, layout, &keys, Anchor::Start, |_, route| route.to_vec());
        for ((node, rect), key) in self.boxes.iter().zip(&layout.nodes).zip(keys) {
            let shape = Shape::Box { rect: *rect, radius: node.radius };
            let mut item = Item::new(Role::Node, shape).tone(node.tone).key(key);
            item.subject.clone_from(&node.subject);
            scene.push(item);
            scene.place(&node.content, point(rect.left, rect.top));
        }
    }
}

/// If a text has more than `most` lines, replaces its end by a remark that ends in `more`.
fn cap(lines: &mut Vec<String>, most: usize, more: &str) {
    if lines.len() > most {
        let missing = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(format!("… {missing} {more}"));
    }
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
        grouped(graph.nodes.len()),
        grouped(graph.again.len()),
        grouped(leaves)
    );
    if let Some(verdict) = options.verdict {
        let _ = write!(text, " The verdict is {verdict}.");
    }
    for note in notes {
        let _ = write!(text, " ({note})");
    }
    text
}
