//! Clocks, memory, child processes and temporary folders.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
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

/// The peak memory of this process in bytes, if the system reports it.
pub(crate) fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// Resets the peak memory to the present memory, and returns that in bytes, if the system supports it.
pub(crate) fn reset_peak() -> Option<u64> {
    // Documented in proc_pid_clear_refs(5).
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    status_bytes("VmRSS:")
}

fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Runs this program again with other arguments, and returns its standard output.
pub(crate) fn in_child<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

/// A temporary folder, which is removed with its files at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// Makes a folder; prints why a part is skipped if that is not possible.
    pub(crate) fn new(name: &str) -> Option<Scratch> {
        let folder = std::env::temp_dir().join(format!("otus-{name}-{}", std::process::id()));
        if let Err(error) = std::fs::create_dir_all(&folder) {
            println!("Skipped: cannot make {}: {error}.", folder.display());
            return None;
        }
        Some(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is left to the system, which cleans temporary folders.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Megabytes per second.
#[expect(clippy::cast_precision_loss, reason = "a rate to three digits")]
pub(crate) fn rate(bytes: usize, elapsed: Duration) -> f64 {
    bytes as f64 / 1e6 / elapsed.as_secs_f64()
}

/// A time in nanoseconds with three significant digits, in a unit that suits it.
pub(crate) fn show(nanoseconds: f64) -> String {
    otus_papers::table::time(nanoseconds / 1e9)
}

/// Prints the head of a table with some columns of words and then some of numbers.
pub(crate) fn head(words: &str, numbers: &str) {
    let count = |columns: &str| columns.split('|').count();
    println!("| {words} | {numbers} |");
    println!("|{}{}", "---|".repeat(count(words)), "--:|".repeat(count(numbers)));
}

/// A ratio with about two significant digits.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        none if !none.is_finite() => "–".to_owned(),
        small if small < 10.0 => format!("{small:.1}×"),
        large => format!("{large:.0}×"),
    }
}

pub(crate) fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// A time, or another number, that was measured on a trace with some events.
pub(crate) struct Point {
    pub(crate) events: f64,
    pub(crate) value: f64,
}

/// The slope of the line that fits some points best on logarithmic axes (least squares); `None` for fewer than three.
pub(crate) fn exponent(points: &[Point]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let count = otus_papers::statistics::number(points.len());
    let logarithms = || points.iter().map(|point| (point.events.ln(), point.value.ln()));
    let mean_x = logarithms().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms().map(|(_, y)| y).sum::<f64>() / count;
    let product: f64 = logarithms().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let square: f64 = logarithms().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    Some(product / square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_its_exponent() {
        let points = |power: i32| -> Vec<Point> {
            [1.0, 2.0, 4.0, 8.0_f64]
                .map(|events| Point { events, value: 3.0 * events.powi(power) })
                .into()
        };
        for power in 0..4 {
            let found = exponent(&points(power)).unwrap();
            assert!((found - f64::from(power)).abs() < 1e-9);
        }
        assert_eq!(exponent(&points(1)[..2]), None);
    }
}
