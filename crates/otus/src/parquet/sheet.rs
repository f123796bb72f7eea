//! Writes tables of texts and counts: the rows of a group are collected by columns and then written at once.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// The rows of a group, and the bytes of texts in them, at which it is written.
const ROWS: usize = 1 << 17;
const BYTES: usize = 64 << 20;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// Texts or nulls.
    OptionalText,
    Count,
}

impl Kind {
    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Text | Kind::OptionalText => "texts",
            Kind::Count => "whole numbers",
        }
    }
}

/// The name of a column and what it has.
pub(super) type Named = (&'static str, Kind);

/// A cell.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Null,
    Count(u64),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text)
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Cell::Null, Cell::Text)
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

/// A table that is being written.
pub(super) struct Sheet {
    name: &'static str,
    columns: Vec<Column>,
    file: Option<SerializedFileWriter<Vec<u8>>>,
    rows: usize,
    bytes: usize,
}

/// The cells of a column that are not written yet.
struct Column {
    name: &'static str,
    kind: Kind,
    texts: Vec<ByteArray>,
    /// Whether each row has a text.
    levels: Vec<i16>,
    counts: Vec<i64>,
}

impl Sheet {
    pub(super) fn new(name: &'static str, columns: &[Named]) -> Sheet {
        let column = |&(name, kind): &Named| {
            let (texts, levels, counts) = (Vec::new(), Vec::new(), Vec::new());
            Column { name, kind, texts, levels, counts }
        };
        Sheet { name, columns: columns.iter().map(column).collect(), file: None, rows: 0, bytes: 0 }
    }

    /// Writes the beginning of the file.
    pub(super) fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = self.schema().map_err(io_error)?;
        let file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties));
        self.file = Some(file.map_err(io_error)?);
        self.pass_on(out)
    }

    /// Adds a row, with a cell for each column.
    pub(super) fn push(&mut self, row: &[Cell<'_>], out: &mut dyn Write) -> io::Result<()> {
        debug_assert_eq!(row.len(), self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(row) {
            match (column.kind, *cell) {
                (Kind::Count, Cell::Count(count)) => {
                    column.counts.push(i64::try_from(count).unwrap_or(i64::MAX));
                }
                (Kind::Count, Cell::Text(_) | Cell::Null) => column.counts.push(0),
                (Kind::Text, Cell::Text(text)) => column.texts.push(text.into()),
                (Kind::Text, Cell::Null | Cell::Count(_)) => column.texts.push("".into()),
                (Kind::OptionalText, Cell::Text(text)) => {
                    column.levels.push(1);
                    column.texts.push(text.into());
                }
                (Kind::OptionalText, Cell::Null | Cell::Count(_)) => column.levels.push(0),
            }
            if let Cell::Text(text) = cell {
                self.bytes += text.len();
            }
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.write_rows(out) } else { Ok(()) }
    }

    /// Writes the rest of the file.
    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_rows(out)?;
        match self.file.take() {
            Some(file) => out.write_all(&file.into_inner().map_err(io_error)?),
            None => Ok(()),
        }
    }

    /// Writes the rows so far as a group.
    fn write_rows(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| self.rows > 0) else { return Ok(()) };
        let mut group = file.next_row_group().map_err(io_error)?;
        for Column { kind, texts, levels, counts, .. } in &mut self.columns {
            let Some(mut column) = group.next_column().map_err(io_error)? else { break };
            match kind {
                Kind::Count => column.typed::<Int64Type>().write_batch(counts, None, None),
                Kind::Text => column.typed::<ByteArrayType>().write_batch(texts, None, None),
                Kind::OptionalText => {
                    column.typed::<ByteArrayType>().write_batch(texts, Some(levels), None)
                }
            }
            .map_err(io_error)?;
            column.close().map_err(io_error)?;
            texts.clear();
            levels.clear();
            counts.clear();
        }
        group.close().map_err(io_error)?;
        (self.rows, self.bytes) = (0, 0);
        self.pass_on(out)
    }

    /// Passes the bytes on that are written so far.
    fn pass_on(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        out.write_all(&std::mem::take(file.inner_mut()))
    }

    fn schema(&self) -> Result<Arc<Type>, ParquetError> {
        let column = |Column { name, kind, .. }: &Column| {
            let (physical, repetition) = match kind {
                Kind::Count => (Physical::INT64, Repetition::REQUIRED),
                Kind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
                Kind::OptionalText => (Physical::BYTE_ARRAY, Repetition::OPTIONAL),
            };
            let logical = (*kind != Kind::Count).then_some(LogicalType::String);
            let column = Type::primitive_type_builder(name, physical);
            column.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
        };
        let columns = self.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        Ok(Arc::new(Type::group_type_builder(self.name).with_fields(columns).build()?))
    }
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
