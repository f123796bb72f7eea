//! Writes a table of verdicts: a row for each run, in the order of the input.
//!
//! | column | contents |
//! |---|---|
//! | `run` | the id of the run |
//! | `verdict` | `Pass`, `WeakPass`, `Inconclusive`, `WeakFail`, `Fail`, or `Unusable` if it could not be checked |
//! | `events` | the number of its events |
//! | `cause` | the id of the cause of a failure, or of another verdict than Pass |
//! | `headline` | a failure in one line, or why the run could not be checked |
//! | `explanation` | all that there is to say about a failure, if it was explained |
//!
//! These are the columns of the Python package and of clusters.

use std::io::{self, Write};

use super::sheet::{Kind, Named, Sheet};
use crate::Verdict;
use crate::case::{Case, Unusable};
use crate::findings::UNUSABLE;
use crate::report::{Run, Writer};
use crate::summary::Summary;

pub(super) const COLUMNS: [Named; 6] = [
    ("run", Kind::Text),
    ("verdict", Kind::Text),
    ("events", Kind::Count),
    ("cause", Kind::OptionalText),
    ("headline", Kind::OptionalText),
    ("explanation", Kind::OptionalText),
];

/// Writes a row for each run.
pub(crate) struct Verdicts(Sheet);

impl Default for Verdicts {
    fn default() -> Self {
        Verdicts(Sheet::new("verdicts", &COLUMNS))
    }
}

impl Writer for Verdicts {
    fn begin(&mut self, _: &Run, out: &mut dyn Write) -> io::Result<()> {
        self.0.begin(out)
    }

    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        let headline = (case.verdict != Verdict::Pass).then(|| case.headline());
        let explanation = case.failure().map(ToString::to_string);
        let row = [
            case.id.as_str().into(),
            case.verdict.name().into(),
            (case.actions as u64).into(),
            case.cause().map(|cause| cause.id).into(),
            headline.as_deref().into(),
            explanation.as_deref().into(),
        ];
        self.0.push(&row, out)
    }

    fn unusable(&mut self, unusable: &Unusable, out: &mut dyn Write) -> io::Result<()> {
        let (run, message) = (unusable.name().unwrap_or_default(), unusable.message.as_str());
        let none = None::<&str>;
        let row = [
            run.as_str().into(),
            UNUSABLE.into(),
            0.into(),
            none.into(),
            message.into(),
            none.into(),
        ];
        self.0.push(&row, out)
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.0.end(out)
    }
}
