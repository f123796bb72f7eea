//! Analyses on threads.
//!
//! An analysis works on the files as they were when it began. It ends early if its request or its progress is cancelled, if the
//! same text is analysed anew, or if the server ends.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;

use lsp_server::{ErrorCode, RequestId};
use lsp_types::MessageType;
use otus::language::{self, Verdicts};
use otus::{Cancel, Context, Error, Limits, Stop};
use serde_json::{Value, json};

use crate::overlay::Overlay;
use crate::server::{Event, Refusal, Server};

/// The command that analyses a specification.
pub(crate) const ANALYZE: &str = "otus.analyze";

/// The most analyses at a time; each uses all processors.
const MOST: usize = 4;

/// What is analysed: a file, and perhaps one of its diagrams.
pub(crate) type Target = (PathBuf, Option<String>);

/// An analysis that ended.
#[derive(Debug)]
pub(crate) struct Finished {
    id: RequestId,
    result: Result<Verdicts, Error>,
}

#[derive(Debug)]
struct Job {
    id: RequestId,
    target: Target,
    cancel: Cancel,
    /// The token of its progress.
    token: Option<String>,
}

/// The analyses that run, and the latest verdicts.
pub(crate) struct Jobs {
    events: SyncSender<Event>,
    limits: Limits,
    running: Vec<Job>,
    /// The latest verdicts in a line.
    pub(crate) latest: BTreeMap<Target, String>,
    started: u64,
}

impl Jobs {
    pub(crate) fn new(events: SyncSender<Event>, limits: Limits) -> Jobs {
        Jobs { events, limits, running: Vec::new(), latest: BTreeMap::new(), started: 0 }
    }

    pub(crate) fn cancel(&mut self, id: &RequestId) {
        self.running.iter().filter(|job| job.id == *id).for_each(|job| job.cancel.cancel());
    }

    pub(crate) fn cancel_token(&mut self, token: &str) {
        let ours = self.running.iter().filter(|job| job.token.as_deref() == Some(token));
        ours.for_each(|job| job.cancel.cancel());
    }

    pub(crate) fn cancel_all(&mut self) {
        self.running.iter().for_each(|job| job.cancel.cancel());
    }

    /// Forgets the verdicts of a file.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.latest.retain(|(known, _), _| known != path);
    }

    fn start(&mut self, id: RequestId, target: Target, files: Overlay) -> Result<String, Refusal> {
        let same = self.running.iter().filter(|job| job.target == target);
        same.for_each(|job| job.cancel.cancel());
        if self.running.len() >= MOST {
            let text = format!("{MOST} analyses run already; wait for one, or cancel it");
            return Err(Refusal::new(ErrorCode::RequestFailed, text));
        }
        let cancel = Cancel::default();
        let context = Context { cancel: cancel.clone(), ..Context::default().with_files(files) };
        let (events, limits) = (self.events.clone(), self.limits);
        let (path, selector) = target.clone();
        let finished = id.clone();
        let work = move || {
            let ask = || language::verdicts(&context, &path, selector.as_deref(), limits);
            let result = catch_unwind(AssertUnwindSafe(ask));
            let bug = |_| Err(Error::Bug("the analysis panicked".to_owned()));
            let result = result.unwrap_or_else(bug);
            let _ = events.send(Event::Finished(Finished { id: finished, result }));
        };
        let thread = std::thread::Builder::new().name("analysis".to_owned());
        thread.spawn(work).map_err(|error| {
            let text = format!("the analysis cannot start: {error}");
            Refusal::new(ErrorCode::InternalError, text)
        })?;
        self.started += 1;
        let token = format!("otus/analysis/{}", self.started);
        self.running.push(Job { id, target, cancel, token: Some(token.clone()) });
        Ok(token)
    }
}

impl Server {
    /// Starts the command of a request.
    pub(crate) fn execute(&mut self, id: RequestId, params: Value) -> Result<(), Refusal> {
        let wrong = |text: String| Refusal::new(ErrorCode::InvalidParams, text);
        let params: lsp_types::ExecuteCommandParams =
            serde_json::from_value(params).map_err(|error| wrong(error.to_string()))?;
        if params.command != ANALYZE {
            return Err(wrong(format!(
                "there is no command `{}`, only `{ANALYZE}`",
                params.command
            )));
        }
        let argument = params.arguments.first();
        // Editors pass on what a lens gives them; people write the name of the document.
        let uri = argument.and_then(|it| it.as_str().or_else(|| it["uri"].as_str()));
        let Some(uri) = uri else {
            return Err(wrong(format!("`{ANALYZE}` takes the URI of a document")));
        };
        let Some(path) = self.documents.path(uri) else {
            return Err(wrong(format!("`{uri}` is neither a file nor an open document")));
        };
        let selector = argument.and_then(|it| it["selector"].as_str()).map(str::to_owned);
        let files = self.documents.view();
        let token = self.jobs.start(id, (path.clone(), selector), files)?;
        if self.client.progress {
            self.ask("window/workDoneProgress/create", json!({ "token": token }));
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let begin = json!({
                "kind": "begin",
                "title": "Otus",
                "message": format!("analyzing {name}"),
                "cancellable": true,
            });
            self.notify("$/progress", json!({ "token": token, "value": begin }));
        }
        Ok(())
    }

    /// Tells the verdicts of an analysis.
    pub(crate) fn finished(&mut self, finished: Finished) {
        let Finished { id, result } = finished;
        let Some(at) = self.jobs.running.iter().position(|job| job.id == id) else { return };
        let job = self.jobs.running.remove(at);
        if let Some(token) = job.token.filter(|_| self.client.progress) {
            self.notify("$/progress", json!({ "token": token, "value": { "kind": "end" } }));
        }
        // An analysis that was cancelled may still have an answer, which is not complete.
        let is_cancelled = job.cancel.requested().is_some();
        let answer = match result {
            Err(Error::Stopped(Stop::Cancelled)) => {
                Err(Refusal::new(ErrorCode::RequestCanceled, "the analysis was cancelled"))
            }
            Ok(_) if is_cancelled => {
                Err(Refusal::new(ErrorCode::RequestCanceled, "the analysis was cancelled"))
            }
            Ok(verdicts) => {
                let Verdicts { summary, text, has_failed, .. } = verdicts;
                let kind = if has_failed { MessageType::WARNING } else { MessageType::INFO };
                let name = job.target.0.file_name().unwrap_or_default().to_string_lossy();
                self.show(kind, &format!("{name}: {summary}"));
                self.log(kind, &text);
                self.jobs.latest.insert(job.target, summary.clone());
                if self.client.refreshes_lenses {
                    self.ask("workspace/codeLens/refresh", Value::Null);
                }
                Ok(json!({ "summary": summary, "text": text, "failed": has_failed }))
            }
            Err(error) => {
                let text = error.to_string();
                self.show(MessageType::ERROR, &text);
                Err(Refusal::new(ErrorCode::RequestFailed, text))
            }
        };
        self.respond(id, answer);
    }
}
