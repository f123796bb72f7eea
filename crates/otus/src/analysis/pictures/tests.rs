//! Pictures of small multi-traces.

use otus_analysis::explain;
use otus_draw::layout::failure::{EventState, FailurePicture, PictureMessage};
use otus_syntax::{Source, parse_spec, parse_trace};

use super::*;
use crate::case::Passage;
use crate::case::picture::LIMITS;

fn drawn(model: &str, log: &str, question: &Question) -> CasePicture {
    let place = |place: String| Passage { place, ..Passage::default() };
    let log_place = |component, at| place(format!("{component}:{at}"));
    let term_place = |start: usize| place(start.to_string());
    drawn_with(model, log, question, &log_place, &term_place)
}

/// The picture of a multi-trace, given the places of actions and of offsets of the model.
fn drawn_with(
    model: &str,
    log: &str,
    question: &Question,
    log_place: &dyn Fn(usize, usize) -> Passage,
    place: &dyn Fn(usize) -> Passage,
) -> CasePicture {
    let mut model = parse_spec(&Source::new("m.hif", model)).tree;
    model.implicit = true;
    let mut lowered = otus_core::lower(&[&model]);
    let log = parse_trace(&Source::new("run.htf", log)).tree;
    let (trace, _) = otus_trace::lower(&log, &mut lowered.pool);
    let (pool, term) = (&mut lowered.pool, lowered.term.unwrap());
    let options = explain::Options::default();
    let explanation = explain::explain(pool, term, &trace, question, &options);
    let budget = Budget::default();
    let fails = explanation.verdict == Verdict::Fail;
    let run = if fails {
        accepted_run(pool, term, &trace, question, &explanation, &budget)
    } else {
        let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
        engine.witness(pool, term, &trace, question, explanation.verdict, &budget)
    };
    fill(&Facts {
        pool: &lowered.pool,
        term,
        trace: &trace,
        explanation: fails.then_some(&explanation),
        run: run.as_ref(),
        pairs: &[],
        log: &|component, at| Some(log_place(component.index(), at)),
        values: &|_, _| None,
        place: &|term| Some(place(lowered.place(term)?.1.start as usize)),
    })
}

/// Events in words, messages, run and culprit.
#[track_caller]
fn check(model: &str, log: &str, question: &Question, events: &str, rest: &str) {
    let picture = drawn(model, log, question);
    let FailurePicture { events: found, messages, run, culprit, .. } = &picture.diagram;
    let each = found.iter().map(|event| {
        let sign = match event.state {
            EventState::Explained => "",
            EventState::Offending => "✗",
            EventState::NotReached => "…",
            EventState::Expected => "+",
            EventState::Assumed => "~",
        };
        format!("{}{sign}{}", if event.joined { "&" } else { "" }, event.label)
    });
    assert_eq!(each.collect::<Vec<_>>().join(" "), events);
    let messages = messages.iter().map(|PictureMessage { from, to }| [*from, *to]);
    let messages: Vec<[usize; 2]> = messages.collect();
    assert_eq!(format!("{messages:?} {run:?} {culprit:?}"), rest);
    assert!(found.iter().zip(&picture.logs).all(|(event, log)| {
        let is_observed = !matches!(event.state, EventState::Expected | EventState::Assumed);
        event.log.is_some() == is_observed && log.is_some() == is_observed
    }));
}

const TWO: &str = "seq(a -- m -> b, b -- n -> a)";

#[test]
fn what_is_missing_is_expected_where_it_should_be() {
    check(
        TWO,
        "{[a] a!m.a?n; [b] b?m}",
        &Question::ACCEPT,
        "a!m b?m ✗a?n +b!n",
        "[[0, 1]] [0, 1] Some(3)",
    );
}

#[test]
fn a_log_that_ends_too_early_is_at_fault_where_it_ends() {
    check(
        TWO,
        "{[a] a!m; [b] b?m.b!n}",
        &Question::ACCEPT,
        "a!m b?m b!n +a?n",
        "[[0, 1]] [0, 1, 2] Some(3)",
    );
}

#[test]
fn messages_find_their_way() {
    check(
        TWO,
        "{[a] a!m.a?n; [b] b?m.b!n}",
        &Question::ACCEPT,
        "a!m b?m b!n a?n",
        "[[0, 1], [2, 3]] [0, 1, 2, 3] None",
    );
    // The specification does not say which lifeline receives the message.
    check(
        "alt(a -- m -> b, a -- m -> c)",
        "{[a] a!m; [b] b?m; [c] }",
        &Question::ACCEPT,
        "a!m b?m",
        "[] [0, 1] None",
    );
    check(
        "a -- m -> (b, c)",
        "{[a] a!m; [b] b?m; [c] c?m}",
        &Question::ACCEPT,
        "a!m b?m c?m",
        "[[0, 1], [0, 2]] [0, 1, 2] None",
    );
}

#[test]
fn what_is_assumed_is_part_of_the_run() {
    check(
        TWO,
        "{[a] a!m.a?n; [b] }",
        &Question::MULTI_PREFIX,
        "a!m ~b?m ~b!n a?n",
        "[[0, 1], [2, 3]] [0, 1, 2, 3] None",
    );
}

#[test]
fn only_what_is_drawn_is_looked_up() {
    use std::cell::Cell;
    let rounds = 2000;
    let log =
        format!("{{[a] {}a!m; [b] {}b?n}}", "a!m.a?n.".repeat(rounds), "b?m.b!n.".repeat(rounds));
    let asked = Cell::new(0);
    let log_place = |_, _| {
        asked.set(asked.get() + 1);
        Passage::default()
    };
    let model = format!("loopS({TWO})");
    let picture = drawn_with(&model, &log, &Question::ACCEPT, &log_place, &|_| Passage::default());
    let (events, most) = (&picture.diagram.events, LIMITS.max_events);
    assert!(events.len() > 4 * rounds);
    assert!((most - 5..=most).contains(&asked.get()), "{}", asked.get());
    assert_eq!(events[picture.diagram.culprit.unwrap()].label, "a?n");
}

#[test]
fn places_are_those_of_the_interaction() {
    let picture = drawn(TWO, "{[a] a!m.a!x; [b] b?m}", &Question::ACCEPT);
    let places: Vec<Option<String>> =
        picture.diagram.events.iter().map(|event| event.specification.clone()).collect();
    assert!(places[0].is_some() && places[0] != places[1], "{places:?}");
    let unknown = picture.diagram.events.iter().position(|event| event.label == "a!x").unwrap();
    assert_eq!(places[unknown], None);
    assert_eq!(picture.diagram.culprit, Some(unknown));
}
