//! Multi-traces and partial orders as lists, with one line for each component or process.

use std::fmt::Write as _;

use otus_core::Pool;
use otus_core::index::Index as _;
use otus_trace::order::{EventId, PartialOrder};
use otus_trace::{MultiTrace, Step};

use super::Options;
use super::canvas::{plain, shorten, width};
use crate::layout::multitrace::{Lane, Values, carried, names};
use crate::metrics::grouped;

/// A multi-trace as text: a line for each component with its lifelines, its actions with a bar
/// after the consumed ones, and the remarks on its lane. Actions that do not fit the line are counted.
pub fn multi_trace(
    trace: &MultiTrace,
    pool: &Pool,
    lanes: &[Lane],
    values: Option<Values<'_>>,
    options: &Options,
) -> String {
    let signature = pool.signature();
    let lines = trace.partition().components().map(|component| {
        let lane = lanes.get(component.index()).copied().unwrap_or_default();
        let action = move |at: usize, step: &Step| {
            let text = pool.action(step.action()).text(signature);
            let carried = values.map(|values| carried(values, component, at)).unwrap_or_default();
            if carried.is_empty() { text } else { format!("{text}({carried})") }
        };
        let mut at = 0;
        let moments = trace.moments(component).map(move |moment| {
            let texts: Vec<String> =
                moment.iter().zip(at..).map(|(step, at)| action(at, step)).collect();
            at += moment.len();
            match texts.as_slice() {
                [text] => text.clone(),
                several => format!("{{{}}}", several.join(", ")),
            }
        });
        let count = trace.moments(component).count();
        let texts = moments.enumerate().map(move |(index, text)| {
            if index + 1 == lane.consumed { format!("{text} │") } else { text }
        });
        let head = format!("[{}]", names(trace, signature, component));
        (head, texts, count, lane.remarks(None))
    });
    list(lines, options)
}

/// A partial order as text: a line for each process with its events in order, and for each
/// event its direct predecessors on other processes.
pub fn order(trace: &PartialOrder, options: &Options) -> String {
    let lines = trace.processes().map(|process| {
        let texts = trace.events(process).map(move |event| event_text(trace, event));
        let count = trace.length(process) as usize;
        (trace.process_name(process).to_owned(), texts, count, Vec::new())
    });
    list(lines, options)
}

fn event_text(trace: &PartialOrder, event: EventId) -> String {
    let mut text = trace.label(event).unwrap_or_default().to_owned();
    for assignment in trace.assignments(event) {
        let before = if text.is_empty() { "" } else { " " };
        let name = trace.variable_name(assignment.variable);
        let _ = write!(text, "{before}{name} := {}", trace.value(assignment.value));
    }
    if text.is_empty() {
        text.push('·');
    }
    let after: Vec<String> = trace
        .incoming(event)
        .iter()
        .map(|edge| {
            let process = trace.process_name(trace.process_of(edge.from));
            format!("{process} {}", trace.position(edge.from))
        })
        .collect();
    if !after.is_empty() {
        let _ = write!(text, " (after {})", after.join(", "));
    }
    text
}

/// Formats lines that consist of a head, some texts, their number, and remarks.
fn list<T: Iterator<Item = String>>(
    lines: impl Iterator<Item = (String, T, usize, Vec<String>)>,
    options: &Options,
) -> String {
    let lines: Vec<_> = lines.collect();
    let most = (options.width / 3).max(8);
    let heads: Vec<String> = lines.iter().map(|line| shorten(&line.0, most)).collect();
    let column = heads.iter().map(|head| width(head)).max().unwrap_or(0) + 2;
    let all = lines.len();
    let mut out = String::new();
    for (index, (head, (_, texts, count, tail))) in heads.iter().zip(lines).enumerate() {
        if index >= options.rows.max(1) {
            let _ = writeln!(out, "… {} more rows", grouped(all - index));
            break;
        }
        let tail = if tail.is_empty() { String::new() } else { format!("  ({})", tail.join(", ")) };
        let _ = write!(out, "{head}{}", " ".repeat(column - width(head)));
        let room = options.width.saturating_sub(column + width(&tail));
        let mut used = 0;
        for (done, text) in texts.enumerate() {
            let text = shorten(&text, room.max(12));
            let separator = if done > 0 { "; " } else { "" };
            // After each text except the last, there must be room for the number of texts that are
            // left out.
            let more = format!("; … {} more", grouped(count - done));
            let rest = if done + 1 < count { width(&more) } else { 0 };
            let needed = width(separator) + width(&text);
            if done > 0 && used + needed + rest > room {
                out.push_str(&more);
                break;
            }
            out.push_str(separator);
            out.push_str(&text);
            used += needed;
        }
        if count == 0 {
            out.push('ε');
        }
        out.push_str(&tail);
        out.push('\n');
    }
    if options.ascii {
        let ascii = |c| match c {
            '\n' => c,
            'ε' => '-',
            _ => plain(c),
        };
        out.chars().map(ascii).collect()
    } else {
        out
    }
}
