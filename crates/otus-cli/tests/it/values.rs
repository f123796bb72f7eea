//! Specifications with guards and variables, from text to verdict.

use std::fmt::Write as _;

use crate::sandbox::Sandbox;

/// `QoS` 2 of MQTT: mids in parallel, each in sequence.
const MQTT: &str = "\
@lifeline{ client; broker }
@message{ PUBLISH; PUBREC; PUBREL; PUBCOMP }
loopP(fresh m)(loopW(new(s)(seq(
  client -- PUBLISH[mid = m, qos = 2, client at s] -> broker,
  broker -- PUBREC[mid = m] -> client,
  client -- PUBREL[mid = m] -> broker,
  broker -- PUBCOMP[mid = m, client within 2s of s] -> client))))
";

/// A reply with an error may be retried with the same key.
const HTTP: &str = "\
@lifeline{ c; s }
@message{ req; rep }
loopP(fresh k)(seq(c -- req[key = k] -> s,
  loopW(seq(s -- rep[key = k, status >= 400] -> c, c -- req[key = k] -> s)),
  s -- rep[key = k, status < 400] -> c))
";

/// Orders through three services.
const ORDERS: &str = "\
@lifeline{ shop; pay; bank; ship }
@message{ order; charge; paid }
loopP(fresh o)(seq(shop -- order[order = o] -> pay, pay -- charge[order = o] -> bank,
  pay -- paid[order = o] -> ship))
";

/// No term has two leaders, and votes answer the request of their term.
const RAFT: &str = "\
@lifeline{ n1; n2 }
@message{ leader; vote; yes }
par(loopP(fresh t)(alt(n1!leader[term = t], n2!leader[term = t])),
  loopP(new(t, s)(seq(n1 -- vote[term = t, n1 at s] -> n2, n2 -- yes[term = t, n1 within 150ms of s] -> n1))))
";

/// What a command writes to both streams.
#[track_caller]
fn output(sandbox: &Sandbox, line: &str, status: i32) -> String {
    let result = sandbox.otus(line).output().unwrap();
    let text = String::from_utf8_lossy(&result.stdout).into_owned()
        + &String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status.code(), Some(status), "{line}: {text}");
    text
}

/// The verdict on a multi-trace, and all that is said about it.
#[track_caller]
fn check(spec: &str, trace: &str, options: &str, expected: &str) -> String {
    let sandbox = Sandbox::new("values");
    sandbox.write("model.hsf", spec);
    sandbox.write("run.htf", trace);
    let status = i32::from(expected == "Fail");
    let text = output(&sandbox, &format!("analyze model.hsf run.htf {options}"), status);
    let verdict = text.split_whitespace().find(|word| {
        ["Pass", "WeakPass", "Fail", "Inconclusive"].contains(&word.trim_end_matches(':'))
    });
    assert_eq!(verdict.map(|it| it.trim_end_matches(':')), Some(expected), "{trace}: {text}");
    text
}

/// A `QoS` 2 exchange: its mid, when the client sends, and after how long PUBCOMP comes.
fn exchange(mid: i64, start: f64, lasts: f64) -> [String; 2] {
    let end = start + lasts;
    [
        format!(
            "client!PUBLISH(mid={mid}, qos=2, time={start}).client?PUBREC(mid={mid}).\
             client!PUBREL(mid={mid}).client?PUBCOMP(mid={mid}, time={end})"
        ),
        format!(
            "broker?PUBLISH(mid={mid}, qos=2).broker!PUBREC(mid={mid}).broker?PUBREL(mid={mid}).\
             broker!PUBCOMP(mid={mid})"
        ),
    ]
}

fn mqtt(exchanges: &[[String; 2]]) -> String {
    let log = |at: usize| exchanges.iter().map(|it| it[at].as_str()).collect::<Vec<_>>().join(".");
    format!("{{[client] {}; [broker] {}}}\n", log(0), log(1))
}

#[test]
fn exchanges_of_one_connection() {
    check(MQTT, &mqtt(&[exchange(7, 0.0, 1.5)]), "--kind accept", "Pass");
    // An id is used again after its exchange is over.
    check(MQTT, &mqtt(&[exchange(7, 0.0, 1.5), exchange(7, 5.0, 0.5)]), "--kind accept", "Pass");
    let text = check(MQTT, &mqtt(&[exchange(7, 0.0, 3.1)]), "--kind accept", "Fail");
    assert!(text.contains("client received PUBCOMP"), "{text}");
    assert!(text.contains("run.htf"), "{text}");
    let wrong = mqtt(&[exchange(7, 0.0, 1.5)]).replacen("PUBREC(mid=7)", "PUBREC(mid=9)", 1);
    let text = check(MQTT, &wrong, "--kind accept", "Fail");
    assert!(text.contains("run.htf:1:"), "{text}");
    let level = mqtt(&[exchange(7, 0.0, 1.5)]).replace("qos=2", "qos=1");
    check(MQTT, &level, "--kind accept", "Fail");
}

#[test]
fn an_id_that_is_used_again_too_early_fails() {
    let early = "{[client] client!PUBLISH(mid=7, qos=2, time=0).client!PUBLISH(mid=7, qos=2, time=0.1).\
                 client?PUBREC(mid=7).client?PUBREC(mid=7).client!PUBREL(mid=7).client!PUBREL(mid=7).\
                 client?PUBCOMP(mid=7, time=1).client?PUBCOMP(mid=7, time=1); \
                 [broker] broker?PUBLISH(mid=7, qos=2).broker?PUBLISH(mid=7, qos=2).broker!PUBREC(mid=7).\
                 broker!PUBREC(mid=7).broker?PUBREL(mid=7).broker?PUBREL(mid=7).broker!PUBCOMP(mid=7).\
                 broker!PUBCOMP(mid=7)}";
    let text = check(MQTT, early, "--kind accept", "Fail");
    assert!(text.contains("PUBLISH"), "{text}");
    // Two ids overlap.
    let apart =
        early.replacen("PUBLISH(mid=7, qos=2, time=0.1)", "PUBLISH(mid=8, qos=2, time=0.1)", 1);
    check(MQTT, &apart, "--kind accept", "Fail");
}

#[test]
fn replies_are_known_by_their_status() {
    let run = |first: i64, second: i64| {
        format!(
            "{{[c] c!req(key=\"x\").c?rep(key=\"x\", status={first}).c!req(key=\"x\").\
             c?rep(key=\"x\", status={second}); [s] s?req(key=\"x\").s!rep(key=\"x\", status={first}).\
             s?req(key=\"x\").s!rep(key=\"x\", status={second})}}"
        )
    };
    check(HTTP, &run(503, 200), "--kind accept", "Pass");
    let text = check(HTTP, &run(200, 200), "--kind accept", "Fail");
    assert!(text.contains("run.htf"), "{text}");
    check(HTTP, &run(503, 500), "--kind accept", "Fail");
    check(HTTP, &run(503, 500), "--kind eliminate", "WeakPass");
}

#[test]
fn no_order_is_charged_twice() {
    let run = |ids: [&str; 2]| {
        let mut logs = [const { String::new() }; 4];
        for (at, id) in ids.iter().enumerate() {
            let dot = if at > 0 { "." } else { "" };
            let _ = write!(logs[0], "{dot}shop!order(order=\"{id}\")");
            let _ = write!(
                logs[1],
                "{dot}pay?order(order=\"{id}\").pay!charge(order=\"{id}\").pay!paid(order=\"{id}\")"
            );
            let _ = write!(logs[2], "{dot}bank?charge(order=\"{id}\")");
            let _ = write!(logs[3], "{dot}ship?paid(order=\"{id}\")");
        }
        let [shop, pay, bank, ship] = logs;
        format!("{{[shop] {shop}; [pay] {pay}; [bank] {bank}; [ship] {ship}}}")
    };
    check(ORDERS, &run(["o-1", "o-2"]), "--kind accept", "Pass");
    check(ORDERS, &run(["o-1", "o-1"]), "--kind accept", "Fail");
}

#[test]
fn terms_and_votes() {
    let run = |leaders: &str, yes: &str| {
        format!(
            "{{[n1] {leaders}n1!vote(term=3, time=1).n1?yes({yes}); [n2] n2?vote(term=3).n2!yes(term=3)}}"
        )
    };
    check(RAFT, &run("", "term=3, time=1.15"), "--kind accept", "Pass");
    check(RAFT, &run("", "term=3, time=1.16"), "--kind accept", "Fail");
    check(RAFT, &run("", "term=2, time=1.1"), "--kind accept", "Fail");
    let leaders = "n1!leader(term=1).n1!leader(term=2).";
    check(RAFT, &run(leaders, "term=3, time=1.1"), "--kind accept", "Pass");
    let leaders = "n1!leader(term=1).n1!leader(term=1).";
    check(RAFT, &run(leaders, "term=3, time=1.1"), "--kind accept", "Fail");
}

#[test]
fn a_value_that_was_not_logged_is_assumed() {
    let unknown = mqtt(&[exchange(7, 0.0, 1.5)]).replacen("PUBREC(mid=7)", "PUBREC", 1);
    let text = check(MQTT, &unknown, "--kind accept", "WeakPass");
    assert!(
        text.contains("assumed mid = 7 (run.htf:1, not logged); declare it unlogged"),
        "{text}"
    );
    let null = mqtt(&[exchange(7, 0.0, 1.5)]).replacen("PUBREC(mid=7)", "PUBREC(mid=null)", 1);
    check(MQTT, &null, "--kind accept", "WeakPass");
    // A text without any value is explained by some values.
    let none = "{[client] client!PUBLISH.client?PUBREC.client!PUBREL.client?PUBCOMP; \
                [broker] broker?PUBLISH.broker!PUBREC.broker?PUBREL.broker!PUBCOMP}";
    check(MQTT, none, "--kind accept", "WeakPass");
}

#[test]
fn values_of_different_kinds_are_different() {
    let mixed = mqtt(&[exchange(7, 0.0, 1.5)]).replacen("PUBREC(mid=7)", "PUBREC(mid=\"7\")", 1);
    check(MQTT, &mixed, "--kind accept", "Fail");
}

#[test]
fn a_deadline_that_passed_before_a_log_was_cut_fails() {
    let cut = |last: f64| {
        format!(
            "{{[client] client!PUBLISH(mid=7, qos=2, time=0).client?PUBREC(mid=7, time=0.1).\
             client!PUBLISH(mid=8, qos=2, time={last}); \
             [broker] broker?PUBLISH(mid=7, qos=2).broker!PUBREC(mid=7)}}"
        )
    };
    check(MQTT, &cut(1.0), "--kind eliminate", "WeakPass");
    let text = check(MQTT, &cut(2.5), "--kind eliminate", "Fail");
    assert!(text.contains("run.htf"), "{text}");
}

#[test]
fn mistakes_in_values_are_told() {
    for (spec, trace, told) in [
        (MQTT.replace("within 2s", "within 2"), String::new(), "within"),
        (MQTT.replace("[mid = m]", "[mid = n]"), String::new(), "`n`"),
        (MQTT.to_owned(), "{[client] client!PUBLISH(mid=NaN)}".to_owned(), "NaN"),
        (MQTT.to_owned(), "{[client] client!PUBLISH(mid=99999999999999999999)}".to_owned(), "9999"),
        (MQTT.to_owned(), "{[client] client!PUBLISH(mid=)}".to_owned(), "mid"),
    ] {
        let sandbox = Sandbox::new("values-mistakes");
        sandbox.write("model.hsf", &spec);
        sandbox
            .write("run.htf", if trace.is_empty() { "{[client] client!PUBLISH}" } else { &trace });
        let result = sandbox.otus("analyze model.hsf run.htf").output().unwrap();
        let text = String::from_utf8_lossy(&result.stdout).into_owned()
            + &String::from_utf8_lossy(&result.stderr);
        assert_eq!(result.status.code(), Some(2), "{text}");
        assert!(text.contains(told) && text.contains("error[O0"), "{text}");
    }
}

#[test]
fn a_clock_that_goes_backwards_is_told() {
    let back = mqtt(&[exchange(7, 10.0, 1.0), exchange(8, 3.0, 1.0)]);
    let sandbox = Sandbox::new("values-backwards");
    sandbox.write("model.hsf", MQTT);
    sandbox.write("run.htf", &back);
    let text = output(&sandbox, "analyze model.hsf run.htf --kind accept", 0);
    assert!(text.contains("goes backwards"), "{text}");
}

const PROJECT: &str = "\
spec = \"model.hsf\"
[[source]]
files = [\"*.log\"]
format = \"regex\"
lifeline = \"{file.stem}\"
[[source.rule]]
match = '^(?<ts>\\S+) (?<d>[!?])(?<m>\\w+)(?: mid=(?<mid>\\S+))?(?: qos=(?<q>\\S+))?'
dir = \"{d}\"
message = \"{m}\"
time = \"{ts}\"
values = { mid = \"{mid}\", qos = \"{q}\" }
";

/// A folder with raw logs of one exchange.
fn raw(name: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("model.hsf", MQTT);
    sandbox.write("otus.toml", &format!("{PROJECT}{more}"));
    sandbox.write(
        "client.log",
        "0.5 !PUBLISH mid=7 qos=2\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=7\n0.8 ?PUBCOMP mid=7\n",
    );
    sandbox.write(
        "broker.log",
        "0.5 ?PUBLISH mid=7 qos=2\n0.6 !PUBREC mid=7\n0.7 ?PUBREL mid=7\n0.8 !PUBCOMP mid=7\n",
    );
    sandbox
}

#[test]
fn raw_logs_carry_values() {
    let sandbox = raw("values-raw", "");
    let text = output(&sandbox, "analyze", 0);
    assert!(text.contains(" Pass"), "{text}");
    sandbox.write(
        "client.log",
        "0.5 !PUBLISH mid=7 qos=2\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=7\n2.8 ?PUBCOMP mid=7\n",
    );
    let text = output(&sandbox, "analyze", 1);
    assert!(text.contains("client.log:4"), "{text}");
    let json = output(&sandbox, "analyze --format json", 1);
    assert!(json.contains("\"values\""), "{json}");
    let text = output(&sandbox, "map --explain", 0);
    assert!(text.contains("value ") && text.contains("unusable"), "{text}");
}

#[test]
fn fields_that_are_never_logged_are_declared() {
    let without = "0.5 ?PUBLISH qos=2\n0.6 !PUBREC\n0.7 ?PUBREL\n0.8 !PUBCOMP\n";
    let sandbox = raw("values-unlogged", "");
    sandbox.write("broker.log", without);
    assert!(output(&sandbox, "analyze", 0).contains("WeakPass"));
    let sandbox = raw("values-unlogged", "[observation]\nunlogged = [\"broker.mid\"]\n");
    sandbox.write("broker.log", without);
    let text = output(&sandbox, "analyze", 0);
    assert!(text.contains(" Pass") && !text.contains("WeakPass"), "{text}");
    let sandbox = raw("values-unlogged", "[observation]\nunlogged = [\"broker.midd\"]\n");
    assert!(output(&sandbox, "analyze", 0).contains("drops nothing"));
}

#[test]
fn clocks_are_compared_as_far_as_they_are_known() {
    let spec = MQTT
        .replace("broker -- PUBREC[mid = m]", "broker -- PUBREC[mid = m, broker within 1s of s]");
    for (more, expected) in [
        ("", "WeakPass"),
        ("[clocks]\nuncertainty = \"20ms\"\n", "Pass"),
        ("[clocks]\nuncertainty = \"950ms\"\n", "WeakPass"),
    ] {
        let sandbox = raw("values-clocks", more);
        sandbox.write("model.hsf", &spec);
        let text = output(&sandbox, "analyze", 0);
        assert_eq!(text.contains("WeakPass"), expected == "WeakPass", "{more}: {text}");
    }
    let sandbox = raw("values-clocks", "[clocks]\nuncertainty = \"20ms\"\n");
    sandbox.write("model.hsf", &spec.replace("within 1s", "within 50ms"));
    output(&sandbox, "analyze", 1);
}

#[test]
fn ends_of_messages_may_agree_on_a_field() {
    let sandbox = raw("values-same", "[values]\nsame = [\"mid\"]\n");
    let plain = "@lifeline{ client; broker }\n@message{ PUBLISH; PUBREC; PUBREL; PUBCOMP }\n\
                 loopW(seq(client -- PUBLISH -> broker, broker -- PUBREC -> client, client -- PUBREL -> broker, \
                 broker -- PUBCOMP -> client))\n";
    sandbox.write("model.hsf", plain);
    assert!(output(&sandbox, "analyze", 0).contains(" Pass"));
    sandbox.write(
        "broker.log",
        "0.5 ?PUBLISH mid=8 qos=2\n0.6 !PUBREC mid=7\n0.7 ?PUBREL mid=7\n0.8 !PUBCOMP mid=7\n",
    );
    output(&sandbox, "analyze", 1);
}

#[test]
fn searches_of_the_papers_regard_values() {
    let sandbox = Sandbox::new("values-searches");
    sandbox.write("model.hsf", MQTT);
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5)]));
    sandbox.write("late.htf", &mqtt(&[exchange(7, 0.0, 3.5)]));
    for kind in ["accept", "prefix", "eliminate"] {
        let line = format!("analyze model.hsf run.htf --engine graph --kind {kind}");
        assert!(output(&sandbox, &line, 0).contains("Pass"), "{kind}");
        let line = format!("analyze model.hsf late.htf --engine graph --kind {kind}");
        assert!(output(&sandbox, &line, 1).contains("2 s are allowed"), "{kind}");
    }
    output(&sandbox, "analyze model.hsf run.htf --kind accept --graph run.json", 0);
    let graph = sandbox.read("run.json");
    assert!(
        graph.contains("PUBREC[mid = 7]") && graph.contains("Re client!PUBLISH(mid=7"),
        "{graph}"
    );
    let text = output(&sandbox, "analyze model.hsf run.htf --kind accept --coverage", 0);
    assert!(text.contains("coverage: 8 of 8 actions"), "{text}");
    // A guard that contradicts what came before cuts the tree.
    sandbox.write(
        "cut.hsf",
        "@lifeline{a} @message{m; n; k} new(x)(seq(a!m[f = x, f > 3], alt(a!n[f = x, f < 2], a!k[f = x])))",
    );
    let tree = output(&sandbox, "explore cut.hsf", 0);
    assert!(tree.contains("a!k[f = x]") && !tree.contains("    a!n["), "{tree}");
}

#[test]
fn what_does_not_regard_values_says_so() {
    let sandbox = Sandbox::new("values-elsewhere");
    sandbox.write("model.hsf", MQTT);
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5)]));
    let text = output(&sandbox, "convert run.htf -o run.pot.json", 0);
    assert!(text.contains("O0804") && text.contains("left out of the partial order"), "{text}");
}

#[test]
fn explored_multi_traces_satisfy_the_guards() {
    let sandbox = Sandbox::new("values-explore");
    for (name, model) in [("mqtt", MQTT), ("http", HTTP), ("orders", ORDERS), ("raft", RAFT)] {
        sandbox.write(&format!("{name}.hsf"), model);
        for (kind, observed) in [("exact", "complete"), ("prefix", "prefix")] {
            let call = format!(
                "explore {name}.hsf --filters [max_depth=8,max_node_number=150] --traces {kind}"
            );
            let text = output(&sandbox, &format!("{call} -o {name}-{kind}.jsonl"), 0);
            assert!(!text.contains("no values were found"), "{name}: {text}");
            let call = format!("analyze {name}.hsf {name}-{kind}.jsonl --observed {observed}");
            let text = output(&sandbox, &call, 0);
            assert!(text.contains(" 0 fail, 0 undecided"), "{name}: {text}");
        }
    }
}

#[test]
fn generated_multi_traces_satisfy_the_guards() {
    let sandbox = Sandbox::new("values-generate");
    for (name, model) in [("mqtt", MQTT), ("http", HTTP), ("orders", ORDERS), ("raft", RAFT)] {
        sandbox.write(&format!("{name}.hsf"), model);
        let call = format!("generate {name}.hsf --count 30 --max-length 24 --seed 5");
        let text = output(&sandbox, &format!("{call} -o {name}.jsonl"), 0);
        assert!(text.contains("wrote 30 multi-traces"), "{text}");
        let text =
            output(&sandbox, &format!("analyze {name}.hsf {name}.jsonl --observed complete"), 0);
        assert!(text.contains(": 30 pass, 0 weak, 0 fail, 0 undecided"), "{name}: {text}");
        // The same seed draws the same values.
        assert_eq!(output(&sandbox, &call, 0), output(&sandbox, &call, 0));
    }
    sandbox
        .write("never.hsf", "@lifeline{ a; b } @message{ m }\na -- m[k < 3, k > 5, k != 4] -> b\n");
    let text = output(&sandbox, "generate never.hsf", 2);
    assert!(text.contains("no values were found that satisfy the guards"), "{text}");
    assert!(text.contains("`a!m[k < 3, k > 5, k != 4]`"), "{text}");
}

#[test]
fn mutants_have_wrong_values_and_come_late() {
    let sandbox = Sandbox::new("values-mutate");
    sandbox.write("model.hsf", MQTT);
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5), exchange(8, 2.0, 1.0)]));
    let kinds = "wrong-value,swap-values,wrong-kind,late,drop-value";
    let line = format!("mutate --score model.hsf run.htf --observed complete --kind {kinds}");
    let text = output(&sandbox, &line, 0);
    let row = |kind: &str| -> Vec<usize> {
        let line = text.lines().find(|line| line.starts_with(kind)).unwrap_or_default();
        line.split_whitespace().skip(1).filter_map(|number| number.parse().ok()).collect()
    };
    // Made, caught, survived, undecided, equal, part.
    for kind in ["wrong-value", "swap-values", "wrong-kind"] {
        let [made, caught, ..] = row(kind)[..] else { panic!("{text}") };
        assert!(made > 0 && made == caught, "{kind}: {text}");
    }
    // A pause between two exchanges is no fault.
    assert_eq!(row("late")[..3], [3, 2, 1], "{text}");
    let [made, 0, 0, 0, 0, part] = row("drop-value")[..] else { panic!("{text}") };
    assert_eq!(made, part, "{text}");
    // A specification that compares nothing has no such mutants.
    let plain = "@lifeline{ client; broker } @message{ PUBLISH; PUBREC; PUBREL; PUBCOMP }\n\
                 loopP(seq(client -- PUBLISH -> broker, broker -- PUBREC -> client,\n\
                 client -- PUBREL -> broker, broker -- PUBCOMP -> client))\n";
    sandbox.write("plain.hsf", plain);
    let text = output(&sandbox, "mutate --score plain.hsf run.htf --observed complete", 0);
    assert!(!text.contains("wrong-value") && !text.contains("late"), "{text}");
    let text = output(&sandbox, "mutate run.htf --kind late --spec model.hsf", 0);
    assert!(text.contains("come 4s later"), "{text}");
}

#[test]
fn keys_are_learnt() {
    let sandbox = Sandbox::new("values-learn");
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5), exchange(8, 2.0, 1.0)]));
    let text = output(&sandbox, "learn run.htf -o learnt.mmd", 0);
    assert!(text.contains("note: events with the same mid are one session (2 sessions)"), "{text}");
    let text = output(&sandbox, "analyze learnt.mmd run.htf --observed complete", 0);
    assert!(text.contains("1 pass"), "{text}");
    output(&sandbox, "learn run.htf -o learnt.puml", 0);
    let text = output(&sandbox, "analyze learnt.puml run.htf --observed complete", 0);
    assert!(text.contains("1 pass"), "{text}");
    let text = output(&sandbox, "learn run.htf --loops never", 0);
    assert!(!text.contains("fresh"), "{text}");
    // Sessions that differ have no key, but a field may be the same at both ends.
    sandbox.write("odd.htf", "{[a] a!m(i=1).a!n(i=2); [b] b?m(i=1).b?n(i=2)}");
    let text = output(&sandbox, "learn odd.htf", 0);
    assert!(!text.contains("otus: values"), "{text}");
    sandbox.write("same.htf", "{[a] a!m(i=1).a!n.a!m(i=2); [b] b?m(i=1).b?n.b?m(i=2)}");
    let text = output(&sandbox, "learn same.htf", 0);
    assert!(text.contains("a->>b: m [=i]"), "{text}");
}

#[test]
fn keys_of_raw_logs_are_learnt() {
    let sandbox = raw("values-learn-raw", "");
    let lines = |signs: [char; 2]| -> String {
        let lines = [7, 8].map(|mid| {
            let [one, other] = signs;
            format!("{mid}.5 {one}PUBLISH mid={mid} qos=2\n{mid}.6 {other}PUBREC mid={mid}\n")
        });
        lines.concat()
    };
    sandbox.write("client.log", &lines(['!', '?']));
    sandbox.write("broker.log", &lines(['?', '!']));
    let text = output(&sandbox, "learn", 0);
    assert!(text.contains("events with the same mid are one session (2 sessions)"), "{text}");
    assert!(text.contains("client->>broker: PUBLISH [mid = mid]"), "{text}");
    output(&sandbox, "map --write mapped.jsonl", 0);
    let text = sandbox.read("mapped.jsonl");
    assert!(text.contains("\"values\":{\"mid\":7,\"qos\":2},\"time\":7.5"), "{text}");
    let text = output(&sandbox, "learn mapped.jsonl", 0);
    assert!(text.contains("events with the same mid are one session"), "{text}");
}

#[test]
fn lint_tells_which_loops_have_a_key() {
    let sandbox = Sandbox::new("values-lint");
    sandbox.write("model.hsf", ORDERS);
    let text = output(&sandbox, "lint model.hsf", 0);
    assert!(text.contains("model.hsf:3: these sessions have the key o"), "{text}");
    sandbox.write("model.hsf", &ORDERS.replacen("charge[order = o]", "charge", 1));
    let text = output(&sandbox, "lint model.hsf", 0);
    assert!(text.contains("no key (pay!charge, bank?charge carry no o)"), "{text}");
}

#[test]
fn derived_multi_traces_keep_their_values() {
    let sandbox = Sandbox::new("values-derived");
    sandbox.write("model.hsf", MQTT);
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5)]));
    for line in [
        "mutate run.htf --count 3",
        "slice run.htf --count 3",
        "project run.htf --onto client",
        "convert run.htf --to jsonl",
    ] {
        let text = output(&sandbox, line, 0);
        assert!(text.contains("mid=7") && text.contains("time=1.5"), "{line}: {text}");
    }
    let text = output(&sandbox, "mutate --spec model.hsf run.htf --score --count 5", 0);
    assert!(text.contains("caught"), "{text}");
}

/// What is said about raw logs whose lines are `TIME !MESSAGE mid=…`.
#[track_caller]
fn told(client: &str, broker: &str, more: &str, expected: &[&str]) -> Sandbox {
    let sandbox = raw("values-told", more);
    sandbox.write("model.hsf", &MQTT.replace("qos = 2, ", ""));
    sandbox.write("client.log", client);
    sandbox.write("broker.log", broker);
    let text = output(&sandbox, "analyze --observed complete", 1);
    for part in expected {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    sandbox
}

const BROKER: &str =
    "0.5 ?PUBLISH mid=7\n0.6 !PUBREC mid=7\n0.7 ?PUBREL mid=7\n0.8 !PUBCOMP mid=7\n";

#[test]
fn a_wrong_value_is_told_with_the_line_that_bound_it() {
    let client = "0.5 !PUBLISH mid=9\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=9\n0.8 ?PUBCOMP mid=9\n";
    let sandbox = told(
        client,
        &BROKER.replace('7', "9").replace("0.9", "0.7"),
        "",
        &[
            "error[wrong-value]: client received PUBREC: it carries mid 7, but 9 was asked for",
            "model.hsf:5:",
            "expected here: client?PUBREC with mid 9",
            "client.log:2:",
            "client.log:1:",
            "where that value comes from: client!PUBLISH",
            "repair: would pass if client.log:2 carried mid 9 instead of 7",
            "core: mid 7: client",
        ],
    );
    let json = output(&sandbox, "analyze --observed complete --format json", 1);
    for part in
        ["\"found\": 7", "\"wanted\": [", "\"since\": {", "\"keys\": [", "\"relation\": \"=\""]
    {
        assert!(json.contains(part), "no {part:?} in\n{json}");
    }
    // The repair holds.
    sandbox.write("client.log", &client.replace("PUBREC mid=7", "PUBREC mid=9"));
    assert!(output(&sandbox, "analyze --observed complete", 0).contains(" Pass"));
    sandbox.write("client.log", client);
    for format in ["junit", "sarif", "github", "markdown", "tap", "html", "jsonl --explain short"] {
        let text = output(&sandbox, &format!("analyze --observed complete --format {format}"), 1);
        assert!(text.contains("it carries mid 7, but 9 was asked for"), "{format}: {text}");
    }
    let project = std::fs::read_to_string(sandbox.path("otus.toml")).unwrap();
    let test = "\n[[test]]\nname = \"wrong\"\nlogs = [\"*.log\"]\nexpect = \"Fail\"\ncause = \"wrong-value\"\n";
    sandbox.write("otus.toml", &format!("{project}{test}"));
    output(&sandbox, "test", 0);
}

#[test]
fn durations_are_told_with_their_start() {
    let client = "0.5 !PUBLISH mid=7\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=7\n3.6 ?PUBCOMP mid=7\n";
    let sandbox = told(
        client,
        BROKER,
        "",
        &[
            "error[overdue]: client received PUBCOMP 3.1 s after PUBLISH, at most 2 s are allowed",
            "expected here: client?PUBCOMP within 2 s",
            "since: client!PUBLISH",
            "repair: would pass if client.log:4 came 1.1 s earlier",
        ],
    );
    let json = output(&sandbox, "analyze --observed complete --format json", 1);
    assert!(json.contains("\"elapsed\": 3.1") && json.contains("\"allowed\": 2"), "{json}");
    let html = output(&sandbox, "analyze --observed complete --format html", 1);
    assert!(html.contains("allowed: 2 s"), "the dimension is drawn");
    // Across clocks, with their uncertainty.
    let sandbox = raw("values-told", "[clocks]\nuncertainty = \"20ms\"\n");
    let spec = MQTT
        .replace("broker -- PUBREC[mid = m]", "broker -- PUBREC[mid = m, broker within 50ms of s]");
    sandbox.write("model.hsf", &spec);
    let text = output(&sandbox, "analyze", 1);
    let wanted = "broker sent PUBREC 100 ms ± 20 ms after PUBLISH by the clocks of both, at most 50 ms are allowed";
    assert!(text.contains(wanted), "{text}");
    let spec = MQTT.replace(
        "broker -- PUBREC[mid = m]",
        "broker -- PUBREC[mid = m, broker at least 200ms after s]",
    );
    sandbox.write("model.hsf", &spec);
    let text = output(&sandbox, "analyze", 1);
    assert!(
        text.contains("error[too-soon]") && text.contains("at least 200 ms are asked for"),
        "{text}"
    );
}

#[test]
fn sessions_are_told_by_their_keys() {
    told(
        "0.5 !PUBLISH mid=7\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=7\n0.8 !PUBLISH mid=7\n0.9 ?PUBCOMP mid=7\n",
        BROKER,
        "",
        &[
            "error[used-again]: client sent PUBLISH with mid 7 again: what was begun with mid 7 is not over, PUBCOMP is missing",
            "used first: client!PUBLISH",
        ],
    );
    told(
        "0.5 ?PUBREC mid=8\n",
        "",
        "",
        &[
            "error[unknown-session]: client received PUBREC with mid 8, but nothing with mid 8 was begun",
        ],
    );
    let sandbox = told(
        "0.5 !PUBLISH mid=7\n0.6 ?PUBREC mid=7\n0.7 !PUBREL mid=7\n5.0 !PUBLISH mid=8\n",
        &format!("{BROKER}0.9 ?PUBLISH mid=8\n"),
        "",
        &["never got its"],
    );
    let text = output(&sandbox, "analyze --may-stop-early client --may-stop-early broker", 1);
    let wanted =
        "mid 7 never got its PUBCOMP: 2 s were over when client.log ended, 4.5 s after PUBLISH";
    assert!(text.contains(wanted) && text.contains("the log ends after: client!PUBLISH"), "{text}");
    let cycle = |lines: &[&str]| {
        let lines = lines.iter().enumerate();
        lines.map(|(at, line)| format!("0.{at} {line}\n")).collect::<Vec<_>>().concat()
    };
    told(
        &cycle(&[
            "!PUBLISH mid=1",
            "?PUBREC mid=1",
            "!PUBLISH mid=2",
            "?PUBREC mid=2",
            "!PUBREL mid=1",
            "!PUBREL mid=2",
            "?PUBCOMP mid=1",
            "?PUBCOMP mid=2",
        ]),
        &cycle(&[
            "?PUBLISH mid=1",
            "?PUBLISH mid=2",
            "!PUBREC mid=1",
            "!PUBREC mid=2",
            "?PUBREL mid=1",
            "?PUBREL mid=2",
            "!PUBCOMP mid=1",
            "!PUBCOMP mid=2",
        ]),
        "",
        &[
            "error[cycle]: client received PUBREC with mid 1 before client sent PUBLISH with mid 2, but broker \
             received PUBLISH with mid 2 before broker sent PUBREC with mid 1: no order of these events is possible",
            "core: mid 1 and mid 2: client (the first 2 of 8), broker (the first 2 of 8)",
        ],
    );
}

#[test]
fn a_weak_pass_tells_what_it_assumed() {
    let sandbox = raw("values-assumed", "");
    sandbox
        .write("broker.log", "0.5 ?PUBLISH mid=7 qos=2\n0.6 !PUBREC\n0.7 ?PUBREL\n0.8 !PUBCOMP\n");
    let text = output(&sandbox, "analyze", 0);
    let wanted =
        "assumed mid = 7 (broker.log:2, not logged), 2 more of broker.mid; declare it unlogged";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn pictures_show_values_and_durations() {
    let sandbox = raw("values-drawn", "");
    output(&sandbox, "draw model.hsf -o model.svg", 0);
    let svg = std::fs::read_to_string(sandbox.path("model.svg")).unwrap();
    assert!(svg.contains("{0..2s}") && svg.contains("fresh m"), "{svg}");
    sandbox.write("run.htf", &mqtt(&[exchange(7, 0.0, 1.5)]));
    output(&sandbox, "draw run.htf -o run.svg", 0);
    let svg = std::fs::read_to_string(sandbox.path("run.svg")).unwrap();
    assert!(svg.contains("mid=7, qos=2") && svg.contains("1.5 s"), "{svg}");
}

#[test]
fn a_pass_is_explained_with_values() {
    let model = "\
@lifeline{ client; broker }
@message{ PUBLISH; PUBACK }
loopP(fresh m)(new(s)(seq(
  client -- PUBLISH[mid = m, client at s] -> broker,
  broker -- PUBACK[mid = m, client within 2s of s] -> client)))
";
    let cut = "{ [client] client!PUBLISH(mid=7, time=0); [broker] broker?PUBLISH }";
    let text = check(model, cut, "", "WeakPass");
    let expected = "explained by: client!PUBLISH(mid=7, time=0).broker?PUBLISH(mid=7?).\
                    (broker!PUBACK(mid=7?)).(client?PUBACK(mid=7?, time=0?))\n";
    assert!(text.contains(expected), "{text}");

    let sandbox = Sandbox::new("values-valuation");
    sandbox.write("model.hsf", model);
    sandbox.write("run.htf", cut);
    let result = sandbox.otus("analyze model.hsf run.htf --format json").output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
    let valuation = &document["results"][0]["valuation"];
    assert_eq!(valuation["positions"].as_array().unwrap().len(), 4);
    let variables = serde_json::json!([
        { "name": "m", "number": 0, "value": 7 },
        { "name": "s", "number": 1, "value": 0 },
    ]);
    assert_eq!(valuation["variables"], variables);
    let first = serde_json::json!({
        "event": 1, "action": "broker?PUBLISH", "field": "mid", "value": 7,
    });
    assert_eq!(valuation["assumed"][0], first);

    // Many sessions, each found by its key.
    let one = |mid: i32| exchange(mid.into(), 2.0 * f64::from(mid), 1.5);
    let exchanges: Vec<_> = (0..60).map(one).collect();
    let text = check(MQTT, &mqtt(&exchanges), "--kind accept", "Pass");
    assert!(text.contains("explained by: client!PUBLISH(mid=0, qos=2, time=0)."), "{text}");
}

/// Exact covers by triples: small ones are decided, large ones end within their budget.
#[test]
fn hard_questions_end_honestly() {
    let sandbox = Sandbox::new("values-hard");
    let model = "@lifeline{ a } @message{ set; el }\n\
                 loopP(new(x, y, z)(seq(a!set[f = x, g = y, h = z],\n\
                 alt(seq(a!el[v = x], a!el[v = y], a!el[v = z]), o))))\n";
    sandbox.write("cover.hsf", model);
    // Triples of neighbours and of distant elements; then each element once.
    let cover = |count: usize, step: usize| {
        let sets = (0..count).flat_map(|at| {
            let far = [at, (at + step) % count, (at + 2 * step) % count];
            let near = [at - at % 3, at - at % 3 + 1, at - at % 3 + 2];
            [far, near].map(|mut set| {
                set.sort_unstable();
                let [f, g, h] = set;
                format!("a!set(f={f}, g={g}, h={h})")
            })
        });
        let elements = (0..count).map(|at| format!("a!el(v={at})"));
        let all: Vec<String> = sets.chain(elements).collect();
        format!("{{[a] {}}}", all.join("."))
    };
    sandbox.write("small.htf", &cover(6, 2));
    output(&sandbox, "analyze cover.hsf small.htf --kind accept", 0);
    let missing = cover(6, 2).replace(".a!el(v=5)", "");
    sandbox.write("missing.htf", &missing);
    output(&sandbox, "analyze cover.hsf missing.htf --kind accept", 1);
    sandbox.write("large.htf", &cover(60, 7).replace(".a!el(v=59)", ""));
    for limit in ["--timeout 0.5", "--memory 100", "--max-states 500"] {
        output(&sandbox, &format!("analyze cover.hsf large.htf --kind accept {limit}"), 3);
    }
}

#[test]
fn a_failure_by_values_is_proved() {
    let sandbox = Sandbox::new("values-certificate");
    sandbox.write("model.hsf", MQTT);
    let lasts = |mid: i32| if mid == 7 { 2.5 } else { 1.5 };
    let one = |mid: i32| exchange(mid.into(), 4.0 * f64::from(mid), lasts(mid));
    let late: Vec<_> = (0..40).map(one).collect();
    sandbox.write("late.htf", &mqtt(&late));
    let call = "analyze model.hsf late.htf --kind accept --certificate";
    output(&sandbox, &format!("{call} why.txt"), 1);
    let text = sandbox.read("why.txt");
    assert!(text.starts_with("by values, the events of sessions with m = 7:\n"), "{text}");
    output(&sandbox, &format!("{call} why.json"), 1);
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("why.json")).unwrap();
    assert_eq!(json["sessions"], serde_json::json!({ "variable": "m", "values": ["7"] }));
    assert_eq!(json["version"], 1);
    assert!(!json["states"].as_array().unwrap().is_empty());

    // Nothing that was logged says which value is wrong.
    sandbox.write("flow.hsf", "@lifeline{ a; b } @message{ m; n } new(x)(seq(a!m[k = x], a!n[k = x], b!m[k > x], b!n[k < x]))");
    sandbox.write("unknown.htf", "{ [a] a!m.a!n; [b] b!m(k=1).b!n(k=2) }");
    let text =
        output(&sandbox, "analyze flow.hsf unknown.htf --kind accept --certificate no.txt", 1);
    assert!(text.contains("not enough, for a proof"), "{text}");
}
