//! JSON without trees: a cursor that skips, and the fields that are wanted.
//!
//! A line of JSON has twenty members of which rules want five. Building a tree of it costs ten
//! times what finding the five costs, so no tree is built: [`Paths`] walks the bytes once, enters
//! only objects on the way to a wanted field, and passes over all else eight bytes at a time.
//!
//! What is passed over is checked for its brackets and quotes only: a number like `1-2` in a
//! member that nobody asks for is not a fault here. That a line ends too early always is one.
//!
//! A line that does not begin with a brace is a record without fields.
//!
//! A path is dotted, `user.name`, and means both a member of a member and a member whose name has
//! the dot, as many loggers flatten them. Numbers on a path are places in a list, from 0. If a
//! member is there twice, the last one counts, as most programs have it.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use super::lines::{Line, Lines, repair};
use super::{Extent, Fault, FaultKind, Fields, Found, Item, Options, Record, Visit};

/// Lines of JSON.
pub(super) fn read(
    input: &mut dyn Read,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut paths = Paths::new(fields);
    let mut found = Found::new(fields.names().len());
    let mut memory = Vec::new();
    let mut lines = Lines::new(input, options.longest);
    while let Some(line) = lines.next() {
        let item = match line {
            Line::Text(at, bytes) => {
                found.clear();
                let (bytes, repaired) = repair(bytes, &mut memory);
                let plain = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
                if plain.is_some_and(|&byte| byte != b'{') {
                    // Programs print plain text before their logger is there. A record without
                    // fields can be ignored by a pattern, and is shown if it is not.
                    let record = Record { repaired, ..found.record(at, bytes, None) };
                    if visit(Item::Record(record)).is_break() {
                        break;
                    }
                    continue;
                }
                match paths.find(bytes, &mut found) {
                    Ok(true) => Item::Record(Record { repaired, ..found.record(at, bytes, None) }),
                    Ok(false) => Item::Blank,
                    Err(Malformed { cause, at: byte }) => {
                        Item::Fault(Fault { at, kind: FaultKind::NotJson(cause, byte) })
                    }
                }
            }
            Line::Fault(fault) => Item::Fault(fault),
        };
        if visit(item).is_break() {
            break;
        }
    }
    lines.extent()
}

/// Where a text stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong.
    pub cause: &'static str,
    /// At which byte.
    pub at: usize,
}

/// The fields that are wanted, and the memory to find them.
#[derive(Debug)]
pub(crate) struct Paths {
    texts: Vec<Box<[u8]>>,
    /// Wanted members of the containers that have been entered, one after the other.
    pending: Vec<Pending>,
    containers: Vec<Container>,
}

/// A field, and from where on its path is still to be gone.
#[derive(Debug, Clone, Copy)]
struct Pending {
    slot: usize,
    rest: usize,
}

/// An object or a list that has been entered.
#[derive(Debug, Clone, Copy)]
struct Container {
    /// Where its wanted members begin.
    first: usize,
    /// The place of the next item, in a list.
    index: Option<usize>,
}

impl Paths {
    pub(crate) fn new(fields: &Fields) -> Self {
        let texts = fields.names().iter().map(|name| name.as_bytes().into()).collect();
        Paths { texts, pending: Vec::new(), containers: Vec::new() }
    }

    /// Finds the fields of a line; whether there is anything on it.
    pub(crate) fn find(&mut self, bytes: &[u8], found: &mut Found) -> Result<bool, Malformed> {
        let mut json = Cursor::new(bytes);
        match json.peek() {
            None => return Ok(false),
            Some(b'{') => {}
            Some(_) => return Err(json.malformed("an object is expected")),
        }
        self.pending.clear();
        self.containers.clear();
        self.pending.extend((0..self.texts.len()).map(|slot| Pending { slot, rest: 0 }));
        self.walk(&mut json, found)?;
        if json.peek().is_some() {
            return Err(json.malformed("text after the object"));
        }
        Ok(true)
    }

    /// Walks through the container at the cursor.
    fn walk(&mut self, json: &mut Cursor<'_>, found: &mut Found) -> Result<(), Malformed> {
        self.enter(json, 0)?;
        while let Some(&Container { first, index }) = self.containers.last() {
            let closed = match index {
                None => json.at_close(b'}')?,
                Some(_) => json.at_close(b']')?,
            };
            if closed {
                self.pending.truncate(first);
                self.containers.pop();
                if !self.containers.is_empty() {
                    json.after_item();
                }
                continue;
            }
            let number;
            let key: Cow<'_, [u8]> = match index {
                None => json.key()?,
                Some(index) => {
                    number = index.to_string();
                    if let Some(container) = self.containers.last_mut() {
                        container.index = Some(index + 1);
                    }
                    Cow::Borrowed(number.as_bytes())
                }
            };
            // Fields that this member is, and fields that are inside it.
            let end = self.pending.len();
            let mut wanted = None;
            for i in first..end {
                let Pending { slot, rest } = self.pending[i];
                let path = &self.texts[slot][rest..];
                if path.len() < key.len() || !path.starts_with(&key) {
                    continue;
                }
                match path.get(key.len()) {
                    None => {
                        if let Some(before) = wanted.replace(slot) {
                            debug_assert_eq!(self.texts[before], self.texts[slot]);
                        }
                    }
                    Some(b'.') => self.pending.push(Pending { slot, rest: rest + key.len() + 1 }),
                    Some(_) => {}
                }
            }
            let inside = self.pending.len() > end;
            if inside && matches!(json.peek(), Some(b'{' | b'[')) {
                if let Some(slot) = wanted {
                    let mut ahead = json.clone();
                    let range = ahead.value()?;
                    found.set(slot, range);
                }
                self.enter(json, end)?;
                continue;
            }
            self.pending.truncate(end);
            match wanted {
                Some(slot) => json.field(slot, found)?,
                None => {
                    json.value()?;
                }
            }
            json.after_item();
        }
        Ok(())
    }

    fn enter(&mut self, json: &mut Cursor<'_>, first: usize) -> Result<(), Malformed> {
        let index = match json.peek() {
            Some(b'{') => None,
            Some(b'[') => Some(0),
            _ => return Err(json.malformed("an object is expected")),
        };
        json.open();
        self.containers.push(Container { first, index });
        Ok(())
    }
}

/// A place in a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'j> {
    bytes: &'j [u8],
    at: usize,
    /// Whether an item has just ended, so that a comma or the end of its container comes next.
    between: bool,
}

impl<'j> Cursor<'j> {
    pub(crate) fn new(bytes: &'j [u8]) -> Self {
        Cursor { bytes, at: 0, between: false }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The same text from another place on.
    pub(crate) fn at(&self, at: usize) -> Self {
        Cursor { bytes: self.bytes, at, between: false }
    }

    pub(crate) fn malformed(&self, cause: &'static str) -> Malformed {
        let cause = if self.at >= self.bytes.len() { "it ends too early" } else { cause };
        Malformed { cause, at: self.at }
    }

    /// The next byte that is no white space.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Passes an opening bracket.
    fn open(&mut self) {
        self.at += 1;
        self.between = false;
    }

    /// Says that an item has ended.
    fn after_item(&mut self) {
        self.between = true;
    }

    /// Passes the closing bracket if it is next, else the comma between items; whether it closed.
    #[inline]
    fn at_close(&mut self, close: u8) -> Result<bool, Malformed> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') if self.between => {
                self.at += 1;
                self.between = false;
                match self.peek() {
                    Some(byte) if byte == close => Err(self.malformed("a comma before the end")),
                    _ => Ok(false),
                }
            }
            _ if self.between => Err(self.malformed("a comma or the end is expected")),
            Some(_) => Ok(false),
            None => Err(self.malformed("it ends too early")),
        }
    }

    /// Goes through the members of an object; the visitor takes or skips each value.
    pub(crate) fn object(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if self.peek() != Some(b'{') {
            return Err(self.malformed("an object is expected"));
        }
        self.open();
        while !self.at_close(b'}')? {
            let key = self.key()?;
            visit(self, &key)?;
            self.after_item();
        }
        Ok(())
    }

    /// Goes through the items of a list; the visitor takes or skips each.
    pub(crate) fn list(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if self.peek() != Some(b'[') {
            return Err(self.malformed("a list is expected"));
        }
        self.open();
        while !self.at_close(b']')? {
            visit(self)?;
            self.after_item();
        }
        Ok(())
    }

    /// A key and its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> Result<Cow<'j, [u8]>, Malformed> {
        if self.peek() != Some(b'"') {
            return Err(self.malformed("a key in quotes is expected"));
        }
        let (range, escaped) = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.malformed("a colon is expected"));
        }
        self.at += 1;
        let raw = &self.bytes[range];
        Ok(if escaped {
            let mut text = Vec::new();
            unescape(raw, &mut text);
            Cow::Owned(text)
        } else {
            Cow::Borrowed(raw)
        })
    }

    /// A string, at its opening quote: what is between the quotes, and whether it has escapes.
    #[inline]
    fn string(&mut self) -> Result<(Range<usize>, bool), Malformed> {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            at = quote_or_escape(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok((start..at, escaped));
                }
                Some(_) => {
                    escaped = true;
                    at += 2;
                }
                None => {
                    self.at = self.bytes.len();
                    return Err(self.malformed("a text that never ends"));
                }
            }
        }
    }

    /// Passes over a value; where it stands, without white space around it.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Range<usize>, Malformed> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'{' | b'[') => self.container()?,
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                while let Some(byte) = self.bytes.get(self.at)
                    && !matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
                {
                    self.at += 1;
                }
            }
            _ => return Err(self.malformed("a value is expected")),
        }
        Ok(start..self.at)
    }

    /// Passes over an object or a list. The depth is only counted.
    fn container(&mut self) -> Result<(), Malformed> {
        let mut depth = 0_usize;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                Some(_) => {}
                None => return Err(self.malformed("it ends too early")),
            }
            self.at += 1;
        }
    }

    /// Takes a value as a field: strings without their quotes and escapes, `null` as nothing.
    #[inline]
    pub(crate) fn field(&mut self, slot: usize, found: &mut Found) -> Result<(), Malformed> {
        if self.peek() == Some(b'"') {
            let (range, escaped) = self.string()?;
            if escaped {
                let from = found.scratch.len();
                unescape(&self.bytes[range], &mut found.scratch);
                found.set_scratch(slot, from);
            } else {
                found.set(slot, range);
            }
            return Ok(());
        }
        let range = self.value()?;
        if &self.bytes[range.clone()] == b"null" {
            found.slots[slot] = super::Slot::default();
        } else {
            found.set(slot, range);
        }
        Ok(())
    }

    /// Takes a value as text into memory that is used again; whether it is more than `null`.
    pub(crate) fn text(&mut self, text: &mut Vec<u8>) -> Result<bool, Malformed> {
        text.clear();
        if self.peek() == Some(b'"') {
            let (range, escaped) = self.string()?;
            let raw = &self.bytes[range];
            if escaped {
                unescape(raw, text);
            } else {
                text.extend_from_slice(raw);
            }
            return Ok(true);
        }
        let range = self.value()?;
        let raw = &self.bytes[range];
        if raw == b"null" {
            return Ok(false);
        }
        text.extend_from_slice(raw);
        Ok(true)
    }
}

/// The place of the next quote or backslash, or the end.
#[inline]
fn quote_or_escape(bytes: &[u8], from: usize) -> usize {
    const LOW: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const ESCAPES: u64 = u64::from_le_bytes([b'\\'; 8]);
    // A byte of `word` that is zero has its high bit set; the lowest such bit is certain.
    let zeros = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let hits = zeros(word ^ QUOTES) | zeros(word ^ ESCAPES);
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
        if at - from >= 64 {
            // It is a long text.
            let rest = memchr::memchr2(b'"', b'\\', &bytes[at..]);
            return rest.map_or(bytes.len(), |length| at + length);
        }
    }
    let tail = bytes.get(at..).unwrap_or(&[]);
    let found = tail.iter().position(|&byte| byte == b'"' || byte == b'\\');
    found.map_or(bytes.len(), |length| at + length)
}

/// Resolves escapes. What is no escape stays as it is; half of a surrogate pair becomes U+FFFD.
pub(crate) fn unescape(raw: &[u8], text: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', raw.get(at..).unwrap_or(&[])) {
        text.extend_from_slice(&raw[at..at + length]);
        at += length + 2;
        let plain = match raw.get(at - 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'u') => {
                let mut unit = hex4(raw, at);
                at += if unit.is_some() { 4 } else { 0 };
                if let Some(high @ 0xd800..=0xdbff) = unit
                    && raw.get(at..at + 2) == Some(b"\\u")
                    && let Some(low @ 0xdc00..=0xdfff) = hex4(raw, at + 2)
                {
                    at += 6;
                    unit = Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                }
                let character = unit.and_then(char::from_u32).unwrap_or('\u{fffd}');
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            Some(&other) => other,
            None => b'\\',
        };
        text.push(plain);
    }
    text.extend_from_slice(raw.get(at..).unwrap_or(&[]));
}

fn hex4(raw: &[u8], at: usize) -> Option<u32> {
    let digits = raw.get(at..at + 4)?;
    digits
        .iter()
        .try_fold(0, |value, &digit| char::from(digit).to_digit(16).map(|digit| value * 16 + digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::At;

    fn find(line: &[u8], wanted: &[&str]) -> Result<String, Malformed> {
        let mut fields = Fields::default();
        for name in wanted {
            fields.slot(name);
        }
        let mut found = Found::new(wanted.len());
        found.clear();
        if !Paths::new(&fields).find(line, &mut found)? {
            return Ok("blank".to_owned());
        }
        let record = found.record(At::default(), line, None);
        let shown: Vec<String> = (0..wanted.len())
            .map(|slot| match record.field(slot) {
                Some(value) => String::from_utf8_lossy(value).into_owned(),
                None => "-".to_owned(),
            })
            .collect();
        Ok(shown.join("|"))
    }

    #[track_caller]
    fn check(line: &str, wanted: &[&str], expected: &str) {
        assert_eq!(find(line.as_bytes(), wanted).as_deref(), Ok(expected), "{line}");
    }

    #[track_caller]
    fn check_fault(line: &str, cause: &str, at: usize) {
        let found = find(line.as_bytes(), &["a", "b.c"]).unwrap_err();
        assert_eq!((found.cause, found.at), (cause, at), "{line}");
    }

    #[test]
    fn wanted_fields_are_found_at_any_depth() {
        check(r#"{"a": 1, "b": "x"}"#, &["a", "b", "c"], "1|x|-");
        check(
            r#"{"a":{"b":{"c":"x"},"d":true},"e":-1.5e3}"#,
            &["a.b.c", "a.d", "e"],
            "x|true|-1.5e3",
        );
        check(r#"{"a.b": 1, "c": {"d.e": 2}}"#, &["a.b", "c.d.e"], "1|2");
        check(r#"{"a": [5, {"b": 6}, [7]]}"#, &["a.0", "a.1.b", "a.2.0", "a.3"], "5|6|7|-");
        check(r#"{"a": {"b": 1}}"#, &["a", "a.b"], r#"{"b": 1}|1"#);
        check(r#"{"a": null, "b": ""}"#, &["a", "b"], "-|");
        check(r#"{"a": 1, "a": 2}"#, &["a"], "2");
        check(r#"{"ab": 1, "a": {"bc": 2, "b": 3}}"#, &["a.b", "ab"], "3|1");
        check(" {} ", &["a"], "-");
        check(" \t", &["a"], "blank");
        check(r#"{"x": {"a": [1, "}]"]}, "a": 3}"#, &["a"], "3");
    }

    #[test]
    fn escapes_are_resolved() {
        check(
            r#"{"a": "x\ny\"z\\ \u00e9 \ud83d\ude00 \ud83d \/"}"#,
            &["a"],
            "x\ny\"z\\ é 😀 \u{fffd} /",
        );
        check(r#"{"\u0061": 1, "b\"": 2}"#, &["a", "b\""], "1|2");
        let long = "x".repeat(100);
        check(&format!(r#"{{"z": "{long}\"{long}", "a": "{long}"}}"#), &["a"], &long);
    }

    #[test]
    fn what_is_cut_or_torn_is_a_fault_with_its_place() {
        check_fault("{", "it ends too early", 1);
        check_fault(r#"{"a"#, "it ends too early", 3);
        check_fault(r#"{"a""#, "it ends too early", 4);
        check_fault(r#"{"a":"#, "it ends too early", 5);
        check_fault(r#"{"a": 1"#, "it ends too early", 7);
        check_fault(r#"{"x": {"y": [1, 2]"#, "it ends too early", 18);
        check_fault(r#"{"a": 1,}"#, "a comma before the end", 8);
        check_fault(r#"{"a": 1 "b": 2}"#, "a comma or the end is expected", 8);
        check_fault(r#"{"a": }"#, "a value is expected", 6);
        check_fault(r#"{a: 1}"#, "a key in quotes is expected", 1);
        check_fault(r#"{"a" 1}"#, "a colon is expected", 5);
        check_fault("[1]", "an object is expected", 0);
        check_fault("{} x", "text after the object", 3);
        check_fault(r#"{"b": {"c": "\"}}"#, "it ends too early", 17);
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = format!(r#"{{"x": {}{}, "a": 1}}"#, "[".repeat(200_000), "]".repeat(200_000));
        check(&deep, &["a"], "1");
        let path = vec!["a"; 5_000].join(".");
        let deep = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
        check(&deep, &[&path], "1");
    }

    #[test]
    fn the_word_search_finds_what_the_byte_search_finds() {
        for length in 0..80 {
            for hit in 0..length {
                for mark in [b'"', b'\\'] {
                    let mut bytes = vec![b'x'; length];
                    bytes[hit] = mark;
                    bytes[0] = if hit == 0 { mark } else { 0x81 };
                    for from in 0..=length {
                        let plain = (from..length).find(|&i| matches!(bytes[i], b'"' | b'\\'));
                        assert_eq!(quote_or_escape(&bytes, from), plain.unwrap_or(length));
                    }
                }
            }
        }
    }
}
