//! What the files of a folder are, and which are alike.
//!
//! Text files are alike if they share enough shapes of lines, with the name of the file taken out:
//! the logs of five clients of one program are one source, that of the server another.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use otus_trace::read::{self, Format};
use otus_trace::run::shape;

use super::speech::{self, Speech};
use crate::input;
use otus::logs::{beginning, describes_itself, walk};

/// A folder with logs.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) sources: Vec<Looked>,
    /// Files that are no logs, or nobody knows.
    pub(super) others: Vec<String>,
}

/// Files that are read the same way.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) format: Format,
    /// Each with its path inside the folder.
    pub(super) files: Vec<(PathBuf, String)>,
    /// What their lines say of sending and receiving.
    pub(super) speech: Speech,
    /// The shapes of their lines.
    shapes: BTreeSet<String>,
    /// What is between the values of a line, if it is not a comma.
    pub(super) separator: Option<char>,
}

impl Folder {
    pub(super) fn look(folder: &Path) -> anyhow::Result<Folder> {
        let mut looked = Folder::default();
        for path in walk(folder)? {
            let inside = path.strip_prefix(folder).unwrap_or(&path);
            let inside = inside.to_string_lossy().replace('\\', "/");
            if inside == crate::project::FILE {
                continue;
            }
            let head = beginning(&path);
            match format(&path, &head) {
                Some(format) => looked.add(format, path, inside, &head),
                None => looked.others.push(inside),
            }
        }
        Ok(looked)
    }

    fn add(&mut self, format: Format, path: PathBuf, inside: String, head: &[u8]) {
        let text = String::from_utf8_lossy(head);
        // The last line may be cut.
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if head.len() >= 64 << 10 {
            lines.pop();
        }
        let stem = stem(&inside);
        let shapes: BTreeSet<String> = match format {
            Format::Text => {
                lines.iter().map(|line| shape(line.replace(stem, "@").as_bytes())).collect()
            }
            Format::Csv => lines.first().map(|line| (*line).to_owned()).into_iter().collect(),
            Format::Json
            | Format::Otlp
            | Format::Jaeger
            | Format::Zipkin
            | Format::Shiviz
            | Format::Htf
            | Format::Canonical => BTreeSet::new(),
        };
        let mut speech = Speech::default();
        speech::listen(&mut speech, format, &lines, ',');
        let alike = |source: &Looked| {
            source.format == format
                && match format {
                    Format::Text => {
                        let common = source.shapes.intersection(&shapes).count();
                        let least = source.shapes.len().min(shapes.len());
                        // Or they say different things in the same way.
                        (least > 0 && common * 10 >= least * 3)
                            || (!speech.said.is_empty()
                                && source.speech.said.keys().eq(speech.said.keys()))
                    }
                    Format::Csv => source.shapes == shapes,
                    // JSON is told apart by its rules; other formats have none.
                    Format::Json
                    | Format::Otlp
                    | Format::Jaeger
                    | Format::Zipkin
                    | Format::Shiviz
                    | Format::Htf
                    | Format::Canonical => true,
                }
        };
        let title = text.lines().next().unwrap_or_default();
        let unusual = format == Format::Csv && !title.contains(',');
        let separator = [';', '\t', '|'].into_iter().find(|it| unusual && title.contains(*it));
        let index = self.sources.iter().position(alike).unwrap_or_else(|| {
            let (files, shapes) = (Vec::new(), BTreeSet::new());
            let speech = Speech::default();
            self.sources.push(Looked { format, files, speech, shapes, separator });
            self.sources.len() - 1
        });
        let source = &mut self.sources[index];
        source.files.push((path, inside));
        source.shapes.extend(shapes);
        speech::listen(&mut source.speech, format, &lines, separator.unwrap_or(','));
    }
}

/// Whether most of the first lines are objects; programs print other things while they start.
fn is_json(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(50);
    let (mut all, mut objects) = (0, 0);
    for line in lines {
        all += 1;
        objects += usize::from(line.trim_start().starts_with("{\""));
    }
    objects * 2 > all
}

/// The name of a file without folders and endings.
pub(super) fn stem(inside: &str) -> &str {
    let name = inside.rsplit('/').next().unwrap_or(inside);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// How a file is read, if it is a log.
fn format(path: &Path, head: &[u8]) -> Option<Format> {
    if let Some(format) = describes_itself(head) {
        return Some(format);
    }
    let ending = input::Format::of_name(path);
    if ending.is_some_and(|ending| ending != crate::args::Format::Jsonl) || head.is_empty() {
        return None;
    }
    match read::detect(None, head) {
        Some(Format::Json) => {
            // A case file is a multi-trace a line.
            let text = String::from_utf8_lossy(head);
            let case = text.lines().next().is_some_and(|line| line.contains("\"htf\""));
            return (!case).then_some(Format::Json);
        }
        Some(_) => return None,
        None if is_json(head) => return Some(Format::Json),
        None => {}
    }
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = ["gz", "zst", "zstd"].iter().fold(&*name, |name, packed| {
        name.strip_suffix(packed).and_then(|name| name.strip_suffix('.')).unwrap_or(name)
    });
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let numbered = ending.chars().all(|c| c.is_ascii_digit());
    let binary = head.iter().take(4096).filter(|&&byte| byte == 0).count() > 8;
    match ending {
        _ if binary => None,
        "csv" | "tsv" => Some(Format::Csv),
        "log" | "txt" | "out" | "err" | "trace" => Some(Format::Text),
        // `messages`, `broker.log.1`.
        _ if numbered => Some(Format::Text),
        _ => None,
    }
}
