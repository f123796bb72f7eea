//! Logs that are long enough to be read in parts, by several threads. [`run`] compares with one thread.

use std::fmt::Write as _;

use super::{plan, run};
use crate::mapping::Plan;
use crate::read::Format;

pub(super) const TEXT: &str = r#"
[[source]]
files = ["*.log"]
format = "regex"
lifeline = "{file.stem}"
clock = "{host}"
group = "{run}"
time = "{t}"
ignore = ['^noise']
[[source.rule]]
match = '^(?<t>\d+) (?<host>h\d) run=(?<run>\d+) (?<d>sent|got) (?<m>\w+)(?: to (?<peer>\w+))?(?: v=(?<v>\S+))?'
dir = { from = "d", map = { sent = "!", got = "?" } }
message = "{m}"
peer = "{peer}"
values = { v = { from = "v", as = "number" } }
[[source.rule]]
match = '^(?<t>\d+) (?<host>h\d) run=(?<run>\d+) state (?<x>\w+)'
set = { x = "{x}" }
[[source.rule]]
match = '^(?<t>\d+) (?<host>h\d) run=(?<run>\d+) end'
closes = true
"#;

/// Lines of many runs that overlap, with all that can go wrong.
pub(super) fn text(seed: u64, lines: u32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut text = Vec::new();
    for number in 0..lines {
        let run = number / 40 + random.u32(..30);
        let host = random.u32(..100) / 99;
        let time = if random.u32(..500) == 0 { 7 } else { number };
        let start = format!("{time} h{host} run={run}");
        let line = match random.u32(..100) {
            0..40 => format!("{start} sent m{} to b v={}", number % 9, random.u32(..50)),
            40..70 => format!("{start} got m{}", random.u32(..9)),
            70..75 => format!("{start} sent m{number} to x{} v=word", number / 100),
            75..80 => format!("{start} state s{}", number / 300),
            80..85 => format!("{start} end"),
            85..90 => format!("noise {number}"),
            90..95 => format!("who knows {} {}", random.alphabetic(), number),
            95..97 => String::new(),
            _ => format!("{start} got m\u{fc}{number}"),
        };
        text.extend_from_slice(line.as_bytes());
        if number % 777 == 0 {
            text.push(b'\xff');
        }
        text.extend_from_slice(if number % 3 == 0 { b"\r\n" } else { b"\n" });
    }
    text
}

#[test]
fn text_in_parts() {
    let mut plan = plan(TEXT);
    plan.keep(["v", "time"]);
    let (a, b) = (text(1, 30_000), text(2, 20_000));
    let (_, accounting) = run(&plan, &[("a.log", &a), ("b.log", &b), ("c.log", b"")]);
    assert!(accounting.total.matched > 30_000 && accounting.total.unmatched > 1_000);
    assert!(accounting.findings.len() > 3, "{:#?}", accounting.findings);
    // With one file, groups are released while it is read.
    let (_, alone) = run(&plan, &[("a.log", &a)]);
    assert!(alone.groups.closed > 100);
    plan.idle = Some(500);
    run(&plan, &[("a.log", &a), ("b.log", &b)]);
    plan.sources[0].options.longest = 30;
    let (_, short) = run(&plan, &[("a.log", &a)]);
    assert!(short.total.unreadable > 100);
}

const JSON: &str = r#"
[[source]]
files = ["*.jsonl"]
format = "json"
lifeline = "{at}"
group = "{g}"
dir = "{d}"
message = "{m}"
id = "{id}"
[lifelines]
"n*" = "node"
[messages]
"m1*" = "one"
"#;

/// Objects on a line, over several lines and cut ones, with plain lines between them.
fn json(seed: u64, lines: u32) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut text = String::new();
    for number in 0..lines {
        let (g, m) = (random.u32(..5000), random.u32(..30));
        let at = ["a", "b", "n1", "n2"][random.usize(..4)];
        let d = ["!", "?", "odd"][random.usize(..300) / 149];
        let _ = match random.u32(..50) {
            0 => writeln!(
                text,
                "{{\n \"at\": \"{at}\",\n \"g\": {g}, \"x\": [\n{{}}\n,{{\"y\":1}}\n],\n\"d\": \"{d}\", \"m\": \"m{m}\"}}"
            ),
            1 => writeln!(text, "plain {number}"),
            2 => writeln!(text, "{{\"at\": \"{at}\", \"g\": {g}, \"m\": \"cut"),
            3 => writeln!(text, "[{{ \"at\": 1"),
            _ => writeln!(
                text,
                r#"{{"at":"{at}","g":{g},"d":"{d}","m":"m{m}","id":"{}","rest":"{}"}}"#,
                g / 7,
                "x".repeat(number as usize % 40),
            ),
        };
    }
    text
}

#[test]
fn json_in_parts() {
    let plan = plan(JSON);
    let (a, b) = (json(1, 15_000), json(2, 9_000));
    let files = [("a.jsonl", a.as_bytes()), ("b.jsonl", b.as_bytes())];
    let (_, accounting) = run(&plan, &files);
    assert!(accounting.total.matched > 20_000 && accounting.total.unreadable > 100);
    // An object that never ends takes the rest of the file.
    let endless = format!("{}{{\"at\": [\n{}", &a, a.repeat(4));
    let (_, accounting) = run(&plan, &[("a.jsonl", endless.as_bytes()), files[1]]);
    assert!(accounting.total.matched > 20_000);
    // A list of objects.
    let list = format!("[{}]", vec![r#"{"at":"a","d":"!","m":"x","g":1}"#; 30_000].join(",\n"));
    let (_, accounting) = run(&plan, &[("a.jsonl", list.as_bytes()), files[1]]);
    assert!(accounting.total.matched > 30_000);
}

#[test]
fn canonical_lines_in_parts() {
    let mut plan = plan(TEXT);
    plan.keep(["v", "time"]);
    let mut lines = crate::read::canonical::header() + "\n";
    let log = text(3, 12_000);
    let file = vec![crate::run::LogFile::in_memory("a.log", 0, &log)];
    crate::run::map(&plan, file, &mut |observed: &crate::run::Observed<'_>| {
        lines += &observed.canonical();
        std::ops::ControlFlow::Continue(())
    });
    let odd = "{\"lifeline\":\"a\",\"clock\":\"other\",\"action\":\"!\",\"message\":\"m\"}\n";
    lines += odd;
    let mut own = Plan::for_format(Format::Canonical).unwrap();
    let (_, accounting) = run(&own, &[("c.jsonl", lines.as_bytes())]);
    assert!(accounting.total.matched > 5_000);
    own.keep_listed();
    run(&own, &[("c.jsonl", lines.as_bytes()), ("d.jsonl", lines.as_bytes())]);
}

#[test]
fn files_that_have_no_parts_are_read_at_once() {
    let csv = plan(
        "[[source]]\nfiles = ['*.csv']\nformat = 'csv'\nlifeline = '{at}'\ndir = '{d}'\nmessage = '{m}'\n\
         group = '{g}'\n",
    );
    let mut files = Vec::new();
    for file in 0..4 {
        let mut text = String::from("at,d,m,g\n");
        for number in 0..9_000 {
            let _ =
                writeln!(text, "l{},!,\"m\n{}\",{}", number % 3, number % 11, number % 700 + file);
        }
        files.push((format!("f{file}.csv"), text));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let (_, accounting) = run(&csv, &files);
    assert_eq!(accounting.total.matched, 36_000);
}
