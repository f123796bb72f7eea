//! Why a request has no answer: a status, a kind that the page knows, and a sentence.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::api::diagnostics;

/// A request without an answer.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    kind: &'static str,
    error: String,
    /// Further members of the answer.
    more: Option<Value>,
}

impl Failure {
    fn new(status: StatusCode, kind: &'static str, error: impl Into<String>) -> Failure {
        Failure { status, kind, error: error.into(), more: None }
    }

    /// The request itself has a mistake.
    pub(crate) fn malformed(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, "input", error)
    }

    /// The texts have mistakes, or the request does not fit them.
    pub(crate) fn input(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "input", error)
    }

    pub(crate) fn missing(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, "missing", error)
    }

    pub(crate) fn forbidden(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, "forbidden", error)
    }

    pub(crate) fn too_large(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", error)
    }

    pub(crate) fn cancelled() -> Failure {
        // The status that nginx made usual for this.
        let status = StatusCode::from_u16(499).unwrap_or(StatusCode::CONFLICT);
        Failure::new(status, "cancelled", "a newer question came")
    }

    pub(crate) fn internal(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error)
    }

    /// The file on disk is not the one that was read.
    pub(crate) fn conflict(error: impl Into<String>, now: Value) -> Failure {
        Failure { more: Some(now), ..Failure::new(StatusCode::CONFLICT, "conflict", error) }
    }

    /// The status and the kind are those of another method, path or type.
    pub(crate) fn with_status(self, status: StatusCode) -> Failure {
        Failure { status, ..self }
    }

    /// The body of the answer.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({ "error": self.error, "kind": self.kind });
        if let (Some(body), Some(Value::Object(more))) = (body.as_object_mut(), &self.more) {
            body.extend(more.clone());
        }
        body
    }
}

impl From<otus::Error> for Failure {
    fn from(error: otus::Error) -> Failure {
        if let otus::Error::Text(found) = &error {
            let more = json!({ "diagnostics": diagnostics(&found.text_findings(), None) });
            let first = found.findings().into_iter().find(|it| it.is_error);
            let message = first.map_or_else(
                || "a text has mistakes".to_owned(),
                |it| format!("{}:{}:{}: {}", it.file, it.line, it.column, it.message),
            );
            return Failure { more: Some(more), ..Failure::input(message) };
        }
        let message = error.to_string();
        if let otus::Error::Read { .. } = &error {
            return Failure::missing(message);
        }
        if let otus::Error::Stopped(_) = &error {
            return Failure::cancelled();
        }
        if let otus::Error::Bug(_) = &error {
            return Failure::internal(message);
        }
        Failure::input(message)
    }
}
