//! Long multi-traces: the time per action, its growth, and the memory.

use std::collections::BTreeMap;
use std::time::Duration;

use cpu_time::ThreadTime;
use otus_analysis::{Question, Verdict};
use otus_papers::statistics::number;
use otus_papers::workload::Model;
use otus_papers::workload::model::{self, Texts};
use otus_trace::MultiTrace;

use super::use_cases::{MODELS, TWINS};
use super::walk::{Part, execution};
use super::{QUESTIONS, SEED, Size, memory, sessions};
use crate::measure::{head, nanoseconds, times};
use crate::targets::Targets;

/// A model and the number of iterations of its loop that may overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongWorkload {
    pub(super) name: &'static str,
    texts: Texts<'static>,
    overlapping: usize,
}

pub(super) fn workloads() -> impl Iterator<Item = LongWorkload> {
    let all = MODELS.into_iter().chain([("book16", model::BOOK), TWINS]);
    all.map(|(name, texts)| {
        let overlapping = if name == "book16" { 16 } else { 4 };
        LongWorkload { name, texts, overlapping }
    })
}

pub(super) struct LongTrace {
    pub(super) model: Model,
    pub(super) trace: MultiTrace,
    pub(super) question: &'static Question,
}

impl LongTrace {
    /// The multi-trace of the workload with a name, for a question by number, if both exist.
    pub(super) fn new(name: &str, question: usize, actions: usize) -> Option<LongTrace> {
        if name.starts_with("sessions-") {
            return sessions::trace(name, question, actions);
        }
        let workload = workloads().find(|workload| workload.name == name)?;
        let (asked, &part) = (QUESTIONS.get(question)?, Part::ALL.get(question)?);
        let model = Model::new(workload.texts);
        let trace = trace(&model, workload, part, actions);
        Some(LongTrace { model, trace, question: asked })
    }
}

fn trace(model: &Model, workload: LongWorkload, part: Part, actions: usize) -> MultiTrace {
    let mut rng = fastrand::Rng::with_seed(SEED);
    // Nearly every event is a message passing, which has two actions.
    let global = execution(&model.pool, model.term, actions / 2, workload.overlapping, &mut rng);
    part.of(&model.pool, &global, &mut rng)
}

/// By model and question: the number of actions, and the nanoseconds per action if there is an answer.
type Costs = BTreeMap<(&'static str, &'static str), Vec<(usize, Option<f64>)>>;

#[derive(Debug, Clone, Copy)]
struct LongAnalysis {
    elapsed: Duration,
    actions: usize,
    verdict: Verdict,
}

impl LongAnalysis {
    fn per_action(self) -> f64 {
        nanoseconds(self.elapsed) / number(self.actions.max(1))
    }
}

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Long multi-traces\n");
    println!(
        "Nanoseconds for each observed action, with a fresh engine each time, whose construction is included; in \
         brackets the ratio to the time for half as many. `abp`, `network` and `sensor` are regular: \
         iterations one after the other. `book` is coupled: up to 4 orders at a time, `book16` up to 16; \
         `twins` is coupled and ambiguous, a hard case of our own. A \
         multi-prefix is at least three quarters of each component, a slice at least three quarters \
         from somewhere in the first eighth. `!` is undecided, `?!` wrong.\n"
    );
    let names = QUESTIONS.each_ref().map(Question::name).join(" | ");
    head("model", &format!("actions | {names}"));
    let mut costs = Costs::new();
    let most = size.pick(1_000_000, 10_000_000);
    for workload in workloads() {
        let model = Model::new(workload.texts);
        let mut lost = [false; 4];
        let mut actions = 100;
        while actions <= most {
            let mut cells = Vec::new();
            for (at, (question, part)) in QUESTIONS.iter().zip(Part::ALL).enumerate() {
                if lost[at] {
                    cells.push("–".to_owned());
                    continue;
                }
                let half = measure(&model, workload, question, part, actions / 2, size);
                let whole = measure(&model, workload, question, part, actions, size);
                let mark = match whole.verdict {
                    Verdict::Inconclusive => " !",
                    Verdict::Fail => " ?!",
                    Verdict::Pass | Verdict::WeakPass | Verdict::WeakFail => "",
                };
                lost[at] = !mark.is_empty() || whole.elapsed > size.table_limit() / 4;
                let growth = nanoseconds(whole.elapsed) / nanoseconds(half.elapsed);
                cells.push(format!("{:.0} ({}){mark}", whole.per_action(), times(growth)));
                let cost = mark.is_empty().then_some(whole.per_action());
                costs.entry((workload.name, question.name())).or_default().push((actions, cost));
            }
            println!("| {} | {actions} | {} |", workload.name, cells.join(" | "));
            actions *= 10;
        }
    }
    add_targets(&costs, most, targets);
    memory::run(size, targets);
}

/// The best of three runs, unless a run is long: short runs are disturbed more easily.
fn measure(
    model: &Model,
    workload: LongWorkload,
    question: &Question,
    part: Part,
    actions: usize,
    size: Size,
) -> LongAnalysis {
    let trace = trace(model, workload, part, actions);
    let runs = if actions > 100_000 { 1 } else { 3 };
    let one = || {
        let start = ThreadTime::now();
        let mut engine = model.engine(trace.partition());
        let verdict = engine.analyze(&trace, question, &size.budget(&trace)).verdict;
        LongAnalysis { elapsed: start.elapsed(), actions: trace.len(), verdict }
    };
    let mut best = one();
    for _ in 1..runs {
        if best.elapsed > Duration::from_millis(500) {
            break;
        }
        let next = one();
        if next.elapsed < best.elapsed {
            best = next;
        }
    }
    best
}

fn add_targets(costs: &Costs, most: usize, targets: &mut Targets) {
    let mut check = |models: &[&'static str], question: &Question, limit: f64| {
        let mut worst: Option<f64> = Some(0.0);
        let mut reached = 0;
        for model in models {
            let Some(found) = costs.get(&(*model, question.name())) else { continue };
            for (_, cost) in found.iter().filter(|(actions, _)| *actions >= 100_000) {
                worst = worst.zip(*cost).map(|(worst, cost)| worst.max(cost));
                reached += 1;
            }
        }
        let wanted = models.len() * if most > 1_000_000 { 3 } else { 2 };
        let is_complete = reached == wanted;
        targets.add(
            format!("{}, {}, 10^5 to {most:.0e} actions", models.join("/"), question.name()),
            format!("≤ {limit:.0} ns each"),
            match worst {
                Some(worst) if is_complete => format!("{worst:.0} ns"),
                Some(worst) => format!("{worst:.0} ns as far as it went"),
                None => "undecided".to_owned(),
            },
            is_complete && worst.is_some_and(|worst| worst <= limit),
        );
    };
    check(&["abp", "network", "sensor"], &Question::ACCEPT, 30.0);
    for question in &QUESTIONS[..2] {
        check(&["book"], question, 200.0);
    }
    check(&["book"], &Question::MULTI_PREFIX, 500.0);
}
