//! Certificates of failures by values: they hold, and only failures have them.
//!
//! This found that `x` can have a value that no log gives it, but a guard: `[f = 3, f = x]`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::refute::refute as refute_plain;
use otus_analysis::values::certify::ValuedCase;
use otus_analysis::values::ground::{Ground, Scope, ground};
use otus_analysis::values::refute::{check, refute};
use otus_analysis::values::{Clocks, ValueEngine};
use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::valued::{Valued, VariableId};
use otus_testkit::oracle::values::LIMIT;
use otus_testkit::valued_cases::shape::Flavor;

use super::compare::{Answers, Asked, sweep};

type Counts = BTreeMap<&'static str, u64>;

/// The verdict, and whether a certificate says that it is a Fail.
fn answers(asked: &Asked<'_>, counts: &mut Counts) -> Answers {
    let Asked { trace, facts, question, valued, .. } = *asked;
    // The order between logs is no part of a certificate.
    let case = otus_testkit::oracle::values::Case { order: None, ..asked.case() };
    let is_fail = case.verdict(question, LIMIT)? == Verdict::Fail;
    let clocks = Clocks { uncertainty: asked.uncertainty };
    let case = ValuedCase { valued, trace, facts, clocks };
    let budget = Budget { max_states: Some(2_000), ..Budget::default() };
    let mut engine = ValueEngine::new(asked.pool, asked.term, valued, trace.partition());
    engine.analyze(trace, facts, clocks, question, &budget);
    let found = refute(asked.pool, case, question, engine.failure(), &budget);
    let text = |is_fail: bool| Some(if is_fail { "Fail" } else { "no Fail" }.to_owned());
    if let Ok(certificate) = &found {
        if let Err(error) = check(asked.pool, case, question, certificate) {
            return Some((text(is_fail)?, error.to_string()));
        }
        *counts.entry("certified").or_default() += 1;
        let name = if certificate.scope == Scope::Whole { "all events" } else { "some sessions" };
        *counts.entry(name).or_default() += 1;
        return Some((text(is_fail)?, text(true)?));
    }
    if is_fail {
        *counts.entry("Fail without a certificate").or_default() += 1;
        return Some((text(true)?, text(true)?));
    }
    // No scope at all may be refuted.
    for scope in scopes(asked) {
        let Some(Ground { mut pool, term, trace }) = ground(asked.pool, case, question, &scope)
        else {
            continue;
        };
        *counts.entry("scopes of what is explained").or_default() += 1;
        let is_refuted = match term {
            None => true,
            Some(term) => refute_plain(&mut pool, term, &trace, question, &budget).is_ok(),
        };
        if is_refuted {
            return Some((text(false)?, format!("{scope:?} is refuted")));
        }
    }
    Some((text(false)?, text(false)?))
}

/// All sessions, one by one and in pairs.
fn scopes(asked: &Asked<'_>) -> Vec<Scope> {
    let mut values: Vec<Value> = Vec::new();
    for component in asked.trace.partition().components() {
        for step in 0..asked.trace.steps(component).len() {
            for field in asked.valued.fields.items.ids().filter(|&it| it != Valued::TIME) {
                let known = asked.facts.known(field, component, step);
                values.extend(known.filter(|value| !values.contains(value)));
            }
        }
    }
    let mut scopes = vec![Scope::Whole];
    for variable in (0..asked.valued.variables.len()).map(VariableId::new) {
        for (at, one) in values.iter().enumerate() {
            scopes.push(Scope::Sessions(variable, vec![one.clone()]));
            let pairs = values[at + 1..].iter().map(|other| vec![one.clone(), other.clone()]);
            scopes.extend(pairs.map(|pair| Scope::Sessions(variable, pair)));
        }
    }
    scopes
}

fn run(name: &str, test: u64, most: u64, flavor: &Flavor) {
    let counts = RefCell::new(Counts::new());
    sweep(name, (test, super::cases(most)), flavor, |asked| {
        answers(asked, &mut counts.borrow_mut())
    });
    println!("{name}: {:?}", counts.borrow());
    let of = |name| counts.borrow().get(name).copied().unwrap_or(0);
    assert!(of("certified") > of("Fail without a certificate"), "{:?}", counts.borrow());
}

#[test]
fn certificates_of_small_cases() {
    run("certificates, small", 41, 300, &Flavor::small());
}

#[test]
fn certificates_without_times() {
    run("certificates, without times", 42, 200, &Flavor { times: false, ..Flavor::small() });
}

#[test]
fn certificates_of_two_lifelines() {
    let flavor = Flavor { lifelines: 2, messages: 1, span: 2, fields: 1, ..Flavor::small() };
    run("certificates, two lifelines", 43, 200, &flavor);
}

#[test]
fn certificates_of_clocks_that_go_backwards() {
    run("certificates, backwards", 44, 300, &Flavor::backwards());
}

#[test]
fn certificates_of_odd_times() {
    run("certificates, odd times", 45, 100, &Flavor { odd_times: true, ..Flavor::small() });
}

#[test]
fn certificates_of_sessions() {
    run("certificates, sessions", 46, 300, &Flavor::keyed());
}
