//! How often the parts of a specification were exercised, as rows that can be added.

use serde::{Deserialize, Serialize};

use crate::analysis::coverage::CoverageReport;
use crate::error::{Result, unfit};

/// How often a part of the specification was exercised: an action, a branch or a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartRow {
    /// `action`, `branch` or `loop`.
    pub kind: String,
    /// Its name: `broker!PUBREL`, `branch 2 of 3`.
    pub part: String,
    /// Its place in the specification: `flow.mmd:3`.
    pub place: String,
    /// The number of runs in which it was observed.
    pub runs: u64,
    /// How often it was observed.
    pub observed: u64,
    /// How often it was not observed but must have happened.
    pub assumed: u64,
}

/// How often each part was exercised, by the runs that were accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CoverageRows {
    /// The number of accepted runs that were counted.
    pub counted: u64,
    /// The number of accepted runs that were not counted, because a limit was reached.
    pub left_out: u64,
    /// The parts, in the order of the specification.
    pub parts: Vec<PartRow>,
}

impl CoverageRows {
    pub(crate) fn of(report: &CoverageReport) -> CoverageRows {
        let (counted, left_out) = report.accepted();
        CoverageRows { counted, left_out, parts: report.part_rows().collect() }
    }

    /// Adds a row of a table: its kind, part and place, and its counts.
    #[cfg(feature = "parquet")]
    pub(crate) fn add(&mut self, [kind, part, place]: [&str; 3], counts: [u64; 3]) {
        let [runs, observed, assumed] = counts;
        if [kind, part] == crate::parquet::ALL_RUNS {
            self.counted += runs;
            self.left_out += assumed;
            return;
        }
        let is_same =
            |row: &&mut PartRow| row.kind == kind && row.part == part && row.place == place;
        if let Some(known) = self.parts.iter_mut().find(is_same) {
            known.runs += runs;
            known.observed += observed;
            known.assumed += assumed;
            return;
        }
        let [kind, part, place] = [kind, part, place].map(str::to_owned);
        self.parts.push(PartRow { kind, part, place, runs, observed, assumed });
    }

    /// Adds the counts of other runs.
    pub(super) fn merge(&mut self, other: &CoverageRows) -> Result<()> {
        let is_same = |(own, other): (&PartRow, &PartRow)| {
            own.kind == other.kind && own.part == other.part && own.place == other.place
        };
        let is_same = self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(is_same);
        if !is_same {
            unfit!(
                "these findings are about different specifications: the parts of their coverage differ; merge only \
                 findings of the same specification"
            );
        }
        self.counted += other.counted;
        self.left_out += other.left_out;
        for (own, other) in self.parts.iter_mut().zip(&other.parts) {
            own.runs += other.runs;
            own.observed += other.observed;
            own.assumed += other.assumed;
        }
        Ok(())
    }
}
