//! Parallel sessions: long logs with all sessions in flight.
//!
//! The sessions come in two waves. In each wave all of them begin before one goes on, and then a random one moves, so that
//! about as many are in flight as there are. Between the waves nothing is in flight. The fault is there: the last
//! action of the first wave occurs once more in its log.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ThreadTime;
use otus_analysis::{Question, Verdict};
use otus_core::{EventId, Pool, Term, TermId};
use otus_papers::statistics::number;
use otus_papers::workload::Model;
use otus_papers::workload::model;
use otus_testkit::corpus;
use otus_trace::{MultiTrace, Partition};

use super::long::LongTrace;
use super::memory::in_process;
use super::use_cases::asynchronous;
use super::walk::{Part, part};
use super::{QUESTIONS, SEED, Size};
use crate::measure::{head, nanoseconds, times};
use crate::targets::Targets;

/// A model, and the folder of the corpus with the times of `hibou_label` for it.
const MODELS: [(&str, &str); 4] = [
    ("sessions-book", "coping"),
    ("sessions-book-async", "coping_async"),
    ("sessions-mqtt", "mqtt"),
    ("sessions-contract", "smart_contract"),
];

/// A model by name; none if it is one of the corpus, and there is no corpus.
fn model(name: &str) -> Option<Model> {
    match name {
        "sessions-book" => Some(Model::new(model::BOOK)),
        "sessions-book-async" => Some(asynchronous(model::BOOK)),
        _ => {
            let (_, folder) = MODELS.into_iter().find(|(known, _)| *known == name)?;
            let found = corpus::models()?.into_iter().find(|model| model.name == folder)?;
            Some(Model { pool: found.pool, term: found.term })
        }
    }
}

/// A global execution in two waves, and the number of events of the first.
struct Waves {
    events: Vec<EventId>,
    first: usize,
}

impl Waves {
    /// An execution of about this number of events.
    fn new(model: &Model, events: usize, rng: &mut fastrand::Rng) -> Waves {
        let mut waves = Waves { events: Vec::with_capacity(events + 64), first: 0 };
        waves.add(&model.pool, model.term, events, rng);
        waves
    }

    /// Appends an execution of a term. Parts of a sequence follow one another; only the loop in it is long.
    fn add(&mut self, pool: &Pool, term: TermId, events: usize, rng: &mut fastrand::Rng) {
        match pool.node(term) {
            Term::LoopC(region, body) if region == Pool::ALL => {
                self.wave(pool, body, events / 2, rng);
                self.first = self.events.len();
                self.wave(pool, body, events - events / 2, rng);
            }
            Term::LoopC(_, body) | Term::LoopS(body) => {
                while self.events.len() < events {
                    part(pool, rng, body, &mut self.events);
                    if self.events.len() <= events / 2 {
                        self.first = self.events.len();
                    }
                }
            }
            Term::Strict(left, right) | Term::Coreg(_, left, right) => {
                self.add(pool, left, events, rng);
                self.add(pool, right, events, rng);
            }
            Term::Empty | Term::Event(_) | Term::Alt(..) => {
                part(pool, rng, term, &mut self.events);
            }
        }
    }

    /// Appends sessions that are all in flight at the same time.
    fn wave(&mut self, pool: &Pool, body: TermId, events: usize, rng: &mut fastrand::Rng) {
        let mut sessions = Vec::new();
        let mut count = 0;
        while count < events {
            let mut session = Vec::new();
            part(pool, rng, body, &mut session);
            count += session.len();
            sessions.push(session.into_iter());
        }
        self.events.extend(sessions.iter_mut().filter_map(Iterator::next));
        while !sessions.is_empty() {
            let chosen = rng.usize(..sessions.len());
            match sessions[chosen].next() {
                Some(event) => self.events.push(event),
                None => drop(sessions.swap_remove(chosen)),
            }
        }
    }
}

/// The multi-trace of a model for a question by number, perhaps with the fault; its name ends with `!` then.
pub(super) fn trace(name: &str, question: usize, actions: usize) -> Option<LongTrace> {
    let (name, has_fault) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    let model = model(name)?;
    let (asked, &part) = (QUESTIONS.get(question)?, Part::ALL.get(question)?);
    let trace = observed(&model, part, actions, has_fault);
    Some(LongTrace { model, trace, question: asked })
}

fn observed(model: &Model, part: Part, actions: usize, has_fault: bool) -> MultiTrace {
    let mut rng = fastrand::Rng::with_seed(SEED);
    let synchronous = (0..model.pool.event_count())
        .any(|event| model.pool.event_actions(otus_core::index::Index::new(event)).len() > 1);
    let events = if synchronous { actions / 2 } else { actions };
    let mut waves = Waves::new(model, events, &mut rng);
    if has_fault && waves.first > 0 {
        waves.events.insert(waves.first, waves.events[waves.first - 1]);
    }
    part.of(&model.pool, &waves.events, &mut rng)
}

struct Run {
    elapsed: Duration,
    verdict: Verdict,
}

impl Run {
    /// The best of some runs, of which each has a new engine.
    fn new(model: &Model, trace: &MultiTrace, question: &Question, size: Size) -> Run {
        let one = || {
            let start = ThreadTime::now();
            let mut engine = model.engine(trace.partition());
            let verdict = engine.analyze(trace, question, &size.budget(trace)).verdict;
            Run { elapsed: start.elapsed(), verdict }
        };
        let runs = if trace.len() > 100_000 { 2 } else { 5 };
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
}

/// The letter of a verdict in a table.
fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Pass => 'P',
        Verdict::WeakPass => 'w',
        Verdict::Fail => 'F',
        Verdict::WeakFail => 'f',
        Verdict::Inconclusive => '!',
    }
}

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Parallel sessions\n");
    println!(
        "Nanoseconds for each observed action with all sessions in flight, with a fresh engine each time, whose construction \
         is included; then the verdict: P Pass, w WeakPass, F Fail, ! undecided. `!` after the model: with one fault in the \
         middle. The exponent e says that time grows like nᵉ from 10⁴ to 10⁶. Memory is beside the multi-trace, at 10⁶. \
         hibou_label: nanoseconds for each action in the accepted cases of the corpus, which have some tens of actions.\n"
    );
    head("model | question", "10⁴ | 10⁵ | 10⁶ | e | MB | hibou_label | ratio");
    let (mut worst, mut undecided) = (0.0_f64, 0);
    for (name, folder) in MODELS {
        let Some(found) = model(name) else {
            println!("| {name} | skipped: there is no corpus | | | | | |");
            continue;
        };
        for has_fault in [false, true] {
            for (at, (question, part)) in QUESTIONS.iter().zip(Part::ALL).enumerate() {
                let full = format!("{name}{}", if has_fault { "!" } else { "" });
                let mut costs = Vec::new();
                let mut cells = String::new();
                for actions in SIZES {
                    let trace = observed(&found, part, actions, has_fault);
                    let run = Run::new(&found, &trace, question, size);
                    let cost = nanoseconds(run.elapsed) / number(trace.len().max(1));
                    let wrong = if !has_fault && run.verdict == Verdict::Fail { "?" } else { "" };
                    let _ = write!(cells, "{cost:.0} {}{wrong} | ", letter(run.verdict));
                    undecided += usize::from(run.verdict == Verdict::Inconclusive);
                    costs.push(cost);
                    if run.verdict == Verdict::Inconclusive {
                        break;
                    }
                }
                let last = costs.last().copied().unwrap_or(0.0);
                let exponent = if costs.len() == SIZES.len() {
                    worst = worst.max(last);
                    format!("{:.2}", 1.0 + (costs[2] / costs[0]).log10() / 2.0)
                } else {
                    cells += &"– | ".repeat(SIZES.len() - costs.len());
                    "–".to_owned()
                };
                let memory = in_process(&full, at, SIZES[2])
                    .map_or("–".to_owned(), |memory| format!("{:.1}", memory.megabytes));
                let peer = hibou(folder, at).filter(|_| !has_fault);
                println!(
                    "| {full} | {} | {cells}{exponent} | {memory} | {} | {} |",
                    question.name(),
                    peer.map_or("–".to_owned(), |peer| format!("{peer:.0}")),
                    peer.map_or("–".to_owned(), |peer| times(peer / last)),
                );
            }
        }
    }
    targets.add(
        "parallel sessions, 10^6 actions, all questions, with and without a fault",
        "≤ 100 ns each",
        format!("{worst:.0} ns, {undecided} undecided"),
        worst <= 100.0 && undecided == 0,
    );
}

/// The mean nanoseconds of `hibou_label` for each action of the accepted multi-traces of the corpus.
fn hibou(folder: &str, question: usize) -> Option<f64> {
    let key = ["accept", "prefix", "eliminate", "simulate"][question];
    let mut model = corpus::models()?.into_iter().find(|model| model.name == folder)?;
    let (mut total, mut actions) = (0.0, 0);
    let discrete = Partition::discrete(model.pool.signature().lifeline_count());
    for case in std::mem::take(&mut model.cases) {
        let time = case.rest.get("hibou_ms").and_then(|times| times[model.key(key)].as_f64());
        let trace = model.trace(&case);
        let accepted = corpus::oracle(&case, "accept") == Some(true);
        if let Some(time) = time.filter(|_| accepted && *trace.partition() == discrete) {
            total += time * 1e6;
            actions += trace.len();
        }
    }
    (actions > 0).then(|| total / number(actions))
}
