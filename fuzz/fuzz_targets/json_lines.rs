//! The target `json_lines` of `otus_testkit::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| otus_testkit::fuzz::run("json_lines", data));
