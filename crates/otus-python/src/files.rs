//! The files that a specification was read from, so that it can be sent to another process.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use otus::{Disk, FileKind, Files, Tap, Texts};

/// Remembers what was read from the file system.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    read: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
}

impl Recorded {
    /// The files that were read, by their absolute paths.
    pub(crate) fn read(&self) -> Vec<(String, Vec<u8>)> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            (path.to_string_lossy().into_owned(), bytes.clone())
        };
        read.iter().map(named).collect()
    }
}

impl Tap for Recorded {
    fn tap(
        &self,
        path: Option<&Path>,
        mut reader: Box<dyn Read + Send>,
    ) -> io::Result<Box<dyn Read + Send>> {
        let Some(path) = path else { return Ok(reader) };
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(Disk.absolute(path), bytes.clone());
        Ok(Box::new(Cursor::new(bytes)))
    }
}

/// Files that were read before, in the working folder of that time.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
    texts: Texts,
}

impl Kept {
    /// Relative paths start from the folder.
    pub(crate) fn new(folder: &str, files: &[(String, Vec<u8>)]) -> Kept {
        let folder = PathBuf::from(folder);
        let add = |texts: Texts, (path, bytes): &(String, Vec<u8>)| {
            texts.with(folder.join(path), bytes.clone())
        };
        let texts = files.iter().fold(Texts::default(), add);
        Kept { folder, texts }
    }
}

impl Files for Kept {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.texts.open(&self.absolute(path))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.texts.kind(&self.absolute(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        self.texts.list(&self.absolute(folder))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.texts.absolute(&self.folder.join(path))
    }

    fn working_folder(&self) -> PathBuf {
        self.folder.clone()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.texts.size(&self.absolute(path))
    }
}
