//! The number of threads of a request.

use std::num::NonZeroUsize;

/// The maximum number of threads, which is more than any machine has processors.
const MOST: usize = 1024;

/// As many threads as are wanted, or else one for each processor.
pub(crate) fn threads(wanted: Option<usize>) -> NonZeroUsize {
    NonZeroUsize::new(wanted.unwrap_or(0).min(MOST))
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}
