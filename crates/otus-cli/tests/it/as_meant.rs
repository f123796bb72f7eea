//! Diagrams as their authors mean them: what was found on diagrams of public repositories, and must stay so.

use crate::sandbox::Sandbox;

const FLOW: &str = "\
sequenceDiagram
  participant C as Client
  participant S as Server
  C->>S: hello
  S-->>C: welcome
";

const RULE: &str = "\
[[source.rule]]
match = '(?<d>sending|received) (?<m>\\S+)'
dir = { from = \"d\", map = { sending = \"!\", received = \"?\" } }
message = \"{m}\"
";

/// A folder with [`FLOW`] and logs of two lifelines that are called like this.
fn greeted(name: &str, client: &str, server: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("logs/client.log", "sending hello\nreceived welcome\n");
    sandbox.write("logs/server.log", "received hello\nsending welcome\n");
    let source = |file: &str, lifeline: &str| {
        format!(
            "[[source]]\nname = \"{file}\"\nfiles = [\"logs/{file}.log\"]\nformat = \"regex\"\n\
             lifeline = \"{lifeline}\"\n{RULE}"
        )
    };
    let settings = source("client", client) + &source("server", server);
    sandbox.write("otus.toml", &settings);
    sandbox
}

/// What a command writes to both streams.
fn output(sandbox: &Sandbox, line: &str, status: i32) -> String {
    let result = sandbox.otus(line).output().unwrap();
    let text = String::from_utf8_lossy(&result.stdout).into_owned()
        + &String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status.code(), Some(status), "{line}: {text}");
    text
}

#[test]
fn logs_may_call_a_lifeline_by_its_display_name() {
    for (name, client, server) in
        [("labels", "Client", "Server"), ("names", "C", "S"), ("mixed", "Client", "S")]
    {
        let sandbox = greeted(&format!("as-meant-{name}"), client, server);
        assert!(output(&sandbox, "analyze flow.mmd logs", 0).contains("4 actions"), "{name}");
        sandbox.write("logs/client.log", "received welcome\nsending hello\n");
        output(&sandbox, "analyze flow.mmd logs", 1);
    }
}

#[test]
fn a_misspelt_lifeline_of_the_logs_is_told_with_the_display_name() {
    let sandbox = greeted("as-meant-misspelt", "Clint", "Server");
    let text = output(&sandbox, "analyze flow.mmd logs", 1);
    assert!(text.contains("did you mean `Client`?"), "{text}");
}

#[test]
fn options_may_call_a_lifeline_by_its_display_name() {
    let sandbox = greeted("as-meant-options", "Client", "Server");
    sandbox.write("logs/server.log", "");
    output(&sandbox, "analyze flow.mmd logs --unobserved Server", 0);
}

#[test]
fn a_misspelt_diagram_is_told_before_anything_about_logs() {
    let sandbox = greeted("as-meant-diagram", "C", "S");
    sandbox.write("flow.mmd", &FLOW.replace("sequenceDiagram", "sequnceDiagram"));
    sandbox.write("elsewhere/other.log", "sending hello\n");
    let text = output(&sandbox, "analyze flow.mmd elsewhere", 2);
    assert!(text.contains("did you mean `sequenceDiagram`?"), "{text}");
    assert!(!text.contains("elsewhere"), "{text}");
    sandbox.write("otus.toml", "source = 1\n");
    let text = output(&sandbox, "analyze flow.mmd logs", 2);
    assert!(text.contains("did you mean `sequenceDiagram`?"), "{text}");
}

#[test]
fn mermaid_in_a_puml_file_and_the_other_way_round_are_recognised() {
    let sandbox = Sandbox::new("as-meant-language");
    sandbox.write("mermaid.puml", FLOW);
    sandbox.write("plantuml.mmd", "@startuml\nC -> S : hello\nS --> C : welcome\n@enduml\n");
    for (file, told) in [("mermaid.puml", "this is Mermaid"), ("plantuml.mmd", "this is PlantUML")]
    {
        let text = output(&sandbox, &format!("lint {file}"), 0);
        assert!(text.contains(told), "{text}");
        let text = output(&sandbox, &format!("convert {file} --to hif"), 0);
        assert!(text.contains("C -- hello -> S"), "{text}");
    }
}

#[test]
fn an_ending_counts_before_a_first_character() {
    let sandbox = Sandbox::new("as-meant-ending");
    // It begins like a multi-trace.
    sandbox.write("in.puml", "[-> A : start\nA -> B : go\n");
    let text = output(&sandbox, "convert in.puml --to hif", 0);
    assert!(text.contains("start -> A") && text.contains("A -- go -> B"), "{text}");
}

#[test]
fn an_alt_with_one_operand_may_be_skipped() {
    let sandbox = Sandbox::new("as-meant-alt");
    sandbox
        .write("a.mmd", "sequenceDiagram\n  A->>B: ask\n  alt known\n    B->>A: answer\n  end\n");
    sandbox.write("a.puml", "A -> B : ask\nalt known\nB -> A : answer\nend\n");
    sandbox.write("without.htf", "{[A] A!ask; [B] B?ask}\n");
    for diagram in ["a.mmd", "a.puml"] {
        output(&sandbox, &format!("analyze {diagram} without.htf --kind accept"), 0);
    }
}

#[test]
fn a_lost_message_that_arrives_fails() {
    let sandbox = Sandbox::new("as-meant-lost");
    sandbox.write("a.mmd", "sequenceDiagram\n  A-xB: ping\n");
    sandbox.write("a.puml", "A ->x B : ping\n");
    sandbox.write("lost.htf", "{[A] A!ping; [B]}\n");
    sandbox.write("arrived.htf", "{[A] A!ping; [B] B?ping}\n");
    for diagram in ["a.mmd", "a.puml"] {
        output(&sandbox, &format!("analyze {diagram} lost.htf --kind accept"), 0);
        output(&sandbox, &format!("analyze {diagram} arrived.htf --kind accept"), 1);
        let text = output(&sandbox, &format!("lint {diagram}"), 0);
        assert!(text.contains("sent, never received"), "{text}");
    }
}

#[test]
fn files_in_the_folder_are_included() {
    let sandbox = Sandbox::new("as-meant-include");
    sandbox
        .write("docs/flow.puml", "@startuml\n!include common/calls.iuml\n$call(A, B)\n@enduml\n");
    sandbox.write(
        "docs/common/calls.iuml",
        "!include names.iuml\n!unquoted procedure $call($from, $to)\n$from -> $to : $request\n!endprocedure\n",
    );
    sandbox.write("docs/common/names.iuml", "!$request = \"request\"\n");
    let text = output(&sandbox, "convert docs/flow.puml --to hif", 0);
    assert!(text.contains("A -- request -> B"), "{text}");
    sandbox.write("docs/out.puml", "!include ../secret.iuml\nA -> B : m\n");
    sandbox.write("secret.iuml", "A -> B : secret\n");
    let text = output(&sandbox, "lint docs/out.puml", 1);
    assert!(text.contains("outside of the folder"), "{text}");
    sandbox.write("docs/none.puml", "!include none.iuml\nA -> B : m\n");
    let text = output(&sandbox, "lint docs/none.puml", 2);
    assert!(text.contains("there is no file `none.iuml`"), "{text}");
}

#[test]
fn lint_finds_no_fault_in_what_is_only_drawn_or_free_text() {
    let sandbox = Sandbox::new("as-meant-lint");
    sandbox.write(
        "a.mmd",
        "sequenceDiagram\n  autonumber\n  loop every minute\n    A->>B: ping\n    Note over B: alive\n  end\n  \
         critical save\n    A->>B: save\n  option full\n    B-xA: full\n  end\n  A<<->>B: sync\n  A->>B:\n",
    );
    output(&sandbox, "lint a.mmd", 0);
}
