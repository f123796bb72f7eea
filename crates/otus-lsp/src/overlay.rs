//! The files of the disk, with the texts of open documents in place of what is saved.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use otus::{Disk, FileKind, Files};

/// A view of files. Cheap to clone, and later edits do not change a clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlay {
    open: Arc<BTreeMap<PathBuf, Arc<String>>>,
}

impl Overlay {
    pub(crate) fn new(open: BTreeMap<PathBuf, Arc<String>>) -> Overlay {
        Overlay { open: Arc::new(open) }
    }

    /// The text of an open document.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<String>> {
        self.open.get(path).cloned()
    }

    fn opened(&self, path: &Path) -> Option<&Arc<String>> {
        self.open.get(path).or_else(|| self.open.get(&Disk.absolute(path)))
    }
}

impl Files for Overlay {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        match self.opened(path) {
            Some(text) => Ok(Box::new(Cursor::new(text.as_bytes().to_vec()))),
            None => regular(path).and_then(|()| Disk.open(path)),
        }
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        match self.opened(path) {
            Some(text) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
                Ok(Box::new(Cursor::new(text.as_bytes()[start..].to_vec())))
            }
            None => regular(path).and_then(|()| Disk.open_at(path, start)),
        }
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        match self.opened(path) {
            Some(_) => Some(FileKind::File),
            // What is neither a file nor a folder could block for ever.
            None => Disk.kind(path).filter(|&it| it == FileKind::Folder || regular(path).is_ok()),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        let listed = Disk.list(folder);
        let is_inside = |path: &&PathBuf| path.parent() == Some(folder);
        let open: Vec<&PathBuf> = self.open.keys().filter(is_inside).collect();
        if open.is_empty() {
            return listed;
        }
        // A document may be open whose folder is not there yet.
        let mut found = listed.unwrap_or_default();
        for path in open {
            if !found.iter().any(|(known, _)| known == path) {
                found.push((path.clone(), FileKind::File));
            }
        }
        Ok(found)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let whole = Disk.resolved(path);
        if whole != path || Disk.kind(path).is_some() {
            return whole;
        }
        // A document that is not saved is in the folder that its path names.
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => Disk.resolved(folder).join(name),
            _ => whole,
        }
    }

    fn working_folder(&self) -> PathBuf {
        Disk.working_folder()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        match self.opened(path) {
            Some(text) => Some(text.len() as u64),
            None => Disk.size(path),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.opened(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => regular(path).and_then(|()| Disk.read(path)),
        }
    }
}

/// An error if something is there that is no file, such as a pipe.
fn regular(path: &Path) -> io::Result<()> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other("this is not a file")) }
}
