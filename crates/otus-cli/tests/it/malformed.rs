//! Values that are malformed: each is told with a code and a place, or is unknown and counted in the summary. Nothing
//! panics, and nothing is left out without a word.

use std::fmt::Write as _;

use crate::sandbox::Sandbox;

/// A request and its reply, told apart by `k`; the reply comes within two seconds.
const MODEL: &str = "\
@lifeline{ a; b }
@message{ m; r }
loopP(fresh x)(new(s)(seq(a -- m[k = x, a at s] -> b, b -- r[k = x, a within 2s of s] -> a)))
";

/// What a command writes to both streams, and its exit status.
fn run(sandbox: &Sandbox, line: &str) -> (String, i32) {
    let result = sandbox.otus(line).output().unwrap();
    let text = String::from_utf8_lossy(&result.stdout).into_owned()
        + &String::from_utf8_lossy(&result.stderr);
    assert!(!text.contains("panicked"), "{line}: {text}");
    (text, result.status.code().unwrap())
}

#[track_caller]
fn trace(trace: &str, told: &[&str], expected: i32) {
    let sandbox = Sandbox::new("malformed-htf");
    sandbox.write("model.hsf", MODEL);
    sandbox.write("run.htf", trace);
    let (text, status) = run(&sandbox, "analyze model.hsf run.htf --no-witness");
    assert_eq!(status, expected, "{trace}: {text}");
    for told in told {
        assert!(text.contains(told), "{trace}: no `{told}` in {text}");
    }
}

#[test]
fn values_of_traces() {
    for number in ["1e400", "-1e400", "1000000000000000000000000000000", "9223372036854775808"] {
        trace(
            &format!("{{[a] a!m(k={number})}}"),
            &["error[O0416]", "64 bits", "run.htf:1:12", "text in quotes"],
            2,
        );
    }
    for word in ["NaN", "Infinity", "-Infinity", "1/0", "nil", "'x'"] {
        trace(&format!("{{[a] a!m(k={word})}}"), &["error[O0", "run.htf:1:1"], 2);
    }
    for nested in ["{\"x\": 1}", "[1]"] {
        trace(&format!("{{[a] a!m(k={nested})}}"), &["error[O0", "run.htf:1:"], 2);
    }
    trace("{[a] a!m(k=1, k=2)}", &["error[O0416]", "two values of `k`"], 2);
    trace("{[a] a!m(k=\"x)}", &["error[O0"], 2);
    // Unknown, and counted.
    trace("{[a] a!m(k=null, time=1)}", &["WeakPass", "; 1 value unknown"], 0);
    trace("{[a] a!m}", &["WeakPass", "; 2 values unknown"], 0);
    // Texts of all sorts.
    for text in ["", " ", "é\\u{1F989}", "a\\\"b", "a\\nb", "null", "7"] {
        let run = format!(
            "{{[a] a!m(k=\"{text}\", time=1).a?r(k=\"{text}\", time=2); [b] b?m(k=\"{text}\").b!r(k=\"{text}\")}}"
        );
        trace(&run, &[": Pass"], 0);
    }
    // Kinds are different, whatever they look like.
    trace("{[a] a!m(k=7, time=1).a?r(k=\"7\", time=2); [b] b?m(k=7).b!r(k=\"7\")}", &[": Fail"], 1);
    trace("{[a] a!m(k=1.0, time=1).a?r(k=2/2, time=2); [b] b?m(k=1).b!r(k=1)}", &[": Pass"], 0);
}

#[test]
fn times_of_traces() {
    for time in [
        "\"yesterday\"",
        "true",
        "\"\"",
        "\"2026-02-30x\"",
        "\"2026-06-30T23:59:61Z\"",
        "\"2026-06-30T23:59:59+25:99\"",
    ] {
        trace(
            &format!("{{[a] a!m(k=1, time={time})}}"),
            &["error[O0416]", "not a time", "run.htf:1:"],
            2,
        );
    }
    for time in ["1e30", "99999999999999"] {
        trace(&format!("{{[a] a!m(k=1, time={time})}}"), &["error[O0416]"], 2);
    }
    let at = |first: &str, second: &str| {
        format!("{{[a] a!m(k=1, time={first}).a?r(k=1, time={second}); [b] b?m(k=1).b!r(k=1)}}")
    };
    // Negative times, leap seconds, zones, and none.
    trace(&at("-5", "-4"), &[": Pass"], 0);
    trace(&at("-5", "-2"), &[": Fail", "3 s after"], 1);
    trace(&at("\"2026-06-30T23:59:60Z\"", "\"2026-07-01T00:00:01Z\""), &[": Pass"], 0);
    trace(&at("\"2026-07-01T01:59:59+02:00\"", "\"2026-07-01T00:00:00Z\""), &[": Pass"], 0);
    trace(&at("\"2026-07-01T01:59:59\"", "\"2026-07-01T02:00:00Z\""), &[": Pass"], 0);
    // A clock that goes backwards is told with its line.
    let sandbox = Sandbox::new("malformed-clock");
    sandbox.write("model.hsf", MODEL);
    sandbox.write("run.htf", "{[a]\n a!m(k=1, time=10).\n a!m(k=2, time=5)}");
    let (text, _) = run(&sandbox, "analyze model.hsf run.htf --no-witness");
    for told in ["warning[O1104]", "the clock of `a` goes backwards", "run.htf:3:", "another clock"]
    {
        assert!(text.contains(told), "no `{told}` in {text}");
    }
}

#[track_caller]
fn guard(interaction: &str, told: &[&str], expected: i32) {
    let sandbox = Sandbox::new("malformed-guard");
    sandbox
        .write("model.hsf", &format!("@lifeline{{ a; b; c }}\n@message{{ m }}\n{interaction}\n"));
    let (text, status) = run(&sandbox, "lint model.hsf");
    assert_eq!(status, expected, "{interaction}: {text}");
    for told in told {
        assert!(text.contains(told), "{interaction}: no `{told}` in {text}");
    }
    if let Some(code) = text.split("error[").nth(1).and_then(|rest| rest.split(']').next()) {
        let (page, status) = run(&sandbox, &format!("explain {code}"));
        assert!(status == 0 && page.contains(code), "{code} has no page");
    }
}

#[test]
fn guards() {
    let bound =
        |bound: &str| format!("new(s)(seq(c!m, a -- m[a at s] -> b, b -- m[{bound}] -> a))");
    guard(&bound("a within 2 of s"), &["error[O0219]", "`2` is not a duration", "2s, 150ms"], 2);
    guard(&bound("a within 2 hours of s"), &["error[O0219]"], 2);
    guard(&bound("a within -2s of s"), &["error[O0219]", "negative duration", "s - 2s"], 2);
    guard(&bound("a at least -1ms after s"), &["error[O0219]", "negative duration"], 2);
    guard(&bound("a within 99999999999999d of s"), &["error[O0219]"], 2);
    guard(&bound("a.time <= s - 2s"), &["nothing found"], 0);
    guard(&bound("c within 2s of s"), &["error[O0301]", "`c` neither sends nor receives"], 2);
    let one = |guard: &str| format!("seq(c!m, a -- m[{guard}] -> b)");
    guard(&one("c.k = 1"), &["error[O0301]"], 2);
    guard(&one("time < 5"), &["error[O0219]", "no unit"], 2);
    for constant in [
        "time = \"yesterday\"",
        "time < \"2026-01-01T00:00:00Z\"",
        "time in {true}",
        "time ~ \"2026*\"",
    ] {
        guard(&one(constant), &["error[O0219]", "a time is compared with a constant"], 2);
    }
    for number in ["1e400", "99999999999999999999"] {
        guard(&one(&format!("k = {number}")), &["error[O0506]", "64 bits"], 2);
    }
    guard(&one("k = NaN"), &["error[O0308]", "\"NaN\" if a text is meant"], 2);
    guard(&one("k in {}"), &["error[O0207]"], 2);
    guard(&one("k ~ 3"), &["error[O0204]"], 2);
    guard(&one(""), &["error[O0204]"], 2);
    guard(&one("k = 'x'"), &["error[O0", "not in"], 2);
    guard(&one("k = \"x"), &["error[O0203]"], 2);
    guard(&one("k = \"1\", k < 3"), &["warning[O0713]", "warning[O0714]"], 1);
    // Alternatives with different guards are different.
    guard("seq(c!m, alt(a -- m[k = 0] -> b, a -- m[k = 1] -> b))", &["nothing found"], 0);
}

#[test]
fn very_long_guards_and_deep_binders() {
    let sandbox = Sandbox::new("malformed-long");
    let (mut atoms, mut binders) = (String::new(), String::new());
    for number in 0..20_000 {
        let _ = write!(atoms, "k != {number}, ");
    }
    for number in 0..5_000 {
        let _ = write!(binders, "new(x{number})(");
    }
    let head = "@lifeline{ a; b }\n@message{ m }\n";
    sandbox.write("long.hsf", &format!("{head}a -- m[{atoms}k != -1] -> b\n"));
    sandbox.write(
        "deep.hsf",
        &format!("{head}{binders}a -- m[k = x1, k = x4999] -> b{}\n", ")".repeat(5_000)),
    );
    sandbox.write("run.htf", "{[a] a!m(k=20001); [b] b?m(k=20001)}\n");
    assert_eq!(run(&sandbox, "lint long.hsf").1, 0);
    for spec in ["long", "deep"] {
        let (text, status) =
            run(&sandbox, &format!("analyze {spec}.hsf run.htf --no-witness --timeout 60"));
        assert_eq!(status, 0, "{spec}: {text}");
    }
}

/// A project whose rules read `k` and the time.
fn project(format: &str, rule: &str) -> Sandbox {
    let sandbox = Sandbox::new("malformed-raw");
    sandbox.write("model.hsf", MODEL);
    sandbox.write(
        "otus.toml",
        &format!(
            "spec = \"model.hsf\"\n[[source]]\nfiles = [\"*.log\"]\nformat = \"{format}\"\n\
             lifeline = \"{{file.stem}}\"\n[[source.rule]]\n{rule}\n"
        ),
    );
    sandbox
}

const TEXT: &str = "match = '^(?<ts>\\S*) (?<d>[!?])(?<m>\\w+)(?: k=(?<k>.*))?$'\n\
                    dir = \"{d}\"\nmessage = \"{m}\"\ntime = \"{ts}\"\nvalues = { k = \"{k}\" }";

const JSON: &str = "dir = \"{d}\"\nmessage = \"{m}\"\ntime = \"{t}\"";

#[track_caller]
fn raw(sandbox: &Sandbox, [a, b]: [&str; 2], told: &[&str], expected: i32) {
    sandbox.write("a.log", a);
    sandbox.write("b.log", b);
    let (text, status) = run(sandbox, "analyze --no-witness");
    assert_eq!(status, expected, "{a}{b}: {text}");
    for told in told {
        assert!(text.contains(told), "{a}{b}: no `{told}` in {text}");
    }
}

#[test]
fn lines_of_text() {
    let sandbox = project("regex", TEXT);
    let right = "1 ?m k=7\n2 !r k=7\n";
    raw(&sandbox, ["1 !m k=7\n2 ?r k=7\n", right], &[": Pass"], 0);
    raw(
        &sandbox,
        ["1 !m k=7\n2 ?r k=99999999999999999999999\n", right],
        &[
            "WeakPass",
            "warning[O1112]",
            "64 bits",
            "a.log:2",
            "; 1 value unknown (1 not read, first at a.log:2)",
        ],
        0,
    );
    raw(
        &sandbox,
        ["1 !m k=7\nnoon ?r k=7\n", right],
        &["WeakPass", "warning[O1112]", "`time` is no time", "first at a.log:2"],
        0,
    );
    raw(
        &sandbox,
        ["1 !m k=7\n2 ?r\n", right],
        &["WeakPass", "a.log:2, not logged", "; 1 value unknown"],
        0,
    );
    raw(&sandbox, ["1 !m k=7\n2 ?r k=x7\n", right], &[": Fail"], 1);
    raw(
        &sandbox,
        ["10 !m k=7\n5 ?r k=7\n", right],
        &["warning[O1104]", "goes backwards", "a.log:2", "another clock"],
        0,
    );
    // No rule has the field, a rule names what its pattern lacks, and kinds that are not so.
    let sandbox = project("regex", &TEXT.replace("values = { k = \"{k}\" }", ""));
    raw(
        &sandbox,
        ["1 !m k=7\n2 ?r k=7\n", right],
        &["WeakPass", "warning[O1111]", "no event has a value of `k`", "; 4 values unknown"],
        0,
    );
    let sandbox = project("regex", &TEXT.replace("k = \"{k}\"", "k = \"{key}\""));
    raw(&sandbox, ["", right], &["error[O1005]", "captures no `key`", "otus.toml:11"], 2);
    let sandbox = project("regex", &TEXT.replace("\"{k}\"", "{ from = \"k\", as = \"number\" }"));
    raw(&sandbox, ["1 !m k=7\n2 ?r k=x\n", right], &["warning[O1112]", "`k` is no number"], 0);
    let sandbox = project("regex", &TEXT.replace("\"{k}\"", "{ from = \"k\", as = \"date\" }"));
    raw(&sandbox, ["", right], &["error[O1003]", "`text`, `number`, `bool`"], 2);
    let sandbox = project("regex", &TEXT.replace("\"{ts}\"", "{ from = \"ts\", unit = \"min\" }"));
    raw(&sandbox, ["", right], &["error[O1003]"], 2);
}

#[test]
fn lines_of_json() {
    let sandbox = project("json", JSON);
    let right = "{\"t\":1,\"d\":\"received\",\"m\":\"m\",\"k\":7}\n{\"t\":2,\"d\":\"sent\",\"m\":\"r\",\"k\":7}\n";
    let with = |first: &str, second: &str| {
        format!(
            "{{\"t\":1,\"d\":\"sent\",\"m\":\"m\",{first}}}\n{{\"d\":\"received\",\"m\":\"r\",{second}}}\n"
        )
    };
    let fine = "\"k\":7,\"t\":2";
    raw(&sandbox, [&with("\"k\":7", fine), right], &[": Pass"], 0);
    raw(&sandbox, [&with("\"k\":7.0", "\"k\":70e-1,\"t\":2"), right], &[": Pass"], 0);
    for (value, told) in [
        ("NaN", "no number"),
        ("Infinity", "no number"),
        ("-Infinity", "no number"),
        ("1e400", "64 bits"),
        ("1000000000000000000000000000000", "64 bits"),
        ("{\"x\":1}", "a list or an object"),
        ("[7]", "a list or an object"),
        ("7,\"k\":8", "there twice"),
    ] {
        let all = [
            "WeakPass",
            "warning[O1112]",
            told,
            "; 1 value unknown (1 not read, first at a.log:2)",
        ];
        raw(&sandbox, [&with("\"k\":7", &format!("\"t\":2,\"k\":{value}")), right], &all, 0);
    }
    for missing in ["\"t\":2", "\"t\":2,\"k\":null"] {
        let all = ["WeakPass", "; 1 value unknown"];
        raw(&sandbox, [&with("\"k\":7", missing), right], &all, 0);
    }
    for time in ["{\"s\":1}", "\"noon\"", "-1e30", "1e400", "\"2026-06-30T23:59:61Z\""] {
        let all = ["warning[O1112]", "`time` is", "first at a.log:2"];
        raw(&sandbox, [&with("\"k\":7", &format!("\"k\":7,\"t\":{time}")), right], &all, 0);
    }
    // A truth value and a text are no 7; a text that is a number is one.
    raw(&sandbox, [&with("\"k\":7", "\"t\":2,\"k\":\"7\""), right], &[": Pass"], 0);
    for other in ["true", "\"\"", "\"a\\\"b\\n\\u00e9\""] {
        raw(&sandbox, [&with("\"k\":7", &format!("\"t\":2,\"k\":{other}")), right], &[": Fail"], 1);
    }
    let (json, _) = run(&sandbox, "analyze --format json");
    assert!(json.contains("\"checked\""), "{json}");
}
