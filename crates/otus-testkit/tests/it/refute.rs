//! Refutations are right: on all small cases and on random larger ones, for every question, `refute` agrees with the oracle, its
//! witnesses are certified, and the checker accepts its certificates, but refuses them if a part is removed.
//!
//! `OTUS_SCOPE=large` takes larger scopes.

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::engine::Options;
use otus_analysis::refute::canonical::Canonicalizer;
use otus_analysis::refute::{
    Blocked, Certificate, CertificateState, NotRefuted, check_refutation, refute,
};
use otus_analysis::witness::WitnessStep;
use otus_analysis::{Engine, Observed, Question, Verdict, Witness};
use otus_core::algebra::simplify;
use otus_core::{Pool, TermId};
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Asked, Members, Observation};
use otus_testkit::small_scope::{
    Derivation, Scope, alphabet, derive, observations, partitions, random_trace,
};
use otus_trace::{MultiTrace, Partition};

use crate::is_large;

/// The budget of the oracle.
const BUDGET: usize = 1_000_000;
/// The most states of `refute`; checking a certificate takes longer than making it.
fn most_states() -> u64 {
    if is_large() { 20_000 } else { 1_000 }
}

/// Counts of checked cases.
#[derive(Debug, Default)]
struct Counts {
    answers: usize,
    explained: usize,
    refuted: usize,
    unknown: usize,
    too_large: usize,
    states: usize,
    by_a_component: usize,
    several_states: usize,
    largest: usize,
    dropped: usize,
    witnesses_changed: usize,
    foreign_refused: usize,
}

struct Tester {
    rng: fastrand::Rng,
    counts: Counts,
    /// The last certificate, which the checker must refuse for a multi-trace that can be explained.
    last: Option<Certificate>,
}

impl Tester {
    fn new(seed: u64) -> Self {
        Tester { rng: fastrand::Rng::with_seed(seed), counts: Counts::default(), last: None }
    }

    /// The uniform questions, and one with a declaration for each component.
    fn questions(&mut self, components: usize) -> Vec<Question> {
        let mut questions = vec![Question::GlobalPrefix];
        questions.extend(Observed::ALL.map(Question::Uniform));
        for _ in 0..2 {
            let each = (0..components).map(|_| Observed::ALL[self.rng.usize(..5)]);
            questions.push(Question::Each(each.collect()));
        }
        questions
    }

    fn check(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        seen: &Observation,
        question: &Question,
        expected: Option<bool>,
    ) {
        let Some(expected) = expected else {
            self.counts.unknown += 1;
            return;
        };
        let trace = seen.to_multi_trace();
        let budget = Budget { max_states: Some(most_states()), ..Budget::default() };
        let found = refute(pool, term, &trace, question, &budget);
        let context = format!("{question:?}: {} and {}", pool.text(term), seen.text(pool));
        self.counts.answers += 1;
        match found {
            Ok(certificate) => {
                assert!(!expected, "{context}\n{}", certificate.text(pool, &trace));
                self.counts.refuted += 1;
                self.counts.states += certificate.len();
                self.counts.several_states += usize::from(certificate.len() > 1);
                self.counts.largest = self.counts.largest.max(certificate.len());
                let root = certificate.states.first().map(|state| state.blocked);
                self.counts.by_a_component += usize::from(matches!(root, Some(Blocked::Alone(_))));
                let checked = check_refutation(pool, term, &trace, question, &certificate);
                assert_eq!(checked, Ok(()), "{context}\n{}", certificate.text(pool, &trace));
                if self.rng.usize(..4) == 0 {
                    self.check_corrupted(pool, term, &trace, question, &certificate);
                }
                self.last = Some(certificate);
            }
            Err(NotRefuted::Explained { witness, verdict }) => {
                assert!(expected, "{context}: {}", witness.text(pool));
                self.counts.explained += 1;
                let claim = (question, verdict);
                let certified = certify(pool, term, &trace, claim, &witness);
                assert_eq!(certified, Ok(()), "{context}: {}", witness.text(pool));
                if self.rng.usize(..8) == 0 {
                    self.check_changed(pool, term, seen, question, &witness);
                }
                if let Some(other) = &self.last {
                    let checked = check_refutation(pool, term, &trace, question, other);
                    assert!(checked.is_err(), "{context}\n{}", other.text(pool, &trace));
                    self.counts.foreign_refused += 1;
                }
            }
            Err(NotRefuted::TooLarge(_)) => self.counts.too_large += 1,
        }
    }

    /// A certificate with one state less, or with a weaker claim, is refused.
    fn check_corrupted(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        trace: &MultiTrace,
        question: &Question,
        certificate: &Certificate,
    ) {
        let mut others = Vec::new();
        let chosen =
            |rng: &mut fastrand::Rng, states: &[CertificateState]| rng.usize(..states.len());
        for _ in 0..3 {
            let mut other = certificate.clone();
            other.states.remove(chosen(&mut self.rng, &other.states));
            others.push(other);
            let mut other = certificate.clone();
            let at = chosen(&mut self.rng, &other.states);
            if let Some(less) = other.states[at].events.checked_sub(1) {
                other.states[at].events = less;
                others.push(other);
            }
            for component in 0..certificate.alone.len() {
                let mut other = certificate.clone();
                let states = &mut other.alone[component].1;
                states.remove(chosen(&mut self.rng, states));
                others.push(other);
            }
        }
        for component in 0..certificate.alone.len() {
            let mut other = certificate.clone();
            other.alone.remove(component);
            others.push(other);
        }
        for other in others {
            let checked = check_refutation(pool, term, trace, question, &other);
            let text = || format!("{}\n{}", certificate.text(pool, trace), other.text(pool, trace));
            assert!(checked.is_err(), "{question:?}: {}\n{}", pool.text(term), text());
            self.counts.dropped += 1;
        }
    }

    /// A changed witness is refused, or the claim still holds; and no witness is accepted for a question with the answer no.
    fn check_changed(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        seen: &Observation,
        question: &Question,
        witness: &Witness,
    ) {
        let trace = seen.to_multi_trace();
        let mut claims = Vec::new();
        for at in 0..witness.steps.len() {
            let mut other = witness.clone();
            other.steps.remove(at);
            claims.push((question.clone(), other));
            let mut other = witness.clone();
            if let WitnessStep::Observed(place) = other.steps[at].clone() {
                other.steps[at] = WitnessStep::Unobserved(otus_analysis::witness::WitnessEvent {
                    observed: Pool::NONE,
                    ..place
                });
                claims.push((question.clone(), other));
            }
        }
        for other in self.questions(seen.components.len()) {
            claims.push((other, witness.clone()));
        }
        for (question, witness) in claims {
            for verdict in [Verdict::Pass, Verdict::WeakPass] {
                if certify(pool, term, &trace, (&question, verdict), &witness).is_err() {
                    continue;
                }
                let asked = if verdict == Verdict::Pass {
                    Asked::complete(seen, &question)
                } else {
                    Asked::new(seen, &question)
                };
                let truth = asked.by_marks(pool, term, BUDGET);
                let text = witness.text(pool);
                assert_ne!(truth, Some(false), "{question:?} {}: {text}", pool.text(term));
            }
            self.counts.witnesses_changed += 1;
        }
    }

    /// Checks that there were enough cases, and that nearly all were decided.
    fn check_counts(&self) {
        assert!(self.counts.too_large * 100 <= self.counts.answers, "{:?}", self.counts);
        assert!(self.counts.explained * 20 > self.counts.answers, "{:?}", self.counts);
        assert!(self.counts.refuted * 20 > self.counts.answers, "{:?}", self.counts);
    }
}

/// All questions about terms, partitions and multi-traces.
fn check_all(
    scope: &mut Scope,
    terms: &[TermId],
    partitions: &[Partition],
    max_len: usize,
    (seed, one_in): (u64, usize),
) -> Tester {
    let mut tester = Tester::new(seed);
    for &term in terms {
        for partition in partitions {
            let letters = alphabet(&scope.pool, term, partition, Some(scope.foreign));
            let mut cases = observations(partition, &letters, max_len);
            cases.retain(|_| tester.rng.usize(..one_in) == 0);
            let questions: Vec<Vec<Question>> =
                cases.iter().map(|_| tester.questions(partition.len())).collect();
            let mut expected = Vec::new();
            {
                let mut sets = TraceSets::new(&scope.pool, BUDGET);
                let mut members = Members::new(term, partition.clone());
                for (seen, questions) in cases.iter().zip(&questions) {
                    let answers = questions.iter().map(|question| {
                        Asked::new(seen, question).by_traces(&mut members, &mut sets)
                    });
                    expected.push(answers.collect::<Vec<_>>());
                }
            }
            for ((seen, questions), expected) in cases.iter().zip(&questions).zip(&expected) {
                for (question, &expected) in questions.iter().zip(expected) {
                    tester.check(&mut scope.pool, term, seen, question, expected);
                }
            }
        }
    }
    tester
}

#[test]
fn two_lifelines() {
    let mut scope = Scope::new(2, 1, true);
    let terms = scope.terms(3).concat();
    let terms = scope.up_to_renaming(&terms);
    let max_len = if is_large() { 4 } else { 3 };
    let tester = check_all(&mut scope, &terms, &partitions(2), max_len, (1, 2));
    println!("{:?}", tester.counts);
    tester.check_counts();
}

#[test]
fn three_lifelines() {
    let mut scope = Scope::new(3, 1, true);
    let terms = scope.terms(3).concat();
    let mut terms = scope.up_to_renaming(&terms);
    let mut rng = fastrand::Rng::with_seed(2);
    terms.retain(|_| is_large() || rng.usize(..3) == 0);
    let tester = check_all(&mut scope, &terms, &partitions(3), 3, (2, 20));
    println!("{:?}", tester.counts);
    tester.check_counts();
}

#[test]
fn random_larger_cases() {
    let mut tester = Tester::new(3);
    let all = partitions(3);
    let rounds = if is_large() { 400_000 } else { 2_000 };
    let mut scope = Scope::new(3, 2, true);
    for round in 0..rounds {
        if round % 500 == 0 {
            scope = Scope::new(3, 2, true);
        }
        let leaves = tester.rng.usize(2..=6);
        let term = scope.random_term(&mut tester.rng, leaves);
        let partition = &all[tester.rng.usize(..all.len())];
        let trace = random_trace(&mut tester.rng, &scope.pool, term, 2);
        if trace.len() > 6 {
            continue;
        }
        let letters = alphabet(&scope.pool, term, partition, Some(scope.foreign));
        let derivation = Derivation::ALL[tester.rng.usize(..Derivation::ALL.len())];
        let seen = derive(&mut tester.rng, &scope.pool, partition, &trace, &letters, derivation);
        for question in tester.questions(partition.len()) {
            let pool = &scope.pool;
            let expected = Asked::new(&seen, &question).by_marks(pool, term, 30_000);
            tester.check(&mut scope.pool, term, &seen, &question, expected);
        }
    }
    println!("{:?}", tester.counts);
    tester.check_counts();
}

#[test]
fn tidied_terms_have_the_same_traces() {
    let mut scope = Scope::new(3, 1, true);
    let mut rng = fastrand::Rng::with_seed(4);
    let mut changed = 0;
    let mut pairs = Vec::new();
    for _ in 0..2_000 {
        let leaves = rng.usize(2..=6);
        let term = scope.random_term(&mut rng, leaves);
        let term = simplify(&mut scope.pool, term);
        let tidied = Canonicalizer::default().canonical(&mut scope.pool, term);
        changed += usize::from(tidied != term);
        pairs.push((term, tidied));
    }
    let mut sets = TraceSets::new(&scope.pool, BUDGET);
    for (term, tidied) in pairs {
        let (one, two) = (sets.traces(term, 5), sets.traces(tidied, 5));
        if let (Some(one), Some(two)) = (one, two) {
            let texts = [term, tidied].map(|term| scope.pool.text(term));
            assert_eq!(one, two, "{texts:?}");
        }
    }
    assert!(changed > 500, "{changed}");
}

/// The fast engine and `refute` on cases that are too large for the oracle.
#[test]
fn the_engine_agrees_where_the_oracle_gives_up() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let rounds = if is_large() { 100_000 } else { 300 };
    let all = partitions(4);
    let mut tester = Tester::new(5);
    let mut scope = Scope::new(4, 2, true);
    let (mut compared, mut refuted, mut too_large, mut lost) = (0, 0, 0, 0);
    for round in 0..rounds {
        if round % 100 == 0 {
            scope = Scope::new(4, 2, true);
        }
        let leaves = rng.usize(4..=10);
        let term = scope.random_term(&mut rng, leaves);
        let partition = &all[rng.usize(..all.len())];
        let trace = random_trace(&mut rng, &scope.pool, term, 3);
        if trace.len() > 24 {
            continue;
        }
        let letters = alphabet(&scope.pool, term, partition, None);
        let derivation = Derivation::ALL[rng.usize(..Derivation::ALL.len())];
        let seen = derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation);
        let trace = seen.to_multi_trace();
        let mut engine = Engine::new(&scope.pool, term, partition, Options::default());
        for question in tester.questions(partition.len()) {
            let budget = Budget { max_states: Some(most_states() / 2), ..Budget::default() };
            let expected = match refute(&mut scope.pool, term, &trace, &question, &budget) {
                Ok(_) => false,
                Err(NotRefuted::Explained { .. }) => true,
                Err(NotRefuted::TooLarge(_)) => {
                    too_large += 1;
                    continue;
                }
            };
            let budget = Budget { max_states: Some(20_000), ..Budget::default() };
            let found = engine.analyze(&trace, &question, &budget).verdict;
            compared += 1;
            refuted += usize::from(!expected);
            if found == Verdict::Inconclusive {
                lost += 1;
                continue;
            }
            let pool = &scope.pool;
            let (term, seen) = (pool.text(term), seen.text(pool));
            assert_eq!(found >= Verdict::WeakPass, expected, "{question:?}: {term} and {seen}");
        }
    }
    println!("compared {compared}, refuted {refuted}, too large {too_large}, lost {lost}");
    assert!(refuted * 20 > compared && too_large * 4 < compared, "{refuted} of {compared}");
    // Some coupled components that may start late need more.
    assert!(lost * 100 < compared, "{lost} of {compared}");
}

/// The seed; `OTUS_SEED` sets another one.
fn seed() -> u64 {
    std::env::var("OTUS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(6)
}
