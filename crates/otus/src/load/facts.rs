//! Multi-traces together with the values of their events, if some event carries one.
//!
//! Commands that change multi-traces keep all values. A text without values takes the same way as ever.

use otus_core::Pool;
use otus_syntax::ast::TraceFile;
use otus_trace::{Facts, FieldNames, MultiTrace, facts, lower_with_facts, raise_with_facts};

/// All fields of some texts; `None` if no event carries a value.
pub(crate) fn fields_of<'t>(
    trees: impl Iterator<Item = &'t TraceFile> + Clone,
) -> Option<FieldNames> {
    trees.clone().any(|tree| !tree.values.is_empty()).then(|| facts::all_fields(trees))
}

/// A multi-trace, and the values of its events if there are fields.
pub(crate) fn lower(
    tree: &TraceFile,
    pool: &mut Pool,
    fields: Option<&FieldNames>,
) -> (MultiTrace, Option<Facts>) {
    match fields {
        Some(fields) => {
            let (trace, facts, _) = lower_with_facts(tree, pool, fields);
            (trace, Some(facts))
        }
        None => (otus_trace::lower(tree, pool).0, None),
    }
}

/// The text of a multi-trace with the values of its events.
pub(crate) fn raise(
    trace: &MultiTrace,
    pool: &Pool,
    values: Option<(&Facts, &FieldNames)>,
) -> TraceFile {
    match values {
        Some((facts, fields)) => raise_with_facts(trace, facts, fields, pool),
        None => otus_trace::raise(trace, pool),
    }
}
