//! The write-ahead log: what was received, on disk, before it is acknowledged.
//!
//! A folder has segments, a checkpoint, and a lock. A segment is a sequence of framed records ([`record`]); a new one begins
//! when the last is long enough. [`Log::sync`] forces all appended records to disk at once, so that many batches share one
//! `fdatasync`. The checkpoint says from which segment a restart reads, how far files were read, and which groups had ended
//! ([`checkpoint`]). It is replaced by writing another file, forcing it to disk and renaming it, so it is always whole.
//!
//! A segment is deleted when no open group has an event in it, after a checkpoint that no longer needs it.
//!
//! A process that is killed while it appends leaves a last record that is cut. Such a record was never acknowledged, so a restart
//! drops it. Any other damage is an error, because what follows it was acknowledged.

pub(crate) mod checkpoint;
pub(crate) mod record;
mod segment;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) use checkpoint::Checkpoint;
pub(crate) use record::Record;

use crate::error::{Error, Result, about};

/// The length at which a segment is full.
const FULL: u64 = 64 << 20;

/// The log of a running process.
#[derive(Debug)]
pub(crate) struct Log {
    folder: PathBuf,
    fingerprint: String,
    /// Held for as long as the process runs.
    _lock: File,
    file: File,
    /// The number of the segment that is written.
    pub(crate) segment: u64,
    /// The number of the first segment on disk.
    pub(crate) first: u64,
    length: u64,
    /// Records that are not yet written.
    waiting: Vec<u8>,
    full: u64,
}

/// What a restart has to do before it goes on.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// The state from which the records go on.
    pub(crate) checkpoint: Checkpoint,
    /// The segments to read, in order.
    segments: Vec<(u64, PathBuf)>,
    fingerprint: String,
    /// A remark about what was dropped.
    pub(crate) remark: Option<String>,
}

impl Log {
    /// Opens the log of a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If another process uses it, it belongs to another specification, or it is damaged.
    pub(crate) fn open(folder: &Path, fingerprint: &str) -> Result<(Log, Recovery)> {
        fs::create_dir_all(folder).map_err(about("make the folder", folder))?;
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(about("write", &path))?;
        if lock.try_lock().is_err() {
            return Err(Error::Unfit(format!(
                "another process uses the write-ahead log in {}; stop it, or choose another folder by --wal",
                folder.display()
            )));
        }
        let checkpoint = Checkpoint::read(folder, fingerprint)?;
        let mut segments = segment::list(folder)?;
        // What is older than the checkpoint needs was about to be deleted.
        for (_, path) in segments.extract_if(.., |(number, _)| *number < checkpoint.first) {
            fs::remove_file(&path).map_err(about("delete", &path))?;
        }
        let mut remark = None;
        if let Some((_, last)) = segments.last() {
            remark = segment::mend(last, fingerprint)?;
        }
        let first = segments.first().map(|(number, _)| *number);
        let segment = segments.last().map_or(checkpoint.first, |(number, _)| number + 1);
        let (file, length) = segment::create(folder, segment, fingerprint)?;
        let log = Log {
            folder: folder.to_owned(),
            fingerprint: fingerprint.to_owned(),
            _lock: lock,
            file,
            segment,
            first: first.unwrap_or(segment),
            length,
            waiting: Vec::new(),
            full: FULL,
        };
        let fingerprint = fingerprint.to_owned();
        Ok((log, Recovery { checkpoint, segments, fingerprint, remark }))
    }

    /// Appends a record. It is on disk after the next [`sync`](Log::sync).
    pub(crate) fn append(&mut self, record: &Record<'_>) {
        record.write(&mut self.waiting);
    }

    /// Forces everything to disk. Returns how many bytes that were.
    pub(crate) fn sync(&mut self) -> Result<u64> {
        if self.waiting.is_empty() {
            return Ok(0);
        }
        let advice = "cannot write the write-ahead log (make room, choose another folder by --wal, or take --wal none)";
        let path = &self.folder;
        let failed = |error| Error::Io { what: format!("{advice} in {}", path.display()), error };
        self.file.write_all(&self.waiting).map_err(failed)?;
        self.file.sync_data().map_err(failed)?;
        let bytes = self.waiting.len() as u64;
        self.length += bytes;
        self.waiting.clear();
        Ok(bytes)
    }

    /// Whether the segment is long enough.
    pub(crate) fn is_full(&self) -> bool {
        self.length >= self.full
    }

    /// Begins another segment.
    pub(crate) fn turn(&mut self) -> Result<()> {
        self.sync()?;
        let next = self.segment + 1;
        (self.file, self.length) = segment::create(&self.folder, next, &self.fingerprint)?;
        self.segment = next;
        Ok(())
    }

    /// Writes a checkpoint, and deletes the segments that it does not need.
    pub(crate) fn keep_from(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        checkpoint.write(&self.folder, &self.fingerprint)?;
        for (number, path) in segment::list(&self.folder)? {
            if number < checkpoint.first && number != self.segment {
                fs::remove_file(&path).map_err(about("delete", &path))?;
            }
        }
        self.first = checkpoint.first.min(self.segment);
        Ok(())
    }
}

impl Recovery {
    /// Shows all records, with the number of their segment.
    ///
    /// # Errors
    /// If a segment is damaged, or the function fails.
    pub(crate) fn read(&self, show: &mut dyn FnMut(u64, Record<'_>) -> Result<()>) -> Result<()> {
        for (number, path) in &self.segments {
            segment::read(path, &self.fingerprint, &mut |record| show(*number, record))?;
        }
        Ok(())
    }

    /// Whether there is anything to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(number: u32) -> Record<'static> {
        Record::Close { key: b"k".into(), generation: number, ended: crate::Ended::Idle }
    }

    fn generations(recovery: &Recovery) -> Vec<u32> {
        let mut all = Vec::new();
        recovery
            .read(&mut |_, record| {
                if let Record::Close { generation, .. } = record {
                    all.push(generation);
                }
                Ok(())
            })
            .unwrap();
        all
    }

    #[test]
    fn a_log_goes_on_where_it_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, recovery) = Log::open(folder.path(), "f").unwrap();
        assert!(recovery.is_empty());
        assert!(Log::open(folder.path(), "f").is_err(), "two processes");
        for number in 0..5 {
            log.append(&close(number));
            log.sync().unwrap();
        }
        let path = segment::list(folder.path()).unwrap()[0].1.clone();
        drop(log);
        let whole = fs::read(&path).unwrap();
        let one = (whole.len() - segment::head("f").len()) / 5;
        for cut in 0..=one {
            fs::remove_dir_all(folder.path()).unwrap();
            fs::create_dir_all(folder.path()).unwrap();
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let (log, recovery) = Log::open(folder.path(), "f").unwrap();
            let expected: Vec<u32> = (0..if cut == 0 { 5 } else { 4 }).collect();
            assert_eq!(generations(&recovery), expected, "{cut}");
            assert_eq!(recovery.remark.is_some(), cut != 0 && cut != one);
            drop(log);
        }
        // Damage in the middle is no cut.
        fs::remove_dir_all(folder.path()).unwrap();
        fs::create_dir_all(folder.path()).unwrap();
        let mut bad = whole.clone();
        bad[whole.len() - 2 * one + 10] ^= 1;
        fs::write(&path, bad).unwrap();
        let error = Log::open(folder.path(), "f").unwrap_err().to_string();
        assert!(error.contains("is damaged at byte"), "{error}");
        fs::write(&path, whole).unwrap();
        let error = Log::open(folder.path(), "g").unwrap_err().to_string();
        assert!(error.contains("another specification"), "{error}");
    }

    #[test]
    fn segments_that_nothing_needs_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = Log::open(folder.path(), "f").unwrap();
        for number in 0..4 {
            log.append(&close(number));
            log.turn().unwrap();
        }
        assert_eq!(segment::list(folder.path()).unwrap().len(), 5);
        let mut checkpoint = Checkpoint { first: 2, ..Checkpoint::default() };
        checkpoint.ended.push((0xff78_0000_0000_0001, 3));
        log.keep_from(&checkpoint).unwrap();
        drop(log);
        let (_, recovery) = Log::open(folder.path(), "f").unwrap();
        assert_eq!(generations(&recovery), [2, 3]);
        assert_eq!(recovery.checkpoint, checkpoint);
    }
}
