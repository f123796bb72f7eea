//! The language server of Otus.
//!
//! It speaks the Language Server Protocol over any pair of streams, and is synchronous: one thread reads messages, one writes
//! them, and one answers, in order. What takes long, which is only the analysis of a specification, runs on a thread of its own
//! and can be cancelled, so the server always answers.
//!
//! All answers come from [`otus::language`]; this crate converts places, keeps the texts of open documents, and follows the
//! protocol. Whatever a client sends, the server answers or says what is wrong with it: it never panics, and the memory that it
//! takes depends on the open texts and not on how they were edited.
//!
//! | file | task |
//! |---|---|
//! | `transport` | bytes to messages and back, with limits |
//! | `server` | the life of the server and the loop |
//! | `requests` | one method for each request |
//! | `documents`, `overlay` | open texts, and files with these texts in place of what is on disk |
//! | `position`, `uri`, `convert` | places and names in the protocol's words |
//! | `publish` | problems of open documents |
//! | `jobs` | analyses on threads |
#![forbid(unsafe_code)]

mod convert;
mod documents;
mod jobs;
mod overlay;
mod position;
mod publish;
mod requests;
mod server;
mod transport;
mod uri;

use std::io::{BufRead, Write};

use otus::Limits;

pub use server::Ended;

/// The settings of a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Config {
    /// The limits of one verdict of an analysis.
    pub limits: Limits,
}

/// Serves one client until it ends the server or its stream ends.
///
/// # Errors
/// If a thread cannot be started.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    config: Config,
) -> std::io::Result<Ended> {
    let (events, arriving) = std::sync::mpsc::sync_channel(transport::QUEUE);
    let (sender, outgoing) = std::sync::mpsc::sync_channel(transport::QUEUE);
    let reader = events.clone();
    let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
    named("lsp-read").spawn(move || transport::read_all(input, &reader))?;
    let writer = named("lsp-write").spawn(move || transport::write_all(output, &outgoing))?;
    let ended = server::Server::new(events, sender, config).run(&arriving);
    // The last answers are written before the process ends.
    let _ = writer.join();
    Ok(ended)
}
