//! The checkpoint: from where a restart reads, and what the deleted segments had told.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::segment::sync_folder;
use crate::batch::FileMark;
use crate::error::{Error, Result, about};

const NAME: &str = "checkpoint.json";

const VERSION: u32 = 2;

/// The state at a point of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// The first segment that is needed.
    pub(crate) first: u64,
    /// How far files were read: the file, its name, the offset behind what was read, and the number of the next line.
    pub(crate) positions: Vec<(FileMark, String, u64, u32)>,
    /// The numbers of groups that ended, with their last generation: the oldest first.
    pub(crate) ended: Vec<(u64, u32)>,
    /// The number of the next span of each receiver.
    pub(crate) spans: Vec<(String, u32)>,
}

impl Checkpoint {
    /// Reads that of a folder; an empty one if there is none.
    pub(super) fn read(folder: &Path, fingerprint: &str) -> Result<Checkpoint> {
        let path = folder.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Checkpoint::default());
            }
            Err(error) => return Err(about("read", &path)(error)),
        };
        let value: Option<Value> = serde_json::from_slice(&text).ok();
        let Some(value) = value.filter(|value| value["version"] == json!(VERSION)) else {
            return Err(Error::Unfit(format!(
                "{} is no checkpoint of this version of Otus; move the folder {} away",
                path.display(),
                folder.display()
            )));
        };
        if value["asked"] != json!(fingerprint) {
            return Err(Error::Unfit(format!(
                "the write-ahead log in {} belongs to another specification or question; finish with the \
                 one that wrote it, choose another folder by --wal, or delete the folder",
                folder.display()
            )));
        }
        Checkpoint::of(&value).ok_or_else(|| {
            Error::Unfit(format!(
                "{} was changed by hand: a key is missing; move the folder {} away",
                path.display(),
                folder.display()
            ))
        })
    }

    fn of(value: &Value) -> Option<Checkpoint> {
        let short = |value: &Value| u32::try_from(value.as_u64()?).ok();
        let position = |value: &Value| {
            let [name, dev, ino, length, hash, offset, line] = value.as_array()?.as_slice() else {
                return None;
            };
            let inode = (dev.as_u64()?, ino.as_u64()?);
            let mark = FileMark { inode, head: (short(length)?, hash.as_u64()?) };
            Some((mark, name.as_str()?.to_owned(), offset.as_u64()?, short(line)?))
        };
        let spans = |value: &Value| Some((value[0].as_str()?.to_owned(), short(&value[1])?));
        Some(Checkpoint {
            first: value["first"].as_u64()?,
            positions: value["positions"]
                .as_array()?
                .iter()
                .map(position)
                .collect::<Option<_>>()?,
            ended: unpack(value["ended"].as_str()?)?,
            spans: value["spans"].as_array()?.iter().map(spans).collect::<Option<_>>()?,
        })
    }

    /// Replaces that of a folder.
    pub(super) fn write(&self, folder: &Path, fingerprint: &str) -> Result<()> {
        let positions: Vec<Value> = self
            .positions
            .iter()
            .map(|(mark, name, offset, line)| {
                json!([name, mark.inode.0, mark.inode.1, mark.head.0, mark.head.1, offset, line])
            })
            .collect();
        let value = json!({
            "version": VERSION,
            "asked": fingerprint,
            "first": self.first,
            "positions": positions,
            "ended": pack(&self.ended),
            "spans": self.spans,
        });
        let draft = folder.join("checkpoint.draft");
        let mut file = File::create(&draft).map_err(about("write", &draft))?;
        file.write_all(value.to_string().as_bytes()).map_err(about("write", &draft))?;
        file.sync_all().map_err(about("write", &draft))?;
        fs::rename(&draft, folder.join(NAME)).map_err(about("rename", &draft))?;
        sync_folder(folder)
    }
}

/// The digits of a number, and of a generation.
const DIGITS: (usize, usize) = (16, 8);

/// Hundreds of thousands of groups as one text of hexadecimal digits, because a value of JSON for each would cost more than all the rest
/// of the log.
fn pack(ended: &[(u64, u32)]) -> String {
    let mut text = String::with_capacity(ended.len() * (DIGITS.0 + DIGITS.1));
    let mut digits = |number: u64, count: usize| {
        for place in (0..count).rev() {
            let digit = u32::try_from(number >> (4 * place) & 15).unwrap_or(0);
            text.push(char::from_digit(digit, 16).unwrap_or('0'));
        }
    };
    for (number, generation) in ended {
        digits(*number, DIGITS.0);
        digits(u64::from(*generation), DIGITS.1);
    }
    text
}

fn unpack(text: &str) -> Option<Vec<(u64, u32)>> {
    let one = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok()?;
        let (number, generation) = digits.split_at_checked(DIGITS.0)?;
        let number = u64::from_str_radix(number, 16).ok()?;
        Some((number, u32::from_str_radix(generation, 16).ok()?))
    };
    text.as_bytes().chunks(DIGITS.0 + DIGITS.1).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_groups_come_back_from_their_text() {
        let ended = vec![(0, 1), (u64::MAX, u32::MAX), (0x0123_4567_89ab_cdef, 2)];
        assert_eq!(unpack(&pack(&ended)), Some(ended));
        assert_eq!(unpack(""), Some(Vec::new()));
        for bad in ["0", "00000000000000000000000g", "0123456789abcdef", "é"] {
            assert_eq!(unpack(bad), None, "{bad}");
        }
    }
}
