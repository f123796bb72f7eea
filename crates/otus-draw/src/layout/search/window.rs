//! The part of a large search that is drawn.
//!
//! First the path to the leaf that decided the verdict, or to the node that explained most, is taken; then the
//! nodes near this path, nearest first, with equal shares for all nodes of the path. Of a path that is too
//! long, the beginning and the end are kept. Omitted nodes are counted at their parents.

use std::collections::VecDeque;

use otus_analysis::Verdict;
use otus_analysis::graph::record::Graph;

#[derive(Debug, Clone)]
pub(super) struct Window {
    pub(super) kept: Vec<bool>,
    /// For each node: whether it is on the path to the target.
    pub(super) on_path: Vec<bool>,
    /// For each node that is kept: the number of omitted nodes below it.
    pub(super) hidden: Vec<usize>,
    /// The node that decided the verdict, or explained most.
    pub(super) target: usize,
    pub(super) gap: Option<Gap>,
}

impl Window {
    /// Whether the omitted part of the path begins with a child of a node.
    fn leads_to_gap(&self, node: usize, child: usize) -> bool {
        self.on_path[child] && self.gap.is_some_and(|gap| gap.between[0] == node)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// The last node before it and the first one after it.
    pub(super) between: [usize; 2],
    /// The number of omitted nodes of the path.
    pub(super) steps: usize,
    /// The number of all omitted nodes, including those beside the path.
    pub(super) nodes: usize,
}

/// The number of children of a node that are taken in one turn.
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
            children[parent].push(node);
        }
    }
    for children in &mut children {
        children.reverse();
    }
    let target = if has_verdict { target(graph) } else { 0 };
    let mut path: Vec<usize> = std::iter::successors(Some(target), |&node| parent(node)).collect();
    path.reverse();

    let mut window = Window {
        kept: vec![false; count],
        on_path: vec![false; count],
        hidden: vec![0; count],
        target,
        gap: None,
    };
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
    // The nodes whose children are to be taken, each with the number of children that were
    // considered already.
    let mut queue: VecDeque<(usize, usize)> = kept_path.iter().rev().map(|&n| (n, 0)).collect();
    while left > 0
        && let Some((node, seen)) = queue.pop_front()
    {
        let mut taken = 0;
        let mut at = seen;
        while at < children[node].len() && taken < SHARE && left > 0 {
            let child = children[node][at];
            at += 1;
            if window.kept[child] || window.leads_to_gap(node, child) {
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
        let missing = children[node].iter().filter(|&&child| !window.kept[child]);
        let missing = missing.filter(|&&child| !window.leads_to_gap(node, child));
        window.hidden[node] = missing.map(|&child| sizes[child]).sum();
    }
    window
}

/// The quality of a node as a target: its verdict, the number of actions explained, its depth.
type Rank = (Option<Verdict>, u64, usize);

/// The first of the leaves with the best verdict; if none passes, the leaf that explained most. Without leaves, the
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
