//! What events carry: from logs of every format to facts beside a multi-trace.

use std::ops::ControlFlow;

use otus_core::{Partners, Pool, Signature};
use otus_syntax::{Source, parse_trace, print};

use super::{findings, plan, run};
use crate::facts::{self, FieldNames};
use crate::mapping::Plan;
use crate::run::{Group, LogFile, Observed, map};
use crate::{lower_with_facts, raise_with_facts};

/// The groups of a run with their values, over a signature of all names, by way of owned groups.
fn groups(plan: &Plan, files: &[(&str, &[u8])]) -> Vec<String> {
    let logs = files.iter().map(|(name, bytes)| {
        LogFile::in_memory(name, plan.source_of(name).expect("a source"), bytes)
    });
    let mut fields = FieldNames::default();
    fields.intern(facts::TIME.into());
    // Another order than that of the plan, and a field that it does not have.
    for name in plan.kept().iter().map(String::as_str).rev().chain(["none"]) {
        fields.intern(name.into());
    }
    let mut shown = Vec::new();
    map(plan, logs.collect(), &mut |observed: &Observed<'_>| {
        let mut signature = Signature::default();
        for event in observed.events() {
            signature.add_lifeline(event.lifeline());
            if let Some((_, message)) = event.action() {
                signature.add_message(message);
            }
        }
        let group = Group::new(observed, &signature);
        let mut pool = Pool::new(signature);
        let trace = group.trace(&mut pool, &Partners::default());
        let facts = group.facts(&trace, &fields);
        shown.push(print::trace_line(&raise_with_facts(&trace, &facts, &fields, &pool)));
        ControlFlow::Continue(())
    });
    shown
}

const TEXT: &str = r#"
[[source]]
files = ["*.log"]
format = "regex"
lifeline = "{file.stem}"
time = "{t}"
values = { mid = "{mid}", seen = { from = "seen", as = "bool" } }
[[source.rule]]
match = '^(?<t>\S+) sent (?<m>\w+)(?: mid=(?<mid>\w*))?(?: q=(?<q>\S+))?'
dir = "!"
message = "{m}"
values = { qos = { from = "q", as = "number" }, kind = "out", n = 3, topic = { from = "m", map = { PUB = "publish" } } }
[[source.rule]]
match = '^(?<t>\S+) got (?<m>\w+) (?<mid>\w+) (?<seen>\S+)'
dir = "?"
message = "{m}"
values = { mid = { from = "mid", as = "text" } }
"#;

const LINES: &[u8] =
    b"1.5 sent PUB mid=7 q=2\n2 got ACK 7 true\n2.25 sent END\n3 sent PUB mid= q=x\n";

#[test]
fn a_rule_of_a_text_log_lists_its_values() {
    let mut plan = plan(TEXT);
    plan.keep(["time", "mid", "qos", "seen", "kind", "n", "topic", "m"]);
    let expected = "{[#all] a!PUB(topic=\"publish\", n=3, kind=\"out\", qos=2, mid=7, time=1.5)\
                    .a?ACK(seen=true, mid=\"7\", time=2).a!END(topic=\"END\", n=3, kind=\"out\", time=2.25)\
                    .a!PUB(topic=\"publish\", n=3, kind=\"out\", time=3)}";
    assert_eq!(groups(&plan, &[("a.log", LINES)]), [expected]);
    let (shown, accounting) = run(&plan, &[("a.log", LINES)]);
    assert!(shown.contains("a?ACK(mid=\"7\", seen=true, time=2)"), "{shown}");
    let told = findings(&accounting);
    assert!(told.contains("O1111 no event has a value of `m`"), "{told}");
    let wrong = "O1112 `rule 1` of `source 1` takes lines whose `qos` is no number x1 a.log:4";
    assert!(told.contains(wrong), "{told}");
    let accounts: Vec<_> = accounting
        .values
        .iter()
        .map(|it| format!("{} {}/{}/{}", it.name, it.known, it.unknown, it.unusable))
        .collect();
    assert_eq!(
        accounts,
        [
            "mid 2/2/0",
            "qos 1/3/1",
            "seen 1/3/0",
            "kind 3/1/0",
            "n 3/1/0",
            "topic 3/1/0",
            "m 0/4/0",
            "time 4/0/0"
        ]
    );
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    let plan = plan(TEXT);
    let (shown, accounting) = run(&plan, &[("a.log", LINES)]);
    assert_eq!(shown, " {[a] a!PUB.a?ACK.a!END.a!PUB}\n");
    assert!(accounting.values.is_empty());
    assert!(!findings(&accounting).contains("O1112"));
    assert_eq!(groups(&plan, &[("a.log", LINES)]), ["{[#all] a!PUB.a?ACK.a!END.a!PUB}"]);
}

#[test]
fn listed_values_can_be_kept_without_a_specification() {
    let mut plan = plan(TEXT);
    plan.keep_listed();
    assert_eq!(plan.kept(), ["qos", "kind", "n", "topic", "mid", "seen"]);
    assert!(plan.keeps_time);
}

const JSON: &str = r#"
[[source]]
files = ["*.jsonl"]
format = "json"
lifeline = "{at}"
dir = "{d}"
message = "{m}"
id = "{key}"
"#;

#[test]
fn fields_of_json_are_there_by_their_paths() {
    let mut plan = plan(JSON);
    plan.keep(["time", "user.id", "ok", "id", "n"]);
    let lines = br#"{"at":"a","d":"!","m":"x","key":"12","user":{"id":7},"ok":true,"time":12.5}
{"at":"a","d":"?","m":"x","user":{"id":"7"},"ok":null,"n":1e3,"time":"1970-01-01T00:00:13Z"}
{"at":"a","d":"!","m":"y","key":"00f","user":{"id":[1]},"n":1e400,"time":"soon"}
{"at":"a","d":"!","m":"y","user":{"id":123456789012345678901},"n":-Infinity,"time":99999999999999}
"#;
    assert_eq!(
        groups(&plan, &[("a.jsonl", lines)]),
        [
            "{[#all] a!x(id=12, ok=true, \"user.id\"=7, time=12.5).a?x(n=1000, \"user.id\"=7, time=13)\
          .a!y(id=\"00f\").a!y}"
        ]
    );
    let (_, accounting) = run(&plan, &[("a.jsonl", lines)]);
    let shown = findings(&accounting);
    let told: Vec<&str> = shown.lines().filter(|line| line.starts_with("O1112")).collect();
    let about = |what: &str| format!("O1112 `all lines` of `source 1` takes lines whose {what}");
    assert_eq!(
        told,
        [
            about("`n` is a number that does not fit in 64 bits x1 a.jsonl:3"),
            about("`time` is no time x1 a.jsonl:3"),
            about("`user.id` is a list or an object x1 a.jsonl:3"),
            about("`n` is no number x1 a.jsonl:4"),
            about("`time` is more than 146 years away from 1970 x1 a.jsonl:4"),
            about("`user.id` is a number that does not fit in 64 bits x1 a.jsonl:4"),
        ]
    );
    let unusable: Vec<u64> = accounting.values.iter().map(|it| it.unusable).collect();
    assert_eq!(unusable, [2, 0, 0, 2, 2]);
}

#[test]
fn times_have_units() {
    let text = JSON.replace("id =", "time = { from = \"ts\", unit = \"ms\" }\nid =");
    let mut plan = plan(&text);
    plan.keep(["time"]);
    let lines = br#"{"at":"a","d":"!","m":"x","ts":1794726891116}
{"at":"a","d":"!","m":"x","ts":"2026-11-15T07:13:08.25+01:00"}
"#;
    assert_eq!(
        groups(&plan, &[("a.jsonl", lines)]),
        ["{[#all] a!x(time=1794726891.116).a!x(time=1794723188.25)}"]
    );
    let (_, accounting) = run(&plan, &[("a.jsonl", lines)]);
    assert!(findings(&accounting).contains("O1104 the clock of `a` goes backwards"));
}

#[test]
fn columns_of_csv_and_attributes_of_spans_are_fields() {
    let mut csv = plan(
        "[[source]]\nfiles = ['*.csv']\nformat = 'csv'\nlifeline = '{at}'\ndir = '{d}'\n\
         message = '{m}'\n",
    );
    csv.keep(["time", "code"]);
    let lines = b"at,d,m,code,time\na,!,x,007,1\na,?,x,,2\na,!,x,\"8\",\n";
    assert_eq!(
        groups(&csv, &[("a.csv", lines)]),
        ["{[#all] a!x(code=\"007\", time=1).a?x(time=2).a!x(code=8)}"]
    );
    let mut spans = Plan::for_format(crate::read::Format::Otlp).unwrap();
    spans.keep(["time", "http.status", "order.id"]);
    let line = br#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","name":"pay","kind":3,"startTimeUnixNano":"1500000000","endTimeUnixNano":"2500000000","attributes":[{"key":"http.status","value":{"intValue":"200"}},{"key":"order.id","value":{"stringValue":"o-1"}}]}]}]}]}"#;
    let shown = groups(&spans, &[("a.json", line)]);
    let values = "\"order.id\"=\"o-1\", \"http.status\"=200";
    assert_eq!(
        shown,
        [format!("{{[#all] shop!pay({values}, time=1.5).shop?\"pay reply\"({values}, time=2.5)}}")]
    );
}

#[test]
fn canonical_lines_have_values_and_come_back() {
    let mut first = plan(TEXT);
    first.keep_listed();
    let mut written = format!("{}\n", crate::read::canonical::header());
    let files = vec![LogFile::in_memory("a.log", 0, LINES)];
    map(&first, files, &mut |observed: &Observed<'_>| {
        written.push_str(&observed.canonical());
        ControlFlow::Continue(())
    });
    let line = r#""message":"PUB","values":{"qos":2,"kind":"out","n":3,"topic":"publish","mid":7},"time":1.5,"file""#;
    assert!(written.contains(line), "{written}");
    let mut again = Plan::for_format(crate::read::Format::Canonical).unwrap();
    again.keep(first.kept().iter().map(String::as_str).chain(["time"]));
    assert_eq!(
        groups(&again, &[("b.jsonl", written.as_bytes())]),
        groups(&first, &[("a.log", LINES)])
    );
    // What canonical lines have is listed by themselves.
    let mut all = Plan::for_format(crate::read::Format::Canonical).unwrap();
    all.keep_listed();
    let mut rewritten = format!("{}\n", crate::read::canonical::header());
    let files = vec![LogFile::in_memory("b.jsonl", 0, written.as_bytes())];
    map(&all, files, &mut |observed: &Observed<'_>| {
        rewritten.push_str(&observed.canonical());
        ControlFlow::Continue(())
    });
    assert_eq!(rewritten, written);
    // Without guards, the values are not looked at.
    let plain = Plan::for_format(crate::read::Format::Canonical).unwrap();
    let (shown, accounting) = run(&plain, &[("b.jsonl", written.as_bytes())]);
    assert_eq!(shown, " {[a] a!PUB.a?ACK.a!END.a!PUB}\n");
    assert_eq!(accounting.total.incomplete, 0);
}

#[test]
fn canonical_values_that_are_none_are_told() {
    let mut plan = Plan::for_format(crate::read::Format::Canonical).unwrap();
    plan.keep(["x", "id", "time"]);
    let lines = br#"{"otus":"trace","version":1}
{"lifeline":"a","action":"!","message":"m","id":"7","values":{"x":"7","y":[1]},"time":"1970-01-01T00:00:01Z"}
{"lifeline":"a","action":"!","message":"m","values":{"x":{}},"time":"x"}
{"lifeline":"a","action":"!","message":"m","values":{"x":null},"time":null}
{"lifeline":"a","action":"!","message":"m","values":7}
{"lifeline":"a","action":"!","message":"m","values":{"x":1e999}}
"#;
    let shown = groups(&plan, &[("b.jsonl", lines)]);
    assert_eq!(shown, ["{[#all] a!m(id=7, x=\"7\", time=1).a!m.a!m.a!m}"]);
    let (_, accounting) = run(&plan, &[("b.jsonl", lines)]);
    let shown = findings(&accounting);
    for told in [
        "O1103 `events` of `otus` takes a line whose `values` cannot be `7` x1 b.jsonl:5",
        "O1112 `events` of `otus` takes lines whose `time` is no time x1 b.jsonl:3",
        "O1112 `events` of `otus` takes lines whose `x` is a list or an object x1 b.jsonl:3",
        "O1112 `events` of `otus` takes lines whose `x` is a number that does not fit in 64 bits x1 b.jsonl:6",
    ] {
        assert!(shown.contains(told), "{shown}");
    }
}

#[test]
fn multi_traces_are_logs_with_values_too() {
    let mut plan = Plan::for_format(crate::read::Format::Htf).unwrap();
    plan.keep(["x", "message", "time"]);
    let text = "{[a, b] b!m.a!m.{b?m(x=\"7\", time=2), a!m(x=7, message=true)}\
                .a?n(x=null, time=\"1970-01-01T00:00:03Z\")}";
    let expected = "{[#all] b!m.a!m.{a!m(message=true, x=7), b?m(x=\"7\", time=2)}.a?n(time=3)}";
    let shown = groups(&plan, &[("run.htf", text.as_bytes())]);
    let tree = parse_trace(&Source::new("x.htf", text)).tree;
    let mut pool = Pool::new(crate::transform::implied_signature([&tree]));
    let fields = facts::all_fields([&tree]);
    let (trace, facts, _) = lower_with_facts(&tree, &mut pool, &fields);
    let lowered = print::trace_line(&raise_with_facts(&trace, &facts, &fields, &pool));
    assert_eq!(lowered.replace("x=7, message=true", "message=true, x=7"), shown[0]);
    assert_eq!(shown, [expected]);
}

#[test]
fn a_clock_that_goes_backwards_breaks_in_the_facts() {
    let mut plan = plan(JSON);
    plan.keep(["time"]);
    let lines = br#"{"at":"a","d":"!","m":"x","time":5}
{"at":"a","d":"!","m":"x","time":4}
{"at":"a","d":"!","m":"x","time":6}
"#;
    let files = vec![LogFile::in_memory("a.jsonl", 0, lines)];
    let mut fields = FieldNames::default();
    fields.intern(facts::TIME.into());
    let mut breaks = Vec::new();
    let accounting = map(&plan, files, &mut |observed: &Observed<'_>| {
        let mut signature = Signature::default();
        signature.add_lifeline("a");
        signature.add_message("x");
        let group = Group::new(observed, &signature);
        let trace = group.trace(&mut Pool::new(signature), &Partners::default());
        breaks.extend_from_slice(group.facts(&trace, &fields).breaks(crate::ComponentId(0)));
        ControlFlow::Continue(())
    });
    assert_eq!(breaks, [1]);
    assert!(findings(&accounting).contains("O1104"));
}
