//! JSON that may be one document over many lines, without holding the whole of it.
//!
//! Files of spans come in two shapes: a document on each line, or one large document. If the first
//! line is a whole value, the file is read line by line. Otherwise it is cut into *elements*
//! while it streams: the items of a list at the top, or the items of the lists that are members of
//! an object at the top (`{"resourceSpans": [ELEMENT, …]}`). One element is in memory at a
//! time. Documents may follow each other.

use std::io::Read;

use super::json::{Cursor, Malformed};
use super::lines::{Line, Lines};
use super::{At, Extent, Fault, FaultKind, Item, Options, Visit};

/// Takes documents apart.
pub(super) trait Documents {
    /// A whole document.
    fn document(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop>;

    /// An item of the list that is the member `key` of a document, or of a document that is a
    /// list. A member that is no list is an element too.
    fn element(
        &mut self,
        key: Option<&[u8]>,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop>;
}

/// Why a document is not read on.
#[derive(Debug)]
pub(super) enum Stop {
    Malformed(Malformed),
    /// Whoever is told the items wants no more.
    Break,
}

impl From<Malformed> for Stop {
    fn from(found: Malformed) -> Self {
        Stop::Malformed(found)
    }
}

/// Where a document or an element stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) at: At,
    pub(super) bytes: &'p [u8],
}

impl Place<'_> {
    /// Where a byte of it stands. Counts lines from the last place that was asked for.
    pub(super) fn at(self, byte: usize, counter: &mut Counter) -> At {
        if counter.byte > byte {
            *counter = Counter::default();
        }
        let passed = self.bytes.get(counter.byte..byte).unwrap_or(&[]);
        let lines = u32::try_from(memchr::memchr_iter(b'\n', passed).count()).unwrap_or(0);
        *counter = Counter { byte, lines: counter.lines + lines };
        At {
            line: self.at.line.saturating_add(counter.lines),
            offset: self.at.offset + byte as u64,
        }
    }
}

/// Lines that were counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counter {
    byte: usize,
    lines: u32,
}

/// Reads a stream of documents.
pub(super) fn read(
    input: &mut dyn Read,
    options: &Options,
    reader: &mut dyn Documents,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut lines = Lines::new(input, options.longest);
    let by_line = lines.first_line().is_some_and(|line| {
        let mut json = Cursor::new(line);
        json.peek().is_none() || (json.value().is_ok() && json.peek().is_none())
    });
    if by_line {
        by_lines(&mut lines, reader, visit);
    } else {
        let mut splitter = Splitter::new(options.longest);
        splitter.run(&mut lines, reader, visit);
    }
    lines.extent()
}

fn by_lines(lines: &mut Lines<'_>, reader: &mut dyn Documents, visit: &mut Visit<'_>) {
    while let Some(line) = lines.next() {
        let item = match line {
            Line::Text(at, bytes) => {
                let mut json = Cursor::new(bytes);
                if json.peek().is_none() {
                    Item::Blank
                } else {
                    let done = reader.document(&mut json, Place { at, bytes }, visit);
                    let done = done.and_then(|()| match json.peek() {
                        None => Ok(()),
                        Some(_) => Err(json.malformed("text after the document").into()),
                    });
                    match done {
                        Ok(()) => continue,
                        Err(Stop::Break) => return,
                        Err(Stop::Malformed(found)) => not_json(at, found),
                    }
                }
            }
            Line::Fault(fault) => Item::Fault(fault),
        };
        if visit(item).is_break() {
            return;
        }
    }
}

fn not_json(at: At, Malformed { cause, at: byte }: Malformed) -> Item<'static> {
    Item::Fault(Fault { at, kind: FaultKind::NotJson(cause, byte) })
}

/// Cuts a stream into elements.
struct Splitter {
    longest: usize,
    state: State,
    /// Whether the document is an object.
    object: bool,
    key: Vec<u8>,
    has_key: bool,
    element: Vec<u8>,
    /// Where the element begins.
    begin: At,
    /// Its length if it is longer than may be.
    length: u64,
    depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a document.
    Outside,
    /// In a document, between its items.
    Top,
    /// In the key of a member; after a backslash if so said.
    Key(bool),
    /// After the key of a member.
    Colon,
    /// In a list that is a member, between its items.
    List,
    /// In an element: in a string of it and after a backslash, if so said.
    Element { listed: bool, string: bool, escaped: bool },
    /// After something that is no JSON: until the next line.
    Lost,
}

impl Splitter {
    fn new(longest: usize) -> Self {
        Splitter {
            longest,
            state: State::Outside,
            object: false,
            key: Vec::new(),
            has_key: false,
            element: Vec::new(),
            begin: At::default(),
            length: 0,
            depth: 0,
        }
    }

    fn run(&mut self, lines: &mut Lines<'_>, reader: &mut dyn Documents, visit: &mut Visit<'_>) {
        while let Some(piece) = lines.piece() {
            let done = match piece {
                Ok((at, bytes)) => self.piece(at, bytes, reader, visit),
                Err(fault) => match visit(Item::Fault(fault)) {
                    std::ops::ControlFlow::Continue(()) => Ok(()),
                    std::ops::ControlFlow::Break(()) => Err(Stop::Break),
                },
            };
            if done.is_err() {
                return;
            }
        }
        if !matches!(self.state, State::Outside | State::Lost) {
            let kind = FaultKind::NotJson("it ends too early", self.element.len());
            let _ = visit(Item::Fault(Fault { at: self.begin, kind }));
        }
    }

    fn piece(
        &mut self,
        mut at: At,
        bytes: &[u8],
        reader: &mut dyn Documents,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let mut i = 0;
        while i < bytes.len() {
            let byte = bytes[i];
            if let State::Element { listed, string: true, escaped: false } = self.state {
                // Most bytes are in texts.
                let length = memchr::memchr3(b'"', b'\\', b'\n', &bytes[i..]);
                let length = length.unwrap_or(bytes.len() - i);
                self.push(&bytes[i..i + length]);
                i += length;
                at.offset += length as u64;
                match bytes.get(i) {
                    Some(b'"') => {
                        self.push(b"\"");
                        self.state = State::Element { listed, string: false, escaped: false };
                        if self.depth == 0 {
                            self.end_element(listed, reader, visit)?;
                        }
                    }
                    Some(b'\\') => {
                        self.push(b"\\");
                        self.state = State::Element { listed, string: true, escaped: true };
                    }
                    Some(_) => {
                        self.push(b"\n");
                        at.line = at.line.saturating_add(1);
                    }
                    None => return Ok(()),
                }
                i += 1;
                at.offset += 1;
                continue;
            }
            self.byte(byte, at, reader, visit)?;
            at.offset += 1;
            at.line = at.line.saturating_add(u32::from(byte == b'\n'));
            i += 1;
        }
        Ok(())
    }

    /// A byte outside of a string.
    fn byte(
        &mut self,
        byte: u8,
        at: At,
        reader: &mut dyn Documents,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let space = byte.is_ascii_whitespace();
        match self.state {
            State::Outside if space => {}
            State::Outside if matches!(byte, b'{' | b'[') => {
                self.object = byte == b'{';
                self.has_key = false;
                self.begin = at;
                self.state = State::Top;
            }
            State::Outside => {
                self.state = State::Lost;
                let kind = FaultKind::NotJson("an object or a list is expected", 0);
                if visit(Item::Fault(Fault { at, kind })).is_break() {
                    return Err(Stop::Break);
                }
            }
            State::Lost => {
                if byte == b'\n' {
                    self.state = State::Outside;
                }
            }
            State::Top if space || byte == b',' => {}
            State::Top if matches!(byte, b'}' | b']') => self.state = State::Outside,
            State::Top if self.object => {
                if byte == b'"' {
                    self.key.clear();
                    self.state = State::Key(false);
                }
            }
            State::Top => self.begin_element(byte, false, at, reader, visit)?,
            State::Key(escaped) => {
                if byte == b'"' && !escaped {
                    self.has_key = true;
                    self.state = State::Colon;
                } else {
                    if self.key.len() < LONGEST_KEY {
                        self.key.push(byte);
                    }
                    self.state = State::Key(byte == b'\\' && !escaped);
                }
            }
            State::Colon if space || byte == b':' => {}
            State::Colon if byte == b'[' => {
                self.begin = at;
                self.state = State::List;
            }
            State::Colon => self.begin_element(byte, false, at, reader, visit)?,
            State::List if space || byte == b',' => {}
            State::List if byte == b']' => self.state = State::Top,
            State::List => self.begin_element(byte, true, at, reader, visit)?,
            State::Element { listed, string: true, .. } => {
                // After a backslash.
                self.push(&[byte]);
                self.state = State::Element { listed, string: true, escaped: false };
            }
            State::Element { listed, .. } => self.inside(byte, listed, at, reader, visit)?,
        }
        Ok(())
    }

    fn begin_element(
        &mut self,
        byte: u8,
        listed: bool,
        at: At,
        reader: &mut dyn Documents,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.element.clear();
        self.length = 0;
        self.depth = 0;
        self.begin = at;
        self.state = State::Element { listed, string: false, escaped: false };
        self.inside(byte, listed, at, reader, visit)
    }

    /// A byte of an element, or the first one after a number or word that was one.
    fn inside(
        &mut self,
        byte: u8,
        listed: bool,
        at: At,
        reader: &mut dyn Documents,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        if self.depth == 0 && !self.element.is_empty() {
            let over = byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']');
            if over {
                self.end_element(listed, reader, visit)?;
                return self.byte(byte, at, reader, visit);
            }
        }
        self.push(&[byte]);
        match byte {
            b'"' => self.state = State::Element { listed, string: true, escaped: false },
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.end_element(listed, reader, visit)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if self.element.len() + bytes.len() <= self.longest {
            self.element.extend_from_slice(bytes);
        }
    }

    fn end_element(
        &mut self,
        listed: bool,
        reader: &mut dyn Documents,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.state = if listed { State::List } else { State::Top };
        let at = self.begin;
        let item = if self.length > self.element.len() as u64 {
            Item::Fault(Fault { at, kind: FaultKind::TooLong(self.length) })
        } else {
            let bytes = &self.element;
            let key = self.has_key.then_some(&self.key[..]);
            match reader.element(key, &mut Cursor::new(bytes), Place { at, bytes }, visit) {
                Ok(()) => return Ok(()),
                Err(Stop::Break) => return Err(Stop::Break),
                Err(Stop::Malformed(found)) => not_json(at, found),
            }
        };
        match visit(item) {
            std::ops::ControlFlow::Continue(()) => Ok(()),
            std::ops::ControlFlow::Break(()) => Err(Stop::Break),
        }
    }
}

/// No key of a format is longer.
const LONGEST_KEY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    struct Shown(Vec<String>);

    impl Documents for Shown {
        fn document(
            &mut self,
            json: &mut Cursor<'_>,
            place: Place<'_>,
            _: &mut Visit<'_>,
        ) -> Result<(), Stop> {
            let range = json.value()?;
            let text = String::from_utf8_lossy(&place.bytes[range]).into_owned();
            self.0.push(format!("{}: {text}", place.at.line));
            Ok(())
        }

        fn element(
            &mut self,
            key: Option<&[u8]>,
            json: &mut Cursor<'_>,
            place: Place<'_>,
            _: &mut Visit<'_>,
        ) -> Result<(), Stop> {
            let range = json.value()?;
            let text = String::from_utf8_lossy(&place.bytes[range]).replace(['\n', ' '], "");
            let key = String::from_utf8_lossy(key.unwrap_or(b"-")).into_owned();
            self.0.push(format!("{} {key}: {text}", place.at.line));
            Ok(())
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut shown = Shown(Vec::new());
        let mut faults = Vec::new();
        let options = Options { longest: 60, ..Options::default() };
        read(&mut text.as_bytes(), &options, &mut shown, &mut |item| {
            if let Item::Fault(fault) = item {
                faults.push(format!("{} {}", fault.at.line, fault.kind));
            }
            ControlFlow::Continue(())
        });
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
