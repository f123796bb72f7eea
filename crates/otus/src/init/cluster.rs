//! Clusters of similar logs, each of which becomes a source.
//!
//! Text files are similar if they share enough shapes of lines, after the name of the file is removed: the logs of five
//! clients of one program are one source, that of the server is another.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use otus_trace::read::Format as LogFormat;
use otus_trace::run::shape;

use super::phrase::Phrases;
use crate::error::Result;
use crate::files::{self, Files};
use crate::format;
use crate::logs::{BEGINNING, beginning, without_spans};
use crate::project::FILE;

#[derive(Debug, Default)]
pub(super) struct Clusters {
    pub(super) sources: Vec<Cluster>,
    /// Files that do not look like logs.
    pub(super) others: Vec<String>,
    /// The reason why the first file that looks like a log cannot be used.
    pub(super) unfit: Option<String>,
}

/// Files that are read in the same way.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) format: LogFormat,
    pub(super) files: Vec<ClusterFile>,
    pub(super) phrases: Phrases,
    shapes: BTreeSet<String>,
    /// The separator of a CSV file, if it is not a comma.
    pub(super) separator: Option<char>,
}

#[derive(Debug)]
pub(super) struct ClusterFile {
    pub(super) path: PathBuf,
    /// The path inside the folder.
    pub(super) inside: String,
}

impl Clusters {
    pub(super) fn find(files: &dyn Files, folder: &Path) -> Result<Clusters> {
        let mut clusters = Clusters::default();
        for path in files::walk(files, folder)? {
            let inside = path.strip_prefix(folder).unwrap_or(&path);
            let inside = inside.to_string_lossy().replace('\\', "/");
            if inside == FILE {
                continue;
            }
            let head = beginning(files, &path);
            if let Some(reason) = without_spans::reason(&head) {
                clusters.unfit.get_or_insert_with(|| format!("{inside} {reason}"));
                clusters.others.push(inside);
                continue;
            }
            match format::of_log(&path, &head) {
                Some(format) => clusters.add(format, ClusterFile { path, inside }, &head),
                None => clusters.others.push(inside),
            }
        }
        Ok(clusters)
    }

    fn add(&mut self, format: LogFormat, file: ClusterFile, head: &[u8]) {
        let text = String::from_utf8_lossy(head);
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        // The beginning of a file ends anywhere, so its last line may be incomplete.
        if head.len() >= BEGINNING {
            lines.pop();
        }
        let title = text.lines().next().unwrap_or_default();
        let is_unusual = format == LogFormat::Csv && !title.contains(',');
        let separator = [';', '\t', '|'].into_iter().find(|it| is_unusual && title.contains(*it));
        let shapes: BTreeSet<String> = if format == LogFormat::Text {
            let stem = stem(&file.inside);
            lines.iter().map(|line| shape(line.replace(stem, "@").as_bytes())).collect()
        } else {
            // The columns of a CSV file.
            let first = lines.first().filter(|_| format == LogFormat::Csv);
            first.map(|line| (*line).to_owned()).into_iter().collect()
        };
        let mut phrases = Phrases::default();
        phrases.read(format, &lines, separator);
        let is_similar = |source: &Cluster| {
            if source.format != format {
                return false;
            }
            if format != LogFormat::Text {
                // Rules distinguish JSON lines; other formats have no shapes.
                return source.shapes == shapes;
            }
            let common = source.shapes.intersection(&shapes).count();
            let least = source.shapes.len().min(shapes.len());
            let are_shared = least > 0 && common * 10 >= least * 3;
            // Lines about different messages may have the same phrase, so phrases are compared as
            // well.
            let (kinds, others) = (&phrases.by_kind, &source.phrases.by_kind);
            are_shared || (!kinds.is_empty() && kinds.keys().eq(others.keys()))
        };
        let index = self.sources.iter().position(is_similar).unwrap_or_else(|| {
            self.sources.push(Cluster {
                format,
                files: Vec::new(),
                phrases: Phrases::default(),
                shapes: BTreeSet::new(),
                separator,
            });
            self.sources.len() - 1
        });
        let source = &mut self.sources[index];
        source.files.push(file);
        source.shapes.extend(shapes);
        source.phrases.read(format, &lines, separator);
    }
}

/// The name of a file without folders and endings.
pub(super) fn stem(inside: &str) -> &str {
    let name = inside.rsplit('/').next().unwrap_or(inside);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
