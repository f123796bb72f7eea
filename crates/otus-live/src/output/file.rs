//! The file of verdicts: a line of JSON for each, and each id once.
//!
//! A restarted process reads the ids that are there, so a verdict that it finds again is not written again. A last line
//! that was not written as a whole is removed; its verdict is found again, because the write-ahead log forgets a verdict only
//! after the file was forced to disk.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::error::{Error, Result, about};
use crate::verdict::Told;

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    opened: fs::File,
    ids: FxHashSet<u128>,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    is_behind: bool,
}

impl File {
    pub(super) fn open(path: &Path) -> Result<File> {
        let mut options = fs::File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(about("open", path))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(about("read", path))?;
        let whole = memchr::memrchr(b'\n', &text).map_or(0, |end| end + 1);
        let mut ids = FxHashSet::default();
        for (number, line) in text[..whole].split(|&byte| byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let value: Option<serde_json::Value> = serde_json::from_slice(line).ok();
            let id = value.as_ref().and_then(|value| value["id"].as_str()).and_then(number_of);
            let Some(id) = id else {
                return Err(Error::Unfit(format!(
                    "line {} of {} is no verdict of `otus watch`; choose another file by --verdicts",
                    number + 1,
                    path.display()
                )));
            };
            ids.insert(id);
        }
        file.set_len(whole as u64).map_err(about("write", path))?;
        file.seek(SeekFrom::End(0)).map_err(about("write", path))?;
        Ok(File { path: path.to_owned(), opened: file, ids, lines: Vec::new(), is_behind: false })
    }

    /// Adds a verdict, unless it is there already, to what is written next. Returns whether it was new.
    pub(super) fn add(&mut self, told: &Told) -> bool {
        if !number_of(&told.id).is_some_and(|id| self.ids.insert(id)) {
            return false;
        }
        self.lines.extend_from_slice(told.json().as_bytes());
        self.lines.push(b'\n');
        true
    }

    /// Writes what was added, in one piece.
    pub(super) fn flush(&mut self) -> Result<()> {
        if !self.lines.is_empty() {
            self.opened.write_all(&self.lines).map_err(about("write", &self.path))?;
            self.lines.clear();
            self.is_behind = true;
        }
        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        self.flush()?;
        if std::mem::take(&mut self.is_behind) {
            self.opened.sync_data().map_err(about("write", &self.path))?;
        }
        Ok(())
    }
}

fn number_of(id: &str) -> Option<u128> {
    u128::from_str_radix(id, 16).ok()
}
