//! What the pages are told without asking: changes on disk, and the progress of their questions.
//!
//! Server-sent events: one connection for each page, with few and small messages. A page that does not read is cut off.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The messages that may wait for a page.
const WAITING: usize = 256;
/// The most pages.
const PAGES: usize = 64;

/// The pages that listen.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pages: Mutex<Vec<(String, Sender<Bytes>)>>,
}

impl Events {
    /// A stream of events for a page.
    pub(crate) fn listen(&self, page: &str) -> Stream {
        let (sender, receiver) = channel(WAITING);
        // The first bytes tell the browser that the connection stands.
        let _ = sender.try_send(Bytes::from_static(b": otus studio\n\n"));
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(_, sender)| !sender.is_closed());
        if pages.len() >= PAGES {
            pages.remove(0);
        }
        pages.push((page.to_owned(), sender));
        Stream(receiver)
    }

    /// Tells one page, or all of them.
    pub(crate) fn tell(&self, page: Option<&str>, event: &str, data: &Value) {
        let text = Bytes::from(format!("event: {event}\ndata: {data}\n\n"));
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(name, sender)| {
            page.is_some_and(|page| page != name) || sender.try_send(text.clone()).is_ok()
        });
    }
}

/// The body of the answer with the events of a page.
#[derive(Debug)]
pub(crate) struct Stream(Receiver<Bytes>);

impl Body for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
