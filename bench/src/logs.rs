//! Raw logs: the throughput and memory of mapping lines to groups, `otus-bench logs`.
//!
//! The log is one block of lines, generated beforehand and read repeatedly, so its generation is not measured. The peak
//! memory is that of the whole process so far, including the block.

use std::fmt::Write as _;
use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use otus_syntax::Source;
use otus_trace::mapping::Plan;
use otus_trace::run::{Accounting, LogFile, Observed, map, map_on};

use crate::compare::{Case, Inputs};
use crate::measure::{Scratch, peak_bytes, rate};
use crate::size::Size;

pub(crate) fn run(size: Size, parts: &[String]) {
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);
    println!("## logs\n");
    println!("| workload | MB | s | MB/s | lines/s | groups | peak MB |");
    println!("|---|---|---|---|---|---|---|");
    if wanted("json") {
        let block = json_block(BLOCK);
        measure("json lines", &plan(JSON_PLAN), &block, size.pick(256 << 20, 1 << 30));
    }
    if wanted("regex") {
        let block = text_block(BLOCK);
        measure("text, 3 patterns", &plan(TEXT_PLAN), &block, size.pick(128 << 20, 1 << 30));
    }
    if wanted("rules") {
        let block = text_block(BLOCK);
        measure("text, 33 patterns", &plan(&many_rules()), &block, size.pick(128 << 20, 1 << 30));
    }
    if wanted("otlp") {
        let block = otlp_block(BLOCK);
        measure("OTLP", &plan(OTLP_PLAN), &block, size.pick(128 << 20, 1 << 30));
    }
    if wanted("groups") {
        groups(size.pick(1_000_000, 10_000_000), size.pick(100_000, 1_000_000));
    }
    println!();
    if wanted("threads") {
        threads(size.pick(128 << 20, 512 << 20));
    }
    if wanted("duckdb") {
        duckdb(size.pick(160 << 20, 640 << 20));
    }
}

/// The same logs on several threads: the time by the wall clock depends on what else runs, the processor time shows
/// what it costs to put the parts in order.
fn threads(bytes: usize) {
    println!("| workload | threads | MB | s | processor s |");
    println!("|---|---|---|---|---|");
    let workloads = [
        ("json lines", JSON_PLAN, json_block(BLOCK)),
        ("text, 3 patterns", TEXT_PLAN, text_block(BLOCK)),
    ];
    for (name, text, block) in &workloads {
        let plan = plan(text);
        for threads in [1, 2, 4] {
            let (file, bytes) = repeated(name, block, bytes);
            let (start, cpu) = (Instant::now(), cpu_time::ProcessTime::now());
            let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
            let accounting = map_on(&plan, vec![file], threads, &mut ignore);
            let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
            assert!(accounting.total.adds_up() && accounting.total.matched > 0);
            println!("| {name} | {threads} | {} | {wall:.2} | {cpu:.2} |", bytes >> 20);
        }
    }
    println!();
}

/// JSON lines beside `DuckDB`, which reads the same fields of the same file into the same groups, on one thread. Needs a
/// Python with the package `duckdb`: `OTUS_PYTHON`, or `python3`.
fn duckdb(bytes: usize) {
    let Some(scratch) = Scratch::new("duckdb") else { return };
    let path = scratch.0.join("log.jsonl");
    let block = json_block(BLOCK);
    let rounds = bytes.div_ceil(block.len());
    if let Err(error) = std::fs::write(&path, block.repeat(rounds)) {
        println!("Skipped: cannot write {}: {error}.", path.display());
        return;
    }
    println!("| JSON lines, {} MB | processor s |", (rounds * block.len()) >> 20);
    println!("|---|---|");
    let plan = plan(JSON_PLAN);
    for _ in 0..3 {
        let from = path.clone();
        let open = move || Ok(Box::new(std::fs::File::open(from)?) as Box<dyn Read>);
        let file = LogFile { name: "log".to_owned(), source: 0, open: Box::new(open) };
        let cpu = cpu_time::ThreadTime::now();
        let accounting = map(&plan, vec![file], &mut ignore);
        let groups = accounting.groups.total;
        println!(
            "| Otus, events in order in {groups} groups | {:.2} |",
            cpu.elapsed().as_secs_f64()
        );
    }
    let python = std::env::var("OTUS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = std::process::Command::new(&python).arg("-c").arg(DUCKDB).arg(&path).output();
    match output {
        Ok(output) if output.status.success() => {
            println!("{}", String::from_utf8_lossy(&output.stdout));
        }
        _ => println!("\nSkipped: {python} has no package `duckdb` (`pip install duckdb`).\n"),
    }
}

const DUCKDB: &str = r#"
import resource, sys
import duckdb
con = duckdb.connect()
con.execute("SET threads=1; SET enable_progress_bar=false")
columns = ("{request_id: 'VARCHAR', event: 'VARCHAR', level: 'VARCHAR', service: 'STRUCT(name VARCHAR)', "
           "rpc: 'STRUCT(method VARCHAR, peer VARCHAR, seq VARCHAR)'}")
table = f"read_json('{sys.argv[1]}', format='newline_delimited', columns={columns})"
fields = "service.name, event, rpc.method, rpc.peer, rpc.seq"
counts = " + ".join(f"count({field})" for field in fields.split(", "))
queries = {
    "DuckDB, events in a list for each group":
        f"SELECT request_id, list(({fields})) e FROM {table} WHERE event IN ('send', 'receive', 'done') GROUP BY 1",
    "DuckDB, the fields only counted by group": f"SELECT request_id, {counts} e FROM {table} GROUP BY 1",
}
for name, query in queries.items():
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_SELF)
        con.execute(f"SELECT count(e) FROM ({query})").fetchall()
        after = resource.getrusage(resource.RUSAGE_SELF)
        print(f"| {name} | {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} |")
"#;

/// The cases of `otus-bench compare`: logs on disk through `otus map`, into a case file.
pub(crate) fn compared(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Case>> {
    let mut open = String::new();
    (0..10_000).for_each(|number| interleaved(&mut open, number, 2_000));
    let workloads = [
        ("JSON lines", JSON_PLAN, json_block(COMPARED)),
        ("text, 3 patterns", TEXT_PLAN, text_block(COMPARED)),
        ("OTLP", OTLP_PLAN, otlp_block(COMPARED)),
        ("2,000 groups at once", GROUPS_PLAN, open),
    ];
    let mut cases = Vec::new();
    for (number, (name, plan, block)) in workloads.into_iter().enumerate() {
        let config = inputs.write(
            &format!("logs{number}/otus.toml"),
            plan.replace("'*'", "'*.log'").replace("\"*\"", "\"*.log\""),
        )?;
        let log = inputs.write(&format!("logs{number}/all.log"), block)?;
        let out = inputs.path(&format!("logs{number}/out.cases.jsonl"));
        let arguments = ["map", "--config", &config, &log, "--write", &out, "--force"];
        cases.push(Case::otus("logs", name, &arguments));
    }
    Ok(cases)
}

/// The bytes of a log of [`compared`].
const COMPARED: usize = 2 << 20;

/// A reader of some chunks of bytes, one after the other.
struct Chunks<C, I> {
    chunk: C,
    at: usize,
    rest: I,
}

impl<C: AsRef<[u8]>, I: Iterator<Item = C>> Read for Chunks<C, I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.chunk.as_ref().len() {
            let Some(next) = self.rest.next() else { return Ok(0) };
            (self.chunk, self.at) = (next, 0);
        }
        let left = &self.chunk.as_ref()[self.at..];
        let length = buffer.len().min(left.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}

fn measure(name: &str, plan: &Plan, block: &str, bytes: usize) {
    let (file, bytes) = repeated(name, block, bytes);
    print(name, bytes, || map(plan, vec![file], &mut ignore));
}

/// A log that is one block again and again, and its length.
fn repeated<'b>(name: &str, block: &'b str, bytes: usize) -> (LogFile<'b>, usize) {
    let rounds = bytes / block.len() + 1;
    let bytes = rounds * block.len();
    let open = move || {
        let repeated = Chunks { chunk: block, at: 0, rest: std::iter::repeat_n(block, rounds - 1) };
        Ok(Box::new(repeated) as Box<dyn Read>)
    };
    (LogFile { name: name.to_owned(), source: 0, open: Box::new(open) }, bytes)
}

fn ignore(_: &Observed<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn print(name: &str, bytes: usize, work: impl FnOnce() -> Accounting) {
    let (start, cpu) = (Instant::now(), cpu_time::ThreadTime::now());
    let accounting = work();
    let (wall, cpu) = (start.elapsed(), cpu.elapsed());
    assert!(accounting.total.adds_up());
    assert!(accounting.total.matched > 0 && accounting.total.unreadable == 0);
    let lines = accounting.total.records;
    #[expect(clippy::cast_precision_loss, reason = "a rate to three digits")]
    let per_second = lines as f64 / cpu.as_secs_f64();
    println!(
        "| {name} | {} | {:.2} | {:.0} | {per_second:.0} | {} | {} |",
        bytes >> 20,
        wall.as_secs_f64(),
        rate(bytes, cpu),
        accounting.groups.total,
        peak_bytes().unwrap_or(0) >> 20,
    );
}

const BLOCK: usize = 16 << 20;

const JSON_PLAN: &str = r#"
[[source]]
files = ["*"]
format = "json"
lifeline = "{service.name}"
group = "{request_id}"
[[source.rule]]
where = { event = ["send", "receive"] }
dir = "{event}"
message = "{rpc.method}"
peer = "{rpc.peer}"
id = "{rpc.seq}"
[[source.rule]]
where = { event = "done" }
closes = true
[[source.rule]]
where = { level = "debug" }
ignore = true
"#;

/// Requests of three services, between debug lines that a rule ignores.
fn json_block(bytes: usize) -> String {
    let mut block = String::new();
    let mut number = 0_u32;
    while block.len() < bytes {
        number += 1;
        let line = |block: &mut String, service: &str, event: &str, rest: &str| {
            let _ = writeln!(
                block,
                r#"{{"ts":"2026-11-15T07:15:13.{:03}Z","level":"info","logger":"shop.rpc.Handler","thread":"worker-{}","service":{{"name":"{service}","version":"1.4.2","instance":"{service}-7f9c"}},"event":"{event}","request_id":"req-{number:08x}","msg":"handled {number} in {} us"{rest}}}"#,
                number % 1000,
                number % 16,
                number % 977,
            );
        };
        let rpc = |method: &str, peer: &str| {
            format!(r#","rpc":{{"method":"{method}","peer":"{peer}","seq":{number},"bytes":512}}"#)
        };
        line(&mut block, "front", "send", &rpc("Order", "orders"));
        line(&mut block, "orders", "receive", &rpc("Order", "front"));
        let _ = writeln!(
            block,
            r#"{{"ts":"2026-11-15T07:15:13.000Z","level":"debug","logger":"shop.cache","msg":"cache \"hit\" for key {number}","size":17}}"#
        );
        line(&mut block, "orders", "send", &rpc("Charge", "payments"));
        line(&mut block, "payments", "receive", &rpc("Charge", "orders"));
        line(&mut block, "front", "done", "");
    }
    block
}

const TEXT_PLAN: &str = r#"
[[source]]
files = ["*"]
format = "regex"
lifeline = "broker"
group = "{peer}"
[[source.rule]]
match = '(?<d>Sending|Received) (?<pkt>[A-Z]+) (?:to|from) (?<peer>\S+)'
dir = "{d}"
message = "{pkt}"
peer = "{peer}"
[[source.rule]]
match = 'New client connected from \S+ as (?<peer>\S+)'
emit = ["?CONNECT"]
[[source.rule]]
match = 'Client (?<peer>\S+) disconnected'
closes = true
"#;

/// The three patterns after thirty others that never match: half of them have literals.
fn many_rules() -> String {
    let (source, rules) = TEXT_PLAN.split_once("[[source.rule]]").unwrap_or((TEXT_PLAN, ""));
    let mut text = source.to_owned();
    for number in 0..15 {
        let _ = write!(
            text,
            "[[source.rule]]\nmatch = 'worker{number} (?<peer>\\w+) took (\\d+)'\nemit = ['!w{number}']\n\
             [[source.rule]]\nmatch = '^(?<n>[a-z]+){number}=(?<peer>[^ ]+)$'\nemit = ['!v{number}']\n"
        );
    }
    text + "[[source.rule]]" + rules
}

fn text_block(bytes: usize) -> String {
    let mut block = String::new();
    let mut number = 0_u32;
    while block.len() < bytes {
        number += 1;
        for text in [
            format!("New connection from 127.0.0.1:{} on port 18831.", number % 65536),
            format!("New client connected from 127.0.0.1:36924 as client{number} (p2, c1, k60)."),
            format!("Sending CONNACK to client{number} (0, 0)"),
            format!(
                "Received PUBLISH from client{number} (d0, q1, r0, m1, 'plant/temp', ... (4 bytes))"
            ),
            format!("Sending PUBACK to client{number} (m1, rc0)"),
            format!("Received DISCONNECT from client{number}"),
            format!("Client client{number} disconnected."),
        ] {
            let _ = writeln!(block, "2026-11-15T07:13:08: {text}");
        }
    }
    block
}

const OTLP_PLAN: &str = "[[source]]\nfiles = ['*']\nformat = 'otlp'\n[group]\nidle = 10000\n";

/// Lines as the OpenTelemetry file exporter writes them: a request with its server span, and a call to another
/// service. Trace ids repeat with the block, so the plan closes idle groups; otherwise memory would grow.
fn otlp_block(bytes: usize) -> String {
    let mut block = String::new();
    let mut number = 0_u64;
    let span = |kind: u32,
                id: u64,
                parent: u64,
                name: &str,
                trace: u64,
                start: u64,
                length: u64| {
        format!(
            r#"{{"traceId":"{trace:032x}","spanId":"{id:016x}","parentSpanId":"{parent:016x}","flags":256,"name":"{name}","kind":{kind},"startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[{{"key":"http.request.method","value":{{"stringValue":"POST"}}}},{{"key":"url.path","value":{{"stringValue":"/order"}}}},{{"key":"http.response.status_code","value":{{"intValue":"200"}}}},{{"key":"server.address","value":{{"stringValue":"stock"}}}}],"status":{{}}}}"#,
            start + length,
        )
    };
    while block.len() < bytes {
        number += 1;
        let (trace, id, start) = (number, number * 8, 1_794_726_891_000_000_000 + number * 1000);
        for (service, spans) in [
            (
                "orders",
                [
                    span(2, id + 1, id, "POST /order", trace, start, 900),
                    span(3, id + 2, id + 1, "POST /reserve", trace, start + 100, 500),
                ],
            ),
            (
                "stock",
                [
                    span(2, id + 3, id + 2, "POST /reserve", trace, start + 200, 300),
                    span(1, id + 4, id + 3, "lookup", trace, start + 250, 10),
                ],
            ),
        ] {
            let _ = writeln!(
                block,
                r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"telemetry.sdk.language","value":{{"stringValue":"python"}}}},{{"key":"service.instance.id","value":{{"stringValue":"b0c5202a-69e9-4c9a-b855-fd68f4d8bdd2"}}}},{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},"scopeSpans":[{{"scope":{{"name":"otus-demo"}},"spans":[{}]}}]}}]}}"#,
                spans.join(","),
            );
        }
    }
    block
}

const GROUPS_PLAN: &str = "[[source]]\nfiles = ['*']\nformat = 'json'\nlifeline = '{at}'\ndir = '{dir}'\n\
    message = '{message}'\ngroup = '{trace}'\npeer = '{peer}'\n";

/// Many groups, all of which stay open until the end.
fn groups(lines: u64, groups: u64) {
    let plan = plan(GROUPS_PLAN);
    // A line has about 106 bytes.
    let bytes = usize::try_from(lines).expect("a count") * 106;
    let open = move || {
        let rest = (0..lines.div_ceil(AT_ONCE)).map(move |at| {
            let numbers = at * AT_ONCE..lines.min((at + 1) * AT_ONCE);
            numbers.fold(String::new(), |mut text, number| {
                interleaved(&mut text, number, groups);
                text
            })
        });
        Ok(Box::new(Chunks { chunk: String::new(), at: 0, rest }) as Box<dyn Read>)
    };
    let file = LogFile { name: "groups".to_owned(), source: 0, open: Box::new(open) };
    let name = format!("{lines} lines, {groups} groups at once");
    print(&name, bytes, || map(&plan, vec![file], &mut ignore));
}

const AT_ONCE: u64 = 600;

/// Writes a line of one of many interleaved groups.
fn interleaved(text: &mut String, number: u64, groups: u64) {
    let round = number / groups;
    let sent = round.is_multiple_of(2);
    let (at, peer) = if sent { ("client", "server") } else { ("server", "client") };
    let direction = if sent { "!" } else { "?" };
    let group = number * 7919 % groups;
    let _ = writeln!(
        text,
        r#"{{"at":"{at}","dir":"{direction}","message":"request{}","peer":"{peer}","trace":"{group:032x}"}}"#,
        round / 2,
    );
}

fn plan(text: &str) -> Plan {
    let (plan, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    plan.unwrap_or_else(|| panic!("a plan of this file is wrong: {found:?}"))
}
