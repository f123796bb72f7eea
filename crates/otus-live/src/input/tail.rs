//! Files that grow: every line once, whatever rotates them.
//!
//! A file is kept open, so that it is read to its end also after it was renamed or deleted. Only whole lines are taken; a last line
//! without an end waits for it, and counts as a line when its file was rotated away. Every time, before more is read, the bytes before
//! the place of reading are compared with what was read there: if they differ, or the file is shorter, it was truncated
//! and written anew.
//!
//! **What rotation does, and what follows.**
//!
//! | what happens | what is read |
//! |---|---|
//! | renamed, and a new file under the name | the rest of the old file, then the new one |
//! | renamed twice between two looks | the files beside it that are newer than the one that was read, the oldest first |
//! | copied and truncated | the rest of the copy, found by its beginning; then the file from its start |
//! | packed with gzip after that | its lines were read already, or they are read from the packed file |
//!
//! Lines that a program writes between the copy and the truncation are in neither; only rotation by renaming loses nothing.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use otus_trace::mapping::Plan;

use super::rotated::{Sibling, beginning, begins, hash, mark, siblings};
use super::{Start, thread};
use crate::batch::{Batch, Content, FileMark, Message, Sender};
use crate::error::Result;

/// The most bytes of one batch.
const PIECE: usize = 256 << 10;

/// The longest line that is awaited; a longer one is passed on in pieces, and the mapping tells that they are no lines.
const LONGEST: usize = 64 << 20;

/// The time between two looks at files, and between two looks at folders.
const PAUSE: Duration = Duration::from_millis(20);
const SCAN: Duration = Duration::from_millis(200);

/// How long a file that was rotated away may still grow.
const REST: Duration = Duration::from_secs(5);

/// The most bytes before the place of reading that are compared.
const BEFORE: usize = 64;

/// How often the files beside a log are listed again because one of them was renamed meanwhile.
const RETRIES: usize = 100;

/// The most files that were read to their end and are remembered.
const REMEMBERED: usize = 4096;

pub(super) fn start(start: &Start<'_>) -> Result<()> {
    let mut tail = Tail {
        folder: start.folder.clone(),
        plan: start.plan.clone(),
        sender: start.sender.clone(),
        logs: BTreeMap::new(),
        leaving: Vec::new(),
        finished: VecDeque::new(),
        from_start: start.config.inputs.from_start,
        keeps_unfinished: start.config.log.is_some(),
        since: SystemTime::now(),
        unreadable: BTreeMap::new(),
    };
    for (mark, _, offset, line) in &start.positions {
        tail.finished.push_back(Place { mark: *mark, offset: *offset, line: *line });
    }
    let had_positions = !start.positions.is_empty();
    // What grew while no process ran is read, if an earlier process said how far it came.
    tail.from_start |= had_positions;
    tail.scan(true);
    let stop = start.stop.clone();
    thread("files", move || {
        tail.run(&stop);
        let _ = tail.sender.send(Message::Ended);
    })
}

/// How far a file was read.
#[derive(Debug, Clone, Copy)]
struct Place {
    mark: FileMark,
    offset: u64,
    line: u32,
}

/// A file that is read.
struct Log {
    path: PathBuf,
    /// The name that the user knows.
    name: String,
    source: usize,
    file: File,
    place: Place,
    /// Whether the content is unpacked, so that the file itself has other bytes.
    is_packed: bool,
    /// The bytes before the place of reading.
    before: Vec<u8>,
    /// Bytes behind the place of reading that are no whole line yet.
    rest: Vec<u8>,
    grew: Instant,
}

/// The receiver is gone, so reading has no use.
struct Gone;

struct Tail {
    folder: PathBuf,
    plan: Plan,
    sender: Sender,
    logs: BTreeMap<PathBuf, Log>,
    /// Logs that were rotated away, until they grow no longer.
    leaving: Vec<Log>,
    /// Files that were read, the oldest first. The number of a file is given again, so its beginning counts as well.
    finished: VecDeque<Place>,
    /// Whether a new file is read from its start.
    from_start: bool,
    /// Whether a last line without an end is left for a later process.
    keeps_unfinished: bool,
    since: SystemTime,
    unreadable: BTreeMap<PathBuf, io::ErrorKind>,
}

impl Tail {
    fn run(&mut self, stop: &Arc<AtomicBool>) {
        let mut scanned = Instant::now();
        loop {
            // A stop that comes while files are read lets them be read once more.
            let is_last = stop.load(Ordering::Relaxed);
            if is_last || scanned.elapsed() >= SCAN {
                self.scan(false);
                scanned = Instant::now();
            }
            let Ok(has_grown) = self.look(is_last) else { return };
            if is_last {
                return;
            }
            if !has_grown {
                sleep(PAUSE);
            }
        }
    }

    /// Finds files that match a source and are not read yet.
    fn scan(&mut self, is_first: bool) {
        let mut found = Vec::new();
        for source in &self.plan.sources {
            for glob in &source.files {
                let plain = glob.text().split(['*', '?', '{']).next().unwrap_or_default();
                let start = self.folder.join(plain.rfind('/').map_or("", |end| &plain[..end]));
                walk(&start, 16, &mut found);
            }
        }
        found.sort();
        found.dedup();
        for path in found {
            let Ok(inside) = path.strip_prefix(&self.folder) else { continue };
            let name = inside.to_string_lossy().replace('\\', "/");
            let is_packed = path.extension().is_some_and(|ending| ending == "gz");
            let is_own = name == otus::project::FILE || is_packed;
            let Some(source) = self.plan.source_of(&name).filter(|_| !is_own) else { continue };
            // Between a log that was rotated away and a new one of its name may be others.
            let is_left = self.leaving.iter().any(|log| log.path == path);
            if is_left || self.logs.contains_key(&path) || self.is_rotated(&path) {
                continue;
            }
            match self.open(&path, name, source, is_first && !self.from_start) {
                Ok(Some(log)) => drop(self.logs.insert(path, log)),
                Ok(None) => {}
                Err(error) => self.complain(&path, &error),
            }
        }
    }

    /// Whether a path is a file that is read under the name that it had before its rotation.
    fn is_rotated(&self, path: &Path) -> bool {
        let Ok(metadata) = fs::metadata(path) else { return true };
        let inode = (metadata.dev(), metadata.ino());
        let same = |log: &Log| log.place.mark.inode == inode;
        self.leaving.iter().any(same) || self.logs.values().any(same)
    }

    fn complain(&mut self, path: &Path, error: &io::Error) {
        if self.unreadable.insert(path.to_owned(), error.kind()) != Some(error.kind()) {
            let text =
                format!("warning: cannot read {}: {error}; it is tried again", path.display());
            let _ = self.sender.send(Message::Remark(text));
        }
    }

    /// Opens a log where it was left, at its start, or at its end.
    fn open(
        &self,
        path: &Path,
        name: String,
        source: usize,
        at_end: bool,
    ) -> io::Result<Option<Log>> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let mut place = Place { mark: mark(&file)?, offset: 0, line: 1 };
        let head = beginning(&file)?;
        let is_same = |it: &&Place| it.mark.inode == place.mark.inode && begins(it.mark, &head);
        // The file that is there now may have another beginning than the one that had its number.
        let had_number = self.finished.iter().any(|it| it.mark.inode == place.mark.inode);
        let known = self.finished.iter().rev().find(is_same).copied();
        if let Some(known) = known.filter(|known| known.offset <= metadata.len()) {
            place = known;
        } else if !had_number && at_end {
            place = at_the_end(&file, place, metadata.len())?;
        }
        let before = before(&file, place.offset)?;
        let grew = Instant::now();
        let (path, rest, is_packed) = (path.to_owned(), Vec::new(), false);
        Ok(Some(Log { path, name, source, file, place, is_packed, before, rest, grew }))
    }

    /// Reads what is new. Returns whether there was anything.
    fn look(&mut self, is_last: bool) -> Result<bool, Gone> {
        let mut has_grown = false;
        self.reappear()?;
        let paths: Vec<PathBuf> = self.logs.keys().cloned().collect();
        for path in paths {
            let Some(mut log) = self.logs.remove(&path) else { continue };
            let is_here =
                fs::metadata(&path).is_ok_and(|it| (it.dev(), it.ino()) == log.place.mark.inode);
            if log.was_truncated().unwrap_or(false) {
                self.after_truncation(&mut log)?;
                has_grown = true;
            }
            has_grown |= self.read(&mut log)?;
            if is_here {
                if is_last && !self.keeps_unfinished {
                    self.flush(&mut log)?;
                }
                self.logs.insert(path, log);
                continue;
            }
            // A new file may be there already; what is between the two is read before it.
            has_grown = true;
            log.grew = Instant::now();
            self.next_of(&mut log)?;
            self.leaving.push(log);
        }
        for mut log in std::mem::take(&mut self.leaving) {
            let grew = self.read(&mut log)?;
            has_grown |= grew;
            if grew {
                log.grew = Instant::now();
            }
            if log.grew.elapsed() < REST && !is_last {
                self.leaving.push(log);
                continue;
            }
            self.flush(&mut log)?;
            self.remember(log.place);
        }
        Ok(has_grown)
    }

    /// Opens the new files under the names of logs that were rotated away while there was none yet.
    fn reappear(&mut self) -> Result<(), Gone> {
        for index in 0..self.leaving.len() {
            let path = self.leaving[index].path.clone();
            let is_newest = self.leaving[index + 1..].iter().all(|later| later.path != path);
            if !is_newest || self.logs.contains_key(&path) || self.is_rotated(&path) {
                continue;
            }
            let mut log = self.leaving.remove(index);
            let result = self.next_of(&mut log);
            self.leaving.insert(index, log);
            result?;
        }
        Ok(())
    }

    /// Opens the file that has the name of a log that was rotated away, and reads before what was between the two.
    fn next_of(&mut self, log: &mut Log) -> Result<(), Gone> {
        loop {
            let current = fs::metadata(&log.path).map(|it| (it.dev(), it.ino())).ok();
            self.between(log, current)?;
            if current.is_none() {
                return Ok(());
            }
            match self.open(&log.path, log.name.clone(), log.source, false) {
                // It was rotated away while the files beside it were looked at, and is one of them now.
                Ok(Some(new)) if Some(new.place.mark.inode) != current => {}
                Ok(Some(new)) => {
                    self.logs.insert(log.path.clone(), new);
                    return Ok(());
                }
                Ok(None) | Err(_) => return Ok(()),
            }
        }
    }

    fn remember(&mut self, place: Place) {
        if place.mark.head.0 > 0 {
            self.finished.retain(|it| it.mark != place.mark);
            self.finished.push_back(place);
        }
        if self.finished.len() > REMEMBERED {
            self.finished.pop_front();
        }
    }

    /// Reads a log to its end.
    fn read(&mut self, log: &mut Log) -> Result<bool, Gone> {
        let mut has_grown = false;
        loop {
            let start = log.rest.len();
            log.rest.resize(start + PIECE.max(start), 0);
            let at = log.place.offset + start as u64;
            let count = match log.file.read_at(&mut log.rest[start..], at) {
                Ok(count) => count,
                Err(error) => {
                    log.rest.truncate(start);
                    self.complain(&log.path.clone(), &error);
                    return Ok(has_grown);
                }
            };
            log.rest.truncate(start + count);
            if count == 0 {
                return Ok(has_grown);
            }
            has_grown = true;
            let end = memchr::memrchr(b'\n', &log.rest[start..]).map(|end| start + end + 1);
            match end {
                Some(end) => self.pass(log, end)?,
                None if log.rest.len() >= LONGEST => self.pass(log, log.rest.len())?,
                None => {}
            }
        }
    }

    /// Sends the first bytes of the rest.
    fn pass(&mut self, log: &mut Log, end: usize) -> Result<(), Gone> {
        let rest = log.rest.split_off(end);
        let bytes = std::mem::replace(&mut log.rest, rest);
        let is_first = log.place.mark.head.0 == 0 || log.place.offset == 0;
        if is_first
            && !log.is_packed
            && let Ok(mark) = mark(&log.file)
        {
            log.place.mark = mark;
        }
        let lines = memchr::memchr_iter(b'\n', &bytes).count();
        let length = bytes.len() as u64;
        let kept = bytes.len().saturating_sub(BEFORE);
        log.before.extend_from_slice(&bytes[kept..]);
        let more = log.before.len().saturating_sub(BEFORE);
        log.before.drain(..more);
        let batch = Batch {
            name: log.name.clone(),
            source: log.source,
            line: log.place.line,
            offset: log.place.offset,
            content: Content::Lines(bytes),
            file: Some(log.place.mark),
            receipt: None,
        };
        log.place.offset += length;
        log.place.line = log.place.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.sender.send(Message::Batch(batch)).map_err(|_| Gone)
    }

    /// Takes a last line without an end.
    fn flush(&mut self, log: &mut Log) -> Result<(), Gone> {
        if log.rest.is_empty() { Ok(()) } else { self.pass(log, log.rest.len()) }
    }

    /// Reads on in the copy of a log that was truncated, and goes to the start of the log.
    fn after_truncation(&mut self, log: &mut Log) -> Result<(), Gone> {
        let old = log.place;
        let copy = siblings(&log.path).into_iter().rev().find(|sibling| {
            sibling.inode != old.mark.inode
                && sibling.head().is_ok_and(|head| begins(old.mark, &head))
        });
        match copy {
            Some(copy) => {
                self.rest_of(log, &copy, old)?;
                self.remember(Place {
                    mark: FileMark { inode: copy.inode, ..old.mark },
                    ..log.place
                });
            }
            None => {
                let _ = self.sender.send(Message::Remark(format!(
                    "note: {} was truncated; lines that were written after byte {} and before that are nowhere",
                    log.name, old.offset
                )));
            }
        }
        self.flush(log)?;
        log.rest.clear();
        log.before.clear();
        let mark = mark(&log.file).unwrap_or_default();
        log.place = Place { mark, offset: 0, line: 1 };
        Ok(())
    }

    /// Reads a file behind a place, as if it were the log.
    fn rest_of(&mut self, log: &mut Log, sibling: &Sibling, from: Place) -> Result<(), Gone> {
        log.rest.clear();
        (log.place.offset, log.place.line) = (from.offset, from.line);
        let Ok(mut input) = sibling.open() else { return Ok(()) };
        let skipped = io::copy(&mut input.by_ref().take(from.offset), &mut io::sink());
        if skipped.ok() != Some(from.offset) {
            return Ok(());
        }
        loop {
            let start = log.rest.len();
            log.rest.resize(start + PIECE.max(start), 0);
            let count = input.read(&mut log.rest[start..]).unwrap_or(0);
            log.rest.truncate(start + count);
            if count == 0 {
                return self.flush(log);
            }
            if let Some(end) = memchr::memrchr(b'\n', &log.rest[start..]) {
                self.pass(log, start + end + 1)?;
            }
        }
    }

    /// After a log was renamed: reads the files that were logs under its name between two looks. While they are listed, one of
    /// them may be renamed or packed; then the list has neither its old nor its new name, and a new list is made.
    fn between(&mut self, log: &mut Log, current: Option<(u64, u64)>) -> Result<(), Gone> {
        // The old file itself may have been renamed once more, or packed, since.
        self.read(log)?;
        for _ in 0..RETRIES {
            if !self.listed(log, current)? {
                break;
            }
        }
        Ok(())
    }

    /// Reads those files beside a log that a list of them has. Returns whether one of them was not there any longer.
    fn listed(&mut self, log: &Log, current: Option<(u64, u64)>) -> Result<bool, Gone> {
        let mut has_vanished = false;
        let own = log.file.metadata().and_then(|it| it.modified()).unwrap_or(self.since);
        for sibling in siblings(&log.path) {
            let is_read_now = sibling.inode == log.place.mark.inode
                || Some(sibling.inode) == current
                || self.leaving.iter().any(|other| other.place.mark.inode == sibling.inode);
            let is_older = sibling.changed < own || sibling.changed < self.since;
            if (is_read_now && !sibling.is_packed) || is_older {
                continue;
            }
            let head = match sibling.head() {
                Ok(head) => head,
                Err(error) => {
                    has_vanished |= error.kind() == io::ErrorKind::NotFound;
                    continue;
                }
            };
            let marks = self.finished.iter().map(|place| place.mark);
            let marks = marks.chain(self.leaving.iter().map(|it| it.place.mark));
            // A packed file whose lines were read has the beginning of one that is known, and another number.
            let is_same = |it: FileMark| {
                begins(it, &head) && (sibling.is_packed || it.inode == sibling.inode)
            };
            if head.is_empty() || marks.chain([log.place.mark]).any(is_same) {
                continue;
            }
            let length = u32::try_from(head.len()).unwrap_or(0);
            let mark = FileMark { inode: sibling.inode, head: (length, hash(&head)) };
            let file = match File::open(&sibling.path) {
                Ok(file) if sibling.is_still(&file) => file,
                Ok(_) | Err(_) => {
                    has_vanished = true;
                    continue;
                }
            };
            let mut missed = Log {
                path: log.path.clone(),
                name: log.name.clone(),
                source: log.source,
                file,
                place: Place { mark, offset: 0, line: 1 },
                is_packed: sibling.is_packed,
                before: Vec::new(),
                rest: Vec::new(),
                grew: Instant::now(),
            };
            if sibling.is_packed {
                self.rest_of(&mut missed, &sibling, Place { mark, offset: 0, line: 1 })?;
                self.remember(missed.place);
            } else {
                self.read(&mut missed)?;
                self.leaving.push(missed);
            }
        }
        Ok(has_vanished)
    }
}

impl Log {
    /// Whether what was read is not there any longer.
    fn was_truncated(&self) -> io::Result<bool> {
        if self.place.offset == 0 {
            return Ok(false);
        }
        if self.file.metadata()?.len() < self.place.offset + self.rest.len() as u64 {
            return Ok(true);
        }
        let mut there = vec![0; self.before.len()];
        self.file.read_exact_at(&mut there, self.place.offset - self.before.len() as u64)?;
        Ok(there != self.before || !begins(self.place.mark, &beginning(&self.file)?))
    }
}

/// The bytes before a place.
fn before(file: &File, offset: u64) -> io::Result<Vec<u8>> {
    let length = offset.min(BEFORE as u64);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, offset - length)?;
    Ok(bytes)
}

/// The place behind the last whole line.
fn at_the_end(file: &File, mut place: Place, length: u64) -> io::Result<Place> {
    let mut buffer = vec![0; PIECE];
    let mut at = 0;
    while at < length {
        let count = file.read_at(&mut buffer, at)?;
        if count == 0 {
            break;
        }
        for end in memchr::memchr_iter(b'\n', &buffer[..count]) {
            place.offset = at + end as u64 + 1;
            place.line = place.line.saturating_add(1);
        }
        at += count as u64;
    }
    Ok(place)
}

/// The files of a folder and its folders.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => walk(&entry.path(), depth - 1, found),
            Ok(_) => found.push(entry.path()),
            Err(_) => {}
        }
    }
}
