//! A small HTTP client, so that requests can be wrong on purpose, and a folder with a studio.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use otus_studio::{Config, Running, start};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub(crate) struct Studio {
    pub(crate) folder: TempDir,
    pub(crate) running: Running,
    cookie: String,
}

pub(crate) const FLOW: &str =
    "sequenceDiagram\n  a->>b: ask\n  alt yes\n    b-->>a: yes\n  else no\n    b-->>a: no\n  end\n";

pub(crate) const CONFIG: &str = "spec = 'flow.mmd'\n[[source]]\nname = 'all'\nfiles = ['logs/*.log']\nformat = 'regex'\n\
    lifeline = '{file.stem}'\ngroup = '{run}'\n[[source.rule]]\nname = 'event'\n\
    match = 'run (?<run>\\w+): (?<d>sent|received) (?<m>\\w+)'\ndir = '{d}'\nmessage = '{m}'\n";

pub(crate) const A: &str =
    "run one: sent ask\nrun one: received yes\nrun two: sent ask\nrun two: received maybe\n";
pub(crate) const B: &str =
    "run one: received ask\nrun one: sent yes\nrun two: received ask\nrun two: sent maybe\n";

impl Studio {
    /// A folder with a diagram and the logs of two runs, of which one fails.
    pub(crate) fn new() -> Studio {
        let folder = TempDir::new().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("logs")).unwrap();
        write("flow.mmd", FLOW);
        write("otus.toml", CONFIG);
        write("logs/a.log", A);
        write("logs/b.log", B);
        Studio::of(folder)
    }

    pub(crate) fn of(folder: TempDir) -> Studio {
        let config = Config { folder: folder.path().to_owned(), port: 0, ..Config::default() };
        let running = start(&config).unwrap();
        let mut studio = Studio { folder, running, cookie: String::new() };
        let url = studio.running.url().to_owned();
        let path = url.split_once("/?").map(|(_, query)| format!("/?{query}")).unwrap();
        let invited = studio.send("GET", &path, &[], "");
        assert_eq!(invited.status, 303);
        let cookie = invited.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().clone_into(&mut studio.cookie);
        studio
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn host(&self) -> String {
        self.running.address().to_string()
    }

    /// A request with the cookie and the right host, and further headers. A header with an empty value is left out.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut stream = self.open(method, path, headers, body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TcpStream {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let length = body.len().to_string();
        let host = self.host();
        let mut all = vec![
            ("Host", host.as_str()),
            ("Connection", "close"),
            ("Cookie", self.cookie.as_str()),
            ("Content-Length", length.as_str()),
        ];
        if method == "POST" {
            all.push(("Content-Type", "application/json"));
        }
        for (name, value) in headers {
            all.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            all.push((name, value));
        }
        for (name, value) in all.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.running.address()).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a request need not read its body.
        let _ = stream.write_all(body.as_bytes());
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], &body.to_string())
    }

    /// The answer to a question that has one.
    #[track_caller]
    pub(crate) fn ask(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }
}
