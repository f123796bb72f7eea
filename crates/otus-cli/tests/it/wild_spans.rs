//! Spans as they are found in the wild: other names on both sides, databases and queues, and every
//! form in which exporters, consoles and query services write them.

use std::slice::from_ref;

use snapbox::IntoData as _;

use crate::sandbox::Sandbox;

/// A span of OTLP.
struct Span {
    id: u32,
    parent: u32,
    name: &'static str,
    kind: u32,
    start: u32,
    end: u32,
    /// More members.
    more: &'static str,
}

impl Span {
    fn text(&self) -> String {
        let Span { id, parent, name, kind, start, end, more } = self;
        let parent = if *parent == 0 { String::new() } else { format!("{parent:016x}") };
        format!(
            r#"{{"traceId":"a1","spanId":"{id:016x}","parentSpanId":"{parent}","name":"{name}","kind":{kind},"startTimeUnixNano":"{start}","endTimeUnixNano":"{end}"{more}}}"#
        )
    }
}

fn resource(service: &str, spans: &[Span]) -> String {
    let spans: Vec<String> = spans.iter().map(Span::text).collect();
    format!(
        r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},"scopeSpans":[{{"spans":[{}]}}]}}"#,
        spans.join(",")
    )
}

fn document(resources: &[String]) -> String {
    format!(r#"{{"resourceSpans":[{}]}}"#, resources.join(","))
}

fn client(id: u32, parent: u32, name: &'static str) -> Span {
    Span { id, parent, name, kind: 3, start: id * 10, end: 900 - id * 10, more: "" }
}

fn server(id: u32, parent: u32, name: &'static str) -> Span {
    Span { kind: 2, ..client(id, parent, name) }
}

fn call() -> String {
    document(&[
        resource("web", &[client(1, 0, "fetch")]),
        resource("store", &[server(2, 1, "GET /items")]),
    ])
}

#[track_caller]
fn learns(sandbox: &Sandbox, file: &str, expected: &str) {
    let output = sandbox.otus(&format!("learn {file}")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|it| it.contains(">>")).collect();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(lines.join("\n"), expected, "{file}: {text}{told}");
}

#[test]
fn linked_spans_join_whatever_they_are_called() {
    let sandbox = Sandbox::new("wild-spans-names");
    sandbox.write("parent.json", &call());
    let calls = "web->>store: GET /items\nstore->>web: GET /items reply";
    learns(&sandbox, "parent.json", calls);
    let link = r#","links":[{"traceId":"a1","spanId":"0000000000000001"}]"#;
    let producer = Span { kind: 4, ..client(1, 0, "sales send") };
    let consumer = Span { kind: 5, more: link, ..server(2, 0, "sales process") };
    let text = document(&[resource("web", &[producer]), resource("store", &[consumer])]);
    sandbox.write("link.json", &text);
    learns(&sandbox, "link.json", "web->>store: sales process");
    // A consumer that begins a trace of its own.
    sandbox.write(
        "traces.json",
        &text.replacen(
            "\"traceId\":\"a1\",\"spanId\":\"0000000000000002\"",
            "\"traceId\":\"b2\",\"spanId\":\"0000000000000002\"",
            1,
        ),
    );
    learns(&sandbox, "traces.json", "web->>store: sales process");
    // The caller has no client span, or the callee no kind.
    let internal = Span { kind: 1, ..client(1, 0, "work") };
    let text = document(&[
        resource("web", &[internal]),
        resource("store", &[Span { kind: 0, ..server(2, 1, "GET /items") }]),
    ]);
    sandbox.write("kindless.json", &text);
    learns(&sandbox, "kindless.json", calls);
}

#[test]
fn a_message_has_the_name_of_the_servers_span_unless_told_otherwise() {
    let sandbox = Sandbox::new("wild-spans-told");
    sandbox.write("spans.json", &call());
    let source = "[[source]]\nfiles = ['*.json']\nformat = 'otlp'\n";
    let client = "[[source.rule]]\nwhere = { kind = 'CLIENT' }\nmessage = 'call {name}'\n";
    for (settings, name) in [
        (String::new(), "GET /items"),
        ("[pairing]\nnames = 'client'\n".to_owned(), "fetch"),
        (client.to_owned(), "call fetch"),
    ] {
        sandbox.write("otus.toml", &format!("{source}{settings}"));
        learns(&sandbox, "spans.json", &format!("web->>store: {name}\nstore->>web: {name} reply"));
    }
    sandbox.write("otus.toml", &format!("{source}[pairing]\nnames = 'own'\n"));
    let written = "map spans.json --write all.cases.jsonl";
    sandbox.otus(written).assert().code(0);
    let cases = sandbox.read("all.cases.jsonl");
    assert!(cases.contains("web!fetch") && cases.contains("GET /items"), "{cases}");
}

#[test]
fn a_diagram_may_use_either_name() {
    let sandbox = Sandbox::new("wild-spans-either");
    sandbox.write("spans.json", &call());
    for name in ["fetch", "GET /items"] {
        let flow = format!("sequenceDiagram\nweb->>store: {name}\nstore-->>web: {name} reply\n");
        sandbox.write("flow.mmd", &flow);
        sandbox.otus("analyze flow.mmd spans.json --observed complete").assert().code(0);
    }
    sandbox.write("flow.mmd", "sequenceDiagram\nweb->>store: other\nstore-->>web: other reply\n");
    sandbox.otus("analyze flow.mmd spans.json --observed complete").assert().code(1);
}

#[test]
fn databases_and_queues_that_spans_name_are_lifelines() {
    let sandbox = Sandbox::new("wild-spans-peers");
    for (attribute, value, kind) in [
        ("peer.service", "stock", 3),
        ("db.system", "postgresql", 3),
        ("db.system.name", "postgresql", 3),
        ("messaging.destination.name", "sales", 4),
        ("messaging.destination", "sales", 4),
        ("messaging.system", "kafka", 4),
        ("server.address", "stock.shop", 3),
        ("net.peer.name", "stock", 3),
        ("rpc.service", "Stock", 3),
    ] {
        let more = format!(
            r#","attributes":[{{"key":"{attribute}","value":{{"stringValue":"{value}"}}}}]"#
        );
        let span = Span { kind, ..client(1, 0, "do") }.text();
        let span = format!("{}{more}}}", &span[..span.len() - 1]);
        let text = document(&[resource("web", &[])])
            .replace("\"spans\":[]", &format!("\"spans\":[{span}]"));
        sandbox.write("spans.json", &text);
        let reply = if kind == 3 { format!("\n{value}->>web: do reply") } else { String::new() };
        learns(&sandbox, "spans.json", &format!("web->>{value}: do{reply}"));
    }
    // An address is no name, unless one is given to it.
    let more = r#","attributes":[{"key":"server.address","value":{"stringValue":"10.0.0.7"}}]"#;
    let text = document(&[resource("web", &[Span { more, ..client(1, 0, "do") }])]);
    sandbox.write("spans.json", &text);
    learns(&sandbox, "spans.json", "web->>env: do\nenv->>web: do reply");
    let settings =
        "[[source]]\nfiles = ['*.json']\nformat = 'otlp'\n[lifelines]\n'10.0.0.7' = 'stock'\n";
    sandbox.write("otus.toml", settings);
    learns(&sandbox, "spans.json", "web->>stock: do\nstock->>web: do reply");
    sandbox.write("otus.toml", &format!("{settings}[pairing]\ndeduce = false\n"));
    learns(&sandbox, "spans.json", "web->>env: do\nenv->>web: do reply");
}

/// One call in every form in which it can be written.
#[test]
fn every_form_of_spans_is_read() {
    let web = resource("web", &[client(1, 0, "get")]);
    let store = resource("store", &[server(2, 1, "get")]);
    let batches = format!(r#"{{"batches":[{web},{store}]}}"#);
    let snake = document(&[web.clone(), store.clone()])
        .replace("resourceSpans", "resource_spans")
        .replace("scopeSpans", "scope_spans")
        .replace("spanId", "span_id")
        .replace("traceId", "trace_id")
        .replace("parentSpanId", "parent_span_id")
        .replace("startTimeUnixNano", "start_time_unix_nano")
        .replace("stringValue", "string_value")
        .replace("\"kind\":3", "\"kind\":\"SPAN_KIND_CLIENT\"");
    let base64 = document(&[web.clone(), store.clone()])
        .replace("0000000000000001", "AAAAAAAAAAE=")
        .replace("0000000000000002", "AAAAAAAAAAI=");
    let jaeger_spans = r#"{"traceID":"a1","spanID":"1","operationName":"get","processID":"p1","startTime":10,"duration":90,"tags":[{"key":"span.kind","value":"client"}]},{"traceID":"a1","spanID":"2","operationName":"get","processID":"p2","startTime":30,"duration":20,"references":[{"refType":"CHILD_OF","traceID":"a1","spanID":"1"}],"tags":[{"key":"span.kind","value":"server"}]}"#;
    let jaeger = format!(
        r#"{{"traceID":"a1","spans":[{jaeger_spans}],"processes":{{"p1":{{"serviceName":"web"}},"p2":{{"serviceName":"store"}}}}}}"#
    );
    let stored = jaeger_spans
        .replace(r#""processID":"p1""#, r#""process":{"serviceName":"web"}"#)
        .replace(r#""processID":"p2""#, r#""process":{"serviceName":"store"}"#);
    let model = r#"{"spans":[{"traceId":"AAAAAAAAAAE=","spanId":"AAAAAAAAAAE=","operationName":"get","startTime":"2026-11-15T07:13:08Z","duration":"0.09s","tags":[{"key":"span.kind","vStr":"client"}],"process":{"serviceName":"web"}},{"traceId":"AAAAAAAAAAE=","spanId":"AAAAAAAAAAI=","operationName":"get","references":[{"traceId":"AAAAAAAAAAE=","spanId":"AAAAAAAAAAE="}],"startTime":"2026-11-15T07:13:08.01Z","duration":"20ms","tags":[{"key":"span.kind","vStr":"server"}],"process":{"serviceName":"store"}}]}"#;
    let zipkin = r#"{"traceId":"a1","id":"1","name":"get","kind":"CLIENT","timestamp":10,"duration":90,"localEndpoint":{"serviceName":"web"}},{"traceId":"a1","id":"2","parentId":"1","name":"get","kind":"SERVER","timestamp":30,"duration":20,"localEndpoint":{"serviceName":"store"}}"#;
    let shared = zipkin.replace(r#""id":"2","parentId":"1""#, r#""id":"1","shared":true"#);
    let unsaid = zipkin.replace(r#""id":"2","parentId":"1""#, r#""id":"1""#);
    let first = r#"{"traceId":"a1","id":"1","name":"get","annotations":[{"timestamp":10,"value":"cs","endpoint":{"serviceName":"web"}},{"timestamp":30,"value":"sr","endpoint":{"serviceName":"store"}},{"timestamp":50,"value":"ss","endpoint":{"serviceName":"store"}},{"timestamp":90,"value":"cr","endpoint":{"serviceName":"web"}}]}"#;
    let parted = r#"{"traceId":"a1","id":"1","name":"get","timestamp":10,"duration":80,"annotations":[{"timestamp":10,"value":"cs","endpoint":{"serviceName":"web"}},{"timestamp":90,"value":"cr","endpoint":{"serviceName":"web"}}],"binaryAnnotations":[]},{"traceId":"a1","id":"1","name":"get","annotations":[{"timestamp":30,"value":"sr","endpoint":{"serviceName":"store"}},{"timestamp":50,"value":"ss","endpoint":{"serviceName":"store"}}]}"#;
    let python = r#"{"name":"get","context":{"trace_id":"0xa1","span_id":"0x1","trace_state":"[]"},"kind":"SpanKind.CLIENT","parent_id":null,"start_time":"2026-11-15T07:13:08.000000Z","end_time":"2026-11-15T07:13:09.000000Z","resource":{"attributes":{"service.name":"web"}}}{"name":"get","context":{"trace_id":"0xa1","span_id":"0x2"},"kind":"SpanKind.SERVER","parent_id":"0x1","start_time":"2026-11-15T07:13:08.1Z","end_time":"2026-11-15T07:13:08.2Z","resource":{"attributes":{"service.name":"store"}}}"#;
    let go = r#"{"Name":"get","SpanContext":{"TraceID":"a1","SpanID":"0000000000000001"},"Parent":{"TraceID":"00","SpanID":"0000000000000000"},"SpanKind":3,"StartTime":"2026-11-15T07:13:08Z","EndTime":"2026-11-15T07:13:09Z","Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"web"}}]}{"Name":"get","SpanContext":{"TraceID":"a1","SpanID":"0000000000000002"},"Parent":{"TraceID":"a1","SpanID":"0000000000000001"},"SpanKind":2,"StartTime":"2026-11-15T07:13:08Z","EndTime":"2026-11-15T07:13:09Z","Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"store"}}]}"#;
    let lone = format!("[{},{}]", client(1, 0, "get").text(), server(2, 1, "get").text())
        .replacen("\"name\"", "\"serviceName\":\"web\",\"name\"", 1)
        .replacen(
            ",\"name\":\"get\",\"kind\":2",
            ",\"serviceName\":\"store\",\"name\":\"get\",\"kind\":2",
            1,
        );
    let forms = [
        ("document", document(&[web.clone(), store.clone()])),
        ("lines", format!("{}\n{}\n", document(from_ref(&web)), document(from_ref(&store)))),
        ("snake", snake),
        ("base64", base64),
        ("batches", batches.clone()),
        ("result", format!(r#"{{"result":{}}}"#, document(&[web.clone(), store.clone()]))),
        ("trace", format!(r#"{{"trace":{batches}}}"#)),
        ("resources", format!("[{web},{store}]")),
        ("lone", lone),
        ("python", python.to_owned()),
        ("go", go.to_owned()),
        ("jaeger-data", format!(r#"{{"data":[{jaeger}],"total":0}}"#)),
        ("jaeger-trace", jaeger.clone()),
        ("jaeger-list", format!("[{jaeger}]")),
        ("jaeger-stored", format!("[{stored}]")),
        ("jaeger-model", model.to_owned()),
        ("zipkin", format!("[{zipkin}]")),
        ("zipkin-lists", format!("[[{zipkin}]]")),
        ("zipkin-shared", format!("[{shared}]")),
        ("zipkin-unsaid", format!("[{unsaid}]")),
        ("zipkin-first", format!("[{first}]")),
        ("zipkin-parted", format!("[{parted}]")),
    ];
    let sandbox = Sandbox::new("wild-spans-forms");
    for (name, text) in forms {
        let calls = "web->>store: get\nstore->>web: get reply";
        sandbox.write(&format!("{name}.json"), &text);
        learns(&sandbox, &format!("{name}.json"), calls);
        // Pretty-printed.
        sandbox.write(&format!("{name}-pretty.json"), &pretty(&text));
        learns(&sandbox, &format!("{name}-pretty.json"), calls);
    }
}

/// Documents over many lines.
fn pretty(text: &str) -> String {
    let documents = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let pretty = documents.map(|it| serde_json::to_string_pretty(&it.unwrap()).unwrap());
    pretty.collect::<Vec<_>>().join("\n")
}

#[test]
fn json_of_which_nothing_is_used_is_a_warning_with_its_keys() {
    let sandbox = Sandbox::new("wild-spans-unused");
    sandbox.write("spans.json", &format!("{}\n{{\"status\":\"late\",\"code\":5}}\n", call()));
    sandbox.otus("map spans.json").assert().code(0).stdout_eq(
        snapbox::str![[r#"
log           read as  lines  matched  ignored  blank  unmatched  events
  spans.json  otlp         3        2        0      0          1       4

rule                             lines  first
  otlp  spans                        2  spans.json:1
  otlp  internal spans, ignored      0  never

warning[O1111]: spans.json: nothing is used of what has the keys `status`, `code`
  --> spans.json:2
   = help: it has no spans where the format has them; another `format`, or `json` with rules, may fit

`otus map --explain` shows the lines that no rule takes, and more

"#]]
        .raw(),
    );
    sandbox.write("answer.json", "{\n  \"data\": null,\n  \"errors\": [{\"code\": 404}]\n}\n");
    sandbox.otus("learn answer.json").assert().code(2).stderr_eq(
        snapbox::str![[r#"
otus: answer.json, JSON with the keys `data`, `errors`, may be a log, but there is no otus.toml that says how to read it; `otus init` proposes one

"#]]
        .raw(),
    );
}

#[test]
fn the_excerpt_of_a_span_is_its_name_ids_and_time() {
    let sandbox = Sandbox::new("wild-spans-excerpt");
    sandbox.write("spans.json", &pretty(&call()));
    sandbox.write("flow.mmd", "sequenceDiagram\nweb->>store: fetch\nstore-->>web: other\n");
    let output = sandbox.otus("analyze flow.mmd spans.json --observed complete").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let told = text.lines().find(|line| line.contains("\"spanId\"")).unwrap_or(&text);
    for part in ["\"name\": \"", "\"spanId\": \"", "\"startTimeUnixNano\": \""] {
        assert!(told.contains(part), "{part}: {text}");
    }
}

/// A database has no clock of its own, and those of its callers need not agree.
#[test]
fn the_order_of_a_database_with_several_callers_is_not_compared() {
    let sandbox = Sandbox::new("wild-spans-callers");
    let database = r#","attributes":[{"key":"db.system","value":{"stringValue":"postgresql"}}]"#;
    let span = |id, parent, name, start, end| Span { start, end, ..client(id, parent, name) };
    let write = |insert: &'static str| {
        // The clock of the store is ahead of that of the web.
        let text = document(&[
            resource(
                "web",
                &[
                    span(1, 0, "order", 10, 100),
                    Span { more: database, ..span(4, 0, "select", 200, 300) },
                ],
            ),
            resource(
                "store",
                &[
                    Span { kind: 2, ..span(2, 1, "order", 5000, 5090) },
                    Span { more: database, ..span(3, 2, insert, 5010, 5020) },
                ],
            ),
        ]);
        sandbox.write("spans.json", &text);
    };
    sandbox.write(
        "flow.mmd",
        "sequenceDiagram
    web->>store: order
    store->>postgresql: insert
    postgresql-->>store: insert reply
    store-->>web: order reply
    web->>postgresql: select
    postgresql-->>web: select reply
",
    );
    let analyze = |options: &str, status: i32, text: &str| {
        let call = format!("analyze flow.mmd spans.json {options}");
        let output = sandbox.otus(&call).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(status), "{call}\n{out}");
        assert!(out.contains(text), "{call}: {text}\n{out}");
    };
    write("insert");
    let note = "only spans of several callers tell about postgresql";
    analyze("", 0, note);
    analyze("--observed complete", 0, note);
    analyze("", 0, "WeakPass");
    // What a caller did is compared as before.
    write("delete");
    analyze("", 1, "Fail");
    // Clocks that agree prove it.
    let agreeing = sandbox.read("spans.json").replace("delete", "insert").replace("\"50", "\"1");
    sandbox.write("spans.json", &agreeing);
    analyze("", 0, "Pass");
}
