//! The life of the server: initialized once, then requests and notifications in order, until it is told to exit.
//!
//! Diagnostics are worked out when no message waits, so a burst of edits is checked once.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, NumberOrString, Uri,
    WorkDoneProgressCancelParams,
};
use otus::Context;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Config;
use crate::convert::Converter;
use crate::documents::Documents;
use crate::jobs::{Finished, Jobs};
use crate::position::Encoding;
use crate::transport::{Fault, Outgoing};

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client asked for it: `shutdown`, then `exit`.
    Properly,
    /// The client was gone, or sent `exit` without `shutdown`.
    Abruptly,
}

/// What the loop waits for.
#[derive(Debug)]
pub(crate) enum Event {
    Message(Message),
    Fault(Fault),
    /// The stream of the client ended.
    Closed,
    /// An analysis ended.
    Finished(Finished),
}

/// The most events that are handled before diagnostics are published, so that they appear even if messages never cease.
const BURST: usize = 256;

/// How long the server waits for further messages before it works out diagnostics.
const PAUSE: Duration = Duration::from_millis(5);

/// What the client can do.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent abilities")]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) document_changes: bool,
    pub(crate) nested_symbols: bool,
    pub(crate) progress: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) registers_watchers: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// The server of one client.
pub(crate) struct Server {
    phase: Phase,
    out: SyncSender<Outgoing>,
    pub(crate) client: Client,
    pub(crate) documents: Documents,
    /// Documents whose problems have to be worked out.
    pub(crate) dirty: BTreeSet<PathBuf>,
    /// The documents that changed since their problems were published; the client has moved the marks of these.
    pub(crate) touched: BTreeSet<PathBuf>,
    /// The problems that the client knows.
    pub(crate) published: BTreeMap<PathBuf, Vec<Value>>,
    pub(crate) jobs: Jobs,
    next_id: i32,
    requests_to_client: usize,
}

/// An error for the client.
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) text: String,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, text: impl Into<String>) -> Refusal {
        Refusal { code, text: text.into() }
    }
}

impl Server {
    pub(crate) fn new(
        events: SyncSender<Event>,
        out: SyncSender<Outgoing>,
        config: Config,
    ) -> Server {
        Server {
            phase: Phase::New,
            out,
            client: Client::default(),
            documents: Documents::default(),
            dirty: BTreeSet::new(),
            touched: BTreeSet::new(),
            published: BTreeMap::new(),
            jobs: Jobs::new(events, config.limits),
            next_id: 1,
            requests_to_client: 0,
        }
    }

    /// Serves until the end.
    pub(crate) fn run(mut self, events: &Receiver<Event>) -> Ended {
        let ended = loop {
            let Ok(event) = events.recv() else { break Ended::Abruptly };
            if let Some(ended) = self.handle(event) {
                break ended;
            }
            let mut left = BURST;
            let early = loop {
                let has_work = !self.dirty.is_empty();
                let next = if has_work {
                    events.recv_timeout(if left == 0 { Duration::ZERO } else { PAUSE })
                } else {
                    events.try_recv().map_err(|_| RecvTimeoutError::Timeout)
                };
                match next {
                    Ok(event) => {
                        if let Some(ended) = self.handle(event) {
                            break Some(ended);
                        }
                        left = left.saturating_sub(1);
                        if left == 0 {
                            self.publish_one();
                        }
                    }
                    Err(_) if self.dirty.is_empty() => break None,
                    Err(_) => {
                        self.publish_one();
                    }
                }
            };
            if let Some(ended) = early {
                break ended;
            }
        };
        self.jobs.cancel_all();
        ended
    }

    fn handle(&mut self, event: Event) -> Option<Ended> {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Notification(notification)) => {
                if notification.method == "exit" {
                    let is_proper = self.phase == Phase::ShutDown;
                    return Some(if is_proper { Ended::Properly } else { Ended::Abruptly });
                }
                self.notification(notification);
            }
            Event::Message(Message::Response(_)) => {
                self.requests_to_client = self.requests_to_client.saturating_sub(1);
            }
            Event::Fault(Fault::Malformed(code, text)) => self.send(Outgoing::Fault(code, text)),
            Event::Fault(Fault::TooLong(length)) => {
                let text = format!(
                    "a message of {length} bytes was skipped; Otus reads messages of at most {} MiB",
                    crate::transport::LONGEST >> 20
                );
                self.send(Outgoing::Fault(ErrorCode::InvalidRequest, text.clone()));
                if self.phase == Phase::Running {
                    self.show(lsp_types::MessageType::WARNING, &text);
                }
            }
            Event::Closed => return Some(Ended::Abruptly),
            Event::Finished(finished) => self.finished(finished),
        }
        None
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let answer = match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => {
                let answer = self.initialize(request.params);
                if answer.is_ok() {
                    self.phase = Phase::Running;
                }
                answer
            }
            (Phase::New, _) => Err(Refusal::new(
                ErrorCode::ServerNotInitialized,
                "the first request is `initialize`",
            )),
            (_, "initialize") => {
                Err(Refusal::new(ErrorCode::InvalidRequest, "the server was initialized before"))
            }
            (Phase::ShutDown, _) => {
                Err(Refusal::new(ErrorCode::InvalidRequest, "the server is shut down"))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.jobs.cancel_all();
                self.dirty.clear();
                Ok(Value::Null)
            }
            (Phase::Running, "workspace/executeCommand") => {
                match self.execute(id.clone(), request.params) {
                    // The answer comes when the analysis ends.
                    Ok(()) => return,
                    Err(refusal) => Err(refusal),
                }
            }
            (Phase::Running, method) => {
                // A bug in one answer must not end the others.
                let answered =
                    catch_unwind(AssertUnwindSafe(|| self.answer(method, request.params)));
                answered.unwrap_or_else(|_| {
                    let text = format!("a bug in Otus: `{method}` panicked; please report it");
                    Err(Refusal::new(ErrorCode::InternalError, text))
                })
            }
        };
        self.respond(id, answer);
    }

    pub(crate) fn respond(&mut self, id: RequestId, answer: Result<Value, Refusal>) {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal { code, text }) => Response::new_err(id, code as i32, text),
        };
        self.send(Outgoing::Message(Message::Response(response)));
    }

    fn notification(&mut self, notification: Notification) {
        if self.phase != Phase::Running {
            return;
        }
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" => self.watch_files(),
            "textDocument/didOpen" => {
                if let Some(DidOpenTextDocumentParams { text_document: it }) =
                    self.parsed(&method, params)
                {
                    let path =
                        self.documents.open(it.uri.as_str(), &it.language_id, it.version, it.text);
                    self.changed(path);
                }
            }
            "textDocument/didChange" => {
                if let Some(change) = self.parsed::<DidChangeTextDocumentParams>(&method, params) {
                    let DidChangeTextDocumentParams { text_document: it, content_changes } = change;
                    let encoding = self.client.encoding;
                    let uri = it.uri.as_str();
                    let path = self.documents.change(uri, it.version, content_changes, encoding);
                    if let Some(path) = path {
                        self.changed(path);
                    }
                }
            }
            "textDocument/didClose" => {
                if let Some(DidCloseTextDocumentParams { text_document: it }) =
                    self.parsed(&method, params)
                {
                    self.closed(&it.uri);
                }
            }
            "textDocument/didSave" => self.everything_changed(),
            "workspace/didChangeWatchedFiles" => {
                let params = self.parsed::<DidChangeWatchedFilesParams>(&method, params);
                // Which files changed is not asked: a new one can change what belongs together.
                let Some(_) = params else { return };
                self.everything_changed();
            }
            "$/cancelRequest" => {
                if let Some(CancelParams { id }) = self.parsed(&method, params) {
                    let id = match id {
                        NumberOrString::Number(number) => RequestId::from(number),
                        NumberOrString::String(text) => RequestId::from(text),
                    };
                    self.jobs.cancel(&id);
                }
            }
            "window/workDoneProgress/cancel" => {
                if let Some(WorkDoneProgressCancelParams { token }) = self.parsed(&method, params)
                    && let NumberOrString::String(token) = token
                {
                    self.jobs.cancel_token(&token);
                }
            }
            // Unknown notifications are ignored, as the protocol demands.
            _ => {}
        }
    }

    /// The parameters of a notification. If they are wrong, the client is told, because a notification has no answer.
    fn parsed<P: DeserializeOwned>(&mut self, method: &str, params: Value) -> Option<P> {
        match serde_json::from_value(params) {
            Ok(params) => Some(params),
            Err(error) => {
                let text = format!("the parameters of `{method}` are wrong: {error}");
                self.log(lsp_types::MessageType::ERROR, &text);
                None
            }
        }
    }

    /// A document changed, and with it perhaps the problems of others.
    fn changed(&mut self, path: PathBuf) {
        self.touched.insert(path);
        self.everything_changed();
    }

    fn everything_changed(&mut self) {
        self.dirty.extend(self.documents.paths().cloned());
    }

    fn closed(&mut self, uri: &Uri) {
        let Some(path) = self.documents.close(uri.as_str()) else { return };
        self.dirty.remove(&path);
        self.touched.remove(&path);
        self.published.remove(&path);
        self.jobs.forget(&path);
        let nothing = json!({ "uri": uri.as_str(), "diagnostics": [] });
        self.notify("textDocument/publishDiagnostics", nothing);
        self.everything_changed();
    }

    /// What the core works with.
    pub(crate) fn context(&mut self) -> Context {
        let files = self.documents.view();
        Context::default().with_files(files)
    }

    pub(crate) fn converter(&mut self) -> Converter<'_> {
        let files = self.documents.view();
        Converter::new(&self.documents, files, self.client.encoding)
    }

    pub(crate) fn send(&mut self, message: Outgoing) {
        // If the client does not read any more, the end of its stream is near.
        let _ = self.out.send(message);
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.send(Outgoing::Message(Message::Notification(notification)));
    }

    /// Asks the client for something whose answer does not matter. A client that never answers is asked only so often.
    pub(crate) fn ask(&mut self, method: &str, params: Value) {
        const MOST: usize = 100;
        if self.requests_to_client >= MOST {
            return;
        }
        self.requests_to_client += 1;
        let id = RequestId::from(self.next_id);
        self.next_id = self.next_id.checked_add(1).unwrap_or(1);
        let request = Request { id, method: method.to_owned(), params };
        self.send(Outgoing::Message(Message::Request(request)));
    }

    pub(crate) fn show(&mut self, kind: lsp_types::MessageType, text: &str) {
        self.notify("window/showMessage", json!({ "type": kind, "message": text }));
    }

    pub(crate) fn log(&mut self, kind: lsp_types::MessageType, text: &str) {
        self.notify("window/logMessage", json!({ "type": kind, "message": text }));
    }
}
