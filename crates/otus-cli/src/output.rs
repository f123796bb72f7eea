//! Writes to standard output, standard error and files.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use otus::Status;
use tempfile::NamedTempFile;

use crate::args::Color;

pub(crate) fn print(content: &(impl AsRef<[u8]> + ?Sized)) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(content.as_ref())?;
    Ok(out.flush()?)
}

/// Prints the result of a command that gives no verdict.
pub(crate) fn answer(content: &(impl AsRef<[u8]> + ?Sized)) -> anyhow::Result<Status> {
    print(content)?;
    Ok(Status::Passed)
}

/// Prints a remark about the run to standard error; results go to [`print()`].
pub(crate) fn complain(text: &str) {
    // If writing to standard error fails, the failure cannot be reported anywhere.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes a file atomically: a reader sees the old or the new content, never a part.
pub(crate) fn write_file(path: &Path, content: &(impl AsRef<[u8]> + ?Sized)) -> anyhow::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write(content)?;
    draft.finish().map(drop)
}

/// Writes files, or none if one of them exists already.
pub(crate) fn write_new(files: &[(PathBuf, String)], force: bool) -> anyhow::Result<()> {
    for (path, _) in files {
        refuse_existing(path, force)?;
    }
    files.iter().try_for_each(|(path, text)| write_file(path, text))
}

pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

pub(crate) fn refuse_existing(path: &Path, force: bool) -> anyhow::Result<()> {
    if path.exists() && !force {
        anyhow::bail!("{} exists; --force overwrites it", path.display());
    }
    Ok(())
}

/// Writes a result to the named file, and prints a remark that it was written; `-` is standard output.
pub(crate) fn deliver(
    name: impl AsRef<Path>,
    bytes: &[u8],
    remark: Option<&str>,
) -> anyhow::Result<()> {
    let path = name.as_ref();
    if path.as_os_str() == "-" {
        return print(bytes);
    }
    write_file(path, bytes)?;
    let remark = remark.map(|remark| format!(": {remark}")).unwrap_or_default();
    complain(&format!("wrote {}{remark}", path.display()));
    Ok(())
}

/// A file that gets its final name when it is complete. If it is never completed, it is deleted.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The file as the user named it.
    pub(crate) path: PathBuf,
    /// The file that is replaced.
    target: PathBuf,
    pub(crate) file: BufWriter<NamedTempFile>,
}

impl Draft {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Draft> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.exists()) {
            anyhow::bail!("{}: there is no folder {}", cannot_write(path), folder.display());
        }
        // If the path is a link, the target of the link is replaced and not the link. The draft is in the folder
        // of the target, because a file can be renamed only within its file system.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".{name}.otus-");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        // Temporary files are readable only by their owner, but a result should have the permissions of any
        // new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or_else(|| Path::new(".")));
        let file = file.with_context(|| cannot_write(path))?;
        Ok(Draft { path: path.to_owned(), target, file: BufWriter::new(file) })
    }

    pub(crate) fn write(&mut self, content: &(impl AsRef<[u8]> + ?Sized)) -> anyhow::Result<()> {
        self.file.write_all(content.as_ref()).with_context(|| cannot_write(&self.path))
    }

    /// Renames the draft to its final name, which is returned.
    pub(crate) fn finish(self) -> anyhow::Result<PathBuf> {
        rename(self.file, &self.target).with_context(|| cannot_write(&self.path))?;
        Ok(self.path)
    }
}

/// Where a report goes.
pub(crate) enum Sink {
    /// Standard output, or a file to which results are appended. Each part is written as soon as it
    /// exists.
    Stream(Box<dyn Write>),
    /// A file that gets its final name when it is complete.
    File(Draft),
    /// A table, which cannot say that runs are missing, so that it must not be taken for a whole one.
    Table(Draft),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Sink::Stream(out) => out.write_all(bytes).and_then(|()| out.flush())?,
            Sink::File(draft) | Sink::Table(draft) => draft.file.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Replaces a file by a draft. The draft takes over the permissions of the file.
fn rename(draft: BufWriter<NamedTempFile>, target: &Path) -> std::io::Result<()> {
    let draft = draft.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    if let Ok(metadata) = std::fs::metadata(target) {
        draft.as_file().set_permissions(metadata.permissions())?;
    }
    draft.persist(target)?;
    Ok(())
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Whether an error means that the reader of standard output has closed it.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output: results.
    Output,
    /// Standard error: everything else.
    Error,
}

/// Whether to colour the output to a stream (`NO_COLOR` and `--color` decide).
pub(crate) fn colored(choice: Color, stream: Stream) -> bool {
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let terminal = match stream {
                Stream::Output => std::io::stdout().is_terminal(),
                Stream::Error => std::io::stderr().is_terminal(),
            };
            terminal && !unwanted
        }
    }
}
