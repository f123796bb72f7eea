//! Splits a stream into lines, through one buffer.
//!
//! The buffer grows with the longest line, up to a limit; longer lines are skipped and reported. A
//! line ends with `\n` or `\r\n`. A byte order mark at the beginning is dropped.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;

use super::{At, Extent, Fault, FaultKind, FoundFields, Item, ReadTask, Record};

/// Reads lines of text. They have no fields; the patterns of rules capture values from them.
pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let ReadTask { lines, fields, visit, .. } = task;
    let found = FoundFields::new(fields.names().len());
    let mut memory = Vec::new();
    while let Some(line) = lines.next() {
        visit(match line {
            Ok((_, bytes)) if bytes.iter().all(u8::is_ascii_whitespace) => Item::Blank,
            Ok((at, bytes)) => {
                let (bytes, repaired) = repair(bytes, &mut memory);
                Item::Record(Record { repaired, ..found.record(at, bytes) })
            }
            Err(fault) => Item::Fault(fault),
        })?;
    }
    ControlFlow::Continue(())
}

/// Replaces the bytes of a line that are not UTF-8, so that patterns can match; returns the line
/// and whether anything was replaced.
pub(super) fn repair<'l>(bytes: &'l [u8], memory: &'l mut Vec<u8>) -> (&'l [u8], bool) {
    // Nearly all lines are ASCII, and that is seen at once.
    if bytes.is_ascii() || std::str::from_utf8(bytes).is_ok() {
        return (bytes, false);
    }
    memory.clear();
    memory.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
    (memory, true)
}

/// A text with replacements for the bytes that are not UTF-8. Most texts are UTF-8, and finding that out is much faster
/// than looking for the replacements.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

pub(super) fn line_ends(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

/// Counts the line ends before a byte of a text. It continues from the byte of the last query, so
/// the total cost is linear if the bytes of the queries ascend.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineCounter {
    byte: usize,
    lines: u32,
}

impl LineCounter {
    pub(crate) fn before(&mut self, text: &[u8], byte: usize) -> u32 {
        if byte < self.byte {
            *self = LineCounter::default();
        }
        self.lines += line_ends(text.get(self.byte..byte).unwrap_or(&[]));
        self.byte = byte;
        self.lines
    }
}

/// A line or another piece of a stream with its position, or the fault in its place.
type Piece<'l> = Result<(At, &'l [u8]), Fault>;

pub(crate) struct Lines<'i> {
    input: &'i mut dyn Read,
    buffer: Vec<u8>,
    /// The part of the buffer from `start` to `end` is filled and not yet used.
    start: usize,
    end: usize,
    /// The position of the next line.
    pub(super) at: At,
    longest: usize,
    ended: bool,
    /// Whether lines before these belong to the same file.
    pub(super) is_part: bool,
    /// A fault that is reported after all lines before it.
    fault: Option<Fault>,
}

/// A piece of a stream that can be read without what comes before it.
#[derive(Debug)]
pub(crate) enum Block {
    /// Whole lines, and the position of the first.
    Lines(At, Vec<u8>),
    /// A fault between lines.
    Fault(Fault),
    /// A JSON object began and did not end for a long time. The stream can be read on as a whole.
    Open,
}

/// The number of bytes that are read at once.
const CHUNK: usize = 256 << 10;
/// The number of bytes after which one no longer waits for the end of a JSON object.
const OPEN: usize = 4 << 20;

/// The length of the whole lines of a text.
pub(crate) fn whole_lines(bytes: &[u8], _longest: usize) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1)
}

impl<'i> Lines<'i> {
    pub(crate) fn new(input: &'i mut dyn Read, longest: usize) -> Self {
        let mut lines = Lines {
            input,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            at: At { line: 1, offset: 0 },
            // Offsets within a record have 32 bits.
            longest: longest.clamp(1, u32::MAX as usize - 1),
            ended: false,
            is_part: false,
            fault: None,
        };
        lines.begin();
        lines
    }

    /// The lines of a block.
    pub(crate) fn of_block(
        nothing: &'i mut dyn Read,
        at: At,
        bytes: Vec<u8>,
        longest: usize,
    ) -> Self {
        let end = bytes.len();
        Lines {
            input: nothing,
            buffer: bytes,
            start: 0,
            end,
            at,
            longest: longest.clamp(1, u32::MAX as usize - 1),
            ended: true,
            is_part: true,
            fault: None,
        }
    }

    /// Takes the next block. `cut` tells after how many bytes of some lines a block may end.
    pub(crate) fn block(&mut self, cut: impl Fn(&[u8], usize) -> usize) -> Option<Block> {
        self.is_part = true;
        let mut size = CHUNK;
        loop {
            while !self.ended && self.end - self.start < size {
                self.fill();
            }
            let bytes = &self.buffer[self.start..self.end];
            if bytes.is_empty() {
                let at = self.at;
                return self.fault.take().map(|fault| Block::Fault(Fault { at, ..fault }));
            }
            let length = if self.ended { bytes.len() } else { cut(bytes, self.longest) };
            if length > 0 {
                let (at, bytes) = (self.at, bytes[..length].to_vec());
                self.start += length;
                self.at.advance(&bytes);
                self.at.line = self.at.line.saturating_add(u32::from(!bytes.ends_with(b"\n")));
                return Some(Block::Lines(at, bytes));
            }
            if memchr::memchr(b'\n', bytes).is_none() {
                if bytes.len() > self.longest {
                    return Some(Block::Fault(self.skip_long_line()));
                }
            } else if bytes.len() > OPEN {
                return Some(Block::Open);
            }
            size = 2 * bytes.len();
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        Extent { bytes: self.at.offset, lines: u64::from(self.at.line.saturating_sub(1)) }
    }

    /// Takes the next line, without its end.
    pub(crate) fn next(&mut self) -> Option<Piece<'_>> {
        let mut searched = self.start;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let range = self.start..searched + length;
                if range.len() > self.longest {
                    return Some(Err(self.skip_long_line()));
                }
                return Some(Ok(self.line(range, 1)));
            }
            searched = self.end;
            if self.end - self.start > self.longest {
                return Some(Err(self.skip_long_line()));
            }
            if self.ended {
                if self.start < self.end {
                    return Some(Ok(self.line(self.start..self.end, 0)));
                }
                let at = self.at;
                return self.fault.take().map(|fault| Err(Fault { at, ..fault }));
            }
            searched -= self.start;
            self.fill();
            searched += self.start;
        }
    }

    /// Takes everything that is left, up to the limit, for formats that do not consist of lines.
    pub(crate) fn rest(&mut self) -> Result<&[u8], Fault> {
        while !self.ended {
            if self.end - self.start > self.longest {
                return Err(self.skip_long_line());
            }
            self.fill();
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let bytes = &self.buffer[self.start..self.end];
        self.at.advance(bytes);
        self.at.line = self.at.line.saturating_add(u32::from(!bytes.is_empty()));
        Ok(bytes)
    }

    /// Looks at the first line without taking it; `None` if it does not end in the first chunk.
    pub(crate) fn first_line(&mut self) -> Option<&[u8]> {
        loop {
            let filled = &self.buffer[self.start..self.end];
            let end = memchr::memchr(b'\n', filled);
            if end.is_some() || self.ended || filled.len() >= CHUNK {
                let length = end.or(self.ended.then_some(filled.len()))?;
                return Some(&self.buffer[self.start..self.start + length]);
            }
            self.fill();
        }
    }

    /// Looks at the first two bytes that are no white space, without waiting for more.
    pub(crate) fn first_bytes(&mut self) -> [Option<u8>; 2] {
        loop {
            let filled = self.buffer[self.start..self.end].iter().copied();
            let mut bytes = filled.filter(|byte| !byte.is_ascii_whitespace());
            let found = [bytes.next(), bytes.next()];
            if found[1].is_some() || self.ended || self.end - self.start >= CHUNK {
                return found;
            }
            self.fill();
        }
    }

    /// Takes the bytes that are in the buffer, with their position, regardless of line ends.
    pub(crate) fn piece(&mut self) -> Option<Piece<'_>> {
        while self.start == self.end && !self.ended {
            self.fill();
        }
        let at = self.at;
        if self.start == self.end {
            return self.fault.take().map(|fault| Err(Fault { at, ..fault }));
        }
        let bytes = &self.buffer[self.start..self.end];
        self.start = self.end;
        self.at.advance(bytes);
        Some(Ok((at, bytes)))
    }

    /// Reads the first bytes: skips a byte order mark, and refuses other encodings than UTF-8.
    fn begin(&mut self) {
        while !self.ended && self.end < 4 {
            self.fill();
        }
        let head = &self.buffer[..self.end];
        if head.starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
            self.at.offset = 3;
        } else if let Some(name) = super::detect::encoding(head) {
            // None of the file is read, because none of it is UTF-8.
            self.fault = Some(Fault { at: self.at, kind: FaultKind::Encoding(name) });
            self.ended = true;
            self.end = self.start;
        }
    }

    fn line(&mut self, range: std::ops::Range<usize>, newline: usize) -> (At, &[u8]) {
        let at = self.at;
        self.start = range.end + newline;
        self.at.offset += (range.len() + newline) as u64;
        self.at.line = at.line.saturating_add(1);
        let bytes = &self.buffer[range];
        (at, bytes.strip_suffix(b"\r").unwrap_or(bytes))
    }

    /// Reads more bytes into the buffer, after making room.
    fn fill(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        match self.input.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(length) => self.end += length,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                self.ended = true;
                self.fault =
                    Some(Fault { at: self.at, kind: FaultKind::Stream(error.to_string()) });
            }
        }
    }

    fn skip_long_line(&mut self) -> Fault {
        let at = self.at;
        let mut length = 0_u64;
        loop {
            let pending = &self.buffer[self.start..self.end];
            if let Some(end) = memchr::memchr(b'\n', pending) {
                length += end as u64;
                self.start += end + 1;
                self.at.offset += length + 1;
                break;
            }
            length += pending.len() as u64;
            self.start = self.end;
            if self.ended {
                self.at.offset += length;
                break;
            }
            self.fill();
        }
        self.at.line = at.line.saturating_add(1);
        // Gives back the memory that a long line needed.
        if self.buffer.len() > 4 * CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.buffer.truncate(self.end.max(CHUNK));
            self.buffer.shrink_to_fit();
        }
        Fault { at, kind: FaultKind::TooLong(length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that yields a few bytes at a time.
    struct Drip<'d>(&'d [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(buffer.len()).min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn shown(input: &mut dyn Read, longest: usize) -> (Vec<String>, Extent) {
        let mut lines = Lines::new(input, longest);
        let mut shown = Vec::new();
        while let Some(line) = lines.next() {
            shown.push(match line {
                Ok((at, bytes)) => {
                    format!("{}@{} {}", at.line, at.offset, String::from_utf8_lossy(bytes))
                }
                Err(fault) => format!("{} {}", fault.at.line, fault.kind),
            });
        }
        (shown, lines.extent())
    }

    #[track_caller]
    fn check(text: &[u8], expected: &[&str]) {
        for size in [1, 2, 3, 7, 1 << 20] {
            let (found, extent) = shown(&mut Drip(text, size), 10);
            assert_eq!(found, expected, "in pieces of {size}");
            assert_eq!(extent.lines, expected.len() as u64);
        }
    }

    #[test]
    fn lines_end_with_or_without_a_return() {
        check(b"", &[]);
        check(b"\n", &["1@0 "]);
        check(b"a\r\nb\n\nc", &["1@0 a", "2@3 b", "3@5 ", "4@6 c"]);
        check(b"a\rb\n", &["1@0 a\rb"]);
        check("\u{feff}a\nb".as_bytes(), &["1@3 a", "2@5 b"]);
        check(b"a\0b\n\0\0\n", &["1@0 a\0b", "2@4 \0\0"]);
    }

    /// The lines of all blocks.
    fn in_blocks(input: &mut dyn Read, longest: usize) -> (Vec<String>, Extent) {
        let mut lines = Lines::new(input, longest);
        let mut shown = Vec::new();
        while let Some(block) = lines.block(whole_lines) {
            match block {
                Block::Lines(at, bytes) => {
                    let mut nothing = std::io::empty();
                    let mut part = Lines::of_block(&mut nothing, at, bytes, longest);
                    while let Some(line) = part.next() {
                        shown.push(match line {
                            Ok((at, bytes)) => {
                                format!(
                                    "{}@{} {}",
                                    at.line,
                                    at.offset,
                                    String::from_utf8_lossy(bytes)
                                )
                            }
                            Err(fault) => format!("{} {}", fault.at.line, fault.kind),
                        });
                    }
                }
                Block::Fault(fault) => shown.push(format!("{} {}", fault.at.line, fault.kind)),
                Block::Open => unreachable!("text has no objects"),
            }
        }
        (shown, lines.extent())
    }

    #[test]
    fn blocks_have_the_same_lines_at_the_same_places() {
        let mut text = String::from("\u{feff}");
        for number in 0..30_000 {
            text.push_str(&"x".repeat(number * 7919 % 90));
            text.push_str(if number % 5 == 0 { "\r\n" } else { "\n" });
        }
        for end in ["", "last", &"y".repeat(600_000), &format!("{}\nz", "y".repeat(600_000))] {
            let text = format!("{text}{end}");
            for longest in [70, 300_000, 1 << 20] {
                let whole = shown(&mut text.as_bytes(), longest);
                assert_eq!(in_blocks(&mut text.as_bytes(), longest), whole);
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        check(
            b"a\n0123456789ABC\nb",
            &["1@0 a", "2 it has 13 bytes, more than a record may have", "3@16 b"],
        );
        check(b"0123456789ABC", &["1 it has 13 bytes, more than a record may have"]);
    }

    #[test]
    fn a_line_of_a_hundred_megabytes_takes_no_such_memory() {
        let long = std::io::repeat(b'x').take(100 << 20);
        let mut input = (&b"a\n"[..]).chain(long).chain(&b"\nb\n"[..]);
        let (found, extent) = shown(&mut input, 1 << 20);
        let told = "2 it has 104857600 bytes, more than a record may have";
        assert_eq!(found, ["1@0 a", told, "3@104857603 b"]);
        assert_eq!(extent.lines, 3);
    }

    #[test]
    fn what_is_not_utf_8_as_a_whole_is_one_fault() {
        let (found, _) = shown(&mut Drip(b"\xff\xfea\0\n\0", 2), 10);
        assert_eq!(found, ["1 the file is UTF-16, not UTF-8"]);
    }

    #[test]
    fn an_error_comes_after_what_was_read() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("torn"))
            }
        }
        let (found, _) = shown(&mut (&b"a\nb"[..]).chain(Broken), 10);
        assert_eq!(found, ["1@0 a", "2@2 b", "3 the file cannot be read on: torn"]);
    }
}
