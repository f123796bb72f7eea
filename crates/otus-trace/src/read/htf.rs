//! Reads multi-traces in Otus' own notation (`.htf`): one record for each action.
//!
//! The fields are `lifeline`, `dir` (`!` or `?`), `message`, `component` (the lifelines of the
//! component), and `joined` for an action at the same moment as the one before it. The value of a field `mid` is
//! `values.mid`, as it is written there; that of the time has no quotes. Errors of the parser become faults at their
//! lines.

use std::ops::ControlFlow;

use otus_syntax::ast::guard::Literal;
use otus_syntax::ast::{Colocalization, TraceFile, TraceValue};
use otus_syntax::{Source, parse_trace};

use super::{At, Fault, FaultKind, Fields, FoundFields, Item, LineCounter, ReadTask, Visit};
use crate::facts::TIME;

/// Begins the names of the fields of events.
pub(crate) const VALUES: &str = "values.";

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let ReadTask { lines, fields, visit, .. } = task;
    let text = match lines.rest() {
        Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Err(fault) => return visit(Item::Fault(fault)),
    };
    let source = Source::new("", text);
    let parsed = parse_trace(&source);
    let mut faults = parsed.diagnostics;
    faults.extend(crate::check(&parsed.tree));
    for found in faults.into_iter().filter(otus_syntax::Diagnostic::is_error) {
        let at = place(&source, &mut LineCounter::default(), found.primary.span.start);
        let kind = FaultKind::NotOfFormat(found.message);
        visit(Item::Fault(Fault { at, kind }))?;
    }
    actions(&source, &parsed.tree, fields, visit)
}

fn actions(
    source: &Source,
    tree: &TraceFile,
    fields: &Fields,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    let mut found = FoundFields::new(fields.names().len());
    let mut counter = LineCounter::default();
    let slot = |name: &str| fields.find(name);
    let slots = ["lifeline", "dir", "message", "component", "joined"].map(slot);
    // By symbol: the slot of its value. Without values nothing is looked up.
    let value_slots: Vec<Option<usize>> = if tree.values.is_empty() {
        Vec::new()
    } else {
        let names = tree.names.iter();
        names.map(|(_, name)| fields.find(&format!("{VALUES}{name}"))).collect()
    };
    let time = tree.names.find(TIME);
    for (number, component) in tree.components.iter().enumerate() {
        let name = match &component.lifelines {
            Colocalization::All(_) => "#all".to_owned(),
            Colocalization::Any(_) => format!("#any{number}"),
            Colocalization::Listed(names) => {
                let names = names.iter().map(|name| tree.names.text(name.symbol));
                names.collect::<Vec<_>>().join(",")
            }
        };
        let occurrences = tree.occurrences.get(component.occurrences.clone()).unwrap_or(&[]);
        for (i, occurrence) in occurrences.iter().enumerate() {
            let Some(action) = tree.actions.get(occurrence.action()) else { continue };
            found.clear();
            let direction = action.direction.symbol().to_string();
            let joined = if i > 0 && occurrence.joined() { "true" } else { "" };
            let texts = [
                tree.names.text(action.lifeline.symbol),
                &direction,
                tree.names.text(action.message.symbol),
                &name,
                joined,
            ];
            for (slot, text) in slots.iter().zip(texts) {
                if let Some(slot) = slot.filter(|_| !text.is_empty()) {
                    found.copy(slot, text.as_bytes());
                }
            }
            let values = if tree.values.is_empty() {
                &[]
            } else {
                tree.values_of(component.occurrences.start + i)
            };
            for TraceValue { field, value, span, .. } in values {
                let slot = value_slots.get(field.symbol.index()).copied().flatten();
                match (slot, value) {
                    (Some(slot), Some(Literal::Text(text))) if time == Some(field.symbol) => {
                        found.copy(slot, text.as_bytes());
                    }
                    (Some(slot), Some(_)) => found.copy(slot, source.slice(*span).as_bytes()),
                    (Some(_), None) | (None, _) => {}
                }
            }
            let at = place(source, &mut counter, occurrence.start);
            let rest = source.text().as_bytes().get(occurrence.start as usize..).unwrap_or(&[]);
            let end = memchr::memchr3(b'.', b';', b'\n', rest).unwrap_or(rest.len());
            visit(Item::Record(found.record(at, &rest[..end])))?;
        }
    }
    ControlFlow::Continue(())
}

fn place(source: &Source, counter: &mut LineCounter, start: u32) -> At {
    let line = counter.before(source.text().as_bytes(), start as usize) + 1;
    At { line, offset: u64::from(start) }
}
