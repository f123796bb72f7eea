//! See `otus_testkit::fuzz::json_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::json_lines(data));
