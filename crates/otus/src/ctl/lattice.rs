//! A partial order as plain data, its lattice of cuts, and the truth of a formula and of each of its parts at a cut.
//!
//! *Definition.* A cut is given by how many events of each process are in it; with each event, all events before it are in it. From a
//! cut, each event that can happen next leads to another one. A formula speaks of the runs from a cut to the last one. Its
//! truth *at a cut* is its truth for these runs; `otus ctl` tells it at the first cut.
//!
//! The parts of a formula are checked as formulas of their own, with the definitions (`let`) before them. So a part that names the
//! process of a quantifier around it has no truth by itself, and is not listed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_ctl::{Checker, FormulaId, Formulas, Options, lower};
use otus_syntax::ast::formula::{FormulaFile, FormulaId as NodeId, FormulaKind, ItemKind};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::{Clocks, EventId, PartialOrder, ProcessId, Writes};

use super::Request;
use super::open::{group_of, read_trace};
use crate::analysis::study::Study;
use crate::case::Place;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::draft::TextFinding;
use crate::error::{Result, unfit};

/// A partial order of events, as somebody looks at it.
#[derive(Debug)]
pub struct OrderView {
    trace: Arc<PartialOrder>,
    clocks: Clocks,
}

/// A process with its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessView {
    /// The name.
    pub name: String,
    /// The events in order.
    pub events: Vec<EventView>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventView {
    /// Its label, or else what it assigns.
    pub text: String,
    /// Where it was read.
    pub place: Option<Place>,
    /// The least cut that has it.
    pub past: Vec<u32>,
    /// What it assigns, like `x = 2`.
    pub changes: Vec<String>,
}

/// A process, and an event of it, from 0.
pub type EventAt = (usize, usize);

/// A cut of a lattice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The number of events of each process.
    pub cut: Vec<u32>,
    /// The cuts that follow, as indices in the list.
    pub next: Vec<usize>,
}

/// A formula at a cut.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FormulaAt {
    /// What is wrong with the formula.
    pub findings: Vec<TextFinding>,
    /// Whether it holds at the first cut; `None` if it is undecided or has mistakes.
    pub holds: Option<bool>,
    /// The formula and its parts, a part after those that it is in.
    pub parts: Vec<FormulaPart>,
    /// For each cut of a list: whether the formula holds there. Empty if that is undecided.
    pub at: Vec<bool>,
    /// A run that shows why it holds or does not hold at the first cut.
    pub witness: Vec<EventAt>,
    /// What the answer says about runs.
    pub meaning: Option<String>,
}

/// A part of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaPart {
    /// Its text.
    pub text: String,
    /// The index of the part that it is in.
    pub parent: Option<usize>,
    /// Its bytes in the formula.
    pub span: Range<usize>,
    /// Whether it holds at the cut; `None` if it is undecided.
    pub holds: Option<bool>,
    /// At how many cuts it holds, as a decimal number.
    pub count: Option<String>,
}

/// The limits of one formula and of a count.
const STATES: u64 = 5_000_000;
const TIME: Duration = Duration::from_secs(20);
/// The most boxes of cuts at which a part holds, and the most parts.
const BOXES: usize = 20_000;
const MOST_PARTS: usize = 200;

impl OrderView {
    fn new(trace: PartialOrder) -> OrderView {
        let clocks = trace.clocks();
        OrderView { trace: Arc::new(trace), clocks }
    }

    /// The order of a partial-order trace.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(context: &Context, name: &str) -> Result<OrderView> {
        Ok(OrderView::new(read_trace(context, name, Writes::Ordered)?))
    }

    /// The order of a run: that of raw logs as `otus ctl` has it, or that of a multi-trace by its messages.
    ///
    /// # Errors
    /// If there is no such run, or its order is cyclic.
    pub fn of_run(context: &Context, request: &crate::Request, id: &str) -> Result<OrderView> {
        let is_spec = |name: &&String| {
            let path = std::path::Path::new(name.split('#').next().unwrap_or(name));
            crate::Format::of_name(path).is_some_and(crate::Format::is_specification)
        };
        let names = request.names.iter().filter(|name| !is_spec(name)).cloned();
        let asked = Request { group: Some(id.to_owned()), ..Request::new(names) };
        if let Ok(trace) = group_of(context, &asked) {
            return Ok(OrderView::new(trace));
        }
        match Study::open(context, request, id)?.partial_order() {
            Ok(trace) => Ok(OrderView::new(trace)),
            Err(error) => unfit!("the events of {id} have no order: {error}"),
        }
    }

    /// The processes with their events.
    pub fn processes(&self) -> Vec<ProcessView> {
        let process = |process: ProcessId| ProcessView {
            name: self.trace.process_name(process).to_owned(),
            events: self.trace.events(process).map(|event| self.event(event)).collect(),
        };
        self.trace.processes().map(process).collect()
    }

    fn event(&self, event: EventId) -> EventView {
        let trace = &self.trace;
        let changes = trace.assignments(event).iter();
        let changes: Vec<String> = changes
            .map(|it| format!("{} = {}", trace.variable_name(it.variable), trace.value(it.value)))
            .collect();
        let text = match trace.label(event) {
            Some(label) => label.to_owned(),
            None if changes.is_empty() => format!("event {}", trace.position(event)),
            None => changes.join(", "),
        };
        let at = trace.place(event);
        let place = at.file.zip(at.line).map(|(file, line)| Place {
            file: file.to_owned(),
            line: line as usize,
            columns: None,
        });
        EventView { text, place, past: self.past(event), changes }
    }

    /// The least cut that has an event.
    fn past(&self, event: EventId) -> Vec<u32> {
        (0..self.trace.process_count()).map(|column| self.clocks.at(event, column)).collect()
    }

    fn at(&self, event: EventId) -> EventAt {
        (self.trace.process_of(event).index(), self.trace.position(event) as usize - 1)
    }

    /// The direct causes between processes.
    pub fn edges(&self) -> Vec<(EventAt, EventAt)> {
        self.trace.hasse().iter().map(|edge| (self.at(edge.from), self.at(edge.to))).collect()
    }

    fn lengths(&self) -> Vec<u32> {
        self.trace.processes().map(|process| self.trace.length(process)).collect()
    }

    /// Whether the event of a process after a cut can happen next.
    fn can_happen(&self, cut: &[u32], process: usize) -> bool {
        let next = self.trace.event(ProcessId::new(process), cut[process] + 1);
        next.is_some_and(|event| {
            let past = self.past(event);
            past.iter().zip(cut).enumerate().all(|(at, (past, own))| at == process || past <= own)
        })
    }

    /// All cuts, sorted by their number of events; `None` if there are more than so many.
    pub fn lattice(&self, most: usize) -> Option<Vec<Cut>> {
        let mut cuts: Vec<Cut> = Vec::new();
        let mut level: Vec<Vec<u32>> = vec![vec![0; self.trace.process_count()]];
        while !level.is_empty() {
            if cuts.len() + level.len() > most {
                return None;
            }
            let first = cuts.len() + level.len();
            let mut next: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
            let mut followers: Vec<Vec<Vec<u32>>> = Vec::new();
            for cut in &level {
                let possible = (0..cut.len()).filter(|&process| self.can_happen(cut, process));
                let after = possible.map(|process| {
                    let mut after = cut.clone();
                    after[process] += 1;
                    after
                });
                let after: Vec<Vec<u32>> = after.collect();
                for cut in &after {
                    next.insert(cut.clone(), 0);
                }
                followers.push(after);
            }
            for (index, number) in next.values_mut().enumerate() {
                *number = first + index;
            }
            for (cut, after) in std::mem::take(&mut level).into_iter().zip(followers) {
                let next = after.iter().filter_map(|cut| next.get(cut).copied()).collect();
                cuts.push(Cut { cut, next });
            }
            level = next.into_keys().collect();
        }
        Some(cuts)
    }

    /// How many cuts there are, as a decimal number; `None` if they were not counted within the limits.
    pub fn count(&self, context: &Context) -> Option<String> {
        let mut checker = Checker::new(&self.trace, Formulas::default());
        let counts = checker.count(Formulas::TRUE, &options(context)).ok()?;
        Some(counts.cuts.to_string())
    }

    /// The greatest cut inside of a vector.
    pub fn cut_inside(&self, vector: &[u32]) -> Vec<u32> {
        let lengths = self.lengths();
        let own = |at: usize| vector.get(at).copied().unwrap_or(0).min(lengths[at]);
        let mut cut: Vec<u32> = (0..lengths.len()).map(own).collect();
        loop {
            let before = cut.clone();
            for process in 0..cut.len() {
                while cut[process] > 0 {
                    let last = self.trace.event(ProcessId::new(process), cut[process]);
                    let fits = last.is_none_or(|event| {
                        self.past(event).iter().zip(&cut).all(|(past, own)| past <= own)
                    });
                    if fits {
                        break;
                    }
                    cut[process] -= 1;
                }
            }
            if cut == before {
                return cut;
            }
        }
    }

    /// The values of all variables at a cut: the name of the process that assigned each last, that of the variable, and the
    /// value.
    pub fn values(&self, cut: &[u32]) -> Vec<(String, String, String)> {
        let trace = &self.trace;
        let variables: Vec<_> = trace.variables().collect();
        let histories = trace.histories(&variables);
        let is_in = |event: EventId| {
            let (process, at) = self.at(event);
            cut.get(process).is_some_and(|&count| at < count as usize)
        };
        let value = |(variable, writes): (_, Vec<otus_trace::order::Write>)| {
            let last = writes.iter().rev().find(|write| is_in(write.event));
            let process = last.map(|it| trace.process_name(trace.process_of(it.event)).to_owned());
            let value = last.map_or_else(|| trace.initial(variable), |write| write.value);
            let name = trace.variable_name(variable).to_owned();
            (process.unwrap_or_default(), name, trace.value(value).to_string())
        };
        variables.into_iter().zip(histories).map(value).collect()
    }

    /// A formula and its parts at a cut, and the formula at each cut of a list.
    ///
    /// # Errors
    /// If there is a bug in Otus. Mistakes in the formula are findings.
    pub fn formula(
        &self,
        context: &Context,
        text: &str,
        cut: &[u32],
        lattice: &[Cut],
    ) -> Result<FormulaAt> {
        let source = Source::new("formula", text);
        let parsed = parse_formulas(&source);
        let whole = lower(&parsed.tree, &self.trace);
        let mut found = parsed.diagnostics;
        for finding in whole.diagnostics {
            let is_same = |other: &otus_syntax::Diagnostic| {
                other.code == finding.code && other.primary.span == finding.primary.span
            };
            if !found.iter().any(is_same) {
                found.push(finding);
            }
        }
        let found = Diagnostics::new(vec![source], found);
        let mut answer = FormulaAt { findings: found.text_findings(), ..FormulaAt::default() };
        let Some(root) = parsed.tree.properties().next().map(|item| item.body) else {
            return Ok(answer);
        };
        if found.has_errors() {
            return Ok(answer);
        }
        let options = options(context);
        for (node, parent) in parts(&parsed.tree, root) {
            let span = parsed.tree.node(node).span.range();
            let mut part = FormulaPart {
                text: text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
                parent,
                span,
                holds: None,
                count: None,
            };
            if let Some((mut checker, formula)) = self.checker(&parsed.tree, text, node) {
                let boxes = checker.satisfying(formula, BOXES, &options).ok();
                let is_in = |cut: &[u32], ranges: &Vec<(u32, u32)>| {
                    ranges.iter().zip(cut).all(|(&(least, most), own)| (least..=most).contains(own))
                };
                if let Some(boxes) = &boxes {
                    let holds = |cut: &[u32]| boxes.boxes.iter().any(|ranges| is_in(cut, ranges));
                    part.holds = holds(cut).then_some(true).or(boxes.complete.then_some(false));
                    part.count = Some(boxes.counts.satisfying.to_string());
                    if parent.is_none() && boxes.complete {
                        answer.at = lattice.iter().map(|it| holds(&it.cut)).collect();
                    }
                }
            }
            answer.parts.push(part);
        }
        self.at_first(context, text, &mut answer);
        Ok(answer)
    }

    /// Adds what `otus ctl` answers: the truth at the first cut, and a run that shows it.
    fn at_first(&self, context: &Context, text: &str, answer: &mut FormulaAt) {
        let mut request = Request::new([]);
        request.limits.timeout = Some(TIME);
        request.limits.max_states = Some(STATES);
        request.warnings = false;
        let mut sources = crate::load::Sources::default();
        sources.add("formula".to_owned(), text.to_owned());
        let quiet = Context { monitor: Arc::new(crate::context::Silent), ..context.clone() };
        let trace = self.trace.clone();
        let Ok(check) = super::Check::new(&quiet, trace, sources, &request) else { return };
        let Some(Ok(found)) = check.run(&quiet).next() else { return };
        answer.holds = found.decided();
        answer.meaning.clone_from(&found.meaning);
        answer.witness = found.events().into_iter().map(|event| self.at(event)).collect();
    }

    /// A checker of a part as a formula of its own.
    fn checker(
        &self,
        file: &FormulaFile,
        text: &str,
        node: NodeId,
    ) -> Option<(Checker<'_>, FormulaId)> {
        let mut own = String::new();
        for item in file.items.iter().filter(|item| item.kind == ItemKind::Definition) {
            let _ =
                writeln!(own, "{};", text[item.span.range()].trim_end_matches([';', ' ', '\n']));
        }
        let _ = write!(own, "({})", &text[file.node(node).span.range()]);
        let parsed = parse_formulas(&Source::new("part", own));
        let lowered = lower(&parsed.tree, &self.trace);
        let has_errors =
            |found: &[otus_syntax::Diagnostic]| found.iter().any(otus_syntax::Diagnostic::is_error);
        if has_errors(&parsed.diagnostics) || has_errors(&lowered.diagnostics) {
            return None;
        }
        let formula = lowered.properties.last()?.formula;
        Some((Checker::new(&self.trace, lowered.formulas), formula))
    }
}

fn options(context: &Context) -> Options {
    let budget = Budget {
        max_states: Some(STATES),
        timeout: Some(TIME),
        cancel: context.cancel.clone(),
        ..Budget::default()
    };
    Options { budget, ..Options::default() }
}

/// The parts of a formula that are formulas by themselves, each after the one that it is in, with the index of that.
fn parts(file: &FormulaFile, root: NodeId) -> Vec<(NodeId, Option<usize>)> {
    let mut found: Vec<(NodeId, Option<usize>)> = Vec::new();
    let mut pending = vec![(root, None)];
    while let Some((node, parent)) = pending.pop() {
        if found.len() >= MOST_PARTS {
            break;
        }
        let index = found.len();
        found.push((node, parent));
        let below: Vec<NodeId> = match &file.node(node).kind {
            FormulaKind::Not(inner) | FormulaKind::Temporal(_, _, inner) => vec![*inner],
            FormulaKind::Connective(_, left, right) | FormulaKind::Until(_, _, left, right) => {
                vec![*left, *right]
            }
            FormulaKind::Constant(_)
            | FormulaKind::Number(_)
            | FormulaKind::Text(_)
            | FormulaKind::Variable(_)
            | FormulaKind::Named(..)
            | FormulaKind::Last(_)
            | FormulaKind::Count(..)
            | FormulaKind::Negative(_)
            | FormulaKind::Arithmetic(..)
            | FormulaKind::Compare(..)
            | FormulaKind::Member(..)
            | FormulaKind::Call(..)
            | FormulaKind::ForEach(..)
            | FormulaKind::AtMostOne(..)
            | FormulaKind::Invalid => Vec::new(),
        };
        pending.extend(below.into_iter().rev().map(|node| (node, Some(index))));
    }
    found
}

#[cfg(test)]
mod tests {
    use otus_trace::order::Builder;

    use super::*;

    /// A random order: three processes that assign variables, with edges from earlier events to later ones.
    fn order(seed: &mut u64) -> OrderView {
        let mut below = |most: usize| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(*seed >> 33).unwrap() % most
        };
        let mut builder = Builder::default();
        let processes = ["p", "q", "r"].map(|name| builder.process(name));
        let variables = ["x", "y", "z"];
        let mut events = Vec::new();
        for _ in 0..3 + below(5) {
            let process = below(3);
            let value = i64::try_from(below(3)).unwrap();
            events.push(builder.event(processes[process]).set(variables[process], value).at());
        }
        for to in 1..events.len() {
            if below(2) == 0 {
                builder.edge(events[below(to)], events[to]);
            }
        }
        OrderView::new(builder.finish(Writes::Checked).unwrap())
    }

    /// Whether a vector is a cut, from the definition.
    fn is_cut(view: &OrderView, vector: &[u32]) -> bool {
        let is_in = |(process, at): EventAt| at < vector[process] as usize;
        view.edges().iter().all(|&(from, to)| !is_in(to) || is_in(from))
    }

    #[test]
    fn lattices_and_cuts_are_those_of_the_definition() {
        let mut seed = 5;
        for _ in 0..200 {
            let view = order(&mut seed);
            let lengths = view.lengths();
            let mut all = Vec::new();
            for a in 0..=lengths[0] {
                for b in 0..=lengths.get(1).copied().unwrap_or(0) {
                    for c in 0..=lengths.get(2).copied().unwrap_or(0) {
                        all.push(vec![a, b, c][..lengths.len()].to_vec());
                    }
                }
            }
            let mut cuts: Vec<Vec<u32>> =
                all.iter().filter(|vector| is_cut(&view, vector)).cloned().collect();
            let lattice = view.lattice(10_000).unwrap();
            let mut found: Vec<Vec<u32>> = lattice.iter().map(|it| it.cut.clone()).collect();
            assert_eq!(view.count(&Context::default()), Some(cuts.len().to_string()));
            for (index, cut) in lattice.iter().enumerate() {
                let follows = |other: &Vec<u32>| {
                    let more =
                        other.iter().zip(&cut.cut).map(|(a, b)| i64::from(*a) - i64::from(*b));
                    let more: Vec<i64> = more.collect();
                    more.iter().all(|it| *it >= 0) && more.iter().sum::<i64>() == 1
                };
                let mut next: Vec<Vec<u32>> =
                    cut.next.iter().map(|&next| lattice[next].cut.clone()).collect();
                let mut defined: Vec<Vec<u32>> =
                    cuts.iter().filter(|other| follows(other)).cloned().collect();
                next.sort();
                defined.sort();
                assert_eq!(next, defined);
                assert!(cut.next.iter().all(|&next| next > index));
            }
            for vector in &all {
                let inside = cuts.iter().filter(|cut| cut.iter().zip(vector).all(|(a, b)| a <= b));
                let greatest = inside.fold(vec![0; lengths.len()], |sum, cut| {
                    sum.iter().zip(cut).map(|(a, b)| *a.max(b)).collect()
                });
                assert_eq!(view.cut_inside(vector), greatest);
            }
            cuts.sort();
            found.sort();
            assert_eq!(found, cuts);
            let most = cuts.len() - 1;
            assert_eq!(view.lattice(most), None);
        }
    }

    /// Truth at each cut, from the laws of CTL on the lattice.
    fn defined(view: &OrderView, lattice: &[Cut], atom: &str, kind: &str) -> Vec<bool> {
        let (name, value) = atom.split_once(" = ").unwrap();
        let at =
            |cut: &Cut| view.values(&cut.cut).iter().any(|(_, own, it)| own == name && it == value);
        let mut truth = vec![false; lattice.len()];
        for index in (0..lattice.len()).rev() {
            let cut = &lattice[index];
            let mut next = cut.next.iter().map(|&next| truth[next]);
            truth[index] = match kind {
                "EF" => at(cut) || next.any(|it| it),
                "AG" => at(cut) && next.all(|it| it),
                "AF" => at(cut) || !cut.next.is_empty() && next.all(|it| it),
                _ => at(cut),
            };
        }
        truth
    }

    #[test]
    fn formulas_are_true_where_the_laws_say_so() {
        let (mut seed, context) = (3, Context::default());
        for _ in 0..60 {
            let view = order(&mut seed);
            if view.trace.variable("x").is_none() {
                continue;
            }
            let lattice = view.lattice(10_000).unwrap();
            for kind in ["EF", "AG", "AF", ""] {
                let expected = defined(&view, &lattice, "x = 1", kind);
                let text = format!("{kind} x = 1");
                for (cut, &expected_here) in lattice.iter().zip(&expected) {
                    let found = view.formula(&context, &text, &cut.cut, &lattice).unwrap();
                    assert_eq!(found.at, expected, "{text}");
                    assert_eq!(found.parts[0].holds, Some(expected_here), "{text}");
                    assert_eq!(found.holds, Some(expected[0]), "{text}");
                    let count = expected.iter().filter(|it| **it).count().to_string();
                    assert_eq!(found.parts[0].count, Some(count));
                }
            }
        }
    }

    #[test]
    fn parts_have_places_and_parents() {
        let mut seed = 3;
        let view = order(&mut seed);
        let text = "let one = x = 1; AG(one -> EF !(x = 2))";
        let found = view.formula(&Context::default(), text, &[0, 0, 0], &[]).unwrap();
        let parts: Vec<_> = found.parts.iter().map(|it| (it.text.as_str(), it.parent)).collect();
        let expected = [
            ("AG(one -> EF !(x = 2))", None),
            ("(one -> EF !(x = 2))", Some(0)),
            ("one", Some(1)),
            ("EF !(x = 2)", Some(1)),
            ("!(x = 2)", Some(3)),
            ("(x = 2)", Some(4)),
        ];
        assert_eq!(parts, expected);
        assert!(found.parts.iter().all(|part| part.holds.is_some()), "{:?}", found.parts);
        let faulty = view.formula(&Context::default(), "AG(", &[0, 0, 0], &[]).unwrap();
        assert!(!faulty.findings.is_empty() && faulty.parts.is_empty());
    }
}
