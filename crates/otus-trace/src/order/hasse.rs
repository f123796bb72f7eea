//! The Hasse diagram: the edges that no other edges imply.
//!
//! An edge from e to f is implied iff e ⪯ g for another immediate predecessor g of f: the event
//! before f on its process, or the source of another edge to f. (If a chain leads from e to f, its
//! last step comes from such a g; and the edge itself is the only step from e.) So each edge is
//! compared only with its siblings. Of several edges from one process the last implies the others.
//! The clocks that answer `e ⪯ g` are computed for a few columns at a time, because an edge needs
//! only the column of the process of its source.

use otus_core::index::Index as _;

use super::{Edge, EventId, PartialOrder};

impl PartialOrder {
    /// The communication edges `e →_c f` of the Hasse diagram: those with no event between e and f.
    /// Sorted by target.
    ///
    /// ```
    /// use otus_trace::order::{Builder, Writes};
    ///
    /// let mut builder = Builder::default();
    /// let (p, q) = (builder.process("p"), builder.process("q"));
    /// let [a, b] = [1, 2].map(|_| builder.event(p).at());
    /// let c = builder.event(q).at();
    /// builder.edge(a, c);
    /// builder.edge(b, c);
    /// let trace = builder.finish(Writes::Checked).unwrap();
    /// assert_eq!(trace.hasse(), [trace.edges()[1]]);
    /// ```
    pub fn hasse(&self) -> Vec<Edge> {
        let sources = self.edges.iter().map(|edge| self.process_of(edge.from)).collect();
        let mut kept = Vec::new();
        for clocks in self.clocks_in_parts(sources) {
            let columns = clocks.columns();
            for group in self.edges.chunk_by(|a, b| a.to == b.to) {
                // Edges are sorted by source, so those from one process are adjacent.
                let same = |a: &Edge, b: &Edge| self.process_of(a.from) == self.process_of(b.from);
                let last: Vec<Edge> =
                    group.chunk_by(same).filter_map(|edges| edges.last().copied()).collect();
                let needed = |edge: &&Edge| {
                    let start = self.starts[self.process_of(edge.to).index()];
                    let before = (edge.to.0 > start).then(|| EventId(edge.to.0 - 1));
                    let siblings = last.iter().map(|other| other.from);
                    let mut others = before.into_iter().chain(siblings.filter(|&g| g != edge.from));
                    others.all(|g| clocks.precedes(edge.from, g) != Some(true))
                };
                let own = last
                    .iter()
                    .filter(|edge| columns.binary_search(&self.process_of(edge.from)).is_ok());
                kept.extend(own.filter(needed).copied());
            }
        }
        kept.sort_unstable();
        kept
    }

    /// The same trace with only the edges of its Hasse diagram.
    #[must_use]
    pub fn reduced(self) -> Self {
        let edges = self.hasse();
        let mut reduced = PartialOrder { edges, ..self };
        reduced.relinearize();
        reduced
    }
}
