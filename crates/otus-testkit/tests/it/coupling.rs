//! Relaxing what has no coupling ancestor changes no multi-trace: `engine::coupling` against the traces
//! themselves.
//!
//! The relaxed meaning is computed here from its definition, on traces whose letters are the parts of events on single
//! components. Most of the terms have a different message for each leaf, so that different runs look different and each wrong
//! relaxation shows.

use std::collections::BTreeSet;

use otus_analysis::engine::coupling::Coupling;
use otus_core::{
    Action, EventId, LifelineId, LifelineSet, Pool, RegionId, Signature, Term, TermId,
};
use otus_testkit::oracle::observe::{Moment, moments, project};
use otus_testkit::oracle::traces;
use otus_testkit::small_scope::{Scope, partitions};
use otus_trace::Partition;

type Traces = BTreeSet<Vec<EventId>>;
type Projections = BTreeSet<Vec<Vec<Moment>>>;

/// The relaxed meaning of a term, up to a number of letters.
struct Relaxed<'a> {
    pool: &'a mut Pool,
    partition: &'a Partition,
    coupling: &'a Coupling,
    max_len: usize,
}

/// The condition under which two events of the operands of a node are ordered.
#[derive(Clone)]
enum Order {
    Always,
    OnCommonComponents,
    OnLifelinesOutside(LifelineSet),
}

impl Relaxed<'_> {
    /// The traces of a term; `rigid` below a coupling node.
    fn traces(&mut self, term: TermId, rigid: bool) -> Traces {
        let rigid = rigid || self.coupling.is_coupling(term);
        let strict = if rigid { Order::Always } else { Order::OnCommonComponents };
        let outside = |pool: &Pool, region| Order::OnLifelinesOutside(pool.region(region));
        match self.pool.node(term) {
            Term::Empty => BTreeSet::from([Vec::new()]),
            Term::Event(event) if rigid => BTreeSet::from([vec![event]]),
            Term::Event(event) => self.parts(event),
            Term::Alt(left, right) => {
                let mut all = self.traces(left, rigid);
                all.extend(self.traces(right, rigid));
                all
            }
            Term::Strict(left, right) => {
                let (left, right) = (self.traces(left, rigid), self.traces(right, rigid));
                self.compose(&strict, &left, &right)
            }
            Term::Coreg(region, left, right) => {
                let (left, right) = (self.traces(left, rigid), self.traces(right, rigid));
                self.compose(&outside(self.pool, region), &left, &right)
            }
            Term::LoopS(body) => self.repeat(&strict, body, rigid),
            Term::LoopC(region, body) => self.repeat(&outside(self.pool, region), body, rigid),
        }
    }

    /// All orders of the parts of an event.
    fn parts(&mut self, event: EventId) -> Traces {
        let parts: Vec<EventId> = moments(self.pool, self.partition, event)
            .into_iter()
            .map(|(_, moment)| {
                let actions: Vec<Action> = moment.iter().map(|&a| self.pool.action(a)).collect();
                self.pool.intern_event(&actions)
            })
            .collect();
        parts.iter().fold(BTreeSet::from([Vec::new()]), |all, &part| {
            let one = BTreeSet::from([vec![part]]);
            self.compose(&Order::OnCommonComponents, &all, &one)
        })
    }

    fn repeat(&mut self, order: &Order, body: TermId, rigid: bool) -> Traces {
        let mut body = self.traces(body, rigid);
        body.remove(&Vec::new());
        let mut all = BTreeSet::from([Vec::new()]);
        let mut new = all.clone();
        while !new.is_empty() {
            new = self.compose(order, &body, &new).difference(&all).cloned().collect();
            all.extend(new.iter().cloned());
        }
        all
    }

    /// The shuffles in which no event comes before an event of the left operand that must precede it.
    fn compose(&self, order: &Order, left: &Traces, right: &Traces) -> Traces {
        let mut out = BTreeSet::new();
        for t1 in left {
            for t2 in right {
                if t1.len() + t2.len() <= self.max_len {
                    self.shuffles(order, &mut Vec::new(), t1, t2, &mut out);
                }
            }
        }
        out
    }

    fn shuffles(
        &self,
        order: &Order,
        before: &mut Vec<EventId>,
        left: &[EventId],
        right: &[EventId],
        out: &mut Traces,
    ) {
        let ([e1, t1 @ ..], [e2, t2 @ ..]) = (left, right) else {
            out.insert([before, left, right].concat());
            return;
        };
        before.push(*e1);
        self.shuffles(order, before, t1, right, out);
        before.pop();
        if !left.iter().any(|&e1| self.ordered(order, e1, *e2)) {
            before.push(*e2);
            self.shuffles(order, before, left, t2, out);
            before.pop();
        }
    }

    fn ordered(&self, order: &Order, e1: EventId, e2: EventId) -> bool {
        let lifelines = |event| self.pool.region(self.pool.event_lifelines(event));
        let (first, second) = (lifelines(e1), lifelines(e2));
        let component = |lifeline: LifelineId| self.partition.component_of(lifeline);
        match order {
            Order::Always => true,
            Order::OnCommonComponents => {
                first.iter().any(|l1| second.iter().any(|l2| component(l1) == component(l2)))
            }
            Order::OnLifelinesOutside(region) => !first.intersection(&second).is_subset(region),
        }
    }
}

/// The multi-traces of traces, if they have at most `max_len` moments.
fn projections<'t>(
    pool: &Pool,
    partition: &Partition,
    traces: impl IntoIterator<Item = &'t Vec<EventId>>,
    moments: usize,
) -> Projections {
    let all = traces.into_iter().map(|trace| project(pool, partition, trace));
    all.filter(|trace| trace.iter().map(Vec::len).sum::<usize>() <= moments).collect()
}

#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    harmless: usize,
    /// Harmful, and relaxing everything would change something.
    rightly_coupling: usize,
}

/// Compares the multi-traces of a term of at most `max_len` moments with those of the relaxed one.
#[track_caller]
fn check(
    pool: &mut Pool,
    term: TermId,
    partition: &Partition,
    max_len: usize,
    counts: &mut Counts,
) {
    let coupling = Coupling::new(pool, term, partition);
    let exact = traces(pool, term, max_len, 100_000).expect("small terms have few traces");
    let exact = projections(pool, partition, &exact, max_len);
    let mut relaxed = |coupling: &Coupling| {
        let traces = Relaxed { pool, partition, coupling, max_len }.traces(term, false);
        projections(pool, partition, &traces, max_len)
    };
    let found = relaxed(&coupling);
    counts.cases += 1;
    counts.harmless += usize::from(coupling.decoupled());
    if !coupling.decoupled() {
        counts.rightly_coupling += usize::from(relaxed(&Coupling::default()) != exact);
    }
    assert!(
        found == exact,
        "{} on {partition:?}: {:?}",
        pool.text(term),
        found.symmetric_difference(&exact).next()
    );
}

/// Three lifelines a, b, c, and a leaf for each set of one or two of them and each number; different numbers have different
/// messages.
struct Supply {
    pool: Pool,
    regions: Vec<RegionId>,
    leaves: Vec<Vec<TermId>>,
}

impl Supply {
    fn new(messages: usize) -> Self {
        let mut signature = Signature::default();
        let lifelines = ["a", "b", "c"].map(|name| signature.add_lifeline(name));
        let messages: Vec<_> =
            (0..messages).map(|i| signature.add_message(&format!("m{i}"))).collect();
        let mut pool = Pool::new(signature);
        let leaves = messages.iter().map(|&message| {
            let mut leaves = Vec::new();
            for (i, &from) in lifelines.iter().enumerate() {
                leaves.push(pool.emission(from, message));
                for &to in &lifelines[i + 1..] {
                    let passing = [Action::emission(from, message), Action::reception(to, message)];
                    let event = pool.intern_event(&passing);
                    leaves.push(pool.event(event));
                }
            }
            leaves
        });
        let leaves = leaves.collect();
        let regions = (0..8u32)
            .map(|bits| {
                let set: LifelineSet =
                    (0..3).filter(|i| bits >> i & 1 == 1).map(LifelineId).collect();
                pool.intern_region(&set)
            })
            .collect();
        Supply { pool, regions, leaves }
    }

    /// A random term with the leaves numbered from `first` on.
    fn random(
        &mut self,
        rng: &mut fastrand::Rng,
        first: usize,
        count: usize,
        loops: bool,
    ) -> TermId {
        let term = if count == 1 {
            self.leaves[first][rng.usize(..6)]
        } else {
            let split = rng.usize(1..count);
            let left = self.random(rng, first, split, loops);
            let right = self.random(rng, first + split, count - split, loops);
            match rng.usize(..10) {
                0..=3 => self.pool.strict(left, right),
                4 | 5 => self.pool.par(left, right),
                6 => self.pool.seq(left, right),
                7 if rng.bool() => self.pool.alt(left, right),
                _ => {
                    let region = self.regions[rng.usize(..8)];
                    self.pool.coreg(region, left, right)
                }
            }
        };
        if !loops || rng.usize(..6) > 0 {
            return term;
        }
        match rng.usize(..3) {
            0 => self.pool.loop_s(term),
            1 => self.pool.loop_p(term),
            _ => {
                let region = self.regions[rng.usize(..8)];
                self.pool.loop_c(region, term)
            }
        }
    }
}

#[test]
fn relaxing_changes_nothing_in_all_terms_of_three_leaves() {
    let mut leaves = Supply::new(3);
    let mut terms = Vec::new();
    let operators = |leaves: &mut Supply, left: TermId, right: TermId| -> Vec<TermId> {
        let mut all = vec![leaves.pool.strict(left, right)];
        let regions = leaves.regions.clone();
        all.extend(regions.iter().map(|&region| leaves.pool.coreg(region, left, right)));
        all
    };
    let [first, second, third] = [0, 1, 2].map(|i| leaves.leaves[i].clone());
    for &x in &first {
        for &y in &second {
            for pair in operators(&mut leaves, x, y) {
                for &z in &third {
                    let sides = [(pair, z), (z, pair)];
                    terms.extend(sides.into_iter().flat_map(|(l, r)| operators(&mut leaves, l, r)));
                }
            }
        }
    }
    let mut counts = Counts::default();
    for term in terms {
        for partition in partitions(3) {
            check(&mut leaves.pool, term, &partition, 6, &mut counts);
        }
    }
    println!("{counts:?}");
    assert!(counts.rightly_coupling > 1000);
}

#[test]
fn relaxing_changes_nothing_in_random_terms_of_four_leaves() {
    random_terms(0..4_000, (4, false), 8);
}

#[test]
fn relaxing_changes_nothing_in_random_terms_with_loops() {
    random_terms(0..3_000, (4, true), 5);
}

#[test]
#[ignore = "minutes"]
fn relaxing_changes_nothing_in_very_many_random_terms() {
    random_terms(10_000..20_000, (5, false), 10);
    random_terms(10_000..100_000, (4, true), 6);
}

fn random_terms(seeds: std::ops::Range<u64>, (most, loops): (usize, bool), max_len: usize) {
    let mut counts = Counts::default();
    let mut leaves = Supply::new(5);
    let partitions = partitions(3);
    for seed in seeds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let count = if loops { rng.usize(1..=most) } else { most };
        let term = leaves.random(&mut rng, 0, count, loops);
        let partition = &partitions[rng.usize(..partitions.len())];
        check(&mut leaves.pool, term, partition, max_len, &mut counts);
    }
    assert!(counts.harmless > 1000 && counts.rightly_coupling > 100, "{counts:?}");
}

#[test]
fn relaxing_changes_nothing_in_all_small_terms() {
    let mut scope = Scope::new(2, 1, true);
    let terms: Vec<TermId> = scope.terms(5).into_iter().flatten().collect();
    let mut counts = Counts::default();
    for (i, term) in scope.up_to_renaming(&terms).into_iter().enumerate() {
        // A third of them, each with both partitions, is enough in addition to the tests above.
        if i % 3 == 0 {
            for partition in partitions(2) {
                check(&mut scope.pool, term, &partition, 4, &mut counts);
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.rightly_coupling > 10, "{counts:?}");
}
