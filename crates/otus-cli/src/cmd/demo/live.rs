//! The step of `otus demo live` that needs more than one command: a watch, and beside it the system that it follows.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use super::system::PATIENCE;
use crate::args::Service;
use crate::output;

/// The orders of the demo. The last one is shipped before it is paid.
const ORDERS: [&str; 4] = ["o1", "o2", "o3", "o4 hasty"];

/// Starts the watch and the system in a folder, gives the orders, and tells how long after the wrong event its Fail was there.
pub(super) fn follow(mut watch: Command, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder.join("logs"))?;
    for service in Service::ALL {
        // The logs of an earlier demo.
        let _ = std::fs::remove_file(folder.join(service.log()));
    }
    let watch = watch.stdout(Stdio::piped()).spawn().context("cannot run this program again")?;
    let mut watch = Stopped(watch);
    let told = lines(watch.0.stdout.take());
    let bank = start(Service::Bank, folder)?;
    let store = start(Service::Store, folder)?;
    let mut shop = start(Service::Shop, folder)?;
    for port in [&bank.said, &store.said] {
        let (_, port) = next(port)?;
        writeln!(shop.orders, "{port}")?;
    }
    for order in ORDERS {
        output::print(&format!("\nthe shop takes the order {order}\n"))?;
        writeln!(shop.orders, "{order}")?;
        let (shipped, _) = next(&shop.said)?;
        let (seen, verdict) = next(&told)?;
        output::print(&format!("  {verdict}\n"))?;
        if !order.ends_with("hasty") {
            ensure!(verdict.contains("Pass"), "`{verdict}` is not the verdict it should be");
            continue;
        }
        ensure!(verdict.contains("Fail"), "`{verdict}` is not the verdict it should be");
        while let Ok((_, line)) = next(&told) {
            output::print(&format!("  {line}\n"))?;
        }
        let after = seen.saturating_duration_since(shipped).as_millis();
        output::print(&format!(
            "\nThat was told {after} ms after the shop had written its line.\n"
        ))?;
    }
    let status = watch.0.wait()?;
    ensure!(status.code() == Some(1), "the watch ended with {status}, not with 1 as it should");
    Ok(())
}

/// A service that runs.
struct Running {
    /// Ends it when it is dropped.
    _process: Stopped,
    orders: ChildStdin,
    said: Receiver<(Instant, String)>,
}

/// A process that is stopped by its id when it is dropped.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(service: Service, folder: &Path) -> anyhow::Result<Running> {
    let mut process = Command::new(crate::program())
        .args(["demo", "live", "--service", service.name()])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run this program again")?;
    let Some(orders) = process.stdin.take() else { bail!("a service has no input") };
    let said = lines(process.stdout.take());
    Ok(Running { _process: Stopped(process), orders, said })
}

/// The lines that a process prints, each with the time at which it was there.
fn lines(out: Option<ChildStdout>) -> Receiver<(Instant, String)> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()) {
            let Ok(line) = line else { return };
            if sender.send((Instant::now(), line)).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next line. An error if none comes.
fn next(lines: &Receiver<(Instant, String)>) -> anyhow::Result<(Instant, String)> {
    lines.recv_timeout(PATIENCE + Duration::from_secs(5)).context("a process of the demo is silent")
}
