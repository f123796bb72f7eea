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
