//! Long multi-traces: what an event costs, how that grows, and what memory it takes.

use std::collections::BTreeMap;
use std::time::Duration;

use cpu_time::ThreadTime;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_trace::MultiTrace;

use super::checks::Checks;
use super::timing::{nanoseconds, number, times};
use super::use_cases::{MODELS, TWINS};
use super::walk::{Part, execution};
use super::{QUESTIONS, SEED, Size, memory};
use otus_papers::workload::Model;

/// A model and how many iterations are under way at a time.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) texts: (&'static str, &'static str),
    pub(super) together: usize,
}

pub(super) fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for (name, texts) in MODELS {
        all.push(Workload { name, texts, together: 4 });
    }
    let book = MODELS.iter().find(|(name, _)| *name == "book");
    all.extend(book.map(|(_, texts)| Workload { name: "book16", texts: *texts, together: 16 }));
    all.push(Workload { name: TWINS.0, texts: TWINS.1, together: 4 });
    all
}

/// A multi-trace of about so many actions.
pub(super) fn trace(model: &Model, workload: &Workload, part: Part, actions: usize) -> MultiTrace {
    let mut rng = fastrand::Rng::with_seed(SEED);
    // Nearly every event is a passing, which is seen twice.
    let global = execution(&model.pool, model.term, actions / 2, workload.together, &mut rng);
    part.of(&model.pool, &global, &mut rng)
}

/// By model and question: how many actions, and what each costs if there is an answer.
type Costs = BTreeMap<(&'static str, &'static str), Vec<(usize, Option<f64>)>>;

/// One measurement.
#[derive(Debug, Clone, Copy)]
struct Measured {
    elapsed: Duration,
    actions: usize,
    verdict: Verdict,
}

impl Measured {
    fn per_action(self) -> f64 {
        nanoseconds(self.elapsed) / number(self.actions.max(1))
    }
}

pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## Long multi-traces");
    println!();
    println!(
        "Nanoseconds for each observed action, a fresh engine each time and making it included, and in \
         brackets how much longer it takes for twice as many. `abp`, `network` and `sensor` are regular: \
         iterations one after the other. `book` is coupled: up to 4 orders at a time, `book16` up to 16; \
         `twins` is coupled and ambiguous, a hard case of our own. A \
         multi-prefix is at least three quarters of each component, a slice at least three quarters \
         from somewhere in the first eighth. `!` is undecided, `?!` wrong."
    );
    println!();
    println!("| model | actions | {} |", QUESTIONS.each_ref().map(Question::name).join(" | "));
    println!("|---|--:|--:|--:|--:|--:|");
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
                let half = measure(&model, &workload, question, part, actions / 2, size);
                let whole = measure(&model, &workload, question, part, actions, size);
                let mark = match whole.verdict {
                    Verdict::Inconclusive => " !",
                    Verdict::Fail => " ?!",
                    Verdict::Pass | Verdict::WeakPass | Verdict::WeakFail => "",
                };
                lost[at] = !mark.is_empty() || whole.elapsed > size.patience() / 4;
                let growth = nanoseconds(whole.elapsed) / nanoseconds(half.elapsed);
                cells.push(format!("{:.0} ({}){mark}", whole.per_action(), times(growth)));
                let cost = mark.is_empty().then_some(whole.per_action());
                costs.entry((workload.name, question.name())).or_default().push((actions, cost));
            }
            println!("| {} | {actions} | {} |", workload.name, cells.join(" | "));
            actions *= 10;
        }
    }
    check_costs(&costs, most, checks);
    memory::run(size, checks);
}

/// The best of some runs: short ones are disturbed more easily.
fn measure(
    model: &Model,
    workload: &Workload,
    question: &Question,
    part: Part,
    actions: usize,
    size: Size,
) -> Measured {
    let trace = trace(model, workload, part, actions);
    let runs = if actions > 100_000 { 1 } else { 3 };
    let one = || {
        let start = ThreadTime::now();
        let mut engine =
            Engine::new(&model.pool, model.term, trace.partition(), Options::default());
        let verdict = engine.analyze(&trace, question, &size.budget(&trace)).verdict;
        Measured { elapsed: start.elapsed(), actions: trace.len(), verdict }
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

fn check_costs(costs: &Costs, most: usize, checks: &mut Checks) {
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
        checks.add(
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
