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

/// Lines of files, by name.
#[derive(Debug, Default)]
pub(super) struct Lines {
    known: FxHashMap<PathBuf, Index>,
}

/// The offsets of lines: of every [`EVERY`]th one, as far as the file was read.
#[derive(Debug)]
struct Index {
    is_packed: bool,
    starts: Vec<u64>,
}

const EVERY: usize = 1000;

/// The most bytes of a line that are read.
const LONGEST: u64 = 4000;

impl Lines {
    /// The line with a number from 1, without its end; `None` if there is no such line, or the file
    /// cannot be read.
    pub(super) fn line(&mut self, files: &dyn Files, path: &Path, number: usize) -> Option<String> {
        let wanted = number.checked_sub(1)?;
        if !self.known.contains_key(path) {
            let (_, packing) = unpack(files.open(path).ok()?).ok()?;
            let index = Index { is_packed: packing != Packing::None, starts: vec![0] };
            self.known.insert(path.to_owned(), index);
        }
        let index = self.known.get_mut(path)?;
        let (mut reader, mut at) = if index.is_packed {
            (BufReader::new(unpack(files.open(path).ok()?).ok()?.0), 0)
        } else {
            let known = (wanted / EVERY).min(index.starts.len() - 1);
            let file: Box<dyn std::io::Read> = files.open_at(path, index.starts[known]).ok()?;
            (BufReader::new(file), known * EVERY)
        };
        let mut offset = if index.is_packed { 0 } else { index.starts[at / EVERY] };
        while at < wanted {
            let skipped = reader.skip_until(b'\n').ok()?;
            if skipped == 0 {
                return None;
            }
            offset += skipped as u64;
            at += 1;
            if !index.is_packed && at % EVERY == 0 && at / EVERY == index.starts.len() {
                index.starts.push(offset);
            }
        }
        let mut bytes = Vec::new();
        reader.take(LONGEST).read_until(b'\n', &mut bytes).ok()?;
        if bytes.is_empty() {
            return None;
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
