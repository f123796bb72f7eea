//! Refuses two outputs of one call that would overwrite each other.

use std::path::{Path, PathBuf};

use anyhow::bail;
use otus::report::ReportFormat;

use crate::args::{AnalyzeArgs, CoverageOutput};

pub(super) fn refuse(args: &AnalyzeArgs) -> anyhow::Result<()> {
    let named = [
        ("--graph", &args.search.graph),
        ("--certificate", &args.certificate),
        ("--order", &args.order),
    ];
    let is_text = args.format == ReportFormat::Text;
    let mut printed = (!is_text).then(|| format!("--format {}", args.format.name()));
    for (flag, _) in named.iter().filter(|(_, name)| name.as_deref() == Some("-")) {
        if let Some(other) = &printed {
            bail!(
                "{flag} - and {other} both write to standard output; name a file for {flag}, or \
                 write the verdicts to a file by --report FORMAT=FILE"
            );
        }
        // A certificate belongs to a failure and an order to a success, so only one of them is written.
        if *flag == "--graph" {
            printed = Some("--graph -".to_owned());
        }
    }
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for (flag, name) in named {
        if let Some(name) = name.as_deref().filter(|name| *name != "-") {
            files.push((flag.to_owned(), PathBuf::from(name)));
        }
    }
    for report in &args.report {
        files.push((format!("--report {}", report.format.name()), report.path.clone()));
    }
    for output in &args.coverage {
        if let CoverageOutput::File(path, _) = output {
            files.push(("--coverage".to_owned(), path.clone()));
        }
    }
    let others = [("--results", &args.results), ("--write-baseline", &args.write_baseline)];
    for (flag, path) in others {
        let Some(path) = path else { continue };
        if path.as_os_str() == "-" {
            bail!("{flag} writes a file, not standard output; give it a name");
        }
        files.push((flag.to_owned(), path.clone()));
    }
    for (flag, path) in &files {
        // A file that is no results is found when it is read, before something is appended to it.
        if flag == "--results" && !super::tables::are_asked(path) {
            continue;
        }
        let is_read = |input: &&String| place(Path::new(input)) == place(path);
        if let Some(input) = args.files.iter().find(is_read) {
            bail!("{flag} would overwrite {input}, which is read; give it another name");
        }
    }
    for (index, (flag, path)) in files.iter().enumerate() {
        let same = files[..index].iter().find(|(_, other)| place(other) == place(path));
        if let Some((other, _)) = same {
            bail!("{other} and {flag} both write {}; give each a file of its own", path.display());
        }
    }
    Ok(())
}

/// The canonical path of a file, so that two names of one file are equal.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return found;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
