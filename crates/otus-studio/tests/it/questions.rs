//! Each question once, over the whole way.

use serde_json::{Value, json};

use crate::client::{A, B, CONFIG, FLOW, Studio};

fn subject() -> Value {
    json!({ "spec": "", "runs": [] })
}

fn with(mut value: Value, more: Value) -> Value {
    if let (Some(all), Value::Object(more)) = (value.as_object_mut(), more) {
        all.extend(more);
    }
    value
}

#[test]
fn the_state_lists_what_there_is() {
    let studio = Studio::new();
    let state = studio.get("/api/state").json();
    assert_eq!(state["config"], "otus.toml");
    assert_eq!(state["specs"][0]["spec"], "flow.mmd");
    assert_eq!(state["specs"][0]["configured"], true);
    assert_eq!(state["runs"][0]["name"], "logs");
    assert_eq!(state["runs"][0]["files"], json!(["logs/a.log", "logs/b.log"]));
}

#[test]
fn verdicts_follow_an_unsaved_text() {
    let studio = Studio::new();
    let found = studio.ask("/api/check", &subject());
    assert_eq!(found["counts"], json!({ "pass": 1, "weak": 0, "fail": 1, "undecided": 0 }));
    assert_eq!(found["cases"][1]["id"], "two");
    assert_eq!(found["causes"][0]["count"], 1);
    let diagram = FLOW.replace("no\n", "maybe\n");
    let question = with(subject(), json!({ "unsaved": { "flow.mmd": diagram }, "coverage": true }));
    let found = studio.ask("/api/check", &question);
    assert_eq!(found["counts"]["pass"], 2);
    assert_eq!(found["coverage"]["covered"], found["coverage"]["all"]);
    assert!(found["coverage"]["svg"].as_str().unwrap().contains("<svg"));
    let broken =
        with(subject(), json!({ "unsaved": { "flow.mmd": "sequenceDiagram\n  a->>b\n" } }));
    let answer = studio.post("/api/check", &broken);
    assert_eq!(answer.status, 422);
    assert_eq!(answer.json()["diagnostics"][0]["severity"], "error");
}

#[test]
fn without_otus_toml_all_runs_are_checked() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("flow.mmd"), FLOW).unwrap();
    let run = "[a] a!ask.a?yes; [b] b?ask.b!yes";
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    std::fs::write(folder.path().join("runs/1.htf"), run).unwrap();
    std::fs::write(folder.path().join("runs/2.htf"), run.replace("b!yes", "b!no")).unwrap();
    let studio = Studio::of(folder);
    let found = studio.ask("/api/check", &json!({ "spec": "flow.mmd", "runs": [] }));
    assert_eq!(found["counts"], json!({ "pass": 1, "weak": 0, "fail": 1, "undecided": 0 }));
    let question = json!({ "spec": "flow.mmd", "runs": [], "id": "2", "theme": "dark" });
    let case = studio.ask("/api/case", &question);
    assert_eq!(case["verdict"], "Fail");
    let states: Vec<&str> =
        case["steps"].as_array().unwrap().iter().filter_map(|it| it["state"].as_str()).collect();
    assert!(states.contains(&"blamed"), "{states:?}");
    let repaired = studio
        .ask("/api/repair", &json!({ "spec": "flow.mmd", "runs": [], "id": "2", "of": "log" }));
    // A log that stops early is what the question allows, so a shorter log passes weakly.
    assert_eq!(repaired["verdict"], "WeakPass", "{repaired}");
    assert_eq!(repaired["changes"][0]["path"], "runs/2.htf");
}

#[test]
fn a_text_has_findings_a_picture_and_messages() {
    let studio = Studio::new();
    let ask = |text: &str| {
        let question =
            json!({ "path": "flow.mmd", "text": text, "theme": "light", "picture": true });
        studio.ask("/api/text", &question)
    };
    let found = ask(FLOW);
    let svg = found["svg"].as_str().unwrap();
    for message in found["messages"].as_array().unwrap() {
        let node = message["node"].as_str().unwrap();
        assert_eq!(svg.matches(&format!("id=\"{node}\"")).count(), 1, "{node}");
    }
    assert_eq!(found["messages"][0]["actions"], json!(["a!ask", "b?ask"]));
    let text = "sequenceDiagram\n  %% 😀\n  a->>b\n";
    let found = ask(text);
    let error = &found["diagnostics"][0];
    assert_eq!(error["severity"], "error");
    // Offsets count UTF-16 code units.
    assert_eq!(error["from"], "sequenceDiagram\n  %% 😀\n  ".encode_utf16().count());
    assert_eq!(found["svg"], Value::Null);
    let code = error["code"].as_str().unwrap();
    let page = studio.get(&format!("/api/code?code={code}")).json();
    assert!(page["text"].as_str().unwrap().contains(code));
    for (path, text) in
        [("otus.toml", "[[source]]\nfile = 1\n"), ("x.ctl", "AG("), ("x.htf", "[a] a!")]
    {
        let question = json!({ "path": path, "text": text, "theme": "light", "picture": false });
        let found = studio.ask("/api/text", &question);
        assert_eq!(found["diagnostics"][0]["severity"], "error", "{path}");
    }
}

#[test]
fn a_failure_is_told_step_by_step() {
    let studio = Studio::new();
    let question = with(subject(), json!({ "id": "two", "theme": "light" }));
    let case = studio.ask("/api/case", &question);
    assert_eq!(case["verdict"], "Fail");
    assert_eq!(case["explained"], 2);
    let steps = case["steps"].as_array().unwrap();
    assert_eq!(steps[0]["action"], "a!ask");
    assert_eq!(steps[0]["spec"]["line"], 2);
    assert_eq!(steps[1]["spec"]["line"], 2);
    assert_eq!(steps[2]["state"], "blamed");
    let svg = case["svg"].as_str().unwrap();
    for step in steps {
        let node = step["node"].as_str().unwrap();
        assert!(svg.contains(&format!("id=\"{node}\"")), "{node}");
    }
    assert_eq!(case["logs"][1]["events"][1]["text"], "run two: sent maybe");
    let why = |step: usize, target: Value| {
        let question = with(subject(), json!({ "id": "two", "step": step, "target": target }));
        studio.ask("/api/why-not", &question)["kind"].clone()
    };
    assert_eq!(why(0, json!({ "log": 0, "event": 0 })), "now");
    assert_eq!(why(1, json!({ "log": 0, "event": 0 })), "past");
    assert_eq!(why(0, json!({ "log": 1, "event": 1 })), "not-next");
    assert_eq!(why(0, json!({ "log": 1, "event": 0 })), "later");
    assert_eq!(why(2, json!({ "log": 1, "event": 1 })), "unknown");
    assert_eq!(why(2, json!({ "line": 4 })), "now");
    assert_eq!(why(2, json!({ "line": 2 })), "never");
    assert_eq!(why(0, json!({ "line": 99 })), "unknown");
    assert_eq!(why(0, json!({ "action": "b!yes" })), "later");
    assert_eq!(why(0, json!({ "action": "c!yes" })), "unknown");
}

#[test]
fn repairs_are_changes_that_pass() {
    let studio = Studio::new();
    let logs = studio.ask("/api/repair", &with(subject(), json!({ "id": "two", "of": "log" })));
    assert_eq!(logs["verdict"], "WeakPass", "{logs}");
    let changed = logs["changes"].as_array().unwrap();
    assert!(changed.iter().any(|it| it["diff"].as_str().unwrap().contains("-run two: sent maybe")));
    // What is proposed can be saved with its version.
    for change in changed {
        let (path, text) = (&change["path"], &change["text"]);
        studio
            .ask("/api/save", &json!({ "path": path, "text": text, "version": change["version"] }));
    }
    assert_eq!(studio.ask("/api/check", &subject())["counts"]["fail"], 0);
    for (name, text) in [("logs/a.log", A), ("logs/b.log", B)] {
        std::fs::write(studio.path().join(name), text).unwrap();
    }
    let question = with(subject(), json!({ "id": "two", "of": "specification" }));
    let diagram = studio.ask("/api/repair", &question);
    assert_eq!(diagram["verdict"], "WeakPass", "{diagram}");
    let text = &diagram["changes"][0]["text"];
    let question = with(subject(), json!({ "unsaved": { "flow.mmd": text } }));
    let after = studio.ask("/api/check", &question);
    assert_eq!(
        (&after["counts"]["pass"], &after["counts"]["weak"]),
        (&json!(1), &json!(1)),
        "{text}"
    );
}

#[test]
fn two_runs_are_compared_by_causes() {
    let studio = Studio::new();
    let question = with(subject(), json!({ "left": "one", "right": "two" }));
    let found = studio.ask("/api/compare", &question);
    // b's answer differs; that a heard another one follows from it.
    assert_eq!(found["words"], json!(["b!yes in the left run is b!maybe in the right one"]));
    let [log, row] =
        [0, 1].map(|at| usize::try_from(found["first"][0][at].as_u64().unwrap()).unwrap());
    assert_eq!(found["lifelines"][log]["lifeline"], "b");
    assert_eq!(found["lifelines"][log]["rows"][row]["right"]["text"], "run two: sent maybe");
}

#[test]
fn lines_have_their_rules() {
    let studio = Studio::new();
    let question = json!({ "log": "logs/a.log", "from": 0, "count": 2 });
    let found = studio.ask("/api/lines", &question);
    assert_eq!(found["source"], "all");
    let line = &found["lines"][1];
    assert_eq!((&line["rule"], &line["group"]), (&json!("event"), &json!("one")));
    assert_eq!(line["actions"], json!(["a?yes"]));
    assert_eq!(line["parts"][0], json!({ "from": 4, "to": 7, "name": "run" }));
    let next = studio.ask("/api/lines", &with(question, json!({ "from": found["next"] })));
    assert_eq!(next["lines"][0]["text"], "run two: sent ask");
    assert_eq!(next["next"], Value::Null);
    let broken = json!({ "log": "logs/a.log", "from": 0, "count": 2, "unsaved": { "otus.toml": "[[source" } });
    let found = studio.ask("/api/lines", &broken);
    assert_eq!(found["lines"][0]["outcome"], "unmatched");
    assert_eq!(found["diagnostics"][0]["severity"], "error");
    let account = studio.ask("/api/account", &json!({ "runs": [], "spec": "flow.mmd" }));
    assert_eq!(account["counts"]["matched"], 8);
    assert_eq!(account["rules"][0]["hits"], 8);
    assert_eq!(account["only_in_logs"]["messages"], json!(["maybe"]));
    assert_eq!(account["only_in_spec"]["messages"], json!(["no"]));
}

#[test]
fn a_mapping_is_made_by_marking_parts() {
    let studio = Studio::new();
    std::fs::remove_file(studio.path().join("otus.toml")).unwrap();
    let text = "run one: sent ask";
    let mark = |part: &str, role: &str| {
        let from = text.find(part).unwrap();
        json!({ "from": from, "to": from + part.len(), "role": role })
    };
    let marks = [mark("one", "group"), mark("sent", "direction"), mark("ask", "message")];
    let question = json!({
        "samples": [{ "log": "logs/a.log", "text": text, "marks": marks }],
        "ignore": false,
        "constants": {},
        "files": "all",
    });
    let found = studio.ask("/api/rule", &question);
    assert_eq!(found["missing"], json!(["no part says which lifeline acts"]));
    let question = with(question, json!({ "constants": { "lifeline": "{file.stem}" } }));
    let found = studio.ask("/api/rule", &question);
    assert_eq!((&found["missing"], &found["diagnostics"]), (&json!([]), &json!([])), "{found}");
    assert_eq!((&found["hits"], &found["unmatched"]), (&json!(4), &json!(0)), "{found}");
    assert_eq!(found["samples"][0]["actions"], json!(["a!ask"]));
    let save = json!({ "path": found["path"], "text": found["text"], "version": found["version"] });
    studio.ask("/api/save", &save);
    let checked = studio.ask("/api/check", &json!({ "spec": "flow.mmd", "runs": ["logs"] }));
    assert_eq!(checked["counts"]["pass"], 1, "{checked}\n{}", found["text"]);
    let names = json!({ "lifelines": [{ "log": "a", "spec": "client" }], "messages": [] });
    let named = studio.ask("/api/names", &names);
    assert!(named["text"].as_str().unwrap().ends_with("[lifelines]\na = \"client\"\n"), "{named}");
}

#[test]
fn an_otus_toml_is_proposed() {
    let studio = Studio::new();
    let found = studio.ask("/api/propose", &json!({ "runs": [] }));
    assert_eq!(found["path"], "otus.toml");
    assert!(found["text"].as_str().unwrap().contains("[[source]]"));
    assert_eq!(std::fs::read_to_string(studio.path().join("otus.toml")).unwrap(), CONFIG);
}

#[test]
fn orders_have_lattices_and_formulas() {
    let studio = Studio::new();
    let pot = json!({ "processes": [
        { "name": "p", "events": [{ "var": "x", "val": 1 }, { "var": "x", "val": 2 }] },
        { "name": "q", "events": [{ "var": "y", "val": 1 }] },
    ] });
    std::fs::write(studio.path().join("run.pot.json"), pot.to_string()).unwrap();
    let order = studio.ask("/api/order", &json!({ "order": "run.pot.json" }));
    assert_eq!(order["cuts"], "6");
    assert_eq!(order["lattice"].as_array().unwrap().len(), 6);
    assert_eq!(order["processes"][0]["events"][1]["changes"], json!(["x = 2"]));
    let question =
        json!({ "order": "run.pot.json", "formula": "EF(x = 1 & y = 1)", "cut": [2, 0] });
    let found = studio.ask("/api/formula", &question);
    assert_eq!((&found["holds"], &found["nodes"][0]["holds"]), (&json!(true), &json!(false)));
    assert_eq!(found["nodes"][0]["count"], "4");
    assert_eq!(found["at"].as_array().unwrap().iter().filter(|it| **it == true).count(), 4);
    let run = json!({ "run": { "spec": "", "runs": [], "id": "one" } });
    let order = studio.ask("/api/order", &run);
    assert_eq!(order["edges"].as_array().unwrap().len(), 2);
    let broken = json!({ "order": "run.pot.json", "formula": "EF(", "cut": [0, 0] });
    assert_eq!(studio.ask("/api/formula", &broken)["diagnostics"][0]["severity"], "error");
    assert_eq!(studio.post("/api/order", &json!({})).status, 400);
}

#[test]
fn results_are_a_table_too() {
    let studio = Studio::new();
    let results = "{\"version\":1,\"kind\":\"declared\",\"engine\":\"fast\",\"results\":[{\"id\":\"x\",\"verdict\":\"Pass\",\
                   \"kind\":\"declared\",\"partition\":\"discrete\",\"engine\":\"fast\",\"states\":1,\"micros\":2}],\"summary\":{}}";
    std::fs::write(studio.path().join("results.json"), results).unwrap();
    let answer = studio.post("/api/results", &json!({ "path": "results.json" }));
    assert!(matches!(answer.status, 200 | 422), "{}", answer.body);
}
