//! The numbers that the papers print, from the files of `data/`.
//!
//! The files are CSV without quotes: a line of column names, then lines of numbers. An empty field is a number that
//! the paper does not give; `>600` is a time limit in seconds that was exceeded.

use std::str::FromStr;

use crate::protocol::Protocol;
use crate::statistics::Statistics;

const BOOK: &str = include_str!("../data/000-fig9.csv");
/// Figure 8c of 000.
const UF20: &str = include_str!("../data/000-uf20.csv");
const TABLE_1: &str = include_str!("../data/001-table1.csv");
/// Tables 2 to 5 of 001.
const TABLES: &str = include_str!("../data/001-tables.csv");
/// Figure 12 of 003.
const SLICES: &str = include_str!("../data/003-slices.csv");
/// The table of section 4.3 of 004.
const NODES: &str = include_str!("../data/004-nodes.csv");

/// The lines of a file below the names of its columns, split into fields.
fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().skip(1).map(|line| line.split(',').collect())
}

/// A time in a paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// A time in seconds.
    Seconds(f64),
    /// A time limit in seconds that was exceeded.
    MoreThan(f64),
}

impl Time {
    /// The time, or `None` if the limit was exceeded.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Time::Seconds(seconds) => Some(seconds),
            Time::MoreThan(_) => None,
        }
    }

    fn read(field: &str) -> Option<Time> {
        match field.strip_prefix('>') {
            Some(limit) => limit.parse().ok().map(Time::MoreThan),
            None => field.parse().ok().map(Time::Seconds),
        }
    }
}

/// A row of Tables 2 to 5 of 001.
#[derive(Debug, Clone, Copy)]
pub struct OrderRow {
    /// The number of its table.
    pub table: u32,
    /// The number of processes.
    pub processes: usize,
    /// The number of events.
    pub events: usize,
    /// The number of edges between processes.
    pub communications: u64,
    /// The number of cuts.
    pub cuts: u64,
    /// The time of `TraX`, with downward closure where the paper has two variants.
    pub trax: Time,
    /// The time of `TraX` with a fixpoint, where the paper gives it.
    pub fixpoint: Option<Time>,
    /// The time of `NuSMV`.
    pub nusmv: Time,
}

impl OrderRow {
    /// Whether another row is in the same table.
    pub fn is_same_table(&self, other: &OrderRow) -> bool {
        self.table == other.table
    }

    /// The protocol of its table.
    pub fn protocol(&self) -> Protocol {
        match self.table {
            2 => Protocol::Peterson,
            3 => Protocol::AlternatingBit,
            4 => Protocol::PetersonN,
            _ => Protocol::Philosophers,
        }
    }
}

/// The rows of Tables 2 to 5 of 001, in this order.
pub fn orders() -> Vec<OrderRow> {
    rows(TABLES)
        .map(|row| OrderRow {
            table: number(row[0]),
            processes: number(row[1]),
            events: number(row[2]),
            communications: number(row[3]),
            cuts: number(row[4]),
            trax: time(row[5]),
            fixpoint: Time::read(row[6]),
            nusmv: time(row[7]),
        })
        .collect()
}

/// The rows of Tables 2 to 5 of 001 that its Table 1 shows, in the order of Table 1.
///
/// # Panics
/// If Table 1 has another row, which a test excludes.
pub fn selection() -> Vec<OrderRow> {
    let all = orders();
    let row = |fields: Vec<&str>| {
        let is_it = |row: &&OrderRow| {
            let key = (row.protocol().name(), row.processes, row.events);
            key == (fields[0], number(fields[1]), number(fields[2]))
        };
        *all.iter().find(is_it).expect("Table 1 is a selection of the others")
    };
    rows(TABLE_1).map(row).collect()
}

/// Figure 9 of 000: the two statistics, in seconds, that the text of the paper contains. The text
/// does not say which statistics they are.
pub fn book() -> [f64; 2] {
    column(BOOK, 0, 1)
}

/// Figure 8c of 000, in seconds: Varisat, and the paper's tool.
pub fn uf20() -> [Statistics; 2] {
    [1, 2].map(|at| Statistics::from_values(column(UF20, 0, at)))
}

/// Figures 12a and 12b of 003: for each, the sizes of its five sets, and the seconds of all their analyses.
pub fn slices() -> [([u64; 5], Statistics); 2] {
    [1, 2].map(|at| (column(SLICES, 0, at), Statistics::from_values(column(SLICES, 5, at))))
}

/// The numbers of nodes in 004 for one to four repetitions: without priorities, and with receptions first.
pub fn nodes() -> [[u64; 4]; 2] {
    let rows: Vec<Vec<&str>> = rows(NODES).collect();
    [0, 1].map(|row| [1, 2, 3, 4].map(|at| number(rows[row][at])))
}

/// The numbers of a column, starting at a row.
fn column<T: FromStr, const N: usize>(file: &'static str, first: usize, column: usize) -> [T; N] {
    let mut rows = rows(file).skip(first);
    std::array::from_fn(|_| number(rows.next().expect("data files are well-formed")[column]))
}

fn number<T: FromStr>(field: &str) -> T {
    field.parse().ok().expect("data files are well-formed")
}

fn time(field: &str) -> Time {
    Time::read(field).expect("data files are well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_well_formed_and_have_figures_only() {
        for file in [BOOK, UF20, TABLE_1, TABLES, SLICES, NODES] {
            let names = file.lines().next().unwrap();
            let columns = names.split(',').count();
            assert!(columns > 1 && rows(file).count() > 1, "{names}");
            for row in rows(file) {
                assert_eq!(row.len(), columns, "{names}: {row:?}");
                for field in &row[1..] {
                    assert!(field.is_empty() || Time::read(field).is_some(), "{names}: {field}");
                }
                assert!(row[0].len() <= 10 && !row[0].contains(' '), "{names}: {row:?}");
            }
        }
    }

    #[test]
    fn the_first_table_is_a_selection_of_the_others() {
        let all = orders();
        assert_eq!(
            [2, 3, 4, 5].map(|n| all.iter().filter(|row| row.table == n).count()),
            [9, 7, 24, 13]
        );
        let chosen = selection();
        assert_eq!(chosen.len(), rows(TABLE_1).count());
        for (row, fields) in chosen.iter().zip(rows(TABLE_1)) {
            assert_eq!((row.trax, row.nusmv), (time(fields[3]), time(fields[4])), "{fields:?}");
        }
    }

    #[test]
    fn statistics_are_in_order() {
        let of = |s: Statistics| [s.min, s.q1, s.median, s.q3, s.max];
        let [(shallow, a), (deep, b)] = slices();
        for s in uf20().into_iter().chain([a, b]) {
            assert!(of(s).is_sorted(), "{s:?}");
        }
        assert_eq!((shallow, deep), ([16, 7996, 7996, 7996, 7996], [199, 6124, 6088, 6132, 5743]));
        assert_eq!(nodes(), [[4, 12, 39, 145], [4, 10, 27, 89]]);
    }
}
