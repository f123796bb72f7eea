//! A folder with a specification, a mapping and logs, and a watch in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use otus::{Context, Request};
use otus_live::{Closing, Config, Format, Inputs, Stopped, watch};
use serde_json::Value;

/// `a` asks, and `b` answers; each line is one event of the group that it names.
const FLOW: &str = "sequenceDiagram\n  a->>b: ask\n  b-->>a: answer\n";
const MAPPING: &str = r#"
spec = "flow.mmd"
[[source]]
files = ["logs/*.log"]
format = "regex"
lifeline = "{file.stem}"
group = "{g}"
[[source.rule]]
match = '^(?<g>\w+) (?<d>[!?])(?<m>\w+)$'
dir = "{d}"
message = "{m}"
[[source.rule]]
match = '^(?<g>\w+) done$'
closes = true
"#;

pub(crate) struct Place(pub(crate) tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("logs")).unwrap();
        std::fs::write(folder.path().join("flow.mmd"), FLOW).unwrap();
        std::fs::write(folder.path().join("otus.toml"), MAPPING).unwrap();
        Place(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn config(&self) -> Config {
        Config {
            inputs: Inputs { files: true, from_start: true, ..Inputs::default() },
            closing: Closing { grace: Duration::from_millis(50), ..Closing::default() },
            format: Format::Jsonl,
            verdicts: Some(self.path("verdicts.jsonl")),
            ..Config::default()
        }
    }

    pub(crate) fn append(&self, log: &str, text: &str) {
        let path = self.path("logs").join(log);
        let file = std::fs::File::options().append(true).create(true).open(path);
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }
}

/// A watch on a thread of its own.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    told: Shared,
    thread: JoinHandle<otus_live::Result<Stopped>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Watch {
    pub(crate) fn start(place: &Place, config: Config) -> Watch {
        let (stop, told) = (Arc::new(AtomicBool::new(false)), Shared::default());
        let (asked, out) = (stop.clone(), Box::new(told.clone()));
        let mut request = Request::new([place.path("flow.mmd").to_string_lossy()]);
        request.config = Some(place.path("otus.toml"));
        let thread =
            std::thread::spawn(move || watch(&Context::default(), &request, &config, out, &asked));
        Watch { stop, told, thread }
    }

    /// What was told so far.
    pub(crate) fn told(&self) -> Vec<Value> {
        let text = self.told.0.lock().unwrap().clone();
        let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    /// Waits until so much was told, or gives up after a long time.
    pub(crate) fn wait_for(&self, count: usize) {
        for _ in 0..6000 {
            // Lines are counted and not read, because a test may wait for many of them.
            let lines = memchr::memchr_iter(b'\n', &self.told.0.lock().unwrap()).count();
            if lines >= count || self.thread.is_finished() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether it ends with an error.
    pub(crate) fn fails(self) -> bool {
        self.thread.join().unwrap().is_err()
    }

    pub(crate) fn stop(self) -> (Stopped, Vec<Value>) {
        self.stop.store(true, Ordering::Relaxed);
        for _ in 0..6000 {
            if self.thread.is_finished() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let told = self.told.clone();
        let stopped = self.thread.join().unwrap().unwrap();
        let told = told.0.lock().unwrap().clone();
        let lines = told.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        (stopped, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
    }
}

/// By group: the verdict and the number of events, from the file of verdicts.
pub(crate) fn verdicts(path: &Path) -> BTreeMap<String, (String, u64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let (group, verdict) =
            (value["group"].as_str().unwrap(), value["verdict"].as_str().unwrap());
        let told = (verdict.to_owned(), value["events"].as_u64().unwrap());
        assert_eq!(all.insert(group.to_owned(), told), None, "{group} is told twice");
    }
    all
}
