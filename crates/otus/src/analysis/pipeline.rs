//! Runs jobs on threads, and returns their results in the order of the jobs.
//!
//! A feeder makes jobs, workers do them, and the caller takes the results in order ([`Ordered`]). Only a few jobs are
//! in progress at a time, so memory does not grow with the number of jobs. The results of a job can be taken as soon
//! as all jobs before it are done, even while it goes on: a result does not wait for the next one, which may take
//! long.
//!
//! The size of jobs follows the time they take: long enough that handing them over costs nothing, short enough that
//! no worker idles while another has much work left. Results depend neither on that size nor on the number of
//! workers.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The results of a job that have not been taken yet.
#[derive(Debug, Default)]
pub(super) struct Slot<P> {
    results: Mutex<JobResults<P>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct JobResults<P> {
    piece: P,
    is_done: bool,
    /// Whether the worker panicked.
    is_lost: bool,
}

impl<P: Default> Slot<P> {
    pub(super) fn add(&self, change: impl FnOnce(&mut P)) {
        change(&mut self.lock().piece);
    }

    /// All results, for a caller that is the only consumer.
    pub(super) fn into_piece(self) -> P {
        self.results.into_inner().unwrap_or_else(PoisonError::into_inner).piece
    }

    /// The results since the last call, and whether the job is done. Waits a short time for the end
    /// of the job.
    fn take(&self, patience: Duration) -> Result<(P, bool)> {
        let (mut results, _) = self
            .changed
            .wait_timeout_while(self.lock(), patience, |results| !results.is_done)
            .unwrap_or_else(PoisonError::into_inner);
        if results.is_lost {
            return Err(Error::Bug("a worker died".to_owned()));
        }
        Ok((std::mem::take(&mut results.piece), results.is_done))
    }

    fn lock(&self) -> MutexGuard<'_, JobResults<P>> {
        // A panic of the worker is recorded in `is_lost`, so a poisoned lock adds no information.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a job as done when it is dropped, also during a panic.
struct Ending<'s, P: Default>(&'s Slot<P>);

impl<P: Default> Drop for Ending<'_, P> {
    fn drop(&mut self) {
        let mut results = self.0.lock();
        results.is_done = true;
        results.is_lost = std::thread::panicking();
        self.0.changed.notify_all();
    }
}

/// The size of jobs, in bytes of input.
const SMALLEST: usize = 1;
const FIRST: usize = 4 << 10;
const BIGGEST: usize = 256 << 10;
/// The time that a job should take.
const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_millis(20);
/// The time between two checks for results of a job that is still running.
const PATIENCE: Duration = Duration::from_millis(50);

pub(super) struct Ordered<P> {
    slots: Receiver<Arc<Slot<P>>>,
    current: Option<Arc<Slot<P>>>,
    /// Whether the feeder will make no more jobs although it has not ended.
    is_stuck: Box<dyn Fn() -> bool + Send>,
}

impl<P: Default + Send + 'static> Ordered<P> {
    /// Starts the threads. `feed` makes the next job of about a given size. `worker` makes a function for a thread,
    /// which does a job and adds its results to the slot one by one. If `is_stuck` says that the feeder waits for input
    /// that may never come, the results end with the jobs made so far, and the threads are not joined.
    pub(super) fn start<J: Send + 'static, W: FnMut(J, &Slot<P>)>(
        threads: NonZeroUsize,
        is_stuck: impl Fn() -> bool + Send + 'static,
        mut feed: impl FnMut(usize) -> Option<J> + Send + 'static,
        worker: impl Fn() -> W + Send + Sync + 'static,
    ) -> Ordered<P> {
        let window = threads.get() * 4;
        let size = Arc::new(AtomicUsize::new(FIRST));
        let (order, slots) = sync_channel::<Arc<Slot<P>>>(window);
        let (sender, receiver) = sync_channel::<(J, Arc<Slot<P>>)>(window);
        let receiver = Arc::new(Mutex::new(receiver));
        let worker = Arc::new(worker);
        for _ in 0..threads.get() {
            let (receiver, worker, size) = (receiver.clone(), worker.clone(), size.clone());
            std::thread::spawn(move || {
                let mut worker = worker();
                while let Some((job, slot)) = next(&receiver) {
                    let _ending = Ending(&*slot);
                    let start = Instant::now();
                    worker(job, &slot);
                    adapt(&size, start.elapsed());
                }
            });
        }
        std::thread::spawn(move || {
            while let Some(job) = feed(size.load(Ordering::Relaxed)) {
                let slot = Arc::new(Slot::default());
                // Sending fails when the caller has dropped the results.
                if order.send(slot.clone()).is_err() || sender.send((job, slot)).is_err() {
                    return;
                }
            }
        });
        Ordered { slots, current: None, is_stuck: Box::new(is_stuck) }
    }

    /// The next results. The results are empty if none came within a short time; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Result<P>> {
        let slot = match self.current.take() {
            Some(slot) => slot,
            None => match self.slots.recv_timeout(PATIENCE) {
                Ok(slot) => slot,
                Err(RecvTimeoutError::Timeout) if !(self.is_stuck)() => {
                    return Some(Ok(P::default()));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            },
        };
        match slot.take(PATIENCE) {
            Ok((piece, is_done)) => {
                if !is_done {
                    self.current = Some(slot);
                }
                Some(Ok(piece))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Makes jobs larger or smaller, depending on how long the last job took.
fn adapt(size: &AtomicUsize, took: Duration) {
    let now = size.load(Ordering::Relaxed);
    let next = if took < SHORT {
        (now * 2).min(BIGGEST)
    } else if took > LONG {
        (now / 2).max(SMALLEST)
    } else {
        return;
    };
    // Concurrent updates may overwrite each other, which does no harm.
    size.store(next, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(job: u64, slot: &Slot<Vec<u64>>) {
        if job.is_multiple_of(7) {
            std::thread::sleep(Duration::from_millis(1));
        }
        slot.add(|piece| piece.push(2 * job));
        slot.add(|piece| piece.push(2 * job + 1));
    }

    #[test]
    fn results_are_in_order_whatever_the_number_of_workers() {
        for jobs in [1, 2, 5] {
            let mut left = 0..100u64;
            let threads = NonZeroUsize::new(jobs).unwrap();
            let mut results = Ordered::start(threads, || false, move |_| left.next(), || double);
            let mut seen = Vec::new();
            while let Some(piece) = results.next() {
                seen.extend(piece.unwrap());
            }
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_worker_that_dies_is_not_waited_for() {
        let one = NonZeroUsize::MIN;
        let dies = || |(), _: &Slot<()>| panic!("as the test wants it");
        let mut results = Ordered::start(one, || false, move |_| Some(()), dies);
        while let Some(Ok(())) = results.next() {}
    }

    #[test]
    fn the_size_of_jobs_follows_their_time() {
        let size = AtomicUsize::new(FIRST);
        for _ in 0..100 {
            adapt(&size, Duration::ZERO);
        }
        assert_eq!(size.load(Ordering::Relaxed), BIGGEST);
        for _ in 0..100 {
            adapt(&size, Duration::from_secs(1));
        }
        assert_eq!(size.load(Ordering::Relaxed), SMALLEST);
    }
}
