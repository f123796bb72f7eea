//! Which part of a large search is drawn.
//!
//! First the path to the leaf that decided, or to the node that came furthest; then what is near
//! it, nearest first, in equal shares. Of a path that is too long the beginning and the end are
//! kept. What is left out is counted where it hangs.

use std::collections::VecDeque;

use otus_analysis::Verdict;
use otus_analysis::graph::record::Graph;

/// What is drawn of a graph.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// By node.
    pub(super) kept: Vec<bool>,
    /// By node: whether it is on the path to the one that decided.
    pub(super) on_path: Vec<bool>,
    /// By node that is kept: how many nodes below it are not.
    pub(super) hidden: Vec<usize>,
    /// The node that decided, or came furthest.
    pub(super) target: usize,
    /// What is left out of the path.
    pub(super) gap: Option<Gap>,
}

/// A part of the path that is left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// The last node before it and the first one after it.
    pub(super) between: [usize; 2],
    /// How many nodes of the path are left out.
    pub(super) steps: usize,
    /// How many nodes in all.
    pub(super) nodes: usize,
}

/// How many children of a node are taken before others have their turn.
const SHARE: usize = 6;

pub(super) fn window(graph: &Graph, has_verdict: bool, most: usize) -> Window {
    let count = graph.nodes.len();
    let most = most.max(3);
    let parent = |node: usize| graph.nodes[node].parent.map(|(parent, _)| parent.0 as usize);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut sizes = vec![1; count];
    for node in (1..count).rev() {
        if let Some(parent) = parent(node) {
            sizes[parent] += sizes[node];
        }
    }
    for node in 1..count {
        if let Some(parent) = parent(node) {
            children[parent].push(node);
        }
    }
    let target = if has_verdict { target(graph) } else { 0 };
    let mut path = vec![target];
    while let Some(above) = path.last().and_then(|&node| parent(node)) {
        path.push(above);
    }
    path.reverse();

    let mut window = Window { kept: vec![false; count], target, ..Window::default() };
    window.on_path = vec![false; count];
    window.hidden = vec![0; count];
    if has_verdict {
        for &node in &path {
            window.on_path[node] = true;
        }
    }
    let kept_path: Vec<usize> = if path.len() <= most {
        path
    } else {
        let (first, last) = (most / 3, most - most / 3);
        let (begin, end) = (first - 1, path.len() - last);
        window.gap = Some(Gap {
            between: [path[begin], path[end]],
            steps: end - begin - 1,
            nodes: sizes[path[begin + 1]] - sizes[path[end]],
        });
        path[..first].iter().chain(&path[end..]).copied().collect()
    };
    for &node in &kept_path {
        window.kept[node] = true;
    }
    let mut left = most - kept_path.len();
    // With how many of its children were looked at.
    let mut queue: VecDeque<(usize, usize)> = kept_path.iter().rev().map(|&n| (n, 0)).collect();
    while left > 0
        && let Some((node, seen)) = queue.pop_front()
    {
        let mut taken = 0;
        let mut at = seen;
        let missing = window.gap.filter(|gap| gap.between[0] == node).map(|gap| gap.between[1]);
        while at < children[node].len() && taken < SHARE && left > 0 {
            let child = children[node][at];
            at += 1;
            let leads_to_gap = missing.is_some() && window.on_path[child];
            if window.kept[child] || leads_to_gap {
                continue;
            }
            window.kept[child] = true;
            queue.push_back((child, 0));
            taken += 1;
            left -= 1;
        }
        if at < children[node].len() {
            queue.push_back((node, at));
        }
    }
    for node in (0..count).filter(|&node| window.kept[node]) {
        let skips = window.gap.is_some_and(|gap| gap.between[0] == node);
        let missing = children[node].iter().filter(|&&child| !window.kept[child]);
        let missing = missing.filter(|&&child| !(skips && window.on_path[child]));
        window.hidden[node] = missing.map(|&child| sizes[child]).sum();
    }
    window
}

/// How good a node is as a target: its verdict, how much it explained, how far it is.
type Rank = (Option<Verdict>, u64, usize);

/// The first of the best leaves; if none is good, the one that explained most. Without a leaf the
/// node that explained most.
fn target(graph: &Graph) -> usize {
    let mut depths = vec![0_usize; graph.nodes.len()];
    let mut best: Option<(Rank, usize)> = None;
    for (index, node) in graph.nodes.iter().enumerate() {
        if let Some((parent, _)) = node.parent {
            depths[index] = depths[parent.0 as usize] + 1;
        }
        let verdict = node.leaf.map(|leaf| leaf.verdict);
        let consumed: u64 = node.state.consumed.iter().map(|&n| u64::from(n)).sum();
        let far =
            if verdict >= Some(Verdict::WeakPass) { (0, 0) } else { (consumed, depths[index]) };
        let key = (verdict, far.0, far.1);
        if best.is_none_or(|(known, _)| key > known) {
            best = Some((key, index));
        }
    }
    best.map_or(0, |(_, index)| index)
}
