//! The JSON interface: a function for each route.
//!
//! `web/src/api.ts` has the types of all requests and answers, with the meaning of each member. A function reads the request,
//! asks the core, and writes the answer; nothing is decided here. Each runs on a thread of its own, with a token that cancels it.

mod case;
mod check;
mod compare;
mod file;
mod mapping;
mod order;
mod state;
mod text;
mod wording;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use otus::{Cancel, Context, Monitor, Notice, Progress};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::events::Events;
use crate::failure::Failure;
use crate::folder::{Folder, View};
use crate::questions::Questions;

pub(crate) use wording::{diagnostics, place};

/// All routes, with their methods.
pub const ROUTES: &[(&str, &str)] = &[
    ("/api/state", "GET"),
    ("/api/events", "GET"),
    ("/api/file", "GET"),
    ("/api/code", "GET"),
    ("/api/save", "POST"),
    ("/api/text", "POST"),
    ("/api/check", "POST"),
    ("/api/results", "POST"),
    ("/api/case", "POST"),
    ("/api/why-not", "POST"),
    ("/api/repair", "POST"),
    ("/api/lines", "POST"),
    ("/api/account", "POST"),
    ("/api/rule", "POST"),
    ("/api/names", "POST"),
    ("/api/propose", "POST"),
    ("/api/order", "POST"),
    ("/api/formula", "POST"),
    ("/api/compare", "POST"),
];

/// A folder, and what is going on in it.
#[derive(Debug)]
pub(crate) struct Studio {
    pub(crate) view: View,
    pub(crate) events: Events,
    pub(crate) questions: Arc<Questions>,
    /// Increases with each change on disk.
    pub(crate) generation: AtomicU64,
    /// The limits of the verdict of one run.
    timeout: Duration,
    max_bytes: Option<u64>,
    /// Held while a file is compared and written.
    pub(crate) saving: Mutex<()>,
}

impl Studio {
    pub(crate) fn new(folder: Folder, timeout: Option<Duration>, max_bytes: Option<u64>) -> Studio {
        Studio {
            timeout: timeout.unwrap_or(LIMIT),
            max_bytes,
            view: View::new(Arc::new(folder)),
            events: Events::default(),
            questions: Arc::default(),
            generation: AtomicU64::new(0),
            saving: Mutex::default(),
        }
    }
}

/// A question while it is answered.
pub(crate) struct Asked<'a> {
    pub(crate) studio: &'a Arc<Studio>,
    pub(crate) page: &'a str,
    pub(crate) route: &'static str,
    pub(crate) cancel: &'a Cancel,
}

/// Answers a question.
pub(crate) fn answer(
    studio: &Arc<Studio>,
    page: &str,
    route: &'static str,
    input: Value,
    cancel: &Cancel,
) -> Result<Value, Failure> {
    let asked = &Asked { studio, page, route, cancel };
    match route {
        "/api/state" => Ok(state::state(asked)),
        "/api/file" => file::read(asked, &parsed(input)?),
        "/api/save" => file::save(asked, &parsed(input)?),
        "/api/code" => text::code(&parsed(input)?),
        "/api/text" => text::text(asked, &parsed(input)?),
        "/api/check" => check::check(asked, &parsed(input)?),
        "/api/results" => check::results(asked, &parsed(input)?),
        "/api/case" => case::case(asked, &parsed(input)?),
        "/api/why-not" => case::why_not(asked, &parsed(input)?),
        "/api/repair" => case::repair(asked, &parsed(input)?),
        "/api/lines" => mapping::lines(asked, &parsed(input)?),
        "/api/account" => mapping::account(asked, &parsed(input)?),
        "/api/rule" => mapping::rule(asked, &parsed(input)?),
        "/api/names" => mapping::names(asked, &parsed(input)?),
        "/api/propose" => mapping::propose(asked, &parsed(input)?),
        "/api/order" => order::order(asked, &parsed(input)?),
        "/api/formula" => order::formula(asked, &parsed(input)?),
        "/api/compare" => compare::compare(asked, &parsed(input)?),
        other => Err(Failure::missing(format!("there is no {other}"))),
    }
}

fn parsed<T: DeserializeOwned>(input: Value) -> Result<T, Failure> {
    serde_json::from_value(input)
        .map_err(|error| Failure::malformed(format!("the request is not as it should be: {error}")))
}

/// The parameters of an address as an object of texts.
pub(crate) fn from_query(query: &str) -> Value {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, value)| (decoded(name), Value::String(decoded(value))));
    Value::Object(pairs.collect())
}

/// A text in which bytes are written as `%20`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || rest.next().and_then(|it| char::from(it).to_digit(16));
            let value =
                digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            bytes.push(value.unwrap_or(b'?'));
        } else {
            bytes.push(if byte == b'+' { b' ' } else { byte });
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Unsaved texts by path.
pub(crate) type Unsaved = BTreeMap<String, String>;

/// A specification and the runs to check with it.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Subject {
    #[serde(default)]
    pub(crate) spec: String,
    #[serde(default)]
    pub(crate) runs: Vec<String>,
    #[serde(default)]
    pub(crate) unsaved: Unsaved,
    limit: Option<f64>,
}

/// The seconds after which a run is undecided, unless the question says otherwise.
const LIMIT: Duration = Duration::from_secs(10);
const LONGEST: f64 = 3600.0;

impl Subject {
    /// The names of the specification and the runs, checked to be inside of the folder.
    pub(crate) fn names(&self, asked: &Asked<'_>) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        if !self.spec.is_empty() {
            names.extend(asked.spec(&self.spec)?);
        }
        let runs = if self.runs.is_empty() && !asked.has_config() {
            let all = state::runs(asked.studio, &asked.studio.view).into_iter();
            all.filter(|run| run.is_top).map(|run| run.name).collect()
        } else {
            self.runs.clone()
        };
        for run in &runs {
            asked.inside(run)?;
        }
        names.extend(runs);
        Ok(names)
    }

    /// A request about them.
    pub(crate) fn request(&self, asked: &Asked<'_>) -> Result<otus::Request, Failure> {
        let mut request = otus::Request::new(self.names(asked)?);
        let limit = self.limit.filter(|limit| limit.is_finite() && *limit > 0.0);
        let limit = limit.map(|limit| Duration::from_secs_f64(limit.min(LONGEST)));
        request.limits.timeout = Some(limit.unwrap_or(asked.studio.timeout));
        request.limits.max_bytes = asked.studio.max_bytes;
        Ok(request)
    }

    pub(crate) fn context(&self, asked: &Asked<'_>) -> Result<(Context, Arc<Heard>), Failure> {
        asked.context(&self.unsaved)
    }
}

impl Asked<'_> {
    /// The environment of the core for this question, and what it says.
    pub(crate) fn context(&self, unsaved: &Unsaved) -> Result<(Context, Arc<Heard>), Failure> {
        let heard = Arc::new(Heard {
            notices: Mutex::default(),
            told: Mutex::new(Instant::now()),
            studio: self.studio.clone(),
            page: self.page.to_owned(),
            route: self.route,
        });
        let view = self.studio.view.with(unsaved)?.until(self.cancel);
        let context =
            Context { files: Arc::new(view), cancel: self.cancel.clone(), monitor: heard.clone() };
        Ok((context, heard))
    }

    /// Checks that a name is inside of the folder.
    pub(crate) fn inside(&self, name: &str) -> Result<(), Failure> {
        self.studio.view.folder().inside(name).map(|_| ())
    }

    /// The files of a specification that a request names: with its signature, if that is another file.
    pub(crate) fn spec(&self, name: &str) -> Result<Vec<String>, Failure> {
        let path = name.split('#').next().unwrap_or(name);
        self.inside(path)?;
        if path != name {
            return Ok(vec![name.to_owned()]);
        }
        let context = Context::default().with_files(self.studio.view.clone());
        Ok(otus::draft::companions(&context, name))
    }

    /// Whether the folder itself has an `otus.toml`.
    pub(crate) fn has_config(&self) -> bool {
        use otus::Files as _;
        self.studio.view.kind(Path::new(otus::project::FILE)).is_some()
    }
}

/// What the core says while it answers. Progress is passed on to the page.
#[derive(Debug)]
pub(crate) struct Heard {
    notices: Mutex<Vec<Notice>>,
    told: Mutex<Instant>,
    studio: Arc<Studio>,
    page: String,
    route: &'static str,
}

/// The most remarks of an answer, and the time between two messages about progress.
const MOST_REMARKS: usize = 200;
const PACE: Duration = Duration::from_millis(200);

impl Heard {
    /// The remarks, in words.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let text = |notice: &Notice| {
            if let Notice::Remark(text) = notice { Some(text.clone()) } else { None }
        };
        notices.iter().filter_map(text).collect()
    }

    /// The findings about texts.
    pub(crate) fn diagnostics(&self) -> Vec<Value> {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        for notice in notices.iter() {
            if let Notice::Diagnostics(found) = notice {
                all.extend(diagnostics(&found.text_findings(), None));
            }
        }
        all
    }
}

impl Monitor for Heard {
    fn notice(&self, notice: &Notice) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if notices.len() < MOST_REMARKS {
            notices.push(notice.clone());
        }
    }

    fn progress(&self, progress: &Progress) {
        if self.page.is_empty() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= PACE {
            *told = Instant::now();
            let text = progress.text(PACE);
            let data = json!({ "route": self.route, "text": text, "checked": progress.checked });
            self.studio.events.tell(Some(&self.page), "progress", &data);
        }
    }
}

impl Studio {
    /// The number of the last change on disk.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let found = from_query("path=a%20b%2Fc+d.mmd&x=%zz&y&z=%E2%82%AC");
        assert_eq!(found, json!({ "path": "a b/c d.mmd", "x": "?", "z": "€" }));
    }

    #[test]
    fn every_route_has_its_types() {
        let types = include_str!("../../web/src/api.ts");
        for (route, method) in ROUTES {
            assert!(types.contains(&format!("// {method} {route}")), "{method} {route}");
        }
    }
}
