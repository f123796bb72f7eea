//! Why a multi-trace fails, as data: a ladder from a line to the details.
//!
//! 1. [`Headline`]: what is wrong, where, and what would have been right;
//! 2. [`Frontier`]: the furthest situations, and what each component could have done there;
//! 3. [`repair::Search`]: up to three edits after which the multi-trace would pass;
//! 4. [`Core`]: the smallest set of components that fail, and the shortest failing prefixes;
//! 5. for a `WeakPass`, [`Assumed`]: what was taken to be missing.
//!
//! Everything claimed is asked of the engine under the limits of [`Options`], and where that is cheap
//! checked by what knows no engine: a repair by [`certify`](mod@crate::certify), a core by
//! [`refute`](mod@crate::refute). Where a limit was reached, the step says so. The answer depends on
//! nothing but the arguments, unless time is limited or somebody cancels.
//!
//! Terms in an explanation are those of the pool; [`Lowered::place`](otus_core::Lowered::place) has
//! the places of those that were read from a specification.

mod alone;
mod assumed;
mod checker;
mod core;
mod edit;
mod frontier;
mod headline;
mod letters;
mod phrase;
pub mod repair;

use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_trace::{ComponentId, MultiTrace};

pub use assumed::{Assumed, Missing};
pub use checker::Checked;
pub use core::Core;
pub use edit::Edit;
pub use frontier::{Choice, Expected, Frontier, Progress, Reached, Taken};
pub use headline::{Basis, Cause, Counterpart, Headline};
pub use repair::Repair;

use crate::budget::{Budget, Stop};
use crate::engine::{self, Engine};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use checker::{Answer, Checker, declared};
use letters::{Letter, Letters};

/// What an explanation may use.
#[derive(Debug, Clone)]
pub struct Options {
    /// Of one question to the engine: its states and bytes; of all of them together: the time.
    pub budget: Budget,
    /// How many questions may be asked.
    pub max_questions: u64,
    /// How many actions they may have in all.
    pub max_work: u64,
    /// How many edits a repair may have.
    pub max_edits: usize,
    /// How many moments before and after where an explanation gets stuck are edited.
    pub window: usize,
    /// How many situations are looked at for the furthest ones.
    pub max_situations: u64,
    /// How many states a certificate of a core may have; none is made if that is 0.
    pub max_certificate: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            budget: Budget { max_states: Some(20_000), ..Budget::default() },
            max_questions: 20_000,
            max_work: 20_000_000,
            max_edits: 3,
            window: 24,
            max_situations: 4_000,
            max_certificate: 2_000,
        }
    }
}

/// Why something was not found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaveUp {
    /// As many questions were asked as may be.
    Questions,
    /// They were about as many actions as may be.
    Work,
    /// The engine did not answer a question within its budget, or time is up.
    Stopped(Stop),
}

impl GaveUp {
    /// In words.
    pub fn reason(self) -> &'static str {
        match self {
            GaveUp::Questions => "as many questions were asked as may be",
            GaveUp::Work => "the multi-trace is too long for more questions",
            GaveUp::Stopped(stop) => stop.reason(),
        }
    }
}

/// Why a multi-trace has its verdict.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The verdict. For a Pass there is nothing to explain.
    pub verdict: Verdict,
    /// What is wrong; for a Fail.
    pub headline: Option<Headline>,
    /// The components that fail whatever the others saw.
    pub alone: Vec<Lone>,
    /// How far an explanation gets; for a Fail.
    pub frontier: Frontier,
    /// What would make it pass; for a Fail.
    pub repair: Option<repair::Search>,
    /// What suffices to fail; for a Fail.
    pub core: Option<Core>,
    /// What was taken to be missing; for a `WeakPass`.
    pub assumed: Option<Assumed>,
    /// How many questions were asked.
    pub questions: u64,
    /// The first limit that was reached, if any.
    pub gave_up: Option<GaveUp>,
}

/// A component that fails by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lone {
    /// Which.
    pub component: ComponentId,
    /// How many of its first moments it can explain if its log may stop early; if that is all of them,
    /// it fails because it ends. `None` if a limit was reached.
    pub explained: Option<usize>,
    /// What it could have seen next, if that was not too much to ask.
    expected: Option<Vec<Letter>>,
}

/// Explains the verdict on a multi-trace.
///
/// ```
/// use otus_analysis::Question;
/// use otus_analysis::explain::{self, Cause};
/// use otus_syntax::{Source, parse_spec, parse_trace};
///
/// let mut model = parse_spec(&Source::new("m.hif", "seq(a -- m -> b, b -- n -> a)")).tree;
/// model.implicit = true;
/// let mut lowered = otus_core::lower(&[&model]);
/// let log = parse_trace(&Source::new("run.htf", "{[a] a!m.a?n; [b] b?m}")).tree;
/// let (trace, _) = otus_trace::lower(&log, &mut lowered.pool);
///
/// let (pool, term) = (&mut lowered.pool, lowered.term.unwrap());
/// let why = explain::explain(pool, term, &trace, &Question::ACCEPT, &explain::Options::default());
/// let headline = why.headline.unwrap();
/// assert_eq!(headline.cause, Cause::MissingCounterpart);
/// assert_eq!(headline.text, "a received n but b never sent it");
/// let repair = why.repair.unwrap().found.unwrap();
/// assert_eq!(repair.text(&trace, pool), ["insert b!n at the end"]);
/// ```
pub fn explain(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    options: &Options,
) -> Explanation {
    let mut engine = Engine::new(pool, term, trace.partition(), engine::Options::default());
    explain_with(&mut engine, pool, term, trace, question, options)
}

/// The same with an engine that was made for this interaction and partition, which may know much
/// already.
pub fn explain_with(
    engine: &mut Engine,
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    options: &Options,
) -> Explanation {
    let (letters, logs) = Letters::new(pool, term, trace);
    let mut checker = Checker::new(engine, pool, term, options);
    let mut found = Explanation {
        verdict: Verdict::Inconclusive,
        headline: None,
        alone: Vec::new(),
        frontier: Frontier::default(),
        repair: None,
        core: None,
        assumed: None,
        questions: 0,
        gave_up: None,
    };
    match checker.ask(trace, question) {
        Answer::Passes(_) => {
            let verdict = checker.budget(trace.len()).map(|budget| {
                checker.questions += 1;
                checker.engine.analyze(trace, question, &budget).verdict
            });
            // It passes; whether weakly is a second question, which may be too hard.
            found.verdict = match verdict {
                Some(Verdict::Pass) => Verdict::Pass,
                Some(Verdict::WeakPass | Verdict::Inconclusive) | None => Verdict::WeakPass,
                Some(Verdict::Fail | Verdict::WeakFail) => Verdict::Inconclusive,
            };
            if found.verdict == Verdict::WeakPass {
                found.assumed = assumed::assumed(&mut checker, &letters, &logs, question);
            }
        }
        Answer::Fails(_) => {
            found.verdict = Verdict::Fail;
            climb(&mut checker, &letters, &logs, question, options, &mut found);
        }
        Answer::Unknown => {}
    }
    found.questions = checker.questions;
    found.gave_up = checker.gave_up;
    found
}

/// The steps of the ladder for a multi-trace that fails.
fn climb(
    checker: &mut Checker<'_>,
    letters: &Letters,
    logs: &letters::Logs,
    question: &Question,
    options: &Options,
    found: &mut Explanation,
) {
    let own = declared(question, logs.len());
    for (at, log) in logs.iter().enumerate() {
        let log = &log[..length(log, own[at])];
        if alone::fails(checker, letters, &own, at, log) != Some(true) {
            continue;
        }
        let explained = alone::explained(checker, letters, &own, at, log);
        let expected =
            explained.and_then(|end| alone::expected(checker, letters, &own, at, &log[..end]));
        found.alone.push(Lone { component: ComponentId::new(at), explained, expected });
    }
    found.frontier = frontier::frontier(checker, letters, logs, question, options);
    let failing: Vec<usize> = found.alone.iter().map(|lone| lone.component.index()).collect();
    // A core and a headline take few questions; these are left for them.
    let before = checker.reserve(4);
    let anchors = anchors(letters, logs, found);
    let patient = repair::Patient { letters, logs, question, options };
    found.repair = Some(repair::repair(checker, &patient, anchors));
    checker.release(before);
    found.core = core::core(checker, letters, logs, question, &failing);
    let root = simplify(checker.pool, checker.term);
    let terms = frontier::count_terms(checker.pool, root);
    let facts = headline::Facts {
        letters,
        logs,
        question,
        alone: &found.alone,
        frontier: &found.frontier,
        repair: found.repair.as_ref().and_then(|search| search.found.as_ref()),
        core: found.core.as_ref(),
        terms: &terms,
    };
    found.headline = headline::headline(checker, &facts);
}

/// Where to look for edits: where a component by itself is stuck, and where all together are.
fn anchors(letters: &Letters, logs: &letters::Logs, found: &Explanation) -> repair::Anchors {
    let mut places = vec![Vec::new(); logs.len()];
    let mut expected: Vec<Vec<Letter>> = vec![Vec::new(); logs.len()];
    for lone in &found.alone {
        let at = lone.component.index();
        places[at].extend(lone.explained);
        expected[at].extend(lone.expected.iter().flatten());
    }
    for state in &found.frontier.states {
        for progress in &state.components {
            let at = progress.component.index();
            if !places[at].contains(&progress.consumed) {
                places[at].push(progress.consumed);
            }
            let next = progress.expected.iter().filter_map(|next| letters.find(&next.moment));
            expected[at].extend(next);
        }
    }
    let failing = found.alone.iter().map(|lone| lone.component.index()).collect();
    repair::Anchors { places, expected, failing }
}

/// How many moments of a log are to be explained: none if it is unobserved.
fn length(log: &[Letter], declared: Observed) -> usize {
    if declared == Observed::Unobserved { 0 } else { log.len() }
}
