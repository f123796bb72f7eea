//! `otus analyze`.

use std::io::{BufRead as _, BufReader, Read as _};

use serde_json::Value;

use crate::sandbox::{SIGNATURE, Sandbox};

/// The broker forwards what is published once somebody has subscribed.
const MODEL: &str = "\
seq(
  loopS(publisher -- publish -> broker),
  subscriber -- subscribe -> broker,
  loopS(seq(publisher -- publish -> broker, broker -- publish -> subscriber))
)
";
const RUN: &str = "{[publisher] publisher!publish; [broker] broker?subscribe.broker?publish.broker!publish; [subscriber] subscriber!subscribe.subscriber?publish}";

/// A folder with the model in all its forms and three runs: accepted, cut, and wrong.
pub(crate) fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::with_model(name);
    sandbox.write("model.hif", MODEL);
    sandbox.write("run.htf", RUN);
    sandbox.write("model.hsf", &format!("{SIGNATURE}{MODEL}"));
    let others = concat!(
        r#"{"id": "cut", "htf": "{[publisher] publisher!publish; [broker] broker?subscribe}"}"#,
        "\n",
        r#"{"id": "wrong", "htf": "{[broker] broker!publish}"}"#,
        "\n"
    );
    sandbox.write("cases.jsonl", &format!("{{\"id\": \"whole\", \"htf\": \"{RUN}\"}}\n{others}"));
    sandbox
}

/// The verdicts of a call that answers in JSON lines.
#[track_caller]
pub(crate) fn verdicts(sandbox: &Sandbox, arguments: &str) -> Vec<String> {
    let output = sandbox.otus(&format!("analyze {arguments} --format jsonl")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| format!("{} {}", line["id"].as_str().unwrap(), line["verdict"])).collect()
}

#[test]
fn each_kind_has_its_verdicts() {
    let sandbox = prepared("analyze-kinds");
    for engine in ["auto", "fast", "graph"] {
        let ask = |kind: &str| {
            verdicts(&sandbox, &format!("model.hsf cases.jsonl --kind {kind} --engine {engine}"))
        };
        assert_eq!(ask("accept"), [r#"whole "Pass""#, r#"cut "Fail""#, r#"wrong "Fail""#]);
        assert_eq!(ask("prefix"), [r#"whole "Pass""#, r#"cut "Fail""#, r#"wrong "Fail""#]);
        assert_eq!(ask("eliminate"), [r#"whole "Pass""#, r#"cut "WeakPass""#, r#"wrong "Fail""#]);
        assert_eq!(
            ask("simulate"),
            [r#"whole "Pass""#, r#"cut "WeakPass""#, r#"wrong "WeakPass""#]
        );
    }
    let legacy = verdicts(&sandbox, "model.hsf cases.jsonl --kind prefix --legacy-verdicts");
    assert_eq!(legacy[1..], [r#"cut "Inconclusive""#, r#"wrong "Inconclusive""#]);
    let observed = verdicts(&sandbox, "model.hsf cases.jsonl --observed prefix");
    assert_eq!(observed, verdicts(&sandbox, "model.hsf cases.jsonl --kind eliminate"));
}

#[test]
fn the_calls_of_the_papers_work() {
    let sandbox = prepared("analyze-calls");
    sandbox.write("conf.hcf", "@analyze_option{ analysis_kind = accept; strategy = BFS }");
    for call in
        ["sig.hsf model.hif run.htf", "sig.hsf model.hif run.htf conf.hcf", "model.hsf run.htf"]
    {
        assert_eq!(verdicts(&sandbox, call), [r#"run "Pass""#], "{call}");
    }
    sandbox.otus("convert model.hsf flow.mmd").assert().code(0);
    assert_eq!(verdicts(&sandbox, "flow.mmd run.htf"), [r#"run "Pass""#]);
}

/// A text without its times, which differ from run to run.
fn timeless(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let words = text.split(' ').map(|word| match word.parse::<f64>() {
        Ok(_) if word.contains('.') => "T",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_search_comes_with_its_explanation() {
    let sandbox = prepared("analyze-text");
    let call = sandbox.otus("analyze model.hsf cases.jsonl --kind eliminate --engine graph");
    let output = call.output().unwrap();
    assert_eq!(
        timeless(&output.stdout),
        "\
whole: Pass (eliminate, discrete partition, 39 nodes, T ms)
  explained by: subscriber!subscribe.broker?subscribe.publisher!publish.broker?publish.broker!publish.subscriber?publish
cut: WeakPass (eliminate, discrete partition, 13 nodes, T ms)
  explained by: −{subscriber}.broker?subscribe.−{broker}.publisher!publish
wrong: Fail (eliminate, discrete partition, 2 nodes, T ms)
  error[unexpected-message]: broker sent publish where broker should receive publish or receive subscribe
   --> model.hsf:4:22
    |
  4 |   loopS(publisher -- publish -> broker),
    |                      ^^^^^^^^^^^^^^^^^ expected here: broker?publish
    |
   ::: model.hsf:5:17
    |
  5 |   subscriber -- subscribe -> broker,
    |                 ^^^^^^^^^^^^^^^^^^^ expected here: broker?subscribe
    |
   ::: cases.jsonl:3
    |
  3 | {[broker] broker!publish}
    |           -------------- observed instead: broker!publish
    |
    = consumed: broker 0/1
    = repair: drop broker!publish (place 1) at cases.jsonl:3
    = core: broker fails alone, whatever the others saw
"
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with(
            "checked 3 multi-traces, 9 actions: 1 pass, 1 weak, 1 fail, 0 undecided in "
        )
    );
}

#[test]
fn a_verdict_comes_with_its_explanation() {
    let sandbox = prepared("analyze-explained");
    let ask = |arguments: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf cases.jsonl {arguments}")).output();
        let text = timeless(&output.unwrap().stdout);
        // How many states there are is the engine's business.
        let short = |line: &str| match line.split_once(" (") {
            Some((verdict, _)) if !line.starts_with(' ') => format!("{verdict}\n"),
            _ => format!("{line}\n"),
        };
        text.lines().map(short).collect::<String>()
    };
    assert_eq!(
        ask("--kind eliminate"),
        "\
whole: Pass
  explained by: subscriber!subscribe.broker?subscribe.publisher!publish.broker?publish.broker!publish.subscriber?publish
cut: WeakPass
  explained by: (subscriber!subscribe).broker?subscribe.publisher!publish.(broker?publish).(broker!publish).(subscriber?publish)
  assumed missing: 2 events of broker (broker?publish, broker!publish), 2 events of subscriber (subscriber!subscribe, subscriber?publish)
wrong: Fail
  error[unexpected-message]: broker sent publish where broker should receive publish or receive subscribe
   --> model.hsf:4:22
    |
  4 |   loopS(publisher -- publish -> broker),
    |                      ^^^^^^^^^^^^^^^^^ expected here: broker?publish
    |
   ::: model.hsf:5:17
    |
  5 |   subscriber -- subscribe -> broker,
    |                 ^^^^^^^^^^^^^^^^^^^ expected here: broker?subscribe
    |
   ::: cases.jsonl:3
    |
  3 | {[broker] broker!publish}
    |           -------------- observed instead: broker!publish
    |
    = consumed: broker 0/1
    = repair: drop broker!publish (place 1) at cases.jsonl:3
    = core: broker fails alone, whatever the others saw
    = help: if this log begins in the middle of a run, --may-start-late broker makes this a WeakPass
"
    );
    assert_eq!(
        ask("--may-stop-early broker --unobserved subscriber --no-witness --explain none"),
        "\
whole: Pass
cut: WeakPass
  assumed: broker may stop early, subscriber unobserved
wrong: Fail
  explained at most: broker 0 of 1
"
    );
}

#[test]
fn a_witness_is_there_if_asked_for() {
    let sandbox = prepared("analyze-witness");
    let has = |arguments: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf run.htf {arguments}")).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        text.contains("witness") || text.contains("explained by")
    };
    for engine in ["--engine fast", "--engine graph"] {
        for (format, expected) in [("text", true), ("json", true), ("jsonl", false)] {
            assert_eq!(has(&format!("{engine} --format {format}")), expected, "{engine} {format}");
            assert!(has(&format!("{engine} --format {format} --witness")));
            assert!(!has(&format!("{engine} --format {format} --no-witness")));
        }
    }
}

#[test]
fn a_fail_can_be_certified() {
    let sandbox = prepared("analyze-certificate");
    sandbox.write("wrong.htf", "[broker] broker!publish");
    for arguments in ["--kind accept", "--observed prefix", "--engine graph --kind eliminate"] {
        let call = format!("analyze model.hsf wrong.htf {arguments} --certificate c.json");
        sandbox.otus(&call).assert().code(1);
        let certificate: Value = serde_json::from_str(&sandbox.read("c.json")).unwrap();
        assert_eq!(certificate["version"], 1);
        assert_eq!(certificate["components"][0][0], "broker");
        assert_eq!(certificate["states"][0]["explained"], serde_json::json!([0, 0, 0]));
    }
    // There is none for what passes, and that is said.
    let says = |arguments: &str, code: i32, text: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf {arguments}")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
        assert!(said.contains(text), "{arguments}: {said}");
        String::from_utf8(output.stdout).unwrap()
    };
    let nothing = "otus: run: no certificate was written, since nothing failed\n";
    says("run.htf --certificate none.json", 0, nothing);
    assert!(!sandbox.files().contains(&"none.json".to_owned()));
    let undecided = "otus: run: no certificate was written, since the verdict is undecided\n";
    says("run.htf --kind accept --max-states 2 --certificate none.json", 3, undecided);
    // One that cannot be written is missed by whoever asked for it.
    for never in ["", " --fail-on never"] {
        let call = format!("wrong.htf --kind accept --certificate nowhere/c.json{never}");
        let text = "otus: wrong: cannot write nowhere/c.json: there is no folder nowhere\n";
        assert!(says(&call, 2, text).starts_with("wrong: Fail"));
    }
    sandbox.write("taken/x", "");
    says("wrong.htf --kind accept --certificate taken", 2, "otus: wrong: cannot write taken: ");
    let output = sandbox.otus("analyze model.hsf cases.jsonl --certificate x.txt").output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("--certificate records one analysis; several multi-traces"), "{said}");
    // One that is too large leaves the verdict as it is.
    let call = "wrong.htf --kind accept --max-states 1 --certificate y.txt";
    let text = "otus: wrong: no certificate was written, since the budget of states is used up\n";
    assert!(says(call, 1, text).starts_with("wrong: Fail"));
}

/// The second of two would overwrite that of the first.
#[test]
fn one_certificate_is_for_one_case_of_standard_input() {
    let sandbox = prepared("analyze-certificate-stream");
    let case = "{\"id\": \"wrong\", \"htf\": \"[broker] broker!publish\"}\n";
    let call = "analyze model.hsf - --kind accept --certificate c.json";
    sandbox.otus(call).stdin(case).assert().code(1);
    assert!(sandbox.files().contains(&"c.json".to_owned()));
    let output = sandbox.otus(call).stdin(case.repeat(2)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "otus: --certificate records one analysis; several multi-traces are given\n");
}

#[test]
fn json_is_one_document() {
    let sandbox = prepared("analyze-json");
    let output =
        sandbox.otus("analyze model.hsf cases.jsonl --kind accept --format json").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["results"].as_array().unwrap().len(), 3);
    assert_eq!(document["summary"]["pass"], 1);
    let first = &document["results"][0];
    for key in ["id", "verdict", "kind", "partition", "engine", "states", "micros", "witness"] {
        assert!(first.get(key).is_some(), "{key}");
    }
}

#[test]
fn a_question_is_called_as_it_was_asked() {
    let sandbox = prepared("analyze-names");
    sandbox.write("kind.hcf", "@analyze_option{ analysis_kind = eliminate }");
    let check = |arguments: &str, kind: &str, observed: Option<&str>, text: &str| {
        let run = |format| {
            let call = format!("analyze model.hsf run.htf {arguments} --format {format}");
            let output = sandbox.otus(&call).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let line: Value = serde_json::from_str(&run("jsonl")).unwrap();
        let document: Value = serde_json::from_str(&run("json")).unwrap();
        for answer in [&line, &document["results"][0]] {
            assert_eq!(answer["kind"], kind, "{arguments}");
            assert_eq!(answer.get("observed").and_then(Value::as_str), observed, "{arguments}");
        }
        let found = run("text");
        assert!(found.starts_with(&format!("run: Pass ({text}, discrete")), "{found}");
    };
    for engine in ["auto", "graph"] {
        for name in ["complete", "global-prefix", "prefix", "slice"] {
            let text = format!("observed {name}");
            check(&format!("--observed {name} --engine {engine}"), name, Some(name), &text);
            check(&format!("--observed {name} kind.hcf"), name, Some(name), &text);
        }
        for kind in ["accept", "prefix", "eliminate", "simulate"] {
            check(&format!("--kind {kind} --engine {engine}"), kind, None, kind);
        }
    }
    check("", "prefix", None, "prefix");
    check("kind.hcf", "eliminate", None, "eliminate");
    check("--observed slice --complete broker", "declared", None, "declared");
}

#[test]
fn the_exit_status_tells_fail_from_undecided() {
    let sandbox = prepared("analyze-exit");
    sandbox.write("wrong.htf", "[broker] broker!publish");
    let code = |arguments: &str, code: i32| {
        sandbox.otus(&format!("analyze model.hsf {arguments}")).assert().code(code);
    };
    code("run.htf", 0);
    code("wrong.htf --kind accept", 1);
    code("wrong.htf --kind accept --fail-on never", 0);
    code("run.htf --kind accept --engine graph --max-states 3", 3);
    code("run.htf --kind accept --engine graph --max-states 3 --fail-on undecided", 1);
    code("run.htf --kind accept --timeout 0", 2);
    code("run.htf --kind accept --filters [max_depth=1]", 3);
    code("cases.jsonl --kind eliminate --fail-on weak", 1);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let sandbox = prepared("analyze-faults");
    sandbox.write("pairs.htf", "[publisher, broker] publisher!publish; [subscriber]");
    let says = |arguments: &str, text: &str| {
        let output = sandbox.otus(&format!("analyze {arguments}")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(text), "{arguments}: {said}");
    };
    says("model.hsf", "no multi-trace is given");
    says("run.htf", "no specification is given");
    says("sig.hsf run.htf", "give the .hif too");
    says("model.hsf run.htf --kind acept", "did you mean `accept`?");
    says("model.hsf run.htf --strategy sideways", "known are DFS, BFS, HCS");
    says(
        "model.hsf pairs.htf --kind eliminate --engine graph",
        "every lifeline has a component of its own",
    );
    says("model.hsf cases.jsonl --graph x.dot", "--graph records one analysis");
    says("model.hsf run.htf --graph x.pdf", "--graph writes .svg, .png, .dot and .json files");
    says("model.hsf run.htf --kind accept --observed slice", "cannot be used with");
}

#[test]
fn a_search_can_be_kept() {
    let sandbox = prepared("analyze-graph");
    sandbox.otus("analyze model.hsf run.htf --graph g.dot").assert().code(0);
    assert!(sandbox.read("g.dot").starts_with("digraph search {"));
    sandbox.otus("analyze model.hsf run.htf --kind simulate --graph g.json").assert().code(0);
    let graph: Value = serde_json::from_str(&sandbox.read("g.json")).unwrap();
    let nodes = graph["nodes"].as_array().unwrap();
    assert!(nodes[0]["measure"].as_str().unwrap().starts_with("(λ,α) = "));
    assert!(nodes.iter().any(|node| node["leaf"] == "Ok"));
    assert_eq!(graph["edges"].as_array().unwrap().len(), nodes.len() - 1);
}

/// Ctrl-C ends the search, and what was found so far is reported.
#[cfg(unix)]
#[test]
fn an_interrupted_search_still_reports() {
    let sandbox = Sandbox::new("analyze-interrupt");
    // All orders of many parallel actions, none of which explains the last one.
    let actions: Vec<String> = (0..30).map(|i| format!("a{i} -- m ->|")).collect();
    let names: Vec<String> = (0..30).map(|i| format!("a{i}")).collect();
    let model = format!(
        "@message{{ m; n }} @lifeline{{ {}; z }} par({})",
        names.join("; "),
        actions.join(", ")
    );
    let logs: Vec<String> = names.iter().map(|name| format!("[{name}] {name}!m")).collect();
    sandbox.write("model.hsf", &model);
    let cases = format!(
        "{{\"id\": \"quick\", \"htf\": \"\"}}\n{{\"id\": \"run\", \"htf\": \"{{ {}; [z] z!n }}\"}}\n",
        logs.join("; ")
    );
    let others = "{\"htf\": \"{}\"}\n\n".repeat(3000);
    sandbox.write("runs.jsonl", &format!("{cases}{others}"));
    let endless =
        ["--jobs", "1", "--engine", "graph", "--kind", "prefix", "--max-states", "100000000000"];
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["analyze", "model.hsf", "runs.jsonl"])
        .args(endless)
        .current_dir(sandbox.path(""))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Once the first answer is there, so is the handler, and the endless search has begun.
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    output.read_line(&mut text).unwrap();
    assert!(text.starts_with("quick: WeakPass"), "{text}");
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    output.read_to_string(&mut text).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    assert!(text.contains("run: Inconclusive") && text.contains("it was interrupted"), "{text}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("; interrupted, 3000 not checked"), "{said}");
}

/// A search that refutes is kept only if it is closed: no rule leads out of it.
#[test]
fn a_refutation_can_be_kept() {
    let sandbox = prepared("analyze-refutation");
    sandbox.write("wrong.htf", "[broker] broker!publish");
    for kind in ["accept", "prefix", "eliminate"] {
        let call = format!("analyze model.hsf wrong.htf --kind {kind} --graph {kind}.json");
        sandbox.otus(&call).assert().code(1);
        assert!(sandbox.read(&format!("{kind}.json")).contains("\"nodes\""));
    }
}

/// The HIBOU README of 2020, section 4.3: a path that ends in LackObs makes the verdict Inconc.
#[test]
fn a_file_of_2020_is_told_what_2020_answered() {
    let sandbox = Sandbox::new("analyze-2020");
    let model = |option: &str| {
        format!(
            "@message{{ m; n }} @lifeline{{ a; b }} @analyze_option{{ {option} }} seq(a -- m -> b, b -- n -> a)"
        )
    };
    sandbox.write("old.hsf", &model("semantics = prefix; goal = Pass"));
    sandbox.write("new.hsf", &model("analysis_kind = prefix"));
    sandbox.write("lack.htf", "{[a] a!m.a!m; [b] b?m}");
    sandbox.write("out.htf", "{[a] a!n; [b] b?n}");
    sandbox.write("good.htf", "{[a] a!m; [b]}");
    let note = "the tool of 2020 answers Inconc here";
    let said = |arguments: &str, code: i32| {
        let output = sandbox.otus(&format!("analyze {arguments} --format json")).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}");
        String::from_utf8(output.stdout).unwrap().contains(note)
    };
    assert!(said("old.hsf lack.htf", 1));
    assert!(said("old.hsf lack.htf --engine graph", 1));
    assert!(!said("old.hsf out.htf", 1), "no log is over");
    assert!(!said("old.hsf good.htf", 0));
    assert!(!said("new.hsf lack.htf", 1), "a file of today");
    assert!(!said("old.hsf lack.htf --kind prefix", 1), "a question of today");
    assert!(!said("old.hsf lack.htf --legacy-verdicts", 3));
    let output = sandbox.otus("analyze old.hsf lack.htf --legacy-verdicts").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("undecided: a log is over while others cannot continue (LackObs)"));
}
