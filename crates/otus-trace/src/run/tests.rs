//! Whole runs: plans and logs in, groups and accounts out.

mod parallel;
mod stream;
mod values;

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use otus_syntax::Source;

use super::{Accounting, LogFile, Observed, map, map_on};
use crate::mapping::Plan;
use crate::order::Writes;

/// A plan that has no faults.
#[track_caller]
fn plan(text: &str) -> Plan {
    let (plan, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    assert!(found.is_empty(), "{found:#?}");
    plan.unwrap()
}

/// Runs a plan over files in memory: the groups as text, and the accounting. Several threads have the same answers.
fn run(plan: &Plan, files: &[(&str, &[u8])]) -> (String, Accounting) {
    let run = |threads: usize| {
        let logs = files.iter().map(|(name, bytes)| {
            LogFile::in_memory(name, plan.source_of(name).expect("a source"), bytes)
        });
        let (mut shown, mut all) = (String::new(), String::new());
        let threads = NonZeroUsize::new(threads).unwrap();
        let accounting = map_on(plan, logs.collect(), threads, &mut |observed: &Observed<'_>| {
            let mark = if observed.closed() { "*" } else { "" };
            let _ = writeln!(shown, "{}{mark} {}", observed.key(), observed.htf());
            let vocabulary = observed.vocabulary();
            let names: Vec<_> =
                vocabulary.lifeline_names().chain(vocabulary.message_names()).collect();
            let _ = writeln!(
                all,
                "{} {} {} {:?} {names:?} {:?} {:?}",
                observed.canonical(),
                observed.number(),
                observed.closed(),
                observed.kept(),
                observed.pairs(),
                observed.unpaired(),
            );
            ControlFlow::Continue(())
        });
        (shown, all, accounting)
    };
    let (shown, all, accounting) = run(1);
    for threads in [2, 3] {
        let (_, again, other) = run(threads);
        assert_eq!(again, all, "with {threads} threads");
        assert_eq!(told(&other), told(&accounting), "with {threads} threads");
    }
    assert!(accounting.total.adds_up(), "{:?}", accounting.total);
    (shown, accounting)
}

/// All that an accounting tells.
fn told(accounting: &Accounting) -> String {
    let vocabulary = &accounting.vocabulary;
    let names = vocabulary.lifeline_names().chain(vocabulary.message_names());
    let names: Vec<&str> = names.collect();
    let Accounting { files, rules, total, shapes, other_shapes, lifelines, messages, .. } =
        accounting;
    let Accounting { other_names, groups, pairs, values, findings, .. } = accounting;
    format!(
        "{names:#?} {files:#?} {rules:#?} {total:#?} {shapes:#?} {other_shapes} {lifelines:#?} {messages:#?} \
         {other_names:#?} {groups:#?} {pairs:#?} {values:#?} {findings:#?}"
    )
}

fn findings(accounting: &Accounting) -> String {
    let mut shown = String::new();
    for found in &accounting.findings {
        let places: Vec<String> = found
            .places
            .iter()
            .map(|place| format!("{}:{}", accounting.vocabulary.file(place.file), place.line))
            .collect();
        let _ = writeln!(
            shown,
            "{} {} x{} {}",
            found.code,
            found.message,
            found.count,
            places.join(" ")
        );
    }
    shown
}

/// A real log, if the samples are at hand: beside the repository, or where `OTUS_SAMPLES` says.
fn sample(path: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let root = std::env::var_os("OTUS_SAMPLES").map_or(root, Into::into);
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
    let Some((shown, accounting)) = run_samples(&plan, &paths.each_ref().map(String::as_str))
    else {
        return;
    };
    let expected = "pub2* {[broker] broker?CONNECT.broker!CONNACK.broker?PUBLISH.broker!PUBACK.broker?DISCONNECT; \
        [pub2] pub2!CONNECT.pub2?CONNACK.pub2!PUBLISH.pub2?PUBACK.pub2!DISCONNECT}";
    assert!(shown.lines().any(|line| line == expected), "{shown}");
    assert_eq!(accounting.groups.total, 5);
    assert_eq!(
        (accounting.groups.closed, accounting.pairs.unpaired.len()),
        (5, 0),
        "{}",
        findings(&accounting)
    );
    assert_eq!(accounting.pairs.paired, 37);
    let total = accounting.total;
    assert_eq!((total.records, total.matched, total.ignored, total.unmatched), (105, 79, 15, 11));
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
    assert!(order.edges().len() >= 3, "{}", findings(&accounting));
    assert!(accounting.total.unmatched > 50);
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
    let Some((shown, accounting)) = run_samples(&plan, &paths.each_ref().map(String::as_str))
    else {
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
    assert_eq!(
        (accounting.groups.total, accounting.pairs.paired),
        (2, 12),
        "{}",
        findings(&accounting)
    );
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
        assert!(
            found.lines().any(|line| line.starts_with(&expected) && line.contains("traceparent")),
            "{found}"
        );
    }
}

/// The answer that each bad input gets: what is mapped, and what is told.
#[track_caller]
fn bad(plan_text: &str, files: &[(&str, &[u8])], mapped: &str, told: &str) {
    let plan = plan(plan_text);
    let (shown, accounting) = run(&plan, files);
    assert_eq!((shown.trim(), findings(&accounting).trim_end()), (mapped, told));
}

const JSON: &str =
    "[[source]]\nfiles = ['*']\nformat = 'json'\nlifeline = '{l}'\ndir = '{d}'\nmessage = '{m}'\n";
const TEXT: &str = "[[source]]\nfiles = ['*']\nformat = 'regex'\nlifeline = 'a'\n[[source.rule]]\nmatch = '^sent (?<m>\\S+)'\nemit = ['!{m}']\n[[source.rule]]\nmatch = '^got (?<m>\\S+)'\nemit = ['?{m}']\n";

#[test]
fn truncated_json_is_told_and_the_rest_is_read() {
    bad(
        JSON,
        &[("x", b"{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\"}\n{\"l\":\"a\",\"d\":\"?\",\"m\":\"x\n{\"l\":\"b\",\"d\":\"?\",\"m\":\"x\"}\n")],
        "{[a] a!x; [b] b?x}",
        "O1101 a line of x is not JSON: it ends too early x1 x:2",
    );
}

#[test]
fn returns_at_line_ends_and_nul_bytes_do_no_harm() {
    bad(TEXT, &[("x", b"sent x\r\n\0\0\0\0\r\ngot x\r\n")], "{[a] a!x.a?x}", "");
    let (_, accounting) = run(&plan(TEXT), &[("x", b"sent x\n\0\0\0\0\ngot x\n")]);
    assert_eq!(accounting.shapes[0].text, "␀");
}

#[test]
fn bytes_that_are_not_utf_8_become_replacement_characters_and_are_counted() {
    let plan = plan(TEXT);
    let (shown, accounting) = run(&plan, &[("x", b"sent caf\xe9\ngot caf\xe9\n")]);
    assert_eq!(shown.trim(), "{[a] a!\"caf\u{fffd}\".a?\"caf\u{fffd}\"}");
    assert_eq!(accounting.files[0].not_utf8, 2);
}

#[test]
fn utf_16_is_told_as_a_whole() {
    bad(
        TEXT,
        &[("x", b"\xff\xfes\0e\0n\0t\0")],
        "",
        "O1102 x: the file is UTF-16, not UTF-8 x1 x:1",
    );
}

#[test]
fn a_line_of_a_hundred_megabytes_is_passed_over() {
    let plan = plan(TEXT);
    let open = || {
        use std::io::Read as _;
        let long = std::io::repeat(b'x').take(100 << 20);
        let text = (&b"sent x\n"[..]).chain(long).chain(&b"\ngot x\n"[..]);
        Ok(Box::new(text) as Box<dyn std::io::Read>)
    };
    let file = LogFile { name: "x".to_owned(), source: 0, open: Box::new(open) };
    let mut shown = String::new();
    let accounting = map(&plan, vec![file], &mut |observed: &Observed<'_>| {
        shown = observed.htf();
        ControlFlow::Continue(())
    });
    assert_eq!(shown, "{[a] a!x.a?x}");
    assert_eq!(findings(&accounting), "O1101 a line of x is longer than 67108864 bytes x1 x:2\n");
}

#[test]
fn a_clock_that_goes_backwards_is_told_and_put_right_if_it_is_the_order() {
    let log: &[u8] = b"{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\",\"t\":\"2026-01-01T00:00:02Z\"}\n{\"l\":\"a\",\"d\":\"?\",\"m\":\"y\",\"t\":\"2026-01-01T00:00:01Z\"}\n";
    let told = "O1104 the clock of `a` goes backwards in x x1 x:2\n\
                O1108 `a` sends `x` once and nobody receives it x1 x:1\n\
                O1108 `a` receives `y` once and nobody sends it x1 x:2";
    bad(&format!("{JSON}time = '{{t}}'\n"), &[("x", log)], "{[a] a!x.a?y}", told);
    bad(&format!("{JSON}order = '{{t}}'\n"), &[("x", log)], "{[a] a?y.a!x}", told);
}

#[test]
fn a_span_that_is_there_twice_counts_once() {
    let span = r#"{"traceId":"01","spanId":"02","kind":3,"name":"GET","startTimeUnixNano":"5","endTimeUnixNano":"9"}"#;
    let line = format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"shop"}}}}]}},"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#
    );
    bad(
        SHOP,
        &[("otel/x.jsonl", format!("{line}\n{line}\n").as_bytes())],
        "01 {[shop] shop!GET.shop?\"GET reply\"}",
        "O1105 spans of `shop` are there twice x1 otel/x.jsonl:2\n\
         O1108 `shop` receives `GET reply` once and nobody sends it x1 otel/x.jsonl:1\n\
         O1108 `shop` sends `GET` once and nobody receives it x1 otel/x.jsonl:1",
    );
}

#[test]
fn what_a_rule_lacks_is_told() {
    bad(
        JSON,
        &[("x", b"{\"l\":\"a\",\"d\":\"up\",\"m\":\"x\"}\n{\"l\":\"a\",\"d\":\"!\"}\n{\"d\":\"!\",\"m\":\"x\"}\n")],
        "",
        "O1103 `all lines` of `source 1` takes a line whose `dir` cannot be `up` x1 x:1\n\
         O1103 `all lines` of `source 1` takes lines that have no value for `message` x1 x:2\n\
         O1103 `all lines` of `source 1` takes lines that have no value for `lifeline` x1 x:3\n\
         O1111 no rule takes any of the 3 lines of x x1 x:1",
    );
}

#[test]
fn a_packed_log_that_is_cut_gives_what_it_has() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    for i in 0..10_000 {
        writeln!(packer, "sent x{i}").unwrap();
    }
    let packed = packer.finish().unwrap();
    let (_, accounting) = run(&plan(TEXT), &[("x.gz", &packed[..packed.len() / 2])]);
    assert!(accounting.total.matched > 1000);
    assert!(findings(&accounting).starts_with("O1102 x.gz: the file cannot be read on: "));
}

#[test]
fn a_file_that_cannot_be_opened_is_told() {
    let plan = plan(TEXT);
    let open = Box::new(|| Err(std::io::Error::other("locked")));
    let file = LogFile { name: "x".to_owned(), source: 0, open };
    let accounting = map(&plan, vec![file], &mut |_: &Observed<'_>| ControlFlow::Continue(()));
    assert_eq!(findings(&accounting), "O1102 x cannot be read: locked x1 x:1\n");
}

#[test]
fn an_event_that_only_sets_variables_has_no_label() {
    let plan = plan(
        "[[source]]\nfiles = ['*.log']\nformat = 'regex'\nlifeline = 'a'\n\
         [[source.rule]]\nmatch = 'now (?<x>\\w+)'\nset = { x = '{x}' }\n\
         [[source.rule]]\nmatch = 'sent (?<m>\\w+)'\nemit = ['!{m}']\nset = { y = 1 }\n",
    );
    let files = vec![LogFile::in_memory("a.log", 0, b"now up\nsent m\n")];
    let mut labels = Vec::new();
    map(&plan, files, &mut |observed: &Observed<'_>| {
        let order = observed.order(Writes::Checked).unwrap();
        let process = order.process("a").unwrap();
        let label = |at| order.label(order.event(process, at).unwrap()).map(str::to_owned);
        labels.extend([1, 2].map(label));
        ControlFlow::Continue(())
    });
    assert_eq!(labels, [None, Some("a!m".to_owned())]);
}

#[test]
fn vector_clocks_are_read_and_checked() {
    let plan = Plan::for_format(crate::read::Format::Shiviz).unwrap();
    let order = |log: &str| {
        let mut result = None;
        let files = vec![LogFile::in_memory("v.log", 0, log.as_bytes())];
        map(&plan, files, &mut |observed: &Observed<'_>| {
            result = Some(observed.order(Writes::Checked).map_err(|error| error.to_string()));
            ControlFlow::Continue(())
        });
        result.unwrap()
    };
    let sound = order("p {\"p\":1}\nsend\nq {\"q\":1, \"p\":1}\nreceive\n").unwrap();
    assert_eq!((sound.event_count(), sound.edges().len()), (2, 1));
    assert_eq!(sound.labels().collect::<Vec<_>>(), ["send", "receive"]);
    assert_eq!(
        order("p {\"p\":1}\nsend\nq {\"q\":1, \"p\":2}\nreceive\n").unwrap_err(),
        "the clock of event 1 of q (receive, v.log:3) is not consistent: it knows 2 events of p, which has 1"
    );
}

#[test]
fn our_own_formats_come_back_as_they_were() {
    let plan =
        plan(&format!("{JSON}id = '{{i}}'\npeer = '{{p}}'\ngroup = '{{g}}'\nclock = '{{c}}'\n"));
    let log = "{\"l\":\"a\",\"d\":\"!\",\"m\":\"x\",\"g\":\"1\",\"i\":\"7\",\"p\":\"b\",\"c\":\"k\"}\n\
               {\"l\":\"b c\",\"d\":\"?\",\"m\":\"x y\",\"g\":\"2\",\"c\":\"k\"}\n";
    let mut canonical = crate::read::canonical::header() + "\n";
    let mut htf = Vec::new();
    let files = vec![LogFile::in_memory("x.log", 0, log.as_bytes())];
    map(&plan, files, &mut |observed: &Observed<'_>| {
        canonical += &observed.canonical();
        htf.push(observed.htf());
        ControlFlow::Continue(())
    });
    let own = Plan::for_format(crate::read::Format::Canonical).unwrap();
    let mut again = crate::read::canonical::header() + "\n";
    let files = vec![LogFile::in_memory("c.jsonl", 0, canonical.as_bytes())];
    let accounting = map(&own, files, &mut |observed: &Observed<'_>| {
        again += &observed.canonical();
        ControlFlow::Continue(())
    });
    assert_eq!(again, canonical, "{}", findings(&accounting));
    assert_eq!(accounting.total.blank, 1, "the header");
    let own = Plan::for_format(crate::read::Format::Htf).unwrap();
    let files = vec![LogFile::in_memory("first.htf", 0, htf[0].as_bytes())];
    map(&own, files, &mut |observed: &Observed<'_>| {
        assert_eq!(observed.htf(), "{[a] a!x}");
        assert_eq!(observed.key(), "first");
        ControlFlow::Continue(())
    });
}

#[test]
fn a_newer_canonical_file_is_not_misread() {
    let plan = Plan::for_format(crate::read::Format::Canonical).unwrap();
    let (shown, accounting) = run(
        &plan,
        &[("x", b"{\"otus\":\"trace\",\"version\":2}\n{\"lifeline\":\"a\",\"weight\":3}\n")],
    );
    assert_eq!(shown, "");
    assert_eq!(accounting.total.incomplete, 2);
}

#[test]
fn groups_that_are_closed_are_given_away_at_once_and_may_begin_again() {
    let plan = plan(
        "[[source]]\nfiles = ['*']\nformat = 'json'\nlifeline = 'a'\ndir = '!'\nmessage = '{m}'\ngroup = '{g}'\n\
         [[source.rule]]\nwhere = { m = 'bye' }\ncloses = true\n[[source.rule]]\nwhere = { m = true }\n",
    );
    let line = |message: &str, group: u32| format!("{{\"m\":\"{message}\",\"g\":{group}}}\n");
    let log =
        [line("hi", 1), line("hi", 2), line("bye", 2), line("hi", 2), line("bye", 1)].concat();
    let (shown, accounting) = run(&plan, &[("x", log.as_bytes())]);
    assert_eq!(shown, "2* {[a] a!hi.a!bye}\n1* {[a] a!hi.a!bye}\n2 {[a] a!hi}\n");
    assert!(findings(&accounting).contains("O1109 1 of 3 groups never end: `2`"));
}
