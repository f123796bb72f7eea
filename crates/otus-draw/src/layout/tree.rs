//! Tidy drawings of ordered trees: parents above the middle of their children, equal sub-trees
//! drawn alike, as narrow as that allows.
//!
//! The criteria are those of Reingold and Tilford ("Tidier drawings of trees", 1981), for nodes of any size.
//! Each sub-tree has an outline, deepest level first, and sub-trees are moved together as far as
//! their outlines allow. Small sub-trees between large ones are spread evenly (Walker, 1990):
//! children are packed once to the left and once to the right, and placed at the mean of both.
//! Both packings keep all distances, so their mean does too.
//!
//! Comparing two outlines costs the depth of the lower one, and the outline of the deepest child
//! is reused for its parent, so the algorithm is linear in the number of nodes.

/// A node.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// The extent of the node to the left and to the right of its middle.
    pub extent: [f64; 2],
    /// The numbers of the node's children, left to right.
    pub children: Vec<usize>,
}

/// The place of a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TreePlace {
    /// The x coordinate of the middle of the node; that of the root is 0.
    pub x: f64,
    /// The level of the node: its distance from the root.
    pub level: usize,
}

/// Places the nodes of a tree. Nodes that are not reachable from the root get the place of the
/// root.
///
/// ```
/// use otus_draw::layout::tree::{Node, tree};
///
/// let leaf = Node { extent: [10.0, 10.0], children: Vec::new() };
/// let root = Node { extent: [10.0, 10.0], children: vec![1, 2] };
/// let places = tree(&[root, leaf.clone(), leaf], 0, 5.0);
/// assert_eq!([places[1].x, places[2].x], [-12.5, 12.5]);
/// ```
///
/// # Panics
/// If a child does not exist, or is a child of two nodes.
pub fn tree(nodes: &[Node], root: usize, gap: f64) -> Vec<TreePlace> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        order.push(node);
        stack.extend(nodes[node].children.iter().rev());
        assert!(order.len() <= nodes.len(), "every node is a child of at most one");
    }
    // For each node: its offset from its parent, and its outline until the parent takes it.
    let mut offsets = vec![0.0; nodes.len()];
    let mut outlines: Vec<Option<Outline>> = vec![None; nodes.len()];
    for &node in order.iter().rev() {
        let taken: Vec<Outline> = nodes[node]
            .children
            .iter()
            .map(|&child| outlines[child].take().expect("children come before their parent"))
            .collect();
        let (shifts, outline) = join(taken, nodes[node].extent, gap);
        for (&child, shift) in nodes[node].children.iter().zip(shifts) {
            offsets[child] = shift;
        }
        outlines[node] = Some(outline);
    }
    let mut places = vec![TreePlace::default(); nodes.len()];
    for &node in &order {
        let TreePlace { x, level } = places[node];
        for &child in &nodes[node].children {
            places[child] = TreePlace { x: x + offsets[child], level: level + 1 };
        }
    }
    places
}

/// The extents of a sub-tree on each of its levels, relative to its root, deepest level first.
#[derive(Debug, Clone)]
struct Outline {
    levels: Vec<[f64; 2]>,
    /// An offset of all extents.
    shift: f64,
}

impl Outline {
    fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The extent of the outline on a level, counted from the root of the tree.
    fn side(&self, level: usize, side: usize) -> f64 {
        self.levels[self.levels.len() - 1 - level][side] + self.shift
    }
}

/// The offsets of children from their parent, and the outline of the whole subtree.
fn join(children: Vec<Outline>, extent: [f64; 2], gap: f64) -> (Vec<f64>, Outline) {
    let own = [-extent[0], extent[1]];
    if children.is_empty() {
        return (Vec::new(), Outline { levels: vec![own], shift: 0.0 });
    }
    let shifts = spread(&children, gap);
    // Each level of the outline belongs to the first and to the last child that reaches it.
    let mut deepest = 0;
    let mut second = 0;
    for (index, child) in children.iter().enumerate() {
        if child.depth() > children[deepest].depth() {
            second = children[deepest].depth();
            deepest = index;
        } else if index != deepest {
            second = second.max(child.depth());
        }
    }
    let mut levels = Vec::with_capacity(second);
    let (mut first, mut last) = (0, children.len() - 1);
    for level in 0..second {
        while children[first].depth() <= level {
            first += 1;
        }
        while children[last].depth() <= level {
            last -= 1;
        }
        levels.push([
            children[first].side(level, 0) + shifts[first],
            children[last].side(level, 1) + shifts[last],
        ]);
    }
    let mut outline = children.into_iter().nth(deepest).expect("the deepest child is one of them");
    outline.shift += shifts[deepest];
    let depth = outline.depth();
    for (level, sides) in levels.into_iter().enumerate() {
        outline.levels[depth - 1 - level] = sides.map(|side| side - outline.shift);
    }
    outline.levels.push(own.map(|side| side - outline.shift));
    (shifts, outline)
}

/// The offsets of children from the middle between the first and the last.
fn spread(children: &[Outline], gap: f64) -> Vec<f64> {
    let count = children.len();
    let left = pack(children, &(0..count).collect::<Vec<_>>(), 1, gap);
    let right = pack(children, &(0..count).rev().collect::<Vec<_>>(), 0, gap);
    let last = left[count - 1];
    let middle = last / 2.0;
    (0..count).map(|child| f64::midpoint(left[child], last + right[child]) - middle).collect()
}

/// Places children one after the other, as close as their outlines allow. `side` is the side of the
/// placed children that faces the next one.
fn pack(children: &[Outline], order: &[usize], side: usize, gap: f64) -> Vec<f64> {
    let sign = if side == 1 { 1.0 } else { -1.0 };
    let mut at = vec![0.0; children.len()];
    // The placed children whose outlines face the next child; the least deep one is last.
    let mut seen: Vec<usize> = Vec::new();
    for (rank, &child) in order.iter().enumerate() {
        let mut place = f64::NEG_INFINITY;
        let mut level = 0;
        for &other in seen.iter().rev() {
            while level < children[other].depth().min(children[child].depth()) {
                let reach = at[other] + children[other].side(level, side);
                let needed = reach * sign + gap - children[child].side(level, 1 - side) * sign;
                place = place.max(needed);
                level += 1;
            }
        }
        at[child] = if rank == 0 { 0.0 } else { place * sign };
        while seen.last().is_some_and(|&top| children[top].depth() <= children[child].depth()) {
            seen.pop();
        }
        seen.push(child);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize, seed: u64) -> Vec<Node> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut nodes = vec![Node::default(); count];
        for node in 1..count {
            let parent = random.usize(node.saturating_sub(8)..node);
            nodes[parent].children.push(node);
        }
        for node in &mut nodes {
            node.extent = [random.f64() * 30.0, random.f64() * 30.0];
        }
        nodes
    }

    #[test]
    fn no_two_nodes_of_a_level_are_too_near() {
        for seed in 0..200 {
            let nodes = random(60, seed);
            let places = tree(&nodes, 0, 4.0);
            let mut order: Vec<usize> = (0..nodes.len()).collect();
            order.sort_by(|&a, &b| {
                let key = |n: usize| (places[n].level, places[n].x);
                key(a).partial_cmp(&key(b)).unwrap()
            });
            for pair in order.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                if places[a].level == places[b].level {
                    let room = places[b].x - places[a].x - nodes[a].extent[1] - nodes[b].extent[0];
                    assert!(room >= 4.0 - 1e-9, "seed {seed}: {a} and {b}: {room}");
                }
            }
            for (parent, node) in nodes.iter().enumerate() {
                if let [first, .., last] = node.children.as_slice() {
                    let middle = f64::midpoint(places[*first].x, places[*last].x);
                    assert!((places[parent].x - middle).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn small_trees_stand_in_the_middle_of_large_ones() {
        let leaf = |children: &[usize]| Node { extent: [5.0; 2], children: children.to_vec() };
        // Two wide sub-trees with two leaves between them.
        let mut nodes = vec![leaf(&[1, 2, 3, 4]), leaf(&[5, 6, 7, 8]), leaf(&[]), leaf(&[])];
        nodes.push(leaf(&[9, 10, 11, 12]));
        nodes.extend((0..8).map(|_| leaf(&[])));
        let places = tree(&nodes, 0, 2.0);
        assert!((places[2].x + places[3].x).abs() < 1e-9);
        assert!((places[3].x - places[2].x - 12.0).abs() < 12.0);
    }

    #[test]
    fn depth_is_not_ours() {
        let count = 200_000;
        let mut nodes = vec![Node { extent: [1.0; 2], children: Vec::new() }; count];
        // A comb: every other node has a leaf beside the way down.
        for node in (0..count - 2).step_by(2) {
            nodes[node].children = vec![node + 1, node + 2];
        }
        assert_eq!(tree(&nodes, 0, 1.0)[count - 2].level, count / 2 - 1);
    }
}
