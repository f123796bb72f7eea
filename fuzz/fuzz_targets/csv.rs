//! See `otus_testkit::fuzz::csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::csv(data));
