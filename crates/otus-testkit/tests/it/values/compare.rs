//! Compares two ways to answer, and prints the smallest case in which they differ.

use otus_analysis::{Question, Verdict};
use otus_core::{Pool, TermId, Valued};
use otus_testkit::oracle::values::Case;
use otus_testkit::valued_cases::shape::Flavor;
use otus_testkit::valued_cases::shrink::shrink;
use otus_testkit::valued_cases::{Generated, Prepared};
use otus_trace::{Facts, MultiTrace, ObservedOrder};

/// The most failures that are told.
const MOST: usize = 6;

/// What an engine is asked.
pub(super) struct Asked<'a> {
    pub(super) pool: &'a Pool,
    pub(super) term: TermId,
    pub(super) valued: &'a Valued,
    pub(super) trace: &'a MultiTrace,
    pub(super) facts: &'a Facts,
    pub(super) uncertainty: Option<i64>,
    pub(super) question: &'a Question,
    pub(super) order: &'a ObservedOrder,
}

impl<'a> Asked<'a> {
    /// The question of a case.
    pub(super) fn new(generated: &'a Generated, prepared: &'a Prepared) -> Option<Asked<'a>> {
        Some(Asked {
            pool: &prepared.lowered.pool,
            term: prepared.term?,
            valued: prepared.lowered.valued.as_deref()?,
            trace: &prepared.trace,
            facts: &prepared.facts,
            uncertainty: generated.uncertainty,
            question: &generated.question,
            order: &prepared.order,
        })
    }

    /// For the oracle.
    pub(super) fn case(&self) -> Case<'a> {
        let Asked { pool, valued, trace, facts, uncertainty, order, .. } = *self;
        Case { pool, valued, trace, facts, uncertainty, order: Some(order) }
    }
}

/// Two answers to one case as text; `None` for a case that was too large. The second may be [`LOST`].
pub(super) type Answers = Option<(String, String)>;

/// The answer of an engine whose budget was too small.
pub(super) const LOST: &str = "Inconclusive";

/// Counts answers, and collects failures.
#[derive(Debug, Default)]
pub(super) struct Report {
    decided: u64,
    undecided: u64,
    lost: u64,
    answers: std::collections::BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Report {
    /// Compares two answers to a case, and shrinks it if they differ.
    pub(super) fn check(
        &mut self,
        generated: &Generated,
        answers: &mut dyn FnMut(&Asked<'_>) -> Answers,
    ) {
        let mut ask = |generated: &Generated| {
            let prepared = generated.prepare()?;
            answers(&Asked::new(generated, &prepared)?)
        };
        match ask(generated) {
            None => self.undecided += 1,
            Some((_, second)) if second == LOST => {
                self.lost += 1;
                if self.lost <= crate::setting("OTUS_VALUE_LOST", 0) {
                    println!("lost: {}", generated.text());
                }
            }
            Some((first, second)) if first == second => {
                self.decided += 1;
                *self.answers.entry(first).or_default() += 1;
            }
            Some(_) => {
                let differs =
                    |case: &Generated| ask(case).is_some_and(|(a, b)| a != b && b != LOST);
                let small = shrink(generated.clone(), differs);
                let (first, second) = ask(&small).unwrap_or_default();
                let text =
                    format!("{}\n  first        {first}\n  second       {second}", small.text());
                if !self.failures.contains(&text) {
                    self.failures.push(text);
                }
            }
        }
    }

    /// Whether enough failures are known.
    pub(super) fn is_full(&self) -> bool {
        self.failures.len() >= crate::setting("OTUS_VALUE_FAILURES", MOST)
    }

    /// Prints what happened, and fails if answers differed or too many cases were too large.
    #[track_caller]
    pub(super) fn finish(mut self, name: &str) {
        self.failures.sort_by_key(String::len);
        let Report { decided, undecided, lost, answers, failures } = &self;
        let wrong = failures.len();
        println!(
            "{name}: {decided} cases, {wrong} wrong, {undecided} too large for the oracle, {lost} for the engine; {answers:?}"
        );
        assert!(failures.is_empty(), "{name}:\n\n{}", failures.join("\n\n"));
        assert!(decided >= undecided, "{name}: too many cases are too large");
    }
}

/// Random cases of a flavor.
pub(super) fn sweep(
    name: &str,
    (test, most): (u64, u64),
    flavor: &Flavor,
    mut answers: impl FnMut(&Asked<'_>) -> Answers,
) {
    let mut report = Report::default();
    for case in 0..most {
        if report.is_full() {
            break;
        }
        let mut rng = super::rng(test, case);
        let generated = (0..50).find_map(|_| Generated::random(&mut rng, flavor));
        if let Some(generated) = generated {
            report.check(&generated, &mut answers);
        }
    }
    report.finish(name);
}

/// The answer of an engine, as text.
pub(super) fn told(verdict: Option<Verdict>) -> Option<String> {
    verdict.map(|verdict| verdict.to_string())
}
