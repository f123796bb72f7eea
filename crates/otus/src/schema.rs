//! The JSON Schemas of our formats.

use otus_trace::{mapping, read};
use serde_json::{Value, json};

use crate::cause::CAUSES;
use crate::project::expectation;

/// A format that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schema {
    /// `otus.toml`.
    Mapping,
    /// The canonical format of events (JSON lines).
    Trace,
    /// The document of `otus analyze --format json`.
    Results,
    /// A line of `otus analyze --format jsonl`.
    Result,
    /// A partial-order trace, `.pot.json`.
    Pot,
    /// The document of `otus ctl --format json`.
    Answers,
    /// A line of `otus ctl --format jsonl`.
    Answer,
}

/// The schema of a format, as JSON text.
pub fn schema(of: Schema) -> String {
    match of {
        Schema::Mapping => mapping_with_ours(),
        Schema::Trace => read::canonical::schema().to_owned(),
        Schema::Results => RESULTS.to_owned(),
        Schema::Result => {
            one_of(RESULTS, "A line that `otus analyze --format jsonl` prints", "result")
        }
        Schema::Pot => POT.to_owned(),
        Schema::Answers => ANSWERS.to_owned(),
        Schema::Answer => one_of(ANSWERS, "A line that `otus ctl --format jsonl` prints", "answer"),
    }
}

const RESULTS: &str = include_str!("report/results.schema.json");
const POT: &str = include_str!("ctl/pot.schema.json");
const ANSWERS: &str = include_str!("ctl/answers.schema.json");

/// The schema of one item of a document.
fn one_of(document: &str, title: &str, item: &str) -> String {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let schema = json!({
        "$schema": document["$schema"],
        "title": title,
        "$ref": format!("#/$defs/{item}"),
        "$defs": document["$defs"],
    });
    format!("{schema:#}")
}

/// The schema of `otus.toml`, with the keys that are not about logs.
fn mapping_with_ours() -> String {
    let mut schema: Value = serde_json::from_str(mapping::schema()).unwrap_or_default();
    let text = json!({ "type": "string" });
    let ours = json!({
        "spec": {
            "description": "The specification that logs are checked against: a file, or the files of one specification, relative to otus.toml; or, as [[spec]], several.",
            "anyOf": [text, { "type": "array", "items": text }, { "type": "array", "items": several() }],
        },
        "properties": {
            "description": "Formulas for `otus ctl`, by name.",
            "type": "object",
            "additionalProperties": text,
        },
        "test": {
            "description": "What `otus test` expects of which traces.",
            "type": "array",
            "items": test(),
        },
    });
    for (key, value) in ours.as_object().into_iter().flatten() {
        let property = &mut schema["properties"][key];
        if property.is_null() {
            *property = value.clone();
        }
    }
    format!("{schema:#}")
}

/// The schema of `[[spec]]`, for several specifications.
fn several() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "anyOf": [text, { "type": "array", "items": text }] });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["file"],
        "properties": { "file": texts, "groups": texts },
    })
}

/// The schema of a `[[test]]`.
fn test() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "anyOf": [text, { "type": "array", "items": text }] });
    // The schema of expected values: a word, a list of words, or a table of these by id.
    let wanted = |words: &[&str]| {
        let word = json!({ "enum": words });
        let some = json!({ "anyOf": [word, { "type": "array", "items": word, "minItems": 1 }] });
        json!({ "anyOf": [some, { "type": "object", "additionalProperties": some }] })
    };
    let answers: Vec<&str> =
        expectation::VERDICTS.into_iter().chain(expectation::ANSWERS).collect();
    let causes = CAUSES.each_ref().map(|cause| cause.id);
    let described = |mut schema: Value, description: &str| {
        schema["description"] = json!(description);
        schema
    };
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "name": described(text.clone(), "What it is called."),
            "spec": described(texts.clone(), "The specification, if it is another than that of the file."),
            "traces": described(texts.clone(), "Multi-traces (.htf, .jsonl), folders or patterns of them; .pot.json for a formula."),
            "logs": described(texts, "Raw logs, folders or patterns of them. By default all that the sources name."),
            "group": described(text.clone(), "The only group of the logs that is meant."),
            "observed": { "description": "What may be missing, as by --observed.", "enum": expectation::OBSERVED },
            "kind": described(text.clone(), "The question in the words of the papers, as by --kind."),
            "formula": described(text.clone(), "A formula, as for `otus ctl`."),
            "property": described(text, "The name of one of [properties]."),
            "expect": described(wanted(&answers), "What is expected: a word, a list of them, or a table of these by the id of a group or case; patterns count less than names."),
            "cause": described(wanted(&causes), "The cause that is expected of a Fail."),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_the_causes_of_failures() {
        let schema: Value = serde_json::from_str(RESULTS).unwrap();
        let causes = CAUSES.iter().map(|cause| cause.id);
        let of_failures: Vec<&str> =
            causes.filter(|id| !["weak-pass", "undecided"].contains(id)).collect();
        let known = &schema["$defs"]["explanation"]["properties"]["cause"]["enum"];
        assert_eq!(*known, json!(of_failures));
    }

    #[test]
    fn the_schema_has_the_keys_of_a_test() {
        let schema = test();
        let mut keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let mut known = expectation::KEYS;
        keys.sort();
        known.sort_unstable();
        assert_eq!(keys, known);
    }
}
