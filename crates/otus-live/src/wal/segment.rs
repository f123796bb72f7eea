//! One segment of the log: a head that says what it belongs to, and records.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use super::record::{FRAME, Record};
use crate::error::{Error, Result, about};

const MAGIC: &[u8; 8] = b"OTUSWAL1";

/// The ending of the names of segments.
const ENDING: &str = "wal";

/// The first bytes of a segment.
pub(super) fn head(fingerprint: &str) -> Vec<u8> {
    let length = u32::try_from(fingerprint.len()).unwrap_or(0).to_le_bytes();
    [&MAGIC[..], &length, fingerprint.as_bytes()].concat()
}

/// The segments of a folder, in order.
pub(super) fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(about("read the folder", folder))? {
        let path = entry.map_err(about("read the folder", folder))?.path();
        let is_segment = path.extension().is_some_and(|it| it == ENDING);
        let number = path.file_stem().and_then(|stem| u64::from_str_radix(stem.to_str()?, 16).ok());
        all.extend(number.filter(|_| is_segment).map(|number| (number, path)));
    }
    all.sort();
    Ok(all)
}

/// Makes a segment. Returns its file and its length.
pub(super) fn create(folder: &Path, number: u64, fingerprint: &str) -> Result<(File, u64)> {
    let path = folder.join(format!("{number:016x}.{ENDING}"));
    let mut file = File::create(&path).map_err(about("make", &path))?;
    let head = head(fingerprint);
    file.write_all(&head).map_err(about("write", &path))?;
    file.sync_all().map_err(about("write", &path))?;
    sync_folder(folder)?;
    Ok((file, head.len() as u64))
}

/// Forces the names of a folder to disk.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    let opened = File::open(folder).map_err(about("open", folder))?;
    opened.sync_all().map_err(about("write", folder))
}

/// What a reader finds.
enum Found {
    Record(Vec<u8>),
    End,
    /// The file ends inside of a record, or its last record is wrong.
    Cut,
    Damaged,
}

struct Reader {
    file: BufReader<File>,
    /// The offset of the next record.
    at: u64,
    length: u64,
}

impl Reader {
    /// Opens a segment behind its head; `None` if it ends in its head.
    fn open(path: &Path, fingerprint: &str) -> Result<Option<Reader>> {
        let file = File::open(path).map_err(about("open", path))?;
        let length = file.metadata().map_err(about("open", path))?.len();
        let mut file = BufReader::new(file);
        let expected = head(fingerprint);
        let mut found = Vec::new();
        let most = expected.len() as u64;
        file.by_ref().take(most).read_to_end(&mut found).map_err(about("read", path))?;
        if found == expected {
            return Ok(Some(Reader { file, at: most, length }));
        }
        if expected.starts_with(&found) {
            return Ok(None);
        }
        let folder = path.parent().unwrap_or(path).display();
        Err(Error::Unfit(if found.starts_with(MAGIC) {
            format!(
                "the write-ahead log in {folder} belongs to another specification or question; finish with \
                 the one that wrote it, choose another folder by --wal, or delete the folder"
            )
        } else {
            format!("{} is no segment of a write-ahead log; move it away", path.display())
        }))
    }

    fn next(&mut self, path: &Path) -> Result<Found> {
        let left = self.length - self.at;
        if left == 0 {
            return Ok(Found::End);
        }
        if left < FRAME as u64 {
            return Ok(Found::Cut);
        }
        let (mut size, mut sum) = ([0; 4], [0; 4]);
        self.file.read_exact(&mut size).map_err(about("read", path))?;
        self.file.read_exact(&mut sum).map_err(about("read", path))?;
        let (size, sum) = (u32::from_le_bytes(size), u32::from_le_bytes(sum));
        let whole = FRAME as u64 + u64::from(size);
        if whole > left {
            return Ok(Found::Cut);
        }
        let mut payload = vec![0; size as usize];
        self.file.read_exact(&mut payload).map_err(about("read", path))?;
        if crc32fast::hash(&payload) != sum || Record::read(&payload).is_none() {
            return Ok(if whole == left { Found::Cut } else { Found::Damaged });
        }
        self.at += whole;
        Ok(Found::Record(payload))
    }

    fn damaged(&self, path: &Path) -> Error {
        let folder = path.parent().unwrap_or(path).display();
        Error::Unfit(format!(
            "{} is damaged at byte {}; what follows was acknowledged, so Otus does not go on by itself: \
             restore the file, or move the folder {folder} away and send the events again",
            path.display(),
            self.at
        ))
    }
}

/// Drops a record at the end of the last segment that was not written as a whole. Returns a remark if there was one.
pub(super) fn mend(path: &Path, fingerprint: &str) -> Result<Option<String>> {
    let Some(mut reader) = Reader::open(path, fingerprint)? else {
        fs::write(path, head(fingerprint)).map_err(about("write", path))?;
        return Ok(None);
    };
    loop {
        match reader.next(path)? {
            Found::Record(_) => {}
            Found::End => return Ok(None),
            Found::Damaged => return Err(reader.damaged(path)),
            Found::Cut => break,
        }
    }
    let dropped = reader.length - reader.at;
    let file = File::options().write(true).open(path).map_err(about("write", path))?;
    file.set_len(reader.at).map_err(about("write", path))?;
    file.sync_all().map_err(about("write", path))?;
    Ok(Some(format!(
        "note: the last {dropped} bytes of the write-ahead log were not written as a whole; nobody was told that they \
         were, so they are left out"
    )))
}

/// Shows the records of a segment.
pub(super) fn read(
    path: &Path,
    fingerprint: &str,
    show: &mut dyn FnMut(Record<'_>) -> Result<()>,
) -> Result<()> {
    let Some(mut reader) = Reader::open(path, fingerprint)? else { return Ok(()) };
    loop {
        match reader.next(path)? {
            Found::Record(payload) => {
                if let Some(record) = Record::read(&payload) {
                    show(record)?;
                }
            }
            Found::End => return Ok(()),
            Found::Cut | Found::Damaged => return Err(reader.damaged(path)),
        }
    }
}
