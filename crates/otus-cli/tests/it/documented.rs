//! Every command line that we print works: those of `--help`, of the README and of `docs/`.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::examples;
use crate::sandbox::{MODEL, SIGNATURE, Sandbox, TRACE};

/// The first trace of `docs/ctl.md`: two processes that are never critical at the same time.
pub(crate) fn order() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ctl.md");
    let text = std::fs::read_to_string(page).unwrap();
    let fence = text.split("```pot\n").nth(1).unwrap();
    fence.split("```").next().unwrap().to_owned()
}

/// How the raw logs of our examples are read.
pub(crate) const LOGS: &str = r#"spec = "flow.mmd"

[[source]]
name = "app"
files = ["logs/*.log"]
format = "regex"
lifeline = "{file.stem}"
group = "{who}"

[[source.rule]]
match = '(?<who>\w+) (?<dir>sent|received) (?<message>\w+) (?:to|from) (?<peer>\w+)'
dir = "{dir}"
message = "{message}"
peer = "{peer}"
set = { state = "{message}" }

[properties]
welcome = "AF(User.state = welcome)"

[[test]]
name = "login"
group = "alice"
expect = "Pass"
"#;

/// Two leaders of one term, one after the other.
pub(crate) const ELECTION: &str = r#"{"processes": [
  {"name": "n1", "events": [{"set": {"n1.role": "leader", "n1.term": 1}}, {"set": {"n1.role": "follower"}}]},
  {"name": "n2", "events": [{"set": {"n2.role": "leader", "n2.term": 1}}]}],
 "edges": [[["n1", 2], ["n2", 1]]]}"#;

/// A call, as two services export it.
pub(crate) const SPANS: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"User"}}]},"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"login","kind":3,"startTimeUnixNano":"1000","endTimeUnixNano":"9000"}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"Server"}}]},"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b175","parentSpanId":"eee19b7ec3c1b174","name":"login","kind":2,"startTimeUnixNano":"3000","endTimeUnixNano":"5000"}]}]}]}
"#;

/// A result of an analysis.
const RESULT: &str = "{\"id\":\"one\",\"verdict\":\"Pass\",\"kind\":\"prefix\"}\n";

/// A folder with all the files that our examples speak of.
fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    let mermaid = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";
    let document = format!("# The protocol\n\n## Login\n\n```mermaid\n{mermaid}```\n");
    let files = [
        ("sig.hsf", SIGNATURE),
        ("model.hif", MODEL),
        ("spec/model.hif", MODEL),
        ("trace.htf", TRACE),
        ("run.htf", TRACE),
        ("run1.htf", TRACE),
        ("runs/one.htf", TRACE),
        ("run2.htf", TRACE),
        ("model.hsf", &format!("{SIGNATURE}{MODEL}")),
        (
            "conf.hcf",
            "@analyze_option{ strategy = BFS }\n@explore_option{ filters = [max_depth = 3] }\n",
        ),
        (
            "runs.jsonl",
            "{\"id\": \"one\", \"htf\": \"[User] User!login; [Server] Server?login\"}\n",
        ),
        ("run.pot.json", &order()),
        ("election.pot.json", ELECTION),
        ("props.ctl", "safe: AG(x < 3)\nmutex(p.critical, q.critical)\n"),
        ("formula.cnf", "p cnf 2 2\n1 -2 0\n2 0\n"),
        ("flow.mmd", mermaid),
        ("flow.puml", "@startuml\nUser -> Server : login\n@enduml\n"),
        ("docs/checkout.md", &document),
        ("docs/protocol.md", &document),
        ("otus.toml", LOGS),
        (
            "logs/User.log",
            "started\nalice sent login to Server\nalice received welcome from Server\n",
        ),
        (
            "logs/Server.log",
            "alice received login from User\nalice sent welcome to User\nbob received login from User\n",
        ),
        ("raw/Server.log", "Received login from User\nSending welcome to User\n"),
        ("raw/User.log", "User sending login\nUser received welcome\n"),
        ("spans.otlp.jsonl", SPANS),
        ("results/one.jsonl", RESULT),
        ("night/one.jsonl", RESULT),
        ("monday.jsonl", RESULT),
        ("tuesday.jsonl", RESULT),
        // Where the examples install things.
        (".local/share/bash-completion/completions/x", ""),
        (".zfunc/x", ""),
        (".config/fish/completions/x", ""),
        ("bin/man", "#!/bin/sh\ncat > /dev/null\n"),
    ];
    for (name, text) in files {
        sandbox.write(name, text);
    }
    #[cfg(feature = "parquet")]
    crate::tables::example(&sandbox);
    sandbox.with_repository();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("bin/man"), executable).unwrap();
    sandbox
}

/// The command at the start of a line that goes on with an explanation after two spaces.
fn command(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("$ ");
    // `zsh  > file` is aligned, not explained.
    let end = line
        .match_indices("  ")
        .map(|(at, _)| at)
        .find(|&at| !line[at..].trim_start().starts_with(['>', '|']));
    let command = line[..end.unwrap_or(line.len())].split(" #").next()?.trim();
    let runs = command.starts_with("otus ") || command.contains("| otus ");
    // What stands for something else is in capitals or dots.
    let template = |word: &str| {
        word.contains('…') || (word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()))
    };
    // `otus fmt` alone names the command and calls nothing.
    let named = command.split(' ').count() == 2 && command != "otus demo" && command != "otus man";
    (runs && !named && !command.split(' ').any(template)).then_some(command)
}

#[test]
fn commands_are_told_from_what_explains_them() {
    assert_eq!(
        command("  otus fmt - < model.hif            to stdout"),
        Some("otus fmt - < model.hif")
    );
    assert_eq!(command("otus completions zsh  > ~/x"), Some("otus completions zsh  > ~/x"));
    assert_eq!(command("    $ otus lint a.hif # why"), Some("otus lint a.hif"));
    assert_eq!(command("otus lint FILE…"), None);
    assert_eq!(command("Otus checks"), None);
}

/// Runs a command. A watch and a studio have no end, so they get one, and what a watch finds in a moment does not matter.
fn run(sandbox: &Sandbox, line: &str) {
    if line.contains("otus watch") {
        let line = line.replace("--for 60s ", "").replace("otus watch", "otus watch --for 200ms");
        sandbox.shell(&format!("{line}; test $? -ne 2"));
    } else {
        let line = line.replace("--for 60 ", "").replace("otus studio", "otus studio --for 0");
        sandbox.shell(&line);
    }
}

#[test]
fn examples_of_the_help_work() {
    let calls = [
        "",
        "analyze",
        "ctl",
        "explore",
        "draw",
        "map",
        "init",
        "learn",
        "generate",
        "demo",
        "fmt",
        "lint",
        "lsp",
        "convert",
        "slice",
        "mutate",
        "project",
        "remove",
        "test",
        "watch",
        "studio",
        "explain",
        "schema",
        "completions",
        "man",
    ];
    let mut count = 0;
    for call in calls {
        let sandbox = prepared("documented-help");
        let help = sandbox.otus(&format!("{call} --help")).output().unwrap().stdout;
        let help = String::from_utf8(help).unwrap();
        let examples = help.split("Examples:").nth(1).unwrap_or("");
        for line in examples.lines().filter_map(command) {
            run(&sandbox, line);
            count += 1;
        }
    }
    assert!(count >= 20, "{count} examples were found");
}

#[test]
fn commands_of_the_readme_and_the_docs_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = vec![root.join("README.md")];
    if let Ok(docs) = std::fs::read_dir(root.join("docs")) {
        texts.extend(docs.map(|entry| entry.unwrap().path()));
    }
    texts.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    texts.sort();
    let mut count = 0;
    for path in texts {
        // What stands in fences of `console` is run by `book`, with the files that it is about.
        let text = without_console(&std::fs::read_to_string(&path).unwrap());
        // Each page starts afresh: its commands may write the same files as those of another.
        let sandbox = prepared("documented-pages");
        let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let blocks = text.lines().filter(|line| !line.contains('`'));
        for line in spans.chain(blocks).filter_map(command) {
            println!("{}: {line}", path.display());
            run(&sandbox, line);
            count += 1;
        }
    }
    assert!(count >= 1, "the README has commands");
}

fn without_console(text: &str) -> String {
    let parts = examples::parts(text).into_iter().map(|part| match part {
        examples::Part::Text(lines) => lines,
        examples::Part::Command { .. } => "",
    });
    parts.collect()
}
