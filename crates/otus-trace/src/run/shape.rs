//! Shapes of lines: lines with their numbers, ids, addresses, paths and quoted texts replaced.
//!
//! Thousands of unmatched lines usually have a dozen shapes. `New connection from 127.0.0.1:36924
//! on port 18831.` becomes `New connection from #.#.#.#:# on port #.`, and a line of JSON keeps its
//! keys and the words of its message. The first [`MOST`] distinct shapes are counted exactly;
//! further ones are counted together.

use otus_syntax::name::Names;

use super::vocabulary::RunPlace;
use crate::read::lossy;

/// A shape of unmatched lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The shape.
    pub text: String,
    /// The number of lines with this shape.
    pub count: u64,
    /// The place of the first line with this shape.
    pub first: RunPlace,
    /// The text of the first line with this shape, truncated if it is long.
    pub example: String,
}

#[derive(Debug, Default)]
pub(crate) struct Shapes {
    names: Names,
    counted: Vec<Shape>,
    /// The number of lines with shapes that are not kept.
    others: u64,
    /// Whether all shapes are kept, because they are a part of the run only.
    keeps_all: bool,
    text: String,
}

/// The maximum number of distinct shapes that are kept.
const MOST: usize = 4096;
/// The maximum number of bytes of a line from which its shape is computed.
const LONGEST: usize = 400;

impl Shapes {
    /// The shapes of a part of a run.
    pub(crate) fn of_part() -> Shapes {
        Shapes { keeps_all: true, ..Shapes::default() }
    }

    fn is_full(&self) -> bool {
        self.counted.len() >= MOST && !self.keeps_all
    }

    /// Adds the shapes of the next part of the run.
    pub(crate) fn add(&mut self, part: Shapes) {
        for shape in part.counted {
            match self.names.find(&shape.text) {
                Some(known) => self.counted[known.index()].count += shape.count,
                None if self.is_full() => self.others += shape.count,
                None => {
                    self.names.intern(&shape.text);
                    self.counted.push(shape);
                }
            }
        }
    }

    pub(crate) fn count(&mut self, line: &[u8], place: RunPlace) {
        let cut = &line[..line.len().min(LONGEST)];
        fold(cut, &mut self.text);
        let known = self.names.find(&self.text);
        let index = match known {
            Some(symbol) => symbol.0 as usize,
            None if self.is_full() => {
                self.others += 1;
                return;
            }
            None => {
                let index = self.names.intern(&self.text).0 as usize;
                let mut example = String::from_utf8_lossy(cut).replace('\0', "␀");
                if cut.len() < line.len() {
                    example.push('…');
                }
                let text = self.text.clone();
                self.counted.push(Shape { text, count: 0, first: place, example });
                index
            }
        };
        self.counted[index].count += 1;
    }

    /// The shapes, the most frequent first and then in the order of the log, and the number of
    /// other lines.
    pub(crate) fn finish(mut self) -> (Vec<Shape>, u64) {
        self.counted.sort_by(|a, b| b.count.cmp(&a.count).then(a.first.cmp(&b.first)));
        (self.counted, self.others)
    }
}

/// The shape of a line.
pub fn shape(line: &[u8]) -> String {
    let mut text = String::new();
    fold(line, &mut text);
    text
}

fn fold(line: &[u8], shape: &mut String) {
    shape.clear();
    let text = lossy(line);
    let json = text.trim_start().starts_with('{');
    let mut rest: &str = &text;
    // Whether the last string was a key whose value consists of words.
    let mut telling = false;
    while let Some(c) = rest.chars().next() {
        if c == '"' || (c == '\'' && !json && !shape.ends_with(char::is_alphanumeric)) {
            let end = closing(rest, c);
            let inside = &rest[1..end];
            let after = rest.get(end + 1..).unwrap_or("");
            let key = json && after.trim_start().starts_with(':');
            if key {
                shape.push_str(inside);
                telling = TELLING.contains(&inside);
            } else if json && telling {
                words(inside, shape);
                telling = false;
            } else {
                shape.extend([c, '…', c]);
            }
            rest = after;
            continue;
        }
        if c == '\0' {
            // Adjacent NUL characters become one.
            shape.push('␀');
            rest = rest.trim_start_matches('\0');
            continue;
        }
        rest = &rest[piece(rest, shape)..];
    }
}

/// Keys whose values are words rather than data.
const TELLING: [&str; 9] =
    ["msg", "message", "event", "type", "level", "kind", "op", "action", "severity"];

/// The index of the closing quote, or the length of the text.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

fn words(text: &str, shape: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        rest = &rest[piece(rest, shape)..];
    }
}

/// Folds the piece with which a text begins: an id, an address, a path, a word or one other
/// character. Returns its length.
fn piece(text: &str, shape: &mut String) -> usize {
    let bytes = text.as_bytes();
    // Most pieces are plain words. The first word of an id or an address is short, and a hyphen or a colon follows it.
    let plain = plain(bytes);
    let next = bytes.get(plain).copied().unwrap_or(b' ');
    let may_be_id = match next {
        b'-' => plain == 8 || plain == 2,
        b':' => plain <= 4,
        _ => false,
    };
    if plain > 0 && next.is_ascii() && !may_be_id {
        word(&text[..plain], shape);
        return plain;
    }
    let before = shape.chars().next_back();
    let is_start = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let id = if is_start { uuid(bytes).or_else(|| hardware_address(bytes)) } else { None };
    if let Some(length) = id.or_else(|| network_address(bytes).filter(|_| is_start)) {
        shape.push('#');
        return length;
    }
    if let Some(length) = path(text, before) {
        shape.push_str("/…");
        return length;
    }
    // A sign belongs to its number.
    let is_sign = bytes[0] == b'-' && bytes.get(1).is_some_and(u8::is_ascii_digit);
    if is_sign && before.is_none_or(|c| !c.is_alphanumeric() && c != '#' && c != '-') {
        return 1;
    }
    let length = token(text);
    if length > 0 {
        word(&text[..length], shape);
        return length;
    }
    let c = text.chars().next().unwrap_or_default();
    shape.push(c);
    c.len_utf8()
}

/// The length of the groups of hexadecimal digits at the beginning that have these lengths and a
/// separator between them.
fn groups(bytes: &[u8], lengths: &[usize], separator: u8) -> Option<usize> {
    let mut at = 0;
    for (index, length) in lengths.iter().enumerate() {
        if index > 0 {
            (bytes.get(at) == Some(&separator)).then_some(())?;
            at += 1;
        }
        let group = bytes.get(at..at + length)?;
        group.iter().all(u8::is_ascii_hexdigit).then_some(())?;
        at += length;
    }
    let is_end = !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    is_end.then_some(at)
}

/// `38101a0b-2096-447d-96ea-a692162415ae`.
fn uuid(bytes: &[u8]) -> Option<usize> {
    groups(bytes, &[8, 4, 4, 4, 12], b'-')
}

/// `52:54:00:1f:2a:3b`.
fn hardware_address(bytes: &[u8]) -> Option<usize> {
    groups(bytes, &[2; 6], b':').or_else(|| groups(bytes, &[2; 6], b'-'))
}

/// An address such as `fe80::1`, with at least two colons. A time has at most two colons, and never
/// two in a row.
fn network_address(bytes: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
    let end = bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
    // Most words.
    if end < 2 || !bytes[..end].contains(&b':') {
        return None;
    }
    let end = if bytes[..end].ends_with(b"::") { end } else { bytes[..end].trim_ascii_end().len() };
    let address = &bytes[..end];
    let colons = memchr::memchr_iter(b':', address).count();
    let is_double = address.windows(2).any(|pair| pair == b"::");
    let is_end = !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let has_digits = address.iter().any(u8::is_ascii_hexdigit);
    let are_short = address.split(|&byte| byte == b':').all(|part| part.len() <= 4);
    let fits = has_digits && is_end && are_short && (colons >= 2 && is_double || colons == 7);
    fits.then_some(end)
}

/// The length of a path that begins with a slash, after the character before it. A path of one
/// plain word is kept, because it shows what the request is about.
fn path(text: &str, before: Option<char>) -> Option<usize> {
    let rest = text.strip_prefix('/').filter(|rest| !rest.starts_with('/'))?;
    let begins = match before {
        None => true,
        Some('#' | '.' | '/') => false,
        Some(c) => !c.is_alphanumeric() && c != '_' && c != '…' && c != '<',
    };
    let is_host = before.is_some_and(|c| c == '#' || c.is_alphanumeric());
    let is_word = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let end = rest.find(|c: char| c.is_whitespace() || "\"'()[]{},;<>|".contains(c));
    let inside = &rest[..end.unwrap_or(rest.len())];
    let is_long = inside.contains('/') || inside.bytes().any(|byte| byte.is_ascii_digit());
    // After a host, a path has several parts. A single part could be a fraction, or a choice of
    // words such as `and/or`.
    let fits = (begins && is_long && !inside.is_empty())
        || (is_host && is_word && inside.matches('/').count() >= 2);
    let length = inside.trim_end_matches(['.', ':']).len();
    fits.then_some(1 + length)
}

/// The length of the letters, digits and underscores at the beginning.
fn token(text: &str) -> usize {
    let plain = plain(text.as_bytes());
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    end.unwrap_or(text.len())
}

/// The length of the ASCII letters, digits and underscores at the beginning.
fn plain(bytes: &[u8]) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    bytes.iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len())
}

fn word(word: &str, shape: &mut String) {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // Most words.
    if digits == 0 {
        shape.push_str(word);
        return;
    }
    if digits == word.len() {
        shape.push('#');
        return;
    }
    let hexadecimal = word.len() >= 6 && word.bytes().all(|b| b.is_ascii_hexdigit());
    // Ids of other alphabets change between letters and digits again and again.
    let are_digits = word.chars().filter(|c| *c != '_').map(|c| c.is_ascii_digit());
    let changes = are_digits.clone().zip(are_digits.skip(1)).filter(|(one, next)| one != next);
    let changes = changes.count();
    if hexadecimal || changes >= 3 || word.starts_with("0x") {
        shape.push('#');
        return;
    }
    // Numbers inside of words, such as `sub1`, are replaced, too.
    let mut number = false;
    for c in word.chars() {
        if c.is_ascii_digit() {
            if !number {
                shape.push('#');
            }
            number = true;
        } else {
            number = false;
            shape.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(shape(line.as_bytes()), expected);
    }

    #[test]
    fn numbers_ids_and_quotes_are_folded() {
        check(
            "New connection from 127.0.0.1:36924 on port 18831.",
            "New connection from #.#.#.#:# on port #.",
        );
        check("2026-11-15T07:13:08: sub2 1 plant/temp", "#-#-#T#:#:#: sub# # plant/temp");
        check("Received 'it' \"x\\\"y\" don't", "Received '…' \"…\" don't");
        check("bdae9bbc11dd390d became 0xff", "# became #");
        check("facade deadbeef", "facade deadbeef");
        check(
            r#"{"level":"info","ts":"2026","msg":"n1 became leader","x":["a",7]}"#,
            "{level:info,ts:\"…\",msg:n# became leader,x:[\"…\",#]}",
        );
        check("a\0\0\0b", "a␀b");
        check("req-38101a0b-2096-447d-96ea-a692162415ae done", "req-# done");
        check("mac 52:54:00:1f:2a:3b ip fe80::5054:ff at ::1 12:00:01", "mac # ip # at # #:#:#");
        check("block blk_-160 and blk_160, 3 of -5", "block blk_# and blk_#, # of #");
        check("read /var/lib/a1/b in 5/7 ms", "read /… in #/# ms");
        check("GET /login to http://shop:80/v2/items/7", "GET /login to http://shop:#/…");
        check("token a1b2c3d4 of x86_64 and mp3", "token # of x#_# and mp#");
        check("\"never closed", "\"…\"");
    }

    #[test]
    fn equal_shapes_are_counted_together() {
        let mut shapes = Shapes::default();
        for (line, text) in (1..).zip(["a 1", "b", "a 2", "a 3"]) {
            shapes.count(text.as_bytes(), RunPlace { line, ..RunPlace::default() });
        }
        let (found, others) = shapes.finish();
        let shown: Vec<_> =
            found.iter().map(|s| (s.text.as_str(), s.count, s.first.line)).collect();
        assert_eq!((shown, others), (vec![("a #", 3, 1), ("b", 1, 2)], 0));
    }
}
