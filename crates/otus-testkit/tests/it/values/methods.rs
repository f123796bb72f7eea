//! Choices, order and values against the equations, over the same finite sets of values.

use otus_analysis::Question;
use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_core::{Value, Valued};
use otus_testkit::oracle::values::equations::{self, Finite};
use otus_testkit::oracle::values::{Domain, LIMIT, Strength};
use otus_testkit::valued_cases::shape::Flavor;

use super::compare::{Answers, Asked, sweep};

/// The values of a case and some more.
pub(super) fn values(asked: &Asked<'_>, more: &[i64]) -> (Vec<Value>, Vec<i64>) {
    let mut values: Vec<Value> = more.iter().copied().map(Value::integer).collect();
    let mut readings = vec![0, 1, 2];
    for component in asked.trace.partition().components() {
        for step in 0..asked.trace.steps(component).len() {
            for field in 0..asked.valued.fields.items.len() {
                let field = FieldId::new(field);
                if field == Valued::TIME {
                    readings.extend(asked.facts.time(component, step));
                } else {
                    values.extend(asked.facts.known(field, component, step));
                }
            }
        }
    }
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    readings.sort_unstable();
    readings.dedup();
    (distinct, readings)
}

/// Both methods over a finite set, for one reading of comparisons across clocks.
fn by_both(asked: &Asked<'_>, more: &[i64], strength: Strength) -> Answers {
    let case = asked.case();
    let (values, readings) = values(asked, more);
    let domain = Domain::Finite { values: &values, readings: &readings };
    let by_choices = case.explained(asked.question, strength, domain, LIMIT)?;
    let is_certain = strength != Strength::Possible;
    let finite = Finite { values: &values, readings: &readings, is_certain };
    let by_equations = equations::explained(&case, asked.term, asked.question, finite, 60_000)?;
    // What some values of a finite set explain, some values explain.
    let by_all = case.explained(asked.question, strength, Domain::All, LIMIT)?;
    if by_equations && !by_all {
        return Some(("explained by all values: false".to_owned(), "true".to_owned()));
    }
    Some((by_choices.to_string(), by_equations.to_string()))
}

#[test]
fn choices_agree_with_the_equations_without_times() {
    let flavor = Flavor::tiny(false);
    sweep("values", (1, super::cases(3_000)), &flavor, |asked| {
        by_both(asked, &[1, 2], Strength::Possible)
    });
}

#[test]
fn choices_agree_with_the_equations_with_times() {
    let flavor = Flavor { leaves: 2, events: 2, ..Flavor::tiny(true) };
    sweep("times", (2, super::cases(2_000)), &flavor, |asked| {
        by_both(asked, &[1], Strength::Possible)
    });
    sweep("certain times", (3, super::cases(1_000)), &flavor, |asked| {
        by_both(asked, &[1], Strength::Certain)
    });
}

/// A set of values that is large enough gives the answers of all values.
#[test]
fn all_values_are_as_good_as_many() {
    // With `<` and `!=` on times, readings between whole nanoseconds would be needed.
    let flavor = Flavor::small();
    sweep("many values", (4, super::cases(1_500)), &flavor, |asked| {
        let case = asked.case();
        let (mut values, mut readings) = values(asked, &[-2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 12]);
        for text in ["p1", "p2", "p3", "q", "r"] {
            values.push(Value::Text(text.into()));
        }
        for half in ["1/2", "3/2", "5/2", "7/2"] {
            values.push(Value::text(half));
        }
        values.push(Value::Boolean(true));
        readings.extend(-4..16);
        readings.sort_unstable();
        readings.dedup();
        let domain = Domain::Finite { values: &values, readings: &readings };
        let by_many = case.explained(asked.question, Strength::Possible, domain, 20_000)?;
        let by_all = case.explained(asked.question, Strength::Possible, Domain::All, LIMIT)?;
        Some((by_all.to_string(), by_many.to_string()))
    });
}

/// A verdict of Pass needs an explanation.
#[test]
fn the_questions_are_ordered() {
    let flavor = Flavor::small();
    sweep("order of questions", (5, super::cases(1_500)), &flavor, |asked| {
        let case = asked.case();
        let ask =
            |question: &Question, strength| case.explained(question, strength, Domain::All, LIMIT);
        let chain = [
            ask(&Question::ACCEPT, Strength::Proven)?,
            ask(&Question::ACCEPT, Strength::Possible)?,
            ask(&Question::GlobalPrefix, Strength::Possible)?,
            ask(&Question::MULTI_PREFIX, Strength::Possible)?,
            ask(&Question::SLICE, Strength::Possible)?,
        ];
        Some((chain.is_sorted().to_string(), "true".to_owned()))
    });
}
