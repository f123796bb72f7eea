//! The files of the studio: those of one folder, with unsaved texts over them.
//!
//! *Invariant.* Nothing outside of the folder is read, listed or written, whatever a request, a diagram or an `otus.toml`
//! names: a path with `..`, an absolute path, or a symbolic link that leads out is as if it were not there. Links inside of the
//! folder work. Only regular files are opened, so a pipe cannot block a thread.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, Read, Seek as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use otus::{Cancel, FileKind, Files, without_parents};

use crate::failure::Failure;

/// The folder of a studio.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens a folder.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        let root = std::fs::canonicalize(path)?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a name that a request gives.
    pub(crate) fn inside(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = Path::new(name);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let is_bad =
            name.is_empty() || name.contains(['\0', '\\']) || !path.components().all(is_plain);
        if is_bad {
            return Err(Failure::forbidden(format!(
                "`{}` is not a path inside of this folder",
                name.escape_debug()
            )));
        }
        let whole = self.root.join(path);
        match self.real(&whole) {
            Ok(_) => Ok(whole),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(whole),
            Err(_) => Err(Failure::forbidden(format!("{name} leads out of this folder"))),
        }
    }

    /// The name of a path inside of the folder.
    pub(crate) fn name(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        inside.to_string_lossy().replace('\\', "/")
    }

    /// Where a path really is. The parent of a file that does not exist must be inside, too.
    pub(crate) fn real(&self, whole: &Path) -> io::Result<PathBuf> {
        match std::fs::canonicalize(whole) {
            Ok(real) if real.starts_with(&self.root) => Ok(real),
            Ok(_) => Err(io::ErrorKind::PermissionDenied.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A link that leads nowhere is not followed either.
                if std::fs::symlink_metadata(whole).is_ok_and(|it| it.is_symlink()) {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                if let Some(parent) = whole.parent().filter(|_| whole != self.root) {
                    match self.real(parent) {
                        Err(inner) if inner.kind() != io::ErrorKind::NotFound => return Err(inner),
                        Ok(_) | Err(_) => {}
                    }
                }
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// A regular file of the folder, for reading.
    pub(crate) fn file(&self, whole: &Path) -> io::Result<(std::fs::File, Metadata)> {
        let real = self.real(whole)?;
        if !std::fs::metadata(&real)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let file = std::fs::File::open(real)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }
}

/// The folder as the core sees it, with unsaved texts.
#[derive(Debug, Clone)]
pub(crate) struct View {
    folder: Arc<Folder>,
    texts: Arc<BTreeMap<PathBuf, Vec<u8>>>,
    /// Ends the reading of files, so that a question about a huge log is cancelled at once.
    cancel: Option<Cancel>,
}

/// A file that cannot be read any more when its question is cancelled.
struct Cancellable {
    file: std::fs::File,
    cancel: Option<Cancel>,
}

impl Read for Cancellable {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(io::Error::other("the question was cancelled"));
        }
        self.file.read(into)
    }
}

impl View {
    pub(crate) fn new(folder: Arc<Folder>) -> View {
        View { folder, texts: Arc::default(), cancel: None }
    }

    /// The same folder with texts over its files.
    pub(crate) fn with(&self, unsaved: &BTreeMap<String, String>) -> Result<View, Failure> {
        if unsaved.is_empty() {
            return Ok(self.clone());
        }
        let mut texts = (*self.texts).clone();
        for (name, text) in unsaved {
            texts.insert(self.folder.inside(name)?, text.clone().into_bytes());
        }
        Ok(View { texts: Arc::new(texts), ..self.clone() })
    }

    /// The same folder, whose files can be read until a token is cancelled.
    pub(crate) fn until(self, cancel: &Cancel) -> View {
        View { cancel: Some(cancel.clone()), ..self }
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    fn reader(&self, file: std::fs::File) -> Box<dyn Read + Send> {
        Box::new(Cancellable { file, cancel: self.cancel.clone() })
    }

    fn whole(&self, path: &Path) -> io::Result<PathBuf> {
        let whole = self.absolute(path);
        if whole.starts_with(&self.folder.root) {
            Ok(whole)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }
}

impl Files for View {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let whole = self.whole(path)?;
        match self.texts.get(&whole) {
            Some(text) => Ok(Box::new(io::Cursor::new(text.clone()))),
            None => Ok(self.reader(self.folder.file(&whole)?.0)),
        }
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        let whole = self.whole(path)?;
        if let Some(text) = self.texts.get(&whole) {
            let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
            return Ok(Box::new(io::Cursor::new(text[start..].to_vec())));
        }
        let mut file = self.folder.file(&whole)?.0;
        file.seek(io::SeekFrom::Start(start))?;
        Ok(self.reader(file))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let whole = self.whole(path).ok()?;
        if self.texts.contains_key(&whole) {
            return Some(FileKind::File);
        }
        let real = self.folder.real(&whole).ok();
        let found = real.and_then(|real| std::fs::metadata(real).ok());
        match found {
            Some(found) if found.is_dir() => Some(FileKind::Folder),
            Some(found) if found.is_file() => Some(FileKind::File),
            Some(_) => None,
            None => {
                self.texts.keys().any(|text| text.starts_with(&whole)).then_some(FileKind::Folder)
            }
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        let whole = self.whole(folder)?;
        let mut entries: Vec<(PathBuf, FileKind)> = Vec::new();
        match self.folder.real(&whole).and_then(std::fs::read_dir) {
            Ok(found) => {
                for entry in found {
                    let path = folder.join(entry?.file_name());
                    let is_link = std::fs::symlink_metadata(self.absolute(&path))
                        .is_ok_and(|it| it.is_symlink());
                    match self.kind(&path) {
                        // Links to folders could form a cycle.
                        Some(FileKind::Folder) if is_link => {}
                        Some(kind) => entries.push((path, kind)),
                        None => {}
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        for text in self.texts.keys() {
            let Ok(inside) = text.strip_prefix(&whole) else { continue };
            let mut parts = inside.components();
            let Some(first) = parts.next() else { continue };
            let path = folder.join(first);
            let kind = if parts.next().is_some() { FileKind::Folder } else { FileKind::File };
            if !entries.iter().any(|(known, _)| *known == path) {
                entries.push((path, kind));
            }
        }
        if entries.is_empty() && self.kind(folder) != Some(FileKind::Folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(entries)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        without_parents(&self.folder.root.join(path))
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let whole = self.absolute(path);
        self.folder.real(&whole).unwrap_or(whole)
    }

    fn working_folder(&self) -> PathBuf {
        self.folder.root.clone()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        let whole = self.whole(path).ok()?;
        match self.texts.get(&whole) {
            Some(text) => Some(text.len() as u64),
            None => self.folder.file(&whole).ok().map(|(_, metadata)| metadata.len()),
        }
    }
}
