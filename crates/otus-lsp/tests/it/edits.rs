//! A stream of edits leaves no trace: the problems are those of a fresh start, and memory stays flat.
//!
//! `OTUS_LSP_EDITS=100000 cargo test --release -p otus-lsp --test it edits -- --nocapture` runs the full count, and tells the memory
//! of the process on the way.

use serde_json::{Value, json};

use crate::client::Client;

/// Parts of all languages, so that edits often give texts that are nearly right.
const PIECES: [&str; 40] = [
    "seq(",
    "alt(",
    ")",
    ", ",
    "a -- m -> b",
    "o",
    "\n",
    "\r\n",
    "\r",
    " ",
    "@message{",
    "@lifeline{",
    "}",
    "; ",
    "a!m",
    "b?m",
    ".",
    "[a] ",
    "sequenceDiagram\n",
    "  a->>b: m\n",
    "  loop x\n",
    "  end\n",
    "%% otus: synch\n",
    "participant a as \u{1f989}\n",
    "@startuml\n",
    "@enduml\n",
    "a -> b : m\n",
    "```mermaid\n",
    "```\n",
    "# Heading\n",
    "\"",
    "\u{1f989}",
    "\u{2205}",
    "spec = \"a.mmd\"\n",
    "[[source]]\n",
    "AG(",
    "x < 2",
    "=",
    "{",
    "'",
];

const NAMES: [&str; 8] =
    ["a.hsf", "b.hif", "c.hcf", "d.htf", "e.mmd", "f.puml", "g.md", "otus.toml"];

/// Texts do not grow beyond this, so that memory does not grow with them.
const LONGEST: usize = 3000;

struct Editor {
    random: fastrand::Rng,
    texts: Vec<String>,
    versions: Vec<i32>,
}

impl Editor {
    /// Edits a document at random, here and in the server. Columns are counted in units of UTF-16.
    fn edit(&mut self, client: &mut Client) -> usize {
        let at = self.random.usize(0..NAMES.len());
        let text = &mut self.texts[at];
        let boundary = |random: &mut fastrand::Rng, text: &str| {
            text.floor_char_boundary(random.usize(0..=text.len()))
        };
        let (one, other) = (boundary(&mut self.random, text), boundary(&mut self.random, text));
        let mut range = one.min(other)..one.max(other);
        let is_small = self.random.u8(0..10) > 0;
        if is_small && text.len() < LONGEST {
            range.end = text
                .floor_char_boundary((range.start + self.random.usize(0..4)).min(text.len()))
                .max(range.start);
        }
        let mut new = String::new();
        if text.len() < LONGEST {
            for _ in 0..self.random.usize(0..3) {
                new.push_str(self.random.choice(PIECES).unwrap());
            }
        }
        let (start, end) = (position(text, range.start), position(text, range.end));
        // Between the two characters of a line end there is no position, so such an edit would be another one there.
        if offset(text, &start) != range.start || offset(text, &end) != range.end {
            return at;
        }
        text.replace_range(range, &new);
        self.versions[at] += 1;
        let change = json!([{ "range": { "start": start, "end": end }, "text": new }]);
        client.change(NAMES[at], self.versions[at], change);
        at
    }
}

fn ends(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_end = |&at: &usize| {
        bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    };
    (0..bytes.len()).filter(is_end).collect()
}

fn position(text: &str, at: usize) -> Value {
    let before: Vec<usize> = ends(text).into_iter().filter(|&end| end < at).collect();
    let start = before.last().map_or(0, |end| end + 1);
    json!({ "line": before.len(), "character": text[start..at].encode_utf16().count() })
}

fn offset(text: &str, position: &Value) -> usize {
    let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
    let ends = ends(text);
    let start = if line == 0 { 0 } else { ends[line - 1] + 1 };
    let end = ends.get(line).copied().unwrap_or(text.len());
    let content = text[start..end].trim_end_matches('\r');
    let mut left = position["character"].as_u64().unwrap();
    for (at, character) in content.char_indices() {
        if left == 0 {
            return start + at;
        }
        left -= character.len_utf16() as u64;
    }
    start + content.len()
}

/// The latest diagnostics of all documents, when the server has nothing left to do.
fn settled(client: &mut Client, editor: &Editor, known: &mut [Value]) {
    // Touching every document makes the server publish each at a version that is known.
    let wanted = editor.versions.clone();
    let mut missing: Vec<usize> = (0..NAMES.len()).collect();
    while let Some(&at) = missing.first() {
        let uri = client.uri(NAMES[at]);
        let is_wanted = |message: &Value| {
            message["params"]["uri"] == json!(uri)
                && message["params"]["version"] == json!(wanted[at])
        };
        let published = |message: &&Value| message["method"] == "textDocument/publishDiagnostics";
        let found = client.told.iter().filter(published).rfind(|message| is_wanted(message));
        if let Some(message) = found {
            known[at] = message["params"]["diagnostics"].clone();
            missing.remove(0);
        } else {
            let message = client.next();
            client.told.push(message);
        }
    }
    // What a later check of another document changed comes before the answer to this question, because a burst of messages ends
    // with it.
    loop {
        let before = client.told.len();
        std::thread::sleep(std::time::Duration::from_millis(30));
        client.ask("textDocument/hover", json!({ "textDocument": { "uri": client.uri("none.hif") }, "position": { "line": 0, "character": 0 } })).unwrap();
        if client.told.len() == before {
            break;
        }
    }
    for message in std::mem::take(&mut client.told) {
        let at = NAMES.iter().position(|name| message["params"]["uri"] == json!(client.uri(name)));
        if let (Some(at), "textDocument/publishDiagnostics") =
            (at, message["method"].as_str().unwrap_or_default())
        {
            known[at] = message["params"]["diagnostics"].clone();
        }
    }
}

fn memory() -> usize {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem)
}

#[test]
fn edits_leave_no_trace() {
    let count: usize =
        std::env::var("OTUS_LSP_EDITS").ok().and_then(|it| it.parse().ok()).unwrap_or(600);
    let mut client = Client::started();
    let mut editor = Editor {
        random: fastrand::Rng::with_seed(2022),
        texts: vec![String::new(); NAMES.len()],
        versions: vec![1; NAMES.len()],
    };
    for name in NAMES {
        client.open(name, "");
    }
    let mut known = vec![Value::Null; NAMES.len()];
    let (mut used, rounds) = (Vec::new(), 20);
    for round in 1..=rounds {
        for _ in 0..count / rounds {
            let at = editor.edit(&mut client);
            if editor.random.u8(..) == 0 {
                // Other questions between the edits leave no trace either.
                let column = editor.random.u32(0..30);
                for method in ["hover", "completion", "definition"] {
                    let method = format!("textDocument/{method}");
                    client.at(&method, NAMES[at], editor.random.u32(0..5), column).unwrap();
                }
                client.told.clear();
            }
            // A client that never reads would stop the server.
            while let Ok(message) = client.try_next() {
                let _ = message;
            }
        }
        for (at, name) in NAMES.iter().enumerate() {
            editor.versions[at] += 1;
            client.change(name, editor.versions[at], json!([{ "text": editor.texts[at] }]));
        }
        settled(&mut client, &editor, &mut known);
        let mut fresh = Client::started();
        let mut expected = vec![Value::Null; NAMES.len()];
        let start = Editor {
            random: fastrand::Rng::with_seed(1),
            texts: editor.texts.clone(),
            versions: vec![1; NAMES.len()],
        };
        for (name, text) in NAMES.iter().zip(&editor.texts) {
            fresh.open(name, text);
        }
        settled(&mut fresh, &start, &mut expected);
        let told = |client: &Client, values: &[Value]| {
            let folder = client.path("").display().to_string();
            values
                .iter()
                .map(|it| it.to_string().replace(folder.trim_end_matches('/'), ""))
                .collect::<Vec<_>>()
        };
        for ((name, found), expected) in
            NAMES.iter().zip(told(&client, &known)).zip(told(&fresh, &expected))
        {
            assert_eq!(found, expected, "{name} in round {round}: {:?}", editor.texts);
        }
        fresh.end();
        used.push(memory());
    }
    let (early, late) = (used[rounds / 10 - 1], used[rounds - 1]);
    let all: Vec<String> = used.iter().map(|bytes| (bytes >> 10).to_string()).collect();
    println!("{count} edits: {} KiB in use after each twentieth of them", all.join(", "));
    // The allocator keeps some pages; a leak of each edit would be far more.
    assert!(late < early + (64 << 20), "{early} bytes became {late}");
    client.end();
}
