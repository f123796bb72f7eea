//! What the user named: files, folders, `-`, and `file.md#heading`.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus_syntax::source::MAX_SOURCE_BYTES;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span};

use crate::args::Format;

/// The texts of one run, in the order they were read.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) sources: Vec<Source>,
    /// Texts that could not be used at all.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What came from standard input, if it has been read already.
    pub(crate) standard_input: Option<Vec<u8>>,
}

/// One text and how to read it.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) source: SourceId,
    pub(crate) format: Format,
    /// What follows `#` in `file.md#heading`.
    pub(crate) selector: Option<String>,
    /// The file it came from; `None` for standard input.
    pub(crate) path: Option<PathBuf>,
}

impl Inputs {
    /// Reads one named text.
    pub(crate) fn read(&mut self, name: &str, from: Option<Format>) -> anyhow::Result<Input> {
        let (path, selector) = split_selector(name);
        let (shown, bytes) = if name == "-" {
            let mut bytes = self.standard_input.take().unwrap_or_default();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .context("cannot read standard input")?;
            ("<stdin>".to_owned(), bytes)
        } else {
            let bytes = std::fs::read(path).map_err(|error| explain_missing(path, &error))?;
            (path.to_owned(), bytes)
        };
        let source = SourceId(u32::try_from(self.sources.len()).context("too many files")?);
        let text = self.text(source, bytes);
        let path = (name != "-").then(|| PathBuf::from(path));
        let ending = path.as_deref().and_then(format_of_ending);
        let format = ending
            .or(from)
            .or_else(|| format_of_content(&text))
            .with_context(|| unclear(&shown))?;
        self.sources.push(Source::with_id(source, shown, text));
        Ok(Input { source, format, selector: selector.map(str::to_owned), path })
    }

    /// Reads a file of which the format is known.
    pub(crate) fn read_as(&mut self, path: &str, format: Format) -> anyhow::Result<Input> {
        let bytes = std::fs::read(path).map_err(|error| explain_missing(path, &error))?;
        let source = self.add_bytes(path.to_owned(), bytes);
        Ok(Input { source, format, selector: None, path: Some(PathBuf::from(path)) })
    }

    /// A text that comes from elsewhere, such as the `htf` of a case.
    pub(crate) fn add(&mut self, name: String, text: String) -> SourceId {
        let source = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.sources.push(Source::with_id(source, name, text));
        source
    }

    /// The same from bytes; what is no text is reported and left empty.
    pub(crate) fn add_bytes(&mut self, name: String, bytes: Vec<u8>) -> SourceId {
        let source = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        let text = self.text(source, bytes);
        self.add(name, text)
    }

    /// The text with a number.
    pub(crate) fn source(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// The bytes as text; what is no text is reported and left empty.
    fn text(&mut self, source: SourceId, bytes: Vec<u8>) -> String {
        if bytes.len() > MAX_SOURCE_BYTES {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::TOO_LARGE,
                    source,
                    Span::at(0),
                    format!("this text has {} bytes; the limit is 4 GiB", bytes.len()),
                )
                .with_help("split it into several files or cases"),
            );
            return String::new();
        }
        String::from_utf8(bytes).unwrap_or_else(|error| {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let line = bytes[..at].split(|&byte| byte == b'\n').count();
            let help = match bytes.as_slice() {
                [0x1f, 0x8b, ..] => "it looks like gzip: unpack it first",
                [0x28, 0xb5, 0x2f, 0xfd, ..] => "it looks like zstd: unpack it first",
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it looks like UTF-16: save it as UTF-8",
                _ => "save it as UTF-8",
            };
            self.diagnostics.push(
                Diagnostic::new(
                    Code::NOT_UTF8,
                    source,
                    Span::at(0),
                    format!("this text is not UTF-8: byte {at}, on line {line}, cannot be read"),
                )
                .with_help(help),
            );
            String::new()
        })
    }
}

/// `file.md#heading` as file and heading; a file whose name has a `#` keeps it.
fn split_selector(name: &str) -> (&str, Option<&str>) {
    match name.split_once('#') {
        Some((path, selector)) if !path.is_empty() && !Path::new(name).exists() => {
            (path, Some(selector))
        }
        _ => (name, None),
    }
}

pub(crate) fn explain_missing(path: &str, error: &std::io::Error) -> anyhow::Error {
    if Path::new(path).is_dir() {
        return anyhow::anyhow!("{path} is a folder; name the files in it");
    }
    if error.kind() == std::io::ErrorKind::NotFound {
        let name = Path::new(path);
        let parent = name.parent().filter(|p| !p.as_os_str().is_empty());
        if let Some(parent) = parent.filter(|parent| !parent.exists()) {
            return anyhow::anyhow!("cannot read {path}: there is no folder {}", parent.display());
        }
        let mut siblings: Vec<String> = std::fs::read_dir(parent.unwrap_or(Path::new(".")))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        siblings.sort();
        let wanted = name.file_name().unwrap_or_default().to_string_lossy();
        let found = otus_syntax::suggest::nearest(&wanted, siblings.iter().map(String::as_str));
        return match found {
            Some(found) => {
                let found = name.with_file_name(found);
                anyhow::anyhow!("there is no file {path}; did you mean {}?", found.display())
            }
            None => anyhow::anyhow!("there is no file {path}"),
        };
    }
    anyhow::anyhow!("cannot read {path}: {error}")
}

/// The format that a file's ending tells.
pub(crate) fn format_of_ending(path: &Path) -> Option<Format> {
    if path.file_name()?.to_str()?.to_ascii_lowercase().ends_with(".pot.json") {
        return Some(Format::Pot);
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "hsf" => Some(Format::Hsf),
        "hif" => Some(Format::Hif),
        "hcf" => Some(Format::Hcf),
        "htf" => Some(Format::Htf),
        "mmd" | "mermaid" => Some(Format::Mermaid),
        "puml" | "plantuml" | "pu" | "iuml" | "wsd" => Some(Format::Plantuml),
        "md" | "markdown" => Some(Format::Markdown),
        "jsonl" | "ndjson" => Some(Format::Jsonl),
        "ctl" => Some(Format::Ctl),
        _ => None,
    }
}

/// The format that a text looks like.
pub(crate) fn format_of_content(text: &str) -> Option<Format> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let fenced = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["```mermaid", "~~~mermaid", "```plantuml", "~~~plantuml", "```puml"]
            .iter()
            .any(|fence| line.starts_with(fence))
    };
    if text.lines().take(10_000).any(|line| fenced(line.trim_start())) {
        return Some(Format::Markdown);
    }
    let first = lines.find(|line| !line.starts_with("%%") && !line.starts_with('\'')).unwrap_or("");
    if first.starts_with("sequenceDiagram") || first == "---" {
        return Some(Format::Mermaid);
    }
    if first.starts_with("@startuml") {
        return Some(Format::Plantuml);
    }
    let start = text.trim_start();
    let in_braces = start.strip_prefix('{').map_or("", str::trim_start);
    if ["\"processes\"", "\"edges\"", "\"init\""].iter().any(|key| in_braces.starts_with(key)) {
        return Some(Format::Pot);
    }
    if in_braces.starts_with('"') && quoted_key(in_braces) {
        return Some(Format::Jsonl);
    }
    let begins_trace = |text: &str| text.starts_with('[') || text.starts_with('{');
    let global_trace = || {
        let end = otus_syntax::lexer::scan_word(start, 0);
        end > 0 && matches!(start.as_bytes().get(end), Some(b'!' | b'?')) && start.contains('.')
    };
    if begins_trace(start) || global_trace() {
        return Some(Format::Htf);
    }
    // What is left is an interaction, unless it does not look like any text of ours.
    let arrow = ["--", "->", "!", "?"].iter().any(|sign| first.contains(sign));
    let operator = first.split_once('(').is_some_and(|(word, _)| {
        !word.is_empty() && word.trim_end().chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let known = start.is_empty()
        || start.starts_with(['@', '∅', '/', '"'])
        || first == "o"
        || (!start.starts_with('<') && (arrow || operator))
        || start.starts_with("<synch>")
        || start.starts_with("<asynch>");
    known.then_some(Format::Hif)
}

/// Whether a text begins with a quoted key and a colon, as JSON does and no trace.
fn quoted_key(text: &str) -> bool {
    let end = otus_syntax::lexer::scan_quoted(text, 0);
    end.closed && text[end.end..].trim_start().starts_with(':')
}

fn unclear(name: &str) -> String {
    format!(
        "cannot tell what {name} is: neither its ending nor its content says so; endings are .hsf, .hif, \
         .hcf, .mmd, .puml, .md, .htf, .jsonl, .pot.json and .ctl, or say --from FORMAT"
    )
}

/// The files a name stands for: itself, or all files of a folder that `wanted` picks.
pub(crate) fn expand(name: &str, wanted: impl Fn(&Path) -> bool) -> anyhow::Result<Vec<String>> {
    let path = Path::new(name);
    if name == "-" || !path.is_dir() {
        return Ok(vec![name.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() && !hidden {
                folders.push(path);
            } else if kind.is_file() && wanted(&path) {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    if files.is_empty() {
        bail!("the folder {name} has no file to work on");
    }
    files.sort();
    Ok(files)
}
