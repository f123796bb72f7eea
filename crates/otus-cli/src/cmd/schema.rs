//! `otus schema`: the JSON Schemas of our formats.

use otus_trace::{mapping, read};
use serde_json::{Value, json};

use crate::args::{Schema, SchemaArgs};
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> anyhow::Result<Exit> {
    let text = match args.what {
        Schema::Mapping => mapping_with_ours()?,
        Schema::Trace => read::canonical::schema().to_owned(),
        Schema::Results => RESULTS.to_owned(),
        Schema::Result => result()?,
    };
    output::print(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Success)
}

/// What `otus analyze --format json` prints.
const RESULTS: &str = include_str!("../report/results.schema.json");

/// The schema of one answer: a line of `--format jsonl`.
fn result() -> anyhow::Result<String> {
    let results: Value = serde_json::from_str(RESULTS)?;
    let schema = json!({
        "$schema": results["$schema"],
        "title": "A line that `otus analyze --format jsonl` prints",
        "$ref": "#/$defs/result",
        "$defs": results["$defs"],
    });
    Ok(format!("{schema:#}"))
}

/// The schema of `otus.toml`, with the keys that are not about logs.
fn mapping_with_ours() -> anyhow::Result<String> {
    let mut schema: Value = serde_json::from_str(mapping::schema())?;
    let text = json!({ "type": "string" });
    let ours = json!({
        "spec": {
            "description": "The specification that logs are checked against: a file, or the files of one specification, relative to otus.toml.",
            "anyOf": [text, { "type": "array", "items": text }],
        },
        "properties": {
            "description": "Formulas for `otus ctl`, by name.",
            "type": "object",
            "additionalProperties": text,
        },
    });
    if let (Value::Object(schema), Value::Object(ours)) = (&mut schema, ours) {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            for (key, value) in ours {
                properties.entry(key).or_insert(value);
            }
        }
    }
    Ok(format!("{schema:#}"))
}
