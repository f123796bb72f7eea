//! Access to files, behind a trait.
//!
//! The core reads every file through [`Files`]. [`Disk`] is the file system; [`Texts`] holds texts in memory, for
//! servers and tests. The core writes no files: it returns results, and shells write them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Read, Seek as _};
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};

/// A source of files.
pub trait Files: Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// If there is no such file, or it cannot be read.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// Opens a file at a byte offset.
    ///
    /// # Errors
    /// The errors of [`Files::open`].
    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        let mut file = self.open(path)?;
        io::copy(&mut file.by_ref().take(start), &mut io::sink())?;
        Ok(file)
    }

    /// The kind of a path; `None` if it does not exist.
    fn kind(&self, path: &Path) -> Option<FileKind>;

    /// The files and folders in a folder. Links to folders are left out, because they may form cycles.
    ///
    /// # Errors
    /// If it is not a folder, or it cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>>;

    /// The absolute path, without `.` and `..`.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// The absolute path with links followed; the path itself if it does not exist.
    fn resolved(&self, path: &Path) -> PathBuf {
        self.absolute(path)
    }

    /// The working folder.
    fn working_folder(&self) -> PathBuf;

    /// The length of a file in bytes, if it is known.
    fn size(&self, path: &Path) -> Option<u64>;

    /// Standard input, with the name `-`.
    ///
    /// # Errors
    /// If there is no standard input.
    fn standard_input(&self) -> io::Result<Box<dyn Read + Send>> {
        Err(io::Error::other("there is no standard input"))
    }

    /// All bytes of a file.
    ///
    /// # Errors
    /// The errors of [`Files::open`].
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The kinds of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file, or a link to one.
    File,
    /// A folder.
    Folder,
}

/// The file system and the standard input of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(std::fs::File::open(path)?))
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        let mut file = std::fs::File::open(path)?;
        file.seek(io::SeekFrom::Start(start))?;
        Ok(Box::new(file))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if path.is_dir() {
            return Some(FileKind::Folder);
        }
        path.exists().then_some(FileKind::File)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                entries.push((path, FileKind::Folder));
            } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
                entries.push((path, FileKind::File));
            }
        }
        Ok(entries)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if !whole.components().any(|part| part == Component::ParentDir) {
            return whole;
        }
        // After a link, `..` means another folder than the path suggests, so the file system resolves it.
        std::fs::canonicalize(&whole).unwrap_or_else(|_| without_parents(&whole))
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
    }

    fn working_folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        let metadata = std::fs::metadata(path).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    fn standard_input(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::stdin()))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Another source of files whose bytes a [`Tap`] sees on their way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tapped<F, T> {
    /// The source of files.
    pub files: F,
    /// What sees their bytes.
    pub tap: T,
}

/// What sees the bytes of files while they are read.
pub trait Tap: Debug + Send + Sync {
    /// The reader to use instead of that of a file that was opened, or of standard input, which has no path.
    ///
    /// # Errors
    /// If the tap reads the file itself, and it cannot be read.
    fn tap(
        &self,
        path: Option<&Path>,
        reader: Box<dyn Read + Send>,
    ) -> io::Result<Box<dyn Read + Send>>;
}

impl<F: Files, T: Tap> Files for Tapped<F, T> {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.tap.tap(Some(path), self.files.open(path)?)
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        self.tap.tap(Some(path), self.files.open_at(path, start)?)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.files.kind(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        self.files.list(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(path)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        self.files.resolved(path)
    }

    fn working_folder(&self) -> PathBuf {
        self.files.working_folder()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.files.size(path)
    }

    fn standard_input(&self) -> io::Result<Box<dyn Read + Send>> {
        self.tap.tap(None, self.files.standard_input()?)
    }
}

/// Files in memory.
///
/// ```
/// use otus::{Files, Texts};
///
/// let files = Texts::default().with("docs/flow.mmd", "sequenceDiagram\n  a->>b: m\n");
/// assert!(files.kind("docs".as_ref()).is_some());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Texts {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Texts {
    /// Adds a file. Relative paths start from the root.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Texts {
        self.files.insert(self.absolute(path.as_ref()), content.into());
        self
    }
}

impl Files for Texts {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.read(path)?)))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let path = self.absolute(path);
        if self.files.contains_key(&path) {
            return Some(FileKind::File);
        }
        self.files.keys().any(|file| file.starts_with(&path)).then_some(FileKind::Folder)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        let whole = self.absolute(folder);
        let mut entries: Vec<(PathBuf, FileKind)> = Vec::new();
        for file in self.files.keys() {
            let Ok(inside) = file.strip_prefix(&whole) else { continue };
            let mut parts = inside.components();
            let Some(first) = parts.next() else { continue };
            let kind = if parts.next().is_some() { FileKind::Folder } else { FileKind::File };
            let entry = (folder.join(first), kind);
            // Files of one folder are neighbours in the map.
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        if entries.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(entries) }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        without_parents(&Path::new("/").join(path))
    }

    fn working_folder(&self) -> PathBuf {
        PathBuf::from("/")
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.files.get(&self.absolute(path)).map(|content| content.len() as u64)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let content = self.files.get(&self.absolute(path));
        content.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// The path without `.` and `..`, so that each file has one name. Links are not followed.
pub fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// All files of a folder and the folders in it, sorted. Hidden ones are left out.
pub(crate) fn walk(files: &dyn Files, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = files.list(&folder).map_err(|source| Error::read(&folder, source))?;
        for (path, kind) in entries {
            let name = path.file_name().unwrap_or_default();
            match kind {
                _ if name.to_string_lossy().starts_with('.') => {}
                FileKind::Folder => folders.push(path),
                FileKind::File => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path for display: relative to the working folder if it is inside it or close above it.
pub(crate) fn shown(files: &dyn Files, path: &Path) -> String {
    /// A relative path with more `..` than this is harder to read than an absolute one.
    const MOST_PARENTS: usize = 4;
    let path = files.absolute(path);
    let here = files.working_folder();
    if let Ok(inside) = path.strip_prefix(&here) {
        let inside = inside.to_string_lossy();
        return if inside.is_empty() { ".".to_owned() } else { inside.into_owned() };
    }
    for (parents, folder) in here.ancestors().enumerate().skip(1).take(MOST_PARENTS) {
        if let Ok(inside) = path.strip_prefix(folder) {
            return format!("{}{}", "../".repeat(parents), inside.to_string_lossy());
        }
    }
    path.to_string_lossy().into_owned()
}

/// The reason why a named file cannot be read, with a suggestion if another file has a similar name.
pub(crate) fn missing(files: &dyn Files, path: &Path, error: &io::Error) -> Error {
    let name = path.display();
    if files.kind(path) == Some(FileKind::Folder) {
        return Error::Unfit(format!("{name} is a folder; name the files in it"));
    }
    if error.kind() != io::ErrorKind::NotFound {
        return Error::Unfit(format!("cannot read {name}: {error}"));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| files.kind(parent).is_none()) {
        let folder = parent.display();
        return Error::Unfit(format!("cannot read {name}: there is no folder {folder}"));
    }
    let siblings = files.list(parent.unwrap_or(Path::new("."))).unwrap_or_default();
    let mut siblings: Vec<String> = siblings
        .iter()
        .filter_map(|(path, _)| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    siblings.sort();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let nearest = otus_syntax::suggest::nearest(&wanted, siblings.iter().map(String::as_str));
    let suggestion = nearest.map(|nearest| path.with_file_name(nearest));
    let suggestion = suggestion.map(|path| format!("; did you mean {}?", path.display()));
    Error::Unfit(format!("there is no file {name}{}", suggestion.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_from_the_working_folder() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(shown(&Disk, Path::new("a/./b")), "a/b");
        assert_eq!(shown(&Disk, &here), ".");
        assert_eq!(shown(&Disk, &here.join("x/../y")), "y");
        assert_eq!(shown(&Disk, &here.parent().unwrap().join("z")), "../z");
    }

    #[test]
    fn texts_have_folders() {
        let files = Texts::default().with("a/b.log", "x").with("a/c/d.log", "y").with("e", "z");
        assert_eq!(files.kind(Path::new("a")), Some(FileKind::Folder));
        assert_eq!(files.kind(Path::new("a/b.log")), Some(FileKind::File));
        assert_eq!(files.kind(Path::new("f")), None);
        let found = walk(&files, Path::new("a")).unwrap();
        assert_eq!(found, [PathBuf::from("a/b.log"), PathBuf::from("a/c/d.log")]);
        let error = files.read(Path::new("a/b.lgo")).unwrap_err();
        let told = missing(&files, Path::new("a/b.lgo"), &error).to_string();
        assert_eq!(told, "there is no file a/b.lgo; did you mean a/b.log?");
    }
}
