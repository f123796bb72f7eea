//! Promises about all logs: every record is counted once, and the result does not depend on how the bytes arrive.
//!
//! The targets run a reader with a whole plan, so that its records also go through rules, groups, pairing and conversions.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use otus_core::{Partners, Pool, Signature};
use otus_syntax::{Source, parse_trace};
use otus_trace::mapping::Plan;
use otus_trace::order::Writes;
use otus_trace::read::{self, Format};
use otus_trace::run::{Group, LogFile, Observed, map};
use otus_trace::{Facts, FieldNames, MultiTrace, facts};

use super::{check_places, text};

/// `otus.toml`.
pub(super) const SETTINGS: &[&str] = &[
    "[[source]]\nfiles = 'x'\nformat = 'regex'\nlifeline = 'a'\ntime = { from = 't', unit = 'ms' }\nvalues = { mid = '{mid}', k = { from = 'k', as = 'bool', map = { y = 'true' } } }\n[[source.rule]]\nmatch = '(?<m>Sending) (?<mid>\\S+) to (?<t>.*)'\ndir = '!'\nmessage = '{m}'\nvalues = { q = 3, b = true, \"a.b\" = { from = '{mid}{t}', as = 'number' } }\n[values]\nsame = ['id']\n[clocks]\nuncertainty = '20ms'\n[observation]\nunlogged = ['a*.mid', 'b.time']\n",
    "[[source]]\nname = \"broker\"\nfiles = [\"logs/*.log\"]\nformat = \"regex\"\nlifeline = { from = \"d\", map = { Sending = \"x\" } }\nclock = \"{file.stem}\"\norder = \"line\"\ngroup = \"{peer}\"\nignore = ['^New', 'x{2,3}']\n[[source.rule]]\nname = \"r\"\nmatch = '(?<d>Sending|Received) (?<pkt>[A-Z]+) (?<peer>\\S+)'\ndir = { from = \"d\", map = { Sending = \"!\", Received = \"?\" } }\nmessage = \"{pkt}\"\npeer = \"{peer}\"\nid = \"{line}\"\ncloses = true\n",
    "[[source]]\nfiles = 'x'\nformat = 'json'\nlifeline = '{a.b}'\ntime = '{ts}'\nlongest = 100\n[[source.rule]]\nwhere = { level = \"info\", kind = [\"a\", \"b\"], e = false, n = 3 }\nmatch = { msg = '(?<role>\\w+) (?<t>\\d+)' }\nemit = [\"?A\", { dir = \"!\", message = \"B {role}\", peer = \"{p}\", id = \"{i}\", lifeline = \"z\" }]\nset = { role = \"{role}\", term = 3, up = true }\nshare = { leader = \"{t}\" }\nlabel = 'l'\n[lifelines]\n\"a*\" = \"n\"\n[messages]\nx = \"y\"\n[observation]\ncomplete = [\"a\"]\nmay_stop_early = \"b*\"\n[pairing]\nby = \"fifo\"\n[group]\nidle = 10\n",
    "[[source]]\nfiles = ['x']\nformat = 'otlp'\nmessage = '{name}'\nreply = false\n[[source.rule]]\nwhere = { name = 'GET' }\nignore = true\n[[source]]\nfiles = ['y']\nformat = 'csv'\nseparator = ';'\ncolumns = ['a', 'b']\ndir = '{d}'\nmessage = 'm'\nlifeline = 'l'\n[[source]]\nfiles = ['z']\nformat = 'shiviz'\npattern = '(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)'\n",
    "[[source]]\nfiles = 'x'\nformat = 'csv'\nlifeline = 'a'\n[[source.rule]]\ndir = '!'\nmessage = '{m}'\n[[source]]\nfiles = ['z']\nformat = 'shiviz'\ndelimiter = '^= (?<trace>.*)'\n[[source.rule]]\nemit = ['!x']\n[pairing]\nnames = 'client'\nlinks = false\ndeduce = false\n",
];

pub(super) const TEXT_LINES: &[&str] = &[
    "2026-11-15T07:13:08: Sending CONNACK to sub2 (0, 0)\n2026-11-15T07:13:08: Received SUBSCRIBE from sub2\r\n\n\tplant/temp (QoS 1)\nsub2 set x=3\nsub2 bye\nSending X to sub2",
    "\u{feff}Sending A to b\nReceived A from b\nb bye\nReceived A from b\n",
];

pub(super) const JSON_LINES: &[&str] = &[
    "{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\",\"mid\":7,\"o\":{\"v\":\"t\"},\"t\":5}\n{\"l\":\"a\",\"d\":\"?\",\"m\":\"x\",\"mid\":[1],\"o\":{\"v\":1e400},\"t\":\"4\",\"time\":99999999999999}\n{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\",\"mid\":-Infinity,\"time\":1.5}\n",
    "{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\",\"g\":1,\"i\":\"7\",\"p\":\"b\",\"t\":\"2026-01-01T00:00:02.5Z\"}\n{\"l\":\"b\",\"d\":\"?\",\"m\":\"x\",\"g\":1,\"i\":\"7\",\"p\":\"a\",\"o\":{\"v\":[1,{\"w\":\"\\u00e9\\ud83d\\ude00\\n\"}]}}\n",
    "plain\n{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\"}\n{\"l\":\"a\",\"d\":\"up\",\"m\":null,\"t\":-3.5}\n{}\n",
    "{\n  \"l\": \"a\",\n  \"d\": \"!\", \"m\": \"x\"\n}\n{\"l\":\"b\",\"d\":\"?\",\"m\":\"x\"}{\"l\":\"b\",\"d\":\"!\",\"m\":\"y\"}\n{\n\"m\": \"cut\n{\"l\":\"a\",\"d\":\"?\",\"m\":\"y\"}\n",
    "[\n{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\"}, {\"l\":\"b\",\n\"d\":\"?\",\"m\":\"x\"}, 7\n]\n",
];

pub(super) const CSV: &[&str] = &[
    "l,d,m,g\na,!,x,1\nb,?,\"x\ny\"\"z\",1\n\n,,,\na,!,x,1,2,3\n",
    "m,l,d\r\nx,a,send\r\nx,b,recv\r\n",
];

pub(super) const OTLP: &[&str] = &[
    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"x\"},\"spans\":[{\"traceId\":\"19c42f5e2b2ce5cb8ef07037e17c3cb0\",\"spanId\":\"d9a1beb08a6111a3\",\"name\":\"GET\",\"kind\":3,\"startTimeUnixNano\":\"10\",\"endTimeUnixNano\":\"20\",\"attributes\":[{\"key\":\"server.address\",\"value\":{\"stringValue\":\"db\"}}],\"status\":{\"code\":1}},{\"traceId\":\"GcQvXisszuuO8HA34Xw8sA==\",\"spanId\":\"02\",\"parentSpanId\":\"d9a1beb08a6111a3\",\"kind\":\"SPAN_KIND_SERVER\",\"name\":\"GET\",\"startTimeUnixNano\":5,\"endTimeUnixNano\":3,\"links\":[{\"traceId\":\"1\",\"spanId\":\"3\"}]}]}]}]}\n",
    "{\n\"resource_spans\": [\n{\"scope_spans\": [{\"spans\": [{\"trace_id\": \"1\", \"span_id\": \"2\", \"name\": \"m\", \"kind\": 4}, {\"trace_id\": \"1\", \"span_id\": \"3\", \"kind\": 5, \"name\": \"m\", \"links\": [{\"span_id\": \"2\"}]}]}], \"resource\": {\"attributes\": [{\"value\": \"q\", \"key\": \"service.name\"}]}}\n], \"x\": 1}\n{\"resourceLogs\": [{\"scopeLogs\": [{\"logRecords\": [{\"body\": {\"stringValue\": \"b\"}}]}]}]}",
    "{\"result\":{\"batches\":[{\"resource\":{\"attributes\":{\"service.name\":\"a\"}},\"instrumentationLibrarySpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":\"1\",\"kind\":1,\"name\":\"w\"}]}]}]}}\n[{\"resource\":{\"attributes\":[]},\"scopeSpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":\"2\",\"parentSpanId\":\"1\",\"name\":\"x\",\"attributes\":[{\"key\":\"db.system\",\"value\":{\"stringValue\":\"pg\"}}],\"kind\":3}]}]}]",
    "{\"name\":\"x\",\"context\":{\"trace_id\":\"0x1\",\"span_id\":\"0x1\"},\"kind\":\"SpanKind.PRODUCER\",\"parent_id\":null,\"start_time\":\"2026-11-15T07:13:08Z\",\"attributes\":{\"messaging.system\":\"q\"},\"resource\":{\"attributes\":{\"service.name\":\"a\"}}}{\"Name\":\"y\",\"SpanContext\":{\"TraceID\":\"2\",\"SpanID\":\"2\"},\"Links\":[{\"SpanContext\":{\"TraceID\":\"1\",\"SpanID\":\"1\"}}],\"SpanKind\":5,\"Resource\":[{\"Key\":\"service.name\",\"Value\":{\"Type\":\"STRING\",\"Value\":\"b\"}}]}",
];

pub(super) const JAEGER: &[&str] = &[
    "{\"data\":[{\"traceID\":\"1\",\"spans\":[{\"traceID\":\"1\",\"spanID\":\"2\",\"operationName\":\"GET\",\"references\":[{\"refType\":\"CHILD_OF\",\"spanID\":\"9\"},{\"refType\":\"FOLLOWS_FROM\",\"spanID\":\"8\"}],\"startTime\":5,\"duration\":2,\"tags\":[{\"key\":\"span.kind\",\"value\":\"client\"}],\"processID\":\"p1\"}],\"processes\":{\"p1\":{\"serviceName\":\"shop\",\"tags\":[{\"key\":\"ip\",\"value\":\"::1\"}]}}}],\"total\":0}",
    "{\n\"data\": [\n{\"spans\": [{\"spanID\": \"1\", \"process\": {\"serviceName\": \"a\"}, \"tags\": [{\"key\": \"span.kind\", \"value\": \"server\"}]}]}\n]}",
    "{\n\"traceID\": \"1\", \"spans\": [{\"traceID\":\"1\",\"spanID\":\"1\",\"operationName\":\"a\",\"processID\":\"p1\"},\n{\"traceID\":\"1\",\"spanID\":\"2\",\"operationName\":\"b\",\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"1\",\"spanID\":\"1\"}],\"processID\":\"p2\"}], \"processes\": {\"p1\": {\"serviceName\":\"a\"}, \"p2\": {\"serviceName\":\"b\"}}}",
    "{\"traceId\":\"AAAAAAAAAAE=\",\"spanId\":\"AAAAAAAAAAE=\",\"operationName\":\"a\",\"startTime\":\"2026-11-15T07:13:08Z\",\"duration\":\"0.5s\",\"tags\":[{\"key\":\"span.kind\",\"vStr\":\"client\"},{\"key\":\"peer.service\",\"vStr\":\"db\"}],\"tag\":{\"a@b\":1},\"process\":{\"serviceName\":\"a\"}}\n{\"hits\":{\"hits\":[{\"_source\":{\"traceID\":\"1\",\"spanID\":\"2\"}}]}}",
];

pub(super) const ZIPKIN: &[&str] = &[
    "[{\"traceId\":\"1\",\"id\":\"0A\",\"parentId\":\"9\",\"name\":\"get\",\"kind\":\"CLIENT\",\"timestamp\":5,\"duration\":2,\"localEndpoint\":{\"serviceName\":\"shop\"},\"remoteEndpoint\":{\"serviceName\":\"db\"},\"tags\":{\"http.path\":\"/x\"}},{\"traceId\":\"1\",\"id\":\"0a\",\"kind\":\"SERVER\",\"shared\":true,\"localEndpoint\":{\"serviceName\":\"db\"}}]",
    "[[{\"traceId\":\"1\",\"id\":\"2\"}],\n[]]\n",
    "[{\"traceId\":\"1\",\"id\":\"1\",\"name\":\"g\",\"annotations\":[{\"timestamp\":1,\"value\":\"cs\",\"endpoint\":{\"serviceName\":\"a\"}},{\"timestamp\":2,\"value\":\"sr\",\"endpoint\":{\"ipv4\":\"10.0.0.1\"}},{\"timestamp\":3,\"value\":\"ms\",\"endpoint\":{\"serviceName\":\"c\"}}],\"binaryAnnotations\":[{\"key\":\"sa\",\"value\":true,\"endpoint\":{\"serviceName\":\"db\"}},{\"key\":\"k\",\"value\":\"v\"}]},{\"status\":1}]",
];

pub(super) const SHIVIZ: &[&str] = &[
    "p {\"p\":1}\nsend\nq {\"q\":1, \"p\":1}\nreceive\n",
    "send\np {\"p\":1}\nreceive\nq {\"q\":1, \"p\":2}\nnoise\n",
    "p {\"p\":1} send it\n\nq {\"q\":1,\"p\":1} get\n",
    "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n^=== (?<trace>.*) ===$\n=== one ===\nsend\np {\"p\":1}  \n=== two ===\nsend\np {\"p\":1}\n",
];

pub(super) const CANONICAL: &[&str] = &[
    "{\"lifeline\":\"a\",\"action\":\"!\",\"message\":\"m\",\"id\":\"12\",\"values\":{\"mid\":7,\"o.v\":\"a/b\",\"x\":[1]},\"time\":12.5}\n{\"lifeline\":\"a\",\"action\":\"?\",\"message\":\"m\",\"values\":{\"mid\":null,\"o.v\":1e999},\"time\":\"2026-11-15T07:13:08Z\"}\n",
    "{\"otus\":\"trace\",\"version\":1}\n{\"group\":\"7\",\"lifeline\":\"client\",\"action\":\"!\",\"message\":\"request\",\"peer\":\"server\",\"id\":\"1\",\"file\":\"c.log\",\"line\":3}\n{\"group\":\"7\",\"lifeline\":\"server\",\"clock\":\"host1\",\"action\":\"?\",\"message\":\"request\",\"set\":{\"busy\":true,\".all\":\"1/3\",\"n\":-2.5}}\n{\"group\":\"7\",\"end\":true}\n",
    "{\"lifeline\":\"a\",\"vector\":{\"a\":1},\"label\":\"x\"}\n{\"lifeline\":\"b\",\"action\":\"!\",\"message\":\"m\",\"joined\":true}\n",
];

/// `otus.toml`: places lie in the text, and a valid plan can be run.
pub(super) fn settings(data: &[u8]) {
    let source = text(data);
    let (plan, found) = Plan::parse(&source, &[]);
    check_places(&source, &found);
    assert!(plan.is_some() || found.iter().any(otus_syntax::Diagnostic::is_error));
    if let Some(mut plan) = plan {
        plan.keep_listed();
        let log = "Sending A to b\n{\"msg\": \"leader 3\", \"level\": \"info\"}\np {\"p\":1}\n";
        for source in 0..plan.sources.len() {
            run(&plan, source, log.as_bytes(), log.len());
        }
    }
}

pub(super) fn text_lines(data: &[u8]) {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    both(PLAN.get_or_init(|| plan("[[source]]\nfiles = ['*']\nformat = 'regex'\nlifeline = 'broker'\ngroup = '{peer}'\nlongest = 200\n[[source.rule]]\nmatch = '(?<d>Sending|Received) (?<pkt>\\S+) (?:to|from) (?<peer>\\S+)'\ndir = '{d}'\nmessage = '{pkt}'\npeer = '{peer}'\n[[source.rule]]\nmatch = '^(?<peer>\\S+) bye'\ncloses = true\n[[source.rule]]\nmatch = '^(?<peer>\\S+) set (?<n>\\w+)=(?<v>.*)'\nset = { x = '{v}' }\nshare = { y = '{n}' }\n")), data);
}

pub(super) fn json_lines(data: &[u8]) {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    both(PLAN.get_or_init(|| plan("[[source]]\nfiles = ['*']\nformat = 'json'\nlifeline = '{l}'\ndir = '{d}'\nmessage = '{m}'\nid = '{i}'\npeer = '{p}'\nlongest = 300\n[[source.rule]]\nwhere = { g = true }\ngroup = '{g}'\norder = '{t}'\nset = { w = '{o.v.1.w}' }\n[[source.rule]]\nwhere = { l = true }\ntime = '{t}'\n")), data);
}

pub(super) fn csv(data: &[u8]) {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    both(PLAN.get_or_init(|| plan("[[source]]\nfiles = ['*']\nformat = 'csv'\nlifeline = '{l}'\ndir = '{d}'\nmessage = '{m}'\nlongest = 300\n")), data);
}

/// The format of a text, and what follows from it: a shape for each line, and a run of the format that was found.
pub(super) fn detect(data: &[u8]) {
    let found = read::detect(None, data);
    assert_eq!(found, read::detect(None, data), "detection depends on nothing else");
    assert!(found != Some(Format::Text) && found != Some(Format::Csv), "only names tell these");
    let _ = read::json_keys(data);
    for line in data.split(|&byte| byte == b'\n') {
        let shape = otus_trace::run::shape(line);
        assert!(!shape.contains('\n'));
    }
    if let Some(plan) = found.and_then(Plan::for_format) {
        both(&plan, data);
    }
}

/// gzip and zstd: damaged data cause no panic.
pub(super) fn packed(data: &[u8]) {
    for magic in [&b""[..], b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18\x02\0\0\0"] {
        let bytes = [magic, data].concat();
        if let Ok((stream, _)) = read::unpack(Box::new(&bytes[..])) {
            // A few compressed bytes may be a very long text.
            let mut unpacked = Vec::new();
            let _ = stream.take(1 << 20).read_to_end(&mut unpacked);
            assert!(magic.is_empty() || unpacked.len() <= 1 << 20);
            if magic.is_empty() && !data.starts_with(b"\x1f\x8b") && !data.starts_with(b"\x28\xb5")
            {
                assert!(unpacked == data || data.len() > 1 << 20 || is_skipped(data));
            }
        }
    }
}

/// Whether the data begin like a skippable frame of zstd.
fn is_skipped(data: &[u8]) -> bool {
    matches!(data, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn plan(text: &str) -> Plan {
    let (plan, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    keeping(plan.unwrap_or_else(|| panic!("the plans here are sound: {found:?}")))
}

/// A plan that keeps some values.
fn keeping(mut plan: Plan) -> Plan {
    plan.keep(["mid", "o.v", "id", "http.status", "time"]);
    plan
}

/// A log in a format that needs no settings.
pub(super) fn built_in(format: Format, data: &[u8]) {
    both(&plan_for(format), data);
}

fn plan_for(format: Format) -> Plan {
    keeping(Plan::for_format(format).expect("a format that needs no settings"))
}

/// Checks that the bytes give the same result at once and one by one.
fn both(plan: &Plan, data: &[u8]) {
    let whole = run(plan, 0, data, data.len());
    assert_eq!(run(plan, 0, data, 1), whole, "the result does not depend on how bytes arrive");
}

/// A stream that gives a limited number of bytes at a time.
struct Drip<'d>(&'d [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.max(1).min(buffer.len()).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

/// Runs a plan, and returns all its results as text.
fn run(plan: &Plan, source: usize, data: &[u8], at_once: usize) -> String {
    let open = || Ok(Box::new(Drip(data, at_once)) as Box<dyn Read>);
    let file = LogFile { name: "fuzz.log".to_owned(), source, open: Box::new(open) };
    let mut shown = String::new();
    let mut lines = read::canonical::header() + "\n";
    let accounting = map(plan, vec![file], &mut |observed: &Observed<'_>| {
        group(observed);
        shown.push_str(&observed.htf());
        shown.push('\n');
        lines.push_str(&observed.canonical());
        ControlFlow::Continue(())
    });
    assert!(accounting.total.adds_up(), "every record is counted once: {:?}", accounting.total);
    let files = accounting.files.iter().map(|file| file.tally.records).sum::<u64>();
    assert_eq!(files, accounting.total.records);
    let hits: u64 = accounting.rules.iter().map(|rule| rule.hits).sum();
    let total = accounting.total;
    assert!(hits >= total.matched + total.ignored, "the rule of each record is counted");
    let shapes: u64 = accounting.shapes.iter().map(|shape| shape.count).sum();
    assert_eq!(shapes + accounting.other_shapes, total.unmatched, "unmatched records are shown");
    for found in &accounting.findings {
        assert!(!found.message.is_empty() && found.count > 0);
    }
    // Otus reads back the canonical lines that it writes.
    let mut own = plan_for(Format::Canonical);
    own.keep(plan.kept().iter().map(String::as_str).chain(["time"]));
    let mut again = read::canonical::header() + "\n";
    let file = LogFile::in_memory("own.jsonl", 0, lines.as_bytes());
    let reread = map(&own, vec![file], &mut |observed: &Observed<'_>| {
        again.push_str(&observed.canonical());
        ControlFlow::Continue(())
    });
    assert_eq!(reread.total.unreadable + reread.total.unmatched, 0, "{lines}");
    if reread.groups.total == accounting.groups.total && reread.total.incomplete == 0 {
        assert_eq!(sorted(&again), sorted(&lines), "canonical lines come back");
    }
    for finding in &accounting.findings {
        shown.push_str(&finding.message);
        shown.push('\n');
    }
    shown
}

/// The lines of a text, sorted, because the order of clocks may differ.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// The number of values of each field that are known.
fn known(trace: &MultiTrace, facts: &Facts, fields: &FieldNames) -> Vec<usize> {
    let steps = || {
        let components = trace.partition().components();
        components.flat_map(|c| (0..trace.steps(c).len()).map(move |step| (c, step)))
    };
    let count = |field| steps().filter(|&(c, step)| facts.known(field, c, step).is_some()).count();
    fields.items.ids().map(count).collect()
}

/// Checks the promises about every group.
fn group(observed: &Observed<'_>) {
    let source = Source::new("group.htf", observed.htf());
    let parsed = parse_trace(&source);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|found| found.is_error()).collect();
    let named = observed.events().all(|event| {
        !event.lifeline().is_empty()
            && event.action().is_none_or(|(_, message)| !message.is_empty())
    });
    assert!(errors.is_empty() || !named, "{}: {errors:?}", source.text());
    let mut signature = Signature::default();
    for lifeline in observed.vocabulary().lifeline_names() {
        signature.add_lifeline(lifeline);
    }
    let group = Group::new(observed, &signature);
    let mut pool = Pool::new(signature);
    let trace = group.trace(&mut pool, &Partners::default());
    let actions = observed.events().filter(|event| event.action().is_some()).count();
    assert_eq!((group.len(), trace.len()), (actions, actions), "no action is lost");
    let covered: usize = observed.components().iter().map(|part| part.events.len()).sum();
    assert_eq!(covered, observed.len(), "every event is on a component");
    for &(send, receive) in observed.pairs() {
        assert!(send < observed.len() && receive < observed.len());
    }
    if errors.is_empty() && !parsed.tree.values.is_empty() {
        let fields = facts::all_fields([&parsed.tree]);
        let own = known(&trace, &group.facts(&trace, &fields), &fields);
        let (lowered, facts, _) = otus_trace::lower_with_facts(&parsed.tree, &mut pool, &fields);
        assert_eq!(known(&lowered, &facts, &fields), own, "the text has the values of the group");
    }
    // Contradictory orders are reported as an error, but must not panic.
    let _ = observed.order(Writes::Ordered);
}
