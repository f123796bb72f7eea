//! An interval sharing tree as a graph, to be drawn as in Figure 2 of paper 001.

use otus_core::budget::Stop;
use otus_trace::order::ProcessId;
use rustc_hash::FxHashMap;

use super::fixpoint;
use super::tree::{END, Ist};
use crate::check::{Checker, Options};
use crate::formula::FormulaId;
use crate::view::Arrangement;

/// A sharing tree: paths from the root to the end are boxes of cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharingTree {
    /// For each layer: its process.
    pub processes: Vec<ProcessId>,
    /// The nodes between the root and the end, layer by layer.
    pub nodes: Vec<TreeNode>,
    /// The nodes below the root.
    pub roots: Vec<usize>,
}

/// A node of a sharing tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// The layer of the node, from 0.
    pub layer: usize,
    /// The least and the greatest number of events of the layer's process.
    pub range: (i64, i64),
    /// The nodes below it; none in the last layer, whose nodes lead to the end.
    pub below: Vec<usize>,
}

impl Checker<'_> {
    /// The sharing tree of the cuts at which a formula holds. Its layers are the processes with events, in the order
    /// of the trace.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn sharing_tree(
        &mut self,
        formula: FormulaId,
        options: &Options,
    ) -> Result<SharingTree, Stop> {
        let atoms = self.atoms(formula);
        self.prepare(&atoms, &options.budget)?;
        let options = &Options { arrangement: Arrangement::Given, ..options.clone() };
        let view = self.whole_view(options)?;
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let mut evaluation = fixpoint::Evaluation::new(problem, options.closure, &options.budget)?;
        let root = evaluation.set(formula)?;
        let trees = &evaluation.trees;
        let mut graph =
            SharingTree { processes: view.processes.clone(), nodes: Vec::new(), roots: Vec::new() };
        // Nodes with the same layer, label and successors are one node.
        let mut numbers: FxHashMap<(usize, i64, i64, Ist), usize> = FxHashMap::default();
        let mut layer = vec![(None, root)];
        for depth in 0..view.processes.len() {
            let mut next = Vec::new();
            for (parent, list) in layer {
                for node in trees.list(list) {
                    let key = (depth, node.low, node.high, node.below);
                    let number = *numbers.entry(key).or_insert_with(|| {
                        let range = (node.low, node.high);
                        graph.nodes.push(TreeNode { layer: depth, range, below: Vec::new() });
                        let number = graph.nodes.len() - 1;
                        if node.below != END {
                            next.push((Some(number), node.below));
                        }
                        number
                    });
                    match parent {
                        None => graph.roots.push(number),
                        Some(parent) => {
                            let parent: &mut TreeNode = &mut graph.nodes[parent];
                            parent.below.push(number);
                        }
                    }
                }
            }
            layer = next;
        }
        Ok(graph)
    }
}
