//! Tables of measurements: aligned for a terminal, Markdown for a page, CSV for a program.

use std::fmt::Write as _;

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The suffix of the table's file name after that of the artefact; empty for the main table.
    pub suffix: &'static str,
    /// The subject of the table, in a line; may be empty.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows of the table, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// One entry of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// An empty cell.
    None,
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A number that need not be whole.
    Number(f64),
    /// A time.
    Seconds(f64),
    /// A time limit that was exceeded.
    MoreThan(f64),
    /// A ratio.
    Times(f64),
    /// A lower bound of a ratio.
    AtLeastTimes(f64),
}

impl Table {
    /// An empty table, with the suffix of its file name.
    pub(crate) fn new(suffix: &'static str, title: impl Into<String>) -> Table {
        Table { suffix, title: title.into(), ..Table::default() }
    }

    /// Adds a row of cells with the names of their columns, which are the same in all rows.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = (&'static str, Cell)>) {
        let (columns, cells): (Vec<&str>, Vec<Cell>) = row.into_iter().unzip();
        if self.rows.is_empty() {
            self.columns = columns.into_iter().map(str::to_owned).collect();
        } else {
            debug_assert_eq!(columns, self.columns, "all rows have the same columns");
        }
        self.rows.push(cells);
    }

    /// Aligned columns, for a terminal.
    pub fn aligned(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "  {}", self.title);
        }
        for (number, row) in std::iter::once(&self.columns).chain(&rows).enumerate() {
            let mut line = String::new();
            for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let is_words =
                    number > 0 && matches!(self.rows[number - 1][at], Cell::Text(_)) || at == 0;
                let _ = if is_words {
                    write!(line, "  {cell:<width$}")
                } else {
                    write!(line, "  {cell:>width$}")
                };
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    /// A Markdown table, for a page.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "{}\n", self.title);
        }
        let _ = writeln!(out, "| {} |", self.columns.join(" | "));
        let sides: Vec<&str> = (0..self.columns.len())
            .map(|at| {
                let is_words = |row: &Vec<Cell>| matches!(row[at], Cell::Text(_) | Cell::None);
                if self.rows.iter().all(is_words) { "---" } else { "--:" }
            })
            .collect();
        let _ = writeln!(out, "|{}|", sides.join("|"));
        for row in &self.rows {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.text().replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out
    }

    /// Comma-separated values without units; times are in seconds.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let mut out = line(self.columns.iter().map(|column| quoted(column)).collect());
        for row in &self.rows {
            out.push_str(&line(row.iter().map(|cell| quoted(&cell.bare())).collect()));
        }
        out
    }
}

impl Cell {
    pub(crate) fn text_of(words: impl Into<String>) -> Cell {
        Cell::Text(words.into())
    }

    pub(crate) fn count(number: usize) -> Cell {
        Cell::Count(number as u64)
    }

    /// The cell for a reader, with its unit.
    fn text(&self) -> String {
        match self {
            Cell::None => "–".to_owned(),
            Cell::Text(words) => words.clone(),
            Cell::Count(number) => number.to_string(),
            Cell::Number(number) => digits(*number),
            Cell::Seconds(seconds) => time(*seconds),
            Cell::MoreThan(seconds) => format!("> {}", time(*seconds)),
            Cell::Times(ratio) => format!("{}×", digits(*ratio)),
            Cell::AtLeastTimes(ratio) => format!("> {}×", digits(*ratio)),
        }
    }

    /// The cell for a program, without a unit.
    pub fn bare(&self) -> String {
        match self {
            Cell::None => String::new(),
            Cell::Text(words) => words.clone(),
            Cell::Count(number) => number.to_string(),
            Cell::Number(number) | Cell::Times(number) | Cell::Seconds(number) => short(*number),
            Cell::MoreThan(number) | Cell::AtLeastTimes(number) => format!(">{}", short(*number)),
        }
    }
}

/// A number with six significant digits.
fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let places = (5.0 - number.abs().log10().floor()).clamp(0.0, 15.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 15")]
    let text = format!("{number:.*}", places as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A time with three significant digits, in a unit that suits it.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        size if size >= 1.0 => (seconds, "s"),
        size if size >= 1e-3 => (seconds * 1e3, "ms"),
        size if size >= 1e-6 => (seconds * 1e6, "µs"),
        0.0 => (0.0, "s"),
        _ => (seconds * 1e9, "ns"),
    };
    format!("{} {unit}", digits(value))
}

/// A number with three significant digits.
fn digits(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "–".to_owned(),
        size if size >= 1e6 => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.01 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// A text as a field of a CSV file, in quotes if it needs them.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_three_forms() {
        let mut table = Table::new("", "What");
        for (set, n, time, ratio) in [
            ("a,b", Cell::Count(3), Cell::Seconds(1.5e-5), Cell::Times(2.0)),
            ("c", Cell::None, Cell::MoreThan(600.0), Cell::AtLeastTimes(1e7)),
        ] {
            let set = Cell::text_of(set);
            table.push([("set", set), ("n", n), ("time", time), ("ratio", ratio)]);
        }
        let aligned = "  What\n  set  n     time     ratio\n  a,b  3  15.0 µs     2.00×\n  c    –  > 600 s  > 1.0e7×\n";
        assert_eq!(table.aligned(), aligned);
        expect_test::expect![[r#"
            What

            | set | n | time | ratio |
            |---|--:|--:|--:|
            | a,b | 3 | 15.0 µs | 2.00× |
            | c | – | > 600 s | > 1.0e7× |
        "#]]
        .assert_eq(&table.markdown());
        expect_test::expect![[r#"
            set,n,time,ratio
            "a,b",3,0.000015,2
            c,,>600,>10000000
        "#]]
        .assert_eq(&table.csv());
    }
}
