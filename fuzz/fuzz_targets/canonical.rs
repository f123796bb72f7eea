//! See `otus_testkit::fuzz::canonical`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::canonical(data));
