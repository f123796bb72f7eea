//! The order of nodes within layers, with few crossings.
//!
//! The first order is that of a depth-first search, in which trees have no crossing and keep the
//! order of their children. If there are crossings, sweeps down and up sort each layer by the
//! barycentres of its neighbours (Sugiyama et al. 1981), and in small graphs adjacent nodes are exchanged
//! if that removes crossings (Gansner et al., "A technique for drawing directed graphs", 1993).
//! The best order is kept, the earliest of several equally good ones. Crossings are counted
//! with a Fenwick tree (Barth, Jünger and Mutzel, "Simple and efficient bilayer cross counting",
//! 2004).

use super::ProperGraph;

/// The number of sweeps down and up; large graphs have fewer.
const ROUNDS: usize = 24;
const ROUNDS_LARGE: usize = 6;
/// The number of nodes from which a graph is large.
const LARGE: usize = 4_000;

pub(super) fn reduce(graph: &mut ProperGraph) {
    graph.layers = first(graph);
    let mut places = places(&graph.layers, graph.nodes.len());
    let mut fewest = crossings(graph, &places);
    if fewest == 0 {
        return;
    }
    let large = graph.nodes.len() > LARGE;
    let mut best = graph.layers.clone();
    for round in 0..if large { ROUNDS_LARGE } else { ROUNDS } {
        let count = graph.layers.len();
        if round % 2 == 0 {
            (1..count).for_each(|layer| sort(graph, &mut places, layer, true));
        } else {
            (0..count - 1).rev().for_each(|layer| sort(graph, &mut places, layer, false));
        }
        if !large {
            exchange(graph, &mut places);
        }
        let now = crossings(graph, &places);
        if now < fewest {
            fewest = now;
            best.clone_from(&graph.layers);
        }
        if fewest == 0 {
            break;
        }
    }
    graph.layers = best;
}

/// The order in which a depth-first search meets nodes.
fn first(graph: &ProperGraph) -> Vec<Vec<u32>> {
    let last = graph.nodes.iter().map(|node| node.layer).max();
    let mut layers = vec![Vec::new(); last.map_or(0, |last| last as usize + 1)];
    let mut met = vec![false; graph.nodes.len()];
    for root in (0..graph.nodes.len()).filter(|&node| graph.up[node].is_empty()) {
        let mut stack = vec![u32::try_from(root).expect("nodes have 32-bit numbers")];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut met[node as usize], true) {
                continue;
            }
            layers[graph.nodes[node as usize].layer as usize].push(node);
            stack.extend(graph.down[node as usize].iter().rev());
        }
    }
    layers
}

/// For each virtual node: its index in its layer.
pub(super) fn places(layers: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut places = vec![0; count];
    for layer in layers {
        for (place, &node) in (0..).zip(layer) {
            places[node as usize] = place;
        }
    }
    places
}

/// Sorts a layer by the barycentres of neighbours in the layer above, or below. Nodes without neighbours
/// keep their places.
fn sort(graph: &mut ProperGraph, places: &mut [u32], layer: usize, above: bool) {
    let neighbours = if above { &graph.up } else { &graph.down };
    let center = |node: u32| {
        let near = &neighbours[node as usize];
        if near.is_empty() {
            return f64::from(places[node as usize]);
        }
        let sum: f64 = near.iter().map(|&other| f64::from(places[other as usize])).sum();
        sum / f64::from(u32::try_from(near.len()).unwrap_or(u32::MAX))
    };
    let mut keyed: Vec<(f64, u32)> =
        graph.layers[layer].iter().map(|&node| (center(node), node)).collect();
    keyed.sort_by(|x, y| x.0.total_cmp(&y.0));
    for (place, (_, node)) in keyed.into_iter().enumerate() {
        graph.layers[layer][place] = node;
        places[node as usize] = u32::try_from(place).expect("layers have 32-bit places");
    }
}

/// Exchanges adjacent nodes of a layer as long as that removes crossings, a few times.
fn exchange(graph: &mut ProperGraph, places: &mut [u32]) {
    for _ in 0..4 {
        let mut better = false;
        for layer in 0..graph.layers.len() {
            for place in 1..graph.layers[layer].len() {
                let [left, right] = [place - 1, place].map(|at| graph.layers[layer][at] as usize);
                let crossed = |left: usize, right: usize| {
                    pairs(&graph.up[left], &graph.up[right], places)
                        + pairs(&graph.down[left], &graph.down[right], places)
                };
                if crossed(right, left) < crossed(left, right) {
                    graph.layers[layer].swap(place - 1, place);
                    places.swap(left, right);
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
}

/// The number of crossings if one node is placed left of another, given their neighbours in one
/// layer.
fn pairs(left: &[u32], right: &[u32], places: &[u32]) -> usize {
    let crossed = |&&from: &&u32| {
        let before = right.iter().filter(|&&to| places[to as usize] < places[from as usize]);
        before.count()
    };
    left.iter().map(|from| crossed(&from)).sum()
}

fn crossings(graph: &ProperGraph, places: &[u32]) -> u64 {
    let mut total = 0;
    for pair in graph.layers.windows(2) {
        let [upper, lower] = pair else { continue };
        let mut tree = vec![0_u64; lower.len() + 1];
        let mut seen = 0;
        let mut ends: Vec<u32> = Vec::new();
        for &node in upper {
            ends.clear();
            ends.extend(graph.down[node as usize].iter().map(|&to| places[to as usize]));
            ends.sort_unstable();
            for &end in &ends {
                let mut at = end as usize + 1;
                let mut before = 0;
                while at > 0 {
                    before += tree[at];
                    at &= at - 1;
                }
                total += seen - before;
            }
            for &end in &ends {
                let mut at = end as usize + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
                seen += 1;
            }
        }
    }
    total
}
