//! Finds a short cycle of edges, as an error message for a relation that is no order.
//!
//! When no process can proceed, each remaining process waits for an event of another remaining one.
//! Following these waits leads into a cycle, which may be long. To find a shorter one, edges are
//! tried one by one with a breadth-first search from the target of the edge to its source. Only the
//! earliest event reached on a process matters, because all later ones follow it, so a search
//! visits each edge at most once. The shortest cycle is found unless the searches exceed [`WORK`].

use super::{Edge, EventId, process_of};

/// The maximum number of edges that the search for the shortest cycle visits.
const WORK: usize = 4_000_000;

/// The events of a cycle in order: the source and the target of each edge. If an edge begins where
/// the last one ends, that event is listed once. `stuck` has the first event of each process that
/// can never happen.
pub(super) fn find(starts: &[u32], edges: &[Edge], stuck: &[u32]) -> Vec<EventId> {
    // Events that can happen are on no cycle.
    let can_happen = |event: EventId| event.0 < stuck[process_of(starts, event).0 as usize];
    let left: Vec<Edge> = edges.iter().copied().filter(|edge| !can_happen(edge.from)).collect();
    let mut out = Outgoing::new(starts, &left);
    let mut best: Vec<Edge> = waits(starts, &left, stuck);
    let tries = (WORK / left.len().max(1)).max(1);
    for &start in left.iter().take(tries) {
        if best.len() <= 2 {
            break;
        }
        if let Some(found) = out.shortest_through(start, best.len() - 1) {
            best = found;
        }
    }
    let mut events = Vec::new();
    for edge in best {
        for event in [edge.from, edge.to] {
            if events.last() != Some(&event) {
                events.push(event);
            }
        }
    }
    if events.len() > 1 && events.first() == events.last() {
        events.pop();
    }
    events
}

/// The cycle that is found by following, from each process, the edge that its first stuck event
/// waits for.
fn waits(starts: &[u32], left: &[Edge], stuck: &[u32]) -> Vec<Edge> {
    // For each process: the edge for which its next event waits.
    let blocked: Vec<Option<Edge>> = stuck
        .iter()
        .zip(&starts[1..])
        .map(|(&next, &end)| {
            let at = left.partition_point(|edge| edge.to.0 < next);
            left.get(at).copied().filter(|edge| edge.to.0 == next && next < end)
        })
        .collect();
    let Some(mut process) = blocked.iter().position(Option::is_some) else { return Vec::new() };
    let mut seen = vec![None; blocked.len()];
    let mut path: Vec<Edge> = Vec::new();
    loop {
        if let Some(start) = seen[process] {
            // The path was followed from targets to sources, so it is reversed.
            path.drain(..start);
            path.reverse();
            return path;
        }
        seen[process] = Some(path.len());
        let Some(edge) = blocked[process] else { return Vec::new() };
        path.push(edge);
        process = process_of(starts, edge.from).0 as usize;
    }
}

/// The remaining edges by the process of their source, in order.
struct Outgoing<'s> {
    starts: &'s [u32],
    by_process: Vec<Vec<Edge>>,
    /// For each process: the edge to the earliest event that was reached.
    reached: Vec<Option<Edge>>,
}

impl<'s> Outgoing<'s> {
    fn new(starts: &'s [u32], left: &[Edge]) -> Self {
        let mut by_process: Vec<Vec<Edge>> = vec![Vec::new(); starts.len() - 1];
        for edge in left {
            by_process[process_of(starts, edge.from).0 as usize].push(*edge);
        }
        for list in &mut by_process {
            list.sort_unstable_by_key(|edge| (edge.from, edge.to));
        }
        Outgoing { starts, reached: vec![None; by_process.len()], by_process }
    }

    /// A shortest cycle through an edge, if it has at most `most` edges.
    fn shortest_through(&mut self, start: Edge, most: usize) -> Option<Vec<Edge>> {
        let process = |event: EventId| process_of(self.starts, event).0 as usize;
        self.reached.fill(None);
        // The search tree: an edge to an event, and the index of the edge before it.
        let mut found: Vec<(Edge, usize)> = vec![(start, usize::MAX)];
        self.reached[process(start.to)] = Some(start);
        // For each process: the number of its edges that have not been followed; the last ones come
        // first.
        let mut followed: Vec<usize> = self.by_process.iter().map(Vec::len).collect();
        let mut layer = 0..1;
        for _ in 1..most {
            for at in layer.clone() {
                let (here, _) = found[at];
                let own = process(here.to);
                while let Some(&edge) =
                    followed[own].checked_sub(1).and_then(|last| self.by_process[own].get(last))
                {
                    if edge.from < here.to {
                        break;
                    }
                    followed[own] -= 1;
                    let there = process(edge.to);
                    if self.reached[there].is_some_and(|known| known.to <= edge.to) {
                        continue;
                    }
                    self.reached[there] = Some(edge);
                    found.push((edge, at));
                    if there == process(start.from) && edge.to <= start.from {
                        return Some(path(&found));
                    }
                }
            }
            layer = layer.end..found.len();
        }
        None
    }
}

/// The path to the edge that was found last.
fn path(found: &[(Edge, usize)]) -> Vec<Edge> {
    let mut path = Vec::new();
    let mut at = found.len() - 1;
    while let Some(&(edge, before)) = found.get(at) {
        path.push(edge);
        at = before;
    }
    path.reverse();
    path
}
