//! Standard output, standard error and files.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::args::Color;

/// Prints a result.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Says something about the run; results go to [`print`].
pub(crate) fn complain(text: &str) {
    // Nothing sensible can be done when standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes a file so that it is either the old or the new one, never half of it.
pub(crate) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write(text)?;
    draft.finish()?;
    Ok(())
}

/// A file that takes its name when it is finished, and vanishes if it never is.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    /// What it is called until then.
    hidden: PathBuf,
    file: BufWriter<File>,
}

impl Draft {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Draft> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hidden = path.with_file_name(format!(".{name}.otus-{}", std::process::id()));
        let file = File::create(&hidden).with_context(|| cannot_write(path))?;
        Ok(Draft { path: path.to_owned(), hidden, file: BufWriter::new(file) })
    }

    pub(crate) fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| cannot_write(&self.path))
    }

    /// Gives the file its name, and returns it.
    pub(crate) fn finish(mut self) -> anyhow::Result<PathBuf> {
        self.rename().with_context(|| cannot_write(&self.path))?;
        Ok(std::mem::take(&mut self.path))
    }

    fn rename(&mut self) -> std::io::Result<()> {
        self.file.flush()?;
        // A link is followed, so that what it points to is replaced and not the link.
        let target = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        if let Ok(metadata) = std::fs::metadata(&target) {
            std::fs::set_permissions(&self.hidden, metadata.permissions())?;
        }
        std::fs::rename(&self.hidden, &target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // There is none any more if it was finished.
        let _ = std::fs::remove_file(&self.hidden);
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Whether an error is just that nobody reads our output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Where something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output: results.
    Output,
    /// Standard error: everything else.
    Error,
}

/// Whether to colour what goes to a stream (`NO_COLOR` and `--color` decide).
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
