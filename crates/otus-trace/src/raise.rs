//! Turns a multi-trace back into a syntax tree, to print it.

use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{LifelineId, Pool};
use otus_syntax::Span;
use otus_syntax::ast::{Colocalization, Component, Occurrence, TraceAction, TraceFile, TraceValue};
use otus_syntax::name::Name;
use otus_syntax::source::offset;

use crate::facts::{self, Facts, FieldNames};
use crate::multitrace::MultiTrace;

/// The syntax tree of a multi-trace over the signature of `pool`. All its spans are empty.
/// Components list their lifelines; the only component of a trivial partition is `#all`.
///
/// ```
/// use otus_core::{Pool, Signature};
/// use otus_trace::{MultiTrace, Partition, raise};
///
/// let mut signature = Signature::default();
/// signature.add_lifeline("a");
/// signature.add_lifeline("b");
/// let pool = Pool::new(signature);
/// let nothing = MultiTrace::empty(Partition::discrete(2));
/// assert_eq!(raise(&nothing, &pool).components.len(), 2);
/// ```
pub fn raise(trace: &MultiTrace, pool: &Pool) -> TraceFile {
    raised(trace, pool)
}

/// The syntax tree of a multi-trace whose events have values, of fields with these names.
pub fn raise_with_facts(
    trace: &MultiTrace,
    facts: &Facts,
    fields: &FieldNames,
    pool: &Pool,
) -> TraceFile {
    let mut file = raised(trace, pool);
    let names: Vec<Name> =
        fields.items.iter().map(|field| name_without_span(&mut file, field)).collect();
    let mut occurrence = 0;
    for component in trace.partition().components() {
        for step in 0..trace.steps(component).len() {
            // The time is the last value of an event, as people write it.
            let after_time = fields.items.ids().skip(1).chain([Valued::TIME]);
            for field in after_time.filter(|field| field.index() < facts.field_count()) {
                let Some(value) = facts.known(field, component, step) else { continue };
                file.values.push(TraceValue {
                    occurrence,
                    field: names[field.index()],
                    value: Some(facts::literal_of(field, &value)),
                    span: Span::default(),
                });
            }
            occurrence += 1;
        }
    }
    file
}

fn raised(trace: &MultiTrace, pool: &Pool) -> TraceFile {
    let signature = pool.signature();
    let mut file = TraceFile::default();
    let mut indices: Vec<Option<u32>> = vec![None; pool.action_count()];
    file.occurrences.reserve_exact(trace.len());
    let partition = trace.partition();
    for component in partition.components() {
        let lifelines = if partition.is_trivial() {
            Colocalization::All(Span::default())
        } else {
            let name = |&lifeline: &LifelineId| {
                name_without_span(&mut file, signature.lifeline_name(lifeline))
            };
            Colocalization::Listed(partition.lifelines(component).iter().map(name).collect())
        };
        let start = file.occurrences.len();
        for step in trace.steps(component) {
            let slot = &mut indices[step.action().0 as usize];
            let index = if let Some(index) = *slot {
                index
            } else {
                let action = pool.action(step.action());
                let index = offset(file.actions.len());
                *slot = Some(index);
                let lifeline =
                    name_without_span(&mut file, signature.lifeline_name(action.lifeline));
                let message = name_without_span(&mut file, signature.message_name(action.message));
                file.actions.push(TraceAction { lifeline, direction: action.direction, message });
                index
            };
            file.occurrences.push(Occurrence::new(index, step.joined(), 0));
        }
        let occurrences = start..file.occurrences.len();
        file.components.push(Component { span: Span::default(), lifelines, occurrences });
    }
    file
}

fn name_without_span(file: &mut TraceFile, text: &str) -> Name {
    Name { symbol: file.names.intern(text), span: Span::default() }
}
