//! A verdict with all that belongs to it, as text and as JSON.
//!
//! The line of a case file's answer is written by hand into the output: it is made a hundred
//! thousand times, and a tree of it would cost as much as the analysis.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use otus_analysis::budget::Stop;
use otus_analysis::witness::WitnessStep;
use otus_analysis::{Observed, Question, Verdict, Witness};
use otus_core::{EventId, Pool, RegionId};
use otus_trace::{ComponentId, MultiTrace, Partition};
use serde_json::{Value, json};

use crate::report::ladder;
use crate::report::model::{Case, Explanation, Missing, Outcome};
use crate::words::counted;

/// What is to be said about a multi-trace.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) id: &'a str,
    pub(super) trace: &'a MultiTrace,
    pub(super) found: Found,
    /// The question, if it was put to the fast engine.
    pub(super) question: Option<&'a Question>,
    /// What the question is called, and whether in the words of `--observed`.
    pub(super) kind: (&'static str, bool),
    pub(super) engine: &'static str,
    /// The partition in words.
    pub(super) partition: &'a str,
    /// Of a Fail on raw logs: the first actions that could not be explained.
    pub(super) unexplained: Vec<Unexplained>,
    /// Of a Fail: why.
    pub(super) explanation: Option<Box<Explanation>>,
    /// Of a Fail: whether the baseline has it.
    pub(super) known: bool,
    /// If there are several specifications: the one that it belongs to.
    pub(super) spec: Option<&'a str>,
    /// Of a Fail, if there are several: those that came into question.
    pub(super) tried: Vec<&'a str>,
}

/// An action of a raw log that could not be explained.
#[derive(Debug)]
pub(super) struct Unexplained {
    pub(super) action: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// What an engine found out.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) verdict: Verdict,
    pub(super) states: u64,
    pub(super) stop: Stop,
    /// Why it is not better, if it is undecided.
    pub(super) reason: Option<Cow<'static, str>>,
    pub(super) witness: Option<Witness>,
    /// Whether a witness was looked for in vain.
    pub(super) unexplained: bool,
    /// Of a Fail: how many actions of each component could be explained at most.
    pub(super) furthest: Option<Box<[u32]>>,
    /// Whether it may be among the first that are accepted, which are drawn.
    pub(super) is_drawn: bool,
    pub(super) elapsed: Duration,
}

/// How many steps of an execution are shown as text.
const SHOWN: usize = 200;

impl Answer<'_> {
    pub(super) fn text(&self, pool: &Pool, colored: bool, out: &mut Vec<u8>) {
        let mut text = format!(
            "{}: {} ({}{}, {} partition, {}, {:.1} ms)\n",
            self.id,
            self.found.verdict,
            if self.kind.1 { "observed " } else { "" },
            self.kind.0,
            self.partition,
            counted(self.found.states, if self.question.is_some() { "state" } else { "node" }),
            self.found.elapsed.as_secs_f64() * 1000.0,
        );
        if let Some(spec) = self.spec {
            let _ = match self.tried.as_slice() {
                [] | [_] => writeln!(text, "  specification: {spec}"),
                several => writeln!(
                    text,
                    "  specification: {spec}, which explains most of it; none of {} fits",
                    several.join(", ")
                ),
            };
        }
        if let Some(reason) = &self.found.reason {
            let hint = match (self.found.stop.is_early(), self.question) {
                (true, Some(_)) => " (--max-states, --timeout, --memory)",
                (true, None) => " (--max-states, --timeout)",
                (false, _) => "",
            };
            let what = match self.found.verdict {
                Verdict::WeakPass => "undecided whether it is a Pass",
                Verdict::Inconclusive | Verdict::WeakFail | Verdict::Fail | Verdict::Pass => {
                    "undecided"
                }
            };
            let _ = writeln!(text, "  {what}: {reason}{hint}");
        }
        if let Some(witness) = &self.found.witness {
            let _ = writeln!(text, "  explained by: {}", shortened(witness, pool));
        }
        if self.found.unexplained {
            let _ = writeln!(text, "  explained by: not worked out, it takes long (--witness)");
        }
        if self.found.verdict == Verdict::WeakPass {
            let missing = self.missing(pool);
            if !missing.is_empty() {
                let missing: Vec<String> = missing.iter().map(Missing::text).collect();
                let _ = writeln!(text, "  assumed missing: {}", missing.join(", "));
            } else if let Some(Question::Each(_)) = self.question {
                let _ = writeln!(text, "  assumed: {}", self.assumed(pool));
            }
        }
        if self.known {
            let why = match &self.explanation {
                Some(explanation) => format!(", {}: {}", explanation.rule, explanation.headline),
                None => String::new(),
            };
            let _ = writeln!(text, "  known failure{why}");
        } else if let Some(explanation) = &self.explanation {
            for line in ladder::text(explanation, colored).lines() {
                let _ = writeln!(text, "  {line}");
            }
        } else {
            if let Some(furthest) = &self.found.furthest {
                let _ = writeln!(text, "  {}", how_far(self.trace, furthest, pool));
            }
            for Unexplained { action, file, line } in &self.unexplained {
                let _ = writeln!(text, "  not explained: {action} at {file}:{line}");
            }
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// `{"id","verdict","kind","observed"?,"partition","engine","states","micros","asked"?,"reason"?,"witness"?,"explanation"?}`
    pub(super) fn line(&self, pool: &Pool, asked: Option<&str>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        string(self.id, out);
        out.extend_from_slice(b",\"verdict\":\"");
        out.extend_from_slice(self.found.verdict.name().as_bytes());
        out.extend_from_slice(b"\",\"kind\":\"");
        out.extend_from_slice(self.kind.0.as_bytes());
        if self.kind.1 {
            out.extend_from_slice(b"\",\"observed\":\"");
            out.extend_from_slice(self.kind.0.as_bytes());
        }
        out.extend_from_slice(b"\",\"partition\":");
        string(self.partition, out);
        out.extend_from_slice(b",\"engine\":\"");
        out.extend_from_slice(self.engine.as_bytes());
        // Writing to a vector cannot fail.
        let micros = self.found.elapsed.as_micros();
        let _ = write!(out, "\",\"states\":{},\"micros\":{micros}", self.found.states);
        if let Some(asked) = asked {
            out.extend_from_slice(b",\"asked\":\"");
            out.extend_from_slice(asked.as_bytes());
            out.push(b'"');
        }
        if let Some(reason) = &self.found.reason {
            out.extend_from_slice(b",\"reason\":");
            string(reason, out);
        }
        if let Some(witness) = &self.found.witness {
            out.extend_from_slice(b",\"witness\":");
            string(&witness.text(pool), out);
        }
        if let Some(explanation) = &self.explanation {
            out.extend_from_slice(b",\"explanation\":");
            let _ = serde_json::to_writer(&mut *out, &ladder::json(explanation));
        }
        if let Some(spec) = self.spec {
            out.extend_from_slice(b",\"spec\":");
            string(spec, out);
        }
        if self.known {
            out.extend_from_slice(b",\"known\":true");
        }
        out.extend_from_slice(b"}\n");
    }

    /// The same with all that is known.
    pub(super) fn json(&self, pool: &Pool) -> Value {
        let mut value = json!({
            "id": self.id,
            "verdict": self.found.verdict.name(),
            "kind": self.kind.0,
            "partition": self.partition,
            "engine": self.engine,
            "states": self.found.states,
            "micros": u64::try_from(self.found.elapsed.as_micros()).unwrap_or(u64::MAX),
        });
        if self.kind.1 {
            value["observed"] = json!(self.kind.0);
        }
        if let Some(reason) = &self.found.reason {
            value["reason"] = json!(reason);
        }
        if let Some(witness) = &self.found.witness {
            value["witness"] = json!(witness.text(pool));
        }
        let names = |component| -> Vec<&str> { self.lifelines(component, pool) };
        if self.found.verdict == Verdict::WeakPass && self.found.witness.is_some() {
            let missing = self.missing(pool);
            let missing = missing.iter().map(|Missing { lifelines, count, events }| {
                json!({ "lifelines": lifelines, "events": count, "first": events })
            });
            value["missing"] = missing.collect();
        }
        if let Some(furthest) = &self.found.furthest {
            let partition = self.trace.partition();
            let reached = partition.components().zip(furthest).map(|(component, &reached)| {
                let all = self.trace.steps(component).len();
                json!({"lifelines": names(component), "explained": reached, "observed": all})
            });
            value["furthest"] = reached.collect();
        }
        if !self.unexplained.is_empty() {
            let unexplained = self.unexplained.iter().map(|Unexplained { action, file, line }| {
                json!({ "action": action, "file": file, "line": line })
            });
            value["unexplained"] = unexplained.collect();
        }
        if let Some(explanation) = &self.explanation {
            value["explanation"] = ladder::json(explanation);
        }
        if let Some(spec) = self.spec {
            value["spec"] = json!(spec);
        }
        if !self.tried.is_empty() {
            value["tried"] = json!(self.tried);
        }
        if self.known {
            value["known"] = json!(true);
        }
        value
    }

    /// The same for reports.
    pub(super) fn case(&self, pool: &Pool, outcome: Outcome, origin: Option<String>) -> Case {
        let is_weak = self.found.verdict == Verdict::WeakPass;
        let furthest = self.found.furthest.as_ref();
        Case {
            id: self.id.to_owned(),
            verdict: self.found.verdict,
            outcome,
            partition: self.partition.to_owned(),
            actions: self.trace.len(),
            reason: self.found.reason.as_ref().map(ToString::to_string),
            witness: self.found.witness.as_ref().map(|witness| witness.text(pool)),
            missing: if is_weak { self.missing(pool) } else { Vec::new() },
            how_far: furthest.map(|furthest| how_far(self.trace, furthest, pool)),
            explanation: self.explanation.clone(),
            known: self.known,
            spec: self.spec.map(str::to_owned),
            origin: origin.filter(|origin| origin != self.id),
            is_earlier: false,
            picture: None,
        }
    }

    /// The moments of the witness that were not observed, by component.
    fn missing(&self, pool: &Pool) -> Vec<Missing> {
        let partition = self.trace.partition();
        let mut missing: Vec<(u64, Vec<String>)> = vec![(0, Vec::new()); partition.len()];
        for step in self.found.witness.iter().flat_map(|witness| &witness.steps) {
            match step {
                WitnessStep::Observed(place) => {
                    unobserved(pool, partition, (place.event, Some(place.observed)), &mut missing);
                }
                WitnessStep::Unobserved(place) => {
                    unobserved(pool, partition, (place.event, None), &mut missing);
                }
                // What was left of a lifeline that the papers remove is not worked out.
                WitnessStep::Removed(_) => {}
            }
        }
        let all = partition.components().zip(missing).filter(|(component, (count, _))| {
            // Nobody assumed that something of those is there.
            let observed = self.question.map(|question| question.of(*component));
            *count > 0 && observed != Some(Observed::Unobserved)
        });
        all.map(|(component, (count, events))| {
            let lifelines = self.lifelines(component, pool).into_iter().map(str::to_owned);
            Missing { lifelines: lifelines.collect(), count, events }
        })
        .collect()
    }

    /// What is declared, for want of an execution that says what is missing.
    fn assumed(&self, pool: &Pool) -> String {
        let partition = self.trace.partition();
        let declared = partition.components().filter_map(|component| {
            let observed = self.question?.of(component);
            let names = self.lifelines(component, pool).join(" and ");
            match observed {
                Observed::Complete => None,
                Observed::Unobserved => Some(format!("{names} unobserved")),
                Observed::StopsEarly | Observed::StartsLate | Observed::Slice => {
                    Some(format!("{names} {}", observed.name()))
                }
            }
        });
        declared.collect::<Vec<_>>().join(", ")
    }

    fn lifelines<'p>(&self, component: ComponentId, pool: &'p Pool) -> Vec<&'p str> {
        lifelines(self.trace, component, pool)
    }
}

/// How far each component of a multi-trace that fails was explained, in words.
pub(in crate::cmd) fn how_far(trace: &MultiTrace, furthest: &[u32], pool: &Pool) -> String {
    let components = || trace.partition().components().zip(furthest);
    let length = |component| trace.steps(component).len();
    if components().all(|(component, &reached)| reached as usize >= length(component)) {
        return "every log is explained by itself, but more must follow".to_owned();
    }
    let reached = components().filter_map(|(component, reached)| {
        let all = length(component);
        let names = lifelines(trace, component, pool).join("+");
        (all > 0).then(|| format!("{names} {reached} of {all}"))
    });
    format!("explained at most: {}", reached.collect::<Vec<_>>().join(", "))
}

fn lifelines<'p>(trace: &MultiTrace, component: ComponentId, pool: &'p Pool) -> Vec<&'p str> {
    let lifelines = trace.partition().lifelines(component).iter();
    lifelines.map(|&lifeline| pool.signature().lifeline_name(lifeline)).collect()
}

/// How many missing events of a log are named.
const NAMED: usize = 5;

/// Counts an event on the components that it touches and that did not observe it, and names it there.
fn unobserved(
    pool: &Pool,
    partition: &Partition,
    (event, observed): (EventId, Option<RegionId>),
    missing: &mut [(u64, Vec<String>)],
) {
    let mut last = None;
    for &action in pool.event_actions(event) {
        let action = pool.action(action);
        if observed.is_some_and(|observed| pool.region_contains(observed, action.lifeline)) {
            continue;
        }
        let component = partition.component_of(action.lifeline);
        let (count, names) = &mut missing[component.0 as usize];
        // The actions of an event on one component are one moment there.
        let is_new = last.replace(component) != Some(component);
        *count += u64::from(is_new);
        if names.len() < NAMED && is_new {
            names.push(action.text(pool.signature()));
        } else if let Some(name) = names.last_mut().filter(|_| !is_new && *count <= NAMED as u64) {
            name.push_str(" with ");
            name.push_str(&action.text(pool.signature()));
        }
    }
}

/// A witness as text, without its middle if it is long.
fn shortened(witness: &Witness, pool: &Pool) -> String {
    let Some(more) = witness.steps.len().checked_sub(SHOWN).filter(|&more| more > 0) else {
        return witness.text(pool);
    };
    let part = |steps: &[WitnessStep]| Witness { steps: steps.to_vec() }.text(pool);
    let (first, last) = (SHOWN / 2, witness.steps.len() - SHOWN / 2);
    format!(
        "{}. … ({more} more) … .{}",
        part(&witness.steps[..first]),
        part(&witness.steps[last..])
    )
}

/// A JSON string.
fn string(text: &str, out: &mut Vec<u8>) {
    let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing a string to a vector cannot fail.
        let _ = serde_json::to_writer(out, text);
    }
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_are_escaped_as_json_wants_it() {
        for text in ["", "plain é", "\"quoted\" \\ \n\t\u{1}\u{7f}", "∅"] {
            let mut out = Vec::new();
            string(text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}
