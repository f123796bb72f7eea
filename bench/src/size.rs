//! How much is done.

use otus_papers::Setting;

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

    /// The same for the workloads of the papers.
    pub(crate) fn setting(self) -> Setting {
        Setting { size: self.pick(otus_papers::Size::Quick, otus_papers::Size::Full), seed: PAPERS }
    }
}

/// The seed of the workloads of the papers.
const PAPERS: u64 = 2023;
