//! Coordinates across the layers.
//!
//! Brandes and Köpf, "Fast and simple horizontal coordinate assignment" (2001): nodes are aligned
//! with a median neighbour into blocks, in four ways (down or up, from the left or from the
//! right), each is packed, and a node's place is the mean of the two median ones of the four.
//! Bends of a long edge are aligned first, so that it is straight.
//!
//! Packing differs from that of the paper, which is wrong for some inputs: here the blocks and
//! their least distances form an acyclic graph, places are the lengths of longest paths in it,
//! and blocks that can still move are moved to their right neighbour. Every packing keeps all distances, and so does
//! any order statistic of the four, hence also the result.

use rustc_hash::FxHashSet;

use super::ProperGraph;
use super::order::places;

/// For each virtual node: the coordinate of its middle.
pub(super) fn across(graph: &ProperGraph, gap: f64) -> Vec<f64> {
    if graph.nodes.is_empty() {
        return Vec::new();
    }
    let conflicts = conflicts(graph);
    let mut candidates: Vec<(Vec<f64>, bool)> = Vec::new();
    for upwards in [false, true] {
        for mirrored in [false, true] {
            let view = View::new(graph, upwards, mirrored, gap);
            let roots = view.align(&conflicts);
            let mut places = view.pack(&roots);
            if mirrored {
                for x in &mut places {
                    *x = -*x;
                }
            }
            candidates.push((places, mirrored));
        }
    }
    let bounds = |places: &[f64]| {
        let sides = places.iter().zip(&graph.nodes);
        sides.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (x, node)| {
            [low.min(x - node.extent[0]), high.max(x + node.extent[1])]
        })
    };
    let width = |places: &[f64]| bounds(places)[1] - bounds(places)[0];
    let narrowest = candidates
        .iter()
        .map(|(places, _)| places)
        .min_by(|x, y| width(x).total_cmp(&width(y)))
        .map(|places| bounds(places))
        .expect("there are four candidates");
    for (places, mirrored) in &mut candidates {
        let side = usize::from(*mirrored);
        let shift = narrowest[side] - bounds(places)[side];
        for x in places {
            *x += shift;
        }
    }
    (0..graph.nodes.len())
        .map(|node| {
            let mut four = [0, 1, 2, 3].map(|index| candidates[index].0[node]);
            four.sort_by(f64::total_cmp);
            f64::midpoint(four[1], four[2])
        })
        .collect()
}

/// Segments of short edges that cross a segment of a long one: these are not aligned.
fn conflicts(graph: &ProperGraph) -> FxHashSet<(u32, u32)> {
    let places = places(&graph.layers, graph.nodes.len());
    let mut found = FxHashSet::default();
    for pair in graph.layers.windows(2) {
        let lower = &pair[1];
        let (mut low, mut next) = (0, 0);
        for (place, &node) in lower.iter().enumerate() {
            let inner = graph.nodes[node as usize].is_bend.then(|| graph.up[node as usize].first());
            let inner = inner.flatten().filter(|&&above| graph.nodes[above as usize].is_bend);
            if inner.is_none() && place + 1 < lower.len() {
                continue;
            }
            let high = inner.map_or(u32::MAX, |&above| places[above as usize]);
            while next <= place {
                let node = lower[next];
                for &above in &graph.up[node as usize] {
                    let both =
                        graph.nodes[node as usize].is_bend && graph.nodes[above as usize].is_bend;
                    let at = places[above as usize];
                    if !both && (at < low || at > high) {
                        found.insert((above, node));
                    }
                }
                next += 1;
            }
            low = high;
        }
    }
    found
}

/// The graph as seen from one of its four corners. Brandes and Köpf align the nodes once from each corner; with
/// mirrored views, one procedure serves all four corners: it goes through the layers from top to bottom, and
/// through each layer from left to right.
struct View<'a> {
    graph: &'a ProperGraph,
    upwards: bool,
    mirrored: bool,
    gap: f64,
    layers: Vec<Vec<u32>>,
    places: Vec<u32>,
}

impl<'a> View<'a> {
    fn new(graph: &'a ProperGraph, upwards: bool, mirrored: bool, gap: f64) -> Self {
        let mut layers = graph.layers.clone();
        if upwards {
            layers.reverse();
        }
        if mirrored {
            for layer in &mut layers {
                layer.reverse();
            }
        }
        let places = places(&layers, graph.nodes.len());
        View { graph, upwards, mirrored, gap, layers, places }
    }

    /// For each virtual node: the first one of its block.
    fn align(&self, conflicts: &FxHashSet<(u32, u32)>) -> Vec<u32> {
        let graph = self.graph;
        let count = u32::try_from(graph.nodes.len()).expect("nodes have 32-bit numbers");
        let mut roots: Vec<u32> = (0..count).collect();
        let mut continued = vec![false; graph.nodes.len()];
        let mut near: Vec<u32> = Vec::new();
        for layer in &self.layers {
            // Nodes to the left of this index are aligned already.
            let mut free = 0;
            for &node in layer {
                near.clear();
                let neighbours = if self.upwards { &graph.down } else { &graph.up };
                near.extend(&neighbours[node as usize]);
                near.sort_by_key(|&other| self.places[other as usize]);
                if near.is_empty() {
                    continue;
                }
                for middle in [(near.len() - 1) / 2, near.len() / 2] {
                    let other = near[middle];
                    let pair = if self.upwards { (node, other) } else { (other, node) };
                    let place = self.places[other as usize];
                    if place >= free && !continued[other as usize] && !conflicts.contains(&pair) {
                        continued[other as usize] = true;
                        roots[node as usize] = roots[other as usize];
                        free = place + 1;
                        break;
                    }
                }
            }
        }
        roots
    }

    /// Coordinates that keep all distances, equal for all nodes of a block.
    fn pack(&self, roots: &[u32]) -> Vec<f64> {
        let count = self.graph.nodes.len();
        let mut after: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let mut waiting = vec![0_u32; count];
        for layer in &self.layers {
            for pair in layer.windows(2) {
                let [left, right] = [pair[0] as usize, pair[1] as usize];
                let (after_left, before_right) = if self.mirrored { (0, 1) } else { (1, 0) };
                let distance = self.graph.nodes[left].extent[after_left]
                    + self.gap_between(left, right)
                    + self.graph.nodes[right].extent[before_right];
                after[roots[left] as usize].push((roots[right], distance));
                waiting[roots[right] as usize] += 1;
            }
        }
        let mut places = vec![0.0_f64; count];
        let mut order: Vec<u32> = Vec::with_capacity(count);
        order.extend((0..).zip(roots).filter(|&(node, &root)| node == root).map(|(node, _)| node));
        order.retain(|&root| waiting[root as usize] == 0);
        let mut at = 0;
        while let Some(&block) = order.get(at) {
            at += 1;
            for &(next, distance) in &after[block as usize] {
                let place = places[block as usize] + distance;
                places[next as usize] = places[next as usize].max(place);
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        for &block in order.iter().rev() {
            let rooms = after[block as usize].iter();
            let room = rooms.map(|&(next, distance)| places[next as usize] - distance);
            if let Some(room) = room.reduce(f64::min) {
                places[block as usize] = places[block as usize].max(room);
            }
        }
        roots.iter().map(|&root| places[root as usize]).collect()
    }

    /// The minimum gap between two nodes. Bends of edges may be closer to each other than nodes.
    fn gap_between(&self, left: usize, right: usize) -> f64 {
        let bends = [left, right].iter().filter(|&&node| self.graph.nodes[node].is_bend).count();
        match bends {
            0 => self.gap,
            1 => self.gap * 0.75,
            _ => self.gap * 0.5,
        }
    }
}
