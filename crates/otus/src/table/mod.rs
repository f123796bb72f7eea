//! Tables of events: many runs in batches of rows, checked with one engine.
//!
//! A table has an event in each row: its run, its lifeline, its action, and its place in the order of the lifeline. A
//! [`Checker`] takes the rows in batches and gives a [`Case`](crate::Case) for each run, the same that [`analyze`](crate::analyze) gives for
//! the same multi-trace in a file: both go through the same worker.
//!
//! ```text
//! batches ─ letters ─→ rows ─ sort ─→ run ─→ multi-trace, values ─ judge ─→ case
//!                        └─ spill ─→ files ─┘
//! ```
//!
//! Rows of one run may stand together ([`CheckerOptions::grouped`]) or anywhere ([`CheckerOptions::scattered`]). If they
//! should stand together and do not, that is an error and never a wrong verdict: a run that comes back after another one
//! would be checked in parts.
//!
//! What is wrong with a single run (an unknown lifeline, a null, two events at the same place of an order) makes that run
//! [unusable](crate::Item::Unusable); the others are checked. What cannot be blamed on a run is an error, and the checker ends.

mod answering;
mod batch;
mod columns;
mod gather;
mod letters;
mod options;
mod rows;
mod run;
mod scope;
mod sort;

use std::collections::VecDeque;
use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Value, define_id};

pub use batch::{Batch, Texts, Values};
#[cfg(feature = "parquet")]
pub(crate) use columns::Role;
pub use columns::TableColumns;
pub(crate) use gather::{Gathered, Gatherer, Gathering};
pub use options::{CheckerOptions, ColumnNames};
pub(crate) use run::RunRows;
pub(crate) use scope::Scope;

use crate::error::{Result, unfit};
use crate::findings::Findings;
use crate::spec::Spec;
use answering::{Answer, Answering};
use letters::Letters;

define_id! {
    /// A value of a field.
    ValueId;
}

/// What the numbers in rows mean.
#[derive(Debug)]
pub(crate) struct Known {
    letters: Letters,
    values: Interner<ValueId, Value>,
}

/// Checks the runs in batches of events.
///
/// ```
/// use otus::table::{Batch, Checker, CheckerOptions, Texts};
/// use otus::{Item, Spec, Verdict};
///
/// let spec = Spec::parse("ping.mmd", "sequenceDiagram\n  a->>b: ping\n  b-->>a: pong\n")?;
/// let mut checker = Checker::new(&spec, CheckerOptions::scattered())?;
/// // Two runs at once. In the second, b forgets to answer.
/// let run = [Some(1), Some(2), Some(1), Some(1), Some(2), Some(1)];
/// let lifeline = [Some("a"), Some("a"), Some("b"), Some("b"), Some("b"), Some("a")];
/// let action =
///     [Some("!ping"), Some("!ping"), Some("?ping"), Some("!pong"), Some("?ping"), Some("?pong")];
/// let (run, lifeline) = (Texts::Numbers(&run), Texts::Each(&lifeline));
/// checker.push(&Batch::new(run, lifeline, Texts::Each(&action)))?;
/// let mut verdicts = Vec::new();
/// for item in checker.finish()? {
///     if let Item::Case(case) = item? {
///         verdicts.push((case.id, case.verdict));
///     }
/// }
/// assert_eq!(verdicts, [("1".to_owned(), Verdict::Pass), ("2".to_owned(), Verdict::Fail)]);
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    answering: Answering,
    gatherer: Gatherer,
}

impl Checker {
    /// A checker for the runs of a system.
    ///
    /// # Errors
    /// If the options do not fit the specification.
    pub fn new(spec: &Spec, options: CheckerOptions) -> Result<Checker> {
        let partition = Arc::new(options.checks.partition(spec)?);
        let answering = Answering::new(spec, &options)?;
        let scope = spec.planned().scope(spec.name().to_owned());
        Ok(Checker { answering, gatherer: Gatherer::new(scope, partition, options) })
    }

    /// Takes some events. If rows of a run stand together, it gives the answers for the runs that are over; otherwise all
    /// answers come at the end.
    ///
    /// # Errors
    /// If a run has no name or comes back after another one, if columns have different lengths, if a temporary file cannot be
    /// written, or if the checker is cancelled. It cannot be used any more then.
    pub fn push(&mut self, batch: &Batch<'_>) -> Result<Vec<Answer>> {
        let mut answers = Vec::new();
        let Checker { answering, gatherer } = self;
        gatherer.push(batch, &mut |run| answers.push(answering.answer(run)))?;
        Ok(answers)
    }

    /// Ends the table, and checks the runs that have no answer yet: in the order of their first rows, after those of the list
    /// of expected runs. Expected runs without rows are runs without events.
    ///
    /// # Errors
    /// If there was no row and no run is expected, and the errors of [`Checker::push`].
    pub fn finish(self) -> Result<Answers> {
        let Checker { mut answering, gatherer } = self;
        let mut ready = VecDeque::new();
        let rest = gatherer.finish(&mut |run| ready.push_back(answering.answer(run)))?;
        Ok(Answers { answering, ready, rest, has_failed: false })
    }
}

/// The answers for the runs that are left at the end of a table.
#[derive(Debug)]
pub struct Answers {
    answering: Answering,
    ready: VecDeque<Answer>,
    rest: Gathering,
    has_failed: bool,
}

impl Answers {
    /// What all runs have in common, if [`CheckerOptions::findings`] asked for that. Runs whose answers were not taken are
    /// checked before.
    ///
    /// # Errors
    /// If nobody asked for findings, and the errors of [`Checker::push`].
    pub fn into_findings(mut self) -> Result<Findings> {
        if self.has_failed {
            unfit!(
                "an error ended this checker; its findings would be those of a part of the runs"
            );
        }
        for answer in &mut self {
            answer?;
        }
        self.answering.into_findings()
    }
}

impl Iterator for Answers {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(Ok(ready));
        }
        if self.has_failed {
            return None;
        }
        match self.rest.next() {
            Ok(Some(run)) => Some(Ok(self.answering.answer(run))),
            Ok(None) => None,
            Err(error) => {
                self.has_failed = true;
                Some(Err(error))
            }
        }
    }
}

/// The field with this index among those that are kept.
fn field(index: usize) -> FieldId {
    debug_assert_eq!(Valued::TIME.index(), 0);
    FieldId::new(index + 1)
}
