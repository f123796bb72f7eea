//! Explanations: why a multi-trace fails, as plain data, from one line to the details.
//!
//! An [`Explanation`] has several levels of detail:
//!
//! 1. [`Headline`]: what is wrong, where, and what would have been right;
//! 2. [`Frontier`]: the furthest situations, and what each component could have done there;
//! 3. [`repair::Search`]: up to three edits after which the multi-trace would pass;
//! 4. [`Core`]: a smallest set of components that fail, and their shortest failing prefixes;
//! 5. for a `WeakPass`, [`Assumed`]: the events that were assumed to be missing.
//!
//! Every claim is an answer of the engine under the limits of [`Options`]. Where that is cheap, it
//! is also checked without the engine: a repair by [`certify`](mod@crate::certify), a core by
//! [`refute`](mod@crate::refute). A step that reached a limit says so ([`GaveUp`]). The result is a
//! function of the arguments, unless time is limited or the caller cancels.
//!
//! Moments of a component are counted from 0; where an index says "before this moment", the number
//! of moments stands for the end of the log. Terms in an explanation are those of the pool;
//! [`Lowered::place`](otus_core::Lowered::place) maps those that were read from a specification to
//! their source.

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
use otus_core::{ActionId, Partners, Pool, TermId};
use otus_trace::{ComponentId, MultiTrace};

pub use assumed::{Assumed, Missing};
pub use checker::Checked;
pub(crate) use checker::stops_early;
pub use core::Core;
pub use edit::{Change, Edit};
pub use frontier::{Choice, Expected, Frontier, Progress, Reached, Taken};
pub use headline::{Basis, Cause, Counterpart, Headline};
pub use phrase::happened as in_the_past;
pub use repair::Repair;

use crate::budget::{Budget, Stop};
use crate::engine::{self, Engine};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use alone::Alone;
use checker::{Answer, Checker};
use letters::{Letter, Letters, Logs};

/// The limits of an explanation, and facts that are known in addition to the interaction.
#[derive(Debug, Clone)]
pub struct Options {
    /// States and bytes for each question to the engine, and time for all of them together.
    pub budget: Budget,
    /// The maximum number of questions to the engine.
    pub max_questions: u64,
    /// The maximum number of actions of all questions together.
    pub max_work: u64,
    /// The maximum number of edits of a repair.
    pub max_edits: usize,
    /// The number of moments that are edited before and after a moment at which an explanation gets
    /// stuck.
    pub window: usize,
    /// The maximum number of situations that are visited to find the furthest ones.
    pub max_situations: u64,
    /// The maximum number of states of the certificate of a core; 0 makes none.
    pub max_certificate: u64,
    /// The partners of the actions of the interaction.
    pub partners: Partners,
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
            partners: Partners::default(),
        }
    }
}

/// The limit that ended a part of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaveUp {
    /// [`Options::max_questions`] is used up.
    Questions,
    /// [`Options::max_work`] is used up.
    Work,
    /// The engine did not answer a question within its budget, or the time is up.
    Stopped(Stop),
}

impl GaveUp {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            GaveUp::Questions => "the limit on questions to the engine is reached",
            GaveUp::Work => "the multi-trace is too long for more questions",
            GaveUp::Stopped(stop) => stop.reason(),
        }
    }
}

/// Why a multi-trace has its verdict. The other fields are filled for a Fail, and
/// [`assumed`](Explanation::assumed) for a `WeakPass`; a Pass needs no explanation.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// The fault in one line.
    pub headline: Option<Headline>,
    /// The components that fail whatever the others observed.
    pub alone: Vec<LoneFailure>,
    /// The furthest situations.
    pub frontier: Frontier,
    /// The edits that would make it pass.
    pub repair: Option<repair::Search>,
    /// The components and prefixes that suffice to fail.
    pub core: Option<Core>,
    /// The events that were assumed to be missing.
    pub assumed: Option<Assumed>,
    /// The number of questions to the engine.
    pub questions: u64,
    /// The first limit that was reached.
    pub gave_up: Option<GaveUp>,
}

/// A component that fails whatever the others observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoneFailure {
    /// The component.
    pub component: ComponentId,
    /// The number of its first moments that can be explained if the log may stop early. If these
    /// are all moments, the component fails because its log ends. `None` if a limit was reached.
    pub explained: Option<usize>,
    /// The moments that the component could have observed next; `None` if there were too many to
    /// ask.
    pub expected: Option<Vec<Box<[ActionId]>>>,
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

/// Like [`explain()`], with an engine that was made for this interaction and partition, whose
/// tables are reused.
pub fn explain_with(
    engine: &mut Engine,
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    options: &Options,
) -> Explanation {
    let (letters, logs) = Letters::new(pool, term, trace);
    let declared = trace.partition().components().map(|component| question.of(component)).collect();
    let case = Case { letters: &letters, logs: &logs, question, declared };
    let mut checker = Checker::new(engine, pool, term, &letters, options);
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
        Answer::Passes => {
            let verdict = checker.budget(trace.len()).map(|budget| {
                checker.questions += 1;
                checker.engine.analyze(trace, question, &budget).verdict
            });
            // Whether the multi-trace passes only weakly is a second question, which may be too
            // hard.
            found.verdict = match verdict {
                Some(Verdict::Pass) => Verdict::Pass,
                Some(Verdict::WeakPass | Verdict::Inconclusive) | None => Verdict::WeakPass,
                Some(Verdict::Fail | Verdict::WeakFail) => Verdict::Inconclusive,
            };
            if found.verdict == Verdict::WeakPass {
                found.assumed = assumed::assumed(&mut checker, &case);
            }
        }
        Answer::Fails(_) => {
            found.verdict = Verdict::Fail;
            explain_failure(&mut checker, &case, &mut found);
        }
        Answer::Unknown => {}
    }
    found.questions = checker.questions;
    found.gave_up = checker.gave_up;
    found
}

/// A multi-trace, and the question about it.
struct Case<'a> {
    letters: &'a Letters,
    logs: &'a Logs,
    question: &'a Question,
    /// The declaration of each component.
    declared: Vec<Observed>,
}

impl<'a> Case<'a> {
    /// The part of a component's log that is to be explained: all of it, or nothing if the component is unobserved.
    fn log(&self, component: usize) -> &'a [Letter] {
        let unobserved = self.declared[component] == Observed::Unobserved;
        if unobserved { &[] } else { &self.logs[component] }
    }
}

fn explain_failure(checker: &mut Checker<'_>, case: &Case<'_>, found: &mut Explanation) {
    let letters = case.letters;
    for component in letters.partition.components() {
        let log = case.log(component.index());
        let mut alone = Alone { checker, declared: &case.declared, component: component.index() };
        if alone.ask(log).fails() != Some(true) {
            continue;
        }
        let explained = alone.explained(log);
        let expected = explained.and_then(|end| alone.expected(&log[..end]));
        let expected = expected.map(|expected| letters.moments(&expected));
        found.alone.push(LoneFailure { component, explained, expected });
    }
    found.frontier = frontier::frontier(checker, case);
    let failing: Vec<usize> = found.alone.iter().map(|lone| lone.component.index()).collect();
    // The core and the headline take few questions, but some must be left for them.
    let before = checker.reserve(4);
    let anchors = anchors(case, found);
    found.repair = Some(repair::repair(checker, case, anchors));
    checker.allowance = before;
    found.core = core::core(checker, case, &failing);
    let root = simplify(checker.pool, checker.term);
    let terms = frontier::count_terms(checker.pool, root);
    let maker = headline::Maker {
        checker,
        case,
        alone: &found.alone,
        frontier: &found.frontier,
        repair: found.repair.as_ref().and_then(|search| search.found.as_ref()),
        core: found.core.as_ref(),
        terms: &terms,
    };
    found.headline = maker.headline();
}

/// The indexes to edit: where a single component gets stuck, and where all components together get
/// stuck.
fn anchors(case: &Case<'_>, found: &Explanation) -> repair::Anchors {
    let letters = case.letters;
    let mut places = vec![Vec::new(); case.logs.len()];
    let mut expected = vec![Vec::new(); case.logs.len()];
    for lone in &found.alone {
        let at = lone.component.index();
        places[at].extend(lone.explained);
        let moments = lone.expected.iter().flatten();
        expected[at].extend(moments.filter_map(|moment| letters.find(moment)));
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
