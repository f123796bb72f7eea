//! The watchdog of the process: a time limit, a memory limit and Ctrl-C can end every phase of every command.
//!
//! The core checks its budget in its loops, stops by itself, and reports what it has found. Some phases have no such
//! loop: a parser, a layout, a call of a library. Therefore a thread checks the clock and the memory of the process
//! every few milliseconds. When a limit is reached or the user presses Ctrl-C, it cancels the token of the core. If
//! the core does not notice this within a grace period, the thread ends the process with exit status 3; everything
//! that was printed before stays.

mod files;
mod memory;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use otus::{Cancel, Disk, Files, Stop, Tapped};

use self::files::Beating;
use crate::args::LimitArgs;
use crate::output;

/// The exit status of a command that a limit or Ctrl-C ended.
const UNDECIDED: i32 = 3;

/// The exit status of a process that SIGINT ended, as shells report it.
const INTERRUPTED: i32 = 130;

/// The time between two checks of the clock and the memory.
const INTERVAL: Duration = Duration::from_millis(5);

/// The least time that the core has to notice a request to stop.
const GRACE: Duration = Duration::from_millis(150);

/// The time that the core has to report its results once it has noticed the request.
const REPORTING: Duration = Duration::from_secs(10);

/// The memory that the tables of a search may take by default.
const TABLES: u64 = 2048 << 20;

/// The limits of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The time limit, which applies to each question or to the whole command.
    pub(crate) timeout: Option<Duration>,
    /// The maximum number of bytes that the process may take.
    memory: Option<u64>,
    /// The maximum number of bytes that the tables of one search may take.
    pub(crate) tables: u64,
}

impl Limits {
    pub(crate) fn new(args: &LimitArgs) -> Limits {
        let given = args.memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20));
        let memory = given.or_else(|| memory::available().map(|bytes| bytes / 4 * 3));
        // Growing tables exist twice while they are copied, and the input takes memory as well.
        let part = memory.map_or(u64::MAX, |bytes| bytes / 5 * 3);
        Limits {
            timeout: args.timeout.map(Duration::from_secs_f64),
            memory,
            tables: if given.is_some() { part } else { part.min(TABLES) },
        }
    }

    /// The time that the core has to notice a request to stop: at least [`GRACE`], or 4 % of the time limit.
    fn grace(&self) -> Duration {
        self.timeout.map_or(GRACE, |timeout| GRACE.max(timeout / 25))
    }
}

/// The work to which a time limit applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole command.
    Command,
    /// The time limit applies to each question of a command. The core measures the time; a [beat](Cancel::beat) of
    /// the token says that a question is answered.
    Question,
}

/// Whether all questions are answered and results are being written. The time limit of questions
/// does not apply then.
static IS_ANSWERED: AtomicBool = AtomicBool::new(false);

/// The token that the watchdog cancels.
pub(crate) fn token() -> Cancel {
    static TOKEN: LazyLock<Cancel> = LazyLock::new(Cancel::default);
    TOKEN.clone()
}

/// The file system. With a time limit, each read tells the watchdog that the work continues.
pub(crate) fn files(limits: &Limits) -> Arc<dyn Files> {
    if limits.timeout.is_none() {
        return Arc::new(Disk);
    }
    Arc::new(Tapped { files: Disk, tap: Beating(token()) })
}

/// Ends the time limit of questions, because all questions are answered.
pub(crate) fn answered() {
    IS_ANSWERED.store(true, Ordering::Relaxed);
}

/// Starts the watchdog.
pub(crate) fn start(limits: Limits, scope: Scope) -> anyhow::Result<()> {
    let handle = || {
        let token = token();
        if token.requested() == Some(Stop::Cancelled) {
            // The user pressed Ctrl-C twice, so the process ends at once.
            exit(INTERRUPTED);
        }
        token.cancel();
    };
    ctrlc::set_handler(handle).context("cannot watch for Ctrl-C")?;
    let thread = std::thread::Builder::new().name("watchdog".to_owned());
    thread.spawn(move || watch(limits, scope)).context("cannot start the watchdog")?;
    Ok(())
}

fn watch(limits: Limits, scope: Scope) {
    let token = token();
    let (mut beats, mut last_beat) = (0, Instant::now());
    let mut requested: Option<Instant> = None;
    loop {
        std::thread::sleep(INTERVAL);
        let memory = limits.memory.and_then(|most| Some((memory::resident()?, most)));
        if let Some(reason) = token.requested() {
            let since = *requested.get_or_insert_with(Instant::now);
            let patience = if token.is_noticed() { REPORTING } else { limits.grace() };
            // A process that keeps growing would take the memory of other processes.
            let grows = memory.is_some_and(|(bytes, most)| bytes > most / 4 * 5);
            if since.elapsed() >= patience || grows {
                end(reason, &limits);
            }
            continue;
        }
        if memory.is_some_and(|(bytes, most)| bytes > most) {
            token.cancel_for(Stop::Memory);
            output::complain(&format!("otus: {}; stopping", text(Stop::Memory, &limits)));
            continue;
        }
        let Some(timeout) = limits.timeout else { continue };
        let limit = match scope {
            Scope::Command => timeout,
            Scope::Question if IS_ANSWERED.load(Ordering::Relaxed) => continue,
            Scope::Question => {
                if std::mem::replace(&mut beats, token.beats()) != beats {
                    last_beat = Instant::now();
                }
                // The core stops by itself at the limit, so the watchdog waits a little longer.
                timeout + limits.grace() / 2
            }
        };
        if last_beat.elapsed() >= limit {
            token.cancel_for(Stop::Time);
        }
    }
}

/// Ends the process, because the core did not stop in time.
fn end(reason: Stop, limits: &Limits) -> ! {
    output::complain(&format!("otus: {}; the command ends without the rest", text(reason, limits)));
    exit(UNDECIDED)
}

/// The limit in words, with the option that sets it.
fn text(reason: Stop, limits: &Limits) -> String {
    match (reason, limits.timeout, limits.memory) {
        (Stop::Memory, _, Some(bytes)) => {
            format!("more than {} MiB of memory are in use (--memory sets the limit)", bytes >> 20)
        }
        (Stop::Time, Some(timeout), _) => {
            format!("time is up after {} s (--timeout sets the limit)", timeout.as_secs_f64())
        }
        _ => reason.reason().to_owned(),
    }
}

fn exit(status: i32) -> ! {
    #[expect(clippy::exit, reason = "the main thread does not return in time")]
    std::process::exit(status)
}
