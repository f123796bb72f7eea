//! The layer of each node.

use super::Edge;

/// By edge: whether it is reversed to remove cycles. Those are the back edges of a
/// depth-first search that begins at nodes without incoming edges.
pub(super) fn turned(count: usize, edges: &[Edge]) -> Vec<bool> {
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
    turned
}

/// By node: the length of the longest path to it.
pub(super) fn ranks(count: usize, edges: &[Edge], turned: &[bool]) -> Vec<u32> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waiting = vec![0_usize; count];
    for (edge, &turned) in edges.iter().zip(turned).filter(|(edge, _)| edge.from != edge.to) {
        let (from, to) = if turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
        out[from].push(to);
        waiting[to] += 1;
    }
    let mut ranks = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&node| waiting[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in &out[node] {
            ranks[next] = ranks[next].max(ranks[node] + 1);
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
    }
    ranks
}
