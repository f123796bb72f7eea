//! Reads JSON that may be one document over many lines, without holding the whole document.
//!
//! Files of spans have one of two forms: one document on each line, or one large document. If the first line is a whole
//! JSON value, the file is read line by line. Otherwise it is cut into *elements* while it streams: the items of a
//! top-level list, or the items of the lists that are members of a top-level object (`{"resourceSpans": [ELEMENT,
//! …]}`). Only one element is in memory at a time. An object is not cut if its first key shows that it is an element
//! itself. Several documents may follow each other. If no part of a document is used, a fault is reported that names
//! the keys of the document.

use std::ops::ControlFlow;

use super::json::{Cursor, Malformed};
use super::lines::Lines;
use super::{At, Fault, FaultKind, Item, LineCounter, ReadTask, Visit};

/// A reader of the documents of one format.
pub(super) trait Documents {
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult;

    /// Reads an item of a list that is a member of a document, or of a document that is a list. A
    /// member that is not a list is an element, too.
    fn element(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        self.document(json, fragment)
    }

    /// Whether an object with this first key is read as a whole.
    fn is_whole(&self, _first_key: &[u8]) -> bool {
        false
    }

    /// Is called when a member of the document is a list, which may be empty.
    fn begin_list(&mut self, _key: &[u8]) {}

    /// Whether any part of the input was used since the last call.
    fn take_used(&mut self) -> bool;
}

/// The reason why a document is not read to its end.
#[derive(Debug)]
pub(super) enum Interrupted {
    Malformed(Malformed),
    /// The visitor asked to stop.
    Break,
}

impl From<Malformed> for Interrupted {
    fn from(found: Malformed) -> Self {
        Interrupted::Malformed(found)
    }
}

pub(super) type ReadResult = Result<(), Interrupted>;

/// A document or an element, and the visitor of the records in it.
pub(super) struct Fragment<'f, 'v> {
    /// Where the document or element begins in the file.
    pub(super) at: At,
    pub(super) bytes: &'f [u8],
    /// The key of the member that an element belongs to.
    pub(super) key: Option<&'f [u8]>,
    visit: &'f mut Visit<'v>,
}

impl Fragment<'_, '_> {
    pub(super) fn visit(&mut self, item: Item<'_>) -> ReadResult {
        deliver(self.visit, item)
    }

    /// The position in the file of one of its bytes.
    pub(super) fn position(&self, byte: usize, counter: &mut LineCounter) -> At {
        let lines = counter.before(self.bytes, byte);
        At { line: self.at.line.saturating_add(lines), offset: self.at.offset + byte as u64 }
    }
}

fn deliver(visit: &mut Visit<'_>, item: Item<'_>) -> ReadResult {
    if visit(item).is_continue() { Ok(()) } else { Err(Interrupted::Break) }
}

pub(super) fn read(task: ReadTask<'_, '_, '_>, reader: &mut dyn Documents) -> ControlFlow<()> {
    let by_line = task.lines.first_line().is_some_and(|line| {
        let mut json = Cursor::new(line);
        json.peek().is_none() || (json.value().is_ok() && json.peek().is_none())
    });
    if !by_line {
        return read_elements(task, reader);
    }
    let ReadTask { lines, visit, .. } = task;
    // Faults have been delivered as items already, so the result is not needed.
    let read = by_lines(lines, reader, visit);
    if read.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Reads documents by their elements, wherever lines end.
pub(super) fn read_elements(
    task: ReadTask<'_, '_, '_>,
    reader: &mut dyn Documents,
) -> ControlFlow<()> {
    let ReadTask { lines, options, visit, .. } = task;
    let read = Splitter::new(options.longest, reader, visit).run(lines);
    if read.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

fn by_lines(
    lines: &mut Lines<'_>,
    reader: &mut dyn Documents,
    visit: &mut Visit<'_>,
) -> ReadResult {
    while let Some(line) = lines.next() {
        let (at, bytes) = match line {
            Ok(line) => line,
            Err(fault) => {
                deliver(visit, Item::Fault(fault))?;
                continue;
            }
        };
        let mut json = Cursor::new(bytes);
        if json.peek().is_none() {
            deliver(visit, Item::Blank)?;
            continue;
        }
        let mut fragment = Fragment { at, bytes, key: None, visit: &mut *visit };
        // Several documents may be on a line.
        let mut read = Ok(());
        while read.is_ok() && json.peek().is_some() {
            let begin = json.position();
            read = reader.document(&mut json, &mut fragment);
            if read.is_ok() && !reader.take_used() {
                read = fragment.visit(unused(at, keys(json.at(begin))));
            }
            if read.is_ok() && json.position() == begin {
                read = Err(json.malformed("a document is expected").into());
            }
        }
        report(read, at, visit)?;
    }
    Ok(())
}

/// The item for a document of which no part is used; a blank if the document has no keys.
fn unused<'i>(at: At, keys: Vec<String>) -> Item<'i> {
    if keys.is_empty() {
        return Item::Blank;
    }
    Item::Fault(Fault { at, kind: FaultKind::NothingUsed(keys) })
}

/// The first keys of a JSON text: those of its object, or of the first object in its list. A text that
/// is no JSON has none.
pub fn json_keys(text: &[u8]) -> Vec<String> {
    keys(Cursor::new(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)))
}

fn keys(mut json: Cursor<'_>) -> Vec<String> {
    while json.peek() == Some(b'[') {
        json = json.at(json.position() + 1);
    }
    let mut keys = Vec::new();
    // The keys before a fault count, too.
    let _: Result<(), Malformed> = json.object(|json, key| {
        add_key(&mut keys, key);
        json.skip()
    });
    keys
}

fn add_key(keys: &mut Vec<String>, key: &[u8]) {
    let key = String::from_utf8_lossy(&key[..key.len().min(LONGEST_KEY)]);
    if keys.len() < MOST_KEYS && !keys.iter().any(|known| *known == key) {
        keys.push(key.into_owned());
    }
}

/// The maximum number of keys that a fault names.
const MOST_KEYS: usize = 12;

/// Turns malformed JSON into a fault of the record that begins at `at`.
fn report(read: ReadResult, at: At, visit: &mut Visit<'_>) -> ReadResult {
    match read {
        Err(Interrupted::Malformed(Malformed { cause, at: byte })) => {
            deliver(visit, Item::Fault(Fault { at, kind: FaultKind::NotJson(cause, byte) }))
        }
        other => other,
    }
}

/// Cuts a stream into elements.
struct Splitter<'s, 'v> {
    longest: usize,
    reader: &'s mut dyn Documents,
    visit: &'s mut Visit<'v>,
    state: SplitState,
    /// Whether the document is an object.
    object: bool,
    key: Option<Vec<u8>>,
    /// The keys of the document, and where it begins.
    keys: Vec<String>,
    document: At,
    /// The bytes of an object before its first key.
    prefix: Vec<u8>,
    /// The value that is being read: an element, or a key.
    value: Vec<u8>,
    /// Where the element, or else the list or the document, begins.
    begin: At,
    /// The length of the value. It also counts the bytes that are not kept because the value is too
    /// long.
    length: u64,
    depth: usize,
    /// Whether the next byte is inside a string of the value, and whether it follows a backslash
    /// there.
    string: bool,
    escaped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SplitState {
    /// Before a document.
    Outside,
    /// In a document, between its items.
    Top,
    /// After the key of a member.
    Colon,
    /// Inside a list that is a member of the document, between its items.
    List,
    Value(Role),
    /// After a text that is not JSON, until the end of the line.
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    /// An item of a list that is a member of the document.
    Item,
    /// Any other element.
    Element,
    /// The whole document.
    Whole,
}

impl<'s, 'v> Splitter<'s, 'v> {
    fn new(longest: usize, reader: &'s mut dyn Documents, visit: &'s mut Visit<'v>) -> Self {
        Splitter {
            longest,
            reader,
            visit,
            state: SplitState::Outside,
            object: false,
            key: None,
            keys: Vec::new(),
            document: At::default(),
            prefix: Vec::new(),
            value: Vec::new(),
            begin: At::default(),
            length: 0,
            depth: 0,
            string: false,
            escaped: false,
        }
    }

    fn run(&mut self, lines: &mut Lines<'_>) -> ReadResult {
        while let Some(piece) = lines.piece() {
            match piece {
                Ok((at, bytes)) => self.piece(at, bytes)?,
                Err(fault) => deliver(self.visit, Item::Fault(fault))?,
            }
        }
        if matches!(self.state, SplitState::Outside | SplitState::Lost) {
            return Ok(());
        }
        let kind = FaultKind::NotJson("it ends too early", self.value.len());
        deliver(self.visit, Item::Fault(Fault { at: self.begin, kind }))
    }

    fn piece(&mut self, mut at: At, bytes: &[u8]) -> ReadResult {
        let mut i = 0;
        while i < bytes.len() {
            if self.string && !self.escaped {
                // Most bytes are in strings, so their ends are searched with `memchr`.
                let length = memchr::memchr3(b'"', b'\\', b'\n', &bytes[i..]);
                let length = length.unwrap_or(bytes.len() - i);
                self.push(&bytes[i..i + length]);
                i += length;
                at.offset += length as u64;
            }
            let Some(&byte) = bytes.get(i) else { break };
            self.byte(byte, at)?;
            at.offset += 1;
            at.line = at.line.saturating_add(u32::from(byte == b'\n'));
            i += 1;
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8, at: At) -> ReadResult {
        let space = byte.is_ascii_whitespace();
        match self.state {
            SplitState::Outside if space => {}
            SplitState::Outside if matches!(byte, b'{' | b'[') => {
                self.object = byte == b'{';
                self.key = None;
                self.keys.clear();
                self.begin = at;
                self.document = at;
                self.prefix.clear();
                self.prefix.push(byte);
                self.state = SplitState::Top;
            }
            SplitState::Outside => {
                self.state = SplitState::Lost;
                let kind = FaultKind::NotJson("an object or a list is expected", 0);
                deliver(self.visit, Item::Fault(Fault { at, kind }))?;
            }
            SplitState::Lost => {
                if byte == b'\n' {
                    self.state = SplitState::Outside;
                }
            }
            SplitState::Top | SplitState::List if space || byte == b',' => {
                if self.keys.is_empty() && self.prefix.len() < self.longest {
                    self.prefix.push(byte);
                }
            }
            SplitState::Top if matches!(byte, b'}' | b']') => {
                self.state = SplitState::Outside;
                if !self.reader.take_used() {
                    let keys = std::mem::take(&mut self.keys);
                    deliver(self.visit, unused(self.document, keys))?;
                }
            }
            SplitState::Top if self.object => {
                if byte == b'"' {
                    self.begin_value(Role::Key, byte, at)?;
                }
            }
            SplitState::Colon if space || byte == b':' => {}
            SplitState::Colon if byte == b'[' => {
                self.reader.begin_list(self.key.as_deref().unwrap_or_default());
                self.begin = at;
                self.state = SplitState::List;
            }
            SplitState::Top | SplitState::Colon => self.begin_value(Role::Element, byte, at)?,
            SplitState::List if byte == b']' => self.state = SplitState::Top,
            SplitState::List => self.begin_value(Role::Item, byte, at)?,
            SplitState::Value(role) => self.inside(byte, role, at)?,
        }
        Ok(())
    }

    fn begin_value(&mut self, role: Role, byte: u8, at: At) -> ReadResult {
        self.value.clear();
        self.length = 0;
        self.depth = 0;
        if role != Role::Key {
            self.begin = at;
        }
        self.state = SplitState::Value(role);
        self.inside(byte, role, at)
    }

    /// Takes a byte of a value, or the first byte after a value that is a number or a word.
    fn inside(&mut self, byte: u8, role: Role, at: At) -> ReadResult {
        let is_whole = self.depth == 0 && !self.string && !self.value.is_empty();
        if is_whole && (byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']')) {
            self.end_value(role)?;
            return self.byte(byte, at);
        }
        self.push(&[byte]);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.string => self.escaped = true,
            b'"' => {
                self.string = !self.string;
                if !self.string && self.depth == 0 {
                    self.end_value(role)?;
                }
            }
            _ if self.string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.end_value(role)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        // The first key is kept, because the object may turn out to be an element that is read as a
        // whole.
        let is_later_key = self.state == SplitState::Value(Role::Key) && !self.keys.is_empty();
        let longest = if is_later_key { LONGEST_KEY } else { self.longest };
        // The same bytes are kept, whatever the sizes of the pieces in which they arrive.
        let room = longest.saturating_sub(self.value.len());
        self.value.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_value(&mut self, role: Role) -> ReadResult {
        let (at, bytes) = (self.begin, &self.value[..]);
        self.state = match role {
            Role::Key => {
                let end = bytes.len().saturating_sub(1);
                let key = bytes.get(1..end).unwrap_or_default();
                let is_first = self.keys.is_empty();
                add_key(&mut self.keys, key);
                if is_first && self.reader.is_whole(key) {
                    // The value continues after its first key.
                    self.prefix.extend_from_slice(&self.value);
                    std::mem::swap(&mut self.prefix, &mut self.value);
                    self.length = self.value.len() as u64;
                    self.begin = self.document;
                    self.key = None;
                    self.depth = 1;
                    self.state = SplitState::Value(Role::Whole);
                    return Ok(());
                }
                self.key = Some(key.to_vec());
                self.state = SplitState::Colon;
                return Ok(());
            }
            Role::Item => SplitState::List,
            Role::Element => SplitState::Top,
            Role::Whole => SplitState::Outside,
        };
        if self.length > bytes.len() as u64 {
            let kind = FaultKind::TooLong(self.length);
            return deliver(self.visit, Item::Fault(Fault { at, kind }));
        }
        if !self.object && self.keys.is_empty() {
            self.keys = keys(Cursor::new(bytes));
        }
        let key = self.key.as_deref().filter(|_| self.object);
        let mut fragment = Fragment { at, bytes, key, visit: &mut *self.visit };
        let read = self.reader.element(&mut Cursor::new(bytes), &mut fragment);
        let is_used = role != Role::Whole || self.reader.take_used();
        report(read, at, self.visit)?;
        if is_used {
            return Ok(());
        }
        let keys = keys(Cursor::new(&self.value));
        deliver(self.visit, unused(at, keys))
    }
}

/// Longer keys are not kept, because no format has such a key.
const LONGEST_KEY: usize = 64;

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::{Fields, Options};
    use super::*;

    struct Shown(Vec<String>);

    impl Documents for Shown {
        fn document(
            &mut self,
            json: &mut Cursor<'_>,
            fragment: &mut Fragment<'_, '_>,
        ) -> ReadResult {
            let range = json.value()?;
            let text = String::from_utf8_lossy(&fragment.bytes[range]).into_owned();
            self.0.push(format!("{}: {text}", fragment.at.line));
            Ok(())
        }

        fn element(
            &mut self,
            json: &mut Cursor<'_>,
            fragment: &mut Fragment<'_, '_>,
        ) -> ReadResult {
            let range = json.value()?;
            let text = String::from_utf8_lossy(&fragment.bytes[range]).replace(['\n', ' '], "");
            let key = String::from_utf8_lossy(fragment.key.unwrap_or(b"-")).into_owned();
            self.0.push(format!("{} {key}: {text}", fragment.at.line));
            Ok(())
        }

        fn take_used(&mut self) -> bool {
            true
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut shown = Shown(Vec::new());
        let mut faults = Vec::new();
        let options = Options { longest: 60, ..Options::default() };
        let visit: &mut Visit<'_> = &mut |item| {
            if let Item::Fault(fault) = item {
                faults.push(format!("{} {}", fault.at.line, fault.kind));
            }
            ControlFlow::Continue(())
        };
        let (input, fields) = (&mut text.as_bytes(), &Fields::default());
        let lines = &mut Lines::new(input, options.longest);
        let _ = read(ReadTask { lines, fields, options: &options, visit }, &mut shown);
        shown.0.extend(faults);
        assert_eq!(shown.0, expected, "{text}");
    }

    #[test]
    fn a_document_on_each_line_is_read_by_lines() {
        check("{\"a\": 1}\n\n[2]\n", &["1: {\"a\": 1}", "3: [2]"]);
        check(
            "{}\n{\"a\": [\n{}",
            &["1: {}", "3: {}", "2 it is not JSON: it ends too early at byte 7"],
        );
    }

    #[test]
    fn one_document_is_read_by_elements() {
        check("[\n 1, \"x\",\n {\"a\": [2]}\n]", &["2 -: 1", "2 -: \"x\"", "3 -: {\"a\":[2]}"]);
        check(
            "{\n\"n\": null, \"rs\": [\n{\"a\": \"}\\\"]\"},\n[3], 4],\n \"o\": {}\n}\n{\"z\": [5]}",
            &["2 n: null", "3 rs: {\"a\":\"}\\\"]\"}", "4 rs: [3]", "4 rs: 4", "5 o: {}", "7 z: 5"],
        );
    }

    #[test]
    fn what_is_cut_or_no_document_is_a_fault() {
        check(
            "{\"a\":\n [{\"b\": 1}, {\"c",
            &["2 a: {\"b\":1}", "2 it is not JSON: it ends too early at byte 3"],
        );
        check(
            "hello\n[\n1]",
            &["3 -: 1", "1 it is not JSON: an object or a list is expected at byte 0"],
        );
        let long = "x".repeat(80);
        check(
            &format!("[\n\"{long}\",\n2\n]"),
            &["3 -: 2", "2 it has 82 bytes, more than a record may have"],
        );
    }
}
