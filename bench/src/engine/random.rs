//! Many small multi-traces.
//!
//! The peer's authors measured 115,570 random multi-traces of random interactions; what their
//! program took for them is a figure of our design notes. Our interactions are made in the same
//! spirit (five lifelines, six messages, all operators), and those of theirs that `../shared/corpus`
//! has are taken as they are.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use otus_analysis::config::{Config, Kind, Simulation};
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict, generate};
use otus_core::{LifelineId, MessageId, Pool, Signature, TermId};
use otus_syntax::print;
use otus_testkit::corpus;
use otus_trace::{MultiTrace, Partition, raise};

use super::checks::Checks;
use super::sets::{Set, derived};
use super::timing::{Times, analyse, analyse_up_to, nanoseconds, print_head, search, show, times};
use super::{QUESTIONS, SEED, Size};
use otus_papers::workload::Model;

/// What the peer takes for one multi-trace of its random benchmark, with all its reductions: 20 s
/// for 115,570.
const PEER_FASTEST: f64 = 20e9 / 115_570.0;
/// Without them: 850 s, some 230 undecided.
const PEER_PLAIN: f64 = 850e9 / 115_570.0;

pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## Random multi-traces");
    many(size, checks);
    recorded(size, checks);
}

/// Interactions of one kind, each with its multi-traces.
pub(super) struct Group {
    name: &'static str,
    subjects: Vec<(Model, Vec<Set>)>,
}

fn groups() -> Vec<Group> {
    let ours = |from: u64, count: u64, shape: Shape| -> Vec<(Model, Vec<Set>)> {
        let one = |i: u64| {
            let mut rng = fastrand::Rng::with_seed(SEED + i);
            subject(interaction(&mut rng, shape), 100, &format!("ours {i}"))
        };
        (from..from + count).filter_map(one).collect()
    };
    let is_random = |name: &str| name.starts_with("gen") || name.starts_with("rnd");
    let theirs = corpus::models().unwrap_or_default().into_iter();
    let theirs = theirs.filter(|recorded| is_random(&recorded.name)).filter_map(|recorded| {
        let model = Model { pool: recorded.pool, term: recorded.term };
        subject(model, 100, &recorded.name)
    });
    vec![
        Group { name: "theirs", subjects: theirs.collect() },
        Group { name: "like theirs", subjects: ours(0, 60, Shape::LikeTheirs) },
        Group { name: "harder", subjects: ours(1_000, 30, Shape::Harder) },
    ]
}

/// A group by its name.
pub(super) fn group(name: &str) -> Option<Group> {
    groups().into_iter().find(|group| group.name == name)
}

/// What one of its multi-traces takes on average, in nanoseconds.
pub(super) fn mean(group: &Group, asked: (&Question, Verdict), size: Size) -> f64 {
    ask_group(group, asked, size, &mut Vec::new()).0.mean()
}

fn many(size: Size, checks: &mut Checks) {
    let groups = groups();
    println!();
    println!(
        "Three groups of interactions: random ones of the corpus (theirs, {}), ours with as many operators \
         and leaves of each kind (like theirs, {}), and ours with more concurrency, co-regions, nested loops \
         and message passings (harder, {}). All on the discrete partition. One engine for each interaction \
         and question; making it is part of the time of its first multi-trace. The peer's figures are \
         those of the design notes: {} for each multi-trace at its fastest, {} plainly; it was asked whether \
         each is a multi-prefix, with `goal = WeakPass`, which does not tell those that are accepted from the others. \
         The last question is asked like that.",
        groups[0].subjects.len(),
        groups[1].subjects.len(),
        groups[2].subjects.len(),
        show(PEER_FASTEST),
        show(PEER_PLAIN)
    );
    let mut slow = Vec::new();
    print_head("interactions | question", &["wrong", "peer, fastest", "peer, plain"]);
    let mut hardest = Vec::new();
    let asked = QUESTIONS.iter().map(|question| (question, Verdict::Pass));
    let as_the_peer = (&Question::MULTI_PREFIX, Verdict::WeakPass);
    for (question, goal) in asked.chain([as_the_peer]) {
        let (mut ordinary, mut hard, mut wrong, mut left_out) =
            (Times::default(), Times::default(), 0, 0);
        let suffix = if goal == Verdict::WeakPass { ", explained or not" } else { "" };
        let name = format!("{}{suffix}", question.name());
        for group in &groups {
            let (found, bad, skipped) = ask_group(group, (question, goal), size, &mut slow);
            let note = if skipped > 0 { format!(" ({skipped} skipped)") } else { String::new() };
            println!(
                "| {}{note} | {} | {} | {bad} | {} | {} |",
                group.name,
                name,
                found.cells(),
                times(PEER_FASTEST / found.mean()),
                times(PEER_PLAIN / found.mean())
            );
            wrong += bad;
            if group.name == "harder" {
                hard.extend(&found);
                left_out = skipped;
            } else {
                wrong += skipped;
                ordinary.extend(&found);
            }
            // The peer's times are those of its own interactions.
            if goal == Verdict::WeakPass && group.name == "theirs" && found.len() > 0 {
                let (fast, plain) = (PEER_FASTEST / found.mean(), PEER_PLAIN / found.mean());
                let what = "random multi-traces of the peer's interactions, against its";
                checks.add(format!("{what} fastest"), "≥ 150×", times(fast), fast >= 150.0);
                checks.add(format!("{what} plain time"), "≥ 5000×", times(plain), plain >= 5000.0);
            }
        }
        checks.add(
            format!("random multi-traces, {name}: undecided; wrong or skipped"),
            "0; 0",
            format!("{}; {wrong}", ordinary.undecided()),
            ordinary.undecided() + wrong == 0,
        );
        hardest.push(format!(
            "{name}: {} undecided, {left_out} not asked for want of patience",
            hard.undecided()
        ));
    }
    println!();
    println!("Of the harder ones: {}.", hardest.join("; "));
    slow.sort_by(|one: &Slow<'_>, other| other.time.total_cmp(&one.time));
    if !slow.is_empty() {
        println!();
        println!("The slowest, of those over a millisecond; one of each interaction and question:");
        println!();
    }
    for Slow { time, question, model, trace } in slow.into_iter().take(10) {
        let trace = print::trace_line(&raise(trace, &model.pool));
        println!(
            "- {} for {question}: `{}` and `{trace}`",
            show(time),
            model.pool.text(model.term)
        );
    }
    beside_graph(&groups, size, checks);
}

/// A multi-trace that took long.
struct Slow<'g> {
    time: f64,
    question: &'static str,
    model: &'g Model,
    trace: &'g MultiTrace,
}

/// All multi-traces of a group: the times, how many verdicts must be wrong, and how many multi-traces
/// were left out for want of patience.
fn ask_group<'g>(
    group: &'g Group,
    asked: (&Question, Verdict),
    size: Size,
    slow: &mut Vec<Slow<'g>>,
) -> (Times, usize, usize) {
    let (mut all, mut wrong, mut skipped) = (Times::default(), 0, 0);
    let begin = Instant::now();
    for (model, sets) in &group.subjects {
        let count: usize = sets.iter().map(|set| set.traces.len()).sum();
        if begin.elapsed() > size.patience() {
            skipped += count;
            continue;
        }
        let (found, bad, slowest) = one_engine(model, sets, asked, size);
        skipped += count - found.len();
        wrong += bad;
        all.extend(&found);
        if let Some((time, trace)) = slowest.filter(|(time, _)| *time > 1e6) {
            slow.push(Slow { time, question: asked.0.name(), model, trace });
        }
    }
    (all, wrong, skipped)
}

/// All multi-traces of an interaction by one engine, how many verdicts must be wrong, and the slowest.
fn one_engine<'g>(
    model: &Model,
    sets: &'g [Set],
    (question, goal): (&Question, Verdict),
    size: Size,
) -> (Times, usize, Option<(f64, &'g MultiTrace)>) {
    let (mut all, mut wrong) = (Times::default(), 0);
    let mut slowest: Option<(f64, &MultiTrace)> = None;
    let partition = Partition::discrete(model.pool.signature().lifeline_count());
    let start = ThreadTime::now();
    let mut engine = Engine::new(&model.pool, model.term, &partition, Options::default());
    let mut made = Some(start.elapsed());
    for set in sets {
        let mut found = analyse_up_to(goal, &mut engine, &set.traces, question, size);
        let (time, at) = found.slowest();
        if slowest.is_none_or(|(most, _)| time > most) {
            slowest = set.traces.get(at).map(|trace| (time, trace));
        }
        if set.must_pass(question) {
            wrong += found.count(Verdict::Fail);
            if set.name == "accepted" && goal == Verdict::Pass {
                wrong += found.count(Verdict::WeakPass);
            }
        }
        if let Some(made) = made.take() {
            found.add_to_first(made);
        }
        all.extend(&found);
        if found.len() < set.traces.len() {
            // It overran its budget.
            break;
        }
    }
    (all, wrong, slowest)
}

/// A model with its multi-traces; `None` if it accepts next to nothing.
fn subject(mut model: Model, count: usize, purpose: &str) -> Option<(Model, Vec<Set>)> {
    let seed = otus_trace::transform::derive_seed(SEED, &[purpose]);
    let global = generate::random(&mut model.pool.clone(), model.term, (count, 20), seed);
    let partition = Partition::discrete(model.pool.signature().lifeline_count());
    let accepted: Vec<MultiTrace> =
        global.iter().map(|trace| generate::project(&model.pool, &partition, trace)).collect();
    let sets = derived(&mut model, accepted, 2, purpose);
    (!sets.is_empty()).then_some((model, sets))
}

/// How random interactions are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Some nine to eighteen single actions, mostly weak sequences and alternatives, about two weak loops.
    LikeTheirs,
    /// Message passings, more concurrency, co-regions, nested loops of all kinds.
    Harder,
}

/// A random interaction on five lifelines.
fn interaction(rng: &mut fastrand::Rng, shape: Shape) -> Model {
    let mut signature = Signature::default();
    let lifelines: Vec<LifelineId> =
        (1..=5).map(|i| signature.add_lifeline(&format!("l{i}"))).collect();
    let messages: Vec<MessageId> =
        (1..=6).map(|i| signature.add_message(&format!("m{i}"))).collect();
    let mut pool = Pool::new(signature);
    let leaves = match shape {
        Shape::LikeTheirs => rng.usize(9..=18),
        Shape::Harder => rng.usize(6..16),
    };
    let mut parts = Parts { rng, pool: &mut pool, lifelines, messages, shape };
    let term = parts.part(leaves);
    Model { pool, term }
}

struct Parts<'a> {
    rng: &'a mut fastrand::Rng,
    pool: &'a mut Pool,
    lifelines: Vec<LifelineId>,
    messages: Vec<MessageId>,
    shape: Shape,
}

impl Parts<'_> {
    fn part(&mut self, leaves: usize) -> TermId {
        if leaves <= 1 {
            return self.leaf();
        }
        let first = self.rng.usize(1..leaves);
        let left = self.part(first);
        let right = self.part(leaves - first);
        let (rng, pool) = (&mut *self.rng, &mut *self.pool);
        match self.shape {
            Shape::LikeTheirs => {
                let both = match rng.usize(..20) {
                    0 | 1 => pool.strict(left, right),
                    2 => pool.par(left, right),
                    3..=7 => pool.alt(left, right),
                    _ => pool.seq(left, right),
                };
                match rng.usize(..40) {
                    0..=5 => pool.loop_w(both),
                    _ => both,
                }
            }
            Shape::Harder => {
                let both = match rng.usize(..10) {
                    0 | 1 => pool.strict(left, right),
                    2..=5 => pool.seq(left, right),
                    6 => pool.par(left, right),
                    7 => {
                        let set = [self.lifelines[rng.usize(..5)]].into_iter().collect();
                        let region = pool.intern_region(&set);
                        pool.coreg(region, left, right)
                    }
                    _ => pool.alt(left, right),
                };
                match rng.usize(..12) {
                    0 => pool.loop_s(both),
                    1 => pool.loop_w(both),
                    2 => pool.loop_p(both),
                    _ => both,
                }
            }
        }
    }

    fn leaf(&mut self) -> TermId {
        let (from, to) = (self.lifelines[self.rng.usize(..5)], self.lifelines[self.rng.usize(..5)]);
        let message = self.messages[self.rng.usize(..6)];
        let sent = self.pool.emission(from, message);
        let received = self.pool.reception(to, message);
        match (self.shape, self.rng.usize(..4)) {
            (Shape::Harder, 0) => self.pool.strict(sent, received),
            (Shape::Harder, 1) | (Shape::LikeTheirs, 0 | 1) => received,
            (Shape::Harder | Shape::LikeTheirs, _) => sent,
        }
    }
}

/// Some of the same multi-traces by the papers' searches, and by the engine.
fn beside_graph(groups: &[Group], size: Size, checks: &mut Checks) {
    println!();
    println!(
        "Every fiftieth of them by the papers' searches with memory, at most 20,000 nodes each, and by a fresh engine for each interaction:"
    );
    println!();
    println!(
        "| question | multi-traces | `graph` mean | p99 | undecided | engine mean | p99 | ratio | differences |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let kinds =
        [Kind::Accept, Kind::Prefix, Kind::Eliminate, Kind::Simulate(Simulation::default())];
    for (question, kind) in QUESTIONS.iter().zip(kinds) {
        let mut config =
            Config { kind, memoize: true, goal: Some(Verdict::WeakPass), ..Config::default() };
        config.budget.max_states = Some(20_000);
        let (mut slow, mut fast, mut differences) = (Times::default(), Times::default(), 0);
        let begin = Instant::now();
        for (model, sets) in groups.iter().flat_map(|group| &group.subjects) {
            let some: Vec<&MultiTrace> =
                sets.iter().flat_map(|set| &set.traces).step_by(50).collect();
            let searched = search(model, some.iter().copied(), &config, Duration::from_secs(5));
            let partition = Partition::discrete(model.pool.signature().lifeline_count());
            let mut engine = Engine::new(&model.pool, model.term, &partition, Options::default());
            let found = analyse(&mut engine, some.into_iter().take(searched.len()), question, size);
            // `eliminate` has a semantics of its own, and a failed simulation proves nothing.
            let explains = |verdict: Verdict| verdict >= Verdict::WeakPass;
            differences += searched
                .verdicts
                .iter()
                .zip(&found.verdicts)
                .filter(|(theirs, ours)| match kind {
                    Kind::Accept | Kind::Prefix => {
                        **theirs != Verdict::Inconclusive && explains(**theirs) != explains(**ours)
                    }
                    Kind::Eliminate => **theirs == Verdict::Fail && explains(**ours),
                    Kind::Simulate(_) => explains(**theirs) && !explains(**ours),
                })
                .count();
            slow.extend(&searched);
            fast.extend(&found);
            if begin.elapsed() > size.patience() {
                break;
            }
        }
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {differences} |",
            question.name(),
            slow.len(),
            show(slow.mean()),
            show(slow.quantile(990)),
            slow.undecided(),
            show(fast.mean()),
            show(fast.quantile(990)),
            times(slow.mean() / fast.mean())
        );
        checks.add(
            format!("differences from `graph`, {}", question.name()),
            "0",
            differences.to_string(),
            differences == 0,
        );
    }
}

// --- recorded times

/// The cases of the corpus whose times were recorded, beside ours.
fn recorded(size: Size, checks: &mut Checks) {
    println!();
    let Some(models) = corpus::models() else {
        println!("Recorded times are left out: there is no `../shared/corpus`.");
        return;
    };
    println!(
        "The cases of the corpus with recorded times of the peer (version 0.8.8, memoization, no other \
         reductions; at most 5 s each, and what took longer is left out). Ours include making an engine \
         for each partition of each model. Models with `<synch>` are compared with version 0.8.5."
    );
    println!();
    println!("| models | question | cases | peer | ours | ratio | p50 | max | undecided |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    let keys = ["accept", "prefix", "eliminate", "simulate"];
    let mut sums: BTreeMap<(&str, usize), (f64, Times)> = BTreeMap::new();
    for mut recorded in models {
        let group = match recorded.name.get(..3) {
            Some("gen") => "gen: the peer's random ones",
            Some("rnd") => "rnd: other random ones",
            Some(_) | None => "use cases",
        };
        let cases = std::mem::take(&mut recorded.cases);
        let traces: Vec<MultiTrace> = cases.iter().map(|case| recorded.trace(case)).collect();
        for (number, (question, key)) in QUESTIONS.iter().zip(keys).enumerate() {
            let mut engines: Vec<(Partition, Engine)> = Vec::new();
            for (case, trace) in cases.iter().zip(&traces) {
                if recorded.peer(case, key).is_none() {
                    continue;
                }
                let recorded_time =
                    case.rest.get("hibou_ms").and_then(|times| times[recorded.key(key)].as_f64());
                let Some(milliseconds) = recorded_time else { continue };
                let start = ThreadTime::now();
                let known = engines.iter().position(|(other, _)| other == trace.partition());
                let at = known.unwrap_or_else(|| {
                    let options = Options::default();
                    let (pool, term) = (&recorded.pool, recorded.term);
                    let engine = Engine::new(pool, term, trace.partition(), options);
                    engines.push((trace.partition().clone(), engine));
                    engines.len() - 1
                });
                let verdict = engines[at].1.analyze(trace, question, &size.budget(trace)).verdict;
                let (theirs, ours) = sums.entry((group, number)).or_default();
                *theirs += milliseconds * 1e6;
                ours.push(start.elapsed(), verdict);
            }
        }
    }
    for ((group, number), (theirs, ours)) in &sums {
        let total = nanoseconds(ours.total());
        println!(
            "| {group} | {} | {} | {} | {} | {} | {} | {} | {} |",
            QUESTIONS[*number].name(),
            ours.len(),
            show(*theirs),
            show(total),
            times(theirs / total),
            show(ours.quantile(500)),
            show(ours.max()),
            ours.undecided()
        );
    }
    let undecided: usize = sums.values().map(|(_, ours)| ours.undecided()).sum();
    checks.add("cases of the corpus: undecided", "0", undecided.to_string(), undecided == 0);
}
