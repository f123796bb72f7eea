//! Whole runs: plans and logs in, groups and accounts out.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use otus_syntax::Source;

use super::{Accounting, LogFile, Observed, map};
use crate::mapping::Plan;
use crate::order::Writes;

/// A plan that has no faults.
#[track_caller]
fn plan(text: &str) -> Plan {
    let (plan, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    assert!(found.is_empty(), "{found:#?}");
    plan.unwrap()
}

/// Runs a plan over files in memory: the groups as text, and the accounting.
fn run(plan: &Plan, files: &[(&str, &[u8])]) -> (String, Accounting) {
    let logs = files.iter().map(|(name, bytes)| {
        LogFile::in_memory(name, plan.source_of(name).expect("a source"), bytes)
    });
    let mut shown = String::new();
    let accounting = map(plan, logs.collect(), &mut |observed: &Observed<'_>| {
        let mark = if observed.closed() { "*" } else { "" };
        let _ = writeln!(shown, "{}{mark} {}", observed.key(), observed.htf());
        ControlFlow::Continue(())
    });
    assert!(accounting.total.adds_up(), "{:?}", accounting.total);
    (shown, accounting)
}

fn findings(accounting: &Accounting) -> String {
    let mut shown = String::new();
    for found in &accounting.findings {
        let places: Vec<String> = found
            .places
            .iter()
            .map(|place| format!("{}:{}", accounting.vocabulary.file(place.file), place.line))
            .collect();
        let _ = writeln!(shown, "{} {} x{} {}", found.code, found.message, found.count, places.join(" "));
    }
    shown
}

/// A real log, if the samples are at hand.
fn sample(path: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let root = if root.exists() { root } else { Path::new("/work/shared/samples").to_owned() };
    let bytes = std::fs::read(root.join(path)).ok();
    if bytes.is_none() {
        println!("skipped: the samples are not here");
    }
    bytes
}

fn samples(paths: &[&str]) -> Option<Vec<(String, Vec<u8>)>> {
    paths.iter().map(|path| Some(((*path).to_owned(), sample(path)?))).collect()
}

fn run_samples(plan: &Plan, paths: &[&str]) -> Option<(String, Accounting)> {
    let files = samples(paths)?;
    let files: Vec<(&str, &[u8])> = files.iter().map(|(n, b)| (&**n, &**b)).collect();
    Some(run(plan, &files))
}

const MQTT: &str = r#"
[[source]]
name = "broker"
files = ["mqtt/broker.log"]
format = "regex"
lifeline = "broker"
group = "{peer}"
ignore = ['New connection from', 'No will message', 'mosquitto version', 'Config loaded', 'Opening ipv4']
[[source.rule]]
name = "packets"
match = '(?<d>Sending|Received) (?<pkt>[A-Z]+) (?:to|from) (?<peer>\S+)(?: \((?:Mid: |m|d\d, q[12], r\d, m)(?<mid>\d+))?'
dir = { from = "d", map = { Sending = "!", Received = "?" } }
message = "{pkt}"
peer = "{peer}"
id = "{mid}"
[[source.rule]]
name = "connect"
match = 'New client connected from \S+ as (?<peer>\S+)'
emit = ["?CONNECT"]
peer = "{peer}"
[[source.rule]]
match = 'Client (?<peer>\S+) disconnected'
closes = true

[[source]]
name = "clients"
files = ["mqtt/{pub,sub}*.log"]
format = "regex"
lifeline = "{me}"
group = "{me}"
peer = "broker"
[[source.rule]]
match = '^Client (?<me>\S+) (?<d>sending|received) (?<pkt>[A-Z]+)(?: \((?:Mid: |m|d\d, q[12], r\d, m)(?<mid>\d+))?'
dir = "{d}"
message = "{pkt}"
id = "{mid}"
"#;

#[test]
fn mosquitto_logs_become_one_multi_trace_per_client() {
    let plan = plan(MQTT);
    let paths = ["broker", "pub1", "pub2", "pub3", "sub1", "sub2"];
    let paths = paths.map(|name| format!("mqtt/{name}.log"));
    let Some((shown, accounting)) = run_samples(&plan, &paths.each_ref().map(String::as_str)) else {
        return;
    };
    let expected = "pub2* {[broker] broker?CONNECT.broker!CONNACK.broker?PUBLISH.broker!PUBACK.broker?DISCONNECT; \
        [pub2] pub2!CONNECT.pub2?CONNACK.pub2!PUBLISH.pub2?PUBACK.pub2!DISCONNECT}";
    assert!(shown.lines().any(|line| line == expected), "{shown}");
    assert_eq!(accounting.groups.total, 5);
    assert_eq!((accounting.groups.closed, accounting.pairs.unpaired.len()), (5, 0), "{}", findings(&accounting));
    assert_eq!(accounting.pairs.paired, 30);
    let total = accounting.total;
    assert_eq!((total.records, total.matched, total.ignored, total.unmatched), (107, 69, 24, 14));
}

const ETCD: &str = r#"
[[source]]
files = ["etcd/*.log"]
format = "json"
lifeline = "{node}"
order = "line"
[[source.rule]]
name = "role"
match = { msg = '^(?<node>[0-9a-f]+) became (?<role>\w+) at term (?<t>\d+)' }
set = { role = "{role}", term = "{t}" }
[[source.rule]]
name = "ask"
match = { msg = '^(?<node>[0-9a-f]+) \[.*\] sent MsgVote request to (?<peer>[0-9a-f]+) at term (?<t>\d+)' }
emit = ["!MsgVote"]
peer = "{peer}"
id = "{t}"
[[source.rule]]
name = "vote"
match = { msg = '^(?<node>[0-9a-f]+) \[.*\] (?:cast|rejected) MsgVote (?:for|from) (?<peer>[0-9a-f]+) \[.*\] at term (?<t>\d+)' }
emit = ["?MsgVote", "!MsgVoteResp"]
peer = "{peer}"
id = "{t}"
[[source.rule]]
name = "answer"
match = { msg = '^(?<node>[0-9a-f]+) received MsgVoteResp(?: rejection)? from (?<peer>[0-9a-f]+) at term (?<t>\d+)' }
emit = ["?MsgVoteResp"]
peer = "{peer}"
id = "{t}"
[lifelines]
bdae9bbc11dd390d = "n1"
2943212f5e2cf73 = "n2"
3760a4ec3b84f7fa = "n3"
"#;

#[test]
fn an_election_of_etcd_is_a_partial_order_with_variables() {
    let plan = plan(ETCD);
    let Some(files) = samples(&["etcd/n1.log", "etcd/n2.log", "etcd/n3.log"]) else { return };
    let logs = files.iter().map(|(name, bytes)| LogFile::in_memory(name, 0, bytes)).collect();
    let mut orders = Vec::new();
    let accounting = map(&plan, logs, &mut |observed: &Observed<'_>| {
        orders.push(observed.order(Writes::Checked).unwrap());
        ControlFlow::Continue(())
    });
    let [order] = orders.as_slice() else { panic!("one group") };
    let names: Vec<&str> = order.process_names().collect();
    assert_eq!(names, ["n1", "n2", "n3"]);
    for name in ["n1.role", "n2.term", "n3.role"] {
        assert!(order.variable(name).is_some(), "{name}");
    }
    let n3 = order.variable("n3.role").unwrap();
    let roles: Vec<String> = order.histories(&[n3])[0]
        .iter()
        .map(|write| order.value(write.value).to_string())
        .collect();
    assert_eq!(roles[..4], ["\"follower\"", "\"follower\"", "\"candidate\"", "\"leader\""]);
    assert!(order.edges().len() >= 4, "{}", findings(&accounting));
    assert!(accounting.total.unmatched > 50 && accounting.total.unreadable > 0);
}

const SHOP: &str = r#"
[[source]]
name = "otel"
files = ["otel/**/*.jsonl"]
format = "otlp"
"#;

const SERVICES: [&str; 4] = ["frontend", "orders", "payments", "stock"];

#[test]
fn four_services_become_one_multi_trace_per_request() {
    let paths = SERVICES.map(|name| format!("otel/{name}.otlp.jsonl"));
    let plan = plan(SHOP);
    let Some((shown, accounting)) = run_samples(&plan, &paths.each_ref().map(String::as_str)) else {
        return;
    };
    let trace = "19c42f5e2b2ce5cb8ef07037e17c3cb0";
    let expected = format!(
        "{trace} {{[frontend] frontend!\"POST /order\".frontend?\"POST /order reply\"; \
         [orders] orders?\"POST /order\".orders!\"POST /reserve\".orders?\"POST /reserve reply\"\
         .orders!\"POST /charge\".orders?\"POST /charge reply\".orders!\"POST /order reply\"; \
         [payments] payments?\"POST /charge\".payments!\"POST /charge reply\"; \
         [stock] stock?\"POST /reserve\".stock!\"POST /reserve reply\"}}"
    );
    assert!(shown.lines().any(|line| line == expected), "{shown}");
    assert_eq!((accounting.groups.total, accounting.pairs.paired), (2, 12), "{}", findings(&accounting));
    assert!(accounting.findings.is_empty(), "{}", findings(&accounting));
}

#[test]
fn broken_propagation_names_the_services_and_the_header() {
    let paths = SERVICES.map(|name| format!("otel/broken_propagation/{name}.otlp.jsonl"));
    let plan = plan(SHOP);
    let Some((_, accounting)) = run_samples(&plan, &paths.each_ref().map(String::as_str)) else {
        return;
    };
    let found = findings(&accounting);
    for callee in ["stock", "payments"] {
        let expected = format!("O1106 `orders` calls `{callee}`");
        assert!(found.lines().any(|line| line.starts_with(&expected) && line.contains("traceparent")), "{found}");
    }
}
