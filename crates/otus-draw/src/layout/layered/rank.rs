//! The first step of layered drawing: removes cycles and gives each node a layer.

use super::Edge;

/// For each edge, whether it is reversed to remove cycles; and for each node, the length of the longest path to it.
///
/// The reversed edges are the back edges of a depth-first search that begins at nodes without incoming edges. So every
/// edge, reversed or not, leads to a node that the search finishes earlier.
pub(super) fn ranks(count: usize, edges: &[Edge]) -> (Vec<bool>, Vec<u32>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut entered = vec![false; count];
    for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        out[edge.from].push(index);
        entered[edge.to] = true;
    }
    let mut turned = vec![false; edges.len()];
    let mut seen = vec![Seen::No; count];
    let mut finished = Vec::with_capacity(count);
    let sources = (0..count).filter(|&node| !entered[node]);
    for root in sources.chain(0..count) {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&index) = out[*node].get(*next) else {
                seen[*node] = Seen::Done;
                finished.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            let target = edges[index].to;
            match seen[target] {
                Seen::No => {
                    seen[target] = Seen::Open;
                    stack.push((target, 0));
                }
                Seen::Open => turned[index] = true,
                Seen::Done => {}
            }
        }
    }
    for index in (0..edges.len()).filter(|&index| turned[index]) {
        out[edges[index].to].push(index);
    }
    let mut ranks = vec![0; count];
    for node in finished.into_iter().rev() {
        let ends = out[node].iter().map(|&index| edges[index].ends(turned[index]));
        for [_, lower] in ends.filter(|[upper, _]| *upper == node) {
            ranks[lower] = ranks[lower].max(ranks[node] + 1);
        }
    }
    (turned, ranks)
}
