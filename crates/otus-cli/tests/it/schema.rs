//! Answers are as `otus schema` says. `scripts/check-reports` asks a validator of others about the same.
//!
//! What the schema does not name is allowed to readers, since keys may be added, and refused here, since then
//! the schema must name it.

use std::path::Path;

use serde_json::Value;

use crate::documented::LOGS;
use crate::reports::FLOW;
use crate::sandbox::Sandbox;

const CASES: &str = r#"{"id":"ok","htf":"{[User] User!login.User?welcome.User!bye; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"early","htf":"{[User] User!login.User!bye.User?welcome; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"missing","htf":"{[User] User!login.User?welcome.User!bye; [Server] Server?login.Server?bye}"}
{"id":"mixed","htf":"{[User] User!login.User?denied; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"extra","htf":"{[User] User!login.User?welcome.User!bye.User!bye; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"unknown","htf":"{[User] User!logout; [Server] }"}
{"id":"cut","htf":"{[User] User!login; [Server] Server?login}"}
{"id":"unusable","htf":"{[User] User!"}
"#;

fn schema(what: &str) -> Value {
    let sandbox = Sandbox::new(&format!("schema-{what}"));
    let output = sandbox.otus(&format!("schema {what}")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn stdout(sandbox: &Sandbox, call: &str) -> String {
    String::from_utf8(sandbox.otus(call).output().unwrap().stdout).unwrap()
}

#[test]
fn answers_are_as_their_schema_says() {
    let (document, line) = (schema("results"), schema("result"));
    let sandbox = Sandbox::new("schema-answers");
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("cases.jsonl", CASES);
    sandbox.write("logs/otus.toml", LOGS);
    sandbox.write("logs/logs/User.log", "bob sent login to Server\nbob sent bye to Server\n");
    sandbox.write("logs/logs/Server.log", "bob received login from User\nnothing\n");
    let mut verdicts: Vec<String> = Vec::new();
    for flags in [
        "",
        "--explain full",
        "--explain none",
        "--no-witness",
        "--kind accept",
        "--kind eliminate",
        "--kind simulate",
        "--observed complete",
        "--observed global-prefix",
        "--observed prefix",
        "--observed slice",
        "--may-stop-early User",
        "--engine graph",
        "--kind simulate --engine graph",
        "--max-states 1",
        "--engine graph --max-states 2",
    ] {
        let text = stdout(&sandbox, &format!("analyze flow.mmd cases.jsonl {flags} --format json"));
        let answers: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{flags}"));
        check(&document, &answers, flags);
        for answer in answers["results"].as_array().unwrap() {
            check(&line, answer, flags);
            verdicts.push(answer["verdict"].as_str().unwrap().to_owned());
        }
        let flags = format!("{flags} --explain full --witness --results out.jsonl");
        let flags = flags.replace("--no-witness", "").replacen("--explain full ", "", 1);
        let flags = flags.replace("--explain none", "--explain short");
        let _ = std::fs::remove_file(sandbox.path("out.jsonl"));
        let text =
            stdout(&sandbox, &format!("analyze flow.mmd cases.jsonl {flags} --format jsonl"));
        let kept = sandbox.read("out.jsonl");
        assert!(!text.is_empty() && text.lines().count() == kept.lines().count(), "{flags}");
        for text in text.lines().chain(kept.lines()) {
            check(&line, &serde_json::from_str(text).unwrap(), &flags);
        }
    }
    verdicts.sort_unstable();
    verdicts.dedup();
    assert_eq!(verdicts, ["Fail", "Inconclusive", "Pass", "WeakFail", "WeakPass"]);
    let text = stdout(&sandbox, "analyze flow.mmd logs --format json");
    let answers: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answers["summary"]["groups"], 1);
    check(&document, &answers, "raw logs");
}

#[test]
fn the_examples_are_answered_as_the_schema_says() {
    let document = schema("results");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let sandbox = Sandbox::new("schema-examples");
    for example in ["mqtt", "mqtt/connection", "otel-shop", "otel-shop/orders", "raft"] {
        let config = root.join(example).join("otus.toml");
        let call = format!("analyze --config {} --format json", config.display());
        let answers: Value = serde_json::from_str(&stdout(&sandbox, &call)).unwrap();
        assert!(answers["summary"]["checked"].as_u64().unwrap() > 0, "{example}");
        check(&document, &answers, example);
    }
}

#[test]
fn answers_to_formulas_and_traces_are_as_their_schemas_say() {
    let (document, line, pot) = (schema("answers"), schema("answer"), schema("pot"));
    let sandbox = Sandbox::new("schema-ctl");
    let trace = crate::documented::order();
    sandbox.write("run.pot.json", &trace);
    check(&pot, &serde_json::from_str(&trace).unwrap(), "a trace");
    for flags in [
        "AG(x<1)",
        "a:AG(x<1) EF(x=1) --count --stats",
        "EX(x=1) --all --limit 1 --engine ist",
        "AG(x=7->AF(y=1)) true --engine explicit --stats --strict",
        "AG(p.critical->EF(q.critical)) --max-nodes 1",
        "forall|r|in|{p,q}:EF|r.critical",
    ] {
        let arguments: Vec<String> = flags.split(' ').map(|it| it.replace('|', " ")).collect();
        let ask = |format: &str| {
            let command = sandbox.otus("ctl run.pot.json").args(&arguments);
            let output = command.args(["--format", format]).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let answers: Value =
            serde_json::from_str(&ask("json")).unwrap_or_else(|_| panic!("{flags}"));
        check(&document, &answers, flags);
        for text in ask("jsonl").lines() {
            check(&line, &serde_json::from_str(text).unwrap(), flags);
        }
    }
}

#[test]
fn every_cause_has_a_page() {
    let sandbox = Sandbox::new("schema-causes");
    let document = schema("results");
    let causes = document["$defs"]["explanation"]["properties"]["cause"]["enum"].as_array();
    for cause in causes.unwrap() {
        let cause = cause.as_str().unwrap();
        let page = stdout(&sandbox, &format!("explain {cause}"));
        assert!(page.starts_with(&format!("# {cause}: ")), "{page}");
    }
    let output = sandbox.otus("explain too-erly").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("did you mean `too-early`?"), "{said}");
}

/// Checks a value against a schema that uses some keywords; others are not understood.
#[track_caller]
fn check(schema: &Value, value: &Value, what: &str) {
    let mut faults = Vec::new();
    let mut stack = vec![(schema, value, String::new())];
    while let Some((rules, value, path)) = stack.pop() {
        let mut fault = |why: &str| faults.push(format!("{path}: {why}: {value}"));
        for (keyword, rule) in rules.as_object().unwrap() {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "properties" => {}
                "$ref" => {
                    let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    stack.push((schema.pointer(pointer).unwrap(), value, path.clone()));
                }
                "type" => {
                    let one = std::slice::from_ref(rule);
                    let types = rule.as_array().map_or(one, Vec::as_slice);
                    let is = |name: &Value| match name.as_str().unwrap() {
                        "object" => value.is_object(),
                        "array" => value.is_array(),
                        "string" => value.is_string(),
                        "integer" => value.is_u64() || value.is_i64(),
                        "number" => value.is_number(),
                        "boolean" => value.is_boolean(),
                        "null" => value.is_null(),
                        other => panic!("{other}"),
                    };
                    if !types.iter().any(is) {
                        fault("its type");
                    }
                }
                "additionalProperties" if rule.is_object() => {
                    for (key, item) in value.as_object().into_iter().flatten() {
                        stack.push((rule, item, format!("{path}/{key}")));
                    }
                }
                "minItems" | "additionalProperties" | "dependentRequired" => {}
                "prefixItems" => {
                    let items = value.as_array().into_iter().flatten();
                    for (rule, item) in rule.as_array().unwrap().iter().zip(items) {
                        stack.push((rule, item, path.clone()));
                    }
                }
                "items" if rule == &Value::Bool(false) => {}
                "const" if value != rule => fault("its value"),
                "enum" if !rule.as_array().unwrap().contains(value) => fault("none of these"),
                "minimum" if value.as_u64() < rule.as_u64() => fault("too small"),
                "const" | "enum" | "minimum" => {}
                "pattern" => assert_eq!(rule, "^[0-9a-f]{16}-[0-9a-f]{16}$"),
                "required" => {
                    for key in rule.as_array().unwrap() {
                        if value.get(key.as_str().unwrap()).is_none() {
                            fault(&format!("lacks {key}"));
                        }
                    }
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        stack.push((rule, item, format!("{path}/{at}")));
                    }
                }
                other => panic!("the keyword {other} is not understood"),
            }
        }
        if let Some(properties) = rules.get("properties") {
            for (key, item) in value.as_object().into_iter().flatten() {
                match properties.get(key) {
                    Some(rules) => stack.push((rules, item, format!("{path}/{key}"))),
                    None => faults.push(format!("{path}: {key} is not named by the schema")),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{what}: {faults:#?}");
}
