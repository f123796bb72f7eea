//! Reads logs of JSON objects.
//!
//! A line that does not begin with a brace is a record without fields. A line that ends inside of an
//! object, after a bracket, a comma or a colon, begins an object over several lines, which is one
//! record. A log that is a single list of objects is cut into these objects; such a list may be on
//! one line.

use std::ops::ControlFlow;

use super::documents::{self, Documents, Fragment, ReadResult};
use super::json::{Cursor, Malformed, Paths, depth_after};
use super::lines::{Lines, repair};
use super::{At, Fault, FaultKind, FoundFields, Item, ReadTask, Record, Visit};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let fields = task.fields;
    let mut reader =
        JsonRecords { paths: Paths::new(fields), found: FoundFields::new(fields.names().len()) };
    // A text log may begin with a bracket, too.
    if !task.lines.is_part && is_list(task.lines) {
        return documents::read_elements(task, &mut reader);
    }
    let ReadTask { lines, options, visit, .. } = task;
    let mut memory = Vec::new();
    let mut several = SeveralLines::default();
    while let Some(line) = lines.next() {
        match line {
            Ok((at, bytes)) => {
                let (bytes, repaired) = repair(bytes, &mut memory);
                if several.is_open() || SeveralLines::begins(bytes) {
                    if several.push(at, bytes, options.longest) {
                        reader.visit(several.at, &several.text, repaired, visit)?;
                        several.clear();
                    }
                } else {
                    reader.visit(at, bytes, repaired, visit)?;
                }
            }
            Err(fault) => visit(Item::Fault(fault))?,
        }
    }
    if several.is_open() {
        let kind = FaultKind::NotJson("it ends too early", several.text.len());
        visit(Item::Fault(Fault { at: several.at, kind }))?;
    }
    ControlFlow::Continue(())
}

/// Whether a log is a list of objects.
pub(crate) fn is_list(lines: &mut Lines<'_>) -> bool {
    lines.first_bytes() == [Some(b'['), Some(b'{')]
}

/// The length of the lines of a text up to the last one at which no object over several lines is open.
pub(crate) fn whole_objects(bytes: &[u8], longest: usize) -> usize {
    let (mut start, mut depth, mut whole) = (0, 0, 0);
    while let Some(length) = memchr::memchr(b'\n', &bytes[start..]) {
        let line = &bytes[start..start + length];
        // A line that is too long is passed over.
        if length <= longest && (depth > 0 || SeveralLines::begins(line)) {
            depth = depth_after(line, depth).unwrap_or(0);
        }
        start += length + 1;
        if depth == 0 {
            whole = start;
        }
    }
    whole
}

struct JsonRecords {
    paths: Paths,
    found: FoundFields,
}

impl JsonRecords {
    /// Visits the records of a line: an object, several objects, or a text.
    fn visit(
        &mut self,
        at: At,
        bytes: &[u8],
        repaired: bool,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        // Programs print plain text before their logger is set up. Such a line is a record without
        // fields, which a pattern can ignore; otherwise it is reported as unmatched.
        if first.is_some_and(|&byte| byte != b'{') {
            self.found.clear();
            return visit(Item::Record(Record { repaired, ..self.found.record(at, bytes) }));
        }
        if first.is_none() {
            return visit(Item::Blank);
        }
        let mut rest = bytes;
        while !rest.trim_ascii().is_empty() {
            self.found.clear();
            let end = match self.paths.find(rest, &mut self.found) {
                Ok(end) => end,
                Err(Malformed { cause, at: byte }) => {
                    let byte = byte + bytes.len() - rest.len();
                    let kind = FaultKind::NotJson(cause, byte);
                    return visit(Item::Fault(Fault { at, kind }));
                }
            };
            // The whole line is the record if it is one object.
            let is_last = rest[end..].trim_ascii().is_empty();
            let record = if is_last { rest } else { &rest[..end] };
            visit(Item::Record(Record { repaired, ..self.found.record(at, record) }))?;
            rest = &rest[record.len()..];
        }
        ControlFlow::Continue(())
    }
}

impl Documents for JsonRecords {
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let range = json.value()?;
        self.found.clear();
        let bytes = &fragment.bytes[range];
        if bytes.starts_with(b"{") {
            self.paths.find(bytes, &mut self.found)?;
        }
        fragment.visit(Item::Record(self.found.record(fragment.at, bytes)))
    }

    fn is_whole(&self, _first_key: &[u8]) -> bool {
        true
    }

    fn take_used(&mut self) -> bool {
        true
    }
}

/// An object over several lines, as far as it was read.
#[derive(Debug, Default)]
struct SeveralLines {
    at: At,
    text: Vec<u8>,
    depth: usize,
    /// The length of all lines of the object, including those that are not kept because the object
    /// is too long.
    length: usize,
}

impl SeveralLines {
    fn is_open(&self) -> bool {
        self.depth > 0
    }

    fn clear(&mut self) {
        self.text.clear();
        (self.depth, self.length) = (0, 0);
    }

    /// Whether a line begins an object that ends on a later line.
    fn begins(line: &[u8]) -> bool {
        let line = line.trim_ascii();
        line.starts_with(b"{")
            && matches!(line.last(), Some(b'{' | b'[' | b',' | b':'))
            && depth_after(line, 0).is_some_and(|depth| depth > 0)
    }

    /// Adds a line; returns whether the object is complete.
    fn push(&mut self, at: At, line: &[u8], longest: usize) -> bool {
        if !self.is_open() {
            self.at = at;
        } else if self.length < longest {
            self.text.push(b'\n');
        }
        self.length += line.len() + 1;
        if self.length <= longest {
            self.text.extend_from_slice(line);
        }
        // A string cannot continue on the next line, so a line that ends inside a string is a fault
        // of the object.
        self.depth = depth_after(line, self.depth).unwrap_or(0);
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_shown;
    use super::super::{Format, Options};

    /// Whole files: each record with its line and the fields `a` and `b.c`.
    #[track_caller]
    fn check_file(text: &str, expected: &[&str]) {
        let options = Options { longest: 200, ..Options::default() };
        let shown =
            read_shown(Format::Json, text, &options, &["a", "b.c"], |_, fields| fields.join("|"));
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn objects_may_go_over_lines_and_share_them() {
        check_file(
            "{\"a\":1}\n\n{\"a\":2}{\"a\":3} {\"a\":4}\n",
            &["1 1|-", "blank", "3 2|-", "3 3|-", "3 4|-"],
        );
        check_file(
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": \"}\"\n  }\n}\n{ \"a\": 2,\n \"b\": {\"c\": 3}\n}\nplain\n{\"a\":4}",
            &["1 1|}", "7 2|3", "10 -|-", "11 4|-"],
        );
        check_file("[\n {\"a\": 1},\n {\n \"a\": 2}, 7\n]\n", &["2 1|-", "3 2|-", "4 -|-"]);
        check_file("[{\"a\": 1},{\"b\": {\"c\": 2}}]", &["1 1|-", "1 -|2"]);
    }

    #[test]
    fn a_line_that_is_cut_does_not_take_the_next() {
        check_file(
            "{\"a\": \"x\n{\"a\": 2}",
            &["1 it is not JSON: it ends too early at byte 8", "2 2|-"],
        );
        check_file("{\n\"a\": 1,\n", &["1 it is not JSON: it ends too early at byte 9"]);
        check_file("[INFO] started\n[WARN] {}\n", &["1 -|-", "2 -|-"]);
        check_file(
            "{\n\"a\": \"cut\n{\"a\": 2}\n",
            &["1 it is not JSON: it ends too early at byte 11", "3 2|-"],
        );
    }
}
