//! See `otus_testkit::fuzz::jaeger`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::jaeger(data));
