//! Counters of a diagram.

/// The work of a diagram so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes made, those collected since included.
    pub nodes_made: u64,
    /// Nodes that were asked for and existed already.
    pub nodes_shared: u64,
    /// The most nodes that existed at a time.
    pub peak_nodes: u64,
    /// How often the memory of operations was asked.
    pub memo_lookups: u64,
    /// How often it knew.
    pub memo_hits: u64,
    /// How often garbage was collected.
    pub collections: u64,
}
