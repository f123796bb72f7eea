//! Work that Ctrl-C stops.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use otus::Cancel;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two questions whether a signal came.
const PATIENCE: Duration = Duration::from_millis(50);

/// Works on a thread without the lock of the interpreter. If Python raises on a signal meanwhile, the token is cancelled, and
/// the exception is returned once the work has ended.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Sending fails if nobody waits any more.
            let _ = sender.send(work());
        });
        wait(py, cancel, receiver)
    })
}

/// Waits for the result of another thread, in the same way.
fn wait<T: Send>(py: Python<'_>, cancel: &Cancel, receiver: Receiver<T>) -> PyResult<T> {
    let receiver = Mutex::new(receiver);
    let mut raised = None;
    loop {
        let next = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(PATIENCE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match next {
            Ok(done) => return raised.map_or(Ok(done), Err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a bug in Otus: the work ended early"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if raised.is_none()
                    && let Err(error) = py.check_signals()
                {
                    cancel.cancel();
                    raised = Some(error);
                }
            }
        }
    }
}

/// A value that lives on a thread of its own, since it cannot be sent to others. The thread ends with the handle.
pub(crate) struct Owner<V> {
    jobs: Mutex<Sender<Job<V>>>,
    cancel: Cancel,
}

type Job<V> = Box<dyn FnOnce(&mut V) + Send>;

impl<V: 'static> Owner<V> {
    /// Makes the value on its thread.
    pub(crate) fn new<E: Send + 'static>(
        py: Python<'_>,
        cancel: Cancel,
        make: impl FnOnce() -> Result<V, E> + Send + 'static,
    ) -> PyResult<Result<Owner<V>, E>> {
        let (jobs, queue) = channel::<Job<V>>();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut value = match make() {
                Ok(value) => value,
                Err(error) => return sender.send(Err(error)).unwrap_or_default(),
            };
            let _ = sender.send(Ok(()));
            for job in queue {
                job(&mut value);
            }
        });
        let made = wait(py, &cancel, receiver)?;
        Ok(made.map(|()| Owner { jobs: Mutex::new(jobs), cancel }))
    }

    /// Works on the value.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut V) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (sender, receiver) = channel();
        let job: Job<V> = Box::new(move |value| {
            let _ = sender.send(work(value));
        });
        // If the thread has died, nobody will send.
        let _ = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
        wait(py, &self.cancel, receiver)
    }
}
