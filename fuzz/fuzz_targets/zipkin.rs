//! See `otus_testkit::fuzz::zipkin`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::zipkin(data));
