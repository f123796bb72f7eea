//! What no client should send, and files that are not what they seem.

use std::io::Write as _;

use otus_lsp::Ended;
use serde_json::{Value, json};

use crate::client::Client;

/// The code of the next error without an id.
fn fault(client: &mut Client) -> i64 {
    loop {
        let message = client.next();
        if message.get("error").is_some() && message["id"].is_null() {
            return message["error"]["code"].as_i64().unwrap();
        }
    }
}

#[test]
fn malformed_messages_are_answered_and_the_next_one_is_read() {
    let mut client = Client::started();
    client.body("{");
    assert_eq!(fault(&mut client), -32700);
    client.body("\u{1f989}");
    assert_eq!(fault(&mut client), -32700);
    client.raw(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(fault(&mut client), -32700);
    for body in [
        "[]",
        "{}",
        "1",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}",
        "{\"id\":1.5,\"method\":\"x\"}",
    ] {
        client.body(body);
        assert_eq!(fault(&mut client), -32600, "{body}");
    }
    client.raw(b"Content-Length: minus one\r\n\r\n");
    assert_eq!(fault(&mut client), -32700);
    client.raw(b"X: y\r\n\r\n");
    assert_eq!(fault(&mut client), -32700);
    client.raw(b"Content-Length: 99999999999999999999999\r\n\r\nnonsense");
    assert_eq!(fault(&mut client), -32700);
    client.body("{\"jsonrpc\":\"2.0\",\"id\":7}");
    client.body(&"[".repeat(100_000));
    assert_eq!(fault(&mut client), -32700);
    assert_eq!(client.end(), Ended::Properly);
}

#[test]
fn a_message_of_a_gigabyte_is_skipped() {
    let mut client = Client::started();
    let length = 1_u64 << 30;
    client.raw(format!("Content-Length: {length}\r\n\r\n").as_bytes());
    let part = vec![b' '; 1 << 20];
    for _ in 0..1 << 10 {
        client.raw(&part);
    }
    assert_eq!(fault(&mut client), -32600);
    assert_eq!(client.end(), Ended::Properly);
}

#[test]
fn files_of_a_gigabyte_vanishing_files_and_binaries_are_harmless() {
    let mut client = Client::started();
    client.write("sig.hsf", "@message{ m } @lifeline{ a; b }");
    client.write("run.htf", "[a] a!m");
    std::fs::write(client.path("binary.hif"), b"\xff\xfe\x00").unwrap();
    std::fs::write(client.path("binary.htf"), b"\x00\xff").unwrap();
    // A file with a hole takes no space on the disk.
    std::fs::File::create(client.path("huge.htf")).unwrap().set_len(1 << 30).unwrap();
    std::fs::File::create(client.path("huge.hif")).unwrap().set_len(1 << 30).unwrap();
    std::fs::create_dir(client.path("folder.hif")).unwrap();
    client.open("model.hif", "a -- m -> b");
    client.diagnostics("model.hif", 1);
    for name in ["huge.htf", "huge.hif", "binary.hif", "folder.hif", "gone.hif"] {
        assert_eq!(client.at("textDocument/hover", name, 0, 0).unwrap(), Value::Null, "{name}");
        client.about("textDocument/documentSymbol", name).unwrap();
        client.about("textDocument/formatting", name).unwrap();
        client.about("textDocument/codeLens", name).unwrap();
    }
    let found = client.at("textDocument/references", "model.hif", 0, 5).unwrap();
    assert!(found.as_array().unwrap().len() >= 2, "{found}");
    std::fs::remove_file(client.path("sig.hsf")).unwrap();
    let params = json!({ "changes": [{ "uri": client.uri("sig.hsf"), "type": 3 }] });
    client.notify("workspace/didChangeWatchedFiles", params);
    let found = client.diagnostics("model.hif", 1);
    assert!(found.iter().any(|it| it["code"] == "O0304"), "{found:?}");
    assert_eq!(client.end(), Ended::Properly);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_and_pipes_are_not_followed() {
    let mut client = Client::started();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.htf"), "[a] a!m").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.htf"), client.path("flow-link.htf"))
        .unwrap();
    let made = std::process::Command::new("mkfifo").arg(client.path("otus.toml")).status();
    assert!(made.unwrap().success());
    client.open("flow.mmd", "sequenceDiagram\n  a->>b: m\n");
    let found = client.at("textDocument/references", "flow.mmd", 1, 2).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(client.end(), Ended::Properly);
}

#[test]
fn odd_positions_and_edits_are_moved_into_the_text() {
    let mut client = Client::started();
    client.open("a.hif", "a -- m -> b");
    let far = u32::MAX;
    client.at("textDocument/hover", "a.hif", far, far).unwrap();
    client.at("textDocument/completion", "a.hif", 0, far).unwrap();
    let range = |a: u32, b: u32, c: u32, d: u32| json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } });
    client.change("a.hif", 2, json!([{ "range": range(far, far, 0, 3), "text": "\u{1f989}" }]));
    client.change("a.hif", 3, json!([{ "range": range(0, 0, far, 0), "text": "x -- y -> z" }]));
    let hover = client.at("textDocument/hover", "a.hif", 0, 0).unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("lifeline"), "{hover}");
    client.change("a.hif", 4, json!([{ "range": { "start": -1 }, "text": 1 }]));
    assert_eq!(client.end(), Ended::Properly);
}

#[test]
fn bytes_at_random_end_nothing() {
    let mut random = fastrand::Rng::with_seed(22);
    let mut client = Client::started();
    let samples = [
        r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.hif"},"position":{"line":0,"character":0}}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.hif","languageId":"hif","version":1,"text":"seq(a -- m -> b)"}}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.hif","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"text":"par"}]}}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"workspace/executeCommand","params":{"command":"otus.analyze","arguments":[{"uri":"file:///a.hif"}]}}"#,
    ];
    for _ in 0..2000 {
        let mut bytes = random.choice(samples).unwrap().as_bytes().to_vec();
        for _ in 0..random.usize(0..4) {
            let at = random.usize(0..bytes.len());
            bytes[at] = random.u8(..);
        }
        let mut framed = Vec::new();
        write!(framed, "Content-Length: {}\r\n\r\n", bytes.len()).unwrap();
        framed.extend(bytes);
        client.raw(&framed);
    }
    assert_eq!(client.end(), Ended::Properly);
}
