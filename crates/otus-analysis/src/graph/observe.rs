//! Observers of a search.

use crate::graph::search::NodeId;
use crate::graph::state::{Leaf, Rule, SearchState};

/// Sees every step of a search and cannot change it.
pub trait Observer {
    /// A node is created: the root, or a child of another node by a rule.
    fn node(&mut self, _id: NodeId, _parent: Option<(NodeId, Rule)>, _state: &SearchState) {}

    /// A rule leads to a node that exists already (with memoization).
    fn again(&mut self, _known: NodeId, _parent: NodeId, _rule: Rule) {}

    /// A node is a leaf.
    fn leaf(&mut self, _id: NodeId, _leaf: Leaf) {}

    /// A filter cuts a child off.
    fn cut(&mut self, _parent: NodeId, _rule: Rule) {}
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
