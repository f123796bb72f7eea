//! The answers of a table, as Arrow.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use otus::{Case, Item, Verdict};

#[derive(Default)]
pub(crate) struct Answers {
    run: StringBuilder,
    verdict: StringBuilder,
    events: Int64Builder,
    cause: StringBuilder,
    headline: StringBuilder,
    explanation: StringBuilder,
}

impl Answers {
    /// Adds an answer. The error is the reason why a run could not be checked, if such runs are not kept.
    pub(crate) fn add(&mut self, item: &Item<Case>, keeps_unusable: bool) -> Result<(), String> {
        match item {
            Item::Case(case) => {
                self.run.append_value(&case.id);
                self.verdict.append_value(case.verdict.name());
                self.events.append_value(i64::try_from(case.actions).unwrap_or(i64::MAX));
                self.cause.append_option(case.cause().map(|cause| cause.id));
                let is_pass = case.verdict == Verdict::Pass;
                self.headline.append_option((!is_pass).then(|| case.headline()));
                self.explanation.append_option(case.failure().map(ToString::to_string));
            }
            Item::Unusable(unusable) => {
                let run = unusable.id.as_deref().unwrap_or_default();
                if !keeps_unusable {
                    return Err(format!("run `{run}` cannot be checked: {}", unusable.message));
                }
                self.run.append_value(run);
                self.verdict.append_value("Unusable");
                self.events.append_value(0);
                self.cause.append_null();
                self.headline.append_value(&unusable.message);
                self.explanation.append_null();
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        batch(vec![
            ("run", false, Arc::new(self.run.finish())),
            ("verdict", false, Arc::new(self.verdict.finish())),
            ("events", false, Arc::new(self.events.finish())),
            ("cause", true, Arc::new(self.cause.finish())),
            ("headline", true, Arc::new(self.headline.finish())),
            ("explanation", true, Arc::new(self.explanation.finish())),
        ])
    }
}

/// The name of a column, whether it may have nulls, and its cells.
pub(crate) type Column = (&'static str, bool, ArrayRef);

/// A table of these columns.
pub(crate) fn batch(columns: Vec<Column>) -> Result<RecordBatch, ArrowError> {
    let field = |(name, has_nulls, column): &Column| {
        Field::new(*name, column.data_type().clone(), *has_nulls)
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, _, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns)
}
