//! Readers: from the bytes of a log to records with their line.
//!
//! A reader turns a stream into a sequence of [`Item`]s and passes them to a visitor one at a time.
//! A [`Record`] is a view into the reader's buffer: the bytes of one line or span, its position,
//! and the values of the wanted *fields*, found in one pass. The caller names the wanted [`Fields`]
//! first, so that a reader can skip all others without copying them.
//!
//! Invariants:
//! - every part of the file ends up in an item: a record, a blank, or a [`Fault`] with its cause;
//! - memory is one buffer, as long as the longest record up to [`Options::longest`]; a longer
//!   record is skipped and reported as a fault;
//! - nothing recurses on the depth of the input, and no input panics.
//!
//! gzip and zstd are recognised by their first bytes ([`unpack`]). The caller opens the files; this
//! module reads streams only.

pub mod canonical;
mod csv;
mod detect;
mod documents;
pub(crate) mod htf;
mod jaeger;
pub(crate) mod json;
mod json_lines;
mod lines;
mod otlp;
pub mod otlp_bytes;
mod shiviz;
mod spans;
#[cfg(test)]
mod tests;
mod unpack;
mod zipkin;

use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;

pub use detect::{detect, encoding, is_multi_trace};
pub use documents::json_keys;
pub(crate) use json_lines::{is_list, whole_objects};
pub(crate) use lines::LineCounter;
pub use lines::lossy;
pub(crate) use lines::{Block, Lines, whole_lines};
pub(crate) use shiviz::{anchored, literal_braces};
pub use spans::{Span, SpanKind};
pub use unpack::{Packing, unpack};

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Lines of text, which regular expressions take apart.
    Text,
    /// A JSON object on each line; fields are dotted paths.
    Json,
    /// Comma-separated values with a line of column names.
    Csv,
    /// OpenTelemetry's OTLP as JSON: lines of a file exporter, or one document.
    Otlp,
    /// Traces in the form that Jaeger's query service returns.
    Jaeger,
    /// Spans of Zipkin, version 2.
    Zipkin,
    /// Hosts, vector clocks and events, in the form that ShiViz reads.
    Shiviz,
    /// A multi-trace in Otus' own notation (`.htf`).
    Htf,
    /// Otus' canonical JSON lines ([`canonical`]).
    Canonical,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Text,
        Format::Json,
        Format::Csv,
        Format::Otlp,
        Format::Jaeger,
        Format::Zipkin,
        Format::Shiviz,
        Format::Htf,
        Format::Canonical,
    ];

    /// The name of the format in `otus.toml`.
    pub fn name(self) -> &'static str {
        let names = ["regex", "json", "csv", "otlp", "jaeger", "zipkin", "shiviz", "htf", "otus"];
        names[self as usize]
    }

    /// The format with a name in `otus.toml`, or with a common synonym such as `jsonl`.
    pub fn from_name(name: &str) -> Option<Format> {
        let other = match name {
            "text" => Some(Format::Text),
            "jsonl" | "ndjson" => Some(Format::Json),
            "opentelemetry" => Some(Format::Otlp),
            _ => None,
        };
        other.or_else(|| Format::ALL.into_iter().find(|format| format.name() == name))
    }

    /// Whether the records of this format are spans, each of which has a start and an end.
    pub fn has_spans(self) -> bool {
        matches!(self, Format::Otlp | Format::Jaeger | Format::Zipkin)
    }

    /// Whether the records of this format say themselves what happened, so that no rules are needed
    /// to map them.
    pub fn is_self_describing(self) -> bool {
        !matches!(self, Format::Text | Format::Json | Format::Csv)
    }

    /// Whether whole lines of a log can be read without those before them.
    pub(crate) fn has_parts(self) -> bool {
        matches!(self, Format::Text | Format::Json | Format::Canonical)
    }

    /// The word for its records, in the plural.
    pub fn records(self) -> &'static str {
        if self.has_spans() { "spans" } else { "lines" }
    }
}

/// The names of the wanted fields. The index of a name is the slot of its value in a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    names: Vec<String>,
}

impl Fields {
    /// The slot of a field, which is added if it is new.
    pub fn slot(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The slot of a field, if it is among the wanted ones.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// The names in the order of their slots.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Settings of a reader.
#[derive(Debug, Clone)]
pub struct Options {
    /// The longest record that is kept in memory, in bytes.
    pub longest: usize,
    /// The byte between the columns of [`Format::Csv`].
    pub separator: u8,
    /// The names of the columns of a CSV file without a line of names.
    pub columns: Vec<String>,
    /// The pattern of [`Format::Shiviz`], with groups `host`, `clock` and `event`.
    pub pattern: Option<regex::bytes::Regex>,
    /// The pattern for lines between the executions of [`Format::Shiviz`], whose group `trace` is the
    /// name of the next one.
    pub delimiter: Option<regex::bytes::Regex>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            longest: LONGEST,
            separator: b',',
            columns: Vec::new(),
            pattern: None,
            delimiter: None,
        }
    }
}

/// The default for [`Options::longest`]. Longer lines are almost certainly not log lines.
pub const LONGEST: usize = 64 << 20;

/// One finding of a reader.
#[derive(Debug)]
pub enum Item<'r> {
    /// A line, row or span to be mapped.
    Record(Record<'r>),
    /// An empty line, or a line that belongs to the format itself, such as a header.
    Blank,
    /// A part of the file that cannot be read.
    Fault(Fault),
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct At {
    /// The line, from 1.
    pub line: u32,
    /// The offset of its first byte in the unpacked file.
    pub offset: u64,
}

impl At {
    fn advance(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        self.line = self.line.saturating_add(lines::line_ends(bytes));
    }
}

/// One line, row or span.
#[derive(Debug, Clone, Copy)]
pub struct Record<'r> {
    /// The position of the first byte of the record.
    pub at: At,
    /// The bytes of the record.
    pub bytes: &'r [u8],
    /// The text that the ranges of its fields refer to: its bytes, or a text that contains them.
    base: &'r [u8],
    slots: &'r [Slot],
    /// The values that do not occur in `base` literally.
    scratch: &'r [u8],
    /// The span, if the format has spans.
    pub span: Option<&'r Span>,
    /// Whether bytes that are not UTF-8 were replaced by U+FFFD.
    pub repaired: bool,
    /// The slot of a field that the record has twice.
    pub(crate) repeated: Option<usize>,
}

impl<'r> Record<'r> {
    /// The value of the field with a slot, if the record has it.
    #[inline]
    pub fn field(&self, slot: usize) -> Option<&'r [u8]> {
        let slot = self.slots.get(slot)?;
        let range = slot.start as usize..slot.end as usize;
        match slot.held {
            Held::Absent => None,
            Held::Bytes => self.base.get(range),
            Held::Scratch => self.scratch.get(range),
        }
    }
}

impl Record<'_> {
    /// Whether the value of a field of JSON stands in quotes.
    pub(crate) fn is_quoted(&self, slot: usize) -> bool {
        self.slots.get(slot).is_some_and(|slot| match slot.held {
            Held::Absent => false,
            Held::Bytes => {
                let before = (slot.start as usize).checked_sub(1);
                before.and_then(|before| self.base.get(before)) == Some(&b'"')
            }
            Held::Scratch => true,
        })
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot {
    start: u32,
    end: u32,
    held: Held,
}

#[derive(Debug, Clone, Copy, Default)]
enum Held {
    #[default]
    Absent,
    /// In the text that contains the record.
    Bytes,
    /// In the reader's scratch memory.
    Scratch,
}

/// The fields of the current record. Its memory is reused for every record.
#[derive(Debug, Default)]
pub(crate) struct FoundFields {
    pub(crate) slots: Vec<Slot>,
    pub(crate) scratch: Vec<u8>,
    /// A field that the record has twice. The last value counts, as in most readers of JSON.
    repeated: Option<usize>,
}

impl FoundFields {
    fn new(count: usize) -> Self {
        FoundFields { slots: vec![Slot::default(); count], ..FoundFields::default() }
    }

    #[inline]
    fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.scratch.clear();
        self.repeated = None;
    }

    #[inline]
    fn set(&mut self, slot: usize, range: std::ops::Range<usize>) {
        self.hold(slot, range, Held::Bytes);
    }

    /// Sets a field to the part of the scratch memory from an earlier length to the end.
    fn set_scratch(&mut self, slot: usize, from: usize) {
        self.hold(slot, from..self.scratch.len(), Held::Scratch);
    }

    #[inline]
    fn hold(&mut self, slot: usize, range: std::ops::Range<usize>, held: Held) {
        if let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) {
            self.slots[slot] = Slot { start, end, held };
        }
    }

    fn copy(&mut self, slot: usize, bytes: &[u8]) {
        let from = self.scratch.len();
        self.scratch.extend_from_slice(bytes);
        self.set_scratch(slot, from);
    }

    fn record<'r>(&'r self, at: At, bytes: &'r [u8]) -> Record<'r> {
        Record {
            at,
            bytes,
            base: bytes,
            slots: &self.slots,
            scratch: &self.scratch,
            span: None,
            repaired: false,
            repeated: self.repeated,
        }
    }
}

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The position of the part in the file.
    pub at: At,
    /// The cause.
    pub kind: FaultKind,
}

/// The reason why a part of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// The record is longer than [`Options::longest`]; with its length.
    TooLong(u64),
    /// The record is not JSON: the cause, and the byte of the record.
    NotJson(&'static str, usize),
    /// The record is JSON, but no part of it belongs to the format; with its keys.
    NothingUsed(Vec<String>),
    /// The text does not follow the format; with the cause.
    NotOfFormat(String),
    /// The file is in another encoding than UTF-8; with its name.
    Encoding(&'static str),
    /// The stream ended in an error, of the disk or of a damaged packed file.
    Stream(String),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::TooLong(length) => {
                write!(f, "it has {length} bytes, more than a record may have")
            }
            FaultKind::NotJson(cause, at) => write!(f, "it is not JSON: {cause} at byte {at}"),
            FaultKind::NothingUsed(keys) => {
                write!(f, "nothing is used of what has the keys `{}`", keys.join("`, `"))
            }
            FaultKind::NotOfFormat(cause) => f.write_str(cause),
            FaultKind::Encoding(name) => write!(f, "the file is {name}, not UTF-8"),
            FaultKind::Stream(cause) => write!(f, "the file cannot be read on: {cause}"),
        }
    }
}

/// The amount of a file that was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The number of bytes, unpacked.
    pub bytes: u64,
    /// The number of lines.
    pub lines: u64,
}

/// The visitor of a reader's items; a break ends the reading.
pub type Visit<'v> = dyn FnMut(Item<'_>) -> ControlFlow<()> + 'v;

/// The arguments of [`read`], for the reader of one format.
struct ReadTask<'t, 'i, 'v> {
    lines: &'t mut Lines<'i>,
    fields: &'t Fields,
    options: &'t Options,
    visit: &'t mut Visit<'v>,
}

/// Reads an unpacked stream to its end.
///
/// ```
/// use std::ops::ControlFlow;
/// use otus_trace::read::{self, Fields, Format, Item, Options};
///
/// let mut fields = Fields::default();
/// let user = fields.slot("user.name");
/// let log = br#"{"level": "info", "user": {"id": 7, "name": "ada"}}"#;
/// let mut names = Vec::new();
/// read::read(Format::Json, &mut &log[..], &fields, &Options::default(), &mut |item| {
///     if let Item::Record(record) = item {
///         names.push((record.at.line, record.field(user).map(<[u8]>::to_vec)));
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(names, [(1, Some(b"ada".to_vec()))]);
/// ```
pub fn read(
    format: Format,
    input: &mut dyn Read,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut lines = Lines::new(input, options.longest);
    read_on(format, Reading::Lines(&mut lines), fields, options, visit)
}

/// What is read.
pub(crate) enum Reading<'t, 'i> {
    /// A stream, from its first line that was not read yet.
    Lines(&'t mut Lines<'i>),
    /// Some whole lines of a stream, and the position of the first.
    Block(At, Vec<u8>),
}

/// Reads a stream, or a part of it. Not every format has parts ([`Format::has_parts`]).
pub(crate) fn read_on(
    format: Format,
    reading: Reading<'_, '_>,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    match reading {
        Reading::Lines(lines) => read_lines(format, lines, fields, options, visit),
        Reading::Block(at, bytes) => {
            let mut nothing = std::io::empty();
            let mut lines = Lines::of_block(&mut nothing, at, bytes, options.longest);
            read_lines(format, &mut lines, fields, options, visit)
        }
    }
}

fn read_lines(
    format: Format,
    lines: &mut Lines<'_>,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let task = ReadTask { lines: &mut *lines, fields, options, visit };
    // If the visitor breaks, the reading ends; the result needs no other treatment.
    let _ = match format {
        Format::Text => lines::read(task),
        Format::Json | Format::Canonical => json_lines::read(task),
        Format::Csv => csv::read(task),
        Format::Otlp => otlp::read(task),
        Format::Jaeger => jaeger::read(task),
        Format::Zipkin => zipkin::read(task),
        Format::Shiviz => shiviz::read(task),
        Format::Htf => htf::read(task),
    };
    lines.extent()
}
