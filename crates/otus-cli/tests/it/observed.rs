//! What logs know beyond messages: peers, who was observed at all, and where observation began.

use crate::sandbox::Sandbox;

/// The output, the errors and the exit status of a call.
fn run(sandbox: &Sandbox, arguments: &str) -> (String, String, i32) {
    let output = sandbox.otus(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// Checks the exit status of a call, and texts that its output or its errors contain.
#[track_caller]
fn check(sandbox: &Sandbox, arguments: &str, status: i32, texts: &[&str]) {
    let (out, err, code) = run(sandbox, arguments);
    assert_eq!(code, status, "{arguments}\n{out}\n{err}");
    for text in texts {
        assert!(out.contains(text) || err.contains(text), "{arguments}: {text}\n{out}\n{err}");
    }
}

/// A log in which each line names who acts: `server sends welcome to Bob`.
const SETTINGS: &str = r#"
[[source]]
files = ["*.log"]
format = "regex"
lifeline = "{who}"
clock = "{who}"
[[source.rule]]
match = '^(?<who>\w+) (?<d>sends|receives) (?<what>\w+)(?: (?:to|from) (?<peer>\w+))?$'
dir = { from = "d", map = { sends = "!", receives = "?" } }
message = "{what}"
peer = "{peer}"
"#;

fn sandbox(name: &str, diagram: &str, log: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", &format!("sequenceDiagram\n{diagram}"));
    sandbox.write("otus.toml", SETTINGS);
    sandbox.write("run.log", log);
    sandbox
}

#[test]
fn a_message_to_bob_is_no_message_to_alice() {
    let diagram = "  participant server\n  participant Alice\n  participant Bob\n  server-->>Alice: welcome\n";
    let wrong = "server sends welcome to Bob\nAlice receives welcome\n";
    let one = sandbox("peer-wrong", diagram, wrong);
    let headline = "server sent welcome to Bob, but the specification has it only to Alice";
    check(&one, "analyze flow.mmd run.log", 1, &["wrong-peer", headline]);
    check(&one, "analyze flow.mmd run.log --ignore-peers", 0, &["Pass"]);
    check(&one, "explain wrong-peer", 0, &["--ignore-peers"]);
    let right = "server sends welcome to Alice\nAlice receives welcome from server\n";
    check(&sandbox("peer-right", diagram, right), "analyze flow.mmd run.log", 0, &["Pass"]);
    // Carol is no lifeline, so she is part of the environment.
    let stranger = "server sends welcome to Carol\nAlice receives welcome\n";
    let outside = "server sent welcome to somebody outside of the specification";
    check(&sandbox("peer-out", diagram, stranger), "analyze flow.mmd run.log", 1, &[outside]);
}

#[test]
fn the_order_of_receivers_is_compared() {
    let diagram = "  server->>Alice: welcome\n  server->>Bob: welcome\n";
    let log = |first: &str, second: &str| {
        format!(
            "server sends welcome{first}\nserver sends welcome{second}\n\
             Alice receives welcome\nBob receives welcome\n"
        )
    };
    let pass = |name: &str, first, second| {
        let log = log(first, second);
        check(&sandbox(name, diagram, &log), "analyze flow.mmd run.log --coverage", 0, &["Pass"]);
    };
    pass("peers-both", " to Alice", " to Bob");
    pass("peers-none", "", "");
    pass("peers-first", " to Alice", "");
    pass("peers-second", "", " to Bob");
    let swapped = sandbox("peers-swapped", diagram, &log(" to Bob", " to Alice"));
    let text = "server sent welcome to Bob too early: it should send welcome to Alice first";
    check(&swapped, "analyze flow.mmd run.log", 1, &[text]);
    check(&swapped, "analyze flow.mmd run.log --report html=page.html", 1, &[text]);
    check(&swapped, "analyze flow.mmd run.log --certificate why.json", 1, &[text]);
}

#[test]
fn logs_of_strangers_are_no_success() {
    let strangers = sandbox("nothing-observed", "  a->>b: m\n", "x sends m\ny receives m\n");
    let texts =
        ["Inconclusive", "nothing was observed", "on 0 of 2 lifelines", "nothing was checked"];
    check(&strangers, "analyze flow.mmd run.log", 3, &texts);
    check(&strangers, "analyze flow.mmd run.log --allow-empty", 0, &["WeakPass"]);
    check(&strangers, "analyze flow.mmd run.log --strict", 1, &[]);
    let unread = sandbox("no-rule", "  a->>b: m\n", "nothing that a rule knows\n");
    check(&unread, "analyze flow.mmd run.log", 3, &["nothing was checked"]);
    check(&unread, "analyze flow.mmd run.log --allow-empty", 0, &[]);
}

#[test]
fn a_lifeline_that_no_log_has_is_unobserved() {
    let diagram = "  a->>b: m\n  b->>c: n\n  c->>a: o\n";
    let some = sandbox("silent", diagram, "a sends m\na receives o\nb receives m\nb sends n\n");
    let warning = "no log has an event of `c`, so it counts as unobserved; --unobserved c says";
    check(&some, "analyze flow.mmd run.log", 0, &["WeakPass", warning, "on 2 of 3 lifelines"]);
    check(&some, "analyze flow.mmd run.log --unobserved c", 0, &["Pass (declared"]);
    check(&some, "analyze flow.mmd run.log --complete c", 1, &["--unobserved c makes"]);
    // What is seen must fit.
    let wrong = sandbox("silent-wrong", diagram, "a receives o\na sends m\nb receives m\n");
    check(&wrong, "analyze flow.mmd run.log", 1, &["Fail"]);
}

#[test]
fn the_help_says_which_declaration_would_do() {
    let diagram = "  a->>b: hello\n  b->>a: ready\n  a->>b: go\n";
    let late = "a sends hello\na receives ready\na sends go\nb sends ready\nb receives go\n";
    let text =
        "if this log begins in the middle of a run, --may-start-late b makes this a WeakPass";
    let late = sandbox("starts-late", diagram, late);
    check(&late, "analyze flow.mmd run.log", 1, &[text]);
    check(&late, "analyze flow.mmd run.log --may-start-late b", 0, &["WeakPass"]);
}

#[test]
fn messages_that_the_diagram_does_not_mention_can_be_left_out() {
    let log = "a sends ping\na sends m\nb receives ping\nb receives m\n";
    let one = sandbox("unknown-messages", "  a->>b: m\n", log);
    check(&one, "analyze flow.mmd run.log", 1, &["unknown-message"]);
    check(&one, "analyze flow.mmd run.log --ignore-unknown-messages", 0, &["Pass", "2 actions"]);
    check(&one, "explain unknown-message", 0, &["--ignore-unknown-messages"]);
}

#[test]
fn the_line_that_is_expected_is_shown_and_not_one_that_is_over() {
    let diagram = "  a->>b: m\n  b->>a: r\n  a->>b: m\n  b->>a: r\n  a->>b: end\n  b->>a: s\n";
    let start = "a sends m\na receives r\na sends m\nb receives m\nb sends r\nb receives m\n";
    let one = sandbox("line-next", diagram, &format!("{start}b sends s\n"));
    check(&one, "analyze flow.mmd run.log", 1, &["--> flow.mmd:5:3", "expected here: b!r"]);
    // What waits for others is the next one, too.
    let log = format!("{start}b sends s\na receives s\n");
    let one = sandbox("line-waits", diagram, &log);
    check(&one, "analyze flow.mmd run.log", 1, &["--> flow.mmd:5:7", "expected here: a?r"]);
}

#[test]
fn the_switches_stand_in_otus_toml_as_well() {
    let set = |sandbox: &Sandbox, key: &str| {
        sandbox.write("otus.toml", &format!("{SETTINGS}[observation]\n{key} = true\n"));
    };
    let analyze = "analyze flow.mmd run.log";
    let log = "a sends ping\na sends m\nb receives ping\nb receives m\n";
    let one = sandbox("switch-messages", "  a->>b: m\n", log);
    let key = "ignore_unknown_messages";
    check(&one, "explain unknown-message", 0, &[key, "[observation]"]);
    check(&one, analyze, 1, &["unknown-message", key]);
    set(&one, key);
    check(&one, analyze, 0, &["Pass", "2 actions"]);
    // The command line wins.
    check(&one, &format!("{analyze} --ignore-unknown-messages=false"), 1, &["unknown-message"]);

    let log = "a sends m to c\nb receives m\n";
    let one = sandbox("switch-peers", "  participant c\n  a->>b: m\n", log);
    check(&one, analyze, 1, &["wrong-peer", "ignore_peers"]);
    set(&one, "ignore_peers");
    check(&one, analyze, 0, &["Pass"]);
    check(&one, &format!("{analyze} --ignore-peers=false"), 1, &["wrong-peer"]);

    let one = sandbox("switch-empty", "  a->>b: m\n", "x sends m\n");
    check(&one, analyze, 3, &["nothing was observed"]);
    set(&one, "allow_empty");
    check(&one, analyze, 0, &["WeakPass"]);
    check(&one, &format!("{analyze} --allow-empty=false"), 3, &["nothing was observed"]);

    let one = sandbox("switch-kind", "  a->>b: m\n", log);
    one.write("otus.toml", &format!("{SETTINGS}[observation]\nignore_order = 'yes'\n"));
    check(&one, analyze, 2, &["`true` or `false`"]);
}

/// What is learnt from a log, without the names and the directives.
#[track_caller]
fn learns(sandbox: &Sandbox, options: &str, expected: &[&str]) {
    let (out, err, code) = run(sandbox, &format!("learn run.log {options}"));
    assert_eq!(code, 0, "{err}");
    let is_message = |line: &&str| line.contains(": ") && !line.contains("%%");
    let messages: Vec<&str> = out.lines().map(str::trim).filter(is_message).collect();
    assert_eq!(messages, expected, "{out}\n{err}");
}

#[test]
fn the_log_of_one_machine_names_its_peers() {
    let log = "a sends ask to b\na receives answer from b\na sends done\n";
    let one = sandbox("learn-one-machine", "", log);
    learns(&one, "", &["a->>b: ask", "b->>a: answer", "a->>env: done"]);
    check(&one, "learn run.log", 0, &["no log is of b"]);
    learns(&one, "--ignore-peers", &["a->>env: ask", "env->>a: answer", "a->>env: done"]);
    for name in ["learnt.mmd", "learnt.puml", "learnt.hif"] {
        check(&one, &format!("learn run.log -o {name}"), 0, &[]);
        let spec = if name == "learnt.hif" { "learnt.hsf learnt.hif" } else { name };
        check(&one, &format!("analyze {spec} run.log"), 0, &["WeakPass", "unobserved"]);
        check(&one, &format!("analyze {spec} run.log --unobserved b"), 0, &["Pass (declared"]);
    }
    // What the log does not say is still wrong.
    one.write("run.log", "a receives answer from b\na sends ask to b\na sends done\n");
    check(&one, "analyze learnt.mmd run.log", 1, &["Fail"]);
    // An address is no name.
    one.write("run.log", "a sends ask to localhost\n");
    learns(&one, "", &["a->>env: ask"]);
}

#[test]
fn a_message_that_an_observed_peer_did_not_receive_is_lost() {
    let log =
        "a sends ask to b\nb sends other to a\na receives other from b\na receives late from b\n";
    let one = sandbox("learn-lost", "", log);
    learns(&one, "", &["a-xb: ask", "b->>a: other", "env->>a: late"]);
    let texts =
        ["a!ask has no reception (once): drawn as lost on its way to b", "b did not send it"];
    check(&one, "learn run.log", 0, &texts);
    for name in ["learnt.mmd", "learnt.puml", "learnt.svg"] {
        check(&one, &format!("learn run.log -o {name}"), 0, &[]);
        if name != "learnt.svg" {
            check(&one, &format!("analyze {name} run.log"), 0, &["Pass"]);
        }
    }
}

#[test]
fn what_is_learnt_respects_peers() {
    // By its name alone, the message would go to Alice.
    let log = "server sends welcome to Bob\nAlice receives welcome\nBob sends x to Alice\n";
    let one = sandbox("learn-peers", "", log);
    learns(&one, "", &["server-xBob: welcome", "env->>Alice: welcome", "Bob-xAlice: x"]);
    let log = "server sends welcome to Alice\nserver sends welcome to Bob\n\
               Bob receives welcome\nAlice receives welcome\n";
    let two = sandbox("learn-receivers", "", log);
    learns(&two, "", &["server->>Alice: welcome", "server->>Bob: welcome"]);
    for one in [one, two] {
        check(&one, "learn run.log -o learnt.mmd", 0, &[]);
        check(&one, "analyze learnt.mmd run.log", 0, &["Pass"]);
    }
}

#[test]
fn the_order_that_ids_tell_is_a_fact() {
    let settings = SETTINGS.replace(
        "(?: (?:to|from) (?<peer>\\w+))?$'",
        "(?: (?:to|from) (?<peer>\\w+))?(?: #(?<id>\\w+))?$'",
    ) + "id = \"{id}\"\n";
    // Each message is received before it is sent, if the ids are right.
    let log = "a receives y #2\na sends x #1\nb receives x #1\nb sends y #2\n";
    let sandbox = sandbox("order-ids", "  a->>b: x\n", log);
    sandbox.write("otus.toml", &settings);
    let ends = "par(a -- x ->|, x -> b, b -- y ->|, y -> a)";
    sandbox.write("ends.hif", &format!("@lifeline{{a;b}} @message{{x;y}} {ends}"));
    check(&sandbox, "analyze ends.hif run.log", 1, &["wrong-order"]);
    check(&sandbox, "analyze ends.hif run.log --ignore-order", 0, &["Pass"]);
    sandbox.write("run.log", &log.replace("receives y #2", "receives y"));
    check(&sandbox, "analyze ends.hif run.log", 0, &["Pass"]);
}

/// A log with vector clocks, as ShiViz reads it.
#[test]
fn a_causal_edge_of_vector_clocks_is_a_fact() {
    let sandbox = Sandbox::new("order-clocks");
    // Nothing orders m and n in the diagram except that the receptions are in sequence on b.
    sandbox.write(
        "flow.mmd",
        "sequenceDiagram\n  par one\n    a->>b: m\n  and two\n    b->>c: n\n  end\n",
    );
    sandbox.write("strict.mmd", "sequenceDiagram\n  b->>c: n\n  a->>b: m\n");
    let settings = "[[source]]\nfiles = [\"run.log\"]\nformat = \"shiviz\"\n\
        [[source.rule]]\nmatch = '(?<d>send|receive) (?<what>\\w+)'\n\
        dir = { from = \"d\", map = { send = \"!\", receive = \"?\" } }\nmessage = \"{what}\"\n";
    sandbox.write("otus.toml", settings);
    // a sends m after c received n: allowed by the second diagram only if the clocks agree.
    let log = |last: &str| {
        format!(
            "b {{\"b\":1}}\nsend n\nc {{\"b\":1,\"c\":1}}\nreceive n\na {last}\nsend m\n\
             b {{\"a\":1,\"b\":2}}\nreceive m\n"
        )
    };
    sandbox.write("run.log", &log("{\"a\":1,\"b\":1,\"c\":1}"));
    check(&sandbox, "analyze flow.mmd run.log", 0, &["Pass"]);
    check(&sandbox, "analyze strict.mmd run.log", 0, &["Pass"]);
    // With `a` first, and n sent after m was sent, no execution of the second diagram has this order.
    sandbox.write("run.log", &log("{\"a\":1}").replace("b {\"b\":1}", "b {\"a\":1,\"b\":1}"));
    check(&sandbox, "analyze flow.mmd run.log", 0, &["Pass"]);
    sandbox.write("sync.hif", "@lifeline{a;b;c} @message{m;n} strict(b -- n -> c, a -- m -> b)");
    let text =
        "a sent m before b sent n, but no execution of the specification has them in this order";
    check(&sandbox, "analyze sync.hif run.log", 1, &["wrong-order", text, "--ignore-order"]);
    check(&sandbox, "analyze sync.hif run.log --ignore-order", 0, &["Pass"]);
    check(&sandbox, "analyze sync.hif run.log --certificate why.json", 1, &["only the order"]);
}
