//! Counts of a watch, which other threads read while it runs: `/metrics`, the line of status.
//!
//! Each is written by one thread only, or added to; nothing is decided by them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

macro_rules! counters {
    ($($name:ident: $kind:literal, $metric:literal, $help:literal;)*) => {
        /// Counts of a watch.
        #[derive(Debug, Default)]
        pub struct Counters {
            $(#[doc = $help] pub $name: AtomicU64,)*
            /// Whether the log on disk can be written and the groups are not stuck.
            pub healthy: AtomicBool,
        }

        impl Counters {
            /// All counts in the text format of Prometheus.
            pub fn metrics(&self) -> String {
                let mut text = String::new();
                $(
                    let value = self.$name.load(Ordering::Relaxed);
                    let _ = write!(
                        text,
                        concat!("# HELP ", $metric, " {}\n# TYPE ", $metric, " ", $kind, "\n", $metric, " {}\n"),
                        $help, value
                    );
                )*
                text
            }
        }
    };
}

counters! {
    records: "counter", "otus_records_total", "Records (lines or spans) that were read.";
    unmatched: "counter", "otus_records_unmatched_total", "Records that no rule takes.";
    unreadable: "counter", "otus_records_unreadable_total", "Records that cannot be read.";
    events: "counter", "otus_events_total", "Events of groups.";
    late: "counter", "otus_events_late_total", "Events that came after their group had ended.";
    open: "gauge", "otus_groups_open", "Groups that are open.";
    held: "gauge", "otus_events_held", "Events that wait for events of other components.";
    kept: "gauge", "otus_events_kept_bytes", "Bytes of the events of open groups.";
    tables: "gauge", "otus_tables_bytes", "Bytes of the tables that all groups share.";
    pass: "counter", "otus_verdicts_pass_total", "Groups with the verdict Pass.";
    weak: "counter", "otus_verdicts_weak_total", "Groups with the verdict WeakPass.";
    fail: "counter", "otus_verdicts_fail_total", "Groups with the verdict Fail.";
    undecided: "counter", "otus_verdicts_undecided_total", "Groups without a verdict.";
    early: "counter", "otus_verdicts_early_total", "Fails that were told while their group was open.";
    forced: "counter", "otus_groups_forced_total", "Groups that ended because too many were open.";
    requests: "counter", "otus_requests_total", "Requests of OTLP that were taken.";
    refused: "counter", "otus_requests_refused_total", "Requests of OTLP that were refused for good.";
    retried: "counter", "otus_requests_retried_total", "Requests of OTLP that were to be sent again later.";
    alerts: "counter", "otus_alerts_total", "Alerts that were delivered.";
    undelivered: "counter", "otus_alerts_undelivered_total", "Alerts that could not be delivered.";
    synced: "counter", "otus_log_syncs_total", "Times that the write-ahead log was forced to disk.";
    logged: "counter", "otus_log_bytes_total", "Bytes that were written to the write-ahead log.";
    segments: "gauge", "otus_log_segments", "Segments of the write-ahead log on disk.";
}

/// Adds to a count.
pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

/// Sets a count.
pub(crate) fn set(counter: &AtomicU64, count: usize) {
    counter.store(count as u64, Ordering::Relaxed);
}
