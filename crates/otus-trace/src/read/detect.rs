//! What a log is, by its first bytes.

use super::Format;

/// The format that the beginning of an unpacked file looks like. Text is not recognised: without
/// patterns there is nothing to do with it.
///
/// ```
/// use otus_trace::read::{Format, detect};
///
/// assert_eq!(detect(br#"{"resourceSpans": []}"#), Some(Format::Otlp));
/// assert_eq!(detect(br#"{"level": "info"}"#), Some(Format::Json));
/// assert_eq!(detect(b"plain text"), None);
/// ```
pub fn detect(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let head = &head[start..];
    // The first few keys tell.
    let beginning = String::from_utf8_lossy(&head[..head.len().min(BEGINNING)]);
    let has = |key: &str| beginning.contains(key);
    let within_list = head.first() == Some(&b'[');
    if within_list || head.first() == Some(&b'{') {
        let otlp = ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs"];
        if otlp.iter().any(|key| has(&format!("\"{key}\""))) {
            return Some(Format::Otlp);
        }
        if has("\"otus\"") && has("\"version\"") {
            return Some(Format::Canonical);
        }
        if has("\"traceID\"") && (has("\"spans\"") || has("\"processes\"")) {
            return Some(Format::Jaeger);
        }
        if has("\"traceId\"") && (has("\"localEndpoint\"") || has("\"timestamp\"")) {
            return Some(Format::Zipkin);
        }
        let after = head[1..].iter().find(|byte| !byte.is_ascii_whitespace());
        return match (within_list, after) {
            (false, Some(b'"' | b'}')) => Some(Format::Json),
            // `[a] a!m`, `{[a] a!m}`.
            (true, Some(byte)) if matches!(byte, b'#' | b'_') || byte.is_ascii_alphabetic() => {
                (has("!") || has("?")).then_some(Format::Htf)
            }
            (false, Some(b'[')) => Some(Format::Htf),
            _ => None,
        };
    }
    None
}

/// How much of a file is looked at.
const BEGINNING: usize = 4 << 10;

/// The encoding of a file that is not UTF-8, if its first bytes tell.
pub fn encoding(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [0x1f, 0x8b, ..] => Some("gzip inside of what was unpacked"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, expected: Option<Format>) {
        assert_eq!(detect(head.as_bytes()), expected, "{head}");
    }

    #[test]
    fn formats_are_told_by_their_first_keys() {
        check("\u{feff} {\n  \"resource_spans\": [", Some(Format::Otlp));
        check(r#"{"data":[{"traceID":"1","spans":[]}]}"#, Some(Format::Jaeger));
        check(r#"[[{"traceId":"1","id":"2","timestamp":3}]]"#, Some(Format::Zipkin));
        check(r#"{"otus":"trace","version":1}"#, Some(Format::Canonical));
        check("{}", Some(Format::Json));
        check("[a] a!m", Some(Format::Htf));
        check("{ [a] a!m; [b] b?m }", Some(Format::Htf));
        check("[WARNING] something", None);
        check("2026-11-15 started", None);
        check("", None);
    }
}
