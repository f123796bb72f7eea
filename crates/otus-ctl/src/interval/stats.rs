//! Counters of a diagram.

/// The work of a diagram so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes made, including those collected since.
    pub nodes_made: u64,
    /// Nodes that were asked for and existed already.
    pub nodes_shared: u64,
    /// The most nodes that existed at a time.
    pub peak_nodes: u64,
    /// Lookups in the memo.
    pub memo_lookups: u64,
    /// Lookups that found a result.
    pub memo_hits: u64,
    /// Garbage collections.
    pub collections: u64,
}
