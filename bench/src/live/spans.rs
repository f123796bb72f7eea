//! Export requests of OTLP through everything but the network: `otus-bench live spans`.
//!
//! The spans are those of calls between two services, with ten attributes each, 455 bytes in all, 500 in a request. Decoding alone is
//! the check of a request and the walk over its spans with the fields that the mapping wants. All steps together are the check, the
//! write-ahead log on disk, the mapping, the groups, and a verdict for each trace, in the file of verdicts. Both are processor time of one
//! thread; time in which it waits for the disk is none.

use std::ops::ControlFlow;

use cpu_time::ThreadTime;
use otus::{Context, Explain, Request, Texts, WitnessPolicy};
use otus_live::{Closing, Config, Format, judge_requests};
use otus_papers::statistics::number;
use otus_trace::mapping::Plan;
use otus_trace::read::{self, otlp_bytes};
use otus_trace::run::{Observed, Stream};

use crate::measure::head;
use crate::size::Size;
use crate::targets::Targets;

/// The number of traces in a request, of two spans each.
const TRACES: usize = 250;

const FLOW: &str = "sequenceDiagram\n  shop->>bank: charge\n  bank-->>shop: charge reply\n";

/// Appends a field with bytes.
fn field(key: u8, content: &[u8], out: &mut Vec<u8>) {
    out.push(key << 3 | 2);
    let mut length = content.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap_or(0) | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap_or(0));
    out.extend_from_slice(content);
}

fn attribute(key: u8, name: &str, value: &str, out: &mut Vec<u8>) {
    let (mut text, mut pair) = (Vec::new(), Vec::new());
    field(1, value.as_bytes(), &mut text);
    field(1, name.as_bytes(), &mut pair);
    field(2, &text, &mut pair);
    field(key, &pair, out);
}

/// A span of a trace: the call of the client (3), or what the server (2) does.
fn span(trace: u64, kind: u8) -> Vec<u8> {
    let mut span = Vec::new();
    let id = |kind: u8| (trace << 2 | u64::from(kind)).to_be_bytes();
    field(1, &[[0xa5; 8], trace.to_be_bytes()].concat(), &mut span);
    field(2, &id(kind), &mut span);
    if kind == 2 {
        field(4, &id(3), &mut span);
    }
    field(5, b"charge", &mut span);
    span.extend_from_slice(&[6 << 3, kind]);
    let start = 1_700_000_000_000_000_000 + trace * 1000 + u64::from(5 - kind);
    for (key, time) in [(7_u8, start), (8, start + 10 - u64::from(5 - kind) * 2)] {
        span.push(key << 3 | 1);
        span.extend_from_slice(&time.to_le_bytes());
    }
    for (number, name) in [
        "http.method",
        "http.route",
        "http.status",
        "net.peer.name",
        "net.peer.port",
        "user.id",
        "thread.id",
        "thread.name",
        "code.function",
        "deployment",
    ]
    .iter()
    .enumerate()
    {
        attribute(9, name, &format!("value {number:02} of {:08}", trace % 100_000_000), &mut span);
    }
    span
}

/// A request with the spans of some traces.
fn request(first: u64) -> Vec<u8> {
    let mut request = Vec::new();
    for (service, kind) in [("bank", 2), ("shop", 3)] {
        let (mut resource, mut scope, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        attribute(1, "service.name", service, &mut resource);
        for trace in 0..TRACES as u64 {
            field(2, &span(first + trace, kind), &mut scope);
        }
        field(1, &resource, &mut spans);
        field(2, &scope, &mut spans);
        field(1, &spans, &mut request);
    }
    request
}

/// Requests that are made before they are measured, a block at a time.
fn blocks(traces: usize) -> impl Iterator<Item = Vec<Vec<u8>>> {
    const BLOCK: usize = 100;
    let requests = traces / TRACES;
    (0..requests.div_ceil(BLOCK)).map(move |block| {
        let of_block = block * BLOCK..((block + 1) * BLOCK).min(requests);
        of_block.map(|at| request((at * TRACES) as u64)).collect()
    })
}

/// Spans per processor second.
fn rate(spans: usize, seconds: f64) -> f64 {
    number(spans) / seconds.max(1e-9)
}

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Export requests of OTLP\n");
    let traces = size.pick(100_000, 1_000_000);
    let spans = 2 * traces;
    let one = span(0, 2).len();
    println!(
        "{} traces of two spans, {one} bytes a span, {} spans a request.\n",
        number(traces),
        2 * TRACES
    );
    head("", "spans | seconds | spans per processor second");

    let Some(plan) = Plan::for_format(read::Format::Otlp) else { return };
    let fields = plan.sources[0].fields.clone();
    let (mut seconds, mut counted) = (0.0, 0);
    for block in blocks(traces) {
        let start = ThreadTime::now();
        for request in &block {
            if otlp_bytes::check(request, 1_000_000).is_ok() {
                counted += otlp_bytes::visit(request, &fields, &mut |_| ControlFlow::Continue(()));
            }
        }
        seconds += start.elapsed().as_secs_f64();
    }
    let decoding = rate(spans, seconds);
    println!("| decoding alone | {counted} | {seconds:.2} | {decoding:.0} |");

    let mut stream = Stream::new(std::sync::Arc::new(plan));
    let mut seconds = 0.0;
    if let Some(log) = stream.add("otlp", 0) {
        let mut sink = |_: &Observed<'_>| ControlFlow::Continue(());
        for (number, block) in blocks(traces.min(100_000)).enumerate() {
            let start = ThreadTime::now();
            for request in &block {
                stream.feed_spans(log, u32::try_from(number).unwrap_or(0), request, &mut sink);
            }
            seconds += start.elapsed().as_secs_f64();
        }
    }
    let mapping = rate(2 * traces.min(100_000), seconds);
    println!(
        "| decoding and mapping | {} | {seconds:.2} | {mapping:.0} |",
        2 * traces.min(100_000)
    );

    for (name, has_log) in
        [("all steps, without a log", false), ("all steps, with the log on disk", true)]
    {
        let folder = std::env::temp_dir().join(format!("otus-bench-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&folder);
        let config = Config {
            closing: Closing { grace: std::time::Duration::ZERO, ..Closing::default() },
            format: Format::Text,
            log: has_log.then(|| folder.join("state")),
            verdicts: has_log.then(|| folder.join("verdicts.jsonl")),
            ..Config::default()
        };
        let context = Context::default().with_files(Texts::default().with("flow.mmd", FLOW));
        let mut asked = Request::new(["flow.mmd"]);
        (asked.explain, asked.witness) = (Explain::First(100), WitnessPolicy::None);
        let mut making = 0.0;
        let mut requests = blocks(traces).flatten();
        let mut next = || {
            let start = ThreadTime::now();
            let request = requests.next();
            making += start.elapsed().as_secs_f64();
            request
        };
        let start = ThreadTime::now();
        let out = Box::new(std::io::sink());
        let done =
            judge_requests(&context, &asked, &config, out, &mut std::iter::from_fn(&mut next));
        let seconds = start.elapsed().as_secs_f64() - making;
        let _ = std::fs::remove_dir_all(&folder);
        let Ok(done) = done else {
            targets.add(name, "judged", "an error".to_owned(), false);
            continue;
        };
        let judged = rate(spans, seconds);
        println!("| {name} | {spans} | {seconds:.2} | {judged:.0} |");
        let is_right = done.verdicts == [traces as u64, 0, 0, 0];
        if has_log {
            targets.add(
                "spans with log and verdicts",
                "≥ half of decoding alone, ≥ 200000 per processor second, all Pass",
                format!("{:.0} %, {judged:.0}, {:?}", 100.0 * judged / decoding, done.verdicts),
                judged >= decoding / 2.0 && judged >= 200_000.0 && is_right,
            );
        }
    }
}
