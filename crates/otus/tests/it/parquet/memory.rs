//! Files in memory, which need not be texts.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use otus::{FileKind, Files};

/// Files by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    pub(crate) fn with(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Memory {
        self.0.insert(name.into(), bytes.into());
        self
    }

    fn get(&self, path: &Path) -> io::Result<&Vec<u8>> {
        self.0.get(path).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Files for Memory {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Cursor::new(self.get(path)?.clone())))
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        let bytes = self.get(path)?;
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
        Ok(Box::new(Cursor::new(bytes[start..].to_vec())))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.0.contains_key(path).then_some(FileKind::File)
    }

    fn list(&self, _: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        Err(io::ErrorKind::NotADirectory.into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn working_folder(&self) -> PathBuf {
        PathBuf::new()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        Some(self.0.get(path)?.len() as u64)
    }
}
