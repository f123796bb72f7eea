//! Tables of events and of results in Parquet. `scripts/check-tables` compares those of real writers.
#![cfg(feature = "parquet")]

#[path = "../../../otus/tests/it/parquet/write.rs"]
mod write;

use serde_json::Value;

use crate::sandbox::Sandbox;
use write::{Cells, Column, Layout, table};

const PING: &str = "@lifeline{a; b}@message{ping; pong}seq(a -- ping -> b, b -- pong -> a)";

/// The events of a run that is accepted.
const RIGHT: [(&str, &str, i64); 4] =
    [("a", "!ping", 1), ("b", "?ping", 1), ("b", "!pong", 2), ("a", "?pong", 2)];

type Event = (String, &'static str, &'static str, i64);

/// Runs `r0`, `r1`, …; in every third, b answers before it is asked.
fn events(runs: usize) -> Vec<Event> {
    let mut all = Vec::new();
    for run in 0..runs {
        for (lifeline, action, order) in RIGHT {
            let is_wrong = run % 3 == 2 && lifeline == "b";
            all.push((
                format!("r{run}"),
                lifeline,
                action,
                if is_wrong { 3 - order } else { order },
            ));
        }
    }
    all
}

fn texts<'e>(events: impl Iterator<Item = &'e str>) -> Cells {
    Cells::Texts(events.map(|text| Some(text.to_owned())).collect())
}

fn columns(events: &[Event]) -> Vec<Column> {
    vec![
        ("run", texts(events.iter().map(|event| event.0.as_str()))),
        ("lifeline", texts(events.iter().map(|event| event.1))),
        ("action", texts(events.iter().map(|event| event.2))),
        ("order", Cells::Integers(events.iter().map(|event| Some(event.3)).collect())),
    ]
}

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("ping.hsf", PING);
    sandbox
}

/// A table of a run of `flow.mmd`, as `events.parquet` and in the folder `lake`; its columns have the names of their roles, and
/// those of the examples.
pub(crate) fn example(sandbox: &Sandbox) {
    let events = [
        ("User", "!login", 1),
        ("Server", "?login", 1),
        ("Server", "!welcome", 2),
        ("User", "?welcome", 2),
    ];
    let events =
        events.map(|(lifeline, action, order)| ("alice".to_owned(), lifeline, action, order));
    let mut all = columns(&events);
    let (run, lifeline) = (all[0].1.clone(), all[1].1.clone());
    all.extend([("trace_id", run), ("host", lifeline)]);
    std::fs::create_dir(sandbox.path("lake")).unwrap();
    put(sandbox, "lake/events.parquet", &all);
    put(sandbox, "events.parquet", &all);
}

fn put(sandbox: &Sandbox, name: &str, columns: &[Column]) {
    let layout = Layout { rows_in_group: 7, ..Layout::default() };
    std::fs::write(sandbox.path(name), table(columns, &layout)).unwrap();
}

/// The exit status, and what is printed to both streams.
#[track_caller]
fn call(sandbox: &Sandbox, arguments: &str) -> (Option<i32>, String) {
    let output = sandbox.otus(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// Asserts that a call fails with a message.
#[track_caller]
fn refused(sandbox: &Sandbox, arguments: &str, message: &str) {
    let (status, said) = call(sandbox, arguments);
    assert!(said.contains(message), "{said}");
    assert_eq!(status, Some(2), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[track_caller]
fn verdicts(sandbox: &Sandbox, arguments: &str) -> Vec<String> {
    let (_, said) = call(sandbox, &format!("analyze ping.hsf {arguments} --format jsonl"));
    let lines = said.lines().filter(|line| line.starts_with('{'));
    let answers = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text =
        |it: Value| format!("{} {}", it["id"].as_str().unwrap(), it["verdict"].as_str().unwrap());
    answers.map(text).collect()
}

fn expected(runs: usize) -> Vec<String> {
    let verdict = |run: usize| if run % 3 == 2 { "Fail" } else { "Pass" };
    (0..runs).map(|run| format!("r{run} {}", verdict(run))).collect()
}

#[test]
fn all_files_are_one_table_whatever_the_number_of_threads_and_the_memory() {
    let sandbox = prepared("tables-files");
    let all = events(300);
    std::fs::create_dir(sandbox.path("lake")).unwrap();
    // Each run is in two files: a's events and b's.
    let of = |lifeline: &str| {
        all.iter().filter(|event| event.1 == lifeline).cloned().collect::<Vec<Event>>()
    };
    put(&sandbox, "lake/1.parquet", &columns(&of("a")));
    put(&sandbox, "lake/2.parquet", &columns(&of("b")));
    // What Spark puts beside its tables is passed over.
    sandbox.write("lake/_SUCCESS", "");
    sandbox.write("lake/.1.parquet.crc", "crc");
    for jobs in 1..=3 {
        assert_eq!(verdicts(&sandbox, &format!("lake --jobs {jobs}")), expected(300));
    }
    assert_eq!(verdicts(&sandbox, "lake/1.parquet lake/2.parquet --memory 100"), expected(300));
    assert_eq!(verdicts(&sandbox, "lake --group r5"), ["r5 Fail"]);
    assert_eq!(verdicts(&sandbox, "lake --group r6"), ["r6 Pass"]);
    let (status, said) = call(&sandbox, "analyze ping.hsf lake --group r5 --certificate c.txt");
    assert!(status == Some(1) && sandbox.path("c.txt").exists(), "{said}");
    refused(
        &sandbox,
        "analyze ping.hsf lake --certificate c.txt",
        "--certificate records one analysis; a table has several runs; choose one by --group",
    );
    refused(
        &sandbox,
        "analyze ping.hsf lake --group r999",
        "no run is called `r999` in column `run` of lake/1.parquet and 1 more file",
    );
}

#[test]
fn columns_may_have_other_names_and_numbers_may_name_runs() {
    let sandbox = prepared("tables-columns");
    let all = events(5);
    let number = |event: &Event| event.0[1..].parse::<i64>().ok();
    let other = vec![
        ("trace_id", Cells::Integers(all.iter().map(number).collect())),
        ("host", texts(all.iter().map(|event| event.1))),
        ("action", texts(all.iter().map(|event| event.2))),
        ("seq", Cells::Small(all.iter().map(|it| i32::try_from(it.3).ok()).collect())),
        ("flag", Cells::Flags(all.iter().map(|_| Some(true)).collect())),
        ("when", Cells::Times(all.iter().map(|_| None).collect())),
        ("score", Cells::Numbers(all.iter().map(|_| Some(0.5)).collect())),
        // A column of this name is passed over if no guard compares times.
        ("time", Cells::Integers(all.iter().map(|_| Some(1)).collect())),
    ];
    put(&sandbox, "e.parquet", &other);
    let found = verdicts(&sandbox, "e.parquet --columns run=trace_id,lifeline=host");
    assert_eq!(found, ["0 Pass", "1 Pass", "2 Fail", "3 Pass", "4 Pass"]);
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "e.parquet has no column `run` (the run of an event); it has `trace_id`, `host`, `action`, `seq`, `flag`, `when`, `score`, `time`; \
         name the column with `--columns run=…`",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns run=trace_ids",
        "did you mean `trace_id`?",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns rum=trace_id",
        "there is no role `rum`",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns run=trace_id,lifeline=seq",
        "e.parquet: column `seq` has type INT32; it must have texts: cast it",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns run=flag,lifeline=host",
        "column `flag` has type BOOLEAN; it must have texts or whole numbers: cast it",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns run=trace_id,lifeline=host,time=seq",
        "column `seq` has type INT32; it must have time stamps: cast it",
    );
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --columns run=trace_id,lifeline=host,order=action",
        "column `action` has type BYTE_ARRAY (String); an order is whole numbers, or times: cast it",
    );
}

#[test]
fn nulls_and_unknown_lifelines_are_told_with_their_rows() {
    let sandbox = prepared("tables-nulls");
    let with = |change: &dyn Fn(&mut Vec<Column>)| {
        let mut all = columns(&events(3));
        change(&mut all);
        put(&sandbox, "e.parquet", &all);
    };
    with(&|all| {
        if let Cells::Texts(run) = &mut all[0].1 {
            run[4] = None;
        }
    });
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "e.parquet, row 5: column `run` is null, so the event belongs to no run; leave out such rows",
    );
    with(&|all| {
        if let Cells::Texts(lifeline) = &mut all[1].1 {
            lifeline[4] = Some("c".to_owned());
        }
    });
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "e.parquet, row 5: column `lifeline`: ping.hsf has no lifeline `c`; there are `a`, `b`",
    );
    // The other runs are checked.
    assert_eq!(verdicts(&sandbox, "e.parquet"), ["r0 Pass", "r2 Fail"]);
    with(&|all| {
        if let Cells::Texts(action) = &mut all[2].1 {
            action[4] = Some("ping".to_owned());
        }
    });
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "e.parquet, row 5: column `action`: `ping` is neither `!message` (sent) nor `?message` (received)",
    );
    with(&|all| {
        if let Cells::Integers(order) = &mut all[3].1 {
            order[4] = None;
        }
    });
    refused(&sandbox, "analyze ping.hsf e.parquet", "e.parquet, row 5: column `order` is null");
    with(&|all| {
        if let Cells::Integers(order) = &mut all[3].1 {
            order[7] = Some(1);
        }
    });
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "both have 1 in column `order`, so their order is not known",
    );
    with(&|all| {
        if let Cells::Texts(action) = &all[2].1 {
            let bytes = action.iter().map(|_| Some(vec![0xff, 0xfe])).collect();
            all[2].1 = Cells::Bytes(bytes);
        }
    });
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet",
        "column `action` has bytes that are not text (UTF-8)",
    );
}

#[test]
fn without_a_column_of_orders_a_run_is_in_one_file() {
    let sandbox = prepared("tables-order");
    let mut all = events(4);
    all.sort_by_key(|event| (event.0.clone(), event.3));
    let without = |events: &[Event]| {
        let mut all = columns(events);
        all.truncate(3);
        all
    };
    put(&sandbox, "all.parquet", &without(&all));
    assert_eq!(verdicts(&sandbox, "all.parquet"), expected(4));
    // Whole runs in each file.
    put(&sandbox, "1.parquet", &without(&all[..8]));
    put(&sandbox, "2.parquet", &without(&all[8..]));
    assert_eq!(verdicts(&sandbox, "1.parquet 2.parquet"), expected(4));
    put(&sandbox, "1.parquet", &without(&all[..6]));
    put(&sandbox, "2.parquet", &without(&all[6..]));
    refused(
        &sandbox,
        "analyze ping.hsf 1.parquet 2.parquet",
        "run `r1` has rows in 1.parquet and in 2.parquet, and no column says in which order they happened; name that \
         column with `--columns order=…`, or write all rows of a run into one file",
    );
    put(&sandbox, "2.parquet", &columns(&all[6..]));
    refused(
        &sandbox,
        "analyze ping.hsf 1.parquet 2.parquet",
        "1.parquet orders events by the order of its rows, 2.parquet by column `order` (numbers)",
    );
}

#[test]
fn what_is_no_table_is_told() {
    let sandbox = prepared("tables-broken");
    put(&sandbox, "e.parquet", &columns(&events(30)));
    let whole = std::fs::read(sandbox.path("e.parquet")).unwrap();
    std::fs::write(sandbox.path("cut.parquet"), &whole[..whole.len() / 2]).unwrap();
    refused(&sandbox, "analyze ping.hsf cut.parquet", "cannot read cut.parquet as Parquet");
    sandbox.write("text.parquet", "run,lifeline,action\n");
    refused(&sandbox, "analyze ping.hsf text.parquet", "cannot read text.parquet as Parquet");
    sandbox.write("nothing.parquet", "");
    refused(&sandbox, "analyze ping.hsf nothing.parquet", "cannot read nothing.parquet as Parquet");
    std::fs::create_dir(sandbox.path("folder.parquet")).unwrap();
    refused(
        &sandbox,
        "analyze ping.hsf folder.parquet",
        "the folder folder.parquet has no file to work on",
    );
    refused(&sandbox, "analyze ping.hsf missing.parquet", "there is no file missing.parquet");
    put(&sandbox, "empty.parquet", &columns(&[]));
    refused(
        &sandbox,
        "analyze ping.hsf empty.parquet",
        "empty.parquet: no rows, so nothing was checked",
    );
    refused(&sandbox, "analyze e.parquet", "no specification is given");
    sandbox.write("wrong.hsf", "@lifeline{a; b}@message{ping}seq(a -- ping -> c)");
    refused(&sandbox, "analyze wrong.hsf e.parquet", "`c`");
    refused(
        &sandbox,
        "analyze ping.hsf e.parquet --results e.parquet",
        "--results would overwrite e.parquet, which is read",
    );
    sandbox.write("two.hsf", PING);
    refused(&sandbox, "convert e.parquet out.htf", "e.parquet");
    refused(&sandbox, "ctl e.parquet EF(true)", "e.parquet is a table of events");
    // The description at the end is whole, the rows are not.
    let mut damaged = whole;
    damaged[4..200].fill(0xa5);
    std::fs::write(sandbox.path("damaged.parquet"), damaged).unwrap();
    let (status, said) = call(&sandbox, "analyze ping.hsf damaged.parquet");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("damaged.parquet") && !said.contains("panicked"), "{said}");
}

#[test]
fn results_are_tables_and_reports_are_made_of_them() {
    let sandbox = prepared("tables-results");
    let mut all = events(30);
    all.push(("stranger".to_owned(), "c", "!ping", 1));
    put(&sandbox, "e.parquet", &columns(&all));
    let (status, said) =
        call(&sandbox, "analyze ping.hsf e.parquet --results out/ --explain full --coverage");
    assert_eq!(status, Some(2), "{said}");
    let names = ["causes", "coverage", "sample", "totals", "verdicts"];
    for name in names {
        assert!(sandbox.path(&format!("out/{name}.parquet")).exists(), "{name}");
    }
    let (status, said) = call(
        &sandbox,
        "report out -o report.html --report markdown=report.md --report json=report.json",
    );
    assert_eq!(status, Some(0), "{said}");
    assert!(said.ends_with("20 pass, 0 weak, 10 fail, 0 undecided; 1 unusable\n"), "{said}");
    let page = sandbox.read("report.html");
    for part in [
        "Conformance to out",
        "<td>too early</td>",
        "ping.hsf:1",
        "stranger",
        "\"coverage\":[{\"specification\":\"ping.hsf\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(sandbox.read("report.md").contains("| r2 | Fail |"));
    let report: Value = serde_json::from_str(&sandbox.read("report.json")).unwrap();
    assert_eq!(report["summary"]["fail"], 10);
    assert_eq!(report["coverage"]["counted"], 20);
    assert_eq!(report["results"][2]["explanation"]["cause"], "too-early");

    // Without the rows of all runs, the sample is listed and the totals are counted.
    std::fs::remove_file(sandbox.path("out/verdicts.parquet")).unwrap();
    let (status, said) = call(&sandbox, "report out -o sample.html");
    assert_eq!(
        (status, said.as_str()),
        (Some(0), "wrote sample.html\n20 pass, 0 weak, 10 fail, 0 undecided; 1 unusable\n")
    );
    assert!(
        sandbox
            .read("sample.html")
            .contains("Of 20 groups with Pass, 0 are listed: the results have no more.")
    );

    // Results as JSON.
    for (flags, name) in [("--results r.jsonl", "r.jsonl"), ("--report json=r.json", "r.json")] {
        call(&sandbox, &format!("analyze ping.hsf e.parquet --explain full {flags}"));
        let (status, said) = call(&sandbox, &format!("report {name}"));
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("r2: Fail (accept") || said.contains("r2: Fail (prefix"), "{said}");
        assert!(said.contains("error[too-early]: "), "{said}");
        assert!(said.ends_with("20 pass, 0 weak, 10 fail, 0 undecided\n"), "{said}");
    }
    let (status, said) =
        call(&sandbox, "report r.jsonl --format html -o twice.html --report html=twice.html");
    assert_eq!(status, Some(2), "{said}");
    refused(
        &sandbox,
        "report e.parquet",
        "e.parquet is no table of results: it has the columns `run`, `lifeline`",
    );
    refused(&sandbox, "report ping.hsf", "ping.hsf is no file of results by its ending");
    refused(&sandbox, "report none.jsonl", "there is no file none.jsonl");
    refused(&sandbox, "report r.jsonl -o r.jsonl", "would overwrite r.jsonl");
    refused(&sandbox, "report r.jsonl -o report.doc", "the ending of report.doc names no format");
    sandbox.write("bad.jsonl", "{\"id\": 3}\n");
    refused(&sandbox, "report bad.jsonl", "bad.jsonl:1 is no result of Otus");
    sandbox.write("bad.jsonl", "{\"id\": \"x\", \"verdict\": \"Maybe\"}\n");
    refused(&sandbox, "report bad.jsonl", "run `x` has the verdict `Maybe`");
    sandbox.write("bad.jsonl", "");
    refused(
        &sandbox,
        "report bad.jsonl",
        "bad.jsonl has no results, so there is nothing to report",
    );
    sandbox.write("bad.json", "[]");
    refused(&sandbox, "report bad.json", "bad.json is no document of results");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_a_table_is_read_leaves_no_table_behind() {
    let sandbox = prepared("tables-interrupted");
    // So many runs that the table is read for some time.
    put(&sandbox, "e.parquet", &columns(&events(60_000)));
    let mut child = sandbox.start("analyze ping.hsf e.parquet --results out.parquet");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    // It may have been faster.
    if status.code() == Some(3) {
        assert!(!sandbox.path("out.parquet").exists());
    } else {
        assert_eq!(status.code(), Some(1));
    }
}
