//! Results as JSON: a line for each case, as `--results` and `--format jsonl` write them, or one document (`--format json`).

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::restored::Restored;
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::files::Files;

/// A file of results.
pub(super) struct JsonFile {
    files: Arc<dyn Files>,
    name: String,
    /// The results of a document; `None` if there is a result on each line.
    results: Option<Vec<Value>>,
    /// The question and the engine of the first result.
    pub(super) kind: &'static str,
    pub(super) by_observed: bool,
    pub(super) engine: &'static str,
}

/// The names of questions, which reports put into words.
const KINDS: [&str; 10] = [
    "accept",
    "prefix",
    "eliminate",
    "simulate",
    "declared",
    "complete",
    "global-prefix",
    "slice",
    "suffix",
    "nothing",
];

const ENGINES: [&str; 2] = ["fast", "graph"];

fn one_of(value: &Value, words: &[&'static str]) -> &'static str {
    words.iter().find(|word| value.as_str() == Some(**word)).copied().unwrap_or_default()
}

impl JsonFile {
    pub(super) fn open(context: &Context, name: &str, is_document: bool) -> Result<JsonFile> {
        let files = context.files.clone();
        let bytes = || crate::load::read(&*files, name);
        let mut results = None;
        if is_document {
            let Ok(Value::Object(mut document)) = serde_json::from_slice(&bytes()?) else {
                unfit!("{name} is no document of results; `otus analyze --format json` writes one");
            };
            match document.remove("results") {
                Some(Value::Array(all)) => results = Some(all),
                _ => unfit!(
                    "{name} has no list `results`; `otus analyze --format json` writes such a document"
                ),
            }
        } else if files.kind(Path::new(name)).is_none() {
            // The message suggests another name.
            bytes()?;
        }
        let mut file = JsonFile {
            files,
            name: name.to_owned(),
            results,
            kind: "",
            by_observed: false,
            engine: "fast",
        };
        let first = match &file.results {
            Some(all) => all.first().cloned(),
            None => file.lines()?.next().transpose()?.map(|(_, value)| value),
        };
        if let Some(first) = first {
            file.by_observed = first["observed"].is_string();
            let asked = if file.by_observed { &first["observed"] } else { &first["kind"] };
            (file.kind, file.engine) = (one_of(asked, &KINDS), one_of(&first["engine"], &ENGINES));
        }
        Ok(file)
    }

    /// The results on lines, with their numbers.
    fn lines(&self) -> Result<impl Iterator<Item = Result<(usize, Value)>>> {
        let path = Path::new(&self.name);
        let file = self.files.open(path).map_err(|source| Error::read(path, source))?;
        let name = self.name.clone();
        let line = move |(index, line): (usize, std::io::Result<Vec<u8>>)| {
            let number = index + 1;
            let line = match line {
                Ok(line) => line,
                Err(source) => return Some(Err(Error::read(Path::new(&name), source))),
            };
            if line.trim_ascii().is_empty() {
                return None;
            }
            let found = serde_json::from_slice::<Value>(&line);
            Some(found.map(|value| (number, value)).map_err(|_| {
                Error::Unfit(format!(
                    "{name}:{number} is no result of Otus; if the run was killed while it wrote the line, delete the line"
                ))
            }))
        };
        Ok(BufReader::new(file).split(b'\n').enumerate().filter_map(line))
    }

    pub(super) fn each(&self, add: &mut dyn FnMut(Restored) -> Result<()>) -> Result<()> {
        match &self.results {
            Some(all) => {
                for (index, result) in all.iter().enumerate() {
                    add(restored(result, &format!("{}: result {}", self.name, index + 1))?)?;
                }
            }
            None => {
                for line in self.lines()? {
                    let (number, result) = line?;
                    add(restored(&result, &format!("{}:{number}", self.name))?)?;
                }
            }
        }
        Ok(())
    }
}

/// A result, whose place is named in messages.
fn restored(result: &Value, place: &str) -> Result<Restored> {
    let text = |key: &str| result[key].as_str().map(str::to_owned);
    let (Some(run), Some(verdict)) = (text("id"), text("verdict")) else {
        unfit!("{place} is no result of Otus, which has an `id` and a `verdict`");
    };
    let explanation = &result["explanation"];
    let headline = explanation["headline"].as_str().map(str::to_owned);
    Ok(Restored {
        run,
        verdict,
        events: 0,
        cause: explanation["cause"].as_str().map(str::to_owned),
        explanation: headline.is_some().then(|| words(explanation)),
        headline,
        place: at(&explanation["expected"][0]),
        log: at(&explanation["observed"]),
        reason: text("reason"),
        note: text("note"),
        spec: text("spec"),
        is_known: result["known"].as_bool().unwrap_or_default(),
        kind: one_of(&result["kind"], &KINDS),
        observed: Some(one_of(&result["observed"], &KINDS)).filter(|it| !it.is_empty()),
        partition: text("partition"),
        engine: one_of(&result["engine"], &ENGINES),
        states: result["states"].as_u64().unwrap_or_default(),
        micros: result["micros"].as_u64().unwrap_or_default(),
    })
}

/// The place in an object: `flow.mmd:3`.
fn at(value: &Value) -> Option<String> {
    let file = value["file"].as_str()?;
    Some(match value["line"].as_u64() {
        Some(line @ 1..) => format!("{file}:{line}"),
        _ => file.to_owned(),
    })
}

/// An explanation in words, from its data.
fn words(explanation: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let joined = |value: &Value, between: &str| {
        list(value).iter().map(word).collect::<Vec<_>>().join(between)
    };
    let placed = |what: String, value: &Value| match at(value) {
        Some(place) => format!("{what} at {place}"),
        None => what,
    };
    let headline = word(&explanation["headline"]);
    let mut lines = vec![format!("error[{}]: {headline}", word(&explanation["cause"]))];
    for expected in list(&explanation["expected"]) {
        lines.push(placed(format!("expected: {}", word(&expected["action"])), &expected));
    }
    let observed = Some(explanation["observed"].clone()).filter(Value::is_object);
    for log in observed.into_iter().chain(list(&explanation["related"])) {
        let (role, action) = (word(&log["role"]), word(&log["action"]));
        lines.push(placed(format!("{role}: {action}"), &log));
    }
    for log in list(&explanation["furthest"][0]["logs"]) {
        let (explained, all) = (log["consumed"].as_u64(), log["total"].as_u64());
        if let (Some(explained), Some(all)) = (explained, all) {
            let expected = joined(&log["expected"], " or ");
            let expected =
                if expected.is_empty() { expected } else { format!(", expected {expected}") };
            lines.push(format!(
                "{}: {explained} of {all} explained{expected}",
                joined(&log["lifelines"], "+")
            ));
        }
    }
    for edit in list(&explanation["repair"]["edits"]) {
        lines.push(format!("repair: {}", word(&edit["text"])));
    }
    lines.join("\n")
}
