//! Reads result tables: those that Otus writes, and those of Python and of clusters with the same columns.
//!
//! The kind of a table follows from the names of its columns, so that the names of files do not matter. Other columns are
//! passed over.

use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use super::column::{Borrowed, Cells, Column, Meaning, type_name};
use super::findings::FindingsTable;
use super::sheet::{Kind, Named};
use super::{Parts, damaged, open, unreadable, verdicts};
use crate::error::{Result, unfit};
use crate::files::Files;
use crate::guard::guarded;
use crate::results::ResultTable;

/// The number of rows that are read at a time.
const ROWS: usize = 1 << 13;

/// A file with a table of results.
pub(crate) struct ResultFile {
    name: String,
    reader: SerializedFileReader<Parts>,
    pub(crate) table: ResultTable,
    /// By column of the table: its index in the file.
    columns: Vec<(usize, Kind)>,
}

/// A row of it: the cells of its columns in order, texts and counts apart.
#[derive(Debug, Default)]
pub(crate) struct ResultRow {
    pub(crate) texts: Vec<Option<String>>,
    pub(crate) counts: Vec<u64>,
}

fn columns(table: ResultTable) -> &'static [Named] {
    match table {
        ResultTable::Verdicts => &verdicts::COLUMNS,
        ResultTable::Totals => FindingsTable::Totals.columns(),
        ResultTable::Causes => FindingsTable::Causes.columns(),
        ResultTable::Sample => FindingsTable::Sample.columns(),
        ResultTable::Coverage => FindingsTable::Coverage.columns(),
    }
}

/// A sample has all columns of verdicts, and one more.
const BY_COLUMNS: [ResultTable; 5] = [
    ResultTable::Sample,
    ResultTable::Verdicts,
    ResultTable::Causes,
    ResultTable::Totals,
    ResultTable::Coverage,
];

impl ResultFile {
    /// Reads the description of a file.
    ///
    /// # Errors
    /// If it cannot be read, or is none of these tables.
    pub(crate) fn open(files: &Arc<dyn Files>, path: &Path) -> Result<ResultFile> {
        let (name, reader) = open(files, path)?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let index = |name: &str| schema.columns().iter().position(|it| it.path().string() == name);
        let has_all =
            |&table: &ResultTable| columns(table).iter().all(|(column, _)| index(column).is_some());
        let Some(table) = BY_COLUMNS.into_iter().find(has_all) else {
            let has =
                schema.columns().iter().take(12).map(|it| format!("`{}`", it.path().string()));
            unfit!(
                "{name} is no table of results: it has the columns {}; tables of results are written by `otus analyze \
                 --results NAME.parquet` (run, verdict, events, cause, headline, explanation) or `--results FOLDER/`",
                has.collect::<Vec<_>>().join(", ")
            );
        };
        let mut chosen = Vec::new();
        for &(column, kind) in columns(table) {
            let Some(at) = index(column) else { continue };
            let descriptor = schema.column(at);
            let meaning = Meaning::of(&descriptor);
            let fits = match kind {
                Kind::Count => meaning == Meaning::Integer,
                Kind::Text | Kind::OptionalText => {
                    matches!(meaning, Meaning::Text | Meaning::Nothing)
                        || column == "run" && meaning == Meaning::Integer
                }
            };
            if !fits {
                let (told, what) = (type_name(&descriptor), kind.name());
                unfit!("{name}: column `{column}` has type {told}; it must have {what}: cast it");
            }
            chosen.push((at, kind));
        }
        Ok(ResultFile { name, reader, table, columns: chosen })
    }

    /// Gives all rows.
    ///
    /// # Errors
    /// If the file is damaged, and the errors of `each`.
    pub(crate) fn each(&self, each: &mut dyn FnMut(ResultRow) -> Result<()>) -> Result<()> {
        for group in 0..self.reader.metadata().num_row_groups() {
            let read = guarded(|| self.group(group, each));
            read.unwrap_or_else(|reason| Err(damaged(&self.name, &reason)))?;
        }
        Ok(())
    }

    fn group(&self, group: usize, each: &mut dyn FnMut(ResultRow) -> Result<()>) -> Result<()> {
        let faulty = |error: &ParquetError| unreadable(&self.name, error);
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let rows = self.reader.metadata().row_group(group).num_rows();
        let mut left = usize::try_from(rows).unwrap_or_default();
        let group = self.reader.get_row_group(group).map_err(|error| faulty(&error))?;
        let mut readers = Vec::with_capacity(self.columns.len());
        for &(index, _) in &self.columns {
            let reader = group.get_column_reader(index).map_err(|error| faulty(&error))?;
            readers.push(Column::new(reader, &schema.column(index)));
        }
        while left > 0 {
            let count = left.min(ROWS);
            let cells = readers.iter_mut().map(|reader| reader.read(count));
            let cells = cells.collect::<std::result::Result<Vec<Cells>, _>>();
            let cells = cells.map_err(|error| faulty(&error))?;
            let mut borrowed = Vec::with_capacity(cells.len());
            for cells in &cells {
                let reason = "a text is not UTF-8";
                borrowed.push(cells.borrowed().map_err(|_| damaged(&self.name, reason))?);
                if cells.len() != count {
                    return Err(damaged(&self.name, "a column ends before its last row"));
                }
            }
            for row in 0..count {
                each(self.row(&borrowed, row))?;
            }
            left -= count;
        }
        Ok(())
    }

    fn row(&self, cells: &[Borrowed<'_>], row: usize) -> ResultRow {
        let mut found = ResultRow::default();
        for ((_, kind), cells) in self.columns.iter().zip(cells) {
            if *kind == Kind::Count {
                found.counts.push(cells.count(row));
            } else {
                found.texts.push(cells.text(row));
            }
        }
        found
    }
}
