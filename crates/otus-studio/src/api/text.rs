//! A text while somebody types: findings, picture, messages.

use otus::draft::{DraftRequest, look};
use serde::Deserialize;
use serde_json::{Value, json};

use super::wording::utf16;
use super::{Asked, Unsaved, diagnostics};
use crate::failure::Failure;

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    path: String,
    spec: Option<String>,
    text: String,
    #[serde(default)]
    unsaved: Unsaved,
    #[serde(default)]
    picture: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Code {
    code: String,
}

pub(crate) fn text(asked: &Asked<'_>, question: &Question) -> Result<Value, Failure> {
    let mut unsaved = question.unsaved.clone();
    unsaved.insert(question.path.clone(), question.text.clone());
    let (context, _) = asked.context(&unsaved)?;
    let mut request = DraftRequest::new(&question.path);
    if let Some(spec) = &question.spec {
        asked.inside(spec.split('#').next().unwrap_or(spec))?;
        request.spec = Some(spec.clone());
    }
    request.picture = question.picture.then(|| "spec".to_owned());
    let draft = look(&context, &request)?;
    let text = question.text.as_str();
    let messages: Vec<Value> = draft
        .messages
        .iter()
        .map(|message| {
            json!({
                "text": message.text,
                "actions": message.actions,
                "line": message.line,
                "from": utf16(text, message.span.start),
                "to": utf16(text, message.span.end),
                "node": draft.svg.as_ref().map(|_| format!("spec-{}", message.node)),
            })
        })
        .collect();
    Ok(json!({
        "diagnostics": diagnostics(&draft.findings, Some((question.path.as_str(), text))),
        "svg": draft.svg,
        "messages": messages,
    }))
}

pub(crate) fn code(question: &Code) -> Result<Value, Failure> {
    let found = otus::explain(&question.code);
    let text = found.map_err(|error| Failure::missing(error.to_string()))?;
    Ok(json!({ "text": text }))
}
