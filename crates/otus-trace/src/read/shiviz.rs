//! Reads logs with vector clocks, in the form that ShiViz reads.
//!
//! A pattern with the groups `host`, `clock` (a JSON object of numbers) and `event` describes how an
//! event is written; it spans one line, plus one for each `\n` in it. The log may begin with its
//! patterns, one on each line, followed by the *delimiter*: a pattern for the lines between
//! executions, whose group `trace` is the name of the next execution. A setting in `otus.toml`
//! overrides these patterns. Without any pattern the usual ones are tried, and the first that matches
//! is kept for the rest of the file:
//!
//! ```text
//! HOST {CLOCK}        EVENT               HOST {CLOCK} EVENT        EVENT HOST {CLOCK}
//! EVENT               HOST {CLOCK}
//! ```
//!
//! The usual delimiter is `=== NAME ===`. The fields are the groups of the pattern, and `execution`,
//! which is empty before the first delimiter. A line that does not match is a record without fields.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::{At, Fields, FoundFields, Item, ReadTask, Visit};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let ReadTask { lines, fields, options, visit } = task;
    let is_told = options.pattern.is_some();
    let mut header = Header::default();
    let mut in_header = !is_told;
    let patterns = match &options.pattern {
        Some(pattern) => vec![pattern.clone()],
        None => usual().to_vec(),
    };
    let mut window = Window {
        patterns: patterns.into_iter().map(|pattern| Pattern::new(pattern, fields)).collect(),
        keeps_first: !is_told,
        text: Vec::new(),
        starts: Vec::new(),
        found: FoundFields::new(fields.names().len()),
        execution: Vec::new(),
        slot: fields.find("execution"),
    };
    let mut delimiter = options.delimiter.clone().unwrap_or_else(|| usual_delimiter().clone());
    let mut executions = 0_usize;
    let mut has_events = false;
    while let Some(line) = lines.next() {
        let item = match line {
            Ok((_, bytes)) if bytes.iter().all(u8::is_ascii_whitespace) => {
                header.may_delimit = false;
                Item::Blank
            }
            Ok((_, bytes)) if in_header && header.take(bytes) => {
                if let Some(found) = header.delimiter.take().filter(|_| options.delimiter.is_none())
                {
                    delimiter = found;
                }
                Item::Blank
            }
            Ok((at, bytes)) => {
                if std::mem::take(&mut in_header) && !header.patterns.is_empty() {
                    let own = header.patterns.drain(..);
                    window.patterns = own.map(|it| Pattern::new(it, fields)).collect();
                    window.keeps_first = false;
                }
                let Some(found) = delimiter.captures(bytes) else {
                    has_events = true;
                    window.push(at, bytes, visit)?;
                    continue;
                };
                executions += 1;
                let number = executions + usize::from(has_events && executions == 1);
                executions = number;
                let name = found.name("trace").map(|name| name.as_bytes().trim_ascii().to_vec());
                let name = name.filter(|name| !name.is_empty());
                window.flush(1, visit)?;
                window.execution = name.unwrap_or_else(|| number.to_string().into_bytes());
                Item::Blank
            }
            Err(fault) => Item::Fault(fault),
        };
        window.flush(1, visit)?;
        visit(item)?;
    }
    window.flush(1, visit)
}

/// The patterns with which a log begins.
#[derive(Debug, Default)]
struct Header {
    patterns: Vec<Regex>,
    delimiter: Option<Regex>,
    /// Whether the line before was a pattern, so that this one may be the delimiter.
    may_delimit: bool,
}

impl Header {
    /// Takes a line if it is a part of the header.
    fn take(&mut self, line: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(line) else { return false };
        let text = text.trim();
        let has = |group: &str| text.contains(&format!("(?<{group}>"));
        if has("clock") || (has("host") && has("event")) {
            let Ok(pattern) = searched(text) else { return false };
            self.patterns.push(pattern);
            self.may_delimit = true;
            return true;
        }
        let is_anchored = text.starts_with('^') || text.ends_with('$');
        let is_rule = text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_punctuation());
        if self.may_delimit && (has("trace") || is_anchored || is_rule) {
            self.may_delimit = false;
            self.delimiter = Regex::new(&literal_braces(text)).ok();
            return self.delimiter.is_some();
        }
        false
    }
}

fn usual() -> &'static [Regex] {
    static USUAL: OnceLock<Vec<Regex>> = OnceLock::new();
    USUAL.get_or_init(|| {
        [
            r"(?<host>\S+) (?<clock>\{.*\})\s*\n(?<event>.*)",
            r"(?<event>.*)\n(?<host>\S+) (?<clock>\{.*\})",
            r"(?<host>\S+) (?<clock>\{.*?\}) (?<event>.*\S)",
            r"(?<event>.*?)\s+(?<host>\S+) (?<clock>\{[^{}]*\})",
        ]
        .iter()
        .map(|pattern| anchored(pattern).expect("the usual patterns are sound"))
        .collect()
    })
}

fn usual_delimiter() -> &'static Regex {
    static USUAL: OnceLock<Regex> = OnceLock::new();
    USUAL.get_or_init(|| Regex::new(r"^===+ (?<trace>.*?) ===+\s*$").expect("the pattern is sound"))
}

/// Compiles a pattern that must match whole lines, except for white space at the end.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{})[ \\t]*$", literal_braces(pattern)))
}

/// Compiles a pattern that is searched in lines, as ShiViz does.
fn searched(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^[^\\n]*?(?:{})[^\\n]*$", literal_braces(pattern)))
}

/// Converts a JavaScript pattern, in which a brace that does not begin a repetition count stands
/// for itself.
pub(crate) fn literal_braces(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len() + 4);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                text.push_str(&rest[..=escaped]);
                rest = &after[escaped..];
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class => {
                let count = after.split('}').next().unwrap_or_default();
                let is_count = after.len() > count.len()
                    && count.starts_with(|c: char| c.is_ascii_digit())
                    && count.chars().all(|c| c.is_ascii_digit() || c == ',');
                // `\p{…}` and the like keep their brace.
                let is_named =
                    text.ends_with("\\p") || text.ends_with("\\P") || text.ends_with("\\x");
                if !is_count && !is_named {
                    text.push('\\');
                }
            }
            _ => {}
        }
        text.push(c);
        rest = after;
    }
    text
}

/// A pattern, the number of lines it spans, and the slots of its groups.
struct Pattern {
    regex: Regex,
    lines: usize,
    groups: Vec<Option<usize>>,
}

impl Pattern {
    fn new(regex: Regex, fields: &Fields) -> Self {
        // The frame that [`anchored`] puts around a pattern contains a line end in a character
        // class, which does not count.
        let lines = regex.as_str().replace("[^\\n]", "").matches("\\n").count() + 1;
        let slot = |name: Option<&str>| name.and_then(|name| fields.find(name));
        let groups = regex.capture_names().map(slot).collect();
        Pattern { regex, lines, groups }
    }
}

/// The lines that are matched together.
struct Window {
    patterns: Vec<Pattern>,
    /// Whether the first pattern that matches is used for the rest of the file.
    keeps_first: bool,
    text: Vec<u8>,
    starts: Vec<(At, usize)>,
    found: FoundFields,
    /// The name of the execution, and the slot of its field.
    execution: Vec<u8>,
    slot: Option<usize>,
}

impl Window {
    /// Takes a line and visits the records that are complete.
    fn push(&mut self, at: At, bytes: &[u8], visit: &mut Visit<'_>) -> ControlFlow<()> {
        if !self.text.is_empty() {
            self.text.push(b'\n');
        }
        self.starts.push((at, self.text.len()));
        self.text.extend_from_slice(bytes);
        let most = self.patterns.iter().map(|pattern| pattern.lines).max().unwrap_or(1);
        self.flush(most, visit)
    }

    /// Visits records until fewer than `lines` lines are left.
    fn flush(&mut self, lines: usize, visit: &mut Visit<'_>) -> ControlFlow<()> {
        while self.starts.len() >= lines {
            self.step(visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the record that begins with the first line.
    fn step(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Some(&(at, _)) = self.starts.first() else { return ControlFlow::Continue(()) };
        self.found.clear();
        let end_of = |lines: usize| match self.starts.get(lines) {
            Some((_, next)) => next - 1,
            None => self.text.len(),
        };
        let fits = self.patterns.iter().position(|pattern| {
            pattern.lines <= self.starts.len()
                && pattern.regex.is_match(&self.text[..end_of(pattern.lines)])
        });
        let (lines, end) = match fits {
            Some(index) => {
                if self.keeps_first {
                    self.patterns.swap(0, index);
                    self.patterns.truncate(1);
                }
                let pattern = &self.patterns[if self.keeps_first { 0 } else { index }];
                let end = end_of(pattern.lines);
                if let Some(captures) = pattern.regex.captures(&self.text[..end]) {
                    for (group, slot) in captures.iter().zip(&pattern.groups) {
                        if let (Some(group), Some(slot)) = (group, *slot) {
                            self.found.set(slot, group.range());
                        }
                    }
                }
                (pattern.lines, end)
            }
            None => (1, end_of(1)),
        };
        if let Some(slot) = self.slot {
            self.found.copy(slot, &self.execution);
        }
        let record = self.found.record(at, &self.text[..end]);
        let flow = visit(Item::Record(record));
        let used = self.starts.get(lines).map_or(self.text.len(), |(_, next)| *next);
        self.text.drain(..used);
        self.starts.drain(..lines.min(self.starts.len()));
        for (_, start) in &mut self.starts {
            *start -= used;
        }
        flow
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_shown;
    use super::super::{Format, Options, Record};
    use super::anchored;

    #[track_caller]
    fn check(text: &str, pattern: Option<&str>, expected: &[&str]) {
        let pattern = pattern.map(|pattern| anchored(pattern).unwrap());
        let options = Options { pattern, ..Options::default() };
        let join = |_: &Record<'_>, fields: &[String]| fields.join("|");
        let fields = ["host", "clock", "event"];
        assert_eq!(read_shown(Format::Shiviz, text, &options, &fields, join), expected, "{text}");
    }

    #[test]
    fn the_usual_patterns_are_recognised() {
        check(
            "p {\"p\":1}\nsend\nq {\"q\":1}\nget\n",
            None,
            &["1 p|{\"p\":1}|send", "3 q|{\"q\":1}|get"],
        );
        check(
            "send\np {\"p\":1}\nget\nq {\"q\":1}",
            None,
            &["1 p|{\"p\":1}|send", "3 q|{\"q\":1}|get"],
        );
        check(
            "p {\"p\":1} send it\nq {\"q\":1} get",
            None,
            &["1 p|{\"p\":1}|send it", "2 q|{\"q\":1}|get"],
        );
    }

    #[test]
    fn lines_that_do_not_fit_are_records_without_fields() {
        check(
            "p {\"p\":1}\r\nsend\r\n\r\n# note\r\nq {\"q\":1}\r\nget\r\ntail",
            None,
            &["1 p|{\"p\":1}|send", "blank", "4 -|-|-", "5 q|{\"q\":1}|get", "7 -|-|-"],
        );
    }

    #[test]
    fn a_log_may_begin_with_its_patterns() {
        for blank in ["\n", "\n\n"] {
            check(
                &format!(
                    "(?<event>.*)\\n(?<host>\\S*) (?<clock>{{.*}})\n{blank}go\np {{\"p\":1}}  \n"
                ),
                None,
                &[
                    &["blank"].repeat(blank.len() + 1)[..],
                    &[&format!("{} p|{{\"p\":1}}|go", 2 + blank.len())],
                ]
                .concat(),
            );
        }
        check(
            "(?<host>\\w+) (?<clock>{.*}) (?<event>.+)\n(?<event>\\w+) @(?<host>\\w+) (?<clock>{.*})\np {\"p\":1} go\nstop @p {\"p\":2}",
            None,
            &["blank", "blank", "3 p|{\"p\":1}|go", "4 p|{\"p\":2}|stop"],
        );
    }

    #[test]
    fn delimiters_part_executions() {
        let shown = |text: &str| {
            let join = |_: &Record<'_>, fields: &[String]| fields.join("|");
            read_shown(Format::Shiviz, text, &Options::default(), &["event", "execution"], join)
        };
        assert_eq!(
            shown(
                "(?<host>\\S*) (?<clock>{.*}) (?<event>.*)\n^--- (?<trace>.*) ---$\n--- one ---\np {\"p\":1} a\n--- two ---\np {\"p\":1} b\n"
            ),
            ["blank", "blank", "blank", "4 a|one", "blank", "6 b|two"]
        );
        assert_eq!(
            shown(
                "(?<host>\\S*) (?<clock>{.*}) (?<event>.*)\n-----\np {\"p\":1} a\n-----\np {\"p\":1} b\n"
            ),
            ["blank", "blank", "3 a|", "blank", "5 b|2"]
        );
        assert_eq!(shown("=== x ===\np {\"p\":1} a\n"), ["blank", "2 a|x"]);
    }

    #[test]
    fn braces_of_javascript_are_texts() {
        let read = super::literal_braces;
        assert_eq!(read(r"(?<clock>{.*})\d{2,3}[{]\{x"), r"(?<clock>\{.*})\d{2,3}[{]\{x");
    }

    #[test]
    fn a_pattern_of_ones_own() {
        check(
            "p send @{\"p\":1}\nx",
            Some(r"(?<host>\S+) (?<event>.*) @(?<clock>\{.*\})"),
            &["1 p|{\"p\":1}|send", "2 -|-|-"],
        );
    }
}
