//! Detects the format of a log. This is the only place in the workspace that does so.
//!
//! The content of a text counts first: the keys of its first JSON object, a host with its vector
//! clock, or lines of JSON. The ending of the file name counts only after that, because names of
//! logs say little: `app.log` may contain OTLP. A first character alone decides nothing, because a
//! text log may begin with a bracket.

use super::Format;
use super::json::{Cursor, Malformed};
use super::lines::lossy;

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
    if is_multi_trace(&lossy(text)) {
        return Some(Format::Htf);
    }
    json_format(text, 0)
        .or_else(|| has_vector_clock(head).then_some(Format::Shiviz))
        .or_else(|| is_mostly_json(head).then_some(Format::Json))
}

/// Whether a text begins as a multi-trace does: with a component in brackets, and after it an action
/// or the end of the component.
pub fn is_multi_trace(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let text = text.strip_prefix('{').unwrap_or(text).trim_start();
    let Some((names, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
        return false;
    };
    // A name ends at its last byte, or at its closing quote.
    let name_end = |text: &str| {
        if text.starts_with('"') {
            let quoted = otus_syntax::lexer::scan_quoted(text, 0);
            if quoted.closed { quoted.end } else { 0 }
        } else {
            otus_syntax::lexer::scan_word(text, 0)
        }
    };
    let is_name = |name: &str| !name.is_empty() && name_end(name) == name.len();
    let names = names.trim();
    if !matches!(names, "#all" | "#any") && !names.split(',').all(|name| is_name(name.trim())) {
        return false;
    }
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with([';', '}']) {
        return true;
    }
    let action = rest.strip_prefix('{').unwrap_or(rest).trim_start();
    let end = name_end(action);
    let message = action[end..].trim_start().strip_prefix(['!', '?']);
    end > 0 && message.is_some_and(|message| name_end(message.trim_start()) > 0)
}

/// The format of the first object of a JSON text, by its keys. Lists, and the members in which
/// query services put their answers, are entered.
fn json_format(text: &[u8], depth: usize) -> Option<Format> {
    let mut json = Cursor::new(text);
    let mut lists = 0;
    while json.peek() == Some(b'[') && lists < 3 {
        json = json.at(json.position() + 1);
        lists += 1;
    }
    if json.peek() != Some(b'{') {
        return None;
    }
    let mut keys = Keys::default();
    // The beginning of a file may be cut anywhere, so the keys before a fault count.
    let read: Result<(), Malformed> = json.object(|json, key| {
        let begin = json.start();
        keys.add(key, begin);
        json.skip()
    });
    if keys.names.is_empty() && read.is_err() {
        return None;
    }
    keys.format().or_else(|| {
        let inside = keys.names.iter().filter(|(key, _)| WRAPPERS.contains(&&**key));
        let found = (depth < 3).then(|| {
            inside.filter_map(|&(_, at)| json_format(text.get(at..)?, depth + 1)).find(|format| {
                // Any object is JSON, but a wrapper counts as an answer of a query service only if
                // it contains spans.
                format.has_spans()
            })
        });
        found.flatten().or(Some(Format::Json))
    })
}

/// The members in which query services put their answers.
const WRAPPERS: [&str; 9] =
    ["data", "result", "results", "trace", "traces", "response", "hits", "_source", "spans"];

/// The keys of an object, and where their values begin.
#[derive(Debug, Default)]
struct Keys {
    names: Vec<(String, usize)>,
}

impl Keys {
    fn add(&mut self, key: &[u8], begin: usize) {
        self.names.push((String::from_utf8_lossy(key).into_owned(), begin));
    }

    fn any(&self, names: &[&str]) -> bool {
        self.names.iter().any(|(name, _)| names.contains(&&**name))
    }

    fn format(&self) -> Option<Format> {
        let documents = ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs"];
        let others = ["resourceMetrics", "resource_metrics", "batches"];
        let scopes = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs"];
        if self.any(&documents) || self.any(&others) || self.any(&scopes) {
            return Some(Format::Otlp);
        }
        if self.any(&["otus"]) && self.any(&["version"]) {
            return Some(Format::Canonical);
        }
        let has_processes = self.any(&["traceID", "processes"]) && self.any(&["spans"]);
        let operation = ["operationName", "startTime", "references"];
        if has_processes
            || (self.any(&["traceID", "traceId"])
                && self.any(&["spanID", "spanId"])
                && self.any(&["operationName"]))
            || (self.any(&["traceID"]) && self.any(&["spanID"]) && self.any(&operation))
        {
            return Some(Format::Jaeger);
        }
        let endpoints = ["localEndpoint", "remoteEndpoint", "binaryAnnotations"];
        let zipkin = ["name", "timestamp", "parentId", "duration", "kind", "annotations"];
        // A log record may contain the ids of its span, but it also has a message or a level.
        let is_record = self.any(&["message", "msg", "level", "severity", "body"]);
        let has_id = self.any(&["traceId"]) && self.any(&["id"]);
        if has_id && (self.any(&endpoints) || (self.any(&zipkin) && !is_record)) {
            return Some(Format::Zipkin);
        }
        let starts = ["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"];
        let has_span = self.any(&["spanId", "span_id"]) && self.any(&["traceId", "trace_id"]);
        let is_console = self.any(&["SpanContext"])
            || (self.any(&["context"]) && self.any(&["parent_id", "start_time"]));
        if is_console || (has_span && self.any(&starts)) {
            return Some(Format::Otlp);
        }
        None
    }
}

/// Whether one of the first lines has a host and its vector clock, such as `host {"host": 1}`, or is
/// the pattern of such lines.
fn has_vector_clock(head: &[u8]) -> bool {
    let text = lossy(head);
    let has_clock = |line: &str| {
        if line.contains("(?<clock>") && line.contains("(?<host>") {
            return true;
        }
        let Some((before, rest)) = line.trim().split_once(" {") else { return false };
        let Some((clock, _)) = rest.split_once('}') else { return false };
        // Every host has an entry in its own clock.
        let host = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let mut is_own = false;
        let mut is_count = |entry: &str| {
            entry.rsplit_once(':').is_some_and(|(name, count)| {
                let name = name.trim().strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                is_own |= name == Some(host);
                name.is_some() && count.trim().parse::<u64>().is_ok()
            })
        };
        !host.is_empty() && entries(clock).all(&mut is_count) && is_own
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(LOOKED_AT).any(has_clock)
}

/// The maximum number of lines that are inspected.
const LOOKED_AT: usize = 50;

/// The entries of a clock. Names in quotes may have commas.
fn entries(clock: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    clock.split(move |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
}

/// Whether most of the first lines are JSON objects. Programs may print other lines while they
/// start.
fn is_mostly_json(head: &[u8]) -> bool {
    let text = lossy(head);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LOOKED_AT);
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
        "log" | "logfmt" | "txt" | "out" | "err" | "trace" => Some(Format::Text),
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
        check("[INFO] ready!", None);
        check("[main,5] a!m", Some(Format::Htf));
        check("[2026-11-15 07:13:08] started!", None);
        check("[core]\nkey = 1", None);
        check("[a]; [b] b?m", Some(Format::Htf));
        check(r#"{["a b"] "a b"!m}"#, Some(Format::Htf));
        check("2026-11-15 started", None);
        check("", None);
    }

    #[test]
    fn answers_of_services_and_lone_spans_are_known() {
        check(r#"{"batches":[{"resource":{}}]}"#, Some(Format::Otlp));
        check("{\n \"result\": {\n \"resourceSpans\": [", Some(Format::Otlp));
        check(r#"{"trace":{"resourceSpans":[]}}"#, Some(Format::Otlp));
        check(r#"[{"resource":{},"scopeSpans":[]}]"#, Some(Format::Otlp));
        check(r#"[{"traceId":"1","spanId":"2","startTimeUnixNano":"3"}]"#, Some(Format::Otlp));
        check(
            r#"{"name":"x","context":{},"parent_id":null,"start_time":"2026"}"#,
            Some(Format::Otlp),
        );
        check(r#"{"Name":"x","SpanContext":{}}"#, Some(Format::Otlp));
        check(r#"{"traceID":"1","spans":[],"processes":{}}"#, Some(Format::Jaeger));
        check(r#"{"traceID":"1","spanID":"2","operationName":"x"}"#, Some(Format::Jaeger));
        check(
            r#"{"spans":[{"traceId":"1","spanId":"2","operationName":"x"}]}"#,
            Some(Format::Jaeger),
        );
        check(
            r#"[{"traceId":"1","id":"2","annotations":[],"binaryAnnotations":[]}]"#,
            Some(Format::Zipkin),
        );
        check(
            r#"{"timestamp":"2026","traceId":"1","spanId":"2","message":"hi"}"#,
            Some(Format::Json),
        );
        check(r#"{"id":"7","traceId":"1","timestamp":1,"level":"info"}"#, Some(Format::Json));
        check("[\n  {\"level\": \"info\"}\n]", Some(Format::Json));
        check("{\n  \"level\": \"info\"\n}", Some(Format::Json));
        check(r#"{"span":{"traceId":"1","spanId":"2","startTime":3}}"#, Some(Format::Json));
    }

    #[test]
    fn vector_clocks_and_json_after_other_lines_are_found() {
        check("p {\"p\":1}\nsend\n", Some(Format::Shiviz));
        check("send\np {\"p\": 1, \"q\": 2}\n", Some(Format::Shiviz));
        check("p {\"p\":x}\nsend\n", None);
        check("INFO {\"count\":3}\n", None);
        check("10:00 p {\"p\":1} send\n", Some(Format::Shiviz));
        check("t[main,5] {\"t[main,5]\":1}  \nsend\n", Some(Format::Shiviz));
        check("(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n\n", Some(Format::Shiviz));
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
