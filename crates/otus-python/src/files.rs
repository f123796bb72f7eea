//! The files that a specification was read from, so that it can be sent to another process.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use otus::{Disk, FileKind, Files, Texts};

/// The file system, which remembers what was read.
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

impl Files for Recorded {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Cursor::new(Files::read(self, path)?)))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        Disk.kind(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        Disk.list(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        Disk.resolved(path)
    }

    fn working_folder(&self) -> PathBuf {
        Disk.working_folder()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        Disk.size(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(Disk.absolute(path), bytes.clone());
        Ok(bytes)
    }
}

/// Files that were read before, in the working folder of that time.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
    texts: Texts,
}

impl Kept {
    pub(crate) fn new(folder: &str, files: &[(String, Vec<u8>)]) -> Kept {
        let texts = Texts::default();
        let texts =
            files.iter().fold(texts, |texts, (path, bytes)| texts.with(path, bytes.clone()));
        Kept { folder: PathBuf::from(folder), texts }
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
