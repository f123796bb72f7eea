//! Files whose reads tell the watchdog that the work continues. So reading a long log may take longer than the time
//! limit of one question.

use std::io::{self, Read};
use std::path::Path;

use otus::{Cancel, Tap};

/// A token on which each read calls [`Cancel::beat`].
#[derive(Debug)]
pub(super) struct Beating(pub(super) Cancel);

struct Reader {
    inner: Box<dyn Read + Send>,
    token: Cancel,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.token.beat();
        self.inner.read(buffer)
    }
}

impl Tap for Beating {
    fn tap(
        &self,
        _: Option<&Path>,
        inner: Box<dyn Read + Send>,
    ) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Reader { inner, token: self.0.clone() }))
    }
}
