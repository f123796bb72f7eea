//! Which file is which: marks of files, and the parts of a log that rotation has moved away.
//!
//! A file is known by its number on its device, and by the hash of its beginning, because a number is given again after a file was
//! deleted. When a log was rotated, the lines between the last reading and the rotation are in a file beside it, such as
//! `app.log.1` or `app.log.2.gz`: the same file under another name, a copy of it, or a packed copy. The beginning of its (unpacked)
//! content tells which one it is.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::batch::FileMark;
use crate::hash::{SEED, fnv};

/// The most bytes of the beginning that are hashed.
const HEAD: usize = 256;

/// The hash of a text.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    fnv(SEED, bytes)
}

/// The mark of an open file; its beginning is the first line as far as it is there, or a part of it.
pub(super) fn mark(file: &File) -> io::Result<FileMark> {
    let metadata = file.metadata()?;
    let mut head = [0; HEAD];
    let mut length = 0;
    while length < HEAD {
        match file.read_at(&mut head[length..], length as u64)? {
            0 => break,
            count => length += count,
        }
    }
    Ok(of_head((metadata.dev(), metadata.ino()), &head[..length]))
}

fn of_head(inode: (u64, u64), head: &[u8]) -> FileMark {
    FileMark { inode, head: (u32::try_from(head.len()).unwrap_or(0), hash(head)) }
}

/// Whether a text begins as the file with a mark did.
pub(super) fn begins(mark: FileMark, text: &[u8]) -> bool {
    let (length, expected) = mark.head;
    length > 0 && text.get(..length as usize).is_some_and(|head| hash(head) == expected)
}

/// The first bytes of a file, of at least one mark.
pub(super) fn beginning(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let mut length = 0;
    while length < HEAD {
        match file.read_at(&mut head[length..], length as u64)? {
            0 => break,
            count => length += count,
        }
    }
    head.truncate(length);
    Ok(head)
}

/// A file beside a log, which has its name and a suffix.
#[derive(Debug)]
pub(super) struct Sibling {
    pub(super) path: PathBuf,
    pub(super) inode: (u64, u64),
    pub(super) changed: SystemTime,
    pub(super) is_packed: bool,
}

impl Sibling {
    /// The content, unpacked.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read>> {
        let file = File::open(&self.path)?;
        Ok(if self.is_packed {
            Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(file)))
        } else {
            Box::new(file)
        })
    }

    /// Whether an open file is this one, and not another that has got its name since.
    pub(super) fn is_still(&self, file: &File) -> bool {
        file.metadata().is_ok_and(|it| (it.dev(), it.ino()) == self.inode)
    }

    /// The first bytes, unpacked.
    pub(super) fn head(&self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.open()?.take(HEAD as u64).read_to_end(&mut head)?;
        Ok(head)
    }
}

/// The files beside a log that rotation may have made of it: the one that changed first comes first.
pub(super) fn siblings(path: &Path) -> Vec<Sibling> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let name = name.as_encoded_bytes();
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for entry in entries.flatten() {
        let own = entry.file_name();
        let own = own.as_encoded_bytes();
        let has_suffix = own.len() > name.len() && own.starts_with(name);
        let Some(metadata) = entry.metadata().ok().filter(|it| has_suffix && it.is_file()) else {
            continue;
        };
        let ending = |text: &str| own.ends_with(text.as_bytes());
        // Others packed it in a way that is not read here, or it is not finished.
        if [".zst", ".xz", ".bz2", ".tmp"].into_iter().any(ending) {
            continue;
        }
        all.push(Sibling {
            path: entry.path(),
            inode: (metadata.dev(), metadata.ino()),
            changed: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            is_packed: ending(".gz"),
        });
    }
    all.sort_by(|a, b| (a.changed, &a.path).cmp(&(b.changed, &b.path)));
    all
}
