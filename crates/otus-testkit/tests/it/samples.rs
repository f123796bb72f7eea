//! Terms on which the semantics and the automata are checked: all terms of small scopes, up to renaming, and random larger
//! ones. `OTUS_SCOPE=large` takes larger scopes.

use std::ops::Range;

use otus_core::TermId;
use otus_testkit::small_scope::Scope;

use crate::is_large;

/// Terms of one scope.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) terms: Vec<TermId>,
    /// The length up to which the traces of these terms are compared.
    pub(crate) length: usize,
}

/// Every term of up to 3 nodes with two messages, of up to 4 with one, of up to 3 with three lifelines; and `count` random
/// terms per seed, with so many leaves.
pub(crate) fn samples(count: usize, leaves: Range<usize>) -> Vec<Sample> {
    let small = [(2, 2, 3, 4), (2, 1, 4, 4), (3, 1, 3, 4)];
    let large = [(2, 2, 3, 5), (2, 1, 5, 4), (3, 1, 4, 4)];
    let mut all = Vec::new();
    for (lifelines, messages, nodes, length) in if is_large() { large } else { small } {
        let mut scope = Scope::new(lifelines, messages, true);
        let terms = scope.terms(nodes).concat();
        let terms = scope.up_to_renaming(&terms);
        let name = format!("{lifelines} lifelines, {messages} messages, {nodes} nodes");
        all.push(Sample { name, scope, terms, length });
    }
    for seed in 0..if is_large() { 20 } else { 2 } {
        let mut scope = Scope::new(3, 2, seed % 2 == 0);
        let mut rng = fastrand::Rng::with_seed(seed);
        let terms = (0..count)
            .map(|_| {
                let leaves = rng.usize(leaves.clone());
                scope.random_term(&mut rng, leaves)
            })
            .collect();
        all.push(Sample { name: format!("random, seed {seed}"), scope, terms, length: 5 });
    }
    all
}
