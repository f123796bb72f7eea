//! What the papers print, as numbers in the files of `data/`.
//!
//! The files have a line of names and lines of figures, with commas between them and no quotes. An empty
//! field is one that a paper does not have; `>600` is a time that was not enough.

use crate::statistics::Statistics;

/// A file of figures.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Its name.
    pub name: &'static str,
    text: &'static str,
}

/// All of them.
pub const FILES: [Figures; 6] = [BOOK, UF20, TABLE_1, TABLES, SLICES, NODES];

/// Figure 9 of 000.
const BOOK: Figures = Figures { name: "000-fig9.csv", text: include_str!("../data/000-fig9.csv") };
/// Figure 8c of 000.
const UF20: Figures = Figures { name: "000-uf20.csv", text: include_str!("../data/000-uf20.csv") };
/// Table 1 of 001.
const TABLE_1: Figures =
    Figures { name: "001-table1.csv", text: include_str!("../data/001-table1.csv") };
/// Tables 2 to 5 of 001.
const TABLES: Figures =
    Figures { name: "001-tables.csv", text: include_str!("../data/001-tables.csv") };
/// Figure 12 of 003.
const SLICES: Figures =
    Figures { name: "003-slices.csv", text: include_str!("../data/003-slices.csv") };
/// The table of section 4.3 of 004.
const NODES: Figures =
    Figures { name: "004-nodes.csv", text: include_str!("../data/004-nodes.csv") };

impl Figures {
    /// The names of the columns.
    pub fn columns(self) -> Vec<&'static str> {
        self.text.lines().next().map(|line| line.split(',').collect()).unwrap_or_default()
    }

    /// The lines below them, by field.
    pub fn rows(self) -> impl Iterator<Item = Vec<&'static str>> {
        self.text.lines().skip(1).map(|line| line.split(',').collect())
    }
}

/// A time that a paper gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// So many seconds.
    Seconds(f64),
    /// These were not enough.
    MoreThan(f64),
}

impl Time {
    /// The time, or `None` if it was not enough.
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
    /// Which table it is in.
    pub table: u32,
    /// How many processes.
    pub processes: usize,
    /// How many events.
    pub events: usize,
    /// How many edges between processes.
    pub communications: u64,
    /// How many cuts.
    pub cuts: u64,
    /// `TraX`, with downward closure where there are two.
    pub trax: Time,
    /// `TraX` with a fixpoint, where that is told.
    pub fixpoint: Option<Time>,
    /// `NuSMV`.
    pub nusmv: Time,
}

/// The rows of Tables 2 to 5 of 001.
pub fn orders() -> Vec<OrderRow> {
    TABLES
        .rows()
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

/// The rows of Table 1 of 001: model, processes, events, and the times of its tool and of `NuSMV`.
pub fn selection() -> Vec<(&'static str, usize, usize, Time, Time)> {
    let row = |row: Vec<&'static str>| {
        (row[0], number(row[1]), number(row[2]), time(row[3]), time(row[4]))
    };
    TABLE_1.rows().map(row).collect()
}

/// Figure 9 of 000: the two seconds of its statistics that the text keeps, without their names.
pub fn book() -> [f64; 2] {
    let mut values = [0.0; 2];
    for (value, row) in values.iter_mut().zip(BOOK.rows()) {
        *value = number(row[1]);
    }
    values
}

/// Figure 8c of 000, in seconds: a solver, and the paper's tool.
pub fn uf20() -> [Statistics; 2] {
    [1, 2].map(|column| statistics(UF20, 0, column))
}

/// Figure 12 of 003: for each of its halves how many multi-traces each set has, and the seconds of all.
pub fn slices() -> [([u64; 5], Statistics); 2] {
    [1, 2].map(|column| {
        let mut counts = [0; 5];
        for (count, row) in counts.iter_mut().zip(SLICES.rows()) {
            *count = number(row[column]);
        }
        (counts, statistics(SLICES, 5, column))
    })
}

/// The nodes of 004 for one to four repetitions: without priorities, and with receptions first.
pub fn nodes() -> [[u64; 4]; 2] {
    let mut all = [[0; 4]; 2];
    for (nodes, row) in all.iter_mut().zip(NODES.rows()) {
        for (node, field) in nodes.iter_mut().zip(&row[1..]) {
            *node = number(field);
        }
    }
    all
}

fn statistics(figures: Figures, first: usize, column: usize) -> Statistics {
    let mut values = [0.0; 7];
    for (value, row) in values.iter_mut().zip(figures.rows().skip(first)) {
        *value = number(row[column]);
    }
    Statistics::from_values(values)
}

fn number<T: std::str::FromStr>(field: &str) -> T {
    field.parse().ok().expect("files of figures are well-formed")
}

fn time(field: &str) -> Time {
    Time::read(field).expect("files of figures are well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_well_formed_and_have_figures_only() {
        for file in FILES {
            let columns = file.columns();
            assert!(columns.len() > 1, "{}", file.name);
            let mut count = 0;
            for row in file.rows() {
                count += 1;
                assert_eq!(row.len(), columns.len(), "{}: {row:?}", file.name);
                for field in &row[1..] {
                    assert!(
                        field.is_empty() || Time::read(field).is_some(),
                        "{}: {field}",
                        file.name
                    );
                }
                assert!(row[0].len() <= 10 && !row[0].contains(' '), "{}: {row:?}", file.name);
            }
            assert!(count > 1, "{}", file.name);
        }
    }

    #[test]
    fn the_first_table_is_a_selection_of_the_others() {
        let all = orders();
        assert_eq!(
            [2, 3, 4, 5].map(|n| all.iter().filter(|row| row.table == n).count()),
            [9, 7, 24, 13]
        );
        for (model, processes, events, ist, nusmv) in selection() {
            let table = match model {
                "Pet" => 2,
                "ABP" => 3,
                "PetN" => 4,
                _ => 5,
            };
            let found = all
                .iter()
                .find(|row| (row.table, row.processes, row.events) == (table, processes, events));
            let found = found.expect("it is there");
            assert_eq!((found.trax, found.nusmv), (ist, nusmv), "{model} {processes} {events}");
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
