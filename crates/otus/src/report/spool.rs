//! A buffer for output that must follow data known only later: in memory while it is small, otherwise in a temporary
//! file.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes in memory.
const MOST: usize = 4 << 20;

#[derive(Debug, Default)]
pub(super) struct Spool {
    memory: Vec<u8>,
    file: Option<(BufWriter<File>, PathBuf)>,
}

impl Spool {
    /// Copies the whole content.
    pub(super) fn copy(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some((writer, _)) = &mut self.file {
            writer.write_all(&self.memory)?;
            self.memory.clear();
            writer.flush()?;
            let file = writer.get_mut();
            file.seek(SeekFrom::Start(0))?;
            let mut buffer = vec![0; 64 << 10];
            loop {
                let length = file.read(&mut buffer)?;
                if length == 0 {
                    return Ok(());
                }
                out.write_all(&buffer[..length])?;
            }
        }
        out.write_all(&self.memory)
    }

    fn open() -> io::Result<(BufWriter<File>, PathBuf)> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("otus-{}-{number}.report", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok((BufWriter::new(file), path))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > MOST {
            let (file, _) = match &mut self.file {
                Some(file) => file,
                none => none.insert(Spool::open()?),
            };
            file.write_all(&self.memory)?;
            self.memory.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.file {
            // If this fails, the file stays until the temporary folder is cleaned.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for times in [0, 3, 2 * MOST / 10] {
            let mut spool = Spool::default();
            for _ in 0..times {
                spool.write_all(b"0123456789").unwrap();
            }
            let path = spool.file.as_ref().map(|(_, path)| path.clone());
            assert_eq!(path.is_some(), times * 10 > MOST);
            let mut out = Vec::new();
            spool.copy(&mut out).unwrap();
            assert_eq!(out, b"0123456789".repeat(times));
            assert!(path.is_none_or(|path| !path.exists()));
        }
    }
}
