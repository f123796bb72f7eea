//! Reads a file of events.
//!
//! A file has groups of rows, in each of which a column stands in one piece. The columns of a group are read side by side, some
//! thousand rows at a time; columns that say nothing about an event are not read at all.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use otus_syntax::suggest::did_you_mean;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use super::column::{Borrowed, Cells, Column, Meaning, type_name};
use super::{Parts, damaged, open, unreadable};
use crate::error::{Error, Result, unfit};
use crate::files::Files;
use crate::guard::guarded;
use crate::table::{Batch, ColumnNames, Role, Scope, TableColumns};

/// The number of rows that are read at a time.
const ROWS: usize = 1 << 14;

/// A file of events, of which the end with its description has been read.
pub(crate) struct EventFile {
    name: String,
    reader: SerializedFileReader<Parts>,
    /// The columns that are read.
    columns: Vec<Chosen>,
}

/// Some rows of a file.
#[derive(Debug)]
pub(crate) struct EventRows {
    /// The number of rows before them.
    first: usize,
    /// By chosen column.
    columns: Vec<Cells>,
}

/// A column that says something about events.
#[derive(Debug, Clone)]
struct Chosen {
    says: Says,
    /// Its index in the file, and its name.
    index: usize,
    name: String,
    meaning: Meaning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Says {
    Role(Role),
    /// The value of a field.
    Field(String),
}

impl EventFile {
    /// Reads the description of a file, and finds its columns: those with a role, and those of the fields that guards name.
    ///
    /// # Errors
    /// If it cannot be read, lacks a column, or has one of a type that does not fit.
    pub(crate) fn open(
        files: &Arc<dyn Files>,
        path: &Path,
        columns: &TableColumns,
        scope: &Scope,
    ) -> Result<EventFile> {
        let (name, reader) = open(files, path)?;
        let mut file = EventFile { name, reader, columns: Vec::new() };
        for role in Role::ALL {
            // Only guards compare times. Other tables may have a column of this name that is something else.
            if role != Role::Time || scope.has_values() || columns.named(role).is_some() {
                file.choose(role, columns)?;
            }
        }
        for field in scope.fields() {
            if let Some(index) = file.find(field) {
                file.take(Says::Field(field.clone()), index)?;
            }
        }
        Ok(file)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name of the column by which events are ordered.
    pub(crate) fn order(&self) -> Option<&str> {
        self.order_column().map(|it| it.name.as_str())
    }

    fn order_column(&self) -> Option<&Chosen> {
        self.columns.iter().find(|it| it.says == Says::Role(Role::Order))
    }

    /// Makes sure that the events of both files can be brought into one order.
    ///
    /// # Errors
    /// If they are ordered by different columns, or by numbers here and by times there.
    pub(crate) fn require_same_order(&self, other: &EventFile) -> Result<()> {
        let by = |file: &EventFile| match file.order_column() {
            None => "the order of its rows".to_owned(),
            Some(Chosen { name, meaning, .. }) => {
                let what = if matches!(meaning, Meaning::Time(_)) { "times" } else { "numbers" };
                format!("column `{name}` ({what})")
            }
        };
        let (own, others) = (by(self), by(other));
        if own != others {
            unfit!(
                "{} orders events by {own}, {} by {others}; the events of a run may be in both, so give both the same \
                 column, and name it with `--columns order=…`",
                self.name,
                other.name
            );
        }
        Ok(())
    }

    /// The names of its columns, for messages.
    pub(crate) fn names(&self) -> ColumnNames {
        let mut names = ColumnNames { order: "row".to_owned(), ..ColumnNames::default() };
        for Chosen { says, name, .. } in &self.columns {
            let place = match says {
                Says::Role(Role::Run) => &mut names.run,
                Says::Role(Role::Lifeline) => &mut names.lifeline,
                Says::Role(Role::Action) => &mut names.action,
                Says::Role(Role::Order) => &mut names.order,
                Says::Role(Role::Time) => &mut names.time,
                Says::Role(Role::Peer) | Says::Field(_) => continue,
            };
            place.clone_from(name);
        }
        names
    }

    /// The number of groups of rows, each of which can be read by itself.
    pub(crate) fn groups(&self) -> usize {
        self.reader.metadata().num_row_groups()
    }

    /// Reads the rows of a group, in order, until `each` says that no more are wanted.
    ///
    /// # Errors
    /// If the file is damaged.
    pub(crate) fn read(
        &self,
        group: usize,
        each: &mut dyn FnMut(EventRows) -> ControlFlow<()>,
    ) -> Result<()> {
        let read = guarded(|| self.read_unguarded(group, each));
        read.unwrap_or_else(|reason| Err(damaged(&self.name, &reason)))
    }

    fn read_unguarded(
        &self,
        group: usize,
        each: &mut dyn FnMut(EventRows) -> ControlFlow<()>,
    ) -> Result<()> {
        let faulty = |error: &ParquetError| unreadable(&self.name, error);
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let rows = |group| {
            let rows = self.reader.metadata().row_group(group).num_rows();
            usize::try_from(rows).unwrap_or_default()
        };
        let mut first: usize = (0..group).map(rows).sum();
        let mut left = rows(group);
        let group = self.reader.get_row_group(group).map_err(|error| faulty(&error))?;
        let mut readers = Vec::with_capacity(self.columns.len());
        for Chosen { index, .. } in &self.columns {
            let reader = group.get_column_reader(*index).map_err(|error| faulty(&error))?;
            readers.push(Column::new(reader, &schema.column(*index)));
        }
        while left > 0 {
            let rows = left.min(ROWS);
            let mut columns = Vec::with_capacity(readers.len());
            for (reader, Chosen { name, meaning, .. }) in readers.iter_mut().zip(&self.columns) {
                let cells = reader.read(rows).map_err(|error| faulty(&error))?;
                // The number of rows is told twice, and a damaged file may contradict itself.
                if cells.len() != rows {
                    let reason = format!("column `{name}` ends before its last row");
                    return Err(damaged(&self.name, &reason));
                }
                columns.push(match meaning {
                    Meaning::Time(unit) => self.nanoseconds(name, cells, *unit)?,
                    Meaning::Text | Meaning::Integer | Meaning::Number | Meaning::Boolean => cells,
                    Meaning::Nothing | Meaning::Other => cells,
                });
            }
            if each(EventRows { first, columns }).is_break() {
                return Ok(());
            }
            left -= rows;
            first += rows;
        }
        Ok(())
    }

    /// Gives rows of this file as a batch of a table.
    ///
    /// # Errors
    /// If a text is not UTF-8, and the errors of `each`.
    pub(crate) fn batch(
        &self,
        EventRows { first, columns: cells }: &EventRows,
        each: &mut dyn FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut borrowed = Vec::with_capacity(cells.len());
        for (cells, Chosen { name, .. }) in cells.iter().zip(&self.columns) {
            let borrow = cells.borrowed().map_err(|row| {
                let row = first + row + 1;
                Error::Unfit(format!(
                    "{}, row {row}: column `{name}` has bytes that are not text (UTF-8); write it as text",
                    self.name
                ))
            });
            borrowed.push(borrow?);
        }
        let of = |role: Role| self.columns.iter().position(|it| it.says == Says::Role(role));
        let names = |role: Role| of(role).and_then(|index| borrowed[index].names());
        let integers = |role: Role| of(role).and_then(|index| cells[index].integers());
        let required = |role: Role| names(role).ok_or_else(|| self.lacks(role));
        let fields = self.columns.iter().zip(&borrowed);
        let values: Vec<_> = fields
            .filter_map(|(column, cells): (&Chosen, &Borrowed<'_>)| match &column.says {
                Says::Field(field) => Some((field.as_str(), cells.values())),
                Says::Role(_) => None,
            })
            .collect();
        let (run, lifeline) = (required(Role::Run)?, required(Role::Lifeline)?);
        each(&Batch {
            peer: names(Role::Peer),
            order: integers(Role::Order),
            time: integers(Role::Time),
            values: &values,
            ..Batch::new(run, lifeline, required(Role::Action)?)
        })
    }

    /// Times in nanoseconds, whatever their unit in the file is.
    fn nanoseconds(&self, name: &str, cells: Cells, unit: i64) -> Result<Cells> {
        let Cells::Integers(mut times) = cells else { return Ok(cells) };
        for time in times.iter_mut().flatten() {
            let Some(nanoseconds) = time.checked_mul(unit) else {
                unfit!(
                    "{}: column `{name}`: a time is more than 292 years away from 1970; correct it, or leave out its row",
                    self.name
                );
            };
            *time = nanoseconds;
        }
        Ok(Cells::Integers(times))
    }

    /// The index of a column.
    fn find(&self, name: &str) -> Option<usize> {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        columns.iter().position(|column| column.path().string() == name)
    }

    /// Chooses the column of a role.
    fn choose(&mut self, role: Role, columns: &TableColumns) -> Result<()> {
        let found = match columns.named(role) {
            Some(name) => Some(self.find(name).ok_or_else(|| self.lacks_named(role, name))?),
            None => {
                let found = self.find(role.name());
                found.or_else(|| self.find(role.other_name()?))
            }
        };
        match found {
            Some(index) => self.take(Says::Role(role), index),
            None if role.is_required() => Err(self.lacks(role)),
            None => Ok(()),
        }
    }

    /// Takes a column, if its type fits.
    fn take(&mut self, says: Says, index: usize) -> Result<()> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let descriptor = schema.column(index);
        let (name, meaning) = (descriptor.path().string(), Meaning::of(&descriptor));
        let (fits, wanted) = match &says {
            Says::Role(Role::Run) => (
                matches!(meaning, Meaning::Text | Meaning::Integer | Meaning::Nothing),
                "it must have texts or whole numbers",
            ),
            Says::Role(Role::Lifeline | Role::Action | Role::Peer) => {
                (matches!(meaning, Meaning::Text | Meaning::Nothing), "it must have texts")
            }
            Says::Role(Role::Order) => (
                matches!(meaning, Meaning::Integer | Meaning::Time(_) | Meaning::Nothing),
                "an order is whole numbers, or times",
            ),
            Says::Role(Role::Time) => {
                (matches!(meaning, Meaning::Time(_) | Meaning::Nothing), "it must have time stamps")
            }
            Says::Field(_) => (
                !matches!(meaning, Meaning::Other | Meaning::Time(_)),
                "values are numbers, texts or truth values",
            ),
        };
        if !fits {
            let told = type_name(&descriptor);
            unfit!("{}: column `{name}` has type {told}; {wanted}: cast it", self.name);
        }
        self.columns.push(Chosen { says, index, name, meaning });
        Ok(())
    }

    fn lacks(&self, role: Role) -> Error {
        let (name, meaning) = (role.name(), role.meaning());
        Error::Unfit(format!(
            "{} has no column `{name}` ({meaning}); {}; name the column with `--columns {name}=…`",
            self.name,
            self.has()
        ))
    }

    fn lacks_named(&self, role: Role, name: &str) -> Error {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        let all: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
        let help = did_you_mean(name, all.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| self.has());
        Error::Unfit(format!("{} has no column `{name}` for {}; {help}", self.name, role.meaning()))
    }

    /// The columns of the file, in words.
    fn has(&self) -> String {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        let names = columns.iter().take(12).map(|column| format!("`{}`", column.path().string()));
        let names = names.collect::<Vec<_>>().join(", ");
        format!("it has {names}{}", if columns.len() > 12 { ", …" } else { "" })
    }
}
