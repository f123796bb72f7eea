//! The `verdicts` fence: the verdicts on the multi-trace before it.
//!
//! A line is `ASKED: VERDICT`, where `ASKED` is one of
//!
//! - a question: `accept`, `global prefix`, `multi-prefix`, `multi-suffix`, `slice`, or a declaration
//!   for components, `[a] complete; [b, c] may start late` (complete by default). The
//!   verdict is exact. The oracle, [`refute`] and the fast engine with each of its reductions switched off in turn are
//!   asked. The fast engine with all reductions must answer; the others may give up. All answers must agree, and witnesses
//!   are certified;
//! - a kind of analysis of the papers as written in a `.hcf` (`accept`, `prefix`, `eliminate`,
//!   `simulate[before = true, loop num = 2]`). It is run under all strategies, with and without
//!   memoization and local analyses, because options must not change the verdict. The checker must accept its witness. A
//!   configuration that does not finish within some thousand nodes does not count; a kind for which none finishes is
//!   undecided.
//!
//! `accept` is both. Each other kind of the papers corresponds to a question, whose exact answer must be the same, with two
//! exceptions: a `simulate` that says WeakFail has given up, so every answer but Pass is consistent with it; and a fence with a
//! line for `multi-prefix` may have a different verdict for `eliminate`, whose semantics differs.
//!
//! If the interaction has values, its own oracle and its own engine answer the questions, the latter with each of its reductions switched off in turn.
//!
//! If answers differ or the analysis is not defined, the line says so.

use std::cell::RefCell;

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::config::Kind;
use otus_analysis::engine::{Options, When};
use otus_analysis::graph::{self, Silent};
use otus_analysis::refute::{NotRefuted, check_refutation, refute};
use otus_analysis::{Config, Engine, Observed, Question, Verdict};
use otus_core::index::Index as _;
use otus_core::{Lowered, Pool, TermId};
use otus_syntax::ast::Section;
use otus_syntax::options::{LocalAnalysis, Strategy};
use otus_syntax::{Source, parse_spec};
use otus_trace::MultiTrace;

use super::valued::Values;
use crate::oracle::{Asked, Observation};

/// The budget of the oracle for a question.
const ORACLE: usize = 100_000;
/// The most states of the other analyses for a question.
const STATES: u64 = 20_000;

pub(super) fn answers(
    expected: &str,
    spec: &mut Lowered,
    trace: &MultiTrace,
    values: Option<&Values<'_>>,
) -> String {
    let Some(term) = spec.term else { return "there is no interaction\n".to_owned() };
    let asked =
        |line: &str| line.rsplit_once(':').map_or(line, |(asked, _)| asked).trim().to_owned();
    let lines = expected.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.map(asked).collect();
    let other_semantics = lines.iter().any(|line| line == Question::MULTI_PREFIX.name());
    let mut case = Case { spec, term, trace, values, other_semantics };
    let lines = lines.iter().map(|asked| {
        let verdict = case.verdict(asked).unwrap_or_else(|fault| fault);
        format!("{asked}: {verdict}\n")
    });
    lines.collect()
}

struct Case<'a> {
    spec: &'a mut Lowered,
    term: TermId,
    trace: &'a MultiTrace,
    /// If the interaction has values.
    values: Option<&'a Values<'a>>,
    /// Whether the fence has a line for `multi-prefix`.
    other_semantics: bool,
}

impl Case<'_> {
    fn verdict(&mut self, asked: &str) -> Result<String, String> {
        if let Some(question) = question(asked, &self.spec.pool, self.trace)? {
            let exact = self.exact(&question)?;
            if question == Question::ACCEPT {
                let (_, by_graph) = self.by_graph(asked)?;
                agree(exact, by_graph, asked)?;
            }
            return Ok(exact.unwrap_or(Verdict::Inconclusive).to_string());
        }
        let (kind, found) = self.by_graph(asked)?;
        let (question, gives_up) = match kind {
            Kind::Accept => (Question::ACCEPT, false),
            Kind::Prefix => (Question::GlobalPrefix, false),
            Kind::Eliminate => (Question::MULTI_PREFIX, false),
            Kind::Simulate(simulation) if simulation.before => (Question::SLICE, true),
            Kind::Simulate(_) => (Question::MULTI_PREFIX, true),
        };
        let exact = self.exact(&question)?;
        let gave_up = gives_up && found == Some(Verdict::WeakFail) && exact != Some(Verdict::Pass);
        let excused = gave_up || kind == Kind::Eliminate && self.other_semantics;
        if !excused {
            agree(exact, found, question.name())?;
        }
        Ok(found.unwrap_or(Verdict::Inconclusive).to_string())
    }

    /// The answer to a question, if any of the analyses has one.
    fn exact(&mut self, question: &Question) -> Result<Option<Verdict>, String> {
        let answers = RefCell::new(Vec::new());
        let says = |who: String, verdict: Option<Verdict>| {
            answers.borrow_mut().extend(verdict.map(|verdict| (who, verdict)));
        };
        if let Some(values) = self.values {
            for (name, verdict) in values.exact(&self.spec.pool, self.term, self.trace, question) {
                says(name, verdict);
            }
        } else {
            says("the oracle".to_owned(), self.by_oracle(question));
            says("refute".to_owned(), self.by_refutation(question)?);
        }
        let is_plain = self.values.is_none();
        for (name, options) in options().into_iter().filter(|_| is_plain) {
            let partition = self.trace.partition();
            let mut engine = Engine::new(&self.spec.pool, self.term, partition, options);
            let budget = Budget { max_states: Some(STATES), ..Budget::default() };
            let outcome = engine.analyze(self.trace, question, &budget);
            self.certified(&mut engine, question, outcome.verdict, &budget)
                .map_err(|fault| format!("{fault} by the engine {name}"))?;
            // Without one of its reductions it may give up, but not with all of them.
            let undecided =
                outcome.verdict == Verdict::Inconclusive && options != Options::default();
            says(format!("the engine {name}"), (!undecided).then_some(outcome.verdict));
        }
        let answers = answers.into_inner();
        let Some((first, verdict)) = answers.first() else { return Ok(None) };
        match answers.iter().find(|(_, other)| other != verdict) {
            Some((other, differs)) => {
                let name = question.name();
                Err(format!("{name} is {verdict} to {first}, {differs} to {other}"))
            }
            None => Ok(Some(*verdict)),
        }
    }

    /// Checks that a Pass or WeakPass has a witness, and that the checker accepts it.
    fn certified(
        &mut self,
        engine: &mut Engine,
        question: &Question,
        verdict: Verdict,
        budget: &Budget,
    ) -> Result<(), String> {
        if verdict < Verdict::WeakPass {
            return Ok(());
        }
        let pool = &mut self.spec.pool;
        let witness = engine.witness(pool, self.term, self.trace, question, verdict, budget);
        let witness = witness.ok_or("there is no witness")?;
        certify(pool, self.term, self.trace, (question, verdict), &witness)
            .map_err(|refuted| format!("a refuted witness ({refuted})"))
    }

    fn by_oracle(&self, question: &Question) -> Option<Verdict> {
        let seen = Observation::from(self.trace);
        let answer = |asked: Asked| asked.by_marks(&self.spec.pool, self.term, ORACLE);
        if answer(Asked::complete(&seen, question))? {
            return Some(Verdict::Pass);
        }
        let explained = answer(Asked::new(&seen, question))?;
        Some(if explained { Verdict::WeakPass } else { Verdict::Fail })
    }

    /// By [`refute`], with its witnesses and certificates checked.
    fn by_refutation(&mut self, question: &Question) -> Result<Option<Verdict>, String> {
        let budget = Budget { max_states: Some(STATES), ..Budget::default() };
        let strongest = strongest(question, self.trace);
        for (question, verdict) in [(&strongest, Verdict::Pass), (question, Verdict::WeakPass)] {
            let pool = &mut self.spec.pool;
            match refute(pool, self.term, self.trace, question, &budget) {
                Ok(certificate) => {
                    check_refutation(pool, self.term, self.trace, question, &certificate)
                        .map_err(|refuted| format!("the certificate is refused: {refuted}"))?;
                }
                Err(NotRefuted::Explained { witness, verdict: shown }) => {
                    certify(pool, self.term, self.trace, (question, shown), &witness)
                        .map_err(|refuted| format!("the witness is refuted: {refuted}"))?;
                    return Ok(Some(verdict));
                }
                Err(NotRefuted::TooLarge(_)) => return Ok(None),
            }
        }
        Ok(Some(Verdict::Fail))
    }

    /// By the papers' searches: the kind of analysis, and the verdict if a search finishes.
    fn by_graph(&mut self, kind: &str) -> Result<(Kind, Option<Verdict>), String> {
        let options = Source::new("kind", format!("@analyze_option{{ analysis_kind = {kind} }}"));
        let parsed = parse_spec(&options);
        if let Some(fault) = parsed.diagnostics.first() {
            return Err(fault.message.clone());
        }
        let mut found: Option<Verdict> = None;
        let mut asked = Config::default().kind;
        for config in configurations() {
            let mut config = config;
            for section in &parsed.tree.sections {
                if let Section::Options(section) = section {
                    config.apply(section);
                }
            }
            asked = config.kind;
            let pool = &mut self.spec.pool;
            let outcome = match self.values {
                Some(values) => values.searched(pool, self.trace, &config),
                None => graph::analyze(pool, self.term, self.trace, &config, &mut Silent),
            };
            let outcome = outcome.map_err(|unfit| unfit.to_string())?;
            if let Some(witness) = &outcome.witness {
                // A witness is one of the skeleton, which does not know that a value was not logged.
                let is_accepted = self.values.is_some() && config.kind == Kind::Accept;
                let verdict = if is_accepted { Verdict::Pass } else { outcome.verdict };
                let claim = (config.kind, verdict);
                certify(pool, self.term, self.trace, claim, witness)
                    .map_err(|refuted| format!("the witness is refuted: {refuted}"))?;
            }
            if outcome.stop.is_early() {
                continue;
            }
            if found.is_some_and(|found| found != outcome.verdict) {
                let Config { strategy, memoize, local_analysis, .. } = config;
                return Err(format!(
                    "changed by the options: {strategy:?}, {local_analysis:?}, memoize {memoize}"
                ));
            }
            found = Some(outcome.verdict);
        }
        Ok((asked, found))
    }
}

/// The question with nothing missing. Unobserved components stay unobserved.
fn strongest(question: &Question, trace: &MultiTrace) -> Question {
    let observed = trace.partition().components().map(|component| question.of(component));
    let is_seen = |observed| observed != Observed::Unobserved;
    Question::Each(observed.map(|it| if is_seen(it) { Observed::Complete } else { it }).collect())
}

/// Whether the verdict of a papers' search is consistent with the exact one.
fn agree(exact: Option<Verdict>, by_graph: Option<Verdict>, question: &str) -> Result<(), String> {
    match (exact, by_graph) {
        (Some(exact), Some(by_graph)) if exact != by_graph => {
            Err(format!("{by_graph} by graph, but {question} is {exact}"))
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

/// The question of a line, if it is one.
fn question(asked: &str, pool: &Pool, trace: &MultiTrace) -> Result<Option<Question>, String> {
    if asked.starts_with('[') {
        return declaration(asked, pool, trace).map(Some);
    }
    let uniform = Observed::ALL.map(Question::Uniform);
    let mut all = uniform.into_iter().chain([Question::GlobalPrefix]);
    Ok(all.find(|question| question.name() == asked))
}

/// `[a] complete; [b, c] may start late`
fn declaration(asked: &str, pool: &Pool, trace: &MultiTrace) -> Result<Question, String> {
    let partition = trace.partition();
    let mut each = vec![Observed::Complete; partition.len()];
    for part in asked.split(';') {
        let named = part.trim().strip_prefix('[').and_then(|part| part.split_once(']'));
        let (names, declared) = named.ok_or("a declaration is `[lifelines] what was observed`")?;
        let declared = Observed::ALL.into_iter().find(|known| known.name() == declared.trim());
        let declared = declared.ok_or_else(|| format!("nothing is declared by `{part}`"))?;
        for name in names.split(',') {
            let lifeline = pool.signature().lifeline(name.trim());
            let lifeline = lifeline.ok_or_else(|| format!("there is no lifeline `{name}`"))?;
            each[partition.component_of(lifeline).index()] = declared;
        }
    }
    Ok(Question::Each(each.into()))
}

/// All reductions of the fast engine, then all but one, then none.
fn options() -> [(&'static str, Options); 12] {
    let all = Options::default();
    let none = Options {
        relax: false,
        look_ahead: false,
        decompose: false,
        stubborn: false,
        erase: false,
        absorb: false,
        sessions: When::Never,
        counting: When::Never,
        places: When::Never,
        solver: false,
    };
    [
        ("with all its ideas", all),
        ("without relaxation", Options { relax: false, ..all }),
        ("without look-ahead", Options { look_ahead: false, ..all }),
        ("without decomposition", Options { decompose: false, ..all }),
        ("without stubborn sets", Options { stubborn: false, ..all }),
        ("without erasure", Options { erase: false, ..all }),
        ("without absorption", Options { absorb: false, ..all }),
        ("with sessions", Options { sessions: When::Always, ..all }),
        ("with counting", Options { counting: When::Always, ..all }),
        ("with places", Options { places: When::Always, ..all }),
        ("without a solver", Options { solver: false, ..all }),
        ("without any idea", none),
    ]
}

/// Every strategy, with and without local analyses, memoization and partial-order reduction.
fn configurations() -> impl Iterator<Item = Config> {
    let strategies = [Strategy::Depth, Strategy::Breadth, Strategy::HighCoverage];
    let locals = [LocalAnalysis::Off, LocalAnalysis::On, LocalAnalysis::Front];
    strategies.into_iter().flat_map(move |strategy| {
        locals.into_iter().flat_map(move |local_analysis| {
            [(false, false), (true, false), (false, true)].map(
                |(memoize, partial_order_reduction)| Config {
                    strategy,
                    local_analysis,
                    memoize,
                    partial_order_reduction,
                    budget: Budget { max_states: Some(5_000), ..Budget::default() },
                    ..Config::default()
                },
            )
        })
    })
}
