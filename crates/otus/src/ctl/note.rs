//! Notes: the facts and assumptions on which an answer is based, besides the formula and the trace.

use otus_ctl::Property;
use otus_ctl::lower::history::{Clash, Holder};
use otus_ctl::lower::{History, MOST_INSTANCES};
use otus_syntax::ast::formula::Quantifier;
use otus_trace::order::PartialOrder;

use crate::units::counted;

/// The notes on an answer to a property.
pub(super) fn notes(property: &Property, trace: &PartialOrder) -> Vec<String> {
    let mut notes = Vec::new();
    for expansion in &property.expansions {
        let word = match expansion.quantifier {
            Quantifier::All => "forall",
            Quantifier::Exists => "exists",
        };
        let choices = counted(expansion.instances, "choice");
        let names = &expansion.names;
        notes.push(format!("{word} {names}: {choices} of processes, of at most {MOST_INSTANCES}"));
    }
    notes.extend(property.histories.iter().map(|history| history_note(history, trace)));
    notes.extend(assumed(trace));
    notes
}

fn history_note(history: &History, trace: &PartialOrder) -> String {
    let History { condition, held, members, .. } = history;
    let keys = history.keys.join(", ");
    let Some(clash) = &history.clash else {
        let members = counted(*members, "member");
        return match keys.as_str() {
            "" => format!("of {members}, {held} ever had {condition}"),
            _ => format!(
                "{members}; {} of {keys} with {condition}, each of one member only",
                counted(*held, "value")
            ),
        };
    };
    let Clash { values, holders: [first, second] } = clash;
    let (one, other) = (trace.process_name(first.process), trace.process_name(second.process));
    let with: Vec<String> =
        history.keys.iter().zip(values).map(|(key, value)| format!("{key} = {value}")).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
    let more = match history.held_by_several {
        0 | 1 => String::new(),
        several => format!("; {} more of {keys} likewise", counted(several - 1, "value")),
    };
    format!(
        "`{one}` and `{other}` both had {condition}{with}: {} and {}{more}",
        place(*first, trace),
        place(*second, trace)
    )
}

/// The event at which a process first held something: `n1:4 (n1.log:12)`.
fn place(holder: Holder, trace: &PartialOrder) -> String {
    match trace.event(holder.process, holder.position) {
        Some(event) => trace.describe(event),
        None => format!("`{}` before its first event", trace.process_name(holder.process)),
    }
}

/// The maximum number of variables that a note names.
const MOST_NAMED: usize = 4;

/// A note about the order of assignments that was assumed, if there is one.
fn assumed(trace: &PartialOrder) -> Option<String> {
    let pairs = trace.assumed_writes();
    let mut variables = pairs.to_vec();
    variables.sort_unstable();
    variables.dedup();
    let mut names: Vec<String> = variables
        .iter()
        .take(MOST_NAMED)
        .map(|&variable| format!("`{}`", trace.variable_name(variable)))
        .collect();
    if variables.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    let count = counted(pairs.len(), "pair");
    (!pairs.is_empty()).then(|| {
        format!(
            "assumed by --order-writes: {count} of concurrent assignments to {} happened in the order of \
             Lamport time, then of processes; another order may give another answer",
            names.join(", ")
        )
    })
}
