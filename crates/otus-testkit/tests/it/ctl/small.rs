//! All traces and formulas of a small scope: two processes that each assign a variable twice, any edges
//! between them, and all formulas of one or two modalities over the two variables.

use otus_ctl::atom::{Atom, Reading};
use otus_syntax::ast::formula::{Comparison, Connective, Modality, Quantifier, UntilKind};
use otus_testkit::oracle::ctl::{Ctl, Node};
use otus_trace::order::{Builder, PartialOrder, Value, VariableId, Writes};

use super::compare::Report;

/// All traces: each of two events of two processes assigns 0 or 1, and any of the eight edges is there.
fn traces() -> Vec<PartialOrder> {
    let mut traces = Vec::new();
    for bits in 0..1_u32 << 12 {
        let bit = |at: u32| bits >> at & 1;
        let mut builder = Builder::default();
        builder.initial("x", 0);
        builder.initial("y", 0);
        let processes = [builder.process("p"), builder.process("q")];
        let mut events = Vec::new();
        for at in 0..4 {
            let (process, variable) = (processes[at as usize / 2], ["x", "y"][at as usize / 2]);
            events.push(builder.event(process).set(variable, i64::from(bit(at))).at());
        }
        let pairs = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)];
        for (&(from, to), at) in pairs.iter().zip(4..) {
            if bit(at) == 1 {
                builder.edge(events[from], events[to]);
            }
        }
        // Half of them have a cycle.
        traces.extend(builder.finish(Writes::Checked));
    }
    // Each order once, so implied edges are left out.
    let mut seen = std::collections::BTreeSet::new();
    traces.retain(|trace| {
        let values: Vec<u32> = (0..4)
            .map(|event| trace.assignments(otus_trace::order::EventId(event))[0].value.0)
            .collect();
        seen.insert((values, trace.hasse()))
    });
    traces
}

/// All formulas with one modality over literals and constants, alone and with another around it.
fn formulas() -> Vec<Ctl> {
    let one = |variable: u32| {
        let reading = Reading::Variable(VariableId(variable));
        Node::Atom(Atom::Compare(reading, Comparison::Equal, Value::integer(1)))
    };
    let leaves = vec![one(0), one(1), Node::Not(0), Node::Connective(Connective::And, 0, 1)];
    let both = [Quantifier::Exists, Quantifier::All];
    let modalities = [Modality::Next, Modality::Finally, Modality::Globally];
    let untils = [UntilKind::Until, UntilKind::Weak, UntilKind::Release];
    let unary = |f: usize| -> Vec<Node> {
        both.iter()
            .flat_map(|&runs| modalities.iter().map(move |&when| Node::Temporal(runs, when, f)))
            .collect()
    };
    let binary = |f: usize, g: usize| -> Vec<Node> {
        both.iter()
            .flat_map(|&runs| untils.iter().map(move |&kind| Node::Until(runs, kind, f, g)))
            .collect()
    };
    let mut inner: Vec<Node> = Vec::new();
    for f in 0..leaves.len() {
        inner.extend(unary(f));
        for g in (0..leaves.len()).filter(|&g| g != f) {
            inner.extend(binary(f, g));
        }
    }
    let mut all = Vec::new();
    for node in inner {
        let with = |more: Option<Node>| {
            let mut nodes = leaves.clone();
            nodes.push(node.clone());
            nodes.extend(more);
            let whole = nodes.len() - 1;
            Ctl(nodes).part(whole)
        };
        all.push(with(None));
        all.extend(unary(4).into_iter().map(|node| with(Some(node))));
        all.extend(binary(4, 1).into_iter().map(|node| with(Some(node))));
        all.extend(binary(1, 4).into_iter().map(|node| with(Some(node))));
    }
    all
}

#[test]
fn engines_agree_with_the_definitions_on_the_small_scope() {
    let (traces, formulas) = (traces(), formulas());
    let all = traces.len() * formulas.len();
    // All of them if the number of cases allows it, otherwise evenly spread ones.
    let stride = (all / super::cases(100).min(all)).max(1);
    let stride = if stride > 1 { stride | 1 } else { 1 };
    let mut report = Report::default();
    for at in (0..all).step_by(stride) {
        report.compare(&traces[at % traces.len()], &formulas[at / traces.len()], at);
    }
    report.finish(&format!("{} traces and {} formulas", traces.len(), formulas.len()));
}
