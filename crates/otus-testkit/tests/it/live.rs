//! Live analyses against the definition: after every event, the answer so far is the offline answer about what has arrived.
//!
//! For random interactions, partitions, declared questions, multi-traces and arrival orders:
//!
//! - after every event the live group is failed iff the offline engine fails on what has arrived, to the open question, in
//!   which every log may stop early as well; so the live Fail comes at the first such event;
//! - the answer at any time, and when the group closes, is the offline answer to the declared question about what has arrived;
//! - undecided is only what exceeds a cap that was asked for.
//!
//! Groups of one specification are fed in turn, so that they share tables, and tables are compacted all the time in some
//! cases.
//!
//! `OTUS_LIVE_PREFIXES` is the approximate number of prefixes that are compared, 20,000 by default, and `OTUS_LIVE_SEED` gives
//! other cases:
//!
//! ```console
//! $ OTUS_LIVE_PREFIXES=1000000 cargo test --release -p otus-testkit --test it live -- --nocapture
//! ```
#![expect(clippy::print_stdout, reason = "the tests print how much was compared")]

use otus_analysis::budget::Budget;
use otus_analysis::engine::Options;
use otus_analysis::engine::coupling::Coupling;
use otus_analysis::live::{Answer, Bound, GroupId, Limits, Live, Standing, Why};
use otus_analysis::{Engine, Question, Verdict};
use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_testkit::oracle::Observation;
use otus_testkit::oracle::observe::project;
use otus_testkit::read::{Language, read};
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};
use otus_trace::{ComponentId, Partition};

use crate::engine::compare::random_declarations;
use crate::setting;

/// The default number of prefixes of all tests together.
const PREFIXES: u64 = 20_000;

fn prefixes(percent: u64) -> u64 {
    setting("OTUS_LIVE_PREFIXES", PREFIXES) * percent / 100
}

fn rng(test: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(setting("OTUS_LIVE_SEED", 0_u64).wrapping_mul(1_000) + test)
}

fn offline_budget() -> Budget {
    Budget { max_states: Some(100_000), ..Budget::default() }
}

/// How much was compared.
#[derive(Debug, Default)]
struct Counts {
    prefixes: u64,
    answers: u64,
    failed: u64,
    /// Events that were held when a prefix was compared.
    held: u64,
    /// Prefixes by what a group remembers.
    alone: u64,
    apart: u64,
    kept: u64,
    /// What exceeded a cap, and what the offline engine did not decide.
    capped: u64,
    unknown: u64,
    compactions: u64,
}

impl Counts {
    fn finish(&self, what: &str) {
        println!("{what}: {self:?}");
        assert!(self.unknown * 50 <= self.prefixes, "{what}: too many were undecided: {self:?}");
    }
}

/// A specification, a question, and what answers it.
struct Subject<'a> {
    pool: &'a Pool,
    term: TermId,
    declared: Question,
    limits: Limits,
    live: Live,
    offline: Engine,
}

impl<'a> Subject<'a> {
    fn new(
        pool: &'a Pool,
        term: TermId,
        partition: &'a Partition,
        declared: Question,
        limits: Limits,
    ) -> Subject<'a> {
        let live = Live::new(pool, term, partition.clone(), declared.clone(), limits.clone());
        let offline = Engine::new(pool, term, partition, Options::default());
        Subject { pool, term, declared, limits, live, offline }
    }

    fn text(&self, arrived: &Observation, order: &[usize]) -> String {
        format!(
            "\n  term     {}\n  declared {:?}\n  arrived  {}\n  order    {order:?}\n  limits   {:?}",
            self.pool.text(self.term),
            self.declared,
            arrived.text(self.pool),
            self.limits,
        )
    }

    /// Feeds a group with the next event of its arrival order, and compares.
    fn feed(&mut self, feed: &mut Feed, asks: bool, counts: &mut Counts) {
        let component = feed.order[feed.fed];
        let moment =
            feed.whole.components[component][feed.arrived.components[component].len()].clone();
        let standing = self
            .live
            .push(feed.group, ComponentId::new(component), &moment)
            .expect("the group is open");
        feed.arrived.components[component].push(moment);
        feed.fed += 1;
        counts.prefixes += 1;
        counts.held += self.live.held(feed.group) as u64;
        let trace = feed.arrived.to_multi_trace();
        let open = self.live.open_question().clone();
        let offline =
            self.offline.analyze_up_to(Verdict::WeakPass, &trace, &open, &offline_budget());
        let text = |this: &Self| this.text(&feed.arrived, &feed.order[..feed.fed]);
        let event = feed.fed as u64 - 1;
        match (standing, offline.verdict) {
            (_, Verdict::Inconclusive) => counts.unknown += 1,
            (Standing::Explained, Verdict::Pass | Verdict::WeakPass) => {}
            (Standing::Failed { event: first }, Verdict::Fail) => {
                counts.failed += 1;
                assert_eq!(first, *feed.failed.get_or_insert(event), "{}", text(self));
            }
            (Standing::Unknown { why, .. }, _) => {
                counts.capped += 1;
                let is_capped = match why {
                    Why::Kept => event >= self.limits.kept as u64,
                    Why::Held => true,
                    Why::Stopped(_) => {
                        counts.unknown += 1;
                        true
                    }
                };
                assert!(is_capped, "{why:?}{}", text(self));
            }
            (standing, verdict) => panic!("live {standing:?}, offline {verdict}{}", text(self)),
        }
        if asks {
            let answer = self.live.answer(feed.group).expect("the group is open");
            self.compare(feed, answer, counts);
        }
    }

    /// Compares an answer to the declared question.
    fn compare(&mut self, feed: &Feed, answer: Answer, counts: &mut Counts) {
        counts.answers += 1;
        let trace = feed.arrived.to_multi_trace();
        let offline = self.offline.analyze(&trace, &self.declared, &offline_budget()).verdict;
        let text = |this: &Self| {
            format!(
                "{answer:?}, offline {offline}{}",
                this.text(&feed.arrived, &feed.order[..feed.fed])
            )
        };
        if offline == Verdict::Inconclusive {
            counts.unknown += 1;
            return;
        }
        if let Some(explained) = answer.explained {
            assert_eq!(explained, offline >= Verdict::WeakPass, "{}", text(self));
        }
        match answer.verdict {
            Verdict::Inconclusive => {
                counts.capped += 1;
                assert!(
                    feed.fed > self.limits.kept || answer.why != Some(Why::Kept),
                    "{}",
                    text(self)
                );
                counts.unknown += u64::from(matches!(answer.why, Some(Why::Stopped(_))));
            }
            Verdict::WeakPass if self.limits.goal < Verdict::Pass => {
                assert!(offline >= Verdict::WeakPass, "{}", text(self));
            }
            verdict @ (Verdict::Pass | Verdict::WeakPass | Verdict::WeakFail | Verdict::Fail) => {
                assert_eq!(verdict, offline, "{}", text(self));
            }
        }
    }
}

/// A multi-trace that arrives in some order.
struct Feed {
    group: GroupId,
    whole: Observation,
    /// The component of each event.
    order: Vec<usize>,
    fed: usize,
    arrived: Observation,
    /// The first event at which it failed.
    failed: Option<u64>,
}

impl Feed {
    fn new(group: GroupId, whole: Observation, rng: &mut fastrand::Rng) -> Feed {
        let order = arrival(&whole, rng);
        let arrived = Observation::empty(whole.partition.clone());
        Feed { group, whole, order, fed: 0, arrived, failed: None }
    }
}

/// A random arrival order: in bursts, and with some components far ahead of others.
fn arrival(whole: &Observation, rng: &mut fastrand::Rng) -> Vec<usize> {
    let mut left: Vec<usize> = whole.components.iter().map(Vec::len).collect();
    let weights: Vec<usize> = left.iter().map(|_| [1, 1, 3, 30, 1000][rng.usize(..5)]).collect();
    let burst = [1, 1, 4, 40][rng.usize(..4)];
    let mut order = Vec::new();
    while left.iter().any(|&left| left > 0) {
        let total: usize = left.iter().zip(&weights).filter(|(l, _)| **l > 0).map(|(_, w)| w).sum();
        let mut chosen = rng.usize(..total);
        for component in 0..left.len() {
            if left[component] == 0 {
                continue;
            }
            if chosen < weights[component] {
                for _ in 0..rng.usize(1..=burst).min(left[component]) {
                    order.push(component);
                    left[component] -= 1;
                }
                break;
            }
            chosen -= weights[component];
        }
    }
    order
}

fn random_question(rng: &mut fastrand::Rng, components: usize) -> Question {
    match rng.usize(..8) {
        0 | 1 => Question::MULTI_PREFIX,
        2 | 3 => Question::SLICE,
        4 => Question::ACCEPT,
        5 => Question::GlobalPrefix,
        _ => Question::Each(random_declarations(rng, components)),
    }
}

fn random_limits(rng: &mut fastrand::Rng) -> Limits {
    Limits {
        kept: if rng.usize(..4) == 0 { rng.usize(..6) } else { 10_000 },
        held: if rng.usize(..8) == 0 { rng.usize(..6) } else { 10_000 },
        tables: if rng.usize(..3) == 0 { 0 } else { 64 << 20 },
        slack: [None, Some(0), Some(2), Some(6)][rng.usize(..4)],
        goal: if rng.usize(..4) == 0 { Verdict::WeakPass } else { Verdict::Pass },
        budget: Budget { max_states: Some(100_000), ..Budget::default() },
    }
}

/// Feeds some multi-traces to one live engine, in turn.
fn compare_all(
    subject: &mut Subject<'_>,
    all: Vec<Observation>,
    rng: &mut fastrand::Rng,
    counts: &mut Counts,
) {
    match subject.live.memory().bounds.first() {
        Some(Bound::EachAlone { .. }) => counts.alone += 1,
        Some(Bound::Residual { .. }) => counts.apart += 1,
        _ => counts.kept += 1,
    }
    let mut feeds: Vec<Feed> = Vec::new();
    for whole in all {
        let group = subject.live.open();
        feeds.push(Feed::new(group, whole, rng));
    }
    while !feeds.is_empty() {
        let chosen = rng.usize(..feeds.len());
        if feeds[chosen].fed < feeds[chosen].order.len() {
            let asks = rng.usize(..6) == 0;
            subject.feed(&mut feeds[chosen], asks, counts);
        } else {
            let feed = feeds.swap_remove(chosen);
            let answer = subject.live.close(feed.group).expect("the group is open");
            subject.compare(&feed, answer, counts);
            assert_eq!(subject.live.close(feed.group), None);
            assert_eq!(subject.live.push(feed.group, ComponentId(0), &[]), None);
        }
    }
    counts.compactions += subject.live.compactions();
}

/// Random interactions over some lifelines.
fn sweep(
    number: u64,
    percent: u64,
    lifelines: usize,
    leaves: std::ops::Range<usize>,
    iterations: usize,
) {
    let most = prefixes(percent);
    let mut rng = rng(number);
    let all = partitions(lifelines);
    let mut counts = Counts::default();
    while counts.prefixes < most {
        let mut scope = Scope::new(lifelines, 2, true);
        for _ in 0..50 {
            let leaves = rng.usize(leaves.clone());
            let term = scope.random_term(&mut rng, leaves);
            let pool = &scope.pool;
            // Most of the time each lifeline by itself, as in practice.
            let chosen = if rng.bool() { all.len() - 1 } else { rng.usize(..all.len()) };
            let partition = &all[chosen];
            // Most interactions with concurrency couple their components; those are not the most interesting ones here.
            if !Coupling::new(pool, term, partition).decoupled() && rng.usize(..4) > 0 {
                continue;
            }
            let letters = alphabet(pool, term, partition, Some(scope.foreign));
            let declared = random_question(&mut rng, partition.len());
            let limits = random_limits(&mut rng);
            let mut subject = Subject::new(pool, term, partition, declared, limits);
            let mut seen = Vec::new();
            for _ in 0..4 {
                let trace = random_trace(&mut rng, pool, term, iterations);
                if trace.len() <= 40 {
                    let derivation = Derivation::ALL[rng.usize(..Derivation::ALL.len())];
                    seen.push(derive(&mut rng, pool, partition, &trace, &letters, derivation));
                }
            }
            compare_all(&mut subject, seen, &mut rng, &mut counts);
        }
    }
    counts.finish(&format!("{lifelines} lifelines, {leaves:?} leaves"));
}

#[test]
fn random_interactions_of_two_lifelines() {
    sweep(1, 20, 2, 2..7, 4);
}

#[test]
fn random_interactions_of_three_lifelines() {
    sweep(2, 30, 3, 3..9, 3);
}

#[test]
fn random_interactions_of_four_lifelines() {
    sweep(3, 20, 4, 4..12, 3);
}

/// Loops in which components can be far ahead of one another.
const LOOPS: [&str; 14] = [
    "loopW(a -- m -> b)",
    "loopW(seq(a -- m -> b, b -- n -> a))",
    "loopW(seq(a -- m -> b, b -- n -> c))",
    "loopW(alt(a -- m -> b, a -- n -> b))",
    "loopW(alt(seq(a -- m -> b, b -- o -> c), seq(a -- n -> b, b -- p -> c)))",
    "loopW(alt(seq(a -- m -> b, a -- m -> c), seq(a -- m -> c, a -- n -> b)))",
    "seq(a -- begin -> b, seq(loopW(alt(a -- m -> b, b -- n -> c)), a -- end -> c))",
    "par(loopW(a -- m -> b), loopW(c -- n -> d))",
    "par(loopW(alt(a -- m -> b, a -- n -> c)), c -- o -> d)",
    "loopW(seq(alt(a -- m -> b, o), alt(b -- m -> c, o)))",
    "loopW(seq(loopW(a -- m -> b), b -- n -> c))",
    "loopP(a -- m -> b)",
    "loopP(alt(seq(a -- m -> b, b -- n -> c), a -- o -> c))",
    "loopP(seq(a -- m -> b, b -- n -> a))",
];

#[test]
fn loops_with_components_far_ahead() {
    let most = prefixes(30);
    let mut rng = rng(4);
    let mut counts = Counts::default();
    while counts.prefixes < most {
        for text in LOOPS {
            let language = Language::Interaction;
            let (lowered, diagnostics) = read(language, text);
            assert!(diagnostics.is_empty(), "{text}");
            let (pool, term) = (&lowered.pool, lowered.term.expect("an interaction"));
            let partition = Partition::discrete(pool.signature().lifeline_count());
            let declared = random_question(&mut rng, partition.len());
            let limits = random_limits(&mut rng);
            let mut subject = Subject::new(pool, term, &partition, declared, limits);
            let letters = alphabet(pool, term, &partition, None);
            let mut seen = Vec::new();
            for _ in 0..3 {
                let iterations = rng.usize(1..30);
                let trace = random_trace(&mut rng, pool, term, iterations);
                let mut whole = Observation {
                    partition: partition.clone(),
                    components: project(pool, &partition, &trace),
                };
                if whole.len() > 150 {
                    continue;
                }
                if rng.bool() {
                    // One event is lost, doubled or another.
                    let derivations = [Derivation::Noise, Derivation::Swap, Derivation::Loss];
                    let derivation = derivations[rng.usize(..3)];
                    whole = derive(&mut rng, pool, &partition, &trace, &letters, derivation);
                }
                seen.push(whole);
            }
            compare_all(&mut subject, seen, &mut rng, &mut counts);
        }
    }
    counts.finish("loops");
}
