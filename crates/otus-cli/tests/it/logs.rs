//! Raw logs: from text, JSON and spans to verdicts, accounts, proposals and diagrams.

use std::path::Path;

use snapbox::str;

use crate::documented::{LOGS, SPANS};
use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";

/// Two sessions: one is whole, in the other the server answers what nobody expects.
fn sessions(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("otus.toml", LOGS);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write(
        "logs/User.log",
        "started\nalice sent login to Server\nalice received welcome from Server\nbob sent login to Server\n",
    );
    sandbox.write(
        "logs/Server.log",
        "alice received login from User\nalice sent welcome to User\nbob received login from User\n\
         bob sent goodbye to User\n",
    );
    sandbox
}

#[test]
fn a_folder_of_raw_logs_gets_a_verdict_for_each_group() {
    let sandbox = sessions("logs-analyze");
    for call in ["analyze flow.mmd logs", "analyze", "analyze logs", "analyze flow.mmd"] {
        sandbox.otus(call).assert().code(1).stdout_eq(str![[r#"
alice: Pass (prefix, discrete partition, [..] states, [..] ms)
  explained by: User!login.Server?login.Server!welcome.User?welcome
bob: Fail (prefix, discrete partition, [..] state[..], [..] ms)
  error[unknown-message]: Server sent goodbye, but the specification has no such message
   --> flow.mmd:3:3
    |
  3 |   Server-->>User: welcome
    |   ^^^^^^^^^^^^^^^^^^^^^^^ expected here: Server!welcome
    |
   ::: logs/Server.log:4:1
    |
  4 | bob sent goodbye to User
    | ------------------------ observed instead: Server!goodbye
    |
    = consumed: User 1/1, Server 1/2
    = repair: drop Server!goodbye (place 2) at logs/Server.log:4
    = core: Server fails alone, whatever the others saw
    = help: --ignore-unknown-messages leaves such messages out, as does ignore_unknown_messages = true below [observation] in otus.toml

"#]]).stderr_eq(str![[r#"
warning: the message `goodbye` is not in the specification, so its 1 action cannot be explained
checked 2 logs, 7 actions on 2 of 2 lifelines (1 line unmatched), 2 groups: 1 pass, 0 weak, 1 fail, 0 undecided in [..] ms

"#]]);
    }
}

#[test]
fn the_folder_above_is_looked_in_and_paths_are_told_from_here() {
    let sandbox = sessions("logs-above");
    let output = sandbox.otus("analyze").current_dir(sandbox.path("logs")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("::: Server.log:4:1\n"), "{text}");
    assert!(text.contains("observed instead: Server!goodbye\n"), "{text}");
}

#[test]
fn one_group_is_chosen_and_recorded() {
    let sandbox = sessions("logs-group");
    sandbox.otus("analyze --certificate why.txt").assert().code(2).stderr_eq(str![[r#"
otus: --certificate records one analysis; several groups are given; choose one by --group

"#]]);
    sandbox.otus("analyze --certificate why.txt --group bob").assert().code(1);
    assert!(sandbox.read("why.txt").contains("bob") || !sandbox.read("why.txt").is_empty());
    sandbox.otus("analyze --group carol").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
otus: no group is called `carol`; `otus map --explain` lists them

"#]]);
}

#[test]
fn json_has_the_places_and_the_account() {
    let sandbox = sessions("logs-json");
    let output = sandbox.otus("analyze --format json").output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["results"][1]["id"], "bob");
    assert_eq!(document["results"][1]["unexplained"][0]["action"], "Server!goodbye");
    assert_eq!(document["results"][1]["unexplained"][0]["file"], "logs/Server.log");
    assert_eq!(document["results"][1]["unexplained"][0]["line"], 4);
    let summary = &document["summary"];
    for (key, count) in [("logs", 2), ("lines", 8), ("unmatched", 1), ("groups", 2), ("actions", 7)]
    {
        assert_eq!(summary[key], count, "{key}");
    }
}

#[test]
fn declarations_of_the_file_count_unless_the_command_line_says_otherwise() {
    let sandbox = sessions("logs-declared");
    sandbox.write("logs/User.log", "alice sent login to Server\n");
    sandbox
        .write("logs/Server.log", "alice received login from User\nalice sent welcome to User\n");
    let verdict = |call: &str| {
        let output = sandbox.otus(call).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_whitespace().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(verdict("analyze"), "WeakPass", "a prefix by default");
    let with = |observation: &str| {
        sandbox.write("otus.toml", &format!("{LOGS}\n[observation]\n{observation}\n"));
    };
    with("complete = ['*']");
    assert_eq!(verdict("analyze"), "Fail");
    assert_eq!(verdict("analyze --may-stop-early User"), "WeakPass");
    assert_eq!(verdict("analyze --observed prefix"), "WeakPass");
    with("may_stop_early = ['Us*']");
    assert_eq!(verdict("analyze"), "WeakPass");
    assert_eq!(verdict("analyze --complete User"), "Fail");
    with("unobserved = ['User']");
    assert_eq!(verdict("analyze"), "Pass", "nothing of the others is missing");
}

#[test]
fn every_line_is_accounted_for() {
    let sandbox = sessions("logs-map");
    sandbox
        .otus("map --explain")
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
log                read as  lines  matched  ignored  blank  unmatched  events
  logs/Server.log  regex        4        4        0      0          0       4
  logs/User.log    regex        4        3        0      0          1       3
  all                           8        7        0      0          1       7

rule                           lines  first
  app   rule 1 (otus.toml:10)      7  logs/Server.log:1

1 line that no rule takes, of 1 shape
       1 × started
           logs/User.log:1: started

lifeline    sends  receives  others  first
  Server        2         2       0  logs/Server.log:1
  User          2         1       0  logs/User.log:2

message    sent  received
  login       2         2
  welcome     1         1
  goodbye     1         0

2 groups, the largest with 4 events
  alice: 4 events
  bob: 3 events

3 receptions with their emission
1 message sent, and never received
       1 × Server!goodbye to User, first at logs/Server.log:4

beside flow.mmd
  only the logs have the message goodbye (1 action)

"#]])
        .stderr_eq(str![[r#"
mapped 2 logs, 8 lines (7 matched, 0 ignored, 0 blank, 1 unmatched): 7 actions, 2 groups in [..] ms

"#]]);
    sandbox.otus("map --strict").assert().code(1);
    let output = sandbox.otus("map --format json").output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["records"]["all"], 8);
    assert_eq!(document["unmatched"]["shapes"][0]["shape"], "started");
    assert_eq!(document["specification"]["only_in_logs"]["messages"][0], "goodbye");
}

#[test]
fn what_was_understood_is_written_and_read_again() {
    let sandbox = sessions("logs-write");
    // Multi-traces have declared messages only.
    sandbox.write("flow.mmd", &format!("{FLOW}  opt\n    Server-->>User: goodbye\n  end\n"));
    for target in ["events.jsonl", "all.cases.jsonl", "runs/"] {
        sandbox.otus(&format!("map --write {target}")).assert().code(0);
        let name = target.trim_end_matches('/');
        let output = sandbox.otus(&format!("analyze flow.mmd {name}")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("alice: Pass") && text.contains("bob: Fail"), "{target}: {text}");
    }
    sandbox.otus("map --write one.htf").assert().code(2).stderr_eq(str![[r#"
otus: there are several groups, and one.htf takes one; choose it by --group

"#]]);
    sandbox.otus("map --write one.htf --group alice").assert().code(0);
    sandbox.otus("map --write one.pot.json --group alice").assert().code(0);
    let checked =
        sandbox.otus("ctl one.pot.json").arg("AF(User.state = welcome)").output().unwrap();
    assert_eq!(checked.status.code(), Some(0));
    sandbox.otus("map --write one.txt").assert().code(2);
    sandbox.otus("map --write events.jsonl").assert().code(2).stderr_eq(str![[r#"
otus: events.jsonl exists; --force overwrites it

"#]]);
}

#[test]
fn formulas_are_about_one_group_of_raw_logs() {
    let sandbox = sessions("logs-ctl");
    sandbox.otus("ctl --group alice --no-witness").assert().code(0).stdout_eq(str![[r#"
welcome: AF(User.state = welcome)
  holds: sooner or later in every order (AF)
  auto engine, [..]

"#]]).stderr_eq(str![[r#"
checked 1 formula over group alice of 2 logs (1 line unmatched), 2 processes, 4 events, 2 edges: 1 hold, 0 fail, 0 undecided in [..] ms

"#]]);
    sandbox.otus("ctl logs").arg("EF(User.state = welcome)").assert().code(2).stderr_eq(str![[
        r#"
otus: formulas are about one group, and there are 2: alice, bob; choose one by --group KEY

"#
    ]]);
    sandbox.otus("ctl --group carol").assert().code(2);
    sandbox.otus("ctl --group bob --no-witness").arg("AF(User.state = welcome)").assert().code(1);
}

#[test]
fn the_diagram_of_what_was_observed_accepts_it() {
    let sandbox = sessions("logs-learn");
    sandbox.otus("learn").assert().code(0).stdout_eq(str![[r#"
sequenceDiagram
    participant [..]
    participant [..]
...
    User->>Server: login
...
"#]]);
    for name in ["learnt.mmd", "learnt.puml", "learnt.hif"] {
        sandbox.otus(&format!("learn -o {name}")).assert().code(0);
        let spec = if name == "learnt.hif" { "learnt.hsf learnt.hif" } else { name };
        let call = format!("analyze {spec} logs --observed complete");
        let output = sandbox.otus(&call).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
    }
    sandbox.otus("learn -o learnt.svg").assert().code(0);
    sandbox.otus("learn -o learnt.txt").assert().code(2);
    sandbox.otus("learn flow.mmd").assert().code(2);
    // Multi-traces of any kind are runs as well.
    sandbox.write("runs/one.htf", "{[a] a!m; [b] b?m}\n");
    sandbox.write("runs/two.jsonl", "{\"id\": \"2\", \"htf\": \"{[a] a!m.a?n; [b] b?m.b!n}\"}\n");
    sandbox.otus("learn runs --to hif").assert().code(0).stderr_eq(str![[r#"
learnt from 2 runs (2 different), 6 actions

"#]]);
    let piped = sandbox.otus("learn -").stdin("{[a] a!m; [b] b?m}");
    piped.assert().code(0).stderr_eq("learnt from 1 run (1 different), 2 actions\n");
}

#[test]
fn spans_need_no_otus_toml() {
    let sandbox = Sandbox::new("logs-spans");
    sandbox.write("run.otlp.jsonl", SPANS);
    let spec = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: login reply\n";
    sandbox.write("flow.mmd", spec);
    let checked = sandbox.otus("analyze flow.mmd run.otlp.jsonl --observed complete");
    checked.assert().code(0).stderr_eq(str![[r#"
checked 1 log, 4 actions on 2 of 2 lifelines (0 lines unmatched), 1 group: 1 pass, 0 weak, 0 fail, 0 undecided in [..] ms

"#]]);
    let piped = sandbox.otus("analyze flow.mmd - --observed complete").stdin(SPANS);
    piped.assert().code(0);
    sandbox.write("hosts.log", "a {\"a\":1}\nstarts\nb {\"b\":1}\nstarts\n");
    sandbox.otus("map hosts.log").assert().code(0);
}

/// The four services, once with a header that is lost.
#[test]
fn lost_context_names_the_services_and_the_header() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/otel");
    let broken = samples.join("broken_propagation");
    if !broken.is_dir() {
        println!("the samples are not here; skipped");
        return;
    }
    let sandbox = Sandbox::new("logs-lost");
    let output = sandbox.otus("map").arg(&broken).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for words in ["`frontend` calls `orders`", "`traceparent`", "`orders` calls `payments`"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn lines_about_state_become_variables_and_properties() {
    let sandbox = Sandbox::new("logs-init-state");
    for (member, term) in [("n1", 1), ("n2", 2)] {
        sandbox.write(
            &format!("raft/{member}.log"),
            &format!(
                "boot 17\n{member} became follower at term 0\n{member} became leader at term {term}\n\
                 12:00 state=idle -> busy\napplied index={term} commit=0\n"
            ),
        );
    }
    sandbox.write(
        "json/a.json",
        "{\"node\":\"a\",\"state\":\"open\",\"version\":3}\n{\"node\":\"a\",\"state\":\"shut\",\"version\":4}\n",
    );
    for folder in ["raft", "json"] {
        sandbox.otus(&format!("init {folder}")).assert().code(0);
    }
    let text = sandbox.read("raft/otus.toml");
    for line in [
        r"match = '\b(?:became|becomes|becoming)\s+(?:an?\s+|the\s+)?(?<role>\w+)\b.*?\bterm[\s:=]+(?<term>\d+)'",
        r#"set = { role = "{role}", term = "{term}" }"#,
        r#"set = { state = "{state}" }"#,
        r#"set = { index = "{index}", commit = "{commit}" }"#,
        r#"one_leader_per_term = "at_most_one(member, role = leader, per term)""#,
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // The proposal is used at once: formulas read the variables, and its property holds.
    sandbox.otus("ctl raft").assert().code(0);
    let command = sandbox.otus("ctl raft");
    command.arg("AF(n1.role = leader & n1.state = busy & n2.index = 2)").assert().code(0);
    let command = sandbox.otus("ctl json");
    command.arg("AF(a.state = shut & a.version = 4)").assert().code(0);
}

#[test]
fn a_proposal_can_be_used_at_once() {
    let sandbox = Sandbox::new("logs-init");
    sandbox
        .write("text/server.log", "boot 17\nReceived PING from client\nSending PONG to client\n");
    sandbox.write("text/client.log", "client sending PING\nclient received PONG\n");
    sandbox.write(
        "json/a.json",
        "{\"node\":\"a\",\"dir\":\"send\",\"type\":\"PING\",\"to\":\"b\",\"trace_id\":\"1\"}\n",
    );
    sandbox.write("csv/x.csv", "host;dir;message\na;sent;PING\nb;received;PING\n");
    sandbox.write("other/x.log", "nothing of interest\nit's \"quoted\" \\ here\n");
    sandbox.write("spans/x.otlp.jsonl", SPANS);
    sandbox.write("odd/a b/{x}/it's*.log", "sent PING\n\u{7f}\u{1} \u{1f600}\n");
    for (folder, matched) in
        [("text", 4), ("json", 1), ("csv", 2), ("other", 2), ("spans", 2), ("odd", 1)]
    {
        sandbox.otus(&format!("init {folder}")).assert().code(0);
        let output =
            sandbox.otus(&format!("map {folder} --explain --format json")).output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{folder}: {error}: {output:?}"));
        assert_eq!(document["records"]["matched"], matched, "{folder}: {document:#}");
        sandbox
            .otus(&format!("init {folder}"))
            .assert()
            .code(2)
            .stderr_eq(format!("otus: {folder}/otus.toml exists; --force overwrites it\n"));
    }
    // What is proposed as a comment can be read as well.
    let text = sandbox.read("text/otus.toml");
    let prose = ["# How", "# `otus", "# What"];
    let lines = text.lines().filter(|line| !prose.iter().any(|start| line.starts_with(start)));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    let uncommented = lines.join("\n");
    let uncommented = uncommented.replace("group = \"{peer}\"", "").replace("spec = ", "# ");
    sandbox.write("text/otus.toml", &uncommented);
    sandbox.otus("map text").assert().code(0);
}

#[test]
fn a_proposal_has_the_names_of_a_specification() {
    let sandbox = Sandbox::new("logs-init-spec");
    sandbox.write("flow.mmd", "sequenceDiagram\n  Client->>Server: Ping\n  Server->>DB: Query\n");
    sandbox.write("raw/server1.log", "Received PING from client\n");
    sandbox.write("raw/client.log", "client sending PING\n");
    sandbox.otus("init raw --spec flow.mmd").assert().code(0);
    let text = sandbox.read("raw/otus.toml");
    for line in [
        "spec = \"../flow.mmd\"",
        "\"server1\" = \"Server\"",
        "\"client\" = \"Client\"",
        "\"PING\" = \"Ping\"",
        "# unobserved = [\"DB\"]   # no log is called so",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let output =
        sandbox.otus("analyze raw --unobserved DB --may-stop-early Server").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn wrong_input_is_told_with_a_way_out() {
    let sandbox = Sandbox::new("logs-wrong");
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("some/a.log", "hello\n");
    std::fs::create_dir_all(sandbox.path("empty")).unwrap();
    let check = |call: &str, said: &str| {
        let output = sandbox.otus(call).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{call}: {error}");
        assert!(error.contains(said), "{call}: {error}");
    };
    check("analyze flow.mmd some/a.log", "there is no otus.toml that says how to read it");
    check("analyze flow.mmd some", "`otus init some` proposes one");
    check("analyze flow.mmd empty", "the folder empty has no file to work on");
    check("analyze flow.mmd", "no multi-trace is given");
    check("analyze", "no specification is given");
    check("map", "there is no log and no otus.toml here or above");
    check("map nowhere", "there is no file nowhere");
    check("map some/a.log --config nowhere.toml", "there is no file nowhere.toml");
    check("map --config some", "some is a folder; --config takes the file");
    check("init nowhere", "there is no folder nowhere");
    check("init some/a.log", "takes the folder it is in");
    check("init empty", "has no file that looks like a log");
    check("learn", "there is no log and no otus.toml");
    check("ctl", "no trace is given");
    check("analyze flow.mmd some/a.log --group x", "there is no otus.toml");
    check("ctl empty x=1", "the folder empty has no log");
    check("ctl some/a.log x=1", "there is no otus.toml that says how to read it");
    // A specification may be called like a log.
    sandbox.write("spec.txt", FLOW);
    sandbox.otus("analyze spec.txt -").stdin("{[User] User!login}").assert().code(0);
    sandbox.write("some/otus.toml", "[[source]]\nfiles = ['a.log']\nformat = 'regex'\nlifeline = 'User'\n[[source.rule]]\nmatch = 'sent ('\nemit = ['!x']\n");
    check("analyze flow.mmd some", "O1004");
    sandbox.write("some/otus.toml", "spec = 3\nsauce = 1\n");
    check("map some", "`spec` is a text or a list of texts");
    check("map some", "did you mean `source`?");
    sandbox.write("some/otus.toml", "[[source]]\nfiles = ['b*.log']\nformat = 'regex'\nlifeline = 'User'\n[[source.rule]]\nmatch = 'x'\nemit = ['!x']\n");
    check("map some", "no file fits the sources of some/otus.toml, which have b*.log");
    check("map some/a.log", "some/a.log is in no source of some/otus.toml");
    // Nothing matches at all: undecided, and a failure if that is wanted.
    sandbox.write("some/otus.toml", "[[source]]\nfiles = ['*.log']\nformat = 'regex'\nlifeline = 'User'\n[[source.rule]]\nmatch = 'x'\nemit = ['!x']\n");
    let output = sandbox.otus("analyze flow.mmd some").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(
        error.contains("nothing was checked") && error.contains("otus map --explain"),
        "{error}"
    );
    sandbox.otus("analyze flow.mmd some --strict").assert().code(1);
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_read_is_an_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sessions("logs-unreadable");
    let secret = sandbox.path("logs/User.log");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&secret).is_ok() {
        println!("this user may read everything; skipped");
        return;
    }
    let output = sandbox.otus("analyze").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("O1102") && error.contains("logs/User.log"), "{error}");
}

#[test]
fn schemas_are_json() {
    let sandbox = Sandbox::new("logs-schema");
    for what in ["mapping", "trace"] {
        let output = sandbox.otus(&format!("schema {what}")).output().unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(schema.is_object(), "{what}");
        if what == "mapping" {
            assert!(schema["properties"]["spec"].is_object());
        }
    }
    sandbox.otus("schema nothing").assert().code(2);
}
