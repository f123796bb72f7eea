//! Writes tables of events as Parquet, in the ways that a reader must understand.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// A column: its name and its cells.
pub(crate) type Column = (&'static str, Cells);

/// The cells of a column. `None` is a null.
#[derive(Debug, Clone)]
pub(crate) enum Cells {
    Texts(Vec<Option<String>>),
    /// Bytes that need not be text, in a column that is said to be text.
    Bytes(Vec<Option<Vec<u8>>>),
    Integers(Vec<Option<i64>>),
    Small(Vec<Option<i32>>),
    /// Microseconds since 1970.
    Times(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Flags(Vec<Option<bool>>),
}

/// How a table is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) rows_in_group: usize,
    pub(crate) rows_in_page: usize,
    pub(crate) has_dictionaries: bool,
    pub(crate) is_version_2: bool,
    pub(crate) compression: Compression,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            rows_in_group: 1 << 20,
            rows_in_page: 1 << 20,
            has_dictionaries: true,
            is_version_2: false,
            compression: Compression::SNAPPY,
        }
    }
}

/// The file of a table.
pub(crate) fn table(columns: &[Column], layout: &Layout) -> Vec<u8> {
    let version =
        if layout.is_version_2 { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(layout.compression)
        .set_dictionary_enabled(layout.has_dictionaries)
        .set_data_page_row_count_limit(layout.rows_in_page)
        .set_write_batch_size(layout.rows_in_page)
        .build();
    let fields = columns.iter().map(|(name, cells)| Arc::new(described(name, cells))).collect();
    let schema = Type::group_type_builder("events").with_fields(fields).build().unwrap();
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let count = columns.first().map_or(0, |(_, cells)| length(cells));
    for start in (0..count).step_by(layout.rows_in_group) {
        let end = count.min(start + layout.rows_in_group);
        let mut group = file.next_row_group().unwrap();
        for (_, cells) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            macro_rules! write {
                ($kind:ty, $cells:expr, $value:expr) => {{
                    let cells = &$cells[start..end];
                    let levels: Vec<i16> = cells.iter().map(|it| i16::from(it.is_some())).collect();
                    let values: Vec<_> = cells.iter().flatten().map($value).collect();
                    column.typed::<$kind>().write_batch(&values, Some(&levels), None).unwrap();
                }};
            }
            match cells {
                Cells::Texts(all) => write!(ByteArrayType, all, |it| ByteArray::from(it.as_str())),
                Cells::Bytes(all) => write!(ByteArrayType, all, |it| ByteArray::from(it.clone())),
                Cells::Integers(all) | Cells::Times(all) => write!(Int64Type, all, |it| *it),
                Cells::Small(all) => write!(Int32Type, all, |it| *it),
                Cells::Numbers(all) => write!(DoubleType, all, |it| *it),
                Cells::Flags(all) => write!(BoolType, all, |it| *it),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    bytes
}

fn described(name: &str, cells: &Cells) -> Type {
    let (physical, logical) = match cells {
        Cells::Texts(_) | Cells::Bytes(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Cells::Integers(_) => (Physical::INT64, None),
        Cells::Small(_) => (Physical::INT32, None),
        Cells::Times(_) => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        Cells::Numbers(_) => (Physical::DOUBLE, None),
        Cells::Flags(_) => (Physical::BOOLEAN, None),
    };
    let column = Type::primitive_type_builder(name, physical);
    column.with_logical_type(logical).with_repetition(Repetition::OPTIONAL).build().unwrap()
}

fn length(cells: &Cells) -> usize {
    match cells {
        Cells::Texts(all) => all.len(),
        Cells::Bytes(all) => all.len(),
        Cells::Integers(all) | Cells::Times(all) => all.len(),
        Cells::Small(all) => all.len(),
        Cells::Numbers(all) => all.len(),
        Cells::Flags(all) => all.len(),
    }
}
