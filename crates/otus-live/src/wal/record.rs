//! The records of the log, and their bytes.
//!
//! A frame is the length of the payload and its CRC-32, four bytes each and little-endian, and then the payload: a byte that says
//! what it is, numbers of fixed length, texts with their length before, and at last the content of a batch.

use std::borrow::Cow;

use crate::batch::{Batch, Content, FileMark};
use crate::verdict::Ended;

/// A record of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record<'r> {
    /// Something was read.
    Batch(Logged<'r>),
    /// A generation of a group ended.
    Close { key: Cow<'r, [u8]>, generation: u32, ended: Ended },
    /// A Fail of a generation was found while the group was open.
    Fail { key: Cow<'r, [u8]>, generation: u32 },
    /// A final answer to the formula of this number was found while the group was open.
    Answer { key: Cow<'r, [u8]>, generation: u32, formula: u32 },
    /// All verdicts that follow from the records so far were told.
    Told,
}

/// A batch in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged<'r> {
    pub(crate) name: &'r str,
    pub(crate) source: usize,
    pub(crate) line: u32,
    pub(crate) offset: u64,
    pub(crate) file: Option<FileMark>,
    pub(crate) is_spans: bool,
    pub(crate) bytes: &'r [u8],
}

impl<'r> Logged<'r> {
    pub(crate) fn new(batch: &'r Batch) -> Logged<'r> {
        Logged {
            name: &batch.name,
            source: batch.source,
            line: batch.line,
            offset: batch.offset,
            file: batch.file,
            is_spans: matches!(batch.content, Content::Spans(..)),
            bytes: batch.content.bytes(),
        }
    }
}

const LINES: u8 = 1;
const SPANS: u8 = 2;
const CLOSE: u8 = 3;
const FAIL: u8 = 4;
const TOLD: u8 = 5;
const ANSWER: u8 = 6;

/// The length of a frame without its payload.
pub(super) const FRAME: usize = 8;

impl Record<'_> {
    /// Appends the framed record.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; FRAME]);
        match self {
            Record::Batch(batch) => {
                out.push(if batch.is_spans { SPANS } else { LINES });
                out.extend_from_slice(&u32::try_from(batch.source).unwrap_or(0).to_le_bytes());
                out.extend_from_slice(&batch.line.to_le_bytes());
                out.extend_from_slice(&batch.offset.to_le_bytes());
                let mark = batch.file.unwrap_or_default();
                out.push(u8::from(batch.file.is_some()));
                for number in [mark.inode.0, mark.inode.1, u64::from(mark.head.0), mark.head.1] {
                    out.extend_from_slice(&number.to_le_bytes());
                }
                text(batch.name.as_bytes(), out);
                out.extend_from_slice(batch.bytes);
            }
            Record::Close { key, generation, ended } => {
                out.push(CLOSE);
                out.extend_from_slice(&generation.to_le_bytes());
                out.push(*ended as u8);
                text(key, out);
            }
            Record::Fail { key, generation } => {
                out.push(FAIL);
                out.extend_from_slice(&generation.to_le_bytes());
                text(key, out);
            }
            Record::Answer { key, generation, formula } => {
                out.push(ANSWER);
                out.extend_from_slice(&generation.to_le_bytes());
                out.extend_from_slice(&formula.to_le_bytes());
                text(key, out);
            }
            Record::Told => out.push(TOLD),
        }
        let payload = &out[start + FRAME..];
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let sum = crc32fast::hash(payload);
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        out[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
    }
}

fn text(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Takes a payload apart.
struct Fields<'r>(&'r [u8]);

impl<'r> Fields<'r> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn short(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn text(&mut self) -> Option<&'r [u8]> {
        let length = self.short()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

impl<'r> Record<'r> {
    /// The record of a payload; `None` if it is none of this version.
    pub(crate) fn read(payload: &'r [u8]) -> Option<Record<'r>> {
        let mut fields = Fields(payload);
        Some(match fields.byte()? {
            kind @ (LINES | SPANS) => {
                let (source, line, offset) = (fields.short()?, fields.short()?, fields.long()?);
                let has_file = fields.byte()? == 1;
                let inode = (fields.long()?, fields.long()?);
                let head = (u32::try_from(fields.long()?).ok()?, fields.long()?);
                let name = std::str::from_utf8(fields.text()?).ok()?;
                Record::Batch(Logged {
                    name,
                    source: source as usize,
                    line,
                    offset,
                    file: has_file.then_some(FileMark { inode, head }),
                    is_spans: kind == SPANS,
                    bytes: fields.0,
                })
            }
            CLOSE => {
                let (generation, ended) = (fields.short()?, Ended::from_number(fields.byte()?)?);
                Record::Close { generation, ended, key: fields.text()?.into() }
            }
            FAIL => {
                let generation = fields.short()?;
                Record::Fail { generation, key: fields.text()?.into() }
            }
            ANSWER => {
                let (generation, formula) = (fields.short()?, fields.short()?);
                Record::Answer { generation, formula, key: fields.text()?.into() }
            }
            TOLD => Record::Told,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_their_bytes() {
        let mark = FileMark { inode: (1, u64::MAX), head: (256, 7) };
        let batch = |file, is_spans| {
            let (name, bytes) = ("a é.log", &b"x\ny\n"[..]);
            Record::Batch(Logged {
                name,
                source: 3,
                line: 9,
                offset: 1 << 40,
                file,
                is_spans,
                bytes,
            })
        };
        let key: Cow<'_, [u8]> = b"\xff\x00".into();
        for record in [
            batch(Some(mark), false),
            batch(None, true),
            Record::Close { key: key.clone(), generation: 2, ended: Ended::Forced },
            Record::Fail { key: key.clone(), generation: u32::MAX },
            Record::Answer { key, generation: 1, formula: 2 },
            Record::Told,
        ] {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            assert_eq!(Record::read(&bytes[FRAME..]), Some(record.clone()));
            for length in FRAME..bytes.len() {
                // A payload that is cut is another record or none; it never panics.
                let _ = Record::read(&bytes[FRAME..length]);
            }
        }
    }
}
