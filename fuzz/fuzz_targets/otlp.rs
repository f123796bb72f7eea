//! See `otus_testkit::fuzz::otlp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::otlp(data));
