//! Errors of plans are reported with their spans.

use otus_syntax::Source;

use super::parse::{FILE_KEYS, RULE_KEYS, SHARED_KEYS, SOURCE_KEYS};
use super::{Pairing, Plan};

/// The faults as `code@text: message; help`.
fn faults(text: &str) -> Vec<String> {
    let source = Source::new("otus.toml", text);
    let (plan, found) = Plan::parse(&source, &["test"]);
    assert_eq!(plan.is_none(), found.iter().any(otus_syntax::Diagnostic::is_error), "{text}");
    found
        .iter()
        .map(|found| {
            let at = source.slice(found.primary.span);
            format!(
                "{}@{at}: {}; {}",
                found.code,
                found.message,
                found.help.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(faults(text), expected, "{text}");
}

/// A source of text with a rule.
fn rule(rule: &str) -> String {
    format!(
        "[[source]]\nfiles = ['a']\nformat = 'regex'\nlifeline = 'a'\n[[source.rule]]\n{rule}\n"
    )
}

#[test]
fn a_sound_plan_has_no_faults() {
    check("", &[]);
    check("[test]\nx = 1", &[]);
    check(
        &rule("match = '(?<m>x)'\nemit = ['!{m}', { dir = '?', message = 'n', peer = 'b' }]"),
        &[],
    );
    check(&rule("match = 'x'\nset = { a = '{file.stem}', b = 1, c = true }"), &[]);
    check(
        "[[source]]\nfiles = 'x.csv'\nformat = 'csv'\nlifeline = '{who}'\ndir = '{d}'\nmessage = '{m}'",
        &[],
    );
    for format in ["otlp", "jaeger", "zipkin", "shiviz", "htf", "otus"] {
        check(&format!("[[source]]\nfiles = ['x']\nformat = '{format}'"), &[]);
    }
    let (plan, _) =
        Plan::parse(&Source::new("x", "[pairing]\nby = 'fifo'\n[group]\nidle = 7"), &[]);
    let plan = plan.unwrap();
    assert_eq!((plan.pairing, plan.idle), (Pairing::Fifo, Some(7)));
}

#[test]
fn unknown_keys_have_suggestions() {
    check("[[sorce]]\n", &["O1002@sorce: otus.toml has no key `sorce`; did you mean `source`?"]);
    check(
        &rule("match = 'x'\nemit = ['!m']\nmesage = 'y'"),
        &["O1002@mesage: [[source.rule]] has no key `mesage`; did you mean `message`?"],
    );
    check(
        "[observation]\nxyz = []",
        &[
            "O1002@xyz: [observation] has no key `xyz`; the keys of [observation] are `complete`, `may_stop_early`, `may_start_late`, `unobserved`, `allow_empty`, `ignore_unknown_messages`, `ignore_order`, `ignore_peers`, `unlogged`",
        ],
    );
}

#[test]
fn wrong_kinds_and_words_are_told() {
    check(
        "[[source]]\nfiles = 3\nformat = 'otpl'",
        &[
            "O1003@3: `files` is a number, not a list of texts; write a list of texts",
            "O1003@'otpl': there is no format `otpl`; did you mean `otlp`?",
        ],
    );
    check(
        "source = 1",
        &[
            "O1003@1: `source` is a number, not a list of tables ([[source]]); write a list of tables ([[source]])",
        ],
    );
    check("[pairing]\nby = 'idd'", &["O1003@'idd': `by` cannot be `idd`; did you mean `id`?"]);
    check(
        "[group]\nidle = 0",
        &[
            "O1003@0: `idle` is a number, not a whole number from 1 on; write a whole number from 1 on",
        ],
    );
    check(
        &rule("match = 'x'\nemit = ['m']"),
        &[
            "O1003@'m': `m` does not say whether it is sent or received; begin with `!` for sent or `?` for received",
        ],
    );
    check(
        &rule("match = 'x'\ndir = 'up'\nmessage = 'm'"),
        &[
            "O1003@'up': `up` is no direction; say `!` or `send`, `?` or `receive`, or the field that tells: `\"{field}\"`",
        ],
    );
}

#[test]
fn patterns_and_templates_are_pointed_into() {
    let help =
        "use single quotes so that backslashes stay; look-around and back references do not exist";
    check(
        &rule("match = 'ab(?<m>x'\nemit = ['!m']"),
        &[&format!("O1004@(: this is not a regular expression: unclosed group; {help}")],
    );
    check(
        &rule("match = '(?<peer>x)'\nemit = ['!m']\npeer = 'to {pear}'"),
        &["O1005@{pear}: the pattern captures no `pear`; did you mean `peer`?"],
    );
    check(
        &rule("match = 'x'\nemit = ['!{mm']"),
        &[
            "O1007@{: this template has a `{` without its `}`; a field stands in braces, `{name}`; a brace itself is written twice",
        ],
    );
    check(
        &rule("match = 'x'\nemit = [\"!m\\u0041{}\"]"),
        &[
            "O1007@\"!m\\u0041{}\": this template has a field without a name; a field stands in braces, `{name}`; a brace itself is written twice",
        ],
    );
}

#[test]
fn lines_of_text_have_no_fields() {
    check(
        &rule("where = { x = 'y' }\nemit = ['!m']"),
        &[
            "O1005@{ x = 'y' }: lines of text have no fields; say `match = '…'`, a pattern for the whole line",
        ],
    );
}

#[test]
fn what_is_missing_or_contradicts_is_told() {
    check(
        "[[source]]\nformat = 'otlp'",
        &[
            "O1006@[[source]]: `source 1` does not say which files it is about; say `files = [\"logs/*.log\"]`",
        ],
    );
    check(
        "[[source]]\nfiles = ['a']\nformat = 'regex'\nlifeline = 'a'",
        &[
            "O1006@[[source]]: `source 1` has no rules; add a `[[source.rule]]` with a `match`, or say `dir` and `message` for all lines",
        ],
    );
    check(
        &rule("match = 'x'\nignore = true\nemit = ['!m']"),
        &[
            "O1008@['!m']: a rule that ignores its lines has no `emit`; leave out `ignore` or `emit`",
        ],
    );
    check(
        &rule("match = 'x'\nmessage = 'm'"),
        &["O1006@'m': `rule 1` has a message but no direction; say `dir = \"!\"` or `dir = \"?\"`"],
    );
    check(
        &rule("match = 'x'"),
        &[
            "O1006@[[source.rule]]: `rule 1` says nothing about its lines; say `dir` and `message`, `emit = [\"!message\"]`, `set`, or `ignore = true`",
        ],
    );
    check(
        "[[source]]\nfiles = ['a']\nformat = 'regex'\nlifeline = 'a'\ngroup = '{peer}'\n[[source.rule]]\nmatch = 'x'\nemit = ['!m']",
        &[
            "O1005@{peer}: the pattern of `rule 1` captures no `peer`; name a group of the pattern: `(?<peer>…)`",
        ],
    );
}

#[test]
fn what_is_not_toml_is_pointed_at() {
    let found = faults("[[source]]\nfiles = [a]\n");
    assert!(found[0].starts_with("O1001@"), "{found:?}");
}

#[test]
fn lifelines_have_other_names_and_observations() {
    let text = "[lifelines]\n'n*' = 'node'\nn1 = 'first'\n[observation]\ncomplete = ['sub1']\nmay_stop_early = ['sub*']\nunobserved = ['db']";
    let (plan, found) = Plan::parse(&Source::new("x", text), &[]);
    assert!(found.is_empty(), "{found:?}");
    let plan = plan.unwrap();
    let resolve = |name| plan.lifelines.resolve(name);
    assert_eq!((resolve("n1"), resolve("n2"), resolve("x")), ("first", "node", "x"));
    assert!(!plan.observation.of("sub1").may_stop_early);
    assert!(plan.observation.of("sub2").may_stop_early);
    assert!(plan.observation.of("db").unobserved);
    assert_eq!(plan.observation.of("other"), super::LogCompleteness::default());
}

#[test]
fn values_times_and_clocks_are_read() {
    let text = "[values]\nsame = 'id'\n[clocks]\nuncertainty = '1.5 ms'\n\
                [observation]\nunlogged = ['sub*.mid', 'client.time']";
    let (plan, found) = Plan::parse(&Source::new("x", text), &[]);
    assert!(found.is_empty(), "{found:?}");
    let plan = plan.unwrap();
    assert_eq!((plan.same, plan.uncertainty), (vec!["id".to_owned()], Some(1_500_000)));
    assert!(plan.observation.unlogged[0].names("sub7", "mid"));
    check(
        &rule(
            "match = '(?<q>x) (?<t>y)'\nemit = ['!m']\ntime = { from = 't', unit = 'us' }\n\
             values = { q = '{q}', n = 1_000, b = true, c = { from = 'q', as = 'bool', map = { x = 'true' } } }",
        ),
        &[],
    );
    // What a source lists counts for the rules that capture it.
    check(
        "[[source]]\nfiles = ['a']\nformat = 'regex'\nlifeline = 'a'\nvalues = { q = '{q}', r = { from = 'r', as = 'text' } }\n\
         time = { from = 't' }\n[[source.rule]]\nmatch = '(?<q>x)'\nemit = ['!m']\n",
        &[],
    );
}

#[test]
fn wrong_values_times_and_clocks_are_told() {
    check(
        &rule(
            "match = '(?<q>x)'\nemit = ['!m']\nvalues = { a = '{z}', b = 1.5, c = { from = 'q', as = 'int' }, \
             d = { as = 'text' }, e = { from = 'q', kind = 1 }, time = '{q}' }\ntime = { from = 'q', unit = 'm' }",
        ),
        &[
            "O1005@{z}: the pattern captures no `z`; its groups are `q`; a new one is written `(?<z>…)`",
            "O1003@1.5: `b` is a number, not a text, a whole number, a truth value or a table; write a text, a whole number, a truth value or a table",
            "O1003@'int': `as` cannot be `int`; it is one of `text`, `number`, `bool`",
            "O1006@{ as = 'text' }: a table of values does not say which field it is about; say `from = \"field\"`",
            "O1002@kind: a value has no key `kind`; the keys of a value are `from`, `map`, `as`",
            "O1008@time: the time is a setting of its own; say `time = …` beside `values`",
            "O1003@'m': `unit` cannot be `m`; did you mean `ms`?",
        ],
    );
    check(
        "[values]\nsame = [3]\nother = 1\n[clocks]\nuncertainty = '20'\n[observation]\nunlogged = ['mid', '.x', 'a.b']",
        &[
            "O1003@3: `same` is a number, not a text in quotes; write a text in quotes",
            "O1002@other: [values] has no key `other`; the keys of [values] are `same`",
            "O0219@'20': `20` is not a duration; write a number and one of the units d, h, min, s, ms, us, ns: 20ms",
            "O1003@'mid': `mid` is not a field of a lifeline; write the lifeline, a dot and the field: `client.mid`, `sub*.time`",
            "O1003@'.x': `.x` is not a field of a lifeline; write the lifeline, a dot and the field: `client.mid`, `sub*.time`",
        ],
    );
    for uncertainty in ["", "ms", "-5ms", "1e99s", "99999999999999d", "1/2s", "5 parsecs"] {
        let text = format!("[clocks]\nuncertainty = '{uncertainty}'");
        assert_eq!(faults(&text).len(), 1, "{uncertainty}");
    }
}

#[test]
fn guards_on_fields_that_are_never_logged_are_dropped() {
    let text = "@lifeline{a; sub1}\n@message{m}\n\
                new(x, s)(a -- m[mid = x, k = 1, a at s, sub1.time >= s] -> sub1)";
    let parsed = otus_syntax::parse_spec(&Source::new("x.hif", text));
    let lowered = otus_core::lower(&[&parsed.tree]);
    assert_eq!(lowered.diagnostics, []);
    let mut valued = *lowered.valued.unwrap();
    let toml = "[observation]\nunlogged = ['sub*.mid', 'a.time', 'b.mid']";
    let (plan, _) = Plan::parse(&Source::new("otus.toml", toml), &[]);
    let plan = plan.unwrap();
    let unused = plan.observation.drop_unlogged(&mut valued, lowered.pool.signature());
    assert_eq!(unused.iter().map(|it| it.text()).collect::<Vec<_>>(), ["b.mid"]);
    let shown = valued.text(&lowered.pool);
    assert!(
        shown.contains("a!m[mid = x, k = 1]") && shown.contains("sub1?m[k = 1, time >= s]"),
        "{shown}"
    );
}

/// The schema has exactly the keys that the parser knows.
#[test]
fn the_schema_has_the_keys_of_the_parser() {
    let schema: serde_json::Value = serde_json::from_str(super::schema()).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        let mut keys: Vec<String> =
            value["properties"].as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let sorted = |lists: &[&[&str]]| -> Vec<String> {
        let mut keys: Vec<String> =
            lists.iter().flat_map(|list| list.iter()).map(|key| (*key).to_owned()).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&schema), sorted(&[&FILE_KEYS]));
    assert_eq!(keys(&schema["$defs"]["source"]), sorted(&[&SOURCE_KEYS, &SHARED_KEYS]));
    assert_eq!(keys(&schema["$defs"]["rule"]), sorted(&[&RULE_KEYS, &SHARED_KEYS]));
    let canonical: serde_json::Value =
        serde_json::from_str(crate::read::canonical::schema()).unwrap();
    let mut known: Vec<String> = ["header", "event", "end"]
        .iter()
        .flat_map(|part| keys(&canonical["$defs"][part]))
        .collect();
    known.sort();
    known.dedup();
    assert_eq!(known, sorted(&[&crate::read::canonical::KEYS]));
}
