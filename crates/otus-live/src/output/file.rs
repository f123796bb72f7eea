//! The file of verdicts: a line of JSON for each, and each id once.
//!
//! A restarted process reads the ids that are there, so a verdict that it finds again is not written again. It can find one
//! again only while it reads the write-ahead log, so ids that are written later are not remembered, and memory does not grow
//! with the file. A last line that was not written as a whole is removed; its verdict is found again, because the write-ahead log
//! forgets a verdict only after the file was forced to disk.

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
    /// The ids of the file as it was found, and of verdicts that are found again.
    ids: FxHashSet<u128>,
    is_recovering: bool,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    is_behind: bool,
}

impl File {
    /// Opens or makes a file. `is_recovering`: whether verdicts will be found again until [`recovered`](File::recovered).
    pub(super) fn open(path: &Path, is_recovering: bool) -> Result<File> {
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
        Ok(File {
            path: path.to_owned(),
            opened: file,
            ids,
            is_recovering,
            lines: Vec::new(),
            is_behind: false,
        })
    }

    /// Adds a verdict, unless it is there already, to what is written next. Returns whether it was new.
    pub(super) fn add(&mut self, told: &Told) -> bool {
        let Some(id) = number_of(&told.id) else { return false };
        let is_new = if self.is_recovering { self.ids.insert(id) } else { !self.ids.contains(&id) };
        if !is_new {
            return false;
        }
        self.lines.extend_from_slice(told.json().as_bytes());
        self.lines.push(b'\n');
        true
    }

    /// From now on, no verdict of an earlier process is found again.
    pub(super) fn recovered(&mut self) {
        self.is_recovering = false;
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
