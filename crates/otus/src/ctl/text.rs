//! Answers as text: the formula, the verdict and its meaning, the cuts, and the run that proves it, event by event.

use std::fmt::{self, Write as _};

use otus_core::budget::Stop;
use otus_trace::order::{EventId, PartialOrder};

use super::answer::{Answer, SatisfyingCuts, Stats, reason};
use super::witness::{Run, Witness};
use crate::units::counted;

/// The maximum number of characters of a formula that are shown.
const LONGEST_FORMULA: usize = 1000;

/// The maximum number of parts of a cut that are shown.
const MOST_PARTS: usize = 16;

const MOST_RUNS: usize = 50;

const MOST_EVENTS: usize = 24;

/// The deepest indentation. A formula may be nested deeply, and the text must not grow quadratically with its depth.
const DEEPEST: usize = 10;

const MOST_ASSIGNMENTS: usize = 4;

/// The widest column of assignments.
const WIDEST: usize = 60;

impl Answer {
    /// The answer as text for people. Limits are named by the flags of `otus ctl`.
    pub fn text(&self) -> String {
        let mut out = format!("{}{}", self.title(), self.body(flag));
        if self.holds.is_some() {
            let events = counted(self.visible_events, "visible event");
            let millis = self.elapsed.as_secs_f64() * 1000.0;
            let _ = writeln!(out, "  {} engine, {events}, {millis:.1} ms", self.engine);
        }
        if let Some(Stats { nodes, visible_events, visible_processes, visible_cuts }) = &self.stats
        {
            let _ = writeln!(
                out,
                "  as a whole: {}, {} of {} on {} of {} processes, {visible_cuts} cuts of these",
                counted(*nodes, "node"),
                visible_events,
                counted(self.trace.event_count(), "event"),
                visible_processes,
                self.trace.process_count(),
            );
        }
        out
    }

    /// The meaning of the answer, or the reason why it is undecided; otherwise the verdict.
    pub fn headline(&self) -> String {
        self.after_verdict(flag).unwrap_or_else(|| self.verdict().to_owned())
    }

    /// The cuts and the runs, one per line.
    pub fn details(&self) -> Vec<String> {
        self.body(flag).lines().skip(1).map(|line| line.trim().to_owned()).collect()
    }

    fn title(&self) -> String {
        let name = self.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let formula: String = self.formula.chars().take(LONGEST_FORMULA).collect();
        let more = if formula.len() < self.formula.len() { "…" } else { "" };
        format!("{name}{formula}{more}\n")
    }

    fn after_verdict(&self, flag: fn(Stop) -> &'static str) -> Option<String> {
        let undecided = self.undecided.map(|stop| format!("{}{}", reason(stop), flag(stop)));
        undecided.or_else(|| self.meaning.clone())
    }

    /// The verdict, the cuts and the runs. `flag` gives the flag that sets a limit.
    fn body(&self, flag: fn(Stop) -> &'static str) -> String {
        let after = self.after_verdict(flag).map(|text| format!(": {text}")).unwrap_or_default();
        let mut out = format!("  {}{after}\n", self.verdict());
        if let Some(cuts) = &self.cuts {
            cuts_text(&mut out, cuts, &self.trace);
        }
        if let Some(stop) = self.uncounted {
            let _ = writeln!(out, "  cuts are not counted: {}{}", reason(stop), flag(stop));
        }
        for note in &self.notes {
            let _ = writeln!(out, "  {note}");
        }
        if let Some(witness) = &self.witness {
            runs(&mut out, witness, &self.trace);
            let trusted = match witness.trusted {
                0 => String::new(),
                1 => ", but for one part that is about all runs".to_owned(),
                more => format!(", but for {more} parts that are about all runs"),
            };
            let _ = writeln!(out, "  re-checked by replaying it{trusted}");
        }
        if let Some(stop) = self.unexplained {
            let _ = writeln!(out, "  no run is shown: {}{}", reason(stop), flag(stop));
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "  warning: {warning}");
        }
        if let Some(stop) = self.unwarned {
            let why = reason(stop);
            let _ = writeln!(out, "  not checked whether it says anything: {why}{}", flag(stop));
        }
        out
    }
}

/// The text without the engine, the time and the flags of the command line.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.title(), self.body(|_| "").trim_end())
    }
}

/// The flag of `otus ctl` that sets a limit.
fn flag(stop: Stop) -> &'static str {
    match stop {
        Stop::States => " (--max-nodes)",
        Stop::Memory => " (--memory)",
        Stop::Time => " (--timeout)",
        Stop::Cancelled | Stop::Exhausted | Stop::Goal => "",
    }
}

fn cuts_text(out: &mut String, cuts: &SatisfyingCuts, trace: &PartialOrder) {
    let plural = if cuts.all == "1" { "" } else { "s" };
    let _ = writeln!(out, "  true at {} of {} cut{plural}", cuts.satisfying, cuts.all);
    let Some(boxes) = &cuts.boxes else { return };
    for ranges in boxes {
        let parts = trace.process_names().zip(ranges).map(|(name, &(low, high))| {
            if low == high { format!("{name}:{low}") } else { format!("{name}:{low}-{high}") }
        });
        let _ = writeln!(out, "    {}", parts.collect::<Vec<_>>().join(" "));
    }
    if !cuts.complete {
        let _ = writeln!(out, "    … these are the first {} (--limit)", boxes.len());
    }
}

/// The runs of a witness, each line indented by two spaces at least.
fn runs(out: &mut String, witness: &Witness, trace: &PartialOrder) {
    let is_several = witness.runs.first().is_some_and(|root| root.shows.is_none());
    // For each depth: the depth at which it is shown. A run without events is left out if another
    // run follows it.
    let mut shown_as = vec![0];
    let mut shown = 0;
    for (index, run) in witness.runs.iter().enumerate() {
        shown_as.truncate(run.depth + 1);
        let depth = shown_as[run.depth];
        let has_child = witness.runs.get(index + 1).is_some_and(|next| next.depth > run.depth);
        let count = run.events.len();
        let is_left_out = count == 0 && has_child;
        shown_as.push(if is_left_out { depth } else { depth + 1 });
        if is_left_out {
            continue;
        }
        if shown == MOST_RUNS {
            out.push_str("  … and more runs (--format json has all)\n");
            return;
        }
        shown += 1;
        let indent = "  ".repeat(depth.min(DEEPEST) + 1);
        let from = if depth > 0 { "from there" } else { "shown by" };
        let shows = run.shows.as_ref().filter(|_| depth > 0 || is_several);
        let shows = shows.map(|formula| format!(", showing {formula}")).unwrap_or_default();
        if count == 0 {
            let place = if run.is_from_first { "the first cut" } else { "this cut" };
            let _ = writeln!(out, "{indent}{from} no event at all{shows}; {place} will do");
        } else {
            let events = counted(count, "event");
            let _ = writeln!(out, "{indent}{from} a run of {events}{shows}:");
            list(out, trace, &run.events, &indent);
        }
        let values = witness.readings.iter().zip(&run.values);
        let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
        let values = abbreviated(&values, ", ", "value", "values");
        let values = if values.is_empty() { values } else { format!(", where {values}") };
        let last = if run.is_to_last { "the last cut" } else { "the cut" };
        let _ = writeln!(out, "{indent}to {last} {}{values}", cut(run, trace));
    }
}

/// The cut at the end of a run as a vector: `p:3 q:5`. With many processes, only those that have events in it.
fn cut(run: &Run, trace: &PartialOrder) -> String {
    let is_long = run.cut.len() > MOST_PARTS;
    let counts = trace.process_names().zip(&run.cut);
    let counts = counts.filter(|(_, count)| !is_long || **count > 0);
    let parts: Vec<String> = counts.map(|(name, count)| format!("{name}:{count}")).collect();
    let others = match (run.cut.len() - parts.len(), parts.len()) {
        (0, _) => "",
        (_, 0) => "of no event",
        (_, _) => ", others 0",
    };
    format!("{}{others}", abbreviated(&parts, " ", "process", "processes"))
}

fn abbreviated(parts: &[String], separator: &str, one: &str, many: &str) -> String {
    let mut text = parts[..parts.len().min(MOST_PARTS)].join(separator);
    if let Some(more) = parts.len().checked_sub(MOST_PARTS).filter(|&more| more > 0) {
        let _ = write!(text, "{separator}… {more} more {}", if more == 1 { one } else { many });
    }
    text
}

/// An event as a row of a table.
struct Row {
    /// The index of the event in its run, from 0.
    index: usize,
    /// `p:3`.
    event: String,
    /// The label and the assignments of the event.
    effect: String,
    place: String,
}

/// The events of a run, numbered.
fn list(out: &mut String, trace: &PartialOrder, events: &[EventId], indent: &str) {
    let half = MOST_EVENTS / 2;
    let hidden = if events.len() > MOST_EVENTS { half..events.len() - half } else { 0..0 };
    let row = |(index, &event): (usize, &EventId)| Row {
        index,
        event: format!("{}:{}", trace.process_name(trace.process_of(event)), trace.position(event)),
        effect: effect(trace, event),
        place: place(trace, event),
    };
    let shown = events.iter().enumerate().filter(|(index, _)| !hidden.contains(index));
    let rows: Vec<Row> = shown.map(row).collect();
    let number = events.len().to_string().len();
    let width = |text: fn(&Row) -> &str| {
        rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0)
    };
    let (name, wide) = (width(|row| &row.event), width(|row| &row.effect).min(WIDEST));
    for Row { index, event, effect, place } in &rows {
        if *index == hidden.end && !hidden.is_empty() {
            let _ = writeln!(out, "{indent}  {:>number$}  {} events more", "…", hidden.len());
        }
        let line = format!("{:>number$}  {event:name$}  {effect:wide$}  {place}", index + 1);
        let _ = writeln!(out, "{indent}  {}", line.trim_end());
    }
}

fn effect(trace: &PartialOrder, event: EventId) -> String {
    let mut parts: Vec<String> = trace.label(event).map(str::to_owned).into_iter().collect();
    let assignments = trace.assignments(event);
    for assignment in assignments.iter().take(MOST_ASSIGNMENTS) {
        let variable = trace.variable_name(assignment.variable);
        parts.push(format!("{variable} := {}", trace.value(assignment.value)));
    }
    if assignments.len() > MOST_ASSIGNMENTS {
        parts.push("…".to_owned());
    }
    parts.join(", ")
}

fn place(trace: &PartialOrder, event: EventId) -> String {
    let place = trace.place(event);
    match (place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => String::new(),
    }
}
