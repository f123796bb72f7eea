//! Measures the time that some work takes, on a machine that also runs other processes.
//!
//! The processor time of a thread leaves out other processes, but reading it takes longer than a small analysis. The
//! wall clock is quick to read, but includes other processes. The smaller of the two times is accurate for short and
//! for long work.

use std::time::Instant;

use cpu_time::ThreadTime;

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

    pub(crate) fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64();
        let processor = self.processor.and_then(|start| start.try_elapsed().ok());
        processor.map_or(wall, |processor| processor.as_secs_f64().min(wall))
    }
}
