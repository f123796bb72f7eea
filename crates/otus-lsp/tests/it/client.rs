//! A client that talks to a server of this process over pipes.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use otus_lsp::{Config, Ended, serve};
use serde_json::{Value, json};

/// A server hangs if it takes longer than this for an answer, whatever the machine.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct Client {
    input: Option<PipeWriter>,
    messages: Receiver<Value>,
    server: JoinHandle<Ended>,
    next_id: i32,
    /// What the server sent besides answers.
    pub(crate) told: Vec<Value>,
    pub(crate) folder: tempfile::TempDir,
}

impl Client {
    /// A client whose server is not initialized.
    pub(crate) fn new() -> Client {
        let (from_client, input) = std::io::pipe().unwrap();
        let (output, to_client) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || {
            serve(BufReader::new(from_client), to_client, Config::default()).unwrap()
        });
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let folder = tempfile::tempdir().unwrap();
        Client { input: Some(input), messages, server, next_id: 1, told: Vec::new(), folder }
    }

    /// A client with these capabilities.
    pub(crate) fn with(capabilities: &Value) -> Client {
        let mut client = Client::new();
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        client.ask("initialize", params).unwrap();
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn started() -> Client {
        Client::with(&json!({}))
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn body(&mut self, body: &str) {
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.body(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request, and gives its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i32 {
        let id = self.next_id;
        self.next_id += 1;
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.body(&body.to_string());
        id
    }

    pub(crate) fn next(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// A message that has arrived already.
    pub(crate) fn try_next(&mut self) -> Result<Value, std::sync::mpsc::TryRecvError> {
        self.messages.try_recv()
    }

    /// The answer to a request: its result, or the code and text of its error.
    pub(crate) fn answer(&mut self, id: i32) -> Result<Value, (i64, String)> {
        loop {
            let message = self.next();
            if message.get("method").is_none() && message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => {
                        let text = error["message"].as_str().unwrap().to_owned();
                        Err((error["code"].as_i64().unwrap(), text))
                    }
                    None => Ok(message["result"].clone()),
                };
            }
            self.told.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        let id = self.request(method, params);
        self.answer(id)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    /// Writes a file to the folder of this client.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "otus", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, name: &str, version: i32, changes: Value) {
        let document = json!({ "uri": self.uri(name), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// The next diagnostics of a document at a version or later.
    pub(crate) fn diagnostics(&mut self, name: &str, version: i32) -> Vec<Value> {
        let uri = self.uri(name);
        let wanted = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == json!(uri)
                && message["params"]["version"].as_i64().unwrap_or(0) >= i64::from(version)
        };
        if let Some(at) = self.told.iter().position(wanted) {
            let message = self.told.remove(at);
            return message["params"]["diagnostics"].as_array().unwrap().clone();
        }
        loop {
            let message = self.next();
            if wanted(&message) {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
            self.told.push(message);
        }
    }

    /// A request about a position in a document.
    pub(crate) fn at(
        &mut self,
        method: &str,
        name: &str,
        line: u32,
        character: u32,
    ) -> Result<Value, (i64, String)> {
        let document = json!({ "uri": self.uri(name) });
        let position = json!({ "line": line, "character": character });
        let mut params = json!({ "textDocument": document, "position": position });
        if method == "textDocument/references" {
            params["context"] = json!({ "includeDeclaration": true });
        }
        self.ask(method, params)
    }

    pub(crate) fn about(&mut self, method: &str, name: &str) -> Result<Value, (i64, String)> {
        let params = json!({
            "textDocument": { "uri": self.uri(name) },
            "options": { "tabSize": 2, "insertSpaces": true },
        });
        self.ask(method, params)
    }

    /// Ends the stream, and tells how the server ended.
    pub(crate) fn hang_up(mut self) -> Ended {
        self.input = None;
        self.server.join().unwrap()
    }

    pub(crate) fn end(mut self) -> Ended {
        self.ask("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.server.join().unwrap()
    }
}

fn read(output: &mut BufReader<PipeReader>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("Content-Length: ") {
            length = number.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
