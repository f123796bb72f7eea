//! Reads comma-separated values (RFC 4180) from a stream.
//!
//! The first row names the columns unless the plan does. A quoted field may span several lines; the
//! position of a record is that of its first line. A row with more or fewer fields than columns is
//! still a record; missing fields are absent.

use std::ops::ControlFlow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{At, Fault, FaultKind, Fields, FoundFields, Item, ReadTask, Visit};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let ReadTask { lines, fields, options, visit } = task;
    let mut rows = Rows {
        reader: ReaderBuilder::new().delimiter(options.separator).build(),
        output: vec![0; 4 << 10],
        written: 0,
        ends: vec![0; 64],
        ended: 0,
        at: At { line: 1, offset: 0 },
        columns: None,
        fields,
        found: FoundFields::new(fields.names().len()),
        longest: options.longest,
        too_long: false,
        begun: false,
    };
    if !options.columns.is_empty() {
        rows.columns = Some(rows.resolve(options.columns.iter().map(String::as_bytes)));
    }
    while let Some(piece) = lines.piece() {
        match piece {
            Ok((at, bytes)) => rows.piece(at, bytes, visit)?,
            Err(fault) => visit(Item::Fault(fault))?,
        }
    }
    let flow = rows.piece(rows.at, &[], visit);
    // The last line may lack a line end.
    lines.at.line = lines.at.line.max(rows.at.line);
    flow
}

struct Rows<'f> {
    reader: Reader,
    output: Vec<u8>,
    written: usize,
    ends: Vec<usize>,
    ended: usize,
    at: At,
    /// For each column: the slot of its field, if that is wanted.
    columns: Option<Vec<Option<usize>>>,
    fields: &'f Fields,
    found: FoundFields,
    longest: usize,
    too_long: bool,
    /// Whether a part of the row has been taken.
    begun: bool,
}

impl Rows<'_> {
    /// Takes a piece of the file, or the end of the file if it is empty.
    fn piece(&mut self, mut at: At, mut bytes: &[u8], visit: &mut Visit<'_>) -> ControlFlow<()> {
        let last = bytes.is_empty();
        loop {
            if self.written == 0 && self.ended == 0 && !self.begun {
                // Line ends before a row do not belong to it.
                let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                at.advance(&bytes[..blank]);
                bytes = &bytes[blank..];
                self.at = at;
            }
            let (result, taken, written, ended) = self.reader.read_record(
                bytes,
                &mut self.output[self.written..],
                &mut self.ends[self.ended..],
            );
            at.advance(&bytes[..taken]);
            bytes = &bytes[taken..];
            self.begun |= taken > 0;
            self.written += written;
            self.ended += ended;
            match result {
                ReadRecordResult::InputEmpty if last => {}
                ReadRecordResult::InputEmpty => return ControlFlow::Continue(()),
                ReadRecordResult::OutputFull => {
                    if self.output.len() >= self.longest {
                        // Overwrite the row with its rest, because it is skipped anyway.
                        self.too_long = true;
                        self.written = 0;
                    } else {
                        self.output.resize(self.output.len() * 2, 0);
                    }
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    let flow = self.row(at, visit);
                    self.at = at;
                    (self.written, self.ended, self.begun) = (0, 0, false);
                    flow?;
                }
                ReadRecordResult::End => return ControlFlow::Continue(()),
            }
        }
    }

    fn row(&mut self, next: At, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let at = self.at;
        if std::mem::take(&mut self.too_long) {
            let kind = FaultKind::TooLong(next.offset - at.offset);
            return visit(Item::Fault(Fault { at, kind }));
        }
        let output = &self.output[..self.written];
        let ends = &self.ends[..self.ended];
        let mut start = 0;
        let cells = ends.iter().map(|&end| std::mem::replace(&mut start, end)..end);
        let Some(columns) = &self.columns else {
            let names: Vec<Vec<u8>> =
                cells.map(|cell| output[cell].trim_ascii().to_vec()).collect();
            self.columns = Some(self.resolve(names.iter().map(|name| &name[..])));
            return visit(Item::Blank);
        };
        self.found.clear();
        for (cell, slot) in cells.zip(columns) {
            if let Some(slot) = *slot
                && !cell.is_empty()
            {
                self.found.set(slot, cell);
            }
        }
        visit(Item::Record(self.found.record(at, output)))
    }

    fn resolve<'n>(&self, names: impl Iterator<Item = &'n [u8]>) -> Vec<Option<usize>> {
        let wanted = self.fields.names();
        names.map(|name| wanted.iter().position(|other| other.as_bytes() == name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_shown;
    use super::super::{Format, Options, Record};

    #[track_caller]
    fn check(text: &str, options: &Options, expected: &[&str]) {
        let join = |_: &Record<'_>, fields: &[String]| fields.join("|");
        assert_eq!(read_shown(Format::Csv, text, options, &["a", "b"], join), expected);
    }

    #[test]
    fn columns_are_named_by_the_first_row_or_the_plan() {
        let options = Options::default();
        check(
            "x,b,a\n1,2,3\r\n\n4,\"5\n6\",7\n8",
            &options,
            &["blank", "2 3|2", "4 7|5\n6", "6 -|-"],
        );
        check("", &options, &[]);
        check("\u{feff}a,b\n1,2\n", &options, &["blank", "2 1|2"]);
        let named = Options {
            separator: b';',
            columns: vec!["b".to_owned(), "a".to_owned()],
            ..Options::default()
        };
        check("1;2\n3;\"4\"\"\"", &named, &["1 2|1", "2 4\"|3"]);
    }

    #[test]
    fn a_row_that_is_too_long_is_passed_over() {
        let options = Options { longest: 100, ..Options::default() };
        let long = "x".repeat(10_000);
        check(
            &format!("a,b\n1,2\n{long},3\n4,5\n"),
            &options,
            &["blank", "2 1|2", "3 it has 10003 bytes, more than a record may have", "4 4|5"],
        );
    }
}
