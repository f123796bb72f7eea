//! Shapes of lines: lines with their numbers, ids and quoted texts replaced.
//!
//! Thousands of unmatched lines usually have a dozen shapes. `New connection from 127.0.0.1:36924
//! on port 18831.` becomes `New connection from #.#.#.#:# on port #.`, and a line of JSON keeps its
//! keys and the words of its message. The first [`MOST`] distinct shapes are counted exactly;
//! further ones are counted together.

use otus_syntax::name::Names;

use super::vocabulary::RunPlace;

/// A shape of unmatched lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The shape.
    pub text: String,
    /// The number of lines with this shape.
    pub count: u64,
    /// The place of the first of them.
    pub first: RunPlace,
    /// The text of the first of them, truncated if it is long.
    pub example: String,
}

#[derive(Debug, Default)]
pub(crate) struct Shapes {
    names: Names,
    counted: Vec<Shape>,
    /// The number of lines with shapes that are not kept.
    others: u64,
    text: String,
}

/// The most distinct shapes that are kept.
const MOST: usize = 4096;
/// The number of bytes of a line that make its shape.
const LONGEST: usize = 400;

impl Shapes {
    pub(crate) fn count(&mut self, line: &[u8], place: RunPlace) {
        let cut = &line[..line.len().min(LONGEST)];
        fold(cut, &mut self.text);
        let known = self.names.find(&self.text);
        let index = match known {
            Some(symbol) => symbol.0 as usize,
            None if self.counted.len() >= MOST => {
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
    let text = String::from_utf8_lossy(line);
    let json = text.trim_start().starts_with('{');
    let mut rest: &str = &text;
    // Whether the string before was a key whose value consists of words.
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
        let length = token(rest);
        if length == 0 {
            shape.push(if c == '\0' { '␀' } else { c });
            rest = &rest[c.len_utf8()..];
            // Adjacent NUL characters become one.
            if c == '\0' {
                rest = rest.trim_start_matches('\0');
            }
            continue;
        }
        word(&rest[..length], shape);
        rest = &rest[length..];
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
    while let Some(c) = rest.chars().next() {
        let length = token(rest);
        if length == 0 {
            shape.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            word(&rest[..length], shape);
            rest = &rest[length..];
        }
    }
}

/// The length of the letters, digits and underscores at the beginning.
fn token(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    end.unwrap_or(text.len())
}

fn word(word: &str, shape: &mut String) {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = word.len() >= 6 && digits > 0 && word.bytes().all(|b| b.is_ascii_hexdigit());
    if hexadecimal || word.strip_prefix("0x").is_some_and(|_| digits > 0) {
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
