//! Results as tables: one of verdicts in a file, or all of them in a folder.

use std::path::{Path, PathBuf};

use otus::Format;
use otus::report::Writer;

/// Whether results go to tables, which cannot be continued: a name that ends in `.parquet`, or a folder.
pub(super) fn are_asked(path: &Path) -> bool {
    is_one(path) || is_folder(path)
}

fn is_one(path: &Path) -> bool {
    Format::of_name(path) == Some(Format::Parquet) && !path.is_dir()
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator)
}

/// The files to write, each with its writer. Makes the folder.
#[cfg(feature = "parquet")]
pub(super) fn writers(path: &Path) -> anyhow::Result<Vec<(PathBuf, Box<dyn Writer>)>> {
    if is_one(path) {
        return Ok(vec![(path.to_owned(), otus::report::verdict_table())]);
    }
    crate::output::make_folder(path)?;
    let tables = otus::report::result_tables().into_iter();
    Ok(tables.map(|(name, writer)| (path.join(format!("{name}.parquet")), writer)).collect())
}

#[cfg(not(feature = "parquet"))]
pub(super) fn writers(path: &Path) -> anyhow::Result<Vec<(PathBuf, Box<dyn Writer>)>> {
    anyhow::bail!(
        "this build of Otus writes no Parquet ({}); build it with the feature `parquet`, or name a .jsonl",
        path.display()
    );
}
