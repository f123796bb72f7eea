//! Detects the format of a file: by the ending of its name, then by its content.
//!
//! [`otus_trace::read::detect`] distinguishes the formats of logs; [`describes_itself`] gives those that can be read
//! without an `otus.toml`.

use std::path::Path;

use otus_trace::read::{self, Format as LogFormat};

/// The format of a specification, a trace or a list of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A signature of the HIBOU tools, perhaps with options and an interaction.
    Hsf,
    /// An interaction.
    Hif,
    /// Options.
    Hcf,
    /// One multi-trace.
    Htf,
    /// A Mermaid sequence diagram.
    Mermaid,
    /// A `PlantUML` sequence diagram.
    Plantuml,
    /// Markdown with diagrams.
    Markdown,
    /// A case file: one multi-trace per line, as JSON.
    Jsonl,
    /// A table of events.
    Parquet,
    /// A partial-order trace.
    Pot,
    /// CTL formulas.
    Ctl,
    /// A Boolean formula in conjunctive normal form, in the DIMACS format.
    Cnf,
}

impl Format {
    /// The format for the ending of a name.
    ///
    /// ```
    /// use otus::Format;
    ///
    /// assert_eq!(Format::of_name("docs/flow.mmd".as_ref()), Some(Format::Mermaid));
    /// assert_eq!(Format::of_name("app.log".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        // A trace may be compressed, so the ending of the compression is removed first.
        let packed = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending));
        if packed.unwrap_or(&name).ends_with(".pot.json") {
            return Some(Format::Pot);
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "hsf" => Some(Format::Hsf),
            "hif" => Some(Format::Hif),
            "hcf" => Some(Format::Hcf),
            "htf" => Some(Format::Htf),
            "mmd" | "mermaid" => Some(Format::Mermaid),
            "puml" | "plantuml" | "pu" | "iuml" | "wsd" => Some(Format::Plantuml),
            "md" | "markdown" => Some(Format::Markdown),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "parquet" | "pq" => Some(Format::Parquet),
            "ctl" => Some(Format::Ctl),
            "cnf" | "dimacs" => Some(Format::Cnf),
            _ => None,
        }
    }

    /// The format that the content suggests. `Hif` is only weak evidence, because almost any text
    /// resembles an interaction a little.
    pub fn of_content(text: &str) -> Option<Format> {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_fence = |line: &str| {
            let line = line.to_ascii_lowercase();
            ["```mermaid", "~~~mermaid", "```plantuml", "~~~plantuml", "```puml"]
                .iter()
                .any(|fence| line.starts_with(fence))
        };
        if text.lines().take(10_000).any(|line| is_fence(line.trim_start())) {
            return Some(Format::Markdown);
        }
        // In a DIMACS file, only comments may precede the line `p cnf`.
        let is_comment = |line: &&str| *line == "c" || line.starts_with("c ");
        let first = lines.clone().find(|line| !is_comment(line));
        if first.is_some_and(|line| line.starts_with("p cnf ")) {
            return Some(Format::Cnf);
        }
        let first =
            lines.find(|line| !line.starts_with("%%") && !line.starts_with('\'')).unwrap_or("");
        if first.starts_with("sequenceDiagram") || first == "---" {
            return Some(Format::Mermaid);
        }
        if first.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("@startuml")) {
            return Some(Format::Plantuml);
        }
        let start = text.trim_start();
        let in_braces = start.strip_prefix('{').map_or("", str::trim_start);
        if ["\"processes\"", "\"edges\"", "\"init\""].iter().any(|key| in_braces.starts_with(key)) {
            return Some(Format::Pot);
        }
        if in_braces.starts_with('"') && begins_with_key(in_braces) {
            return Some(Format::Jsonl);
        }
        let is_global_trace = || {
            let end = otus_syntax::lexer::scan_word(start, 0);
            end > 0 && matches!(start.as_bytes().get(end), Some(b'!' | b'?')) && start.contains('.')
        };
        if start.starts_with(['[', '{']) || is_global_trace() {
            return Some(Format::Htf);
        }
        let has_arrow = ["--", "->", "!", "?"].iter().any(|sign| first.contains(sign));
        let has_operator = first.split_once('(').is_some_and(|(word, _)| {
            !word.is_empty() && word.trim_end().chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        let is_interaction = start.is_empty()
            || start.starts_with(['@', '∅', '/', '"'])
            || first == "o"
            || (!start.starts_with('<') && (has_arrow || has_operator))
            || start.starts_with("<synch>")
            || start.starts_with("<asynch>");
        is_interaction.then_some(Format::Hif)
    }

    /// Whether this is a format of specifications, which logs never have.
    pub fn is_specification(self) -> bool {
        !matches!(self, Format::Htf | Format::Jsonl | Format::Parquet | Format::Pot)
    }

    /// Whether this is the format of a sequence diagram.
    pub fn is_diagram(self) -> bool {
        matches!(self, Format::Mermaid | Format::Plantuml | Format::Markdown)
    }

    pub(crate) fn is_multi_trace(self) -> bool {
        matches!(self, Format::Htf | Format::Jsonl | Format::Parquet)
    }
}

/// Whether a text begins with a quoted key and a colon, as JSON does and a trace does not.
fn begins_with_key(text: &str) -> bool {
    let end = otus_syntax::lexer::scan_quoted(text, 0);
    end.closed && text[end.end..].trim_start().starts_with(':')
}

/// The format that the content of a file suggests, unless the file is more probably a log. An ending that is usual
/// for logs counts more than the first character, and so does the text after the first character. Almost any text
/// resembles an interaction a little.
pub(crate) fn of_text(path: Option<&Path>, text: &str) -> Option<Format> {
    let is_log = path.is_some_and(is_log_name);
    Format::of_content(text).filter(|format| match format {
        Format::Hif => !is_log || is_interaction(text),
        Format::Htf => !text.trim_start().starts_with(['[', '{']) || read::is_multi_trace(text),
        Format::Jsonl => text.contains("\"htf\""),
        Format::Hsf
        | Format::Hcf
        | Format::Mermaid
        | Format::Plantuml
        | Format::Markdown
        | Format::Parquet
        | Format::Pot
        | Format::Ctl
        | Format::Cnf => true,
    })
}

/// Whether a text is an interaction without a mistake.
pub(crate) fn is_interaction(text: &str) -> bool {
    let parsed = otus_syntax::parse_spec(&otus_syntax::Source::new("text", text));
    !text.trim().is_empty() && !otus_syntax::diagnostic::any_error(&parsed.diagnostics)
}

fn is_log_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["log", "txt", "out", "err", "csv", "json", "gz", "zst", "zstd"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// The format of a log that needs no mapping. `head` is its beginning.
pub(crate) fn describes_itself(head: &[u8]) -> Option<LogFormat> {
    // A multi-trace is an input by itself. It counts as a log only if the request names it as one.
    let is_log = |format: &LogFormat| format.is_self_describing() && *format != LogFormat::Htf;
    read::detect(None, head).filter(is_log)
}

/// The format of a log, with or without a mapping; `None` if the file does not look like a log. `head` is its
/// beginning.
pub(crate) fn of_log(path: &Path, head: &[u8]) -> Option<LogFormat> {
    if let Some(format) = describes_itself(head) {
        return Some(format);
    }
    let is_other = Format::of_name(path).is_some_and(|ending| ending != Format::Jsonl);
    if is_other || head.is_empty() || is_case_file(head) {
        return None;
    }
    let name = path.file_name()?.to_string_lossy();
    read::detect(Some(&name), head).filter(|&format| format != LogFormat::Htf)
}

/// Whether a text is a case file: its first line is an object with the text of a multi-trace.
pub(crate) fn is_case_file(head: &[u8]) -> bool {
    let text = read::lossy(head);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match serde_json::from_str::<serde_json::Value>(first) {
        Ok(value) => value.get("htf").is_some_and(serde_json::Value::is_string),
        // A long line is cut off, so it is not valid JSON; its key is searched instead.
        Err(_) => first.starts_with('{') && first.contains("\"htf\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, expected: Option<LogFormat>) {
        assert_eq!(describes_itself(head.as_bytes()), expected, "{head}");
    }

    #[test]
    fn some_logs_say_themselves_what_happened() {
        check("a {\"a\": 1, \"b\":2}\nsends\n", Some(LogFormat::Shiviz));
        check("sends\na {\"a\":1}\n", Some(LogFormat::Shiviz));
        check("a {\"a\":1} sends\n", Some(LogFormat::Shiviz));
        check("{\"resourceSpans\":[]}", Some(LogFormat::Otlp));
        check("{\"otus\":\"trace\",\"version\":1}", Some(LogFormat::Canonical));
        check("{\"id\": \"x\", \"htf\": \"[a] a!m\"}", None);
        check("{\"level\":\"info\"}", None);
        check("started {config: 1}\n", None);
        check("[a] a!m", None);
        check("", None);
    }

    #[test]
    fn logs_are_told_by_content_then_by_name() {
        let check = |name: &str, head: &str, expected| {
            assert_eq!(of_log(Path::new(name), head.as_bytes()), expected, "{name}: {head}");
        };
        check("a.log", "started\n", Some(LogFormat::Text));
        check("a.log.1", "started\n", Some(LogFormat::Text));
        check("messages", "started\n", Some(LogFormat::Text));
        check("a.tsv.gz", "host\tmessage\n", Some(LogFormat::Csv));
        check(
            "a.log",
            "started\n{\"level\":\"info\"}\n{\"level\":\"warn\"}\n",
            Some(LogFormat::Json),
        );
        check("a.log", "{\"resourceSpans\":[]}", Some(LogFormat::Otlp));
        check("a.jsonl", "{\"level\":\"info\"}\n", Some(LogFormat::Json));
        check("a.jsonl", "{\"id\":\"x\",\"htf\":\"[a] a!m\"}\n", None);
        check("a.jsonl", "{\"htf\":\"[a] a!m.a!m.a!m", None);
        check("a.mmd", "sequenceDiagram\n", None);
        check("a.log", "[a] a!m", None);
        check("a.log", "\0\0\0\0\0\0\0\0\0\0", None);
        check("a.log", "", None);
        check("a.conf", "x = 1\n", None);
    }
}
