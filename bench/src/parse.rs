//! The throughput and memory of the parsers: 50 MB of multi-trace and 5 MB of interaction.
//!
//! Each workload is also parsed at half its size. The ratio of the times shows how the cost grows: 2 is linear.

use std::fmt::Write as _;

use otus_syntax::{Source, parse_spec, parse_trace};

use crate::measure::{fastest, in_child, peak_bytes, rate};

struct ParserWorkload {
    name: &'static str,
    megabytes: usize,
    text: fn(usize) -> String,
    read: fn(&Source),
    /// The target in megabytes per second.
    target: f64,
}

const fn htf(name: &'static str, text: fn(usize) -> String) -> ParserWorkload {
    ParserWorkload { name, megabytes: 50, text, read: read_trace, target: 100.0 }
}

const fn hif(name: &'static str, text: fn(usize) -> String) -> ParserWorkload {
    ParserWorkload { name, megabytes: 5, text, read: read_spec, target: 20.0 }
}

const WORKLOADS: [ParserWorkload; 4] = [
    htf("htf, long names", |bytes| {
        trace_text(bytes, &["client", "broker", "sub_1"], &["publish", "pub_ack"])
    }),
    htf("htf, short names", |bytes| trace_text(bytes, &["a", "b", "c"], &["m", "n"])),
    hif("hif, wide", wide_text),
    hif("hif, deep", deep_text),
];

pub(crate) fn run() {
    println!("parse: text to tree, fastest of 5; memory is the peak of a process that only reads");
    println!("  workload          size      rate     target   half → whole   memory");
    for (index, workload) in WORKLOADS.iter().enumerate() {
        let bytes = workload.megabytes * 1_000_000;
        let half = Source::new("half", (workload.text)(bytes / 2));
        let (half_time, ()) = fastest(5, || (workload.read)(&half));
        let source = Source::new("whole", (workload.text)(bytes));
        let (time, ()) = fastest(5, || (workload.read)(&source));
        println!(
            "  {:<17} {:>3} MB  {:>4.0} MB/s  > {:>3.0} MB/s     × {:>4.2}       {}",
            workload.name,
            workload.megabytes,
            rate(source.text().len(), time),
            workload.target,
            time.as_secs_f64() / half_time.as_secs_f64(),
            memory(index).unwrap_or_else(|| "unknown".to_owned()),
        );
    }
}

/// The peak memory of a child process that parses one workload.
fn memory(index: usize) -> Option<String> {
    let text = in_child(["memory", &index.to_string()])?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The child process of [`memory`]: prints its peak as a multiple of the text.
pub(crate) fn print_memory(index: usize) {
    let Some(workload) = WORKLOADS.get(index) else { return };
    let text = (workload.text)(workload.megabytes * 1_000_000);
    let bytes = text.len();
    let source = Source::new("whole", text);
    (workload.read)(&source);
    if let Some(peak) = peak_bytes() {
        #[expect(clippy::cast_precision_loss, reason = "a ratio to two digits")]
        let ratio = peak as f64 / bytes as f64;
        println!("{ratio:.2} × file");
    }
}

fn read_trace(source: &Source) {
    let parsed = parse_trace(source);
    assert!(parsed.diagnostics.is_empty(), "the workload is well-formed");
}

fn read_spec(source: &Source) {
    let parsed = parse_spec(source);
    assert!(parsed.diagnostics.is_empty(), "the workload is well-formed");
}

fn trace_text(bytes: usize, lifelines: &[&str], messages: &[&str]) -> String {
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = String::with_capacity(bytes + 64);
    text.push('{');
    for (i, lifeline) in lifelines.iter().enumerate() {
        let end = bytes / lifelines.len() * (i + 1);
        let _ = write!(text, "{}[{lifeline}] ", if i == 0 { "" } else { ";\n" });
        let mut first = true;
        while text.len() < end {
            if !first {
                text.push('.');
            }
            first = false;
            let sign = if random.bool() { '!' } else { '?' };
            let message = messages[random.usize(..messages.len())];
            let _ = write!(text, "{lifeline}{sign}{message}");
        }
    }
    text.push('}');
    text
}

/// An interaction with many operands and little depth.
fn wide_text(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    text.push_str("seq(\n");
    while text.len() < bytes {
        text.push_str(
            "  alt(client -- publish -> broker, loopW(broker -- ack -> (client, log))),\n",
        );
    }
    text.push_str("  o)");
    text
}

/// An interaction as deep as it is long.
fn deep_text(bytes: usize) -> String {
    let opener = "seq(a -- m -> b, loopW(";
    let depth = bytes / (opener.len() + 2);
    format!("{}o{}", opener.repeat(depth), "))".repeat(depth))
}
