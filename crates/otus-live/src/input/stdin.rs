//! Standard input: whole lines, as they come.

use std::io::Read;

use otus::Files;

use super::thread;
use crate::batch::{Batch, Content, Message, Sender};
use crate::error::{Error, Result};

/// The most bytes that are read at once.
const PIECE: usize = 256 << 10;

pub(super) fn start(files: &dyn Files, source: usize, sender: Sender) -> Result<()> {
    let failed = |error| Error::Io { what: "cannot read standard input".to_owned(), error };
    let mut input = files.standard_input().map_err(failed)?;
    thread("stdin", move || {
        if let Err(error) = read(&mut *input, source, &sender) {
            let _ = sender.send(Message::Remark(format!("warning: standard input ended: {error}")));
        }
        // Nobody may be there any longer to hear it.
        let _ = sender.send(Message::Ended);
    })
}

fn read(input: &mut dyn Read, source: usize, sender: &Sender) -> std::io::Result<()> {
    let mut buffer: Vec<u8> = Vec::new();
    let (mut line, mut offset) = (1_u32, 0_u64);
    loop {
        let before = buffer.len();
        // A line that is longer than a piece doubles the buffer, so that it is not searched again and again.
        buffer.resize(before + PIECE.max(before), 0);
        let count = match input.read(&mut buffer[before..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                buffer.truncate(before);
                continue;
            }
            count => count,
        };
        let length = before + *count.as_ref().unwrap_or(&0);
        buffer.truncate(length);
        let is_end = length == before;
        let end = match memchr::memrchr(b'\n', &buffer[before..]) {
            // The last line may have no end.
            _ if is_end => buffer.len(),
            Some(end) => before + end + 1,
            None => continue,
        };
        if end > 0 {
            let rest = buffer.split_off(end);
            let bytes = std::mem::replace(&mut buffer, rest);
            let lines = memchr::memchr_iter(b'\n', &bytes).count();
            let next = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            let length = bytes.len() as u64;
            let batch = Batch {
                name: "<stdin>".to_owned(),
                source,
                line,
                offset,
                content: Content::Lines(bytes),
                file: None,
                receipt: None,
            };
            if sender.send(Message::Batch(batch)).is_err() {
                return Ok(());
            }
            (line, offset) = (next, offset + length);
        }
        if is_end {
            return count.map(drop);
        }
    }
}
