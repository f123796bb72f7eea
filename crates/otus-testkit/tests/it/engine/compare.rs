//! Asks the engine, and reports its wrong verdicts.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Observed, Question, Verdict};
use otus_core::{Pool, TermId};
use otus_testkit::oracle::Observation;
use otus_trace::{MultiTrace, Partition};

/// The time limit of an engine. The limit on states is reached long before, so that no result depends on the load of the
/// machine; this is for an engine that loops without making a state.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The most states of an engine before it counts as undecided.
pub(crate) fn enough() -> Budget {
    Budget { max_states: Some(100_000), timeout: Some(TIMEOUT), ..Budget::default() }
}

/// The same for an engine that may be undecided.
fn little() -> Budget {
    Budget { max_states: Some(20_000), timeout: Some(TIMEOUT), ..Budget::default() }
}

/// The right verdict.
pub(crate) fn verdict(accepted: bool, explained: bool) -> Verdict {
    match (accepted, explained) {
        (true, _) => Verdict::Pass,
        (false, true) => Verdict::WeakPass,
        (false, false) => Verdict::Fail,
    }
}

/// A random declaration for each component.
pub(crate) fn random_declarations(rng: &mut fastrand::Rng, components: usize) -> Box<[Observed]> {
    (0..components).map(|_| Observed::ALL[rng.usize(..Observed::ALL.len())]).collect()
}

/// An interaction with a partition, and engines for it that are used for many multi-traces, as in production.
pub(crate) struct Subject<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) term: TermId,
    pub(crate) partition: &'a Partition,
    kept: Vec<(Options, Engine)>,
    /// A pool for replays.
    own: Pool,
    asked: u64,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(
        pool: &'a Pool,
        term: TermId,
        partition: &'a Partition,
        options: &[Options],
    ) -> Subject<'a> {
        let engine = |&options: &Options| (options, Engine::new(pool, term, partition, options));
        let kept = options.iter().map(engine).collect();
        Subject { pool, term, partition, kept, own: pool.clone(), asked: 0 }
    }

    /// Asks every engine, and sometimes a new one.
    pub(crate) fn check(
        &mut self,
        seen: &Observation,
        question: &Question,
        expected: impl Fn(Verdict) -> bool,
        wanted: &str,
        report: &mut Report,
    ) {
        let trace = seen.to_multi_trace();
        report.cases += 1;
        self.asked += 1;
        let mut wrong = Vec::new();
        for (options, engine) in &mut self.kept {
            let is_default = *options == Options::default();
            let may_be_lost = report.may_be_lost(is_default);
            let budget = if may_be_lost { little() } else { enough() };
            let start = Instant::now();
            let found = ask(engine, &trace, question, &budget);
            if is_default {
                report.note_time(start.elapsed(), || {
                    let (term, seen) = (self.pool.text(self.term), seen.text(self.pool));
                    format!("{question:?} of {term} and {seen}")
                });
            }
            report.count(&found);
            let lost = found == Ok(Verdict::Inconclusive);
            if lost {
                *(if is_default { &mut report.lost } else { &mut report.undecided }) += 1;
                if may_be_lost {
                    continue;
                }
            }
            if !found.as_ref().is_ok_and(|&verdict| expected(verdict)) {
                // An engine that panicked may be in any state.
                *engine = Engine::new(self.pool, self.term, self.partition, *options);
                let again = ask(engine, &trace, question, &budget);
                wrong.push((*options, found, Some(again)));
            } else if let Ok(verdict) = found
                && verdict >= Verdict::WeakPass
                && is_default
            {
                let witness =
                    engine.witness(&mut self.own, self.term, &trace, question, verdict, &budget);
                let problem = match witness {
                    None => Some("no witness".to_owned()),
                    Some(witness) => {
                        let claim = (question, verdict);
                        certify(&mut self.own, self.term, &trace, claim, &witness)
                            .err()
                            .map(|error| format!("{error}: {}", witness.text(&self.own)))
                    }
                };
                report.witnesses += 1;
                if let Some(problem) = problem {
                    wrong.push((*options, Err(problem), None));
                }
            } else if self.asked.is_multiple_of(41) {
                let mut fresh = Engine::new(self.pool, self.term, self.partition, *options);
                let again = ask(&mut fresh, &trace, question, &budget);
                if again != found {
                    wrong.push((*options, again, None));
                }
            }
        }
        for (options, found, fresh) in wrong {
            let by_fresh = match fresh {
                None => "(by a fresh engine; the used one is right)".to_owned(),
                Some(Ok(verdict)) => format!("(a fresh engine: {verdict})"),
                Some(Err(_)) => "(a fresh engine panics)".to_owned(),
            };
            let found = match found {
                Ok(verdict) => verdict.to_string(),
                Err(message) => format!("panic: {message}"),
            };
            let term = self.pool.text(self.term);
            report.wrong.push((
                term.len() + 8 * seen.len(),
                format!(
                    "term     {term}\n  trace    {}\n  question {question:?}\n  options  {options:?}\n  \
                     expected {wanted}\n  found    {found} {by_fresh}",
                    seen.text(self.pool)
                ),
            ));
        }
    }

    /// The same where exactly one verdict is right.
    pub(crate) fn check_verdict(
        &mut self,
        seen: &Observation,
        question: &Question,
        expected: Verdict,
        report: &mut Report,
    ) {
        self.check(seen, question, |found| found == expected, expected.name(), report);
    }
}

/// The verdict, or the message of the engine's panic.
fn ask(
    engine: &mut Engine,
    trace: &MultiTrace,
    question: &Question,
    budget: &Budget,
) -> Result<Verdict, String> {
    let work = AssertUnwindSafe(|| engine.analyze(trace, question, budget).verdict);
    catch_unwind(work).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
        text.unwrap_or_default()
    })
}

/// The numbers of compared cases, and the wrong verdicts.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The number of cases: interaction, partition, multi-trace and question.
    pub(crate) cases: u64,
    /// The number of answers of all engines.
    answers: BTreeMap<Verdict, u64>,
    panics: u64,
    /// The number of cases whose right verdict is unknown.
    pub(crate) unknown: u64,
    /// The engines that may be undecided.
    patience: Patience,
    /// The number of undecided answers of engines with some switches off.
    undecided: u64,
    /// The number of undecided answers of engines with all switches on.
    lost: u64,
    /// The slowest answers of an engine with all switches on.
    slowest: Vec<(Duration, String)>,
    /// The number of witnesses.
    witnesses: u64,
    /// The wrong verdicts, with the sizes of their cases.
    wrong: Vec<(usize, String)>,
}

/// The engines that may be undecided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Patience {
    /// None, because the cases are small.
    #[default]
    None,
    /// Engines with some switches off, in two cases of a thousand.
    Handicapped,
    /// Any engine, in this many cases of a thousand, because the questions are hard; engines with some switches off in five
    /// times as many.
    Few(u64),
}

impl Report {
    /// A report for larger cases: an engine with some switches off may be undecided.
    pub(crate) fn lenient() -> Report {
        Report { patience: Patience::Handicapped, ..Report::default() }
    }

    /// A report for large cases: an engine may be undecided in this many of a thousand.
    pub(crate) fn patient(few: u64) -> Report {
        Report { patience: Patience::Few(few), ..Report::default() }
    }

    fn may_be_lost(&self, is_default: bool) -> bool {
        match self.patience {
            Patience::None => false,
            Patience::Handicapped => !is_default,
            Patience::Few(_) => true,
        }
    }

    /// Whether there are so many wrong verdicts that the test can stop.
    pub(crate) fn is_full(&self) -> bool {
        self.wrong.len() >= 200 || self.panics >= 20 || self.lost >= 20 + self.cases / 100
    }

    fn count(&mut self, found: &Result<Verdict, String>) {
        match found {
            Ok(verdict) => *self.answers.entry(*verdict).or_default() += 1,
            Err(_) => self.panics += 1,
        }
    }

    fn note_time(&mut self, elapsed: Duration, text: impl FnOnce() -> String) {
        let least = self.slowest.last().map_or(Duration::from_millis(20), |(time, _)| *time);
        if elapsed > least {
            self.slowest.push((elapsed, text()));
            self.slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
            self.slowest.truncate(5);
        }
    }

    /// Prints how much was compared, and the slowest answers.
    ///
    /// # Panics
    /// If a verdict was wrong; the message shows the smallest cases.
    #[track_caller]
    pub(crate) fn finish(mut self, what: &str) {
        let answers: Vec<String> =
            self.answers.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        println!(
            "{what}: {} cases ({}), {} beyond the reference, {} undecided, {} more with switches \
             off; {} witnesses",
            self.cases,
            answers.join(", "),
            self.unknown,
            self.lost,
            self.undecided,
            self.witnesses
        );
        for (elapsed, text) in &self.slowest {
            println!("  slow: {elapsed:?} for {text}");
        }
        self.wrong.sort();
        self.wrong.dedup();
        let shown: Vec<&str> = self.wrong.iter().take(6).map(|(_, text)| text.as_str()).collect();
        assert!(
            self.wrong.is_empty(),
            "{what}: {} wrong of {} cases; the smallest:\n\n  {}\n",
            self.wrong.len(),
            self.cases,
            shown.join("\n\n  ")
        );
        // Per thousand cases, for engines with all switches on and with some off.
        let (lost, undecided) = match self.patience {
            Patience::None => (0, 0),
            Patience::Handicapped => (0, 2),
            Patience::Few(few) => (few, 5 * few),
        };
        let most = |few: u64| self.cases * few / 1000 + few.min(1);
        assert!(self.lost <= most(lost), "{what}: more than {lost}‰ undecided");
        let text = "undecided with switches off";
        assert!(self.undecided <= most(undecided), "{what}: more than {undecided}‰ {text}");
    }
}
