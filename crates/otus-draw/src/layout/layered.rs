//! Layered drawings of directed graphs: nodes in layers, edges along one direction.
//!
//! The framework of Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical
//! system structures", 1981) in its four steps, a file each:
//!
//! - [`rank`]: some edges are reversed to remove cycles, and every node gets a layer;
//! - this file: an edge gets a virtual node in every layer that it passes, and a label is a virtual node of its
//!   own size, so that nothing overlaps it;
//! - [`order`]: barycentre sweeps reduce crossings;
//! - [`place`]: coordinates within the layers, by Brandes and Köpf; of trees, by [`tree`].
//!
//! Coordinates are computed *across* and *along* the layers; at the end, [`Direction`] maps them to
//! x and y. Between two layers there are only edges, and within a layer nodes and labels do not
//! overlap: so edges cross neither nodes nor labels.
//!
//! Costs: linear in nodes and virtual nodes for each sweep, with a fixed number of sweeps. Edges
//! that would need more than [`VIRTUAL_NODES`] in all, longest first, are left out.

mod order;
mod place;
mod rank;

use crate::geometry::{Point, Rect, Size, float, point, soften};
use crate::layout::tree;

/// The direction of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Layers lie below each other; edges go down.
    #[default]
    Down,
    /// Layers lie beside each other; edges go to the right.
    Right,
}

/// An edge to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Edge {
    /// The number of the node it leaves.
    pub from: usize,
    /// The number of the node it enters; may be the same.
    pub to: usize,
    /// The room that the label of the edge needs; zero for none.
    pub label: Size,
}

/// The options of a layered drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The direction of edges.
    pub direction: Direction,
    /// The least distance between nodes of a layer.
    pub node_gap: f64,
    /// The share of a side of a node at which edges may end; 1 stands for the whole side. A share above 1 is
    /// for round nodes, whose edges point at the center.
    pub spread: f64,
    /// Whether nodes are aligned with the beginning of their layer rather than with its middle.
    pub flush: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { direction: Direction::Down, node_gap: 24.0, spread: 0.7, flush: false }
    }
}

/// The places of nodes and the routes of edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// For each node: its rectangle.
    pub nodes: Vec<Rect>,
    /// For each edge: its route.
    pub routes: Vec<Route>,
}

/// The route of an edge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Route {
    /// The points from border to border. Empty if the edge is not drawn.
    pub points: Vec<Point>,
    /// The place of the label of the edge.
    pub label: Option<Rect>,
}

/// The maximum number of virtual nodes of a drawing; a picture with more is unreadable anyway.
const VIRTUAL_NODES: usize = 400_000;

/// The least distance between layers.
const LAYER_GAP: f64 = 26.0;
/// The distance from a line to its label.
const LABEL_GAP: f64 = 5.0;
/// The length of the straight part of an edge before a layer, so that its curve does not touch labels.
const BEND: f64 = 4.0;
/// The length of the straight part of an edge at an arrow head.
const LANDING: f64 = 13.0;
/// The greatest distance from a corner at which its rounding begins.
const CORNER: f64 = 22.0;
/// The extent of a loop at a node.
const LOOP_REACH: f64 = 26.0;
/// Half of the distance between the ends of a loop at a node.
const LOOP_HALF: f64 = 9.0;
/// The greatest distance between two edges at a side.
const PORT_GAP: f64 = 18.0;

/// Draws a graph.
///
/// ```
/// use otus_draw::geometry::Size;
/// use otus_draw::layout::layered::{Edge, Options, layered};
///
/// let size = Size { width: 40.0, height: 20.0 };
/// let edge = |from, to| Edge { from, to, ..Edge::default() };
/// let layout = layered(&[size; 3], &[edge(0, 1), edge(0, 2)], &Options::default());
/// assert_eq!(layout.nodes[1].top, layout.nodes[2].top);
/// assert!(layout.nodes[1].right < layout.nodes[2].left);
/// ```
///
/// # Panics
/// If an edge names a node that does not exist.
pub fn layered(nodes: &[Size], edges: &[Edge], options: &Options) -> Layout {
    let (turned, ranks) = rank::ranks(nodes.len(), edges);
    let mut graph = ProperGraph::new(nodes, edges, &turned, &ranks, options);
    order::reduce(&mut graph);
    let across = as_tree(&graph, options.node_gap)
        .unwrap_or_else(|| place::across(&graph, options.node_gap));
    Router { nodes, edges, turned: &turned, graph: &graph, across: &across, options }.run()
}

/// A graph in which every edge goes from a layer to the next.
#[derive(Debug, Clone, Default)]
struct ProperGraph {
    /// The virtual nodes; the first ones are the nodes of the graph.
    nodes: Vec<Vertex>,
    /// For each virtual node: those in the layer before it, and in the layer after it.
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
    layers: Vec<Vec<u32>>,
    /// For each edge: its virtual nodes, from its upper end to its lower.
    chains: Vec<Chain>,
    thickness: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Vertex {
    layer: u32,
    /// The extent across the layers, before and after the middle of the node.
    extent: [f64; 2],
    is_bend: bool,
}

#[derive(Debug, Clone, Default)]
struct Chain {
    bends: Vec<u32>,
    label: Option<u32>,
    is_drawn: bool,
}

impl ProperGraph {
    fn new(
        nodes: &[Size],
        edges: &[Edge],
        turned: &[bool],
        ranks: &[u32],
        options: &Options,
    ) -> Self {
        // Labels are placed in layers of their own, between the layers of nodes.
        let labelled = edges.iter().any(|edge| edge.from != edge.to && edge.has_label());
        let scale = if labelled { 2 } else { 1 };
        let mut graph = ProperGraph::default();
        let last = ranks.iter().max().map_or(0, |&rank| rank * scale + 1);
        graph.thickness = vec![0.0; last as usize];
        for (size, rank) in nodes.iter().zip(ranks) {
            let (across, along) = options.direction.turn(*size);
            graph.add(rank * scale, [across / 2.0; 2], along, false);
        }
        let mut looping = vec![false; nodes.len()];
        for edge in edges.iter().filter(|edge| edge.from == edge.to) {
            let (across, along) = options.direction.turn(edge.label);
            let has_loop = std::mem::replace(&mut looping[edge.from], true);
            let vertex = &mut graph.nodes[edge.from];
            let room = &mut vertex.extent[options.direction.label_side()];
            *room += if has_loop { 0.0 } else { LOOP_REACH };
            *room += if edge.has_label() { across + LABEL_GAP } else { 0.0 };
            let thick = &mut graph.thickness[vertex.layer as usize];
            *thick = thick.max(along).max(4.0 * LOOP_HALF);
        }
        let drawn = within_budget(edges, ranks, scale);
        for (index, edge) in edges.iter().enumerate() {
            let is_drawn = edge.from != edge.to && drawn[index];
            let mut chain = Chain { is_drawn, ..Chain::default() };
            if is_drawn {
                let ends = edge.ends(turned[index]);
                graph.thread(edge, ends, scale, options.direction, &mut chain);
            }
            graph.chains.push(chain);
        }
        graph
    }

    fn add(&mut self, layer: u32, extent: [f64; 2], along: f64, is_bend: bool) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("fewer virtual nodes than 32 bits count");
        self.nodes.push(Vertex { layer, extent, is_bend });
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        let thick = &mut self.thickness[layer as usize];
        *thick = thick.max(along);
        id
    }

    fn thread(
        &mut self,
        edge: &Edge,
        [upper, lower]: [usize; 2],
        scale: u32,
        direction: Direction,
        chain: &mut Chain,
    ) {
        let (top, bottom) = (self.nodes[upper].layer, self.nodes[lower].layer);
        // Odd layers are those of labels. The label is placed in the odd layer in the middle.
        let middle = top + 1 + (bottom - top - 2 * (scale - 1)) / 4 * 2;
        let mut before = u32::try_from(upper).expect("nodes have 32-bit numbers");
        for layer in top + 1..bottom {
            let here = if edge.has_label() && layer == middle {
                let (across, along) = direction.turn(edge.label);
                let mut extent = [1.0; 2];
                extent[direction.label_side()] = across + LABEL_GAP;
                *chain.label.insert(self.add(layer, extent, along, true))
            } else {
                self.add(layer, [1.0; 2], 0.0, true)
            };
            self.link(before, here);
            chain.bends.push(here);
            before = here;
        }
        self.link(before, u32::try_from(lower).expect("nodes have 32-bit numbers"));
    }

    fn link(&mut self, from: u32, to: u32) {
        self.down[from as usize].push(to);
        self.up[to as usize].push(from);
    }
}

impl Direction {
    /// The extents of a rectangle of this size across and along the layers.
    fn turn(self, size: Size) -> (f64, f64) {
        match self {
            Direction::Down => (size.width, size.height),
            Direction::Right => (size.height, size.width),
        }
    }

    fn point(self, across: f64, along: f64) -> Point {
        match self {
            Direction::Down => point(across, along),
            Direction::Right => point(along, across),
        }
    }

    fn rect(self, across: [f64; 2], along: [f64; 2]) -> Rect {
        let corners = [self.point(across[0], along[0]), self.point(across[1], along[1])];
        Rect { left: corners[0].x, top: corners[0].y, right: corners[1].x, bottom: corners[1].y }
    }

    /// Labels and loops are drawn to the right of lines that go down, and above lines that go to the
    /// right.
    fn label_side(self) -> usize {
        match self {
            Direction::Down => 1,
            Direction::Right => 0,
        }
    }
}

impl Edge {
    fn has_label(&self) -> bool {
        self.label.width > 0.0 && self.label.height > 0.0
    }

    /// The upper and the lower node of the edge, given whether it is reversed.
    fn ends(&self, is_turned: bool) -> [usize; 2] {
        if is_turned { [self.to, self.from] } else { [self.from, self.to] }
    }
}

/// Places across the layers for a graph that is a tree.
fn as_tree(graph: &ProperGraph, gap: f64) -> Option<Vec<f64>> {
    let roots = graph.up.iter().filter(|up| up.is_empty()).count();
    if roots != 1 || graph.up.iter().any(|up| up.len() > 1) {
        return None;
    }
    let nodes: Vec<tree::Node> = graph
        .nodes
        .iter()
        .zip(&graph.down)
        .map(|(node, down)| tree::Node {
            extent: node.extent,
            children: down.iter().map(|&child| child as usize).collect(),
        })
        .collect();
    let root = graph.up.iter().position(Vec::is_empty)?;
    Some(tree::tree(&nodes, root, gap).into_iter().map(|place| place.x).collect())
}

/// For each edge: whether it is drawn. All edges are drawn, unless they pass too many layers in
/// total.
fn within_budget(edges: &[Edge], ranks: &[u32], scale: u32) -> Vec<bool> {
    let length = |edge: &Edge| (ranks[edge.from].abs_diff(ranks[edge.to]) * scale) as usize;
    let mut drawn = vec![true; edges.len()];
    let mut total: usize = edges.iter().map(length).sum();
    if total > VIRTUAL_NODES {
        let mut longest: Vec<usize> = (0..edges.len()).collect();
        longest.sort_by_key(|&index| std::cmp::Reverse(length(&edges[index])));
        for index in longest {
            if total <= VIRTUAL_NODES {
                break;
            }
            drawn[index] = false;
            total -= length(&edges[index]);
        }
    }
    drawn
}

/// Computes places and routes from the results of the steps.
struct Router<'a> {
    nodes: &'a [Size],
    edges: &'a [Edge],
    turned: &'a [bool],
    graph: &'a ProperGraph,
    across: &'a [f64],
    options: &'a Options,
}

impl Router<'_> {
    fn run(&self) -> Layout {
        let ports = self.ports();
        let along = self.along(&ports);
        let direction = self.options.direction;
        let nodes: Vec<Rect> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(id, size)| {
                let (wide, thick) = direction.turn(*size);
                let (x, y) = (self.across[id], self.middle(id, &along));
                direction.rect([x - wide / 2.0, x + wide / 2.0], [y - thick / 2.0, y + thick / 2.0])
            })
            .collect();
        // For each node: whether an edge ends at its upper side, and at its lower one.
        let mut lands = vec![[false; 2]; self.nodes.len()];
        for (edge, &turned) in self.edges.iter().zip(self.turned) {
            lands[edge.to][usize::from(turned)] |= edge.from != edge.to;
        }
        let mut reach = vec![0.0; self.nodes.len()];
        let routes = self
            .edges
            .iter()
            .enumerate()
            .map(|(index, edge)| {
                if edge.from == edge.to {
                    self.round(edge, &along, &mut reach[edge.from])
                } else {
                    self.route(index, &ports[index], &along, &lands)
                }
            })
            .collect();
        Layout { nodes, routes }
    }

    /// The edges between two nodes that are drawn.
    fn chains(&self) -> impl Iterator<Item = (usize, &Chain)> {
        self.graph.chains.iter().enumerate().filter(|(_, chain)| chain.is_drawn)
    }

    /// For each edge: the coordinates across the layers of its upper and its lower end.
    fn ports(&self) -> Vec<[f64; 2]> {
        let mut ports = vec![[0.0; 2]; self.edges.len()];
        // For each node: the edges at its two sides, with the coordinates that they come from.
        let mut sides: Vec<[Vec<(f64, usize)>; 2]> = vec![Default::default(); self.nodes.len()];
        for (index, chain) in self.chains() {
            let [upper, lower] = self.ends(index);
            let next = chain.bends.first().map_or(lower, |&bend| bend as usize);
            let last = chain.bends.last().map_or(upper, |&bend| bend as usize);
            sides[upper][1].push((self.across[next], index));
            sides[lower][0].push((self.across[last], index));
        }
        for (node, sides) in sides.into_iter().enumerate() {
            let (wide, _) = self.options.direction.turn(self.nodes[node]);
            for (side, mut edges) in sides.into_iter().enumerate() {
                edges.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
                let count = float(edges.len());
                let gap = PORT_GAP.min(wide * self.options.spread / count);
                for (place, (_, index)) in edges.into_iter().enumerate() {
                    let offset = (float(place) - (count - 1.0) / 2.0) * gap;
                    ports[index][1 - side] = self.across[node] + offset;
                }
            }
        }
        ports
    }

    /// For each layer: its begin and end. Edges that go far to the side get more room.
    fn along(&self, ports: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let layers = self.graph.thickness.len();
        let mut sideways = vec![0.0_f64; layers];
        for (index, chain) in self.chains() {
            let [upper, _] = self.ends(index);
            let first = self.graph.nodes[upper].layer as usize;
            let mut at = ports[index][0];
            let bends = chain.bends.iter().map(|&bend| self.across[bend as usize]);
            for (layer, next) in (first..).zip(bends.chain([ports[index][1]])) {
                sideways[layer] = sideways[layer].max((next - at).abs());
                at = next;
            }
        }
        let mut at = 0.0;
        let layers = self.graph.thickness.iter().zip(sideways);
        layers
            .map(|(&thickness, sideways)| {
                let layer = [at, at + thickness];
                at += thickness + LAYER_GAP.max((sideways * 0.14).min(LAYER_GAP * 2.5));
                layer
            })
            .collect()
    }

    fn middle(&self, node: usize, along: &[[f64; 2]]) -> f64 {
        let [begin, end] = along[self.graph.nodes[node].layer as usize];
        let (_, thick) = self.options.direction.turn(self.nodes[node]);
        if self.options.flush { begin + thick / 2.0 } else { f64::midpoint(begin, end) }
    }

    fn ends(&self, index: usize) -> [usize; 2] {
        self.edges[index].ends(self.turned[index])
    }

    fn route(
        &self,
        index: usize,
        ports: &[f64; 2],
        along: &[[f64; 2]],
        lands: &[[bool; 2]],
    ) -> Route {
        let chain = &self.graph.chains[index];
        if !chain.is_drawn {
            return Route::default();
        }
        let direction = self.options.direction;
        let [upper, lower] = self.ends(index);
        let border = |node: usize, side: f64| {
            let (_, thick) = direction.turn(self.nodes[node]);
            self.middle(node, along) + side * thick / 2.0
        };
        let layer = |node: usize| along[self.graph.nodes[node].layer as usize];
        // All edges at a side of a node bend at the same coordinate; otherwise they would cross there.
        let straight = |node: usize, side: usize| if lands[node][side] { LANDING } else { 3.0 };
        let (leave, land) = (straight(upper, 1), straight(lower, 0));
        let mut points = vec![
            direction.point(ports[0], border(upper, 1.0)),
            direction.point(ports[0], layer(upper)[1] + leave),
        ];
        for &bend in &chain.bends {
            let [begin, end] = layer(bend as usize);
            let across = self.across[bend as usize];
            points.push(direction.point(across, begin - BEND));
            points.push(direction.point(across, end + BEND));
        }
        points.push(direction.point(ports[1], layer(lower)[0] - land));
        points.push(direction.point(ports[1], border(lower, -1.0)));
        let mut points = soften(&straighten(&points), CORNER);
        if self.turned[index] {
            points.reverse();
        }
        let label = chain.label.map(|bend| {
            let bend = bend as usize;
            let [begin, end] = layer(bend);
            let (wide, thick) = direction.turn(self.edges[index].label);
            let middle = f64::midpoint(begin, end);
            let x = self.across[bend];
            let sides = if direction.label_side() == 1 {
                [x + LABEL_GAP, x + LABEL_GAP + wide]
            } else {
                [x - LABEL_GAP - wide, x - LABEL_GAP]
            };
            direction.rect(sides, [middle - thick / 2.0, middle + thick / 2.0])
        });
        Route { points, label }
    }

    /// The route of an edge from a node to itself. Several such edges of a node share the route.
    /// `reach` is the extent of the labels that were placed there before.
    fn round(&self, edge: &Edge, along: &[[f64; 2]], reach: &mut f64) -> Route {
        let direction = self.options.direction;
        let middle = self.middle(edge.from, along);
        let (wide, thick) = direction.turn(self.nodes[edge.from]);
        let sign = if direction.label_side() == 1 { 1.0 } else { -1.0 };
        let near = self.across[edge.from] + sign * wide / 2.0;
        let far = near + sign * (LOOP_REACH - 4.0);
        let half = LOOP_HALF.min(thick / 4.0);
        let points = vec![
            direction.point(near, middle - half),
            direction.point(far, middle - half * 1.8),
            direction.point(far, middle + half * 1.8),
            direction.point(near, middle + half),
        ];
        let label = edge.has_label().then(|| {
            let (label_wide, label_thick) = direction.turn(edge.label);
            let begin = *reach + LABEL_GAP;
            *reach = begin + label_wide;
            let sides = [far + sign * begin, far + sign * *reach];
            let sides = if sign > 0.0 { sides } else { [sides[1], sides[0]] };
            direction.rect(sides, [middle - label_thick / 2.0, middle + label_thick / 2.0])
        });
        Route { points, label }
    }
}

/// The polyline without points that lie on the segment between their neighbours.
fn straighten(points: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for &next in points {
        let is_near = |a: Point| (a.x - next.x).abs() < 1e-6 && (a.y - next.y).abs() < 1e-6;
        if kept.last().is_some_and(|last| is_near(*last)) {
            continue;
        }
        if let [.., a, b] = kept.as_slice() {
            let (first, second) = (*b - *a, next - *b);
            if (first.x * second.y - first.y * second.x).abs() < 1e-6 {
                kept.pop();
            }
        }
        kept.push(next);
    }
    kept
}
