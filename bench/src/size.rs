//! The size of a run of measurements.

use otus_papers::Setting;

/// The size of a run.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Size {
    /// Sets as large as the papers', up to ten million events, and longer time limits.
    #[arg(long, global = true)]
    pub(crate) full: bool,
}

impl Size {
    /// The first value for a small run, the second for a full one.
    pub(crate) fn pick<T>(self, small: T, full: T) -> T {
        if self.full { full } else { small }
    }

    /// The setting for the workloads of the papers.
    pub(crate) fn setting(self) -> Setting {
        let size = self.pick(otus_papers::Size::Quick, otus_papers::Size::Full);
        Setting { size, seed: Setting::SEED }
    }
}
