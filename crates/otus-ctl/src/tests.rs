//! Tests of the crate as a whole that need its insides: small blocks, and checks of the budget that can be counted.
//! The comparison with the definitions is in `otus-testkit`.

mod blocks;
mod budgets;

use otus_syntax::diagnostic::any_error;
use otus_syntax::{Diagnostic, Source, parse_formulas};
use otus_trace::order::{Builder, Happened, PartialOrder, ProcessId, Writes};

use crate::{Checker, FormulaId, lower};

/// A checker for one formula.
pub(crate) fn checker<'t>(trace: &'t PartialOrder, formula: &str) -> (Checker<'t>, FormulaId) {
    let parsed = parse_formulas(&Source::new("f", formula));
    let lowered = lower(&parsed.tree, trace);
    let found: Vec<Diagnostic> =
        parsed.diagnostics.into_iter().chain(lowered.diagnostics).collect();
    assert!(!any_error(&found), "{formula}: {found:?}");
    let wanted = lowered.properties[0].formula;
    (Checker::new(trace, lowered.formulas), wanted)
}

/// p counts with x, q with y, and neither is far ahead; both write `s`, one after the other, at every fourth event.
pub(crate) fn counters(length: u32) -> PartialOrder {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let event =
        |builder: &mut Builder, process: ProcessId, variable: &str, label: &str, at: u32| {
            let new = builder.event(process).label(label).set(variable, i64::from(at));
            if at.is_multiple_of(4) {
                new.set("s", i64::from(at % 8)).at()
            } else {
                new.at()
            };
        };
    for at in 1..=length {
        event(&mut builder, p, "x", "send", at);
        event(&mut builder, q, "y", "receive", at);
        builder.edge(Happened { process: p, position: at }, Happened { process: q, position: at });
        if at > 3 {
            let (from, to) = (at - 3, at);
            builder.edge(
                Happened { process: q, position: from },
                Happened { process: p, position: to },
            );
        }
    }
    builder.finish(Writes::Ordered).expect("edges go forward")
}
