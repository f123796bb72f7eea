//! Witnesses with values: every Pass and WeakPass is certified by the checker, and corrupted witnesses are refused.

use std::cell::RefCell;
use std::collections::BTreeMap;

use otus_analysis::budget::Budget;
use otus_analysis::values::certify::{ValuedCase, certify};
use otus_analysis::values::{Clocks, ValueEngine, ValuedWitness, anchors};
use otus_analysis::witness::WitnessStep;
use otus_analysis::{Question, Verdict};
use otus_core::algebra::{Memo, simplify};
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, Letters};
use otus_core::residual::Residual;
use otus_core::valued::{ValuedId, ValuedNode};
use otus_core::{EventId, Value, Valued};
use otus_syntax::Rational;
use otus_testkit::oracle::values::LIMIT;
use otus_testkit::valued_cases::shape::Flavor;
use otus_trace::ComponentId;

use super::compare::{Answers, Asked, sweep};

type Counts = BTreeMap<&'static str, u64>;

/// "certified" twice, unless a witness does not hold, or a corrupted one does.
fn check(asked: &Asked<'_>, rng: &mut fastrand::Rng, counts: &mut Counts) -> Answers {
    let mut engine =
        ValueEngine::new(asked.pool, asked.term, asked.valued, asked.trace.partition());
    let clocks = Clocks { uncertainty: asked.uncertainty };
    let budget = Budget { max_states: Some(2_000), ..Budget::default() };
    let Asked { trace, facts, question, .. } = *asked;
    let verdict = engine.analyze(trace, facts, clocks, question, &budget).verdict;
    if verdict < Verdict::WeakPass {
        return None;
    }
    let mut pool = asked.pool.clone();
    let found = engine.witness(&mut pool, trace, facts, clocks, None, question, verdict, &budget);
    let good = "certified".to_owned();
    let Some(witness) = found else {
        *counts.entry("without a witness").or_default() += 1;
        return Some((good, super::compare::LOST.to_owned()));
    };
    let case = ValuedCase { valued: asked.valued, trace, facts, clocks };
    let mut claim = |question: &Question, verdict, witness: &ValuedWitness| {
        certify(&mut pool, case, (question, verdict), witness)
    };
    if let Err(error) = claim(question, verdict, &witness) {
        return Some((good, format!("{verdict}: {error}")));
    }
    *counts.entry("certified").or_default() += 1;
    for (name, corrupted) in corrupted(asked, &witness, rng) {
        match claim(question, verdict, &corrupted) {
            Ok(()) => return Some((good, format!("{verdict}: accepted with {name}"))),
            Err(_) => *counts.entry(name).or_default() += 1,
        }
    }
    if verdict == Verdict::WeakPass
        && asked.case().verdict(question, LIMIT) == Some(Verdict::WeakPass)
    {
        match claim(question, Verdict::Pass, &witness) {
            Ok(()) => return Some((good, "accepted as a Pass".to_owned())),
            Err(_) => *counts.entry("a claim of Pass").or_default() += 1,
        }
    }
    Some((good.clone(), good))
}

/// Witnesses with one change that cannot be right.
fn corrupted(
    asked: &Asked<'_>,
    witness: &ValuedWitness,
    rng: &mut fastrand::Rng,
) -> Vec<(&'static str, ValuedWitness)> {
    let mut found = Vec::new();
    let mut add = |name, change: &mut dyn FnMut(&mut ValuedWitness) -> Option<()>| {
        let mut changed = witness.clone();
        if change(&mut changed).is_some() {
            found.push((name, changed));
        }
    };
    let count = witness.witness.steps.len();
    let seen: Vec<usize> = (0..count)
        .filter(|&at| {
            let step = witness.witness.steps[at].event();
            step.is_some_and(|place| place.observed != otus_core::Pool::NONE)
        })
        .collect();
    add("a missing event", &mut |it| {
        let at = *rng.choice(&seen)?;
        it.witness.steps.remove(at);
        it.leaves.remove(at);
        it.assumed.remove(at);
        Some(())
    });
    add("a value too few", &mut |it| {
        let some: Vec<usize> = (0..count).filter(|&at| !it.assumed[at].is_empty()).collect();
        it.assumed[*rng.choice(&some)?].pop().map(drop)
    });
    add("a value twice", &mut |it| {
        let some: Vec<usize> = (0..count).filter(|&at| !it.assumed[at].is_empty()).collect();
        let own = &mut it.assumed[*rng.choice(&some)?];
        own.push(own[0].clone());
        Some(())
    });
    let variables: Vec<InstanceId> = witness.variables.keys().copied().collect();
    add("a variable too few", &mut |it| it.variables.remove(rng.choice(&variables)?).map(drop));
    add("a variable too many", &mut |it| {
        it.variables.insert(InstanceId(1_000_000), Value::integer(1));
        Some(())
    });
    add("another leaf", &mut |it| {
        let at = (count > 0).then(|| rng.usize(..count))?;
        it.leaves[at] = ValuedId(it.leaves[at].0 + 1);
        Some(())
    });
    let Bound { values: bound, times, rivals } = bound(asked, witness);
    add("a wrong time of a variable", &mut |it| {
        let Value::Number(time) = it.variables.get_mut(rng.choice(&times)?)? else { return None };
        let one = if rng.bool() { Rational::from(1) } else { Rational::from(-1) };
        *time = time.checked_add(one)?;
        Some(())
    });
    let (early, late) = outside(asked, witness);
    for (name, places) in [("a time too early", early), ("a time too late", late)] {
        add(name, &mut |it| {
            let &(step, own, time) = rng.choice(&places)?;
            it.assumed[step][own].value = Value::Number(time);
            Some(())
        });
    }
    add("another position", &mut |it| {
        let at = (count > 0).then(|| rng.usize(..count))?;
        let (WitnessStep::Observed(place) | WitnessStep::Unobserved(place)) =
            &mut it.witness.steps[at]
        else {
            return None;
        };
        let mut position = place.position.to_vec();
        match (rng.usize(..3), position.len()) {
            (0, length) if length > 0 => position.truncate(length - 1),
            (1, length) if length > 0 => {
                let letter = &mut position[rng.usize(..length)];
                *letter = 3 - *letter;
            }
            _ => position.push(1 + rng.u8(..2)),
        }
        place.position = position.into();
        (!are_positions(asked, it)).then_some(())
    });
    add("a wrong value of a variable", &mut |it| {
        let own = it.variables.get_mut(rng.choice(&bound)?)?;
        *own = match own {
            Value::Text(_) => Value::Boolean(true),
            Value::Boolean(_) | Value::Number(_) => "corrupt".into(),
        };
        Some(())
    });
    add("equal values of a fresh variable", &mut |it| {
        let (one, other) = *rng.choice(&rivals)?;
        let value = it.variables.get(&one)?.clone();
        it.variables.insert(other, value);
        Some(())
    });
    add("swapped events", &mut |it| {
        let component = |at: usize| {
            let place = it.witness.steps[at].event()?;
            let lifelines = asked.pool.region(asked.pool.event_lifelines(place.event));
            Some(asked.trace.partition().component_of(lifelines.iter().next()?))
        };
        let pairs: Vec<(usize, usize)> = seen
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .filter(|&(i, j)| {
                let [one, other] = [i, j].map(|at| it.witness.steps[at].event().map(|it| it.event));
                one != other && component(i) == component(j) && are_single(asked, one, other)
            })
            .collect();
        let (i, j) = *rng.choice(&pairs)?;
        it.witness.steps.swap(i, j);
        it.leaves.swap(i, j);
        it.assumed.swap(i, j);
        Some(())
    });
    found
}

/// Whether events have one action each, so that different events look different in every log.
fn are_single(asked: &Asked<'_>, one: Option<EventId>, other: Option<EventId>) -> bool {
    let is_known = |event: EventId| event.index() < asked.pool.event_count();
    let is_single = |event| is_known(event) && asked.pool.event_actions(event).len() == 1;
    [one, other].into_iter().flatten().all(is_single)
}

/// Whether the positions lead to the leaves, on terms over letters instead of a residual that changes in place.
fn are_positions(asked: &Asked<'_>, witness: &ValuedWitness) -> bool {
    let (mut letters, term) = Letters::new(asked.pool, asked.valued).expect("a small tree");
    let mut term = simplify(&mut letters.pool, term);
    let mut memo = Memo::default();
    witness.witness.steps.iter().zip(&witness.leaves).all(|(step, &leaf)| {
        let position = step.event().expect("an event").position.iter().copied();
        let Some((letter, after)) = letters.step(&mut memo, term, position) else { return false };
        term = after;
        letters.letter(letter).leaf == leaf
    }) && letters.pool.attributes(term).terminates
}

/// Assumed times that are the only ones of their event, with a time before that of an earlier event or after that of a later
/// one on the same clock: the step, the number of the assumption there, and the time.
fn outside(asked: &Asked<'_>, witness: &ValuedWitness) -> (Vec<Place>, Vec<Place>) {
    let carried = witness.carried(asked.pool, asked.valued, asked.trace, asked.facts);
    let component = |step: usize, part: usize| {
        let ValuedNode::Event(parts) = &asked.valued.nodes[witness.leaves[step]] else {
            panic!("a leaf is an event");
        };
        asked.trace.partition().component_of(parts[part].action.lifeline)
    };
    let mut times: Vec<(usize, ComponentId, Rational)> = Vec::new();
    for (step, own) in carried.iter().enumerate() {
        for it in own.iter().filter(|it| it.field == Valued::TIME) {
            if let Some(Value::Number(time)) = it.value {
                times.push((step, component(step, it.part), time));
            }
        }
    }
    let one = Rational::from(1);
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for (step, own) in witness.assumed.iter().enumerate() {
        for (number, it) in own.iter().enumerate().filter(|(_, it)| it.field == Valued::TIME) {
            let here = component(step, it.part);
            if !asked.facts.breaks(here).is_empty() {
                continue;
            }
            let on = || times.iter().filter(|(_, at, _)| *at == here);
            let before = on().filter(|(at, ..)| *at < step).map(|it| it.2).max();
            let after = on().filter(|(at, ..)| *at > step).map(|it| it.2).min();
            early.extend(before.and_then(|it| Some((step, number, it.checked_sub(one)?))));
            late.extend(after.and_then(|it| Some((step, number, it.checked_add(one)?))));
        }
    }
    (early, late)
}

/// An assumption, and a time for it.
type Place = (usize, usize, Rational);

/// Variables of a witness.
struct Bound {
    /// Those that are equal to a value that some log has, and to a time.
    values: Vec<InstanceId>,
    times: Vec<InstanceId>,
    /// Pairs that `fresh` keeps apart.
    rivals: Vec<(InstanceId, InstanceId)>,
}

fn bound(asked: &Asked<'_>, witness: &ValuedWitness) -> Bound {
    let mut residual = Residual::new(asked.pool, asked.valued).expect("a small tree");
    let carried = witness.carried(asked.pool, asked.valued, asked.trace, asked.facts);
    let anchors = anchors(asked.valued, asked.trace.partition());
    let (mut found, mut times, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (at, step) in witness.witness.steps.iter().enumerate() {
        let position = step.event().expect("an event").position.iter().copied();
        let happened = residual.step(position).expect("it is certified");
        let ValuedNode::Event(parts) = &asked.valued.nodes[witness.leaves[at]] else {
            continue;
        };
        for (number, part) in parts.iter().enumerate() {
            for atom in &part.guard {
                let Some(variable) = atom.variable() else { continue };
                let Some(instance) = residual.argument_of(&happened, variable) else { continue };
                all.push(instance);
                let is_logged = carried[at]
                    .iter()
                    .any(|it| (it.part, it.field, it.is_assumed) == (number, atom.field, false));
                let is_time = atom.field == Valued::TIME;
                let component = asked.trace.partition().component_of(part.action.lifeline);
                let is_whole = asked.facts.breaks(component).is_empty();
                let clock = anchors[variable.index()];
                match atom.binds() {
                    Some(_) if is_logged && !is_time => found.push(instance),
                    Some(_) if is_logged && is_whole && clock == Some(component.index()) => {
                        times.push(instance);
                    }
                    Some(_) | None => {}
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all.retain(|instance| witness.variables.contains_key(instance));
    let mut rivals = Vec::new();
    for (at, &one) in all.iter().enumerate() {
        for &other in &all[at + 1..] {
            if residual.rivals(one).is_some() && residual.rivals(one) == residual.rivals(other) {
                rivals.push((one, other));
            }
        }
    }
    Bound { values: found, times, rivals }
}

fn run(name: &str, test: u64, most: u64, flavor: &Flavor) {
    let counts = RefCell::new(Counts::new());
    let rng = RefCell::new(super::rng(test, 0));
    sweep(name, (test, super::cases(most)), flavor, |asked| {
        check(asked, &mut rng.borrow_mut(), &mut counts.borrow_mut())
            .or_else(|| Some(("no witness".to_owned(), "no witness".to_owned())))
    });
    println!("{name}: {:?}", counts.borrow());
    let certified = counts.borrow().get("certified").copied().unwrap_or(0);
    let without = counts.borrow().get("without a witness").copied().unwrap_or(0);
    assert!(certified > 20 * without, "{certified} witnesses, {without} cases without one");
}

#[test]
fn witnesses_of_small_cases() {
    run("witnesses, small", 31, 300, &Flavor::small());
}

#[test]
fn witnesses_without_times() {
    run("witnesses, without times", 32, 200, &Flavor { times: false, ..Flavor::small() });
}

#[test]
fn witnesses_of_two_lifelines() {
    let flavor = Flavor { lifelines: 2, messages: 1, span: 2, fields: 1, ..Flavor::small() };
    run("witnesses, two lifelines", 33, 200, &flavor);
}

#[test]
fn witnesses_of_larger_cases() {
    let flavor = Flavor { leaves: 6, events: 9, messages: 3, ..Flavor::small() };
    run("witnesses, larger", 34, 60, &flavor);
}

#[test]
fn witnesses_of_clocks_that_go_backwards() {
    run("witnesses, backwards", 37, 200, &Flavor::backwards());
}

#[test]
fn witnesses_of_odd_times() {
    run("witnesses, odd times", 35, 100, &Flavor { odd_times: true, ..Flavor::small() });
}
