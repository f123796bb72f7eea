//! The analyses of interactions with values that the `verdicts` fence asks.

use anyhow::Context as _;
use otus_analysis::budget::Budget;
use otus_analysis::graph::{self, Carried, Outcome, Silent, Unfit};
use otus_analysis::values::{Clocks, ValueEngine, ValueOptions};
use otus_analysis::{Config, Question, Verdict};
use otus_core::valued::Valued;
use otus_core::{Lowered, Pool, TermId};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Duration;
use otus_trace::{Facts, MultiTrace};

use crate::oracle::values::{Case, LIMIT};

/// The most states of an engine for a question.
const STATES: u64 = 20_000;

/// An interaction with values, and what a multi-trace carries.
pub(super) struct Values<'a> {
    valued: Box<Valued>,
    facts: &'a Facts,
    clocks: Clocks,
}

impl<'a> Values<'a> {
    /// The values of a specification, if it has any; `uncertainty` is a duration such as `20ms`, or empty if it is unknown.
    pub(super) fn new(
        spec: &Lowered,
        facts: Option<&'a Facts>,
        uncertainty: &str,
    ) -> anyhow::Result<Option<Values<'a>>> {
        let (Some(valued), Some(facts)) = (&spec.valued, facts) else { return Ok(None) };
        let uncertainty = match uncertainty {
            "" => None,
            text => {
                let end = text.find(char::is_alphabetic).unwrap_or(text.len());
                let number = Rational::parse(&text[..end]).context("a duration has a number")?;
                Some(Duration::new(number, &text[end..]).context("that is no duration")?.0)
            }
        };
        Ok(Some(Values { valued: valued.clone(), facts, clocks: Clocks { uncertainty } }))
    }

    /// The answers of the oracle and of the engine, with each of its reductions switched off in turn.
    pub(super) fn exact(
        &self,
        pool: &Pool,
        term: TermId,
        trace: &MultiTrace,
        question: &Question,
    ) -> Vec<(String, Option<Verdict>)> {
        let Values { valued, facts, clocks } = self;
        let uncertainty = clocks.uncertainty;
        let case = Case { pool, valued, trace, facts, uncertainty, order: None };
        let mut answers = vec![("the oracle".to_owned(), case.verdict(question, LIMIT))];
        for (name, options) in options() {
            let mut engine =
                ValueEngine::with_options(pool, term, valued, trace.partition(), options);
            let budget = Budget { max_states: Some(STATES), ..Budget::default() };
            let verdict = engine.analyze(trace, facts, *clocks, question, &budget).verdict;
            let is_lost = verdict == Verdict::Inconclusive && options != ValueOptions::default();
            answers.push((format!("the engine {name}"), (!is_lost).then_some(verdict)));
        }
        answers
    }

    /// The answer of a search of the papers.
    pub(super) fn searched(
        &self,
        pool: &mut Pool,
        trace: &MultiTrace,
        config: &Config,
    ) -> Result<Outcome, Unfit> {
        let carried = Carried { valued: &self.valued, facts: self.facts, clocks: self.clocks };
        let found = graph::analyze_valued(pool, &carried, trace, config, &mut Silent);
        found.map(|(outcome, _)| outcome)
    }
}

/// All reductions of the engine, then all but one, then none.
fn options() -> [(&'static str, ValueOptions); 6] {
    let all = ValueOptions::default();
    let none = ValueOptions { skeleton: false, keyed: false, relax: false, constants: false };
    [
        ("with all its ideas", all),
        ("without its skeleton", ValueOptions { skeleton: false, ..all }),
        ("without keys", ValueOptions { keyed: false, ..all }),
        ("without relaxation", ValueOptions { relax: false, ..all }),
        ("without a refined alphabet", ValueOptions { constants: false, ..all }),
        ("without any idea", none),
    ]
}
