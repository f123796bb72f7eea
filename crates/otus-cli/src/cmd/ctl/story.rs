//! A run, told event by event.
//!
//! Evidence is a tree of runs: what follows a run starts at its last cut. A [`Scene`] is a cut of the
//! full trace with what a formula reads there; walking along a run changes it. Nothing here recurses,
//! since evidence is as deep as a formula is.

use std::fmt::Write as _;

use otus_core::index::Index as _;
use otus_ctl::atom::Reading;
use otus_ctl::{Evidence, Formula, FormulaId, Formulas};
use otus_trace::order::{EventId, LabelId, PartialOrder, Value};

use super::formula_text;

/// Whether an answer can be shown by runs.
pub(super) fn can_be_shown(formulas: &Formulas, formula: FormulaId, holds: bool) -> bool {
    let mut pending = vec![if holds { formula } else { formulas.not(formula) }];
    let mut met = vec![false; formulas.count()];
    while let Some(part) = pending.pop() {
        if std::mem::replace(&mut met[part.index()], true) {
            continue;
        }
        match formulas.get(part) {
            Formula::Until(_) | Formula::Next(_) => return true,
            Formula::And(all) | Formula::Or(all) => pending.extend_from_slice(all),
            Formula::True | Formula::False | Formula::End | Formula::Atom(_) | Formula::Not(_) => {}
        }
    }
    false
}

/// What the atoms of a formula read, in the order of first use, each once.
pub(super) fn readings(formulas: &Formulas, formula: FormulaId) -> Vec<Reading> {
    let mut met = vec![false; formulas.count()];
    let mut found = Vec::new();
    let mut pending = vec![formula];
    while let Some(part) = pending.pop() {
        if std::mem::replace(&mut met[part.index()], true) {
            continue;
        }
        if let Formula::Atom(atom) = formulas.get(part) {
            found.extend(formulas.atom_of(*atom).readings());
        }
        pending.extend_from_slice(formulas.get(part).operands());
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A cut, and what is read there.
#[derive(Debug, Clone)]
pub(super) struct Scene<'t> {
    trace: &'t PartialOrder,
    /// By process: how many of its events have happened.
    pub(super) executed: Vec<u32>,
    happened: usize,
    pub(super) readings: Vec<(Reading, Value)>,
}

impl<'t> Scene<'t> {
    /// The first cut.
    pub(super) fn new(trace: &'t PartialOrder, readings: &[Reading]) -> Self {
        let first = |&reading: &Reading| {
            let value = match reading {
                Reading::Variable(variable) => trace.value(trace.initial(variable)),
                Reading::Last(_) => Value::Text("".into()),
                Reading::Count(..) => Value::integer(0),
            };
            (reading, value)
        };
        Scene {
            trace,
            executed: vec![0; trace.process_count()],
            happened: 0,
            readings: readings.iter().map(first).collect(),
        }
    }

    pub(super) fn is_last(&self) -> bool {
        self.happened == self.trace.event_count()
    }

    /// What is after a run.
    pub(super) fn after(mut self, events: &[EventId]) -> Self {
        let mut counts: Vec<i64> = vec![0; self.readings.len()];
        for &event in events {
            let process = self.trace.process_of(event);
            self.executed[process.index()] += 1;
            self.happened += 1;
            let label: Option<LabelId> = self.trace.label_id(event);
            for (at, (reading, value)) in self.readings.iter_mut().enumerate() {
                match *reading {
                    Reading::Variable(variable) => {
                        for assignment in self.trace.assignments(event) {
                            if assignment.variable == variable {
                                *value = self.trace.value(assignment.value);
                            }
                        }
                    }
                    Reading::Last(of) if of == process => {
                        let label = label.map(|label| self.trace.label_name(label));
                        *value = Value::Text(label.unwrap_or_default().into());
                    }
                    Reading::Count(of, wanted)
                        if of == process && (wanted.is_none() || wanted == label) =>
                    {
                        counts[at] += 1;
                    }
                    Reading::Last(_) | Reading::Count(..) => {}
                }
            }
        }
        for ((_, value), more) in self.readings.iter_mut().zip(counts) {
            if more > 0
                && let Value::Number(number) = value
                && let Some(sum) = number.checked_add(more.into())
            {
                *number = sum;
            }
        }
        self
    }

    /// The cut as a vector: `p:3 q:5`. Of many processes, those that have done something.
    fn cut(&self) -> String {
        let many = self.executed.len() > PARTS;
        let names = self.trace.process_names().zip(&self.executed);
        let parts: Vec<String> = names
            .filter(|(_, count)| !many || **count > 0)
            .map(|(name, count)| format!("{name}:{count}"))
            .collect();
        let others = self.executed.len() - parts.len();
        let others = match (others, parts.len()) {
            (0, _) => "",
            (_, 0) => "of no event",
            (_, _) => ", others 0",
        };
        format!("{}{others}", abbreviated(&parts, " ", "process", "processes"))
    }

    /// `x = 3, last(p) = "send"`
    fn values(&self) -> String {
        let value = |(reading, value): &(Reading, Value)| {
            format!("{} = {value}", formula_text::reading(self.trace, *reading))
        };
        let parts: Vec<String> = self.readings.iter().map(value).collect();
        abbreviated(&parts, ", ", "value", "values")
    }
}

/// How many parts of a cut are shown.
const PARTS: usize = 16;

fn abbreviated(parts: &[String], separator: &str, one: &str, many: &str) -> String {
    let mut text = parts[..parts.len().min(PARTS)].join(separator);
    if parts.len() > PARTS {
        let more = parts.len() - PARTS;
        let _ = write!(text, "{separator}… {more} more {}", if more == 1 { one } else { many });
    }
    text
}

/// How many runs are told.
const MOST_RUNS: usize = 50;

/// How many events of a run are shown, unless they are all.
const SHOWN: usize = 24;

/// Runs from a scene as a text, each line with two spaces before it at least.
pub(super) fn text(evidence: &[Evidence], start: &Scene<'_>, formulas: &Formulas) -> String {
    let mut out = String::new();
    let mut pending: Vec<(&Evidence, Scene<'_>, usize)> = Vec::new();
    let several = evidence.len() > 1;
    pending.extend(evidence.iter().rev().map(|one| (one, start.clone(), 0)));
    let mut told = 0;
    while let Some((one, scene, depth)) = pending.pop() {
        if told == MOST_RUNS {
            let _ = writeln!(out, "  … and more runs (--format json has all)");
            break;
        }
        // Depth belongs to the user, and indentation must not cost its square.
        let indent = "  ".repeat(depth.min(10) + 1);
        let shows = if depth > 0 || several {
            format!(", showing {}", formula_text::short(formulas, scene.trace, one.shows))
        } else {
            String::new()
        };
        let from = if depth > 0 { "from there" } else { "shown by" };
        let count = one.events.len();
        let plural = if count == 1 { "" } else { "s" };
        let from_first = scene.happened == 0;
        let end = scene.after(&one.events);
        let follows = |depth: usize| one.then.iter().rev().map(move |next| (next, depth));
        if count == 0 && !one.then.is_empty() {
            // What follows says more.
            pending.extend(follows(depth).map(|(next, depth)| (next, end.clone(), depth)));
            continue;
        }
        told += 1;
        if count == 0 {
            let place = if from_first { "the first cut" } else { "this cut" };
            let _ = writeln!(out, "{indent}{from} no event at all{shows}; {place} will do");
        } else {
            let _ = writeln!(out, "{indent}{from} a run of {count} event{plural}{shows}:");
            list(&mut out, end.trace, &one.events, &indent);
        }
        let values = end.values();
        let values = if values.is_empty() { values } else { format!(", where {values}") };
        let last = if end.is_last() { "the last cut" } else { "the cut" };
        let _ = writeln!(out, "{indent}to {last} {}{values}", end.cut());
        pending.extend(follows(depth + 1).map(|(next, depth)| (next, end.clone(), depth)));
    }
    out
}

/// The events of a run, numbered.
fn list(out: &mut String, trace: &PartialOrder, events: &[EventId], indent: &str) {
    let hidden = if events.len() > SHOWN { SHOWN / 2..events.len() - SHOWN / 2 } else { 0..0 };
    let line = |event: EventId| {
        let process = trace.process_name(trace.process_of(event));
        let name = format!("{process}:{}", trace.position(event));
        (name, deed(trace, event), place(trace, event))
    };
    let shown: Vec<(usize, (String, String, String))> = events
        .iter()
        .enumerate()
        .filter(|(at, _)| !hidden.contains(at))
        .map(|(at, &event)| (at, line(event)))
        .collect();
    let number = events.len().to_string().len();
    let wide = |text: fn(&(String, String, String)) -> &str| {
        shown.iter().map(|(_, parts)| text(parts).chars().count()).max().unwrap_or(0)
    };
    let (name, deed) = (wide(|parts| &parts.0), wide(|parts| &parts.1).min(60));
    for (at, (event, what, place)) in &shown {
        if *at == hidden.end && !hidden.is_empty() {
            let _ = writeln!(out, "{indent}  {:>number$}  {} events more", "…", hidden.len());
        }
        let line = format!("{:>number$}  {event:name$}  {what:deed$}  {place}", at + 1);
        let _ = writeln!(out, "{indent}  {}", line.trim_end());
    }
}

/// What an event does: its label, its assignments.
fn deed(trace: &PartialOrder, event: EventId) -> String {
    const MOST: usize = 4;
    let mut parts: Vec<String> = trace.label(event).map(str::to_owned).into_iter().collect();
    let assignments = trace.assignments(event);
    for assignment in assignments.iter().take(MOST) {
        let variable = trace.variable_name(assignment.variable);
        parts.push(format!("{variable} := {}", trace.value(assignment.value)));
    }
    if assignments.len() > MOST {
        parts.push("…".to_owned());
    }
    parts.join(", ")
}

/// Where an event was read.
fn place(trace: &PartialOrder, event: EventId) -> String {
    let place = trace.place(event);
    match (place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => String::new(),
    }
}
