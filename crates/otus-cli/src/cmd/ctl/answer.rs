//! What was found about a formula, as text and as JSON.
//!
//! JSON is written by hand: a run may have a million events, and a tree of it would take many times the
//! room of the trace.

use std::fmt::Write as _;
use std::time::Duration;

use otus_core::budget::Stop;
use otus_ctl::interval::BigUint;
use otus_ctl::{Counts, Evidence, Formulas, Satisfying};
use otus_trace::order::{EventId, PartialOrder, Value};
use serde_json::Value as Json;

use super::formula_text;
use super::read::Asked;
use super::story::{self, Scene};
use super::tally::Tally;

/// How much of a formula is shown.
const LONGEST: usize = 1000;

/// What was found about a formula.
#[derive(Debug)]
pub(super) struct Answer {
    /// Whether it holds, if that is decided.
    pub(super) holds: Option<bool>,
    /// Why it is not.
    pub(super) stop: Option<Stop>,
    pub(super) engine: &'static str,
    /// How many events make a difference.
    pub(super) visible: usize,
    pub(super) elapsed: Duration,
    pub(super) cuts: Cuts,
    /// Why cuts are not counted.
    pub(super) uncounted: Option<Stop>,
    pub(super) evidence: Vec<Evidence>,
    /// How many parts of the evidence no run can show.
    pub(super) trusted: usize,
    /// Why there is none.
    pub(super) unexplained: Option<Stop>,
}

/// What is known of the cuts at which it holds.
#[derive(Debug)]
pub(super) enum Cuts {
    Unknown,
    Counted(Counts),
    Listed(Satisfying),
}

impl Answer {
    pub(super) fn new(engine: &'static str) -> Self {
        Answer {
            holds: None,
            stop: None,
            engine,
            visible: 0,
            elapsed: Duration::ZERO,
            cuts: Cuts::Unknown,
            uncounted: None,
            evidence: Vec::new(),
            trusted: 0,
            unexplained: None,
        }
    }

    fn counts(&self) -> Option<&Counts> {
        match &self.cuts {
            Cuts::Unknown => None,
            Cuts::Counted(counts) | Cuts::Listed(Satisfying { counts, .. }) => Some(counts),
        }
    }

    pub(super) fn text(&self, asked: &Asked, trace: &PartialOrder, formulas: &Formulas) -> String {
        let name = asked.property.name.as_ref().map(|name| format!("{name}: "));
        let mut formula: String = asked.property.text.chars().take(LONGEST).collect();
        if formula.len() < asked.property.text.len() {
            formula.push('…');
        }
        let mut out = format!("{}{formula}\n", name.unwrap_or_default());
        match self.holds {
            Some(holds) => {
                let word = if holds { "holds" } else { "fails" };
                let phrase = asked.sense.phrase(holds).map(|phrase| format!(": {phrase}"));
                let _ = writeln!(out, "  {word}{}", phrase.unwrap_or_default());
            }
            None => {
                let _ = writeln!(out, "  undecided: {}", reason(self.stop));
            }
        }
        if let Some(Counts { cuts, satisfying }) = self.counts() {
            let plural = if u128::try_from(cuts) == Ok(1) { "" } else { "s" };
            let _ = writeln!(out, "  true at {satisfying} of {cuts} cut{plural}");
        }
        if self.uncounted.is_some() {
            let _ = writeln!(out, "  cuts are not counted: {}", reason(self.uncounted));
        }
        if let Cuts::Listed(satisfying) = &self.cuts {
            for ranges in &satisfying.boxes {
                let parts = trace.process_names().zip(ranges).map(|(name, &(low, high))| {
                    if low == high {
                        format!("{name}:{low}")
                    } else {
                        format!("{name}:{low}-{high}")
                    }
                });
                let _ = writeln!(out, "    {}", parts.collect::<Vec<_>>().join(" "));
            }
            if !satisfying.complete {
                let shown = satisfying.boxes.len();
                let _ = writeln!(out, "    … these are the first {shown} (--limit)");
            }
        }
        if !self.evidence.is_empty() {
            let start = Scene::first(trace, formulas, asked.property.formula);
            out.push_str(&story::text(&self.evidence, &start, formulas));
            let trusted = match self.trusted {
                0 => String::new(),
                1 => ", but for one part that is about all runs".to_owned(),
                more => format!(", but for {more} parts that are about all runs"),
            };
            let _ = writeln!(out, "  re-checked by replaying it{trusted}");
        }
        if self.unexplained.is_some() {
            let _ = writeln!(out, "  no run is shown: {}", reason(self.unexplained));
        }
        if self.holds.is_some() {
            let plural = if self.visible == 1 { "" } else { "s" };
            let _ = writeln!(
                out,
                "  {} engine, {} visible event{plural}, {:.1} ms",
                self.engine,
                self.visible,
                self.elapsed.as_secs_f64() * 1000.0
            );
        }
        out
    }

    /// `{"formula","name"?,"holds","reason"?,"cuts"?,"satisfying"?,"boxes"?,"complete"?,"engine",
    /// "visible_events","micros","witness"?}`
    pub(super) fn json(&self, asked: &Asked, trace: &PartialOrder, formulas: &Formulas) -> String {
        let mut out = format!("{{\"formula\":{}", string(&asked.property.text));
        if let Some(name) = &asked.property.name {
            let _ = write!(out, ",\"name\":{}", string(name));
        }
        match self.holds {
            Some(holds) => {
                let _ = write!(out, ",\"holds\":{holds}");
            }
            None => out.push_str(",\"holds\":null"),
        }
        if let Some(stop) = self.stop.or(self.uncounted).or(self.unexplained) {
            let _ = write!(out, ",\"reason\":{}", string(&stop.to_string()));
        }
        if let Some(Counts { cuts, satisfying }) = self.counts() {
            let (cuts, satisfying) = (number(cuts), number(satisfying));
            let _ = write!(out, ",\"cuts\":{cuts},\"satisfying\":{satisfying}");
        }
        if let Cuts::Listed(satisfying) = &self.cuts {
            let names: Vec<String> = trace.process_names().map(string).collect();
            out.push_str(",\"boxes\":");
            let mut opener = '[';
            for ranges in &satisfying.boxes {
                out.push(opener);
                let range =
                    |(name, (low, high)): (&String, &(u32, u32))| format!("{name}:[{low},{high}]");
                let ranges: Vec<String> = names.iter().zip(ranges).map(range).collect();
                let _ = write!(out, "{{{}}}", ranges.join(","));
                opener = ',';
            }
            let opened = if satisfying.boxes.is_empty() { "[" } else { "" };
            let _ = write!(out, "{opened}],\"complete\":{}", satisfying.complete);
        }
        let _ = write!(
            out,
            ",\"engine\":\"{}\",\"visible_events\":{},\"micros\":{}",
            self.engine,
            self.visible,
            self.elapsed.as_micros()
        );
        if !self.evidence.is_empty() {
            out.push_str(",\"witness\":");
            let start = Scene::first(trace, formulas, asked.property.formula);
            witness(&mut out, &self.evidence, &start, formulas, trace);
        }
        out.push('}');
        out
    }
}

/// All answers as one document.
pub(super) fn document(answers: &[String], tally: &Tally) -> String {
    let mut out = "{\n  \"version\": 1,\n  \"results\": [".to_owned();
    let mut separator = "\n    ";
    for answer in answers {
        out.push_str(separator);
        out.push_str(answer);
        separator = ",\n    ";
    }
    let _ = write!(out, "\n  ],\n  \"summary\": {}\n}}", tally.json());
    out
}

fn reason(stop: Option<Stop>) -> String {
    match stop {
        Some(Stop::States) => "the budget of nodes is used up (--max-nodes)".to_owned(),
        Some(Stop::Memory) => format!("{} (--memory)", Stop::Memory),
        Some(Stop::Time) => format!("{} (--timeout)", Stop::Time),
        Some(Stop::Cancelled) => Stop::Cancelled.to_string(),
        Some(Stop::Exhausted | Stop::Goal) | None => String::new(),
    }
}

/// What is still to be written; the last one comes next.
enum Work<'e, 't> {
    Run(&'e Evidence, Scene<'t>),
    Text(&'static str),
}

/// A tree of runs: `{"shows","events":[…],"cut":{…},"values":{…},"then":[…]}`. Several runs from the
/// first cut follow a run without events.
fn witness<'t>(
    out: &mut String,
    evidence: &[Evidence],
    start: &Scene<'t>,
    formulas: &Formulas,
    trace: &'t PartialOrder,
) {
    let mut work: Vec<Work<'_, 't>> = Vec::new();
    if let [only] = evidence {
        work.push(Work::Run(only, start.clone()));
    } else {
        out.push_str("{\"events\":[]");
        scene(out, start, trace);
        work.push(Work::Text("]}"));
        push_all(&mut work, evidence, start);
        out.push_str(",\"then\":[");
    }
    while let Some(next) = work.pop() {
        match next {
            Work::Text(text) => out.push_str(text),
            Work::Run(run, from) => {
                let shows = formula_text::short(formulas, trace, run.shows);
                let _ = write!(out, "{{\"shows\":{},\"events\":[", string(&shows));
                for (at, &happened) in run.events.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    event(out, trace, happened);
                }
                out.push(']');
                let end = from.after(&run.events);
                scene(out, &end, trace);
                out.push_str(",\"then\":[");
                work.push(Work::Text("]}"));
                push_all(&mut work, &run.then, &end);
            }
        }
    }
}

fn push_all<'e, 't>(work: &mut Vec<Work<'e, 't>>, all: &'e [Evidence], from: &Scene<'t>) {
    for (at, one) in all.iter().enumerate().rev() {
        work.push(Work::Run(one, from.clone()));
        if at > 0 {
            work.push(Work::Text(","));
        }
    }
}

/// `,"cut":{"p":3},"values":{"x":1}`
fn scene(out: &mut String, scene: &Scene<'_>, trace: &PartialOrder) {
    let parts = trace.process_names().zip(&scene.executed);
    let parts: Vec<String> =
        parts.map(|(name, count)| format!("{}:{count}", string(name))).collect();
    let _ = write!(out, ",\"cut\":{{{}}}", parts.join(","));
    let values = scene.readings().map(|(reading, read)| {
        format!("{}:{}", string(&formula_text::reading(trace, reading)), value(read))
    });
    let _ = write!(out, ",\"values\":{{{}}}", values.collect::<Vec<_>>().join(","));
}

/// `{"process","position","label"?,"set"?,"file"?,"line"?}`
fn event(out: &mut String, trace: &PartialOrder, event: EventId) {
    let process = trace.process_name(trace.process_of(event));
    let position = trace.position(event);
    let _ = write!(out, "{{\"process\":{},\"position\":{position}", string(process));
    if let Some(label) = trace.label(event) {
        let _ = write!(out, ",\"label\":{}", string(label));
    }
    let mut opener = ",\"set\":{";
    for assignment in trace.assignments(event) {
        let name = string(trace.variable_name(assignment.variable));
        let _ = write!(out, "{opener}{name}:{}", value(&trace.value(assignment.value)));
        opener = ",";
    }
    if opener == "," {
        out.push('}');
    }
    let place = trace.place(event);
    if let Some(file) = place.file {
        let _ = write!(out, ",\"file\":{}", string(file));
    }
    if let Some(line) = place.line {
        let _ = write!(out, ",\"line\":{line}");
    }
    out.push('}');
}

/// A value as in a `.pot.json`: fractions are texts.
fn value(value: &Value) -> String {
    match value {
        Value::Boolean(truth) => truth.to_string(),
        Value::Number(number) => match number.integer() {
            Some(integer) => integer.to_string(),
            None => string(&number.to_string()),
        },
        Value::Text(text) => string(text),
    }
}

/// The largest number up to which readers of JSON, which know only floating-point numbers, are
/// exact.
const EXACT: u128 = 1 << 53;

/// A count: a number, or a text of digits if it is beyond 2^53.
fn number(natural: &BigUint) -> String {
    match u128::try_from(natural) {
        Ok(small) if small <= EXACT => small.to_string(),
        _ => string(&natural.to_string()),
    }
}

fn string(text: &str) -> String {
    Json::from(text).to_string()
}
