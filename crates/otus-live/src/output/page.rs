//! The page with what failed since the start: the HTML report of `otus analyze`.

use std::path::PathBuf;

use otus::report::{ReportFormat, Reports, Run};
use otus::{Case, Summary};

use crate::error::{Error, Result, about};
use crate::verdict::Told;

/// The most failures that the page shows.
const MOST: usize = 1000;

#[derive(Debug)]
pub(super) struct Page {
    path: PathBuf,
    cases: Vec<Case>,
}

impl Page {
    pub(super) fn new(path: PathBuf) -> Page {
        Page { path, cases: Vec::new() }
    }

    pub(super) fn add(&mut self, told: &Told) {
        if self.cases.len() < MOST {
            self.cases.push(told.case.clone());
        }
    }

    /// Writes the page, with the numbers of each verdict.
    pub(super) fn write(self, run: &Run, [pass, weak, fail, undecided]: [usize; 4]) -> Result<()> {
        let mut summary = Summary::default();
        let verdicts = &mut summary.verdicts;
        (verdicts.pass, verdicts.weak, verdicts.fail, verdicts.undecided) =
            (pass, weak, fail, undecided);
        summary.unexplained = fail.saturating_sub(self.cases.len());
        let write = || {
            let mut reports =
                Reports::new(vec![(ReportFormat::Html.writer(None, false), Vec::new())]);
            reports.begin(run)?;
            let format = reports.formatter();
            for case in &self.cases {
                if let Some(formatted) = format(case, None) {
                    reports.write(&formatted)?;
                }
            }
            Ok::<_, std::io::Error>(reports.end(&summary)?.pop().unwrap_or_default())
        };
        let page = write()
            .map_err(|error| Error::Io { what: "cannot make the page".to_owned(), error })?;
        std::fs::write(&self.path, page).map_err(about("write", &self.path))
    }
}
