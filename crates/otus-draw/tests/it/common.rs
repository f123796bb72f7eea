//! Random interactions, for tests of several kinds of pictures.

use otus_core::{Pool, TermId};
use otus_testkit::generate;
use otus_testkit::read::{Language, read};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Some random interactions, always the same ones.
pub(crate) fn for_random_interactions(count: usize, mut check: impl FnMut(&mut Pool, TermId)) {
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    for _ in 0..count {
        let text = generate::interaction().new_tree(&mut runner).expect("a text").current();
        let (mut lowered, _) = read(Language::Interaction, &text);
        if let Some(term) = lowered.term {
            check(&mut lowered.pool, term);
        }
    }
}
