//! Single lines of raw logs, read again to be shown.
//!
//! A file is read once from its start to the requested line. The offset of every thousandth line is kept, so that later
//! lines of a long log are found without reading it from its start. A compressed file cannot be read from the middle,
//! so it is always read from its start.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use otus_trace::read::{Packing, unpack};
use rustc_hash::FxHashMap;

use crate::files::Files;

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// For each file: the offset of every [`EVERY`]th line, as far as the file was read. Empty for a compressed
    /// file.
    starts: FxHashMap<PathBuf, Vec<u64>>,
}

const EVERY: usize = 1000;

/// The maximum number of bytes of a line that are read, and of a line of JSON, which may have many
/// spans.
const LONGEST: u64 = 4000;
const LONGEST_JSON: u64 = 1 << 20;

impl Lines {
    /// The line with a number, from 1, without its end. If a JSON object begins on that line, the lines below it
    /// that belong to the object are included. `None` if there is no such line, or the file cannot be read.
    pub(super) fn line(&mut self, files: &dyn Files, path: &Path, number: usize) -> Option<String> {
        let wanted = number.checked_sub(1)?;
        if !self.starts.contains_key(path) {
            let (_, packing) = unpack(files.open(path).ok()?).ok()?;
            let starts = if packing == Packing::None { vec![0] } else { Vec::new() };
            self.starts.insert(path.to_owned(), starts);
        }
        let starts = self.starts.get_mut(path)?;
        let known = (wanted / EVERY).min(starts.len().saturating_sub(1));
        let mut offset = starts.get(known).copied().unwrap_or(0);
        let file: Box<dyn std::io::Read> = match starts.as_slice() {
            [] => unpack(files.open(path).ok()?).ok()?.0,
            _ => files.open_at(path, offset).ok()?,
        };
        let (mut reader, mut at) = (BufReader::new(file), known * EVERY);
        while at < wanted {
            let skipped = reader.skip_until(b'\n').ok()?;
            if skipped == 0 {
                return None;
            }
            offset += skipped as u64;
            at += 1;
            if !starts.is_empty() && at == starts.len() * EVERY {
                starts.push(offset);
            }
        }
        let mut bytes = Vec::new();
        reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).ok()?;
        if bytes.is_empty() {
            return None;
        }
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        if is_json && bytes.len() as u64 == LONGEST {
            reader.by_ref().take(LONGEST_JSON).read_until(b'\n', &mut bytes).ok()?;
        }
        // If an object continues on the next line, its line ends after a bracket or a comma.
        if is_json && matches!(bytes.trim_ascii_end().last(), Some(b'{' | b'[' | b',')) {
            reader.take(LONGEST).read_to_end(&mut bytes).ok()?;
        }
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_end_matches(['\n', '\r']).trim_start_matches('\u{feff}').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::files::Texts;

    #[test]
    fn lines_are_found_in_any_order() {
        let mut text = Vec::new();
        for number in 1..=5000 {
            write!(text, "line {number}\r\n").unwrap();
        }
        text.extend_from_slice(b"last");
        let files = Texts::default().with("a.log", text);
        let mut lines = Lines::default();
        let mut line = |name: &str, number| lines.line(&files, Path::new(name), number);
        for number in [4999, 1, 1000, 1001, 2, 5000, 3500] {
            assert_eq!(line("a.log", number), Some(format!("line {number}")));
        }
        assert_eq!(line("a.log", 5001).as_deref(), Some("last"));
        assert_eq!(line("a.log", 5002), None);
        assert_eq!(line("a.log", 0), None);
        assert_eq!(line("no such file", 1), None);
    }
}
