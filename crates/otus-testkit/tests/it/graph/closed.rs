//! An exhausted search is a certificate.

use otus_analysis::Verdict;
use otus_analysis::certify::closed;
use otus_analysis::config::Kind;
use otus_analysis::graph::record::Graph;
use otus_analysis::graph::{SearchState, analyze};
use otus_syntax::options::LocalAnalysis;

use super::case::Case;

impl Case<'_> {
    /// The nodes of an exhausted search are a certificate, and without any one of them they are not.
    pub(crate) fn check_closed(&mut self, kind: Kind, expected: Verdict) {
        if expected >= Verdict::Inconclusive {
            return;
        }
        let mut config = self.variant(kind);
        config.budget.max_states = Some(300);
        let mut graph = Graph::default();
        let outcome = analyze(self.pool, self.term, &self.trace, &config, &mut graph);
        let outcome = outcome.expect("kind and partition fit");
        if outcome.stop.is_early() {
            return;
        }
        let mut states: Vec<SearchState> =
            graph.nodes.iter().map(|node| node.state.clone()).collect();

        let found = closed(self.pool, self.term, &self.trace, &config, outcome.verdict, &states);
        assert_eq!(found, Ok(()), "{}", self.context(&config));
        self.counts.closed += 1;
        // A local analysis of the front only makes some nodes that a full one leaves out.
        if config.local_analysis == LocalAnalysis::Off {
            let dropped = states[self.rng.usize(..states.len())].clone();
            states.retain(|state| *state != dropped);
            let found =
                closed(self.pool, self.term, &self.trace, &config, outcome.verdict, &states);
            assert!(found.is_err(), "{}", self.context(&config));
        }
    }
}
