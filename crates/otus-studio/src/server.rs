//! The server: one thread with its sockets, and threads for questions.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::api::Studio;
use crate::folder::Folder;
use crate::guard::Guard;
use crate::{http, watch};

/// What a studio is about.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The folder.
    pub folder: PathBuf,
    /// The port on 127.0.0.1; 0 is any free one.
    pub port: u16,
    /// The time for the verdict of one run, unless a question says otherwise; 10 seconds if it is `None`.
    pub timeout: Option<Duration>,
    /// The most bytes that the tables of a verdict take.
    pub max_bytes: Option<u64>,
}

/// Why there is no studio.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder cannot be opened.
    #[error("cannot open the folder {}: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The port is taken, or may not be used.
    #[error("cannot listen on 127.0.0.1:{port}: {error}; --port 0 takes any free port")]
    Listen {
        /// The port.
        port: u16,
        /// The reason.
        error: std::io::Error,
    },
    /// The system does not give what a server needs.
    #[error("cannot start the server: {0}")]
    System(String),
}

/// A studio that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Running {
    url: String,
    address: SocketAddr,
    studio: Arc<Studio>,
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Running {
    /// The address to open, with its token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it: questions are cancelled, connections are closed.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.studio.questions.end();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Starts a studio.
///
/// # Errors
/// If the folder cannot be opened, or the port is taken.
pub fn start(config: &Config) -> Result<Running, Error> {
    let folder: &Path =
        if config.folder.as_os_str().is_empty() { Path::new(".") } else { &config.folder };
    let opened =
        Folder::open(folder).map_err(|error| Error::Folder { folder: folder.to_owned(), error })?;
    let failed = |error| Error::Listen { port: config.port, error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let system = |error: &dyn std::fmt::Display| Error::System(error.to_string());
    let guard = Guard::new(address.port()).map_err(|error| system(&error))?;
    let url = guard.url();
    let (studio, stop) = (
        Arc::new(Studio::new(opened, config.timeout, config.max_bytes)),
        Arc::new(AtomicBool::new(false)),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(http::THREADS)
        .build()
        .map_err(|error| system(&error))?;
    let service = http::Service { guard: Arc::new(guard), studio: studio.clone() };
    let (serving, watching) = ((stop.clone(), studio.clone()), (stop.clone(), studio.clone()));
    let server = std::thread::Builder::new().name("studio".to_owned()).spawn(move || {
        runtime.block_on(http::serve(listener, service, &serving.0));
        // Threads that still work notice that they are cancelled; nobody waits longer for them.
        runtime.shutdown_timeout(Duration::from_secs(2));
    });
    let watcher = std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || watch::run(&watching.1, &watching.0));
    let threads = [server, watcher].into_iter().collect::<Result<Vec<_>, _>>();
    match threads {
        Ok(threads) => Ok(Running { url, address, studio, stop, threads }),
        Err(error) => {
            stop.store(true, Ordering::Relaxed);
            Err(system(&error))
        }
    }
}
