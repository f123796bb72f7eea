//! Coverage counts, on small cases and against an enumeration of all derivations.

use std::collections::BTreeSet;

use otus_analysis::budget::Budget;
use otus_analysis::coverage::{Count, Counter, Coverage, PartKind, Tree, seen};
use otus_analysis::engine::Options;
use otus_analysis::graph::{self, Silent};
use otus_analysis::witness::Witness;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::{ActionId, EventId, LifelineSet, Pool, Term, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{MultiTrace, Partition};

use super::{config, read};

/// A witness of the fast engine, with the verdict; none if nothing explains the multi-trace.
fn witness(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
) -> Option<(Witness, Verdict)> {
    let budget = Budget::default();
    let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
    let verdict = engine.analyze(trace, question, &budget).verdict;
    let found = engine.witness(pool, term, trace, question, verdict, &budget)?;
    Some((found, verdict))
}

/// A line for each part: what it is, how often it was observed and, with a tilde, assumed; of a
/// loop, how it was left.
fn lines(pool: &Pool, tree: &Tree, coverage: &Coverage) -> Vec<String> {
    let line = |(part, count): (&otus_analysis::coverage::Part, &Count)| {
        let text = match part.kind {
            PartKind::Action => pool.text(tree.term(part.node)),
            PartKind::Branch => {
                let (_, number, of) = tree.branch(part.node).expect("it is a branch");
                format!("{number}/{of}")
            }
            PartKind::Loop => "loop".to_owned(),
        };
        let assumed = if count.assumed > 0 { format!("~{}", count.assumed) } else { String::new() };
        let left = count.exits;
        let left = match (part.kind, left.assumed) {
            (PartKind::Action | PartKind::Branch, _) => String::new(),
            (PartKind::Loop, 0) => {
                format!(" [{} {} {}, {}]", left.zero, left.one, left.more, left.most)
            }
            (PartKind::Loop, more) => {
                format!(" [{} {} {}, {}, ~{more}]", left.zero, left.one, left.more, left.most)
            }
        };
        format!("{text} {}{assumed}{left}", count.observed)
    };
    tree.parts().iter().zip(&coverage.counts).map(line).collect()
}

#[track_caller]
fn check(model: &str, trace: &str, question: &Question, expected: &[&str]) {
    let (mut lowered, trace) = read(model, trace);
    let term = lowered.term.expect("an interaction");
    let found = witness(&mut lowered.pool, term, &trace, question);
    let (witness, verdict) = found.expect("it is explained");
    let tree = Tree::new(&lowered.pool, term).expect("it is small");
    let mut counter = Counter::new(&lowered.pool, &tree);
    let seen = seen(trace.partition(), question, verdict);
    counter.count(&lowered.pool, &tree, &witness, &seen);
    assert_eq!((counter.coverage.counted, counter.coverage.uncounted), (1, 0));
    assert_eq!(lines(&lowered.pool, &tree, &counter.coverage), expected);
}

#[test]
fn actions_are_counted_by_position() {
    // Equal terms at two places.
    check("seq(a!m, a!m)", "[a] a!m.a!m", &Question::ACCEPT, &["a!m 1", "a!m 1"]);
    check("seq(a!m, a!m)", "[a] a!m", &Question::MULTI_PREFIX, &["a!m 1", "a!m 0~1"]);
    check("seq(a!m, a!m)", "[a] a!m", &Question::GlobalPrefix, &["a!m 1", "a!m 0~1"]);
    check("a -- <synch> m -> b", "[a] a!m; [b] b?m", &Question::ACCEPT, &["{a!m, b?m} 1"]);
}

#[test]
fn the_branch_with_the_event_is_taken() {
    let model = "seq(alt(a!m, a!n, b!m), alt(a!m, o))";
    check(
        model,
        "[a] a!n.a!m; [b]",
        &Question::ACCEPT,
        &["1/3 0", "a!m 0", "2/3 1", "a!n 1", "3/3 0", "b!m 0", "1/2 1", "a!m 1", "2/2 0"],
    );
    check(
        model,
        "[a] ; [b] b!m",
        &Question::ACCEPT,
        &["1/3 0", "a!m 0", "2/3 0", "a!n 0", "3/3 1", "b!m 1", "1/2 0", "a!m 0", "2/2 1"],
    );
}

#[test]
fn what_was_left_out_is_assumed_where_logs_may_be_cut() {
    check(
        "seq(b!m, alt(a!m, o))",
        "[a]; [b] b!m",
        &Question::MULTI_PREFIX,
        &["b!m 1", "1/2 0", "a!m 0", "2/2 1"],
    );
    check(
        "seq(b!m, b!n, alt(a!m, o), alt(b!m, o))",
        "[a]; [b] b!m",
        &Question::MULTI_PREFIX,
        &["b!m 1", "b!n 0~1", "1/2 0", "a!m 0", "2/2 0~1", "1/2 0", "b!m 0", "2/2 0~1"],
    );
    let declared = [otus_analysis::Observed::Complete, otus_analysis::Observed::StopsEarly];
    check(
        "seq(b!m, b!n, alt(a!m, o), alt(b!m, o), loopS(a!n), loopS(b!n))",
        "[a]; [b] b!m",
        &Question::Each(declared.into()),
        &[
            "b!m 1",
            "b!n 0~1",
            "1/2 0",
            "a!m 0",
            "2/2 1",
            "1/2 0",
            "b!m 0",
            "2/2 0~1",
            "loop 0 [1 0 0, 0]",
            "a!n 0",
            "loop 0 [0 0 0, 0, ~1]",
            "b!n 0",
        ],
    );
}

#[test]
fn loops_are_left_after_their_iterations() {
    check("loopS(a!m)", "[a]", &Question::ACCEPT, &["loop 0 [1 0 0, 0]", "a!m 0"]);
    check("loopS(a!m)", "[a] a!m", &Question::ACCEPT, &["loop 1 [0 1 0, 1]", "a!m 1"]);
    check("loopW(a!m)", "[a] a!m.a!m.a!m", &Question::ACCEPT, &["loop 3 [0 0 1, 3]", "a!m 3"]);
    // Two iterations are on their way at the same time.
    check(
        "loopW(seq(a!m, b!m))",
        "[a] a!m.a!m; [b] b!m.b!m",
        &Question::ACCEPT,
        &["loop 2 [0 0 1, 2]", "a!m 2", "b!m 2"],
    );
    // An inner loop is left once in each iteration of the outer one.
    check(
        "loopS(seq(a!m, loopS(a!n)))",
        "[a] a!m.a!m.a!n.a!m.a!n.a!n",
        &Question::ACCEPT,
        &["loop 3 [0 0 1, 3]", "a!m 3", "loop 3 [1 1 1, 2]", "a!n 3"],
    );
    // An assumed event says nothing about how a loop was left.
    check(
        "loopS(seq(a!m, alt(a!n, o), a!o))",
        "[a] a!m.a!o.a!m",
        &Question::GlobalPrefix,
        &["loop 2 [0 0 0, 2, ~1]", "a!m 2", "1/2 0", "a!n 0", "2/2 0~2", "a!o 1~1"],
    );
}

#[test]
fn parts_that_cannot_be_exercised_are_none() {
    check("seq(loopS(o), a!m, alt(o, o))", "[a] a!m", &Question::ACCEPT, &["a!m 1"]);
    check("alt(a!m, o, o)", "[a]", &Question::ACCEPT, &["1/3 0", "a!m 0", "2/3 1"]);
}

#[test]
fn witnesses_of_the_searches_of_the_papers_are_counted() {
    let kinds = ["accept", "prefix", "eliminate", "simulate[before = true]"];
    for kind in kinds {
        let (mut lowered, trace) =
            read("seq(loopS(a -- m -> b), alt(b -- n -> c, c!m))", "[a] a!m; [b] b?m.b!n; [c] c?n");
        let term = lowered.term.expect("an interaction");
        let config = config(&format!("analysis_kind = {kind}"));
        let outcome =
            graph::analyze(&mut lowered.pool, term, &trace, &config, &mut Silent).unwrap();
        let witness = outcome.witness.expect("it passes");
        let tree = Tree::new(&lowered.pool, term).expect("it is small");
        let mut counter = Counter::new(&lowered.pool, &tree);
        counter.count(&lowered.pool, &tree, &witness, &LifelineSet::full(3));
        let lines = lines(&lowered.pool, &tree, &counter.coverage);
        let counts: Vec<&str> = lines.iter().map(|line| line.split(" [").next().unwrap()).collect();
        let expected = ["loop 1", "a!m 1", "b?m 1", "1/2 1", "b!n 1", "c?n 1", "2/2 0", "c!m 0"];
        assert_eq!(counts, expected, "{kind}");
    }
}

#[test]
fn what_just_stops_leaves_nothing() {
    let (mut lowered, trace) = read("loopS(seq(a!m, alt(a!n, o), a!o))", "[a] a!m.a!o.a!m");
    let term = lowered.term.expect("an interaction");
    let config = config("analysis_kind = prefix");
    let outcome = graph::analyze(&mut lowered.pool, term, &trace, &config, &mut Silent).unwrap();
    assert_eq!(outcome.verdict, Verdict::WeakPass);
    let tree = Tree::new(&lowered.pool, term).expect("it is small");
    let mut counter = Counter::new(&lowered.pool, &tree);
    let witness = outcome.witness.expect("it passes");
    counter.count(&lowered.pool, &tree, &witness, &LifelineSet::EMPTY);
    assert_eq!(
        lines(&lowered.pool, &tree, &counter.coverage),
        ["loop 2 [0 0 0, 2]", "a!m 2", "1/2 0", "a!n 0", "2/2 0", "a!o 1"]
    );
}

#[test]
fn joining_counts_does_not_depend_on_the_order() {
    let count = |x: u64| Count {
        observed: x,
        assumed: x * 3 % 5,
        groups: x % 2,
        exits: otus_analysis::coverage::LoopExits {
            zero: x,
            one: 1,
            more: x * x,
            most: 9 - x,
            assumed: x,
        },
    };
    let of = |xs: &[u64]| Coverage {
        counts: xs.iter().map(|&x| count(x)).collect(),
        counted: xs[0],
        uncounted: xs[1],
    };
    let all = [of(&[1, 2, 3]), of(&[4, 5, 6]), of(&[7, 8, 9]), of(&[2, 0, 1])];
    let joined = |order: [usize; 4]| {
        let mut sum = Coverage::default();
        for at in order {
            sum.merge(&all[at]);
        }
        sum
    };
    let expected = joined([0, 1, 2, 3]);
    assert_eq!(joined([3, 1, 0, 2]), expected);
    let (mut left, mut right) = (all[0].clone(), all[2].clone());
    left.merge(&all[1]);
    right.merge(&all[3]);
    right.merge(&left);
    assert_eq!(right, expected);
}

#[test]
fn long_traces_are_counted() {
    // The log of b is not consumed: ten thousand iterations are open at the same time.
    let count = 10_000;
    let often = |action: &str| vec![action; 10_000].join(".");
    let trace = format!("[a] {}; [b] {}; [c] {}", often("a!m"), often("b!m"), often("c!m"));
    let model = "seq(loopW(seq(a!m, b!m)), loopW(c!m))";
    let (mut lowered, trace) = read(model, &trace);
    let term = lowered.term.expect("an interaction");
    let (witness, _) =
        witness(&mut lowered.pool, term, &trace, &Question::ACCEPT).expect("it is explained");
    let tree = Tree::new(&lowered.pool, term).expect("it is small");
    let mut counter = Counter::new(&lowered.pool, &tree);
    counter.count(&lowered.pool, &tree, &witness, &LifelineSet::full(3));
    let observed: Vec<u64> = counter.coverage.counts.iter().map(|count| count.observed).collect();
    assert_eq!(observed, vec![count; 5]);
}

/// One way to derive a global trace: its events by position, and how often each part was exercised.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Derivation {
    nodes: Vec<usize>,
    /// By part: how often; by loop: how often it was left after no, one, and more iterations.
    counts: Vec<[u64; 4]>,
}

/// All derivations, from the meaning of the operators and not from their steps.
struct Derivations<'a> {
    pool: &'a Pool,
    tree: &'a Tree,
    longest: usize,
    /// By node and kind of part: its number.
    actions: Vec<Option<usize>>,
    branches: Vec<Option<usize>>,
}

impl Derivations<'_> {
    fn of(&self, node: usize) -> BTreeSet<Derivation> {
        let none = Derivation { nodes: Vec::new(), counts: vec![[0; 4]; self.tree.parts().len()] };
        let left = node + 1;
        let right = || self.tree.within(left).end;
        match self.pool.node(self.tree.term(node)) {
            Term::Empty => BTreeSet::from([none]),
            Term::Event(_) => {
                let mut one = none;
                one.nodes.push(node);
                one.counts[self.actions[node].expect("events are parts")][0] += 1;
                BTreeSet::from([one])
            }
            Term::Strict(..) => self.joined(&self.of(left), &self.of(right()), None),
            Term::Coreg(region, ..) => {
                self.joined(&self.of(left), &self.of(right()), Some(&self.pool.region(region)))
            }
            Term::Alt(..) => {
                let mut all = BTreeSet::new();
                for branch in [left, right()] {
                    let part = self.branches[branch];
                    all.extend(self.of(branch).into_iter().map(|mut derivation| {
                        if let Some(part) = part {
                            derivation.counts[part][0] += 1;
                        }
                        derivation
                    }));
                }
                all
            }
            Term::LoopS(_) => self.repeated(node, None, none),
            Term::LoopC(region, _) => self.repeated(node, Some(&self.pool.region(region)), none),
        }
    }

    fn repeated(
        &self,
        node: usize,
        region: Option<&LifelineSet>,
        none: Derivation,
    ) -> BTreeSet<Derivation> {
        let mut body = self.of(node + 1);
        body.retain(|derivation| !derivation.nodes.is_empty());
        let Some(part) = self.actions[node] else { return BTreeSet::from([none]) };
        let mut all = BTreeSet::new();
        let mut now = BTreeSet::from([none]);
        for iterations in 0..=self.longest {
            all.extend(now.iter().cloned().map(|mut derivation| {
                derivation.counts[part][0] += iterations as u64;
                derivation.counts[part][1 + iterations.min(2)] += 1;
                derivation
            }));
            now = self.joined(&now, &body, region);
        }
        all
    }

    /// Everything of one and of another, the first before the second on lifelines outside a region,
    /// or altogether if there is none.
    fn joined(
        &self,
        firsts: &BTreeSet<Derivation>,
        seconds: &BTreeSet<Derivation>,
        region: Option<&LifelineSet>,
    ) -> BTreeSet<Derivation> {
        let mut all = BTreeSet::new();
        for first in firsts {
            for second in seconds {
                if first.nodes.len() + second.nodes.len() > self.longest {
                    continue;
                }
                let sum = |(x, y): (&[u64; 4], &[u64; 4])| std::array::from_fn(|at| x[at] + y[at]);
                let counts: Vec<[u64; 4]> =
                    first.counts.iter().zip(&second.counts).map(sum).collect();
                let mut pending = vec![(Vec::new(), 0, 0)];
                while let Some((nodes, i, j)) = pending.pop() {
                    if i == first.nodes.len() && j == second.nodes.len() {
                        all.insert(Derivation { nodes, counts: counts.clone() });
                        continue;
                    }
                    if let Some(&next) = first.nodes.get(i) {
                        pending.push(([&nodes[..], &[next]].concat(), i + 1, j));
                    }
                    if let Some(&next) = second.nodes.get(j) {
                        let waits = |&before: &usize| match region {
                            None => true,
                            Some(region) => {
                                let both =
                                    self.lifelines(before).intersection(&self.lifelines(next));
                                !both.difference(region).is_empty()
                            }
                        };
                        if !first.nodes[i..].iter().any(waits) {
                            pending.push(([&nodes[..], &[next]].concat(), i, j + 1));
                        }
                    }
                }
            }
        }
        all
    }

    fn lifelines(&self, node: usize) -> LifelineSet {
        self.pool.lifelines(self.tree.term(node))
    }
}

fn events(pool: &Pool, tree: &Tree, nodes: &[usize]) -> Vec<EventId> {
    let event = |&node: &usize| {
        pool.node(tree.term(node)).as_event().expect("only events are counted as actions")
    };
    nodes.iter().map(event).collect()
}

/// The projection of a global trace onto a partition, with the ends of its components cut off.
fn observed(pool: &Pool, partition: &Partition, trace: &[EventId], cut: usize) -> MultiTrace {
    let mut builder = Builder::new(partition.clone(), trace.len(), false);
    for component in partition.components() {
        let of =
            |&action: &ActionId| partition.component_of(pool.action(action).lifeline) == component;
        let moments: Vec<Vec<ActionId>> = trace
            .iter()
            .map(|&event| pool.event_actions(event).iter().copied().filter(of).collect::<Vec<_>>())
            .filter(|moment| !moment.is_empty())
            .collect();
        for moment in &moments[..moments.len().saturating_sub(cut)] {
            builder.next_moment();
            for &action in moment {
                builder.push(action, 0);
            }
        }
        builder.next_component();
    }
    builder.finish(SourceId(0))
}

/// A random interaction over a, b and m, n.
fn random(seeded: &mut fastrand::Rng, depth: usize) -> String {
    let leaves = ["a!m", "b!m", "a!n", "b!n", "a -- m -> b", "a -- <synch> n -> b", "o"];
    if depth == 0 || seeded.u8(0..5) == 0 {
        return leaves[seeded.usize(0..leaves.len())].to_owned();
    }
    let binary = ["seq", "strict", "par", "alt", "coreg(a)"];
    let loops = ["loopS", "loopW", "loopP", "loopC(b)"];
    if seeded.u8(0..4) == 0 {
        return format!("{}({})", loops[seeded.usize(0..loops.len())], random(seeded, depth - 1));
    }
    let operator = binary[seeded.usize(0..binary.len())];
    let count = if seeded.u8(0..3) == 0 { 3 } else { 2 };
    let operands: Vec<String> = (0..count).map(|_| random(seeded, depth - 1)).collect();
    format!("{operator}({})", operands.join(", "))
}

/// Each derivation that is counted is one of those that there are of its global trace.
#[test]
fn what_is_counted_is_a_derivation() {
    const LONGEST: usize = 5;
    let mut seeded = fastrand::Rng::with_seed(8);
    let (mut whole, mut cut_off) = (0, 0);
    for round in 0..300 {
        let depth = 1 + round % 3;
        let text = random(&mut seeded, depth);
        let model = format!("@lifeline{{a;b}} @message{{m;n}} {text}");
        let (mut lowered, _) = read(&model, "[a]; [b]");
        let (pool, term) = (&mut lowered.pool, lowered.term.expect("an interaction"));
        let tree = Tree::new(pool, term).expect("it is small");
        if tree.len() > 15 {
            continue;
        }
        let mut numbers = [vec![None; tree.len()], vec![None; tree.len()]];
        for (at, part) in tree.parts().iter().enumerate() {
            numbers[usize::from(part.kind == PartKind::Branch)][part.node] = Some(at);
        }
        let [actions, branches] = numbers;
        let all = Derivations { pool, tree: &tree, longest: LONGEST, actions, branches }.of(0);
        let traces: BTreeSet<Vec<EventId>> =
            all.iter().map(|derivation| events(pool, &tree, &derivation.nodes)).collect();
        let partitions = [Partition::discrete(2), Partition::trivial(2)];
        for (at, trace) in traces.iter().take(40).enumerate() {
            let partition = &partitions[at % 2];
            for cut in [0, 1] {
                let multi = observed(pool, partition, trace, cut);
                let question = if cut == 0 { Question::ACCEPT } else { Question::MULTI_PREFIX };
                let (witness, verdict) = witness(pool, term, &multi, &question)
                    .unwrap_or_else(|| panic!("{text} accepts {trace:?}"));
                let mut counter = Counter::new(pool, &tree);
                let seen = seen(partition, &question, verdict);
                counter.count(pool, &tree, &witness, &seen);
                assert_eq!(counter.coverage.counted, 1, "{text}: {}", witness.text(pool));
                let events_there: Vec<EventId> = witness.events().map(|(event, _)| event).collect();
                if events_there.len() > LONGEST {
                    continue;
                }
                let counts = &counter.coverage.counts;
                let total = |kind: fn(&Count) -> u64| {
                    let actions = tree.parts().iter().zip(counts);
                    actions
                        .filter(|(part, _)| part.kind == PartKind::Action)
                        .map(|(_, x)| kind(x))
                        .sum::<u64>()
                };
                let seen_events = witness.events().filter(|(_, observed)| *observed).count();
                assert_eq!(total(|count| count.observed), seen_events as u64);
                assert_eq!(total(|count| count.assumed), (events_there.len() - seen_events) as u64);
                let ours: Vec<[u64; 4]> = counts
                    .iter()
                    .map(|count| {
                        let left = count.exits;
                        [count.observed + count.assumed, left.zero, left.one, left.more]
                    })
                    .collect();
                let is_ours = |derivation: &&Derivation| {
                    let whole = derivation.counts == ours;
                    // How loops were left is not known where something was assumed.
                    let firsts =
                        |counts: &[[u64; 4]]| counts.iter().map(|x| x[0]).collect::<Vec<_>>();
                    let weak =
                        verdict != Verdict::Pass && firsts(&derivation.counts) == firsts(&ours);
                    (whole || weak) && events(pool, &tree, &derivation.nodes) == events_there
                };
                assert!(
                    all.iter().any(|derivation| is_ours(&derivation)),
                    "{text}: {} is not counted as {ours:?}",
                    witness.text(pool)
                );
                if verdict == Verdict::Pass { whole += 1 } else { cut_off += 1 }
            }
        }
    }
    assert!(whole > 1000 && cut_off > 300, "only {whole} and {cut_off} were tried");
}
