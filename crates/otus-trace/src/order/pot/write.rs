//! Writes a partial-order trace as JSON text.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::super::value::write_json;
use super::super::{Assignment, EventId, PartialOrder};
use crate::read::json::{quote, write_object};

/// Writes a trace as `.pot.json`: one event per line, edges by index, and the initial values of all
/// variables. The initial values come first, so that reading the text yields the same ids.
///
/// ```
/// use otus_trace::order::{Builder, Writes, pot};
///
/// let mut builder = Builder::default();
/// let p = builder.process("p");
/// builder.event(p).set("x", 1).at();
/// let trace = builder.finish(Writes::Checked).unwrap();
/// assert_eq!(
///     pot::write(&trace),
///     "{\"init\":{\"x\":0},\n\"processes\":[\n{\"name\":\"p\",\"events\":[\n\
///      {\"var\":\"x\",\"val\":1}\n]}\n],\n\"edges\":[\n]}\n"
/// );
/// ```
pub fn write(order: &PartialOrder) -> String {
    let mut out = String::with_capacity(24 * (order.event_count() + order.edges().len()) + 100);
    out.push_str("{\"init\":");
    let initial = order.variables().map(|variable| {
        (Cow::Borrowed(order.variable_name(variable)), order.value(order.initial(variable)))
    });
    write_object(initial, |value, out| write_json(&value, out), &mut out);
    out.push_str(",\n\"processes\":[\n");
    let mut separator = "";
    for process in order.processes() {
        out.push_str(separator);
        out.push_str("{\"name\":");
        quote(order.process_name(process), &mut out);
        out.push_str(",\"events\":[\n");
        let mut first = true;
        for event in order.events(process) {
            if !first {
                out.push_str(",\n");
            }
            first = false;
            write_event(&mut out, order, event);
        }
        out.push_str(if first { "]}" } else { "\n]}" });
        separator = ",\n";
    }
    out.push_str("\n],\n\"edges\":[\n");
    separator = "";
    for edge in order.edges() {
        out.push_str(separator);
        let mut comma = '[';
        for event in [edge.from, edge.to] {
            let (process, position) = (order.process_of(event).0, order.position(event));
            let _ = write!(out, "{comma}[{process},{position}]");
            comma = ',';
        }
        out.push(']');
        separator = ",\n";
    }
    out.push_str(if separator.is_empty() { "]}\n" } else { "\n]}\n" });
    out
}

fn write_event(out: &mut String, order: &PartialOrder, event: EventId) {
    out.push('{');
    let mut fields = 0;
    let mut key = |out: &mut String, key: &str| {
        if fields > 0 {
            out.push(',');
        }
        fields += 1;
        let _ = write!(out, "\"{key}\":");
    };
    match order.assignments(event) {
        [] => {}
        [Assignment { variable, value: id }] => {
            key(out, "var");
            quote(order.variable_name(*variable), out);
            key(out, "val");
            write_json(&order.value(*id), out);
        }
        several => {
            key(out, "set");
            let set = several.iter().map(|assignment| {
                let name = order.variable_name(assignment.variable);
                (Cow::Borrowed(name), order.value(assignment.value))
            });
            write_object(set, |value, out| write_json(&value, out), out);
        }
    }
    if let Some(label) = order.label(event) {
        key(out, "label");
        quote(label, out);
    }
    let place = order.place(event);
    if let Some(file) = place.file {
        key(out, "file");
        quote(file, out);
    }
    if let Some(line) = place.line {
        key(out, "line");
        let _ = write!(out, "{line}");
    }
    out.push('}');
}
