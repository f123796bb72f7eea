//! Random small partial orders, and random formulas about them.
//!
//! The cases are small enough for the oracle ([`crate::oracle::ctl`]) and cover processes without events, events with several
//! assignments or none, variables that one process or several assign, numbers, fractions, truth values and texts, labels, and
//! formulas with every modality and every kind of atom. The same seed gives the same cases.

use std::fmt::Write as _;

use otus_core::index::Index as _;
use otus_ctl::atom::{Atom, Reading};
use otus_syntax::Rational;
use otus_syntax::ast::formula::{Comparison, Connective, Modality, Quantifier, UntilKind};
use otus_trace::order::{
    Builder, Happened, Kind, PartialOrder, ProcessId, Value, VariableId, Writes,
};

use crate::oracle::ctl::{Ctl, Node};

/// The size of random cases.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// The most processes.
    pub processes: usize,
    /// The most events.
    pub events: usize,
    /// The most atoms in a formula.
    pub leaves: usize,
}

const LABELS: [&str; 3] = ["go", "stop", "idle"];

struct Variable {
    name: String,
    kind: Option<Kind>,
    /// The process that assigns it; `None` for all processes.
    owner: Option<usize>,
}

/// A random trace.
///
/// # Panics
/// Never, because edges go forward along a sequence of all events.
pub fn random_order(rng: &mut fastrand::Rng, size: Size) -> PartialOrder {
    let mut builder = Builder::default();
    let count = rng.usize(1..=size.processes);
    let processes: Vec<ProcessId> = (0..count).map(|i| builder.process(&format!("p{i}"))).collect();
    let variables: Vec<Variable> = (0..rng.usize(1..=4))
        .map(|i| Variable {
            name: format!("v{i}"),
            kind: match rng.u8(..10) {
                0..5 => Some(Kind::Number),
                5..7 => Some(Kind::Boolean),
                7..9 => Some(Kind::Text),
                _ => None,
            },
            owner: rng.bool().then(|| rng.usize(..count)),
        })
        .collect();
    for variable in &variables {
        if rng.bool() {
            builder.initial(&variable.name, random_value(rng, variable.kind));
        }
    }
    let chatter = rng.f64() * 1.2;
    let business = rng.f64();
    let ordered = rng.bool();
    let mut happened: Vec<Happened> = Vec::new();
    let mut last_writer: Vec<Option<Happened>> = vec![None; variables.len()];
    for _ in 0..rng.usize(0..=size.events) {
        let process = rng.usize(..count);
        let mut edges = Vec::new();
        while rng.f64() < chatter.min(0.6) && !happened.is_empty() {
            edges.push(happened[rng.usize(..happened.len())]);
        }
        let mut event = builder.event(processes[process]);
        if rng.bool() {
            event = event.label(LABELS[rng.usize(..LABELS.len())]);
        }
        let mut written = Vec::new();
        for (at, variable) in variables.iter().enumerate() {
            if variable.owner.is_none_or(|owner| owner == process) && rng.f64() < business {
                event = event.set(&variable.name, random_value(rng, variable.kind));
                written.push(at);
            }
        }
        let at = event.at();
        for variable in written {
            if let Some(before) = last_writer[variable].replace(at).filter(|_| !ordered) {
                edges.push(before);
            }
        }
        for from in edges {
            builder.edge(from, at);
        }
        happened.push(at);
    }
    let writes = if ordered { Writes::Ordered } else { Writes::Checked };
    builder.finish(writes).expect("edges go forward")
}

/// A random formula about a trace; without EX and AX if `next` is false.
///
/// # Panics
/// Never, because there is always a formula to combine.
pub fn random_formula(
    rng: &mut fastrand::Rng,
    trace: &PartialOrder,
    size: Size,
    next: bool,
) -> Ctl {
    // Few different atoms, so that the same atom occurs in several places.
    let atoms: Vec<Atom> = (0..rng.usize(1..=3)).map(|_| random_atom(rng, trace)).collect();
    let mut nodes: Vec<Node> = Vec::new();
    let mut roots: Vec<usize> = Vec::new();
    for _ in 0..rng.usize(1..=size.leaves) {
        let leaf = match rng.u8(..20) {
            0 => Node::Constant(rng.bool()),
            _ => Node::Atom(atoms[rng.usize(..atoms.len())].clone()),
        };
        roots.push(nodes.len());
        nodes.push(leaf);
    }
    if rng.u8(..4) == 0 {
        return global_predicate(rng, nodes);
    }
    let mut budget = rng.usize(0..=2 * size.leaves);
    while roots.len() > 1 || budget > 0 {
        let first = roots.swap_remove(rng.usize(..roots.len()));
        let alone = budget > 0 && (roots.is_empty() || rng.bool());
        let node = if alone {
            budget -= 1;
            let choices = if next { 8 } else { 6 };
            let runs = if rng.bool() { Quantifier::Exists } else { Quantifier::All };
            match rng.u8(..choices) {
                0 | 1 => Node::Not(first),
                2 | 3 => Node::Temporal(runs, Modality::Finally, first),
                4 | 5 => Node::Temporal(runs, Modality::Globally, first),
                _ => Node::Temporal(runs, Modality::Next, first),
            }
        } else {
            let second = roots.swap_remove(rng.usize(..roots.len()));
            let runs = if rng.bool() { Quantifier::Exists } else { Quantifier::All };
            match rng.u8(..12) {
                0 | 1 => Node::Connective(Connective::And, first, second),
                2 | 3 => Node::Connective(Connective::Or, first, second),
                4 => Node::Connective(Connective::Implies, first, second),
                5 => Node::Connective(Connective::Iff, first, second),
                6..9 => Node::Until(runs, UntilKind::Until, first, second),
                9 | 10 => Node::Until(runs, UntilKind::Weak, first, second),
                _ => Node::Until(runs, UntilKind::Release, first, second),
            }
        };
        roots.push(nodes.len());
        nodes.push(node);
    }
    Ctl(nodes)
}

/// `EF` of a conjunction of literals, or `AG` of a disjunction, each about one process. The answer depends on the order of events
/// alone.
pub fn random_predicate(rng: &mut fastrand::Rng, trace: &PartialOrder) -> Ctl {
    let mut nodes = Vec::new();
    for process in trace.processes() {
        let reading = match rng.u8(..4) {
            0 => continue,
            1 => Reading::Last(process),
            _ => Reading::Count(process, None),
        };
        let value = match reading {
            Reading::Count(..) => Value::integer(rng.i64(0..=4)),
            Reading::Last(_) | Reading::Variable(_) => random_value(rng, Some(Kind::Text)),
        };
        nodes.push(Node::Atom(Atom::Compare(reading, random_comparison(rng), value)));
    }
    if nodes.is_empty() {
        nodes.push(Node::Constant(rng.bool()));
    }
    global_predicate(rng, nodes)
}

/// `EF` of a conjunction, or `AG` of a disjunction, of atoms and their negations.
fn global_predicate(rng: &mut fastrand::Rng, mut nodes: Vec<Node>) -> Ctl {
    let leaves = nodes.len();
    let always = rng.bool();
    let connective = if always != (rng.u8(..8) == 0) { Connective::Or } else { Connective::And };
    let mut whole: Option<usize> = None;
    for leaf in 0..leaves {
        let mut literal = leaf;
        if rng.bool() {
            literal = nodes.len();
            nodes.push(Node::Not(leaf));
        }
        whole = Some(whole.map_or(literal, |whole| {
            nodes.push(Node::Connective(connective, whole, literal));
            nodes.len() - 1
        }));
    }
    let (runs, when) = if always {
        (Quantifier::All, Modality::Globally)
    } else {
        (Quantifier::Exists, Modality::Finally)
    };
    nodes.push(Node::Temporal(runs, when, whole.unwrap_or(0)));
    Ctl(nodes)
}

/// A random atom.
///
/// # Panics
/// Never, because a trace has a process, whose events can be counted.
pub fn random_atom(rng: &mut fastrand::Rng, trace: &PartialOrder) -> Atom {
    let first = random_reading(rng, trace, None);
    let kind = kind_of(trace, first);
    let comparison = random_comparison(rng);
    match rng.u8(..10) {
        0..4 => Atom::Compare(first, comparison, random_value(rng, Some(kind))),
        4 | 5 => {
            let mut values: Vec<Value> =
                (0..rng.usize(1..=3)).map(|_| random_value(rng, Some(kind))).collect();
            values.sort_by(|a, b| a.compare(b).expect("of one kind"));
            values.dedup();
            Atom::Member(first, values.into())
        }
        6 | 7 => Atom::Pair(first, comparison, random_reading(rng, trace, Some(kind))),
        _ => {
            let mut readings: Vec<Reading> = (0..rng.usize(2..=3))
                .map(|_| random_reading(rng, trace, Some(Kind::Number)))
                .collect();
            readings.sort_unstable();
            readings.dedup();
            if readings.len() < 2 {
                return Atom::Compare(
                    readings[0],
                    comparison,
                    random_value(rng, Some(Kind::Number)),
                );
            }
            let terms = readings.into_iter().map(|reading| {
                let factor = [-2, -1, 1, 1, 1, 3][rng.usize(..6)];
                (reading, Rational::from(factor))
            });
            Atom::Linear(terms.collect(), comparison, Rational::from(rng.i64(-2..=4)))
        }
    }
}

fn random_comparison(rng: &mut fastrand::Rng) -> Comparison {
    [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ][rng.usize(..6)]
}

/// A random readable quantity, of a kind if one is given.
fn random_reading(rng: &mut fastrand::Rng, trace: &PartialOrder, kind: Option<Kind>) -> Reading {
    for _ in 0..8 {
        let process = ProcessId::new(rng.usize(..trace.process_count()));
        let reading = match rng.u8(..10) {
            0 => Reading::Last(process),
            1 => Reading::Count(process, None),
            2 => {
                let label = trace.find_label(LABELS[rng.usize(..LABELS.len())]);
                Reading::Count(process, label)
            }
            _ if trace.variable_count() == 0 => continue,
            _ => Reading::Variable(VariableId::new(rng.usize(..trace.variable_count()))),
        };
        if kind.is_none_or(|kind| kind_of(trace, reading) == kind) {
            return reading;
        }
    }
    let process = ProcessId::new(rng.usize(..trace.process_count()));
    match kind {
        Some(Kind::Text) => Reading::Last(process),
        Some(Kind::Number | Kind::Boolean) | None => Reading::Count(process, None),
    }
}

fn kind_of(trace: &PartialOrder, reading: Reading) -> Kind {
    match reading {
        Reading::Variable(variable) => trace.kind(variable),
        Reading::Last(_) => Kind::Text,
        Reading::Count(..) => Kind::Number,
    }
}

fn random_value(rng: &mut fastrand::Rng, kind: Option<Kind>) -> Value {
    match kind {
        Some(Kind::Number) => match rng.u8(..8) {
            0 => Value::text("1/2"),
            _ => Value::integer(rng.i64(-1..=2)),
        },
        Some(Kind::Boolean) => Value::Boolean(rng.bool()),
        Some(Kind::Text) => Value::Text(["", "go", "stop", "idle"][rng.usize(..4)].into()),
        None => {
            let kind = [Kind::Number, Kind::Boolean, Kind::Text][rng.usize(..3)];
            random_value(rng, Some(kind))
        }
    }
}

/// A trace as a short text, for messages.
pub fn show(trace: &PartialOrder) -> String {
    let mut text = String::new();
    for variable in trace.variables() {
        let (name, initial) = (trace.variable_name(variable), trace.initial(variable));
        let _ = write!(text, "v{} {name} = {}; ", variable.0, trace.value(initial));
    }
    for process in trace.processes() {
        let _ = write!(text, "\n  p{}:", process.0);
        for event in trace.events(process) {
            let _ = write!(text, " e{}", event.0);
            if let Some(label) = trace.label_id(event) {
                let _ = write!(text, " l{} {:?}", label.0, trace.label_name(label));
            }
            for assignment in trace.assignments(event) {
                let value = trace.value(assignment.value);
                let _ = write!(text, " v{} := {value}", assignment.variable.0);
            }
            text.push(';');
        }
    }
    text.push_str("\n  edges:");
    for edge in trace.edges() {
        let _ = write!(text, " e{} -> e{}", edge.from.0, edge.to.0);
    }
    text
}
