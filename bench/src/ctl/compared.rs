//! The cases of `otus-bench compare` that are about CTL.

use std::fmt::Write as _;

use otus_papers::data::{OrderRow, orders};
use otus_papers::protocol::Protocol;
use otus_trace::order::pot;

use super::{SEED, every};
use crate::compare::{Case, Inputs};

pub(crate) fn compared(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for table in orders().chunk_by(OrderRow::is_same_table) {
        let protocol = table[0].protocol();
        let (Some(first), Some(last)) = (table.first(), table.last()) else { continue };
        for &OrderRow { processes, events, .. } in [first, last] {
            let name = format!("{}-{processes}-{events}", protocol.name());
            let file = write(inputs, &name, protocol, processes, events)?;
            cases.push(Case::otus("paper", name, &["ctl", &file, protocol.formula()]));
        }
    }
    for (protocol, processes) in
        [(Protocol::Peterson, 2), (Protocol::AlternatingBit, 2), (Protocol::Philosophers, 3)]
    {
        let name = format!("{}-{processes}-30000", protocol.name());
        let file = write(inputs, &name, protocol, processes, 30_000)?;
        cases.push(Case::otus("large", &name, &["ctl", &file, protocol.formula()]));
        for (title, formula) in every::of_protocol(protocol, processes) {
            let name = format!("{name}, {title}");
            cases.push(Case::otus("large", name, &["ctl", &file, &formula]));
        }
    }
    for (name, event) in [("val", ONE), ("set", TWO), ("labels", LABELLED)] {
        let file = inputs.write(&format!("{name}.pot.json"), counters(10_000, event))?;
        for formula in ["AG(x >= 0)", "EF(x = 700)", "AG(x < 5 -> AF(y > 3))"] {
            let name = format!("`{name}`, {formula}");
            cases.push(Case::otus("reading", name, &["ctl", &file, formula]));
        }
    }
    Ok(cases)
}

fn write(
    inputs: &Inputs<'_>,
    name: &str,
    protocol: Protocol,
    processes: usize,
    events: usize,
) -> anyhow::Result<String> {
    let trace = protocol.trace(processes, events, SEED);
    inputs.write(&format!("{name}.pot.json"), pot::write(&trace))
}

/// An event of one variable.
const ONE: fn(&str, usize) -> String =
    |variable, value| format!(r#"{{"var": "{variable}", "val": {value}}}"#);
/// An event of two variables.
const TWO: fn(&str, usize) -> String = |variable, value| {
    format!(r#"{{"set": {{"{variable}": {value}, "{variable}.kind": "k{}"}}}}"#, value % 3)
};
/// An event with the line that it comes from.
const LABELLED: fn(&str, usize) -> String = |variable, value| {
    let source = format!(r#""file": "{variable}.log", "line": {}"#, value + 1);
    format!(r#"{{"set": {{"{variable}": {value}}}, "label": "step", {source}}}"#)
};

/// Two processes that count, with a message after every tenth event.
fn counters(events: usize, event: fn(&str, usize) -> String) -> String {
    let mut text = String::from("{\"processes\": [");
    for (number, (process, variable)) in [("p", "x"), ("q", "y")].into_iter().enumerate() {
        let all: Vec<String> = (0..events).map(|value| event(variable, value)).collect();
        let comma = if number == 0 { "" } else { "," };
        let _ =
            write!(text, "{comma}\n{{\"name\": \"{process}\", \"events\": [{}]}}", all.join(",\n"));
    }
    let edges: Vec<String> =
        (1..events).step_by(10).map(|at| format!(r#"[["p", {at}], ["q", {at}]]"#)).collect();
    let _ = write!(text, "],\n\"edges\": [{}]}}", edges.join(","));
    text
}
