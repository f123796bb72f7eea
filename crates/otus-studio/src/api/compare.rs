//! Two runs, event by event in the partial order.

use otus::compare::compare as compared;
use otus::study::{Steps, Study};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Subject, place};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    #[serde(flatten)]
    subject: Subject,
    left: String,
    right: String,
}

pub(crate) fn compare(asked: &Asked<'_>, question: &Question) -> Result<Value, Failure> {
    let (context, _) = question.subject.context(asked)?;
    let request = question.subject.request(asked)?;
    let left = Study::open(&context, &request, &question.left)?;
    let right = Study::open(&context, &request, &question.right)?;
    let steps = [left.steps(), right.steps()];
    let found = compared(&left.run_events(&steps[0]), &right.run_events(&steps[1]));
    let event = |steps: &Steps, log: Option<usize>, event: Option<usize>| {
        let event = log.zip(event).and_then(|(log, event)| steps.logs.get(log)?.events.get(event));
        event.map_or(Value::Null, |event| {
            json!({
                "action": event.action,
                "place": place(event.place.as_ref()),
                "text": event.text,
                "node": null,
            })
        })
    };
    let logs = found.logs.iter().map(|log| {
        let rows = log.rows.iter().map(|row| {
            json!({
                "left": event(&steps[0], log.number.0, row.left),
                "right": event(&steps[1], log.number.1, row.right),
                "state": row.state.name(),
            })
        });
        json!({ "lifeline": log.name, "rows": rows.collect::<Vec<_>>() })
    });
    Ok(json!({
        "lifelines": logs.collect::<Vec<_>>(),
        "first": found.first,
        "words": found.words,
    }))
}
