//! Requests and answers: connections, routes, limits, headers.
//!
//! Every answer forbids the browser to guess types, to send the address elsewhere, to show the page in a frame of another, and
//! to load anything from elsewhere ([`page::POLICY`]). Bodies and headers are bounded, and so is the number of connections.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::api::{self, Studio};
use crate::failure::Failure;
use crate::guard::Guard;
use crate::page;

/// The most threads for questions. A page has few questions at a time, since newer ones cancel older ones.
pub(crate) const THREADS: usize = 32;
/// The most connections.
const CONNECTIONS: usize = 256;
/// The most bytes of a body.
const BODY: usize = 16 << 20;
/// The time between two looks whether to stop.
const TICK: Duration = Duration::from_millis(20);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Answers requests.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) guard: Arc<Guard>,
    pub(crate) studio: Arc<Studio>,
}

/// Serves until it is told to stop.
pub(crate) async fn serve(listener: TcpListener, service: Service, stop: &AtomicBool) {
    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
        tokio::spawn(accept(listener, service));
    }
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(TICK).await;
    }
}

async fn accept(listener: tokio::net::TcpListener, service: Service) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = service.clone();
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.answer(request).await) }
            });
            let mut builder = hyper::server::conn::http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_mins(1))
                .max_buf_size(64 << 10);
            let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

impl Service {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        match self.try_answer(request).await {
            Ok(answer) => answer,
            Err(failure) => {
                let mut answer = json(&failure.body());
                *answer.status_mut() = failure.status;
                answer
            }
        }
    }

    async fn try_answer(&self, request: Request<Incoming>) -> Result<Answer, Failure> {
        self.guard.check_origin(request.headers())?;
        let path = request.uri().path().to_owned();
        let is_get = request.method() == Method::GET;
        if path == "/" && is_get && self.guard.is_invited(request.uri().query()) {
            return Ok(self.invite());
        }
        if !self.guard.knows(request.headers()) {
            return Err(Failure::forbidden(
                "no token: open the address that `otus studio` has printed, with its token",
            ));
        }
        if let Some((bytes, kind)) = page::asset(&path) {
            if !is_get {
                return Err(
                    Failure::malformed("use GET").with_status(StatusCode::METHOD_NOT_ALLOWED)
                );
            }
            return Ok(answer(Bytes::from_static(bytes), kind));
        }
        let Some(&(route, method)) = api::ROUTES.iter().find(|(route, _)| *route == path) else {
            return Err(Failure::missing(format!("there is no {path}")));
        };
        if request.method().as_str() != method {
            let told = Failure::malformed(format!("{route} takes {method}"));
            return Err(told.with_status(StatusCode::METHOD_NOT_ALLOWED));
        }
        let page = page_of(request.headers(), request.uri().query());
        if route == "/api/events" {
            return Ok(self.events(&page));
        }
        let query = request.uri().query().unwrap_or_default().to_owned();
        let input = if method == "POST" { body(request).await? } else { api::from_query(&query) };
        let ticket = self.studio.questions.begin(&page, route);
        let (studio, cancel) = (self.studio.clone(), ticket.cancel.clone());
        let work = move || api::answer(&studio, &page, route, input, &cancel);
        let found = tokio::task::spawn_blocking(work).await;
        let is_cancelled = ticket.cancel.is_cancelled();
        drop(ticket);
        match found {
            // What was found before it was cancelled is not the answer to the question.
            _ if is_cancelled => Err(Failure::cancelled()),
            Ok(found) => Ok(json(&found?)),
            Err(_) => Err(Failure::internal(
                "a bug in Otus: the question ended in a panic; please report it",
            )),
        }
    }

    /// Makes a cookie of the token, and opens the page without it in the address.
    fn invite(&self) -> Answer {
        let mut answer = answer(Bytes::new(), "text/plain; charset=utf-8");
        *answer.status_mut() = StatusCode::SEE_OTHER;
        answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
        if let Some(cookie) = self.guard.cookie() {
            answer.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        answer
    }

    fn events(&self, page: &str) -> Answer {
        let mut answer = Response::new(self.studio.events.listen(page).boxed());
        set_headers(answer.headers_mut(), "text/event-stream");
        answer
    }
}

/// The name that a page gives itself.
fn page_of(headers: &HeaderMap, query: Option<&str>) -> String {
    let named = headers.get("otus-page").and_then(|it| it.to_str().ok()).map(str::to_owned);
    let asked = || query?.split('&').find_map(|it| it.strip_prefix("page=")).map(str::to_owned);
    let is_plain = |name: &String| {
        name.len() <= 40 && name.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    named.or_else(asked).filter(is_plain).unwrap_or_default()
}

/// The JSON of a body.
async fn body(request: Request<Incoming>) -> Result<Value, Failure> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let told = Failure::malformed("the body is application/json");
        return Err(told.with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let limit = || Failure::too_large(format!("a request has at most {} MB", BODY >> 20));
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > BODY as u64) {
        return Err(limit());
    }
    let collected = Limited::new(request.into_body(), BODY).collect().await;
    let bytes = match collected {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => return Err(limit()),
        Err(error) => return Err(Failure::malformed(format!("the body cannot be read: {error}"))),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::malformed(format!("the body is no JSON: {error}")))
}

fn json(value: &Value) -> Answer {
    answer(Bytes::from(value.to_string()), "application/json")
}

fn answer(bytes: Bytes, kind: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(bytes).boxed());
    set_headers(answer.headers_mut(), kind);
    answer
}

fn set_headers(headers: &mut HeaderMap, kind: &'static str) {
    let all: [(HeaderName, &'static str); 7] = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, page::POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
