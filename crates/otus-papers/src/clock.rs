//! How long something took, on a machine that has other work.
//!
//! The time of this thread on a processor is what counts, and asking for it takes longer than a small analysis
//! does; the ordinary clock is quick to ask and counts what others do. The lesser of the two is right
//! for short work and for long work.

use std::time::Instant;

use cpu_time::ThreadTime;

/// Both clocks, started.
#[derive(Debug)]
pub(crate) struct Clock {
    processor: Option<ThreadTime>,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        let processor = ThreadTime::try_now().ok();
        Clock { processor, wall: Instant::now() }
    }

    /// Seconds since then.
    pub(crate) fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64();
        let processor = self.processor.and_then(|start| start.try_elapsed().ok());
        processor.map_or(wall, |processor| processor.as_secs_f64().min(wall))
    }
}
