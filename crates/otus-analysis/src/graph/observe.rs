//! Observers of a search.

use crate::graph::search::NodeId;
use crate::graph::state::{Leaf, Rule, SearchState};

/// Sees every step of a search and cannot change it.
pub trait Observer {
    /// A node is created: the root, or a child of another node by a rule.
    fn node(&mut self, id: NodeId, parent: Option<(NodeId, Rule)>, state: &SearchState) {
        let _ = (id, parent, state);
    }

    /// A rule leads to a node that exists already (with memoization).
    fn again(&mut self, known: NodeId, parent: NodeId, rule: Rule) {
        let _ = (known, parent, rule);
    }

    /// A node is a leaf.
    fn leaf(&mut self, id: NodeId, leaf: Leaf) {
        let _ = (id, leaf);
    }

    /// A filter cuts a child off.
    fn cut(&mut self, parent: NodeId, rule: Rule) {
        let _ = (parent, rule);
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
