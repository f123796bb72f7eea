//! A line on the terminal that says how far a long run is.
//!
//! Results are better news, so there is none where they are on the same terminal. How much there is to do is
//! known from the sizes of files; of standard input and of raw logs, whose groups end when they end, it is not.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use super::tally::Tally;
use crate::feed::TraceInput;

pub(super) struct Progress {
    wanted: bool,
    begun: Instant,
    last: Instant,
    shown: bool,
    /// How many bytes there are to read, if that is known.
    total: Option<u64>,
}

impl Progress {
    /// How long a run takes before anybody asks.
    const PATIENCE: Duration = Duration::from_secs(1);
    const INTERVAL: Duration = Duration::from_millis(200);

    /// For a run over these, and over raw logs or not.
    pub(super) fn new(inputs: &VecDeque<TraceInput>, has_logs: bool) -> Progress {
        let wanted = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        let now = Instant::now();
        let total = if wanted && !has_logs { size(inputs) } else { None };
        Progress { wanted, begun: now, last: now, shown: false, total }
    }

    pub(super) fn show(&mut self, tally: &Tally) {
        if !self.wanted
            || self.begun.elapsed() < Self::PATIENCE
            || self.last.elapsed() < Self::INTERVAL
        {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let far = Far {
            checked: tally.total(),
            // What was decided before is not what the run can do in a second.
            asked: tally.total() - tally.earlier,
            bytes: tally.bytes,
            total: self.total,
            elapsed: self.begun.elapsed(),
        };
        let width = terminal_size::terminal_size_of(std::io::stderr());
        let width = width.map_or(usize::MAX, |(width, _)| usize::from(width.0));
        let line = format!("{}: {}", far.text(), tally.verdicts());
        // A line that goes on below could not be taken back.
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let mut error = std::io::stderr().lock();
        // Nothing sensible can be done when standard error is gone.
        let _ = write!(error, "\r\x1b[K{line}").and_then(|()| error.flush());
    }

    pub(super) fn hide(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut error = std::io::stderr().lock();
            let _ = write!(error, "\r\x1b[K").and_then(|()| error.flush());
        }
    }
}

/// How many bytes there are to read.
fn size(inputs: &VecDeque<TraceInput>) -> Option<u64> {
    let size = |input: &TraceInput| match input {
        TraceInput::File { path, .. } | TraceInput::Cases { path } => {
            let metadata = std::fs::metadata(path).ok()?;
            // What is no file, like a pipe, has no size.
            metadata.is_file().then_some(metadata.len())
        }
        TraceInput::Text { bytes, .. } => Some(bytes.len() as u64),
        TraceInput::Stream { .. } => None,
    };
    inputs.iter().map(size).sum()
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
struct Far {
    checked: usize,
    /// How many of them this run has checked.
    asked: usize,
    bytes: u64,
    total: Option<u64>,
    elapsed: Duration,
}

impl Far {
    /// `checked 120000 (40%, 51000/s, 4 s left)`
    fn text(&self) -> String {
        let Far { checked, asked, bytes, total, elapsed } = *self;
        let mut parts = Vec::new();
        // A file that grows while it is read has no end to speak of.
        let total = total.filter(|&total| total > 0 && bytes <= total);
        if let Some(total) = total {
            parts.push(format!("{}%", u128::from(bytes) * 100 / u128::from(total)));
        }
        let millis = elapsed.as_millis().max(1);
        parts.push(format!("{}/s", rounded(asked as u128 * 1000 / millis)));
        if let Some(left) = total.filter(|_| bytes > 0).map(|total| total - bytes) {
            let seconds = (millis * u128::from(left)).div_ceil(u128::from(bytes) * 1000);
            parts.push(format!("{} left", duration(seconds)));
        }
        format!("checked {checked} ({})", parts.join(", "))
    }
}

/// Two digits of a number are enough of a rate.
fn rounded(number: u128) -> u128 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number / unit * unit
}

/// `9 s`, `2 min 5 s`, `3 h 20 min`
fn duration(seconds: u128) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match (hours, minutes) {
        (0, 0) => write!(text, "{seconds} s"),
        (0, _) => write!(text, "{minutes} min {} s", seconds % 60),
        (_, _) => write!(text, "{hours} h {minutes} min"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        checked: usize,
        earlier: usize,
        bytes: u64,
        total: Option<u64>,
        millis: u64,
        text: &str,
    ) {
        let (asked, elapsed) = (checked - earlier, Duration::from_millis(millis));
        assert_eq!(Far { checked, asked, bytes, total, elapsed }.text(), text);
    }

    #[test]
    fn what_is_known_is_said() {
        check(1000, 0, 0, None, 2000, "checked 1000 (500/s)");
        check(120_000, 0, 400, Some(1000), 2345, "checked 120000 (40%, 51000/s, 4 s left)");
        check(10, 0, 1, Some(1000), 1000, "checked 10 (0%, 10/s, 16 min 39 s left)");
        check(10, 0, 1, Some(100_000), 1000, "checked 10 (0%, 10/s, 27 h 46 min left)");
        check(10, 0, 1000, Some(1000), 1000, "checked 10 (100%, 10/s, 0 s left)");
    }

    #[test]
    fn what_was_decided_before_is_not_counted_as_work() {
        check(1000, 900, 0, None, 1000, "checked 1000 (100/s)");
    }

    #[test]
    fn what_cannot_be_known_is_not_said() {
        check(0, 0, 0, Some(1000), 1000, "checked 0 (0%, 0/s)");
        check(10, 0, 10, Some(0), 1000, "checked 10 (10/s)");
        check(10, 0, 2000, Some(1000), 1000, "checked 10 (10/s)");
        check(1, 0, 0, None, 0, "checked 1 (1000/s)");
        check(
            usize::MAX,
            0,
            u64::MAX,
            Some(u64::MAX),
            u64::MAX,
            "checked 18446744073709551615 (100%, 1000/s, 0 s left)",
        );
    }

    #[test]
    fn sizes_are_those_of_files() {
        let text = |length| TraceInput::Text {
            name: String::new(),
            bytes: vec![0; length],
            id: String::new(),
        };
        assert_eq!(size(&VecDeque::from([text(3), text(4)])), Some(7));
        let missing = TraceInput::Cases { path: "no such file".to_owned() };
        assert_eq!(size(&VecDeque::from([text(3), missing])), None);
        assert_eq!(size(&VecDeque::new()), Some(0));
    }
}
