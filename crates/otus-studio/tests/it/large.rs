//! Large files, large bodies, and questions that take long.

use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde_json::json;

use crate::client::Studio;

/// A file of so many bytes that needs little space on disk: a line at its beginning, one at its end, and zeros.
fn sparse(path: &Path, size: u64) {
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path).unwrap();
    file.write_all(b"run one: sent ask\n").unwrap();
    file.set_len(size).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b"\nrun one: received yes\n").unwrap();
}

/// The most memory that this process has had, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[test]
fn a_log_of_a_gigabyte_needs_little_memory() {
    let studio = Studio::new();
    sparse(&studio.path().join("logs/a.log"), 1 << 30);
    let before = peak();
    let file = studio.get("/api/file?path=logs/a.log").json();
    assert_eq!((&file["whole"], &file["version"]), (&json!(false), &json!(null)));
    assert!(file["size"].as_u64().unwrap() > 1 << 30);
    assert!(file["text"].as_str().unwrap().starts_with("run one: sent ask\n"));
    let near_end = (1_u64 << 30) + 5;
    let end = studio.get(&format!("/api/file?path=logs/a.log&from={near_end}&size=4096")).json();
    assert_eq!(end["text"], "run one: received yes\n");
    // An excerpt is bounded whatever is asked for.
    let most = studio.get("/api/file?path=logs/a.log&from=100&size=99999999999").json();
    assert!(most["end"].as_u64().unwrap() - most["start"].as_u64().unwrap() <= 1 << 20);
    let lines = studio.ask("/api/lines", &json!({ "log": "logs/a.log", "from": 0, "count": 3 }));
    let outcomes: Vec<_> =
        lines["lines"].as_array().unwrap().iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes[0], "matched");
    assert_eq!(outcomes[2], "matched", "the line after a gigabyte of zeros");
    let check = studio.ask("/api/check", &json!({ "spec": "", "runs": [], "explain": false }));
    assert_eq!(check["cases"].as_array().unwrap().len(), 2);
    let answer =
        studio.post("/api/save", &json!({ "path": "logs/a.log", "text": "x", "version": "1" }));
    assert_eq!(answer.status, 413);
    let more = peak().saturating_sub(before);
    assert!(more < 300_000, "{more} kB more");
}

#[test]
fn a_huge_body_is_refused() {
    let studio = Studio::new();
    let text = "x".repeat(17 << 20);
    let body = json!({ "path": "flow.mmd", "text": text, "theme": "light", "picture": false });
    let body = body.to_string();
    // The head alone is enough to refuse it.
    let length = body.len().to_string();
    let headers = [("Content-Length", length.as_str())];
    let mut stream = studio.open("POST", "/api/text", &headers, "");
    let mut answer = [0; 64];
    let count = stream.read(&mut answer).unwrap();
    assert!(answer[..count].starts_with(b"HTTP/1.1 413"), "{:?}", &answer[..count]);
    // So is a body whose length nobody told.
    let headers = [("Content-Length", ""), ("Transfer-Encoding", "chunked")];
    let mut stream = studio.open("POST", "/api/text", &headers, "");
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    for _ in 0..17 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let count = stream.read(&mut answer).unwrap_or(0);
    assert!(count == 0 || answer[..count].starts_with(b"HTTP/1.1 413"), "{:?}", &answer[..count]);
    assert_eq!(studio.get("/api/state").status, 200);
}

#[test]
fn a_newer_question_cancels_a_slow_one_while_others_are_answered() {
    let studio = Studio::new();
    std::fs::create_dir(studio.path().join("slow")).unwrap();
    sparse(&studio.path().join("slow/a.log"), 16 << 30);
    let config = crate::client::CONFIG.replace("['logs/*.log']", "['*/*.log']");
    std::fs::write(studio.path().join("otus.toml"), config).unwrap();
    let page = [("Otus-Page", "p1")];
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| {
            let question = json!({ "spec": "", "runs": ["slow"] }).to_string();
            studio.send("POST", "/api/check", &page, &question)
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        // Another route and another page are answered meanwhile.
        assert_eq!(studio.get("/api/state").status, 200);
        let question = json!({ "spec": "", "runs": ["logs"] });
        assert_eq!(studio.ask("/api/check", &question)["counts"]["pass"], 1);
        let text = json!({ "path": "flow.mmd", "text": crate::client::FLOW, "theme": "light", "picture": true });
        let answer = studio.send("POST", "/api/text", &page, &text.to_string());
        assert_eq!(answer.status, 200);
        assert!(!slow.is_finished());
        let newer = studio.send("POST", "/api/check", &page, &question.to_string());
        assert_eq!(newer.status, 200);
        let slow = slow.join().unwrap();
        assert_eq!((slow.status, &slow.json()["kind"]), (499, &json!("cancelled")));
    });
}

#[test]
fn a_studio_ends_while_a_question_is_asked() {
    let studio = Studio::new();
    std::fs::create_dir(studio.path().join("slow")).unwrap();
    sparse(&studio.path().join("slow/a.log"), 16 << 30);
    let config = crate::client::CONFIG.replace("['logs/*.log']", "['*/*.log']");
    std::fs::write(studio.path().join("otus.toml"), config).unwrap();
    let question = json!({ "spec": "", "runs": ["slow"] }).to_string();
    let asked = studio.open("POST", "/api/check", &[("Otus-Page", "p1")], &question);
    std::thread::sleep(std::time::Duration::from_millis(200));
    // This joins the threads of the studio. It would take minutes if the question were answered first.
    drop(studio);
    drop(asked);
}
