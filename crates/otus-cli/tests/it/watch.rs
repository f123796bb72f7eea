//! `otus watch` as a process: how it ends, what it refuses, and what a killed one leaves.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  a->>b: ask\n  b-->>a: answer\n";
const MAPPING: &str = r#"spec = "flow.mmd"
[[source]]
files = ["logs/*.log"]
format = "regex"
lifeline = "{file.stem}"
group = "{g}"
[[source.rule]]
match = '^(?<g>\w+) (?<d>[!?])(?<m>\w+)$'
dir = "{d}"
message = "{m}"
"#;

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("otus.toml", MAPPING);
    sandbox.write("logs/a.log", "x !ask\n");
    sandbox.write("logs/b.log", "x ?ask\n");
    sandbox
}

fn watch(sandbox: &Sandbox, args: &str) -> Child {
    Command::new(snapbox::cmd::cargo_bin!("otus"))
        .arg("watch")
        .args(args.split_whitespace())
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The status, and what was printed.
fn ended(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_request_to_terminate_judges_what_is_open() {
    let sandbox = prepared("watch-terminate");
    sandbox.write("logs/a.log", "x !ask\ny ?answer\n");
    let mut child = watch(&sandbox, "--from-start --all --report page.html");
    // The first line is there when the files were read.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert_eq!(first, "y: Fail (told while the group is open)");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|line| line == "x: WeakPass (the watch ended)"), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(sandbox.read("page.html").contains("answer"));
}

#[test]
fn it_ends_at_the_first_fail_or_when_standard_input_does() {
    let sandbox = prepared("watch-ends");
    sandbox.write("logs/b.log", "x !answer\nx ?ask\n");
    let (status, out, _) = ended(watch(&sandbox, "--from-start --exit-on-fail --format jsonl"));
    assert_eq!(status, Some(1));
    assert!(out.contains("\"ended\":\"open\"") && out.contains("\"cause\":"), "{out}");

    let mut child = Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["watch", "-", "--all"])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The lifeline of standard input is `<stdin>`, which the diagram lacks.
    child.stdin.take().unwrap().write_all(b"x !ask\nx ?answer").unwrap();
    let (status, out, _) = ended(child);
    assert_eq!(status, Some(3));
    assert!(out.starts_with("x: Inconclusive (the watch ended)"), "{out}");
}

#[test]
fn what_cannot_be_followed_is_said() {
    let sandbox = prepared("watch-refused");
    sandbox.write("other.mmd", "sequenceDiagram\n  a->>b: other\n");
    sandbox.write("bad.mmd", "sequenceDiagram\n  a->>\n");
    let (status, ..) = ended(watch(&sandbox, "--from-start --wal state --for 200ms"));
    assert_eq!(status, Some(0));
    let cases = [
        ("logs/a.log", "name only the specification here"),
        ("bad.mmd", "error"),
        ("--alerts https://x --for 0", "expected an address like http://"),
        ("--otlp-grpc 127.0.0.1", "invalid"),
        ("--otlp-grpc 192.0.2.1:1 --for 0", "cannot listen on 192.0.2.1:1 for OTLP over gRPC"),
        ("--wal otus.toml --for 0", "cannot make the folder otus.toml"),
        ("other.mmd --wal state --for 0", "belongs to another specification or question"),
        ("--verdicts otus.toml --for 0", "line 1 of otus.toml is no verdict"),
        ("--idle soon", "expected a number of seconds"),
        ("--config none.toml", "none.toml"),
        ("--max-open 0", "--max-message and --max-open are at least 1"),
    ];
    for (args, expected) in cases {
        let (status, out, error) = ended(watch(&sandbox, args));
        assert_eq!(status, Some(2), "{args}: {out}{error}");
        assert!(error.contains(expected), "{args}: {error}");
    }
    std::fs::remove_file(sandbox.path("otus.toml")).unwrap();
    let (status, _, error) = ended(watch(&sandbox, "flow.mmd"));
    assert!(status == Some(2) && error.contains("there is nothing to follow"), "{error}");
}

/// Reads until a line has a text. Returns what follows the text.
fn port(lines: &mut impl Iterator<Item = std::io::Result<String>>, what: &str) -> u16 {
    let line = lines.map(Result::unwrap).find(|line| line.ends_with(what)).unwrap();
    let address = line.split_whitespace().nth(2).unwrap();
    address.rsplit(':').next().unwrap().parse().unwrap()
}

fn ask(port: u16, request: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!(
        "{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"Content-Type: application/json\r\n\r\n").unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn spans_are_taken_over_http_and_counted() {
    let sandbox = prepared("watch-http");
    let child = watch(
        &sandbox,
        "flow.mmd --otlp-http 127.0.0.1:0 --metrics 127.0.0.1:0 --wal state --grace 0 --format jsonl",
    );
    let mut child = child;
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let http = port(&mut lines, "OTLP over HTTP");
    let metrics = port(&mut lines, "metrics");
    let span = |service: &str, id: u8, kind: u8, parent: &str| {
        format!(
            "{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"{service}\"}}}}]}},\
             \"scopeSpans\":[{{\"spans\":[{{\"traceId\":\"0a\",\"spanId\":\"0{id}\",{parent}\"name\":\"ask\",\"kind\":{kind},\
             \"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{}\"}}]}}]}}",
            10 + u16::from(id),
            30 - u16::from(id)
        )
    };
    let body = format!(
        "{{\"resourceSpans\":[\n{},\n{}]}}",
        span("b", 2, 2, "\"parentSpanId\":\"01\","),
        span("a", 1, 3, "")
    );
    assert!(ask(http, "POST /v1/traces", body.as_bytes()).starts_with("HTTP/1.1 200"));
    assert!(ask(http, "POST /v1/traces", b"{").starts_with("HTTP/1.1 400"));
    assert!(ask(http, "POST /v1/metrics", b"{}").starts_with("HTTP/1.1 404"));
    assert!(ask(metrics, "GET /healthz", b"").ends_with("ok\n"));
    let counts = ask(metrics, "GET /metrics", b"");
    assert!(counts.contains("\notus_requests_total 1\n"), "{counts}");
    assert!(counts.contains("\notus_requests_refused_total 1\n"), "{counts}");
    // A killed process leaves its log, and the next one goes on with it.
    child.kill().unwrap();
    child.wait().unwrap();
    let again = "flow.mmd --otlp-http 127.0.0.1:0 --wal state --format jsonl --for 100ms";
    let (status, out, error) = ended(watch(&sandbox, again));
    assert_eq!(status, Some(1), "{error}");
    // The reply is called `ask reply`, which the diagram lacks.
    assert!(out.contains("\"group\":\"0a\"") && out.contains("\"verdict\":\"Fail\""), "{out}");
}
