//! Files whose reads tell the watchdog that the work continues. So reading a long log may take longer than the time
//! limit of one question.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use otus::{Cancel, Disk, FileKind, Files};

/// The file system, with a token on which each read calls [`Cancel::beat`].
#[derive(Debug)]
pub(crate) struct WatchedFiles(pub(super) Cancel);

struct Reader {
    inner: Box<dyn Read + Send>,
    token: Cancel,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.token.beat();
        self.inner.read(buffer)
    }
}

impl WatchedFiles {
    fn watched(&self, inner: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        Box::new(Reader { inner, token: self.0.clone() })
    }
}

impl Files for WatchedFiles {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Disk.open(path).map(|inner| self.watched(inner))
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        Disk.open_at(path, start).map(|inner| self.watched(inner))
    }

    fn standard_input(&self) -> io::Result<Box<dyn Read + Send>> {
        Disk.standard_input().map(|inner| self.watched(inner))
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
}
