//! Bytes that a client of the language server sends: whatever they are, the server ends when they do.
#![no_main]

use std::io::{Cursor, sink};

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = format!("Content-Length: {}\r\n\r\n{INITIALIZE}", INITIALIZE.len()).into_bytes();
    // Each line of the input is a message; what is in a message is more often wrong than its frame.
    for body in data.split(|&byte| byte == b'\n') {
        bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        bytes.extend(body);
    }
    otus_lsp::serve(Cursor::new(bytes), sink(), otus_lsp::Config::default()).expect("threads start");
});
