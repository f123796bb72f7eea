//! A tiny service: a client, a dispatcher and a worker, each a thread, with channels between them. The
//! README of the example has the diagram of who says what to whom.
//!
//! Each thread tells a [`Watch`] what it sends and receives. In production that is `()`, which does nothing;
//! the tests have one that records.
#![forbid(unsafe_code)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// Is told what each part of the service does.
pub trait Watch: Clone + Send + 'static {
    /// A part sends a message; called before it does.
    #[track_caller]
    fn sent(&self, part: &str, message: &str);
    /// A part received a message.
    #[track_caller]
    fn received(&self, part: &str, message: &str);
}

/// Nobody watches.
impl Watch for () {
    fn sent(&self, _: &str, _: &str) {}
    fn received(&self, _: &str, _: &str) {}
}

/// How the dispatcher answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// When the worker is done.
    Waits,
    /// At once, which is wrong.
    Guesses,
}

/// Has all orders done and returns their results. The client is the calling thread.
///
/// ```
/// use otus_example_library::{Patience, run};
/// assert_eq!(run(&[1, 2, 3], Patience::Waits, &()), [1, 4, 9]);
/// ```
pub fn run(orders: &[u64], patience: Patience, watch: &impl Watch) -> Vec<u64> {
    let (to_dispatcher, at_dispatcher) = channel();
    let (to_client, at_client) = channel();
    let dispatcher = dispatcher(at_dispatcher, to_client, patience, watch.clone());
    let mut results = Vec::new();
    for &order in orders {
        watch.sent("client", "submit");
        // A dispatcher that has gone sends no result, which is noticed below.
        let _ = to_dispatcher.send(Some(order));
        let Ok(result) = at_client.recv() else { break };
        watch.received("client", "result");
        results.push(result);
    }
    watch.sent("client", "stop");
    let _ = to_dispatcher.send(None);
    let _ = dispatcher.join();
    results
}

/// Takes orders until there is none, and has the worker do them.
fn dispatcher(
    orders: Receiver<Option<u64>>,
    results: Sender<u64>,
    patience: Patience,
    watch: impl Watch,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let (to_worker, at_worker) = channel();
        let (from_worker, done) = channel();
        let worker = worker(at_worker, from_worker, watch.clone());
        while let Ok(Some(order)) = orders.recv() {
            watch.received("dispatcher", "submit");
            watch.sent("dispatcher", "job");
            let _ = to_worker.send(Some(order));
            if patience == Patience::Guesses {
                watch.sent("dispatcher", "result");
                let _ = results.send(0);
            }
            let Ok(result) = done.recv() else { return };
            watch.received("dispatcher", "done");
            if patience == Patience::Waits {
                watch.sent("dispatcher", "result");
                let _ = results.send(result);
            }
        }
        watch.received("dispatcher", "stop");
        watch.sent("dispatcher", "stop");
        let _ = to_worker.send(None);
        let _ = worker.join();
    })
}

/// Does jobs until there is none.
fn worker(jobs: Receiver<Option<u64>>, done: Sender<u64>, watch: impl Watch) -> JoinHandle<()> {
    thread::spawn(move || {
        while let Ok(Some(job)) = jobs.recv() {
            watch.received("worker", "job");
            watch.sent("worker", "done");
            let _ = done.send(job * job);
        }
        watch.received("worker", "stop");
    })
}
