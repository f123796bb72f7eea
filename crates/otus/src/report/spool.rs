//! A spool keeps output that cannot be written yet, because text in front of it is not known: for example the
//! tests of a suite, whose number comes first in the file. A small spool is in memory; a large one is in a
//! temporary file.

use std::io::{self, BufWriter, Seek as _, Write};

use tempfile::SpooledTempFile;

/// The maximum number of bytes that stay in memory.
const MEMORY: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Spool(pub(super) BufWriter<SpooledTempFile>);

impl Default for Spool {
    fn default() -> Self {
        Spool(BufWriter::new(SpooledTempFile::new(MEMORY)))
    }
}

impl Spool {
    pub(super) fn copy(self, out: &mut dyn Write) -> io::Result<()> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        io::copy(&mut file, out).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        for times in [0, 3, 2 * MEMORY / 10] {
            let mut spool = Spool::default();
            for _ in 0..times {
                spool.0.write_all(b"0123456789").unwrap();
            }
            spool.0.flush().unwrap();
            assert_eq!(spool.0.get_ref().is_rolled(), times * 10 > MEMORY);
            let mut out = Vec::new();
            spool.copy(&mut out).unwrap();
            assert_eq!(out, b"0123456789".repeat(times));
        }
    }
}
