//! One column of a file: what its types mean, and its cells as slices.
//!
//! A file says for each column how its cells are stored and, often, what they are: an integer of 64 bits may be a number of
//! microseconds since 1970. [`Meaning::of`] is the one place that reads this.

use std::fmt::Write as _;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescriptor;
use rustc_hash::FxHashMap;

use crate::table::{Texts, Values};

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Text,
    Integer,
    /// Points in time, of which so many nanoseconds are one.
    Time(i64),
    Number,
    Boolean,
    /// Nothing but nulls.
    Nothing,
    /// Something that events do not have: lists, blobs of a fixed length, decimals.
    Other,
}

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

impl Meaning {
    pub(super) fn of(column: &ColumnDescriptor) -> Meaning {
        if column.max_rep_level() > 0 {
            return Meaning::Other;
        }
        let logical = column.logical_type_ref();
        if logical == Some(&LogicalType::Unknown) {
            return Meaning::Nothing;
        }
        match column.physical_type() {
            Type::BOOLEAN => Meaning::Boolean,
            Type::FLOAT | Type::DOUBLE => Meaning::Number,
            Type::INT96 => Meaning::Time(1),
            Type::BYTE_ARRAY => match logical {
                None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) => {
                    Meaning::Text
                }
                Some(_) => Meaning::Other,
            },
            Type::INT32 | Type::INT64 => match (logical, column.converted_type()) {
                (Some(LogicalType::Timestamp(it)), _) => match it.unit {
                    TimeUnit::MILLIS => Meaning::Time(SECOND / 1_000),
                    TimeUnit::MICROS => Meaning::Time(SECOND / 1_000_000),
                    TimeUnit::NANOS => Meaning::Time(1),
                },
                (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Meaning::Time(DAY),
                (None, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Time(SECOND / 1_000),
                (None, ConvertedType::TIMESTAMP_MICROS) => Meaning::Time(SECOND / 1_000_000),
                (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => {
                    Meaning::Other
                }
                (Some(LogicalType::Time(_)), _)
                | (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => Meaning::Other,
                _ => Meaning::Integer,
            },
            Type::FIXED_LEN_BYTE_ARRAY if logical == Some(&LogicalType::Uuid) => Meaning::Text,
            Type::FIXED_LEN_BYTE_ARRAY => Meaning::Other,
        }
    }
}

/// The type of a column as people call it: `INT64 (Timestamp)`.
pub(super) fn type_name(column: &ColumnDescriptor) -> String {
    let physical = column.physical_type();
    if column.max_rep_level() > 0 {
        return format!("list of {physical}");
    }
    match column.logical_type_ref() {
        Some(logical) => {
            let text = format!("{logical:?}");
            let name = text.split(['(', ' ', '{']).next().unwrap_or_default();
            format!("{physical} ({name})")
        }
        None => physical.to_string(),
    }
}

/// The cells of some rows of a column. `None` is a null.
#[derive(Debug)]
pub(super) enum Cells {
    Texts(Dictionary),
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
}

/// Texts, each of which is kept once if it stands once in the file.
///
/// A writer puts the different texts of a column first and then their numbers; the reader gives the same piece of memory for
/// the same number, which is how equal texts are found without reading them.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    keys: Vec<Option<u32>>,
    texts: Vec<ByteArray>,
    by_place: FxHashMap<(usize, usize), u32>,
}

impl Dictionary {
    fn key(&mut self, text: ByteArray) -> Option<u32> {
        let bytes = text.data();
        let place = (bytes.as_ptr() as usize, bytes.len());
        if let Some(&known) = self.by_place.get(&place) {
            return Some(known);
        }
        let key = u32::try_from(self.texts.len()).ok()?;
        self.by_place.insert(place, key);
        self.texts.push(text);
        Some(key)
    }
}

/// A column as the table takes it, which borrows its cells.
#[derive(Debug)]
pub(super) enum Borrowed<'a> {
    Texts { keys: &'a [Option<u32>], texts: Vec<Option<&'a str>> },
    Integers(&'a [Option<i64>]),
    Numbers(&'a [Option<f64>]),
    Booleans(&'a [Option<bool>]),
}

impl Cells {
    /// The cells as the table takes them. The error is the number of the first row whose text is not UTF-8.
    pub(super) fn borrowed(&self) -> std::result::Result<Borrowed<'_>, usize> {
        Ok(match self {
            Cells::Texts(Dictionary { keys, texts, .. }) => {
                let mut all = Vec::with_capacity(texts.len());
                for (key, text) in texts.iter().enumerate() {
                    let text = std::str::from_utf8(text.data()).map_err(|_| {
                        let has_key = |it: &Option<u32>| it.is_some_and(|it| it as usize == key);
                        keys.iter().position(has_key).unwrap_or_default()
                    })?;
                    all.push(Some(text));
                }
                Borrowed::Texts { keys, texts: all }
            }
            Cells::Integers(all) => Borrowed::Integers(all),
            Cells::Numbers(all) => Borrowed::Numbers(all),
            Cells::Booleans(all) => Borrowed::Booleans(all),
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Texts(texts) => texts.keys.len(),
            Cells::Integers(all) => all.len(),
            Cells::Numbers(all) => all.len(),
            Cells::Booleans(all) => all.len(),
        }
    }

    pub(super) fn integers(&self) -> Option<&[Option<i64>]> {
        if let Cells::Integers(all) = self { Some(all) } else { None }
    }
}

impl Borrowed<'_> {
    /// The text of a cell; a number is written as one.
    pub(super) fn text(&self, row: usize) -> Option<String> {
        match self {
            Borrowed::Texts { keys, texts } => {
                let text = *texts.get(keys[row]? as usize)?;
                text.map(str::to_owned)
            }
            Borrowed::Integers(all) => all[row].map(|it| it.to_string()),
            Borrowed::Numbers(_) | Borrowed::Booleans(_) => None,
        }
    }

    /// A cell that counts something; a null counts nothing.
    pub(super) fn count(&self, row: usize) -> u64 {
        match self {
            Borrowed::Integers(all) => all[row].and_then(|it| u64::try_from(it).ok()).unwrap_or(0),
            Borrowed::Texts { .. } | Borrowed::Numbers(_) | Borrowed::Booleans(_) => 0,
        }
    }

    /// As names.
    pub(super) fn names(&self) -> Option<Texts<'_>> {
        match self {
            Borrowed::Texts { keys, texts } => Some(Texts::Keys { keys, texts }),
            Borrowed::Integers(all) => Some(Texts::Numbers(all)),
            Borrowed::Numbers(_) | Borrowed::Booleans(_) => None,
        }
    }

    /// As the values of a field.
    pub(super) fn values(&self) -> Values<'_> {
        match self {
            Borrowed::Texts { keys, texts } => Values::Texts(Texts::Keys { keys, texts }),
            Borrowed::Integers(all) => Values::Integers(all),
            Borrowed::Numbers(all) => Values::Numbers(all),
            Borrowed::Booleans(all) => Values::Booleans(all),
        }
    }
}

/// The reader of a column of one group of rows.
pub(super) struct Column {
    reader: ColumnReader,
    /// The level at which a cell is not null.
    full: i16,
    levels: Vec<i16>,
    /// Whether integers have no sign.
    is_unsigned: bool,
}

impl Column {
    pub(super) fn new(reader: ColumnReader, descriptor: &ColumnDescriptor) -> Column {
        let is_unsigned = match descriptor.logical_type_ref() {
            Some(LogicalType::Integer(it)) => !it.is_signed,
            _ => matches!(
                descriptor.converted_type(),
                ConvertedType::UINT_32 | ConvertedType::UINT_64
            ),
        };
        Column { reader, full: descriptor.max_def_level(), levels: Vec::new(), is_unsigned }
    }

    /// The next rows, at most so many.
    pub(super) fn read(&mut self, rows: usize) -> Result<Cells> {
        let Column { reader, full, levels, is_unsigned } = self;
        let mut take = Take { full: *full, levels, rows };
        let is_unsigned = *is_unsigned;
        Ok(match reader {
            ColumnReader::BoolColumnReader(it) => Cells::Booleans(take.cells(it, Some)?),
            ColumnReader::Int32ColumnReader(it) if is_unsigned => {
                Cells::Integers(take.cells(it, |it| Some(i64::from(it.cast_unsigned())))?)
            }
            ColumnReader::Int32ColumnReader(it) => {
                Cells::Integers(take.cells(it, |it| Some(i64::from(it)))?)
            }
            ColumnReader::Int64ColumnReader(it) if is_unsigned => {
                let all = take.cells(it, |it| Some(i64::try_from(it.cast_unsigned())))?;
                let all =
                    all.into_iter().map(Option::transpose).collect::<std::result::Result<_, _>>();
                let large = |_| ParquetError::General("a number is above 2^63 - 1".to_owned());
                Cells::Integers(all.map_err(large)?)
            }
            ColumnReader::Int64ColumnReader(it) => Cells::Integers(take.cells(it, Some)?),
            ColumnReader::Int96ColumnReader(it) => {
                let all = take.cells(it, |it: Int96| Some(nanoseconds(&it)))?;
                let all = all.into_iter().map(Option::transpose).collect::<Result<_>>();
                Cells::Integers(all?)
            }
            ColumnReader::FloatColumnReader(it) => {
                Cells::Numbers(take.cells(it, |it| Some(f64::from(it)))?)
            }
            ColumnReader::DoubleColumnReader(it) => Cells::Numbers(take.cells(it, Some)?),
            ColumnReader::ByteArrayColumnReader(it) => {
                let mut all = Dictionary::default();
                all.keys = take.cells(it, |text| all.key(text))?;
                all.by_place = FxHashMap::default();
                Cells::Texts(all)
            }
            // Only UUIDs are read of these.
            ColumnReader::FixedLenByteArrayColumnReader(it) => {
                let mut all = Dictionary::default();
                all.keys =
                    take.cells(it, |id| all.key(ByteArray::from(uuid(id.data()).as_str())))?;
                Cells::Texts(all)
            }
        })
    }
}

/// What is read of a column.
struct Take<'l> {
    full: i16,
    levels: &'l mut Vec<i16>,
    rows: usize,
}

impl Take<'_> {
    fn cells<T: DataType, V>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        mut value: impl FnMut(T::T) -> Option<V>,
    ) -> Result<Vec<Option<V>>> {
        let Take { full, levels, rows } = self;
        levels.clear();
        let mut values: Vec<T::T> = Vec::with_capacity(*rows);
        let mut read = 0;
        while read < *rows {
            let levels = (*full > 0).then_some(&mut **levels);
            let (records, _, _) = reader.read_records(*rows - read, levels, None, &mut values)?;
            if records == 0 {
                break;
            }
            read += records;
        }
        if *full == 0 {
            return Ok(values.into_iter().map(value).collect());
        }
        let mut values = values.into_iter();
        let cell = |level: &i16| if level == full { value(values.next()?) } else { None };
        Ok(levels.iter().map(cell).collect())
    }
}

/// The nanoseconds since 1970 of the old type of times: a Julian day and the nanoseconds in it.
fn nanoseconds(time: &Int96) -> Result<i64> {
    const DAY_OF_1970: i64 = 2_440_588;
    let &[low, high, day] = time.data() else { return Ok(0) };
    let within = i64::from(low) | i64::from(high) << 32;
    let days = i64::from(day) - DAY_OF_1970;
    let all = days.checked_mul(DAY).and_then(|days| days.checked_add(within));
    all.ok_or_else(|| {
        ParquetError::General("a time is more than 292 years away from 1970".to_owned())
    })
}

/// `550e8400-e29b-41d4-a716-446655440000`
fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
