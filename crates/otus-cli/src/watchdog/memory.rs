//! Measures the memory that the process uses and the memory that the machine has.

/// The number of bytes of memory that the process occupies; `None` if the system does not provide
/// it.
pub(super) fn resident() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// The bytes that the process may take without harm to others: the memory that Linux calls available, or the limit of
/// the container if it is lower. `None` on other systems, where no default limit applies.
pub(super) fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let machine = machine.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine = machine.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)?;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse::<u64>().ok());
    Some(container.map_or(machine, |container| container.min(machine)))
}
