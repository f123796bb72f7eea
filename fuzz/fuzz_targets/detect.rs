//! The target `detect` of `otus_testkit::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::run("detect", data));
