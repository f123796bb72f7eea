//! How much is done.

/// The size of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Sets as large as in the papers, ten million events, and more patience; otherwise what takes
    /// minutes.
    pub(crate) full: bool,
}

impl Size {
    /// One of two numbers.
    pub(crate) fn pick<T>(self, small: T, full: T) -> T {
        if self.full { full } else { small }
    }
}
