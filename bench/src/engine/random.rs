//! Many small multi-traces of random interactions.
//!
//! The authors of `hibou_label` measured 115,570 random multi-traces of random interactions; our design notes have the
//! time that their program took. Our interactions are generated in a similar way (five lifelines, six messages, all
//! operators), and those of theirs that are in `../shared/corpus` are used as they are.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use otus_analysis::config::Kind;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::{LifelineId, MessageId, Pool, Signature, TermId};
use otus_papers::workload::Model;
use otus_testkit::corpus;
use otus_trace::transform::derive_seed;
use otus_trace::{MultiTrace, Partition};

use super::sets::{Sample, Set, derived};
use super::timing::{Times, analyse, analyse_up_to, print_head, search};
use super::{QUESTIONS, SEED, Size, searches};
use crate::measure::{head, nanoseconds, show, times};
use crate::targets::Targets;

/// The nanoseconds of `hibou_label` for one multi-trace of its random benchmark, with all its reductions: 20 s for
/// 115,570.
const HIBOU_FASTEST: f64 = 20e9 / 115_570.0;
/// Its nanoseconds without reductions: 850 s, some 230 undecided.
const HIBOU_PLAIN: f64 = 850e9 / 115_570.0;

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Random multi-traces");
    many(size, targets);
    recorded(size, targets);
}

pub(super) struct Group {
    name: &'static str,
    subjects: Vec<Subject>,
}

struct Subject {
    model: Model,
    sets: Vec<Set>,
}

fn groups() -> Vec<Group> {
    let ours = |from: u64, count: u64, shape: Shape| -> Vec<Subject> {
        let one = |i: u64| {
            let mut rng = fastrand::Rng::with_seed(SEED + i);
            Subject::new(interaction(&mut rng, shape), &format!("ours {i}"))
        };
        (from..from + count).map(one).collect()
    };
    let is_random = |name: &str| name.starts_with("gen") || name.starts_with("rnd");
    let theirs = corpus::models().unwrap_or_default().into_iter();
    let theirs = theirs.filter(|recorded| is_random(&recorded.name)).map(|recorded| {
        let model = Model { pool: recorded.pool, term: recorded.term };
        Subject::new(model, &recorded.name)
    });
    vec![
        Group { name: "theirs", subjects: theirs.collect() },
        Group { name: "like theirs", subjects: ours(0, 60, Shape::LikeTheirs) },
        Group { name: "harder", subjects: ours(1_000, 30, Shape::Harder) },
    ]
}

/// Some of our interactions, from both shapes.
pub(super) fn interactions(count: u64) -> Vec<Model> {
    let one = |i: u64| {
        let shape = if i.is_multiple_of(2) { Shape::LikeTheirs } else { Shape::Harder };
        interaction(&mut fastrand::Rng::with_seed(SEED + i), shape)
    };
    (0..count).map(one).collect()
}

pub(super) fn group(name: &str) -> Option<Group> {
    groups().into_iter().find(|group| group.name == name)
}

/// The mean time of the multi-traces of a group in nanoseconds.
pub(super) fn mean(group: &Group, question: &'static Question, goal: Verdict, size: Size) -> f64 {
    ask_group(group, Asked { question, goal }, size, &mut Vec::new()).times.mean()
}

fn many(size: Size, targets: &mut Targets) {
    let groups = groups();
    println!(
        "\nThree groups of interactions: random ones of the corpus (theirs, {}), ours with as many operators \
         and leaves of each kind (like theirs, {}), and ours with more concurrency, co-regions, nested loops \
         and message passings (harder, {}). All on the discrete partition. One engine for each interaction \
         and question; making it is part of the time of its first multi-trace. The times of hibou_label are \
         from the design notes: {} for each multi-trace with all reductions, {} without. It was asked whether \
         each is a multi-prefix, with `goal = WeakPass`, which does not distinguish accepted multi-traces. \
         The last question is asked in the same way.",
        groups[0].subjects.len(),
        groups[1].subjects.len(),
        groups[2].subjects.len(),
        show(HIBOU_FASTEST),
        show(HIBOU_PLAIN)
    );
    let mut slow = Vec::new();
    print_head("interactions | question", &["wrong", "hibou_label, fastest", "hibou_label, plain"]);
    let mut hardest = Vec::new();
    let asked = QUESTIONS.iter().map(|question| Asked { question, goal: Verdict::Pass });
    let as_hibou = Asked { question: &Question::MULTI_PREFIX, goal: Verdict::WeakPass };
    for asked in asked.chain([as_hibou]) {
        let (mut ordinary, mut hard, mut wrong, mut left_out) =
            (Times::default(), Times::default(), 0, 0);
        let Asked { question, goal } = asked;
        let suffix = if goal == Verdict::WeakPass { ", explained or not" } else { "" };
        let name = format!("{}{suffix}", question.name());
        for group in &groups {
            let GroupResult { times: found, wrong: bad, skipped } =
                ask_group(group, asked, size, &mut slow);
            let note = if skipped > 0 { format!(" ({skipped} skipped)") } else { String::new() };
            println!(
                "| {}{note} | {} | {} | {bad} | {} | {} |",
                group.name,
                name,
                found.cells(),
                times(HIBOU_FASTEST / found.mean()),
                times(HIBOU_PLAIN / found.mean())
            );
            wrong += bad;
            if group.name == "harder" {
                hard.extend(&found);
                left_out = skipped;
            } else {
                wrong += skipped;
                ordinary.extend(&found);
            }
            // The times of `hibou_label` are of its own interactions.
            if goal == Verdict::WeakPass && group.name == "theirs" && found.len() > 0 {
                let (fast, plain) = (HIBOU_FASTEST / found.mean(), HIBOU_PLAIN / found.mean());
                let what = "random multi-traces of hibou_label's interactions, against its";
                targets.add(format!("{what} fastest"), "≥ 150×", times(fast), fast >= 150.0);
                targets.add(format!("{what} plain time"), "≥ 5000×", times(plain), plain >= 5000.0);
            }
        }
        targets.add(
            format!("random multi-traces, {name}: undecided; wrong or skipped"),
            "0; 0",
            format!("{}; {wrong}", ordinary.undecided()),
            ordinary.undecided() + wrong == 0,
        );
        hardest.push(format!(
            "{name}: {} undecided, {left_out} skipped after the time limit",
            hard.undecided()
        ));
    }
    println!("\nOf the harder ones: {}.", hardest.join("; "));
    slow.sort_by(|one: &Slow<'_>, other| other.time.total_cmp(&one.time));
    if !slow.is_empty() {
        println!(
            "\nThe slowest, of those over a millisecond; one of each interaction and question:\n"
        );
    }
    for Slow { time, question, model, trace } in slow.into_iter().take(10) {
        let (time, interaction) = (show(time), model.pool.text(model.term));
        println!("- {time} for {question}: `{interaction}` and `{}`", model.text(trace));
    }
    beside_graph(&groups, size, targets);
}

struct Slow<'g> {
    time: f64,
    question: &'static str,
    model: &'g Model,
    trace: &'g MultiTrace,
}

/// A question and the verdict that suffices.
#[derive(Debug, Clone, Copy)]
struct Asked {
    question: &'static Question,
    goal: Verdict,
}

#[derive(Default)]
struct GroupResult {
    times: Times,
    /// The number of verdicts that contradict the construction of their multi-traces.
    wrong: usize,
    /// The number of multi-traces that were skipped after the time limit.
    skipped: usize,
}

/// Analyses all multi-traces of a group, and adds those over a millisecond to `slow`, one of each interaction.
fn ask_group<'g>(
    group: &'g Group,
    asked: Asked,
    size: Size,
    slow: &mut Vec<Slow<'g>>,
) -> GroupResult {
    let mut result = GroupResult::default();
    let begin = Instant::now();
    for subject in &group.subjects {
        let count: usize = subject.sets.iter().map(|set| set.traces.len()).sum();
        if begin.elapsed() > size.table_limit() {
            result.skipped += count;
            continue;
        }
        let before = result.times.len();
        let slowest = subject.analyse(asked, size, &mut result);
        result.skipped += count - (result.times.len() - before);
        slow.extend(slowest.filter(|slowest| slowest.time > 1e6));
    }
    result
}

impl Subject {
    /// An interaction with sets derived from a hundred random executions.
    fn new(mut model: Model, purpose: &str) -> Subject {
        let seed = derive_seed(SEED, &[purpose]);
        let sets = derived(&mut model, Sample { count: 100, length: 20 }, seed, 2, purpose);
        Subject { model, sets }
    }

    /// Analyses all multi-traces with one engine; returns the slowest.
    fn analyse(&self, asked: Asked, size: Size, result: &mut GroupResult) -> Option<Slow<'_>> {
        let (model, Asked { question, goal }) = (&self.model, asked);
        let mut slowest: Option<Slow<'_>> = None;
        let start = ThreadTime::now();
        let mut engine = model.engine(&model.discrete());
        let mut made = Some(start.elapsed());
        for set in &self.sets {
            let mut found = analyse_up_to(goal, &mut engine, &set.traces, question, size);
            let (time, at) = found.slowest();
            if slowest.as_ref().is_none_or(|slowest| time > slowest.time) {
                let slow = |trace| Slow { time, question: question.name(), model, trace };
                slowest = set.traces.get(at).map(slow);
            }
            if set.must_pass(question) {
                result.wrong += found.count(Verdict::Fail);
                if set.name == "accepted" && goal == Verdict::Pass {
                    result.wrong += found.count(Verdict::WeakPass);
                }
            }
            if let Some(made) = made.take() {
                found.add_to_first(made);
            }
            result.times.extend(&found);
            if found.len() < set.traces.len() {
                // The engine overran its budget.
                break;
            }
        }
        slowest
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nine to eighteen single actions, mostly weak sequences and alternatives, about two weak loops: like those of
    /// `hibou_label`.
    LikeTheirs,
    /// Message passings, more concurrency, co-regions, nested loops of all kinds.
    Harder,
}

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
    let mut parts = Generator { rng, pool: &mut pool, lifelines, messages, shape };
    let term = parts.term(leaves);
    Model { pool, term }
}

struct Generator<'a> {
    rng: &'a mut fastrand::Rng,
    pool: &'a mut Pool,
    lifelines: Vec<LifelineId>,
    messages: Vec<MessageId>,
    shape: Shape,
}

impl Generator<'_> {
    fn term(&mut self, leaves: usize) -> TermId {
        if leaves <= 1 {
            return self.leaf();
        }
        let first = self.rng.usize(1..leaves);
        let left = self.term(first);
        let right = self.term(leaves - first);
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

/// Compares the papers' searches with the engine on some of the multi-traces.
fn beside_graph(groups: &[Group], size: Size, targets: &mut Targets) {
    println!(
        "\nEvery fiftieth of them by the papers' searches with memoization, at most 20,000 nodes each, and by a fresh engine for each interaction:\n"
    );
    let numbers =
        "multi-traces | `graph` mean | p99 | undecided | engine mean | p99 | ratio | differences";
    head("question", numbers);
    for (question, config) in QUESTIONS.iter().zip(searches(20_000)) {
        let (mut slow, mut fast, mut differences) = (Times::default(), Times::default(), 0);
        let begin = Instant::now();
        for Subject { model, sets } in groups.iter().flat_map(|group| &group.subjects) {
            let some: Vec<&MultiTrace> =
                sets.iter().flat_map(|set| &set.traces).step_by(50).collect();
            let searched = search(model, some.iter().copied(), &config, Duration::from_secs(5));
            let mut engine = model.engine(&model.discrete());
            let found = analyse(&mut engine, some.into_iter().take(searched.len()), question, size);
            // `eliminate` has another semantics, and a bounded simulation that fails proves nothing.
            let explains = |verdict: Verdict| verdict >= Verdict::WeakPass;
            differences += searched
                .verdicts
                .iter()
                .zip(&found.verdicts)
                .filter(|(theirs, ours)| match config.kind {
                    Kind::Accept | Kind::Prefix => {
                        **theirs != Verdict::Inconclusive && explains(**theirs) != explains(**ours)
                    }
                    Kind::Eliminate => **theirs == Verdict::Fail && explains(**ours),
                    Kind::Simulate(_) => explains(**theirs) && !explains(**ours),
                })
                .count();
            slow.extend(&searched);
            fast.extend(&found);
            if begin.elapsed() > size.table_limit() {
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
        targets.add(
            format!("differences from `graph`, {}", question.name()),
            "0",
            differences.to_string(),
            differences == 0,
        );
    }
}

/// Compares with the times of `hibou_label` that were recorded for the cases of the corpus.
fn recorded(size: Size, targets: &mut Targets) {
    println!();
    let Some(models) = corpus::models() else {
        println!("Recorded times: skipped, since there is no `../shared/corpus`.");
        return;
    };
    println!(
        "The cases of the corpus with recorded times of hibou_label (version 0.8.8, memoization, no other \
         reductions; cases that took longer than 5 s are left out). Ours include making an engine \
         for each partition of each model. Models with `<synch>` are compared with version 0.8.5.\n"
    );
    let numbers = "cases | hibou_label | ours | ratio | p50 | max | undecided";
    head("models | question", numbers);
    let keys = ["accept", "prefix", "eliminate", "simulate"];
    let mut sums: BTreeMap<(&str, usize), (f64, Times)> = BTreeMap::new();
    for mut recorded in models {
        let group = match recorded.name.get(..3) {
            Some("gen") => "gen: random ones of hibou_label",
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
        let total = nanoseconds(ours.total);
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
    targets.add("cases of the corpus: undecided", "0", undecided.to_string(), undecided == 0);
}
