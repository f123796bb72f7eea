//! Files that call themselves Parquet: see the test of the core that has the same promise.
#![no_main]

#[path = "../../crates/otus/tests/it/parquet/memory.rs"]
mod memory;
#[path = "../../crates/otus/tests/it/parquet/promise.rs"]
mod promise;

use std::sync::Once;

const SPEC: &str = "@lifeline{c; s}@message{get; page}loopW(seq(c -- get[mid = 3] -> s, s -- page -> c))";

static QUIET: Once = Once::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    QUIET.call_once(otus::quiet_panics);
    promise::holds(SPEC, data);
});
