//! Writes what all runs have in common as tables: totals, causes, a sample and coverage.
//!
//! The counts of two tables of the same kind can be added by the columns that are not counts, except for those of causes, which
//! are counted in the sample: see [`Findings`].

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::sheet::{Cell, Kind, Named, Sheet};
use crate::case::{Case, Unusable};
use crate::findings::{CauseRow, CoverageRows, Findings, PartRow, Sampled, VerdictRow};
use crate::report::{Run, Writer};
use crate::summary::Summary;

/// A table of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FindingsTable {
    Totals,
    Causes,
    Sample,
    Coverage,
}

/// The kind and the name of the row of a table of coverage that counts the accepted runs.
pub(crate) const ALL_RUNS: [&str; 2] = ["runs", "accepted"];

impl FindingsTable {
    const ALL: [FindingsTable; 4] = [
        FindingsTable::Totals,
        FindingsTable::Causes,
        FindingsTable::Sample,
        FindingsTable::Coverage,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            FindingsTable::Totals => "totals",
            FindingsTable::Causes => "causes",
            FindingsTable::Sample => "sample",
            FindingsTable::Coverage => "coverage",
        }
    }

    pub(super) fn columns(self) -> &'static [Named] {
        match self {
            FindingsTable::Totals => &[
                ("verdict", Kind::Text),
                ("runs", Kind::Count),
                ("events", Kind::Count),
                ("example", Kind::Text),
            ],
            FindingsTable::Causes => &[
                ("cause", Kind::Text),
                ("place", Kind::OptionalText),
                ("runs", Kind::Count),
                ("example", Kind::Text),
                ("headline", Kind::Text),
            ],
            FindingsTable::Sample => &[
                ("run", Kind::Text),
                ("verdict", Kind::Text),
                ("events", Kind::Count),
                ("cause", Kind::OptionalText),
                ("place", Kind::OptionalText),
                ("headline", Kind::Text),
                ("explanation", Kind::OptionalText),
            ],
            FindingsTable::Coverage => &[
                ("kind", Kind::Text),
                ("part", Kind::Text),
                ("place", Kind::Text),
                ("runs", Kind::Count),
                ("observed", Kind::Count),
                ("assumed", Kind::Count),
            ],
        }
    }
}

/// Writes one of the tables. Those of a run share their findings, to which one of them adds the cases.
pub(crate) struct FindingsWriter {
    table: FindingsTable,
    findings: Arc<Mutex<Findings>>,
    adds: bool,
    sheet: Sheet,
}

/// A writer for each table, with its name.
pub(crate) fn writers(sample: usize) -> Vec<(&'static str, FindingsWriter)> {
    let findings = Arc::new(Mutex::new(Findings::new("", sample)));
    let writer = |table: FindingsTable| {
        let sheet = Sheet::new(table.name(), table.columns());
        // The first of them adds the cases.
        let adds = table == FindingsTable::ALL[0];
        (table.name(), FindingsWriter { table, findings: findings.clone(), adds, sheet })
    };
    FindingsTable::ALL.map(writer).into()
}

impl FindingsWriter {
    fn add(&mut self, add: impl FnOnce(&mut Findings)) {
        if self.adds {
            add(&mut self.findings.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Writer for FindingsWriter {
    fn begin(&mut self, _: &Run, out: &mut dyn Write) -> io::Result<()> {
        self.sheet.begin(out)
    }

    fn case(&mut self, case: &Case, _: &mut dyn Write) -> io::Result<()> {
        self.add(|findings| findings.add(case));
        Ok(())
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        self.add(|findings| findings.add_unusable(unusable));
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if let Some(report) = &summary.coverage {
            self.add(|findings| findings.set_coverage(report));
        }
        let FindingsWriter { table, findings, sheet, .. } = self;
        let findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
        write(*table, &findings, sheet, out)?;
        sheet.end(out)
    }
}

fn write(
    table: FindingsTable,
    findings: &Findings,
    sheet: &mut Sheet,
    out: &mut dyn Write,
) -> io::Result<()> {
    match table {
        FindingsTable::Totals => findings.verdicts().iter().try_for_each(|row| {
            let VerdictRow { verdict, runs, events, example } = row;
            let row = [verdict.as_str().into(), (*runs).into(), (*events).into(), text(example)];
            sheet.push(&row, out)
        }),
        FindingsTable::Causes => findings.causes().iter().try_for_each(|row| {
            let CauseRow { cause, place, runs, example, headline } = row;
            let place = place.as_deref().into();
            sheet.push(&[text(cause), place, (*runs).into(), text(example), text(headline)], out)
        }),
        FindingsTable::Sample => findings.sample().try_for_each(|row| {
            let Sampled { run, verdict, events, cause, place, headline, explanation } = row;
            let row = [
                text(run),
                text(verdict),
                (*events).into(),
                cause.as_deref().into(),
                place.as_deref().into(),
                text(headline),
                explanation.as_deref().into(),
            ];
            sheet.push(&row, out)
        }),
        FindingsTable::Coverage => {
            let Some(CoverageRows { counted, left_out, parts }) = findings.coverage() else {
                return Ok(());
            };
            let [kind, part] = ALL_RUNS.map(Cell::Text);
            let (counted, left_out) = ((*counted).into(), (*left_out).into());
            sheet.push(&[kind, part, "".into(), counted, counted, left_out], out)?;
            parts.iter().try_for_each(|row| {
                let PartRow { kind, part, place, runs, observed, assumed } = row;
                let counts = [runs, observed, assumed].map(|&count| Cell::Count(count));
                let [runs, observed, assumed] = counts;
                sheet.push(&[text(kind), text(part), text(place), runs, observed, assumed], out)
            })
        }
    }
}

fn text(text: &str) -> Cell<'_> {
    text.into()
}
