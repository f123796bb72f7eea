//! Reads logs with vector clocks, in the form that ShiViz reads.
//!
//! A pattern with the groups `host`, `clock` (a JSON object of numbers) and `event` describes how
//! an event is written; it spans one line more than it has `\n`. Without a pattern the three usual
//! ones are tried, and the first that matches is kept for the rest of the file:
//!
//! ```text
//! HOST {CLOCK}        EVENT               HOST {CLOCK} EVENT
//! EVENT               HOST {CLOCK}
//! ```
//!
//! The fields are the groups of the pattern. A line that does not match is a record without fields.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::{At, Fields, FoundFields, Item, ReadTask, Visit};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let ReadTask { lines, fields, options, visit } = task;
    let patterns = match &options.pattern {
        Some(pattern) => vec![pattern.clone()],
        None => usual().to_vec(),
    };
    let mut window = Window {
        patterns: patterns.into_iter().map(|pattern| Pattern::new(pattern, fields)).collect(),
        text: Vec::new(),
        starts: Vec::new(),
        found: FoundFields::new(fields.names().len()),
    };
    while let Some(line) = lines.next() {
        let item = match line {
            Ok((_, bytes)) if bytes.iter().all(u8::is_ascii_whitespace) => Item::Blank,
            Ok((at, bytes)) => {
                window.push(at, bytes, visit)?;
                continue;
            }
            Err(fault) => Item::Fault(fault),
        };
        window.flush(1, visit)?;
        visit(item)?;
    }
    window.flush(1, visit)
}

fn usual() -> &'static [Regex] {
    static USUAL: OnceLock<Vec<Regex>> = OnceLock::new();
    USUAL.get_or_init(|| {
        [
            r"(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)",
            r"(?<event>.*)\n(?<host>\S+) (?<clock>\{.*\})",
            r"(?<host>\S+) (?<clock>\{.*?\}) (?<event>.+)",
        ]
        .iter()
        .map(|pattern| anchored(pattern).expect("the usual patterns are sound"))
        .collect()
    })
}

/// Compiles a pattern that must match whole lines.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{pattern})$"))
}

/// A pattern, the number of lines it spans, and the slots of its groups.
struct Pattern {
    regex: Regex,
    lines: usize,
    groups: Vec<Option<usize>>,
}

impl Pattern {
    fn new(regex: Regex, fields: &Fields) -> Self {
        let lines = regex.as_str().matches("\\n").count() + 1;
        let slot = |name: Option<&str>| name.and_then(|name| fields.find(name));
        let groups = regex.capture_names().map(slot).collect();
        Pattern { regex, lines, groups }
    }
}

/// The lines that are matched together.
struct Window {
    patterns: Vec<Pattern>,
    text: Vec<u8>,
    starts: Vec<(At, usize)>,
    found: FoundFields,
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

    /// Visits records until fewer than some lines are left.
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
                // The first pattern that matches is used for the rest of the file.
                self.patterns.swap(0, index);
                self.patterns.truncate(1);
                let pattern = &self.patterns[0];
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
    fn a_pattern_of_ones_own() {
        check(
            "p send @{\"p\":1}\nx",
            Some(r"(?<host>\S+) (?<event>.*) @(?<clock>\{.*\})"),
            &["1 p|{\"p\":1}|send", "2 -|-|-"],
        );
    }
}
