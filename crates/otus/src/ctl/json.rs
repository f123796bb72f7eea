//! Answers as JSON.
//!
//! A witness may have millions of events and be nested as deeply as its formula. So it is written while it is
//! traversed, without recursion and without a tree of JSON values, which would take many times the memory of the
//! trace. A run is serialized without its children; then its closing brace is removed, and the children follow.

use std::borrow::Borrow;

use otus_trace::order::{EventId, PartialOrder, Value};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::answer::{Answer, Stats, reason};
use super::summary::Summary;
use super::warning::Warning;
use super::witness::Witness;

/// All answers as one JSON document with a version.
pub fn document(answers: &[Answer], summary: &Summary) -> String {
    let answers: Vec<String> = answers.iter().map(Answer::json).collect();
    let answers = answers.join(",\n    ");
    let summary = object(summary);
    format!(
        "{{\n  \"version\": 1,\n  \"results\": [\n    {answers}\n  ],\n  \"summary\": {summary}\n}}\n"
    )
}

impl Answer {
    /// The answer as a JSON object without line breaks:
    /// `{"formula","name"?,"holds","reason"?,"cuts"?,"satisfying"?,"boxes"?,
    /// "complete"?,"engine","visible_events","micros","stats"?,"warnings"?,"notes"?,"unchecked"?,"witness"?}`.
    pub fn json(&self) -> String {
        let trace = &*self.trace;
        let cuts = self.cuts.as_ref();
        let boxes = cuts.and_then(|cuts| cuts.boxes.as_ref());
        let mut out = object(&Record {
            formula: &self.formula,
            name: self.name.as_deref(),
            holds: self.holds,
            reason: self.reason(),
            cuts: cuts.map(|cuts| Number(&cuts.all)),
            satisfying: cuts.map(|cuts| Number(&cuts.satisfying)),
            boxes: boxes.map(|boxes| {
                boxes.iter().map(|ranges| Map(move || trace.process_names().zip(ranges))).collect()
            }),
            complete: cuts.filter(|_| boxes.is_some()).map(|cuts| cuts.complete),
            engine: self.engine,
            visible_events: self.visible_events,
            micros: self.elapsed.as_micros(),
            stats: self.stats.as_ref(),
            warnings: &self.warnings,
            notes: &self.notes,
            unchecked: self.unwarned.map(reason),
        });
        if let Some(witness) = &self.witness {
            out.pop(); // The closing brace.
            out.push_str(",\"witness\":");
            runs(&mut out, witness, trace);
            out.push('}');
        }
        out
    }
}

#[derive(Serialize)]
struct Record<'a, B> {
    formula: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cuts: Option<Number<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    satisfying: Option<Number<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boxes: Option<Vec<B>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    engine: &'a str,
    visible_events: usize,
    micros: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<&'a Stats>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [Warning],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    /// The reason why the search for warnings ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'static str>,
}

/// A run without its children.
#[derive(Serialize)]
struct RunRecord<'a, C, V> {
    #[serde(skip_serializing_if = "Option::is_none")]
    shows: Option<&'a str>,
    events: Vec<JsonEvent<'a>>,
    cut: C,
    values: V,
}

/// `{"shows","events":[…],"cut":{…},"values":{…},"then":[…]}`
fn runs(out: &mut String, witness: &Witness, trace: &PartialOrder) {
    for (index, run) in witness.runs.iter().enumerate() {
        let values = || witness.readings.iter().zip(run.values.iter().map(JsonValue));
        out.push_str(&object(&RunRecord {
            shows: run.shows.as_deref(),
            events: run.events.iter().map(|&event| JsonEvent(trace, event)).collect(),
            cut: Map(|| trace.process_names().zip(&run.cut)),
            values: Map(values),
        }));
        out.pop(); // The closing brace.
        out.push_str(",\"then\":[");
        let next = witness.runs.get(index + 1).map(|next| next.depth);
        // The next run is a child, a sibling, or a sibling of an ancestor.
        let closed = (run.depth + 1).saturating_sub(next.unwrap_or(0));
        out.extend(std::iter::repeat_n("]}", closed));
        if closed > 0 && next.is_some() {
            out.push(',');
        }
    }
}

struct JsonEvent<'t>(&'t PartialOrder, EventId);

impl Serialize for JsonEvent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonEvent(trace, event) = *self;
        let assignments = trace.assignments(event);
        let set = || {
            assignments.iter().map(|assignment| {
                let value = JsonValue(trace.value(assignment.value));
                (trace.variable_name(assignment.variable), value)
            })
        };
        let place = trace.place(event);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("process", trace.process_name(trace.process_of(event)))?;
        map.serialize_entry("position", &trace.position(event))?;
        if let Some(label) = trace.label(event) {
            map.serialize_entry("label", label)?;
        }
        if !assignments.is_empty() {
            map.serialize_entry("set", &Map(set))?;
        }
        if let Some(file) = place.file {
            map.serialize_entry("file", file)?;
        }
        if let Some(line) = place.line {
            map.serialize_entry("line", &line)?;
        }
        map.end()
    }
}

/// A value as in a `.pot.json`: fractions are texts.
struct JsonValue<V>(V);

impl<V: Borrow<Value>> Serialize for JsonValue<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.borrow() {
            Value::Boolean(truth) => truth.serialize(serializer),
            Value::Number(number) => match number.integer() {
                Some(integer) => integer.serialize(serializer),
                None => serializer.collect_str(number),
            },
            Value::Text(text) => text.serialize(serializer),
        }
    }
}

/// The largest integer that a reader can represent exactly if all its numbers are floating-point
/// numbers.
const EXACT: u64 = 1 << 53;

/// A count: a number or, above 2^53, a string of digits.
struct Number<'a>(&'a str);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(number) if number <= EXACT => number.serialize(serializer),
            _ => self.0.serialize(serializer),
        }
    }
}

/// The items of an iterator as an object.
struct Map<F>(F);

impl<K: Serialize, V: Serialize, I: Iterator<Item = (K, V)>, F: Fn() -> I> Serialize for Map<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0())
    }
}

fn object(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("all keys are texts")
}
