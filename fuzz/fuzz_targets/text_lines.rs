//! See `otus_testkit::fuzz::text_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::text_lines(data));
