//! Counts the choices that were made, iteration by iteration, from the positions of events.
//!
//! The whole execution and every iteration of a loop is a derivation of its own: it covers the
//! loop's body down to the inner loops, whose iterations are other derivations. Nodes with an event
//! are found by going up from the events of the iteration; skipped nodes by going down from its
//! root along the taken branches. Nodes without choices are not visited.

use otus_core::LifelineSet;

use super::Count;
use super::replay::Run;
use super::tree::{NodeKind, Tree};

/// Tables that are kept from run to run, so that they need not be cleared for each run.
#[derive(Debug)]
pub(super) struct Scratch {
    derivations: u64,
    /// For each node: its mark in the last derivation that had an event in it.
    marks: Vec<Mark>,
    /// For each part: the counts of the current run.
    counts: Vec<Count>,
    /// The parts with a count in the current run.
    touched: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    derivation: u64,
    observed: bool,
    /// For a loop: its iterations, and those in which nothing was observed.
    iterations: u64,
    assumed: u64,
}

impl Scratch {
    pub(super) fn new(tree: &Tree) -> Scratch {
        Scratch {
            derivations: 0,
            marks: vec![Mark::default(); tree.len()],
            counts: vec![Count::default(); tree.parts().len()],
            touched: Vec::new(),
        }
    }

    /// The count of a part in the current run.
    fn part(&mut self, part: u32) -> &mut Count {
        let count = &mut self.counts[part as usize];
        if *count == Count::default() {
            self.touched.push(part);
        }
        count
    }
}

/// The counts that a run adds, by part.
pub(super) fn counts(
    scratch: &mut Scratch,
    tree: &Tree,
    run: &Run,
    seen: &LifelineSet,
) -> Box<[(u32, Count)]> {
    let mut tally = Tally { scratch, tree, ends: run.ends, seen };
    for event in &run.events {
        tally.count(tree.node(event.node).part, event.observed);
    }
    for iteration in &run.iterations {
        tally.count(iteration.node.and_then(|at| tree.node(at).part), iteration.observed);
    }
    for inside in by_iteration(run) {
        tally.scratch.derivations += 1;
        for &(node, observed, is_loop) in &inside.nodes {
            tally.mark(node, observed, is_loop, inside.root);
        }
        tally.derive(inside.root);
    }
    let Scratch { counts, touched, .. } = scratch;
    let all = touched.drain(..).map(|part| (part, std::mem::take(&mut counts[part as usize])));
    all.filter(|(_, count)| *count != Count::default()).collect()
}

/// The events and inner iterations of an iteration, without those inside inner iterations.
struct Inside {
    root: u32,
    /// The events and inner iterations: the node of each, whether it was observed, and whether the
    /// node is a loop.
    nodes: Vec<(u32, bool, bool)>,
}

fn by_iteration(run: &Run) -> Vec<Inside> {
    let roots = run.iterations.iter().map(|iteration| iteration.node.map_or(0, Tree::left));
    let mut all: Vec<Inside> = roots.map(|root| Inside { root, nodes: Vec::new() }).collect();
    for event in &run.events {
        all[event.iteration as usize].nodes.push((event.node, event.observed, false));
    }
    for iteration in &run.iterations {
        if let Some(node) = iteration.node {
            all[iteration.parent as usize].nodes.push((node, iteration.observed, true));
        }
    }
    all
}

struct Tally<'a> {
    scratch: &'a mut Scratch,
    tree: &'a Tree,
    ends: bool,
    seen: &'a LifelineSet,
}

impl Tally<'_> {
    fn count(&mut self, part: Option<u32>, observed: bool) {
        let Some(part) = part else { return };
        let count = self.scratch.part(part);
        if observed {
            count.observed += 1;
            count.groups = 1;
        } else {
            count.assumed += 1;
        }
    }

    /// Marks a node in which something happened, and all nodes above it up to the root of its
    /// derivation.
    fn mark(&mut self, node: u32, observed: bool, is_loop: bool, root: u32) {
        let derivation = self.scratch.derivations;
        let mut at = node;
        loop {
            let mark = &mut self.scratch.marks[at as usize];
            let is_known = mark.derivation == derivation && (mark.observed || !observed);
            if mark.derivation != derivation {
                *mark = Mark { derivation, ..Mark::default() };
            }
            mark.observed |= observed;
            if at == node && is_loop {
                mark.iterations += 1;
                mark.assumed += u64::from(!observed);
            }
            if at == root || is_known {
                return;
            }
            at = self.tree.node(at).parent;
        }
    }

    fn marked(&self, node: u32) -> Option<Mark> {
        let mark = self.scratch.marks[node as usize];
        (mark.derivation == self.scratch.derivations).then_some(mark)
    }

    /// Counts the choices of a derivation.
    fn derive(&mut self, root: u32) {
        let tree = self.tree;
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            let node = tree.node(at);
            if !node.has_choices {
                continue;
            }
            match node.kind {
                NodeKind::Empty | NodeKind::Event(_) => {}
                NodeKind::Both => pending.extend([tree.right(at), Tree::left(at)]),
                NodeKind::Alt(otherwise) => {
                    let taken = tree.branches(at).find(|&branch| self.marked(branch).is_some());
                    let (branch, observed) = match taken {
                        Some(branch) => {
                            (branch, self.marked(branch).is_some_and(|mark| mark.observed))
                        }
                        None if !self.ends => continue,
                        None => {
                            let Some(branch) = otherwise else { continue };
                            (branch, node.lifelines.is_subset(self.seen))
                        }
                    };
                    self.count(tree.node(branch).branch, observed);
                    pending.push(branch);
                }
                NodeKind::Loop if self.ends => self.leave(at),
                NodeKind::Loop => self.most(at),
            }
        }
    }

    /// Counts that a loop is left.
    fn leave(&mut self, at: u32) {
        self.most(at);
        let node = self.tree.node(at);
        let Some(part) = node.part else { return };
        let Mark { iterations, assumed, .. } = self.marked(at).unwrap_or_default();
        let exits = &mut self.scratch.part(part).exits;
        if assumed > 0 || !node.lifelines.is_subset(self.seen) {
            exits.assumed += 1;
            return;
        }
        match iterations {
            0 => exits.zero += 1,
            1 => exits.one += 1,
            _ => exits.more += 1,
        }
    }

    /// Updates the maximum number of observed iterations of a loop.
    fn most(&mut self, at: u32) {
        let (Some(part), Some(mark)) = (self.tree.node(at).part, self.marked(at)) else { return };
        let exits = &mut self.scratch.part(part).exits;
        exits.most = exits.most.max(mark.iterations - mark.assumed);
    }
}
