//! Bytes to messages and back.
//!
//! The reader of `lsp-server` trusts the announced length of a message and stops at the first one that is malformed. This one has a
//! limit on the length, skips what is longer, answers what is no message with an error, and goes on with the next.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc::{Receiver, SyncSender};

use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};

use crate::server::Event;

/// The most messages that wait for the server, or for the client.
pub(crate) const QUEUE: usize = 1000;

/// The longest message that is read, in bytes. Texts that people edit are much shorter.
pub(crate) const LONGEST: u64 = 64 << 20;

/// The longest line of a header that is looked at.
const LONGEST_LINE: u64 = 8 << 10;

/// What a client sent instead of a message.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A message that is too long; it was skipped.
    TooLong(u64),
    /// Bytes that are no message.
    Malformed(ErrorCode, String),
}

/// Reads messages until the stream ends or the server is gone.
pub(crate) fn read_all(mut input: impl BufRead, events: &SyncSender<Event>) {
    loop {
        let event = match read(&mut input) {
            Ok(Some(Ok(message))) => Event::Message(message),
            Ok(Some(Err(fault))) => Event::Fault(fault),
            Ok(None) | Err(_) => {
                let _ = events.send(Event::Closed);
                return;
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

/// The next message, or what is there instead of one; `None` at the end of the stream.
fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Message, Fault>>> {
    let Some(length) = header(input)? else { return Ok(None) };
    let Ok(length) = length else {
        let text = "a message begins with `Content-Length: NUMBER` and an empty line".to_owned();
        return Ok(Some(Err(Fault::Malformed(ErrorCode::ParseError, text))));
    };
    if length > LONGEST {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok((skipped == length).then_some(Err(Fault::TooLong(length))));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(message(&bytes)))
}

fn message(bytes: &[u8]) -> Result<Message, Fault> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Fault::Malformed(ErrorCode::ParseError, format!("this is not JSON: {error}"))
    })?;
    let is_request =
        value.get("method").is_some() && value.get("id").is_some_and(|it| !it.is_null());
    // A response without a result is one whose result is `null`.
    let is_response = value.get("method").is_none() && value.get("id").is_some();
    match serde_json::from_value::<Message>(value) {
        Ok(Message::Notification(_)) if is_request => {
            let text = "the id of a request is a number of 32 bits or a text".to_owned();
            Err(Fault::Malformed(ErrorCode::InvalidRequest, text))
        }
        Ok(message) => Ok(message),
        Err(_) if is_response => {
            let nothing = Response::new_ok(RequestId::from(0), Value::Null);
            Ok(Message::Response(nothing))
        }
        Err(_) => {
            let text = "this is neither a request nor a notification nor a response".to_owned();
            Err(Fault::Malformed(ErrorCode::InvalidRequest, text))
        }
    }
}

/// The announced length of the next message; `None` at the end of the stream, an error if there is none.
fn header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, ()>>> {
    let mut length = Err(());
    let mut has_lines = false;
    loop {
        let mut line = Vec::new();
        let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            // Empty lines before a header are harmless.
            if has_lines {
                return Ok(Some(length));
            }
            continue;
        }
        has_lines = true;
        // After a malformed message, its rest and the next header may be in one line.
        let lower = line.to_ascii_lowercase();
        if let Some(at) = lower.rfind("content-length:") {
            let number = lower[at + "content-length:".len()..].trim();
            length = number.parse().map_err(|_| ());
        }
    }
}

/// Writes messages until the server is gone or the client does not read any more.
pub(crate) fn write_all(mut output: impl Write, messages: &Receiver<Outgoing>) {
    for message in messages {
        let written = match message {
            Outgoing::Message(message) => message.write(&mut output),
            Outgoing::Fault(code, text) => write_fault(&mut output, code, &text),
        };
        if written.is_err() {
            return;
        }
    }
}

/// What is sent to the client.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Message(Message),
    /// An error about a message whose id is unknown.
    Fault(ErrorCode, String),
}

fn write_fault(output: &mut impl Write, code: ErrorCode, text: &str) -> io::Result<()> {
    let error = json!({ "code": code as i32, "message": text });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}
