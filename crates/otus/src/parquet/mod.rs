//! Parquet: tables of events and of verdicts in files.
//!
//! | module | contents |
//! |---|---|
//! | [`events`] | reads the events of a file as batches of a [table](crate::table) |
//! | [`column`] | one column of it: which types it may have, and what they mean |
//! | [`verdicts`] | writes a row for each run |
//! | [`findings`] | writes what all runs have in common |
//! | [`sheet`] | the rows of such a table as a file |
//! | [`results`] | reads such tables again, for reports |
//!
//! The files are read by columns and without Arrow, since that library is several times as large as the rest.

mod column;
mod events;
mod findings;
mod results;
mod sheet;
mod verdicts;

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length, SerializedFileReader};

use crate::error::Error;
use crate::files::{self, Files};
use crate::guard::guarded;

pub(crate) use events::{EventFile, EventRows};
pub(crate) use findings::{ALL_RUNS, writers as findings_writers};
pub(crate) use results::{ResultFile, ResultRow};
pub(crate) use verdicts::Verdicts;

/// A file of Parquet, whose parts are read where they stand.
struct Parts {
    files: Arc<dyn Files>,
    path: PathBuf,
    length: u64,
}

impl Length for Parts {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Parts {
    type T = BufReader<Box<dyn Read + Send>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.files.open_at(&self.path, start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // The length comes from the file, which may lie.
        if self.length.checked_sub(start).is_none_or(|left| left < length as u64) {
            return Err(ParquetError::General("a part lies beyond the end of the file".to_owned()));
        }
        let mut bytes = Vec::with_capacity(length);
        self.files.open_at(&self.path, start)?.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads the description at the end of a file. Returns also its name.
fn open(
    files: &Arc<dyn Files>,
    path: &Path,
) -> crate::error::Result<(String, SerializedFileReader<Parts>)> {
    let name = path.to_string_lossy().into_owned();
    files.open(path).map_err(|error| files::missing(&**files, path, &error))?;
    let length = files.size(path).unwrap_or_default();
    let parts = Parts { files: files.clone(), path: path.to_owned(), length };
    let opened = guarded(|| SerializedFileReader::new(parts));
    let opened = opened.map_err(|reason| damaged(&name, &reason))?;
    let reader = opened.map_err(|error| unreadable(&name, &error))?;
    Ok((name, reader))
}

fn damaged(name: &str, reason: &str) -> Error {
    Error::Unfit(format!("{name} is damaged ({reason}); write it again"))
}

fn unreadable(name: &str, error: &ParquetError) -> Error {
    Error::Unfit(format!(
        "cannot read {name} as Parquet: {error}; if it was cut short or is another format, write it again; the codecs \
         that can be read are snappy, gzip, zstd and lz4"
    ))
}
