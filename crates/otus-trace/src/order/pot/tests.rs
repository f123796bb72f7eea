//! Files as people and programs write them, read, written again, and complained about.

use super::*;
use crate::order::Writes;
use otus_syntax::Source;

/// Checks the trace of a text, written again, or the diagnostics.
#[track_caller]
fn check(text: &str, expected: &str) {
    let source = Source::new("x.pot.json", text);
    let shown = match read(&source, Writes::Checked) {
        Ok(trace) => write(&trace).replace('\n', ""),
        Err(found) => {
            let lines = found.iter().map(|found| {
                let (line, column) = source.line_column(found.primary.span.start);
                let help = found.help.as_deref().unwrap_or("NO HELP");
                format!("{line}:{column} {} {} ({help})", found.code, found.message)
            });
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    assert_eq!(shown, expected);
}

#[test]
fn every_form_of_event_and_value() {
    check(
        r#"{"processes":[{"name":"p","events":[{"var":"x","val":3},{"val":-7,"var":"x"},{},
            {"set":{"x":1,"y":true}},{"var":"q","val":0.25},{"var":"q","val":"2/6"},
            {"var":"t","val":"up\n\"\u00e9\ud83e\udd89\/"},{"label":"send","line":3,"file":"a.log"},
            {"var":"x","val":9007199254740993},{"var":"x","val":1e3},{"set":{}}]}],
            "init":{"x":-1,"unused":false}}"#,
        r#"{"init":{"x":-1,"y":false,"q":0,"t":"","unused":false},"processes":[{"name":"p","events":[{"var":"x","val":3},{"var":"x","val":-7},{},{"set":{"x":1,"y":true}},{"var":"q","val":"1/4"},{"var":"q","val":"1/3"},{"var":"t","val":"up\n\"é🦉/"},{"label":"send","file":"a.log","line":3},{"var":"x","val":9007199254740993},{"var":"x","val":1000},{}]}],"edges":[]}"#,
    );
}

#[test]
fn keys_come_in_any_order_and_processes_by_name_or_index() {
    let expected = r#"{"init":{},"processes":[{"name":"p","events":[{},{}]},{"name":"q","events":[{}]},{"name":"idle","events":[]}],"edges":[[[0,1],[1,1]],[[0,2],[1,1]]]}"#;
    check(
        " {\"edges\" : [[[\"p\", 1], [1 , 1]], [ [0,2],[\"q\",1] ], [[0,1],[0,2]], [[0,1],[1,1]]],\r\n
           \"init\": {}, \"processes\": [{\"events\": [{}, {}], \"name\": \"p\"}, {\"name\": \"q\",\t\"events\": [{}]}, {\"name\": \"idle\"}]} ",
        expected,
    );
    check(&format!("\u{feff}{expected}"), expected);
    check(r#"{"processes":[]}"#, r#"{"init":{},"processes":[],"edges":[]}"#);
}

#[test]
fn a_fraction_must_be_a_number() {
    let help = "(a text of digits, a slash and digits is a fraction: two integers of 64 bits each, of \
                which the second is not 0)";
    for value in ["1/0", "-3/0", "0/00", "1/9223372036854775808", "99999999999999999999/7"] {
        let events = format!(r#"{{"var":"x","val":"{value}"}},{{"set":{{"y":"{value}"}}}}"#);
        check(
            &format!(
                "{{\"processes\":[{{\"name\":\"p\",\"events\":[{events}]}}],\n\"init\":{{\"z\":\"{value}\"}}}}"
            ),
            &[
                format!("1:54 O0410 `{value}` is no number {help}"),
                format!("1:{} O0410 `{value}` is no number {help}", 70 + value.len()),
                format!("2:13 O0410 `{value}` is no number {help}"),
            ]
            .join("\n"),
        );
    }
    let texts = r#"{"init":{"x":"1/0/0"},"processes":[{"name":"p","events":[{"var":"x","val":"a/0"}]}],"edges":[]}"#;
    check(texts, texts);
}

#[test]
fn what_is_not_json_is_told_where_it_stops() {
    let json = "the file must be JSON; a program that writes JSON gets brackets and commas right";
    let cases = [
        ("", "1:1", "a value, found the end of the text"),
        ("[}", "1:2", "a value, found `}`"),
        ("{\"processes\" []}", "1:14", "`:`, found `[`"),
        ("{\"processes\":[}", "1:15", "a value, found `}`"),
        ("{\"processes\":[],}", "1:17", "another item after the comma, found `}`"),
        ("{processes:[]}", "1:2", "a key in double quotes, found `p`"),
        ("{\"processes\":[]} x", "1:18", "nothing after the trace, found `x`"),
        ("{\"processes\":[]\n\n é", "3:2", "`,` or `}`, found `é`"),
        ("{\"init\":{\"x\":01}}", "1:15", "a number without zeros before it, found `1`"),
        ("{\"init\":{\"x\":-}}", "1:15", "a digit, found `}`"),
        ("{\"init\":{\"x\":1.}}", "1:16", "a digit, found `}`"),
        ("{\"init\":{\"x\":tru}}", "1:14", "a value, found `t`"),
        ("{\"init\":{\"x\":\u{7}}}", "1:14", "a value, found the character \\u{7}"),
    ];
    for (text, place, message) in cases {
        check(text, &format!("{place} O0408 expected {message} ({json})"));
    }
    check(
        "{\"a\nb\":1}",
        "1:2 O0408 this text has no closing quote on its line \
         (close it with `\"`; write a line end as `\\n` and a quote as `\\\"`)",
    );
    for escape in ["\\x", "\\u12g4", "\\ud800", "\\ud800\\u0041", "\\udc00", "\\é"] {
        check(
            &format!("{{\"{escape}\":1}}"),
            "1:3 O0408 no character is written like this \
             (write `\\\\` for a backslash, `\\u` and four hexadecimal digits for a character)",
        );
    }
}

#[test]
fn what_is_not_of_the_format_is_told_and_the_rest_is_read() {
    check(
        r#"{"process":[{"deep":[[],{"a":{}}]}],
"processes":[{"name":"p","evnts":[]},
{"name":"p"},
{"events":[]},
{"name":7},
5,
{"name":"q","events":[{"var":"x"},
{"val":1},
{"var":"x","var":"y","val":1},
{"var":3,"val":1},
{"var":"x","val":null},
{"var":"x","val":99999999999999999999},
{"line":0},
{"lable":"m"},
[]]}],
"init":{"x":1,"x":2,"y":[]},
"init":{}}"#,
        "1:2 O0409 there is no key `process` here (did you mean `processes`?)
2:26 O0409 there is no key `evnts` here (did you mean `events`?)
3:9 O0303 two processes have the name `p` (put the events of one process in one list, or give the other its own name)
4:1 O0410 this process has no `name` (write {\"name\": \"p1\", \"events\": […]})
5:9 O0410 `name` is no text (write it in double quotes)
6:1 O0410 a process is not as it should be (it is an object with a `name` and `events`)
7:23 O0410 this event has no `val` (an assignment is {\"var\": \"x\", \"val\": 3})
8:1 O0410 this event has no `var` (an assignment is {\"var\": \"x\", \"val\": 3})
9:12 O0410 `var` is here twice (keep one of the two)
10:8 O0410 `var` is no text (write the name of a variable in double quotes: {\"var\": \"x\", \"val\": 3})
11:18 O0410 no variable can have this value (a value is a number, `true`, `false` or a text in double quotes)
12:18 O0410 this number does not fit (a number is a fraction of two integers of 64 bits each)
13:9 O0410 `line` is no number of a line (lines are counted from 1)
14:2 O0409 there is no key `lable` here (did you mean `label`?)
15:1 O0410 an event is not as it should be (it is an object such as {\"var\": \"x\", \"val\": 3})
16:15 O0410 `init` has `x` twice (give each variable one initial value)
16:25 O0410 no variable can have this value (a value is a number, `true`, `false` or a text in double quotes)
17:1 O0410 `init` is here twice (keep one of the two)",
    );
    check(
        "[]",
        "1:1 O0410 the trace is not as it should be \
         (it is an object with `processes`, and perhaps `edges` and `init`)",
    );
    check(
        "{\"edges\": []}",
        "1:1 O0410 the trace has no `processes` (a trace is {\"processes\": [{\"name\": \"p\", \"events\": […]}, …], \"edges\": […]})",
    );
}

#[test]
fn edges_lead_from_events_to_events_that_exist() {
    check(
        r#"{"processes":[{"name":"broker","events":[{},{}]},{"name":"idle","events":[]}],"edges":[
[["brokr",1],["broker",2]],
[[2,1],["broker",2]],
[[-1,1],["broker",2]],
[["broker",3],["broker",0]],
[["idle",1],[0,99999999999]],
[["broker",1]],
[["broker",1],["broker",2],["broker",2]],
[["broker",1.5],["broker",2]],
7]}"#,
        "2:3 O0411 there is no process `brokr` (did you mean `broker`?)
3:3 O0411 there is no process with the index 2 (a process is its name, or its index from 0 to 1)
4:3 O0411 there is no process with the index -1 (a process is its name, or its index from 0 to 1)
5:12 O0412 `broker` has no event 3: its events are 1 to 2 (events are counted from 1 on each process)
5:25 O0412 `broker` has no event 0: its events are 1 to 2 (events are counted from 1 on each process)
6:10 O0412 `idle` has no event 1: it has none at all (events are counted from 1 on each process)
6:16 O0412 `broker` has no event 99999999999: its events are 1 to 2 (events are counted from 1 on each process)
7:1 O0410 this is no edge (an edge is [[\"p\", 1], [\"q\", 2]]: event 1 of p happened before event 2 of q)
8:1 O0410 this is no edge (an edge is [[\"p\", 1], [\"q\", 2]]: event 1 of p happened before event 2 of q)
9:1 O0410 this is no edge (an edge is [[\"p\", 1], [\"q\", 2]]: event 1 of p happened before event 2 of q)
10:1 O0410 this is no edge (an edge is [[\"p\", 1], [\"q\", 2]]: event 1 of p happened before event 2 of q)",
    );
}

#[test]
fn what_is_no_order_is_told_at_its_events() {
    check(
        r#"{"processes":[{"name":"p","events":[{},
{"var":"x","val":1}]},
{"name":"q","events":[
{"var":"x","val":2}]}]}"#,
        "4:1 O0414 `x` is assigned by event 2 of p (x := 1) and by event 1 of q (x := 2), and neither happened before the other \
         (add the edge that is missing, give each process a variable of its own, or let them be ordered (`--order-writes`))",
    );
    check(
        r#"{"edges":[[[0,2],[1,1]],[[1,1],[0,1]]],"processes":[{"name":"p","events":[{},
{"label":"late"}]},{"name":"q","events":[{}]}]}"#,
        "2:1 O0413 events happened before each other: event 2 of p (late) before event 1 of q before event 1 of p before event 2 of p (late) \
         (an edge leads from what happened first; has one been turned round?)",
    );
    check(
        r#"{"processes":[{"name":"p","events":[{"var":"x","val":1,"set":{"x":2}}]}]}"#,
        "1:37 O0410 event 1 of p (x := 2, x := 1) assigns `x` twice (one event gives one value to a variable)",
    );
}

#[test]
fn deep_and_faulty_texts_cost_no_more_than_their_length() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let open = format!("{{\"x\":{}", "{\"a\":[".repeat(500_000));
    let faults = format!("{{\"processes\":[{}1]}}", "1,".repeat(500_000));
    let edges =
        format!("{{\"processes\":[],\"edges\":[{}1]}}", "[[\"a\",1],[\"b\",2]],".repeat(100_000));
    for text in [deep, open, faults, edges] {
        let found = read(&Source::new("x", text), Writes::Checked).unwrap_err();
        assert!(found.len() <= otus_syntax::parser::MAX_DIAGNOSTICS + 1);
    }
}
