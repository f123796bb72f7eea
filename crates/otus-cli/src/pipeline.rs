//! Many jobs on many threads, their results in the order of the jobs.
//!
//! A feeder makes jobs, workers do them, and whoever called prints what they say. At any moment
//! only a few jobs are on their way, so memory does not grow with their number. A job's results can
//! be printed as soon as all jobs before it are done, even while it goes on: an answer does not
//! wait for the next one, which may take for ever.
//!
//! The size of jobs follows the time they take: long enough that handing them over costs nothing,
//! short enough that no worker idles while another has a heap of work left. What is printed does
//! not depend on that, nor on the number of workers.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;

/// Does jobs, one after the other.
pub(crate) trait Worker {
    type Job: Send + 'static;
    type Piece: Default + Send + 'static;

    /// Does a job; what it has to say is added to the slot, bit by bit.
    fn work(&mut self, job: Self::Job, slot: &Slot<Self::Piece>);
}

/// What has been said about a job, and not been taken yet.
#[derive(Debug, Default)]
pub(crate) struct Slot<P> {
    state: Mutex<State<P>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State<P> {
    piece: P,
    done: bool,
    /// Whether the worker died of it.
    lost: bool,
}

impl<P: Default> Slot<P> {
    /// Adds to what is said.
    pub(crate) fn add(&self, say: impl FnOnce(&mut P)) {
        say(&mut self.lock().piece);
    }

    /// All that was said, if nobody else takes it.
    pub(crate) fn into_piece(self) -> P {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).piece
    }

    /// What was said since the last time, and whether that is all. Waits for a while for the end.
    fn take(&self, patience: Duration) -> anyhow::Result<(P, bool)> {
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.lock(), patience, |state| !state.done)
            .unwrap_or_else(PoisonError::into_inner);
        if state.lost {
            bail!("a bug in Otus: a worker died, please report it");
        }
        Ok((std::mem::take(&mut state.piece), state.done))
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        // A worker that died while it held the lock is told by `lost`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that a job is done, however it ends.
struct Ending<'s, P: Default>(&'s Slot<P>);

impl<P: Default> Drop for Ending<'_, P> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.done = true;
        state.lost = std::thread::panicking();
        self.0.changed.notify_all();
    }
}

/// How big jobs are, in bytes of input.
const SMALLEST: usize = 1;
const FIRST: usize = 4 << 10;
const BIGGEST: usize = 256 << 10;
/// How long a job should take.
const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_millis(20);
/// How often results are asked for while a job goes on.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs jobs to the end. `feed` makes the next job of about a given size, `worker` makes a worker
/// for a thread, and `print` is given what was said, in order and every now and then (then it may
/// be nothing). Ends early if nothing is being worked on and `hopeless` says that the feeder is not
/// to be waited for, since it waits for standard input itself; the threads are then left alone.
pub(crate) fn run<W: Worker>(
    jobs: NonZeroUsize,
    hopeless: impl Fn() -> bool,
    mut feed: impl FnMut(usize) -> Option<W::Job> + Send + 'static,
    worker: impl Fn() -> W + Send + Sync + 'static,
    mut print: impl FnMut(W::Piece) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let window = jobs.get() * 4;
    let size = Arc::new(AtomicUsize::new(FIRST));
    let (order, slots) = sync_channel::<Arc<Slot<W::Piece>>>(window);
    let (sender, receiver) = sync_channel::<(W::Job, Arc<Slot<W::Piece>>)>(window);
    let receiver = Arc::new(Mutex::new(receiver));
    let worker = Arc::new(worker);
    for _ in 0..jobs.get() {
        let (receiver, worker, size) = (receiver.clone(), worker.clone(), size.clone());
        std::thread::spawn(move || {
            let mut worker = worker();
            while let Some((job, slot)) = next(&receiver) {
                let _ending = Ending(&*slot);
                let start = Instant::now();
                worker.work(job, &slot);
                adapt(&size, start.elapsed());
            }
        });
    }
    std::thread::spawn(move || {
        while let Some(job) = feed(size.load(Ordering::Relaxed)) {
            let slot = Arc::new(Slot::default());
            // Nobody listens any more if the run has ended.
            if order.send(slot.clone()).is_err() || sender.send((job, slot)).is_err() {
                return;
            }
        }
    });
    loop {
        match slots.recv_timeout(PATIENCE) {
            Ok(slot) => loop {
                let (piece, done) = slot.take(PATIENCE)?;
                print(piece)?;
                if done {
                    break;
                }
            },
            Err(RecvTimeoutError::Timeout) if !hopeless() => print(W::Piece::default())?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Makes jobs bigger or smaller after one that took this long.
fn adapt(size: &AtomicUsize, took: Duration) {
    let now = size.load(Ordering::Relaxed);
    let next = if took < SHORT {
        (now * 2).min(BIGGEST)
    } else if took > LONG {
        (now / 2).max(SMALLEST)
    } else {
        return;
    };
    // Workers that overwrite each other's wish do no harm.
    size.store(next, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Doubler;

    impl Worker for Doubler {
        type Job = u64;
        type Piece = Vec<u64>;

        fn work(&mut self, job: u64, slot: &Slot<Vec<u64>>) {
            if job.is_multiple_of(7) {
                std::thread::sleep(Duration::from_millis(1));
            }
            slot.add(|piece| piece.push(2 * job));
            slot.add(|piece| piece.push(2 * job + 1));
        }
    }

    #[test]
    fn results_are_in_order_whatever_the_number_of_workers() {
        for jobs in [1, 2, 5] {
            let mut left = 0..100u64;
            let mut seen = Vec::new();
            run(
                NonZeroUsize::new(jobs).unwrap(),
                || false,
                move |_| left.next(),
                || Doubler,
                |piece| {
                    seen.extend(piece);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }

    struct Clumsy;

    impl Worker for Clumsy {
        type Job = ();
        type Piece = ();

        fn work(&mut self, (): (), _: &Slot<()>) {
            panic!("as the test wants it");
        }
    }

    #[test]
    fn a_worker_that_dies_is_not_waited_for() {
        let one = NonZeroUsize::MIN;
        let result = run(one, || false, move |_| Some(()), || Clumsy, |()| Ok(()));
        assert!(result.is_err());
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
