//! The environment of the core: files, cancellation, and reporting.
//!
//! The core prints nothing, never exits, installs no signal handler and reads no environment variable. A shell passes a
//! [`Context`] instead.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

pub use otus_core::budget::{Cancel, Stop};

use crate::diagnostics::Diagnostics;
use crate::files::{Disk, Files};

/// The environment that a caller provides. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Context {
    /// The source of files.
    pub files: Arc<dyn Files>,
    /// Stops all work when it is cancelled; results found before that are still reported.
    pub cancel: Cancel,
    /// The receiver of remarks and progress.
    pub monitor: Arc<dyn Monitor>,
}

impl Default for Context {
    /// The file system, a new token, and no reports.
    fn default() -> Context {
        Context { files: Arc::new(Disk), cancel: Cancel::default(), monitor: Arc::new(Silent) }
    }
}

impl Context {
    /// The same context with other files.
    #[must_use]
    pub fn with_files(self, files: impl Files + 'static) -> Context {
        Context { files: Arc::new(files), ..self }
    }

    pub(crate) fn remark(&self, text: impl Into<String>) {
        self.monitor.notice(&Notice::Remark(text.into()));
    }

    pub(crate) fn warn(&self, found: Diagnostics) {
        if !found.is_empty() {
            self.monitor.notice(&Notice::Diagnostics(found));
        }
    }
}

/// Receives remarks and progress while the core works. Threads may call it at the same time.
pub trait Monitor: Debug + Send + Sync {
    /// A message for the user. The work continues.
    fn notice(&self, notice: &Notice);

    /// The progress of an analysis. Called at most about every 50 milliseconds.
    fn progress(&self, _progress: &Progress) {}

    /// A step that reports no progress until it ends. Called with its text at the beginning, and
    /// with `None` at the end.
    fn step(&self, _step: Option<&str>) {}
}

/// A message for the user.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Notice {
    /// Warnings about texts.
    Diagnostics(Diagnostics),
    /// A sentence, which may begin with `warning: `, `note: ` or `otus: `.
    Remark(String),
}

/// The progress of an analysis.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Progress {
    /// The multi-traces that have a verdict.
    pub checked: usize,
    /// The number of these whose verdicts come from an earlier run.
    pub earlier: usize,
    /// The bytes read so far.
    pub bytes: u64,
    /// The bytes to read, if known.
    pub total_bytes: Option<u64>,
    /// The verdicts so far.
    pub verdicts: crate::summary::Verdicts,
}

impl Progress {
    /// `checked 120000 (40%, 51000/s, 4 s left): 119998 pass, …`, after this much time.
    pub fn text(&self, elapsed: Duration) -> String {
        let mut parts = Vec::new();
        // If more bytes were read than a file had, the file grows while it is read, and its end is
        // unknown.
        let total = self.total_bytes.filter(|&total| total > 0 && self.bytes <= total);
        if let Some(total) = total {
            parts.push(format!("{}%", u128::from(self.bytes) * 100 / u128::from(total)));
        }
        let millis = elapsed.as_millis().max(1);
        // Verdicts of earlier runs are left out of the rate.
        let checked = self.checked.saturating_sub(self.earlier) as u128;
        parts.push(format!("{}/s", rounded(checked * 1000 / millis)));
        if let Some(left) = total.filter(|_| self.bytes > 0).map(|total| total - self.bytes) {
            let seconds = (millis * u128::from(left)).div_ceil(u128::from(self.bytes) * 1000);
            let left = match (seconds / 3600, seconds / 60 % 60) {
                (0, 0) => format!("{seconds} s"),
                (0, minutes) => format!("{minutes} min {} s", seconds % 60),
                (hours, minutes) => format!("{hours} h {minutes} min"),
            };
            parts.push(format!("{left} left"));
        }
        format!("checked {} ({}): {}", self.checked, parts.join(", "), self.verdicts)
    }
}

/// The number rounded to two digits, which is enough for a rate.
fn rounded(number: u128) -> u128 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number / unit * unit
}

/// A monitor that drops everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Monitor for Silent {
    fn notice(&self, _: &Notice) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(checked: usize, bytes: u64, total_bytes: Option<u64>, millis: u64, text: &str) {
        let progress = Progress { checked, bytes, total_bytes, ..Progress::default() };
        let text = format!("{text}: 0 pass, 0 weak, 0 fail, 0 undecided");
        assert_eq!(progress.text(Duration::from_millis(millis)), text);
    }

    #[test]
    fn progress_says_what_is_known() {
        check(1000, 0, None, 2000, "checked 1000 (500/s)");
        check(120_000, 400, Some(1000), 2345, "checked 120000 (40%, 51000/s, 4 s left)");
        check(10, 1, Some(1000), 1000, "checked 10 (0%, 10/s, 16 min 39 s left)");
        check(10, 1, Some(100_000), 1000, "checked 10 (0%, 10/s, 27 h 46 min left)");
        check(10, 1000, Some(1000), 1000, "checked 10 (100%, 10/s, 0 s left)");
    }

    #[test]
    fn progress_leaves_out_what_cannot_be_known() {
        check(0, 0, Some(1000), 1000, "checked 0 (0%, 0/s)");
        check(10, 10, Some(0), 1000, "checked 10 (10/s)");
        check(10, 2000, Some(1000), 1000, "checked 10 (10/s)");
        check(1, 0, None, 0, "checked 1 (1000/s)");
        let most = "checked 18446744073709551615 (100%, 1000/s, 0 s left)";
        check(usize::MAX, u64::MAX, Some(u64::MAX), u64::MAX, most);
    }

    #[test]
    fn earlier_verdicts_are_not_counted_as_work() {
        let progress = Progress { checked: 1000, earlier: 900, ..Progress::default() };
        assert!(progress.text(Duration::from_secs(1)).starts_with("checked 1000 (100/s)"));
    }
}
