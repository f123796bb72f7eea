//! Clocks and memory.

use std::time::{Duration, Instant};

/// The shortest of several runs: the least disturbed one on a noisy machine.
pub(crate) fn fastest<T>(runs: u32, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let result = work();
        let elapsed = start.elapsed();
        if best.as_ref().is_none_or(|(least, _)| elapsed < *least) {
            best = Some((elapsed, result));
        }
    }
    best.expect("at least one run")
}

/// The most bytes of memory this process ever held, where the system tells.
pub(crate) fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The bytes of memory this process holds now, where the system tells.
pub(crate) fn present_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Megabytes per second.
#[expect(clippy::cast_precision_loss, reason = "a rate to three digits")]
pub(crate) fn rate(bytes: usize, elapsed: Duration) -> f64 {
    bytes as f64 / 1e6 / elapsed.as_secs_f64()
}
