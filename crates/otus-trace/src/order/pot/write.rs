//! From a trace to the text.

use std::fmt::Write as _;

use super::super::{Assignment, EventId, PartialOrder, Value};

/// The trace as `.pot.json`: an event a line, edges by index, and the initial value of every
/// variable, which come first so that reading it gives the same trace with the same ids.
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
    out.push_str("{\"init\":{");
    let mut separator = "";
    for variable in order.variables() {
        out.push_str(separator);
        text(&mut out, order.variable_name(variable));
        out.push(':');
        value(&mut out, &order.value(order.initial(variable)));
        separator = ",";
    }
    out.push_str("},\n\"processes\":[\n");
    separator = "";
    for process in order.processes() {
        out.push_str(separator);
        out.push_str("{\"name\":");
        text(&mut out, order.process_name(process));
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
            text(out, order.variable_name(*variable));
            key(out, "val");
            value(out, &order.value(*id));
        }
        several => {
            key(out, "set");
            let mut opener = '{';
            for assignment in several {
                out.push(opener);
                text(out, order.variable_name(assignment.variable));
                out.push(':');
                value(out, &order.value(assignment.value));
                opener = ',';
            }
            out.push('}');
        }
    }
    if let Some(label) = order.label(event) {
        key(out, "label");
        text(out, label);
    }
    let place = order.place(event);
    if let Some(file) = place.file {
        key(out, "file");
        text(out, file);
    }
    if let Some(line) = place.line {
        key(out, "line");
        let _ = write!(out, "{line}");
    }
    out.push('}');
}

fn value(out: &mut String, value: &Value) {
    match value {
        Value::Boolean(truth) => {
            let _ = write!(out, "{truth}");
        }
        Value::Number(number) => match number.integer() {
            Some(integer) => {
                let _ = write!(out, "{integer}");
            }
            None => {
                let _ = write!(out, "\"{number}\"");
            }
        },
        Value::Text(content) => text(out, content),
    }
}

/// A text in double quotes.
fn text(out: &mut String, content: &str) {
    out.push('"');
    for c in content.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
