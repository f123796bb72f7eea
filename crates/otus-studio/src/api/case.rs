//! One run: its failure, its steps, why something cannot be matched, and its repair.

use otus::study::{RepairedLogs, RunLog, Step, Study, Target};
use otus::{Case, Explanation};
use serde::Deserialize;
use serde_json::{Value, json};

use super::file::version;
use super::wording::diff;
use super::{Asked, Subject, place};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    #[serde(flatten)]
    subject: Subject,
    id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct WhyNotQuestion {
    #[serde(flatten)]
    subject: Subject,
    id: String,
    step: usize,
    target: AskedTarget,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AskedTarget {
    Event { log: usize, event: usize },
    Line { line: usize },
    Action { action: String },
}

#[derive(Debug, Deserialize)]
pub(crate) struct RepairQuestion {
    #[serde(flatten)]
    subject: Subject,
    id: String,
    of: Of,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    Log,
    Specification,
}

/// The beginning of the ids in the picture of a case.
const PICTURE: &str = "case";

fn study(asked: &Asked<'_>, subject: &Subject, id: &str) -> Result<Study, Failure> {
    let (context, _) = subject.context(asked)?;
    Ok(Study::open(&context, &subject.request(asked)?, id)?)
}

pub(crate) fn case(asked: &Asked<'_>, question: &Question) -> Result<Value, Failure> {
    let study = study(asked, &question.subject, &question.id)?;
    let steps = study.steps();
    let case = study.case();
    let mut answer = told(case);
    answer["svg"] = json!(study.svg_in_page(PICTURE));
    answer["logs"] = json!(steps.logs.iter().map(log).collect::<Vec<_>>());
    answer["steps"] = json!(steps.steps.iter().map(step).collect::<Vec<_>>());
    answer["explained"] = json!(steps.explained);
    Ok(answer)
}

fn node(drawn: Option<usize>) -> Value {
    drawn.map_or(Value::Null, |number| json!(format!("{PICTURE}-event-{number}")))
}

/// A log with its events.
pub(crate) fn log(log: &RunLog) -> Value {
    let events: Vec<Value> = log
        .events
        .iter()
        .map(|event| {
            json!({
                "action": event.action,
                "place": place(event.place.as_ref()),
                "text": event.text,
                "node": node(event.drawn),
            })
        })
        .collect();
    json!({ "lifelines": log.lifelines, "events": events })
}

fn step(step: &Step) -> Value {
    let mut value = json!({
        "log": step.event.map(|(log, _)| log),
        "event": step.event.map(|(_, event)| event),
        "action": step.action,
        "node": node(step.drawn),
        "spec": place(step.spec.as_ref()),
        "state": step.state.name(),
    });
    if let Some(expected) = &step.expected {
        value["expected"] = json!(expected);
    }
    value
}

/// A case in words, without its steps.
fn told(case: &Case) -> Value {
    let cause = case.failure().and_then(|_| case.cause());
    let cause = cause.map(|cause| json!({ "id": cause.id, "name": cause.name }));
    let mut answer = json!({
        "id": case.id,
        "verdict": case.verdict.name(),
        "headline": case.headline(),
        "cause": cause,
        "text": case.failure().map(|it| it.render(false)).unwrap_or_default(),
        "expected": [],
        "observed": [],
        "furthest": [],
        "repair": null,
        "notes": [],
    });
    if let Some(note) = &case.note {
        answer["notes"] = json!([{ "topic": "note", "text": note }]);
    }
    if let Some(explanation) = case.failure() {
        explained(explanation, &mut answer);
    }
    answer
}

fn explained(explanation: &Explanation, answer: &mut Value) {
    let expected = explanation.expected.iter();
    let expected = expected
        .map(|it| json!({ "place": place(Some(&it.place)), "action": it.action, "text": it.text }));
    let observed = explanation.observed.iter().chain(&explanation.related);
    let observed = observed.map(|it| {
        json!({
            "place": place(Some(&it.place)),
            "action": it.action,
            "role": it.role,
            "text": it.text,
        })
    });
    answer["expected"] = expected.collect();
    answer["observed"] = observed.collect();
    answer["furthest"] = json!(explanation.furthest);
    answer["repair"] = match &explanation.repair {
        Some(repair) if !repair.edits.is_empty() => {
            let edits = repair.edits.iter();
            let edits =
                edits.map(|it| json!({ "place": place(it.place.as_ref()), "text": it.text }));
            json!({
                "edits": edits.collect::<Vec<_>>(),
                "smallest": repair.is_smallest,
                "certified": repair.is_certified,
            })
        }
        _ => Value::Null,
    };
    let notes = explanation.notes.iter();
    answer["notes"] = notes.map(|it| json!({ "topic": it.topic, "text": it.text })).collect();
}

pub(crate) fn why_not(asked: &Asked<'_>, question: &WhyNotQuestion) -> Result<Value, Failure> {
    let study = study(asked, &question.subject, &question.id)?;
    let target = match &question.target {
        AskedTarget::Event { log, event } => Target::Event { log: *log, event: *event },
        AskedTarget::Line { line } => Target::Line(*line),
        AskedTarget::Action { action } => Target::Action(action.clone()),
    };
    let answer = study.why_not(&study.steps(), question.step, &target);
    let reasons = answer.reasons.iter();
    let reasons = reasons.map(|it| json!({ "text": it.text, "place": place(it.place.as_ref()) }));
    let before = answer.before.iter();
    let before = before.map(|it| json!({ "action": it.action, "place": place(it.place.as_ref()) }));
    Ok(json!({
        "possible": answer.possible == otus::study::Possible::Now,
        "kind": answer.possible.name(),
        "headline": answer.headline,
        "reasons": reasons.collect::<Vec<_>>(),
        "before": before.collect::<Vec<_>>(),
    }))
}

pub(crate) fn repair(asked: &Asked<'_>, question: &RepairQuestion) -> Result<Value, Failure> {
    let study = study(asked, &question.subject, &question.id)?;
    let (changes, edits, reason) = match question.of {
        Of::Log => {
            let RepairedLogs { edits, changes, reason, .. } = study.repaired_logs();
            let changes: Vec<_> =
                changes.into_iter().map(|it| (it.file, it.before, it.after)).collect();
            (changes, edits, reason)
        }
        Of::Specification => {
            let (context, _) = question.subject.context(asked)?;
            let request = question.subject.request(asked)?;
            let found = otus::amend::amend(&context, &request, &question.id)?;
            let changes = found.change.into_iter().map(|it| (it.file, it.before, it.after));
            (changes.collect(), found.edits, found.reason)
        }
    };
    let folder = asked.studio.view.folder();
    let mut unsaved = question.subject.unsaved.clone();
    let mut told = Vec::new();
    for (file, before, after) in changes {
        let name = folder.name(std::path::Path::new(&file));
        // What is saved is compared with the file on disk, whatever the unsaved text is.
        let disk =
            folder.inside(&name).ok().and_then(|path| std::fs::read(folder.real(&path).ok()?).ok());
        told.push(json!({
            "path": name,
            "version": disk.map(|bytes| version(&bytes)),
            "diff": diff(&name, &before, &after),
            "text": after,
        }));
        unsaved.insert(name, after);
    }
    let verdict = if told.is_empty() {
        study.case().verdict
    } else {
        verdict(asked, &Subject { unsaved, ..question.subject.clone() }, &question.id)?
    };
    let mut answer = json!({ "changes": told, "edits": edits, "verdict": verdict.name() });
    if let Some(reason) = reason {
        answer["reason"] = json!(reason);
    }
    Ok(answer)
}

/// The verdict of a run with other texts.
fn verdict(asked: &Asked<'_>, subject: &Subject, id: &str) -> Result<otus::Verdict, Failure> {
    let (context, _) = subject.context(asked)?;
    Ok(Study::open(&context, &subject.request(asked)?, id)?.case().verdict)
}
