//! The life of a server: initialize, shutdown, exit, and what is refused when.

use otus_lsp::Ended;
use serde_json::{Value, json};

use crate::client::Client;

#[test]
fn a_server_lives_from_initialize_to_exit() {
    let mut client = Client::new();
    assert_eq!(client.ask("textDocument/hover", json!({})).unwrap_err().0, -32002);
    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let result = client.ask("initialize", params.clone()).unwrap();
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(result["serverInfo"]["name"], "otus");
    assert_eq!(client.ask("initialize", params).unwrap_err().0, -32600);
    assert_eq!(client.ask("shutdown", Value::Null).unwrap(), Value::Null);
    assert_eq!(client.ask("textDocument/hover", json!({})).unwrap_err().0, -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.hang_up(), Ended::Properly);
}

#[test]
fn an_exit_without_shutdown_and_a_lost_client_are_told() {
    let mut client = Client::started();
    client.notify("exit", Value::Null);
    assert_eq!(client.hang_up(), Ended::Abruptly);
    assert_eq!(Client::started().hang_up(), Ended::Abruptly);
    assert_eq!(Client::new().hang_up(), Ended::Abruptly);
}

#[test]
fn requests_are_refused_with_the_codes_of_the_protocol() {
    let mut client = Client::started();
    assert_eq!(client.ask("textDocument/unknown", json!({})).unwrap_err().0, -32601);
    assert_eq!(
        client.ask("textDocument/hover", json!({ "textDocument": 1 })).unwrap_err().0,
        -32602
    );
    assert_eq!(client.ask("textDocument/hover", Value::Null).unwrap_err().0, -32602);
    let elsewhere = json!({ "textDocument": { "uri": "http://x/y.hif" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.ask("textDocument/hover", elsewhere).unwrap_err().0, -32602);
    let params = json!({ "command": "rm", "arguments": [] });
    assert_eq!(client.ask("workspace/executeCommand", params).unwrap_err().0, -32602);
    let params = json!({ "command": "otus.analyze", "arguments": [] });
    assert_eq!(client.ask("workspace/executeCommand", params).unwrap_err().0, -32602);
    // Unknown notifications, and those about documents that are not open, are ignored.
    client.notify("$/unknown", json!({}));
    client.change("nowhere.hif", 2, json!([{ "text": "x" }]));
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": "file:///nowhere.hif" } }),
    );
    assert_eq!(client.at("textDocument/hover", "nowhere.hif", 3, 3).unwrap(), Value::Null);
    assert_eq!(client.end(), Ended::Properly);
}
