//! The server from outside: messages in, messages out.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::needless_pass_by_value, reason = "parameters are written where they are used")]

mod client;
mod edits;
mod features;
mod hostile;
mod life;
