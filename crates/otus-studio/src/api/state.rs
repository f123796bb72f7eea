//! What the folder has: files, specifications, runs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use otus::project::Settings;
use otus::{Context, FileKind, Files as _, Format};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Asked, Studio};
use crate::folder::View;
use crate::watch::{self, MOST_FILES};

/// The most files of the answer.
const SHOWN: usize = 5000;
/// The bytes of a file that tell what it is.
const HEAD: u64 = 4096;

/// A name that can be checked.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Run {
    pub(crate) name: String,
    kind: &'static str,
    files: Vec<String>,
    size: u64,
    /// Whether no other run contains it.
    #[serde(skip)]
    pub(crate) is_top: bool,
}

pub(crate) fn state(asked: &Asked<'_>) -> Value {
    let studio = asked.studio;
    let view = &studio.view;
    let (paths, more) = watch::files(studio, SHOWN);
    let folder = view.folder();
    let settings = settings(view);
    let name = |path: &Path| folder.name(path);
    let mut files = Vec::new();
    let (mut orders, mut formulas, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for path in &paths {
        let kind = kind(view, path, settings.as_ref());
        files.push(
            json!({ "path": name(path), "size": view.size(path).unwrap_or(0), "kind": kind }),
        );
        match kind {
            "order" => orders.push(name(path)),
            "formula" => formulas.push(name(path)),
            "results" => results.push(name(path)),
            _ => {}
        }
    }
    let shown = folder.root().file_name().map(|it| it.to_string_lossy().into_owned());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "folder": shown.unwrap_or_else(|| "/".to_owned()),
        "generation": studio.generation(),
        "config": config(view).map(|path| name(&path)),
        "files": files,
        "more": more,
        "specs": specs(view, &paths, settings.as_ref()),
        "runs": runs_of(view, &paths, settings.as_ref()),
        "orders": orders,
        "formulas": formulas,
        "results": results,
    })
}

/// The runs of a folder.
pub(crate) fn runs(studio: &Studio, view: &View) -> Vec<Run> {
    let (paths, _) = watch::files(studio, MOST_FILES);
    runs_of(view, &paths, settings(view).as_ref())
}

/// The `otus.toml` of the folder, or the first one below it.
pub(crate) fn config(view: &View) -> Option<PathBuf> {
    let own = view.folder().root().join(otus::project::FILE);
    (view.kind(&own) == Some(FileKind::File)).then_some(own)
}

fn settings(view: &View) -> Option<Settings> {
    let context = Context::default().with_files(view.clone());
    Settings::read(&context, &config(view)?).ok()
}

/// What a file is.
fn kind(view: &View, path: &Path, settings: Option<&Settings>) -> &'static str {
    if path.file_name().is_some_and(|name| name == otus::project::FILE) {
        return "config";
    }
    let is_source = || {
        let folder = settings.map(|it| &it.folder)?;
        let inside = path.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/");
        settings?.plan.source_of(&inside)
    };
    match Format::of_name(path) {
        Some(Format::Hsf | Format::Hif) => "specification",
        Some(Format::Hcf) => "options",
        Some(Format::Mermaid | Format::Plantuml) => "diagram",
        Some(Format::Markdown) => "document",
        Some(Format::Htf) => "trace",
        Some(Format::Pot) => "order",
        Some(Format::Ctl) => "formula",
        _ if is_source().is_some() => "log",
        Some(Format::Jsonl) => match head(view, path) {
            text if text.contains("\"htf\"") => "cases",
            text if is_result(&text) => "results",
            _ => "log",
        },
        _ => match path.extension().and_then(|it| it.to_str()).unwrap_or_default() {
            "log" | "out" | "csv" => "log",
            "json" if is_result(&head(view, path)) => "results",
            "json" | "txt" if is_in_logs(path) => "log",
            _ => "other",
        },
    }
}

/// Whether a file of no usual ending is in a folder of logs.
fn is_in_logs(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.any(|part| part == "logs" || part == "log" || part == "traces")
}

fn is_result(text: &str) -> bool {
    text.contains("\"verdict\"") || text.contains("\"fingerprint\"")
}

fn head(view: &View, path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = view.open(path) {
        let _ = file.take(HEAD).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn specs(view: &View, paths: &[PathBuf], settings: Option<&Settings>) -> Vec<Value> {
    let folder = view.folder();
    let mut configured: Vec<String> = Vec::new();
    if let Some(settings) = settings {
        configured.extend(settings.spec.iter().cloned());
        configured.extend(settings.specs.iter().flat_map(|rule| rule.files.clone()));
    }
    let mut found: Vec<(String, String, &'static str)> = Vec::new();
    for path in paths {
        let name = folder.name(path);
        match Format::of_name(path) {
            Some(Format::Mermaid) => found.push((name.clone(), name, "mermaid")),
            Some(Format::Plantuml) => found.push((name.clone(), name, "plantuml")),
            Some(Format::Hif) => found.push((name.clone(), name, "interaction")),
            // A signature belongs to the interaction of the same name.
            Some(Format::Hsf) if view.kind(&path.with_extension("hif")).is_none() => {
                found.push((name.clone(), name, "model"));
            }
            Some(Format::Markdown) => {
                let bytes = view.read(path).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                for anchor in otus::draft::headings(&text) {
                    let spec =
                        if anchor.is_empty() { name.clone() } else { format!("{name}#{anchor}") };
                    found.push((spec, name.clone(), "markdown"));
                }
            }
            _ => {}
        }
    }
    let is_configured =
        |spec: &str, path: &str| configured.iter().any(|name| name == spec || name == path);
    found.sort_by_key(|(spec, path, _)| !is_configured(spec, path));
    let specs = found.into_iter().map(|(spec, path, language)| {
        let configured = is_configured(&spec, &path);
        json!({ "spec": spec, "path": path, "language": language, "configured": configured })
    });
    specs.collect()
}

fn runs_of(view: &View, paths: &[PathBuf], settings: Option<&Settings>) -> Vec<Run> {
    let folder = view.folder();
    let mut logs: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut traces: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for path in paths {
        let name = folder.name(path);
        let parent = path.parent().unwrap_or(path).to_owned();
        sizes.insert(name.clone(), view.size(path).unwrap_or(0));
        match kind(view, path, settings) {
            "log" => logs.entry(parent).or_default().push(name),
            "trace" => {
                traces.entry(parent).or_default().push(name.clone());
                runs.push(Run {
                    name: name.clone(),
                    kind: "trace",
                    files: vec![name],
                    size: 0,
                    is_top: true,
                });
            }
            "cases" => {
                runs.push(Run {
                    name: name.clone(),
                    kind: "cases",
                    files: vec![name],
                    size: 0,
                    is_top: true,
                });
            }
            _ => {}
        }
    }
    // A folder with several folders of logs is a run, too: all of them.
    let parents: Vec<PathBuf> =
        logs.keys().filter_map(|it| Some(it.parent()?.to_owned())).collect();
    let parents: BTreeSet<PathBuf> = parents.into_iter().collect();
    for parent in parents {
        let below: Vec<String> = logs
            .iter()
            .filter(|(path, _)| path.parent() == Some(&parent))
            .flat_map(|(_, files)| files.clone())
            .collect();
        let count = logs.keys().filter(|path| path.parent() == Some(&parent)).count();
        if count > 1 && parent != folder.root() && !logs.contains_key(&parent) {
            let name = folder.name(&parent);
            runs.push(Run { name, kind: "logs", files: below, size: 0, is_top: true });
        }
    }
    let groups = logs.into_iter().map(|it| (it, "logs")).chain(
        // A single trace is a run by itself.
        traces.into_iter().filter(|(_, files)| files.len() > 1).map(|it| (it, "trace")),
    );
    for ((path, files), kind) in groups {
        let name = folder.name(&path);
        let name = if name.is_empty() { ".".to_owned() } else { name };
        runs.push(Run { name, kind, files, size: 0, is_top: true });
    }
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    for run in &mut runs {
        run.size = run.files.iter().filter_map(|file| sizes.get(file)).sum();
        run.is_top = !names.iter().any(|other| {
            *other != run.name && (other == "." || run.name.starts_with(&format!("{other}/")))
        });
    }
    runs.sort_by(|one, other| one.name.cmp(&other.name));
    runs
}
