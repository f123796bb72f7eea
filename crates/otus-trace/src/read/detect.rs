//! Detects the format of a log. This is the only place in the workspace that does so.
//!
//! Content decides first, because file names of logs say little: `app.log` may hold OTLP. The
//! ending of the name decides only between formats that have no typical content, text and CSV.

use super::Format;

/// Returns the format of a log, by the beginning of its unpacked content and, if that does not
/// decide, by its file name. `None` means that it does not look like a log.
///
/// Without a name, text and CSV are never returned, because only the ending of a name tells them
/// from other texts.
///
/// ```
/// use otus_trace::read::{Format, detect};
///
/// assert_eq!(detect(None, br#"{"resourceSpans": []}"#), Some(Format::Otlp));
/// assert_eq!(detect(None, br#"{"level": "info"}"#), Some(Format::Json));
/// assert_eq!(detect(None, b"plain text"), None);
/// assert_eq!(detect(Some("broker.log"), b"plain text"), Some(Format::Text));
/// assert_eq!(detect(Some("broker.log"), br#"{"resourceSpans": []}"#), Some(Format::Otlp));
/// ```
pub fn detect(name: Option<&str>, head: &[u8]) -> Option<Format> {
    by_content(head).or_else(|| by_name(name?, head))
}

fn by_content(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let text = &head[start..];
    by_first_keys(text)
        .or_else(|| has_vector_clock(head).then_some(Format::Shiviz))
        .or_else(|| is_mostly_json(head).then_some(Format::Json))
}

/// The formats that their first few bytes identify. The text does not begin with white space.
fn by_first_keys(text: &[u8]) -> Option<Format> {
    let beginning = String::from_utf8_lossy(&text[..text.len().min(BEGINNING)]);
    let has = |key: &str| beginning.contains(key);
    let within_list = match text.first() {
        Some(b'[') => true,
        Some(b'{') => false,
        _ => return None,
    };
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
    let after = text[1..].iter().find(|byte| !byte.is_ascii_whitespace());
    match (within_list, after) {
        (false, Some(b'"' | b'}')) => Some(Format::Json),
        // `[a] a!m`, `{[a] a!m}`.
        (true, Some(byte)) if matches!(byte, b'#' | b'_') || byte.is_ascii_alphabetic() => {
            (has("!") || has("?")).then_some(Format::Htf)
        }
        (false, Some(b'[')) => Some(Format::Htf),
        _ => None,
    }
}

/// The number of bytes that are searched for keys.
const BEGINNING: usize = 4 << 10;

/// Whether one of the first lines is a host and its vector clock, such as `host {"host": 1}`.
fn has_vector_clock(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let has_clock = |line: &str| {
        let Some((host, rest)) = line.trim().split_once(" {") else { return false };
        let Some((clock, _)) = rest.split_once('}') else { return false };
        let is_count = |entry: &str| {
            entry.rsplit_once(':').is_some_and(|(host, count)| {
                host.trim().starts_with('"') && count.trim().parse::<u64>().is_ok()
            })
        };
        !host.is_empty() && !host.contains(char::is_whitespace) && clock.split(',').all(is_count)
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(4).any(has_clock)
}

/// Whether most of the first lines are JSON objects. Programs print other lines while they start.
fn is_mostly_json(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(50);
    let objects: Vec<bool> = lines.map(|line| line.trim_start().starts_with("{\"")).collect();
    objects.iter().filter(|&&object| object).count() * 2 > objects.len()
}

/// The format that the ending of a name suggests, unless the content is binary.
fn by_name(name: &str, head: &[u8]) -> Option<Format> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    let name = ["gz", "zst", "zstd"].iter().fold(&*name, |name, packed| {
        name.strip_suffix(packed).and_then(|name| name.strip_suffix('.')).unwrap_or(name)
    });
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_binary = head.iter().take(4096).filter(|&&byte| byte == 0).count() > 8;
    match ending {
        _ if is_binary => None,
        "csv" | "tsv" => Some(Format::Csv),
        "log" | "txt" | "out" | "err" | "trace" => Some(Format::Text),
        // `messages`, `broker.log.1`.
        _ if ending.chars().all(|c| c.is_ascii_digit()) => Some(Format::Text),
        _ => None,
    }
}

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
        assert_eq!(detect(None, head.as_bytes()), expected, "{head}");
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

    #[test]
    fn vector_clocks_and_json_after_other_lines_are_found() {
        check("p {\"p\":1}\nsend\n", Some(Format::Shiviz));
        check("send\np {\"p\": 1, \"q\": 2}\n", Some(Format::Shiviz));
        check("p {\"p\":x}\nsend\n", None);
        check("starting\n{\"a\":1}\n{\"a\":2}\n", Some(Format::Json));
        check("starting\n{\"a\":1}\nstopping\n", None);
    }

    #[track_caller]
    fn check_name(names: &[&str], expected: Option<Format>) {
        for name in names {
            assert_eq!(detect(Some(name), b"10:00 started\n"), expected, "{name}");
        }
    }

    #[test]
    fn endings_of_names_decide_what_content_does_not() {
        check_name(
            &["a.log", "A.LOG", "x/a.txt", "a.log.gz", "a.log.1", "messages"],
            Some(Format::Text),
        );
        check_name(&["a.csv", "logs\\a.tsv.zst"], Some(Format::Csv));
        check_name(&["a.md", "a.png"], None);
        assert_eq!(detect(Some("a.csv"), br#"{"a": 1}"#), Some(Format::Json));
        assert_eq!(detect(Some("a.log"), &[0; 100]), None);
    }
}
