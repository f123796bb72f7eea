//! Readers: from the bytes of a log to records that know their file and line.
//!
//! A reader is a function from a stream to a sequence of [`Item`]s, pushed one at a time to whoever
//! asked. A [`Record`] is a view into the reader's buffer: the bytes of one line (or of one span),
//! where it stands, and the few *fields* that somebody wants to know, found in one pass. What is
//! not asked for is skipped and never copied, which is why a reader is given its [`Fields`] first.
//!
//! Invariants:
//! - whatever is in the file ends up in an item: a record, a blank, or a [`Fault`] that says why not;
//! - memory is one buffer, as long as the longest record up to [`Options::longest`]; a longer
//!   one is a fault and is passed over without being kept;
//! - nothing recurses on the depth of the input, and no input panics.
//!
//! gzip and zstd are recognised by their first bytes ([`unpack`]). Only streams are read here: to
//! open files is the caller's business.

pub mod canonical;
mod csv;
mod detect;
mod documents;
mod htf;
mod jaeger;
pub mod json;
mod lines;
mod otlp;
mod shiviz;
mod spans;
mod unpack;
mod zipkin;

use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;

pub use detect::{detect, encoding};
pub(crate) use shiviz::anchored;
pub use spans::{Span, SpanKind};
pub use unpack::{Packing, unpack};

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Lines of text, taken apart by regular expressions.
    Text,
    /// A JSON object on each line; fields are dotted paths.
    Json,
    /// Comma-separated values with a line of column names.
    Csv,
    /// OpenTelemetry's OTLP as JSON: lines of a file exporter, or one document.
    Otlp,
    /// Traces as Jaeger's query service returns them.
    Jaeger,
    /// Spans of Zipkin's second version.
    Zipkin,
    /// Hosts, vector clocks and events, in the form that ShiViz reads.
    Shiviz,
    /// A multi-trace of our own.
    Htf,
    /// Our canonical JSON lines ([`canonical`]).
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

    /// Its name in `otus.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "regex",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Otlp => "otlp",
            Format::Jaeger => "jaeger",
            Format::Zipkin => "zipkin",
            Format::Shiviz => "shiviz",
            Format::Htf => "htf",
            Format::Canonical => "otus",
        }
    }

    /// The format with a name; `text` and `jsonl` are understood too.
    pub fn from_name(name: &str) -> Option<Format> {
        let other = match name {
            "text" => Some(Format::Text),
            "jsonl" | "ndjson" => Some(Format::Json),
            "opentelemetry" => Some(Format::Otlp),
            _ => None,
        };
        other.or_else(|| Format::ALL.into_iter().find(|format| format.name() == name))
    }

    /// Whether its records are spans, which are a start and an end.
    pub fn has_spans(self) -> bool {
        match self {
            Format::Otlp | Format::Jaeger | Format::Zipkin => true,
            Format::Text
            | Format::Json
            | Format::Csv
            | Format::Shiviz
            | Format::Htf
            | Format::Canonical => false,
        }
    }

    /// What one record of it is called, in the plural.
    pub fn records(self) -> &'static str {
        if self.has_spans() { "spans" } else { "lines" }
    }
}

/// The names of the fields that somebody wants to know; their numbers are slots of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    names: Vec<String>,
}

impl Fields {
    /// The slot of a field, new or known.
    pub fn slot(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The slot of a field that is wanted already.
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
}

impl Default for Options {
    fn default() -> Self {
        Options { longest: LONGEST, separator: b',', columns: Vec::new(), pattern: None }
    }
}

/// The longest record by default. A 100 MB line is no log line but an accident.
pub const LONGEST: usize = 64 << 20;

/// What a reader finds.
#[derive(Debug)]
pub enum Item<'r> {
    /// Something to be mapped.
    Record(Record<'r>),
    /// A line without anything on it, or one that only the format needs.
    Blank,
    /// Something that cannot be read.
    Fault(Fault),
}

/// Where something stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct At {
    /// The line, from 1.
    pub line: u32,
    /// The offset of its first byte in the unpacked file.
    pub offset: u64,
}

/// One line, row or span.
#[derive(Debug, Clone, Copy)]
pub struct Record<'r> {
    /// Where it begins.
    pub at: At,
    /// All of it.
    pub bytes: &'r [u8],
    /// What the ranges of its fields refer to: the bytes, or a text that they are a part of.
    base: &'r [u8],
    /// Its fields.
    slots: &'r [Slot],
    /// Fields that do not stand in the bytes as they are.
    scratch: &'r [u8],
    /// What it says as a span.
    pub span: Option<&'r Span>,
    /// Whether bytes that are not UTF-8 were replaced by U+FFFD.
    pub repaired: bool,
}

impl<'r> Record<'r> {
    /// The field of a slot, if the record has it.
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

/// Where the value of a field is.
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
    /// In the text that the record is a part of.
    Bytes,
    /// In the reader's scratch memory.
    Scratch,
}

/// The fields of the record that is being read, in memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) slots: Vec<Slot>,
    pub(crate) scratch: Vec<u8>,
}

impl Found {
    fn new(count: usize) -> Self {
        Found { slots: vec![Slot::default(); count], scratch: Vec::new() }
    }

    /// Forgets the last record.
    #[inline]
    fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.scratch.clear();
    }

    /// A field that stands in the bytes.
    #[inline]
    fn set(&mut self, slot: usize, range: std::ops::Range<usize>) {
        let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else {
            return;
        };
        self.slots[slot] = Slot { start, end, held: Held::Bytes };
    }

    /// A field that is made: the bytes from an earlier length of the scratch memory on.
    fn set_scratch(&mut self, slot: usize, from: usize) {
        let (Ok(start), Ok(end)) = (u32::try_from(from), u32::try_from(self.scratch.len())) else {
            return;
        };
        self.slots[slot] = Slot { start, end, held: Held::Scratch };
    }

    /// A field that is made of these bytes.
    fn copy(&mut self, slot: usize, bytes: &[u8]) {
        let from = self.scratch.len();
        self.scratch.extend_from_slice(bytes);
        self.set_scratch(slot, from);
    }

    fn record<'r>(&'r self, at: At, bytes: &'r [u8], span: Option<&'r Span>) -> Record<'r> {
        Record {
            at,
            bytes,
            base: bytes,
            slots: &self.slots,
            scratch: &self.scratch,
            span,
            repaired: false,
        }
    }
}

/// Something in a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: At,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// Why something cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A record longer than is kept in memory, with its length.
    TooLong(u64),
    /// It is not JSON: what is wrong, and at which byte of the record.
    NotJson(&'static str, usize),
    /// It is JSON, but not of the format.
    NotOfFormat(String),
    /// Bytes that no text in UTF-8 has; the whole file is meant.
    Encoding(&'static str),
    /// The stream ended in an error: the disk, or a packed file that is damaged or cut.
    Stream(String),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::TooLong(length) => {
                write!(f, "it has {length} bytes, more than a record may have")
            }
            FaultKind::NotJson(cause, at) => write!(f, "it is not JSON: {cause} at byte {at}"),
            FaultKind::NotOfFormat(cause) => f.write_str(cause),
            FaultKind::Encoding(name) => write!(f, "the file is {name}, not UTF-8"),
            FaultKind::Stream(cause) => write!(f, "the file cannot be read on: {cause}"),
        }
    }
}

/// How far a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes, unpacked.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
}

/// Takes what a reader finds; a break ends the reading.
pub type Visit<'v> = dyn FnMut(Item<'_>) -> ControlFlow<()> + 'v;

/// Reads a stream, which is not packed, to its end.
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
    match format {
        Format::Text => lines::read(input, fields, options, visit),
        Format::Json | Format::Canonical => json::read(input, fields, options, visit),
        Format::Csv => csv::read(input, fields, options, visit),
        Format::Otlp => otlp::read(input, fields, options, visit),
        Format::Jaeger => jaeger::read(input, fields, options, visit),
        Format::Zipkin => zipkin::read(input, fields, options, visit),
        Format::Shiviz => shiviz::read(input, fields, options, visit),
        Format::Htf => htf::read(input, fields, options, visit),
    }
}
