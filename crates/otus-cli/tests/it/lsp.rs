//! `otus lsp`: the real binary over standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

struct Server {
    child: Child,
}

impl Server {
    fn start() -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_otus"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Server { child: command.spawn().unwrap() }
    }

    fn send(&mut self, body: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    /// The exit status, and all messages.
    fn end(mut self) -> (Option<i32>, Vec<String>, String) {
        drop(self.child.stdin.take());
        let mut output = BufReader::new(self.child.stdout.take().unwrap());
        let mut messages = Vec::new();
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() > 0 {
            if let Some(length) = line.strip_prefix("Content-Length: ") {
                let mut body = vec![0; length.trim().parse::<usize>().unwrap() + 2];
                output.read_exact(&mut body).unwrap();
                messages.push(String::from_utf8(body[2..].to_vec()).unwrap());
            }
            line.clear();
        }
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), messages, said)
    }
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;

#[test]
fn an_editor_starts_and_ends_it() {
    let mut server = Server::start();
    server.send(INITIALIZE);
    server.send(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
    server.send(
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///nowhere/a.hif","languageId":"hif","version":1,"text":"sqe(o, o)"}}}"#,
    );
    server.send(
        r#"{"jsonrpc":"2.0","id":2,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///nowhere/a.hif"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"context":{"diagnostics":[]}}}"#,
    );
    server.send(r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#);
    server.send(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    let (status, messages, said) = server.end();
    assert_eq!((status, said.as_str()), (Some(0), ""));
    assert!(messages[0].contains("\"codeLensProvider\""), "{messages:?}");
    assert!(messages.iter().any(|it| it.contains("Replace `sqe` by `seq`")), "{messages:?}");
}

#[test]
fn an_editor_that_is_gone_ends_it() {
    let mut server = Server::start();
    server.send(INITIALIZE);
    assert_eq!(server.end().0, Some(1));
}
