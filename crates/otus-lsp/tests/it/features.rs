//! What an editor gets.

use serde_json::{Value, json};

use crate::client::Client;

const FLOW: &str = "sequenceDiagram\n  participant A as Alice\n  A->>B: hi\n  B-->>A: hello\n";

#[test]
fn problems_are_published_with_places_codes_and_corrections() {
    let mut client = Client::started();
    client.open("a.mmd", "sequenceDiagram\n  \u{1f989}->>b: \u{1f989}\n  lop x\n  end\n");
    let found = client.diagnostics("a.mmd", 1);
    let first = &found[0];
    assert_eq!(
        (&first["code"], &first["source"], &first["severity"]),
        (&json!("O0602"), &json!("otus"), &json!(1))
    );
    assert_eq!(first["range"]["start"], json!({ "line": 2, "character": 2 }));
    assert!(first["message"].as_str().unwrap().contains("help: did you mean `loop`?"));
    let range = first["range"].clone();
    let params = json!({ "textDocument": { "uri": client.uri("a.mmd") }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", params).unwrap();
    assert_eq!(actions[0]["title"], "Replace `lop` by `loop`");
    let edit = &actions[0]["edit"]["changes"][client.uri("a.mmd")][0];
    assert_eq!(
        edit,
        &json!({ "range": { "start": { "line": 2, "character": 2 }, "end": { "line": 2, "character": 5 } }, "newText": "loop" })
    );
    client.change("a.mmd", 2, json!([{ "range": edit["range"], "text": "loop" }]));
    let found = client.diagnostics("a.mmd", 2);
    assert!(found.iter().all(|it| it["severity"] != 1), "{found:?}");
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": client.uri("a.mmd") } }));
    assert_eq!(client.diagnostics("a.mmd", 0), Vec::<Value>::new());
}

#[test]
fn a_change_of_one_text_changes_the_problems_of_another() {
    let mut client = Client::started();
    client.write("sig.hsf", "@message{ m } @lifeline{ a; b }");
    client.open("model.hif", "a -- m -> b");
    assert_eq!(client.diagnostics("model.hif", 1), Vec::<Value>::new());
    client.open("sig.hsf", "@message{ n } @lifeline{ a; b }");
    let found = client.diagnostics("model.hif", 1);
    assert_eq!(found[0]["code"], "O0302");
    client.change("sig.hsf", 2, json!([{ "text": "@message{ m } @lifeline{ a; b }" }]));
    assert_eq!(client.diagnostics("model.hif", 1), Vec::<Value>::new());
}

#[test]
fn columns_are_counted_as_agreed() {
    let text = "\"\u{1f989}\u{1f989}!m\"!m";
    for (offered, end) in
        [(json!(["utf-16", "utf-8"]), 12), (json!(["utf-16"]), 8), (json!(["utf-32"]), 6)]
    {
        let mut client = Client::with(&json!({ "general": { "positionEncodings": offered } }));
        client.open("a.hif", text);
        let hover = client.at("textDocument/hover", "a.hif", 0, 1).unwrap();
        assert_eq!(hover["range"]["end"]["character"], end, "{offered}");
    }
}

#[test]
fn names_are_followed_and_renamed_across_files() {
    let mut client =
        Client::with(&json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } }));
    client.write("sig.hsf", "@message{ m }\n@lifeline{ a; b }\n");
    client.write("runs/one.htf", "[a] a!m");
    client.write("otus.toml", "spec = [\"sig.hsf\", \"model.hif\"]\n[lifelines]\nx = \"a\"\n");
    client.open("model.hif", "a -- m -> b");
    let found = client.at("textDocument/definition", "model.hif", 0, 0).unwrap();
    assert_eq!(found[0]["uri"], client.uri("sig.hsf"));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 1, "character": 11 }));
    let found = client.at("textDocument/references", "model.hif", 0, 0).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 5, "{found}");
    let found = client.at("textDocument/prepareRename", "model.hif", 0, 0).unwrap();
    assert_eq!(found["placeholder"], "a");
    assert_eq!(client.at("textDocument/prepareRename", "model.hif", 0, 3).unwrap(), Value::Null);
    let mut params = json!({ "textDocument": { "uri": client.uri("model.hif") }, "position": { "line": 0, "character": 0 }, "newName": "alice" });
    let edit = client.ask("textDocument/rename", params.clone()).unwrap();
    let changes = edit["documentChanges"].as_array().unwrap();
    assert_eq!(changes.len(), 4, "{edit}");
    let versions: Vec<&Value> = changes.iter().map(|it| &it["textDocument"]["version"]).collect();
    assert_eq!(versions, [&json!(1), &Value::Null, &Value::Null, &Value::Null]);
    params["newName"] = json!("b");
    let (code, text) = client.ask("textDocument/rename", params).unwrap_err();
    assert_eq!(code, -32803);
    assert!(text.contains("already"), "{text}");
}

#[test]
fn texts_are_formatted_folded_and_outlined() {
    let nested = json!({ "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } } });
    let mut client = Client::with(&nested);
    client.open("a.hif", "seq(a -- m -> b,\r\n  o)\r\n");
    let edits = client.about("textDocument/formatting", "a.hif").unwrap();
    let change = json!([{ "range": edits[0]["range"], "text": edits[0]["newText"] }]);
    client.change("a.hif", 2, change);
    assert_eq!(client.about("textDocument/formatting", "a.hif").unwrap(), json!([]));
    client.open("b.hif", "seq(");
    assert_eq!(client.about("textDocument/formatting", "b.hif").unwrap(), json!([]));
    client.open("a.mmd", FLOW);
    let symbols = client.about("textDocument/documentSymbol", "a.mmd").unwrap();
    let names: Vec<&Value> =
        symbols[0]["children"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["A", "B", "hi", "hello"]);
    let folds = client.about("textDocument/foldingRange", "a.mmd").unwrap();
    assert_eq!(folds[0]["endLine"], 3);
    let completions = client.at("textDocument/completion", "a.mmd", 2, 6).unwrap();
    assert!(completions.as_array().unwrap().iter().any(|it| it["label"] == "B"), "{completions}");
}

#[test]
fn a_lens_analyses_and_shows_the_verdicts() {
    let mut client = Client::with(
        &json!({ "workspace": { "codeLens": { "refreshSupport": true } }, "window": { "workDoneProgress": true } }),
    );
    client.write("flow-good.htf", "{[A] A!hi.A?hello; [B] B?hi.B!hello}");
    client.write("flow-bad.htf", "{[A] A!hi.A!hi; [B] B?hi}");
    client.open("flow.mmd", FLOW);
    let lenses = client.about("textDocument/codeLens", "flow.mmd").unwrap();
    let command = lenses[0]["command"].clone();
    assert_eq!(command["title"], "analyze");
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let result = client.ask("workspace/executeCommand", params).unwrap();
    assert_eq!(result["summary"], "1 pass, 0 weak, 1 fail, 0 undecided");
    assert!(result["text"].as_str().unwrap().contains("flow-bad:"), "{result}");
    let methods: Vec<&str> = client.told.iter().filter_map(|it| it["method"].as_str()).collect();
    for method in [
        "window/workDoneProgress/create",
        "$/progress",
        "window/showMessage",
        "window/logMessage",
        "workspace/codeLens/refresh",
    ] {
        assert!(methods.contains(&method), "{method}: {methods:?}");
    }
    let lenses = client.about("textDocument/codeLens", "flow.mmd").unwrap();
    assert_eq!(
        lenses[0]["command"]["title"],
        "analyze (last: 1 pass, 0 weak, 1 fail, 0 undecided)"
    );
}

/// The reduction of a hard Boolean formula to a model and a multi-trace (paper 000): its analysis would take minutes.
fn endless() -> (String, String, String) {
    const VARIABLES: usize = 120;
    const CLAUSES: usize = VARIABLES * 426 / 100;
    let mut random = fastrand::Rng::with_seed(5);
    // For each variable: the clauses that it satisfies if it is true, and those if it is false.
    let mut satisfied = vec![[Vec::new(), Vec::new()]; VARIABLES];
    for clause in 0..CLAUSES {
        for variable in random.choose_multiple(0..VARIABLES, 3) {
            satisfied[variable][random.usize(0..2)].push(format!("m -> l{clause}"));
        }
    }
    let all = |parts: &Vec<String>| match parts.len() {
        0 => "o".to_owned(),
        _ => format!("seq({})", parts.join(", ")),
    };
    let choice = |[yes, no]: &[Vec<String>; 2]| format!("alt({}, {})", all(yes), all(no));
    let choices: Vec<String> = satisfied.iter().map(choice).collect();
    let lifelines: Vec<String> = (0..CLAUSES).map(|clause| format!("l{clause}")).collect();
    let logs: Vec<String> = lifelines.iter().map(|name| format!("[{name}] {name}?m")).collect();
    (
        format!("@message{{ m }}\n@lifeline{{ {} }}\n", lifelines.join("; ")),
        format!("seq({})\n", choices.join(",\n  ")),
        format!("{{{}}}", logs.join("; ")),
    )
}

#[test]
fn an_analysis_does_not_hold_up_other_requests_and_can_be_cancelled() {
    let mut client = Client::started();
    let (signature, model, run) = endless();
    client.write("sat.hsf", &signature);
    client.write("sat.htf", &run);
    client.open("sat.hif", &model);
    let argument = json!({ "uri": client.uri("sat.hif") });
    let params = json!({ "command": "otus.analyze", "arguments": [argument] });
    let analysis = client.request("workspace/executeCommand", params);
    // This is answered while the analysis runs.
    let hover = client.at("textDocument/hover", "sat.hif", 0, 1).unwrap();
    assert!(!hover.is_null());
    client.notify("$/cancelRequest", json!({ "id": analysis }));
    let (code, text) = client.answer(analysis).unwrap_err();
    assert_eq!(code, -32800, "{text}");
    // Nothing was said of verdicts.
    let is_shown = |it: &Value| it["method"] == "window/showMessage";
    assert!(!client.told.iter().any(is_shown), "{:?}", client.told);
}
