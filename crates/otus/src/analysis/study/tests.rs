//! Answers about runs, compared with what follows from the step relation.

use std::collections::BTreeSet;

use otus_core::index::Index as _;
use otus_core::semantics::Frontiers;

use super::*;
use crate::analysis::Request;
use crate::context::Context;
use crate::files::Texts;

fn study(diagram: &str, run: &str) -> Study {
    let files = Texts::default().with("flow.mmd", diagram).with("run.htf", run);
    let context = Context::default().with_files(files);
    Study::open(&context, &Request::new(["flow.mmd", "run.htf"]), "run").unwrap()
}

/// For each execution that is at most so long: the actions of each log.
fn observations(study: &Study, longest: usize) -> BTreeSet<Vec<Vec<String>>> {
    let (mut pool, mut frontiers) = (study.pool.clone(), Frontiers::default());
    let first = vec![Vec::new(); study.trace.partition().len()];
    let mut all = BTreeSet::from([first.clone()]);
    let mut level = BTreeSet::from([(study.term.index(), first)]);
    for _ in 0..longest {
        let mut next = BTreeSet::new();
        for (term, seen) in level {
            for step in frontiers.steps(&mut pool, TermId::new(term)).iter() {
                let mut seen = seen.clone();
                for &action in pool.event_actions(step.event) {
                    let component =
                        study.trace.partition().component_of(pool.action(action).lifeline);
                    seen[component.index()].push(study.action_text(action));
                }
                all.insert(seen.clone());
                next.insert((step.follow_up.index(), seen));
            }
        }
        level = next;
    }
    all
}

/// Compares the answers about all actions at all steps with their definition.
#[track_caller]
fn check(diagram: &str, run: &str) {
    let study = study(diagram, run);
    let steps = study.steps();
    let longest = steps.explained + 6;
    let observations = observations(&study, longest);
    let actions: BTreeSet<String> = observations.iter().flatten().flatten().cloned().collect();
    for step in 0..=steps.explained {
        let mut seen = vec![Vec::new(); steps.logs.len()];
        for one in &steps.steps[..step] {
            let (log, _) = one.event.unwrap();
            seen[log].push(one.action.clone());
        }
        assert!(observations.contains(&seen), "the steps are an execution: {seen:?}");
        for action in &actions {
            let lifeline = action.split(['!', '?']).next().unwrap();
            let log =
                steps.logs.iter().position(|log| log.lifelines.iter().any(|it| it == lifeline));
            let log = log.unwrap();
            let mut after = seen.clone();
            after[log].push(action.clone());
            let is_now = observations.contains(&after);
            let extends = |other: &&Vec<Vec<String>>| {
                other.iter().zip(&seen).all(|(other, own)| other.starts_with(own))
            };
            let comes = |other: &Vec<Vec<String>>| other[log][seen[log].len()..].contains(action);
            let is_later = observations.iter().filter(extends).any(comes);
            let expected = match (is_now, is_later) {
                (true, _) => Possible::Now,
                (false, true) => Possible::Later,
                (false, false) => Possible::Never,
            };
            let found = study.why_not(&steps, step, &Target::Action(action.clone()));
            assert_eq!(found.possible, expected, "{action} after {step} steps: {found:?}");
            if found.possible == Possible::Later {
                assert!(!found.before.is_empty(), "{found:?}");
            }
            // Of an event of the log, the same as far as it is the next one.
            let event = seen[log].len();
            let next = steps.logs[log].events.get(event).filter(|next| next.action == *action);
            if next.is_some() {
                let target = Target::Event { log, event };
                let of_event = study.why_not(&steps, step, &target).possible;
                let is_next = |other: &Vec<Vec<String>>| other[log].get(event) == Some(action);
                let expected = match is_now {
                    true => Possible::Now,
                    false if observations.iter().filter(extends).any(is_next) => Possible::Later,
                    false => Possible::Never,
                };
                assert_eq!(of_event, expected, "the event {action} after {step} steps");
            }
        }
    }
}

const LOGIN: &str = "sequenceDiagram\n  a->>b: ask\n  alt yes\n    b-->>a: yes\n    a->>c: go\n  else no\n    b-->>a: no\n  end\n";
const LOOP: &str = "sequenceDiagram\n  loop\n    a->>b: m\n    b->>c: n\n  end\n  c->>a: o\n";
const TWICE: &str = "sequenceDiagram\n  a->>b: m\n  b->>a: n\n  a->>b: m\n  par\n    a->>c: x\n  and\n    b->>c: y\n  end\n";

#[test]
fn what_can_be_matched_follows_from_the_step_relation() {
    check(LOGIN, "[a] a!ask.a?yes.a!go; [b] b?ask.b!yes; [c] c?go");
    check(LOGIN, "[a] a!ask.a?no.a!go; [b] b?ask.b!no; [c] c?go");
    check(LOGIN, "[a] a!ask.a?yes; [b] b?ask.b!no");
    check(LOOP, "[a] a!m.a!m.a?o; [b] b?m.b!n; [c] c?n.c!o");
    check(TWICE, "[a] a!m.a?n.a!m.a!x; [b] b?m.b!n.b?m.b!y; [c] c?y.c?x");
    check(TWICE, "[a] a!m.a!m; [b] b?m.b?m");
}

#[test]
fn equal_messages_have_places_of_their_own() {
    let study = study(TWICE, "[a] a!m.a?n.a!m.a!x; [b] b?m.b!n.b?m.b!y; [c] c?y.c?x");
    let steps = study.steps();
    let lines: Vec<(String, usize)> = steps
        .steps
        .iter()
        .filter(|step| step.action == "a!m" || step.action == "b?m")
        .map(|step| (step.action.clone(), step.spec.as_ref().unwrap().line))
        .collect();
    for action in ["a!m", "b?m"] {
        let own: Vec<usize> =
            lines.iter().filter(|(it, _)| it == action).map(|(_, line)| *line).collect();
        assert_eq!(own, [2, 4], "{action}");
    }
    assert_eq!(steps.explained, steps.steps.len());
    assert!(steps.steps.iter().all(|step| step.state == StepState::Matched));
}

#[test]
fn the_event_of_the_headline_is_blamed() {
    let study = study(LOGIN, "[a] a!ask.a?no.a!go; [b] b?ask.b!no; [c] c?go");
    let steps = study.steps();
    assert_eq!(study.case().verdict, Verdict::Fail);
    let blamed: Vec<&str> = steps
        .steps
        .iter()
        .filter(|step| step.state == StepState::Blamed)
        .map(|step| step.action.as_str())
        .collect();
    assert_eq!(blamed, ["a!go"]);
    let why = study.why_not(&steps, steps.explained, &Target::Event { log: 0, event: 2 });
    assert_eq!(why.possible, Possible::Never);
    assert_eq!(why.headline, "a!go cannot be matched here, now or later");
    assert!(!why.reasons.is_empty());
    let total: usize = steps.logs.iter().map(|log| log.events.len()).sum();
    assert_eq!(steps.steps.len(), total, "every event is in one step");
}

#[test]
fn repaired_logs_pass() {
    let files = Texts::default().with("flow.mmd", LOGIN);
    for run in [
        "[a] a!ask.a?no.a!go; [b] b?ask.b!no",
        "[a] a?yes.a!ask.a!go; [b] b?ask.b!yes; [c] c?go",
        "[a] a!ask.a?yes.a!go; [b] b?ask.b!no; [c] c?go",
    ] {
        let context = Context::default().with_files(files.clone().with("run.htf", run));
        let request = Request::new(["flow.mmd", "run.htf"]);
        let found = Study::open(&context, &request, "run").unwrap();
        assert_eq!(found.case().verdict, Verdict::Fail, "{run}");
        let repaired = found.repaired_logs();
        let [change] = repaired.changes.as_slice() else { panic!("{run}: {repaired:?}") };
        assert_eq!(change.before, run);
        let context =
            Context::default().with_files(files.clone().with("run.htf", change.after.as_str()));
        let after = Study::open(&context, &request, "run").unwrap();
        assert!(after.case().conforms(), "{run}: {repaired:?}");
    }
}

#[test]
fn an_amended_diagram_allows_the_run_and_what_it_allowed() {
    let good = "[a] a!ask.a?yes.a!go; [b] b?ask.b!yes; [c] c?go";
    for run in [
        "[a] a!ask.a?no.a!go; [b] b?ask.b!no; [c] c?go",
        "[a] a!ask.a?yes.a!go.a!go; [b] b?ask.b!yes; [c] c?go.c?go",
        "[a] a!ask.a?yes.a!go; [b] b?ask.b!yes.b!yes; [c] c?go",
    ] {
        let files = Texts::default().with("flow.mmd", LOGIN).with("run.htf", run);
        let context = Context::default().with_files(files);
        let request = Request::new(["flow.mmd", "run.htf"]);
        let found = crate::amend::amend(&context, &request, "run").unwrap();
        let Some(change) = found.change else {
            assert!(found.reason.is_some(), "{run}");
            continue;
        };
        for allowed in [run, good] {
            let files =
                Texts::default().with("flow.mmd", change.after.as_str()).with("run.htf", allowed);
            let context = Context::default().with_files(files);
            let after = Study::open(&context, &request, "run").unwrap();
            assert!(after.case().conforms(), "{allowed}:\n{}", change.after);
        }
    }
}
