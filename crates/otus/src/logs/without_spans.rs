//! Answers of tracing systems that have no spans: lists of what was found, and errors.

use serde_json::Value;

/// What such an answer is and what to ask for instead; `None` for any other text.
pub(crate) fn reason(head: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(head).ok()?;
    if let Some(error) = error(&answer) {
        return Some(format!(
            "is an answer without a trace ({error}); check the id of the trace, and ask again"
        ));
    }
    let traces = answer.get("traces")?.as_array()?;
    let is_found = |trace: &Value| trace.get("traceID").is_some() && trace.get("spans").is_none();
    let first = traces.first().filter(|first| is_found(first))?;
    let id = first["traceID"].as_str().unwrap_or("ID");
    Some(format!(
        "is what a search of Tempo found ({}), without spans; ask for each trace, as `/api/v2/traces/{id}`",
        crate::units::counted(traces.len(), "trace")
    ))
}

/// The error of an answer of Jaeger without data.
fn error(answer: &Value) -> Option<&str> {
    let has_data = answer.get("data")?.as_array().is_some_and(|data| !data.is_empty());
    let error = answer.get("errors")?.as_array()?.first()?;
    error.get("msg").and_then(Value::as_str).filter(|_| !has_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_without_spans_say_what_they_are() {
        let search = br#"{"traces":[{"traceID":"2f3e","rootServiceName":"shop","durationMs":5}]}"#;
        let told = reason(search).unwrap_or_default();
        assert!(told.contains("(1 trace)") && told.contains("/api/v2/traces/2f3e"), "{told}");
        let missing = br#"{"data":null,"errors":[{"code":404,"msg":"trace not found"}]}"#;
        assert!(reason(missing).is_some_and(|told| told.contains("(trace not found)")));
        for other in [
            &br#"{"data":[{"traceID":"a","spans":[]}],"errors":null}"#[..],
            br#"{"data":[1],"errors":[{"msg":"late"}]}"#,
            br#"{"traces":[]}"#,
            br#"{"level":"info"}"#,
            b"text",
        ] {
            assert_eq!(reason(other), None);
        }
    }
}
