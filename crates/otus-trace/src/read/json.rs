//! Finds fields in JSON without building trees.
//!
//! A typical line has twenty members, of which rules want five. Building a tree costs ten times as
//! much as finding the five, so [`Paths`] walks the bytes once, enters only objects on the way to a
//! wanted field, and skips everything else eight bytes at a time.
//!
//! Skipped values are checked for brackets and quotes only: a number like `1-2` in an unwanted
//! member is not a fault. A line that ends too early always is one.
//!
//! A path is dotted: `user.name` means a member of a member, or a member whose name contains the
//! dot, since many loggers flatten objects that way. Numbers on a path are list indices, from 0. If
//! a member occurs twice, the last one counts, as in most JSON parsers.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::{Fields, FoundFields};

/// The number of open brackets after a line; `None` if the line ends inside a string.
pub(super) fn depth_after(line: &[u8], mut depth: usize) -> Option<usize> {
    let mut json = Cursor::new(line);
    while let Some(&byte) = line.get(json.at) {
        match byte {
            b'"' => {
                json.string().ok()?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        json.at += 1;
    }
    Some(depth)
}

/// The place where a text stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) cause: &'static str,
    pub(crate) at: usize,
}

pub(crate) type JsonResult<T = ()> = Result<T, Malformed>;

/// The paths of the wanted fields, and memory for the search.
#[derive(Debug)]
pub(crate) struct Paths {
    /// The paths of all fields, one after the other.
    text: Vec<u8>,
    /// All fields.
    all: Vec<Pending>,
    /// The wanted members of the containers that have been entered, one container after the other.
    pending: Vec<Pending>,
    containers: Vec<Container>,
}

/// A wanted field, and where the rest of its path is in the text of all paths.
#[derive(Debug, Clone, Copy)]
struct Pending {
    slot: usize,
    rest: usize,
    end: usize,
    /// The first byte of the rest; 0 if it is empty. Nearly all members differ in it.
    first: u8,
}

impl Pending {
    fn new(slot: usize, rest: usize, end: usize, text: &[u8]) -> Self {
        Pending { slot, rest, end, first: first_byte(&text[rest..end]) }
    }
}

fn first_byte(text: &[u8]) -> u8 {
    text.first().copied().unwrap_or(0)
}

/// An object or a list that has been entered.
#[derive(Debug, Clone, Copy)]
struct Container {
    /// The index of its first wanted member.
    first: usize,
    /// In a list: the index of the next item.
    index: Option<usize>,
}

impl Paths {
    pub(crate) fn new(fields: &Fields) -> Self {
        let (mut text, mut all) = (Vec::new(), Vec::new());
        for (slot, name) in fields.names().iter().enumerate() {
            let rest = text.len();
            text.extend_from_slice(name.as_bytes());
            all.push(Pending::new(slot, rest, text.len(), &text));
        }
        Paths { text, all, pending: Vec::new(), containers: Vec::new() }
    }

    /// Finds the fields of the object with which a text begins; returns where the object ends.
    pub(crate) fn find(&mut self, bytes: &[u8], found: &mut FoundFields) -> JsonResult<usize> {
        let mut json = Cursor::new(bytes);
        if json.peek() != Some(b'{') {
            return Err(json.malformed("an object is expected"));
        }
        self.pending.clear();
        self.containers.clear();
        self.pending.extend_from_slice(&self.all);
        self.walk(&mut json, found)?;
        let end = json.position();
        match json.peek() {
            None | Some(b'{') => Ok(end),
            Some(_) => Err(json.malformed("text after the object")),
        }
    }

    fn walk(&mut self, json: &mut Cursor<'_>, found: &mut FoundFields) -> JsonResult {
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
                    json.between = true;
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
            // The wanted fields that are this member, and the wanted fields inside it.
            let end = self.pending.len();
            let mut wanted = None;
            let key_first = first_byte(&key);
            for i in first..end {
                let Pending { slot, rest, end, first } = self.pending[i];
                if first != key_first {
                    continue;
                }
                let path = &self.text[rest..end];
                let next = path.get(key.len());
                if !path.starts_with(&key) || next.is_some_and(|next| *next != b'.') {
                    continue;
                }
                match next {
                    None => {
                        let before = wanted.replace(slot);
                        debug_assert!(before.is_none(), "no two fields have one path");
                    }
                    Some(_) => {
                        let rest = rest + key.len() + 1;
                        self.pending.push(Pending::new(slot, rest, end, &self.text));
                    }
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
                Some(slot) => {
                    if !matches!(found.slots[slot].held, super::Held::Absent) {
                        found.repeated = Some(slot);
                    }
                    json.field(slot, found)?;
                }
                None => json.skip()?,
            }
            json.between = true;
        }
        Ok(())
    }

    fn enter(&mut self, json: &mut Cursor<'_>, first: usize) -> JsonResult {
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

/// A position in a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'j> {
    bytes: &'j [u8],
    at: usize,
    /// Whether an item has just ended, so that a comma or the end of its container must follow.
    between: bool,
}

impl<'j> Cursor<'j> {
    pub(crate) fn new(bytes: &'j [u8]) -> Self {
        Cursor { bytes, at: 0, between: false }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The byte where the next token begins.
    pub(crate) fn start(&mut self) -> usize {
        self.peek();
        self.at
    }

    pub(crate) fn at(&self, at: usize) -> Self {
        Cursor { bytes: self.bytes, at, between: false }
    }

    pub(crate) fn malformed(&self, cause: &'static str) -> Malformed {
        let cause = if self.at >= self.bytes.len() { "it ends too early" } else { cause };
        Malformed { cause, at: self.at }
    }

    /// Skips white space and returns the next byte without taking it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    fn open(&mut self) {
        self.at += 1;
        self.between = false;
    }

    /// Takes the closing bracket, if it is next, or the comma between items; returns whether the
    /// container is closed.
    #[inline]
    fn at_close(&mut self, close: u8) -> JsonResult<bool> {
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

    /// Visits the members of an object; the visitor takes or skips each value.
    pub(crate) fn object<E: From<Malformed>>(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.items(b'{', b'}', "an object is expected", |json| {
            let key = json.key()?;
            visit(json, &key)
        })
    }

    /// Visits the items of a list; the visitor takes or skips each.
    pub(crate) fn list<E: From<Malformed>>(
        &mut self,
        visit: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.items(b'[', b']', "a list is expected", visit)
    }

    #[inline]
    fn items<E: From<Malformed>>(
        &mut self,
        open: u8,
        close: u8,
        expected: &'static str,
        mut visit: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.peek() != Some(open) {
            return Err(self.malformed(expected).into());
        }
        self.open();
        while !self.at_close(close)? {
            visit(self)?;
            self.between = true;
        }
        Ok(())
    }

    /// Takes a key and its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> JsonResult<Cow<'j, [u8]>> {
        if self.peek() != Some(b'"') {
            return Err(self.malformed("a key in quotes is expected"));
        }
        let (range, escaped) = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.malformed("a colon is expected"));
        }
        self.at += 1;
        let raw = &self.bytes[range];
        if !escaped {
            return Ok(Cow::Borrowed(raw));
        }
        let mut text = Vec::new();
        unescape(raw, &mut text);
        Ok(Cow::Owned(text))
    }

    /// Takes a string, at its opening quote; returns the range between the quotes, and whether it
    /// has escapes.
    #[inline]
    fn string(&mut self) -> JsonResult<(Range<usize>, bool)> {
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

    /// Skips a value; returns its range, without white space around it.
    #[inline]
    pub(crate) fn value(&mut self) -> JsonResult<Range<usize>> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'{' | b'[') => self.container()?,
            // Python and others write NaN and Infinity, though JSON has neither.
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N' | b'I')
                if !matches!(first, Some(b'N' | b'I')) || self.is_not_finite() =>
            {
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

    /// Whether a number that is none comes next.
    #[cold]
    fn is_not_finite(&self) -> bool {
        let rest = &self.bytes[self.at..];
        rest.starts_with(b"NaN") || rest.starts_with(b"Infinity")
    }

    pub(crate) fn skip(&mut self) -> JsonResult {
        self.value().map(drop)
    }

    /// Skips an object or a list. The depth is counted, without recursion.
    fn container(&mut self) -> JsonResult {
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

    /// Takes a value: the range of its text, for a string without its quotes, and whether it has
    /// escapes; `None` for `null`.
    #[inline]
    fn text_range(&mut self) -> JsonResult<Option<(Range<usize>, bool)>> {
        if self.peek() == Some(b'"') {
            return self.string().map(Some);
        }
        let range = self.value()?;
        Ok((&self.bytes[range.clone()] != b"null").then_some((range, false)))
    }

    /// Takes a value as a field, which is absent for `null`.
    #[inline]
    pub(crate) fn field(&mut self, slot: usize, found: &mut FoundFields) -> JsonResult {
        match self.text_range()? {
            Some((range, true)) => {
                let from = found.scratch.len();
                unescape(&self.bytes[range], &mut found.scratch);
                found.set_scratch(slot, from);
            }
            Some((range, false)) => found.set(slot, range),
            None => found.slots[slot] = super::Slot::default(),
        }
        Ok(())
    }

    /// Takes a value as text into a buffer; returns whether it is not `null`.
    pub(crate) fn text(&mut self, text: &mut Vec<u8>) -> JsonResult<bool> {
        text.clear();
        let Some((range, escaped)) = self.text_range()? else { return Ok(false) };
        if escaped {
            unescape(&self.bytes[range], text);
        } else {
            text.extend_from_slice(&self.bytes[range]);
        }
        Ok(true)
    }
}

/// The index of the next quote or backslash, or the length of the text.
#[inline]
fn quote_or_escape(bytes: &[u8], from: usize) -> usize {
    const LOW: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const ESCAPES: u64 = u64::from_le_bytes([b'\\'; 8]);
    // Sets the high bit of every zero byte of `word`; bits of higher bytes may be set wrongly, but
    // the lowest set bit is correct.
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
            // For long strings, `memchr` is faster.
            let rest = memchr::memchr2(b'"', b'\\', &bytes[at..]);
            return rest.map_or(bytes.len(), |length| at + length);
        }
    }
    let tail = bytes.get(at..).unwrap_or(&[]);
    let found = tail.iter().position(|&byte| byte == b'"' || byte == b'\\');
    found.map_or(bytes.len(), |length| at + length)
}

/// Resolves escapes. An unknown escape stands for its character; half of a surrogate pair becomes
/// U+FFFD.
pub(crate) fn unescape(raw: &[u8], text: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', raw.get(at..).unwrap_or(&[])) {
        text.extend_from_slice(&raw[at..at + length]);
        at += length;
        let (character, length) = match escape(raw, at) {
            Ok(found) => found,
            Err(1) => {
                text.push(raw.get(at + 1).copied().unwrap_or(b'\\'));
                at += 2;
                continue;
            }
            Err(length) => ('\u{fffd}', length),
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        at += length;
    }
    text.extend_from_slice(raw.get(at..).unwrap_or(&[]));
}

/// The character of the escape with its backslash at `at`, and the length of the escape. The error
/// is the length of the part that is wrong: 1 for an unknown letter, 2 for `\u` without four digits,
/// 6 for half of a surrogate pair.
pub(crate) fn escape(raw: &[u8], at: usize) -> Result<(char, usize), usize> {
    let plain = match raw.get(at + 1) {
        Some(&quoted @ (b'"' | b'\\' | b'/')) => char::from(quoted),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let first = hex4(raw, at + 2).ok_or(2_usize)?;
            if let Some(character) = char::from_u32(first) {
                return Ok((character, 6));
            }
            // Half of a surrogate pair: the other half must follow.
            let second = raw.get(at + 6..at + 8).filter(|mark| *mark == b"\\u");
            let second = second.and_then(|_| hex4(raw, at + 8));
            let pair = second.filter(|low| first < 0xdc00 && (0xdc00..0xe000).contains(low));
            let whole = pair.map(|low| 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00));
            return whole.and_then(char::from_u32).map(|character| (character, 12)).ok_or(6);
        }
        _ => return Err(1),
    };
    Ok((plain, 2))
}

/// Appends a text as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Appends an object, `{"name":value,…}`.
pub(crate) fn write_object<'n, T>(
    members: impl Iterator<Item = (Cow<'n, str>, T)>,
    write_value: impl Fn(T, &mut String),
    out: &mut String,
) {
    out.push('{');
    let mut separator = "";
    for (name, value) in members {
        out.push_str(separator);
        quote(&name, out);
        out.push(':');
        write_value(value, out);
        separator = ",";
    }
    out.push('}');
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

    fn find(line: &[u8], wanted: &[&str]) -> JsonResult<String> {
        let mut fields = Fields::default();
        for name in wanted {
            fields.slot(name);
        }
        let mut found = FoundFields::new(wanted.len());
        found.clear();
        if line.trim_ascii().is_empty() {
            return Ok("blank".to_owned());
        }
        Paths::new(&fields).find(line, &mut found)?;
        let record = found.record(At::default(), line);
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
