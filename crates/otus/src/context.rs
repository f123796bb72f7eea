//! What a caller provides: files, a way to cancel, and a place to report to.
//!
//! Nothing in the core prints, exits, installs a signal handler or reads an environment variable. A shell hands in
//! a [`Context`] instead.

use std::fmt::Debug;
use std::sync::Arc;

pub use otus_core::budget::Cancel;

use crate::diagnostics::Diagnostics;
use crate::files::{Disk, Files};

/// What a caller provides. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Context {
    /// Where files are read.
    pub files: Arc<dyn Files>,
    /// Ends all work when it is cancelled; what was found until then is still reported.
    pub cancel: Cancel,
    /// Where remarks and progress go.
    pub monitor: Arc<dyn Monitor>,
}

impl Default for Context {
    /// The file system, a token that nobody else holds, and no reports.
    fn default() -> Context {
        Context { files: Arc::new(Disk), cancel: Cancel::default(), monitor: Arc::new(Silent) }
    }
}

impl Context {
    /// The same with other files.
    #[must_use]
    pub fn with_files(self, files: impl Files + 'static) -> Context {
        Context { files: Arc::new(files), ..self }
    }

    /// Reports a remark in words.
    pub(crate) fn remark(&self, text: impl Into<String>) {
        self.monitor.notice(&Notice::Remark(text.into()));
    }

    /// Reports findings about texts that can be used nevertheless.
    pub(crate) fn warn(&self, found: Diagnostics) {
        if !found.is_empty() {
            self.monitor.notice(&Notice::Diagnostics(found));
        }
    }
}

/// Receives remarks and progress while the core works. Threads may call it at the same time.
pub trait Monitor: Debug + Send + Sync {
    /// Something that the user should read, though the work goes on.
    fn notice(&self, notice: &Notice);

    /// How far an analysis is. Called at most every 50 milliseconds or so.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
}

/// Something that the user should read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Notice {
    /// Findings about texts that can be used nevertheless.
    Diagnostics(Diagnostics),
    /// A sentence, which begins with `warning: `, `note: ` or `otus: ` if it is one of these.
    Remark(String),
}

/// How far an analysis is.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Progress {
    /// The multi-traces that have a verdict.
    pub checked: usize,
    /// Those of them whose verdict an earlier run had found.
    pub earlier: usize,
    /// The bytes read so far.
    pub bytes: u64,
    /// The bytes to read, if that is known.
    pub total_bytes: Option<u64>,
    /// The verdicts so far.
    pub verdicts: crate::summary::Verdicts,
}

/// A monitor that drops everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Monitor for Silent {
    fn notice(&self, _: &Notice) {}
}
