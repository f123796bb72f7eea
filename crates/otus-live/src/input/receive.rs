//! The receivers: sockets on one thread, and a connection for each client.
//!
//! They listen on the addresses that are given, which are on the loopback unless somebody says otherwise. One thread serves all
//! connections; the work for a request is to unpack and to check it, and the rest is done by the thread that owns the groups. The number
//! of connections is bounded, and so is the time of each without a request.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::http::{Role, Service};
use super::{Start, thread, tls};
use crate::batch::Message;
use crate::error::{Error, Result};

/// The most connections at a time, for each address.
const CONNECTIONS: usize = 256;

/// The most bytes of headers, and streams of one connection.
const HEADERS: u32 = 16 << 10;
const STREAMS: u32 = 64;

/// The time between two looks whether to stop.
const TICK: Duration = Duration::from_millis(20);

pub(super) fn start(start: &Start<'_>) -> Result<()> {
    let inputs = &start.config.inputs;
    let acceptor = start.config.tls.as_ref().map(tls::acceptor).transpose()?;
    let mut listeners = Vec::new();
    let all = [
        (inputs.grpc, Role::Spans, "OTLP over gRPC", "--otlp-grpc"),
        (inputs.http, Role::Spans, "OTLP over HTTP", "--otlp-http"),
        (start.config.metrics, Role::Metrics, "metrics", "--metrics"),
    ];
    for (address, role, what, option) in all {
        let Some(address) = address else { continue };
        let listener = listen(address, what, option)?;
        let bound = listener.local_addr().unwrap_or(address);
        let with = if acceptor.is_some() { ", with TLS" } else { "" };
        let remark = format!("listening on {bound} for {what}{with}");
        start.context.monitor.notice(&otus::Notice::Remark(remark));
        if !bound.ip().is_loopback() {
            let and =
                if acceptor.is_some() { "" } else { ", and hides nothing without --tls-cert" };
            let remark = format!(
                "warning: {bound} can be reached from other machines, and Otus asks nobody who they are{and}; put a proxy \
                 with authentication before it"
            );
            start.context.monitor.notice(&otus::Notice::Remark(remark));
        }
        listeners.push((listener, role));
    }
    let service = Service {
        sender: start.sender.clone(),
        source: start.sources.spans.unwrap_or(0),
        limits: start.config.limits.clone(),
        counters: start.counters.clone(),
        waiting: Arc::new(Semaphore::new(STREAMS as usize)),
    };
    let (stop, sender) = (start.stop.clone(), start.sender.clone());
    let built = runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        built.map_err(|error| Error::Io { what: "cannot start the receivers".into(), error })?;
    thread("receivers", move || {
        runtime.block_on(serve(listeners, service, acceptor, stop));
        let _ = sender.send(Message::Ended);
    })
}

fn listen(address: SocketAddr, what: &str, option: &str) -> Result<TcpListener> {
    let failed = |error| Error::Io {
        what: format!("cannot listen on {address} for {what} ({option} takes another address)"),
        error,
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

async fn serve(
    listeners: Vec<(TcpListener, Role)>,
    service: Service,
    acceptor: Option<TlsAcceptor>,
    stop: Arc<AtomicBool>,
) {
    for (listener, role) in listeners {
        let (service, acceptor) = (service.clone(), acceptor.clone());
        if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
            tokio::spawn(accept(listener, role, service, acceptor));
        }
    }
    drop(service);
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(TICK).await;
    }
    // Requests on their way get an answer, if it comes soon.
    tokio::time::sleep(10 * TICK).await;
}

async fn accept(
    listener: tokio::net::TcpListener,
    role: Role,
    service: Service,
    acceptor: Option<TlsAcceptor>,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // The process has too many open files, or the client has gone again.
            tokio::time::sleep(TICK).await;
            continue;
        };
        let (service, acceptor) = (service.clone(), acceptor.clone());
        tokio::spawn(async move {
            match acceptor {
                None => converse(stream, role, service).await,
                Some(acceptor) => {
                    if let Some(stream) = tls::agree(&acceptor, stream).await {
                        converse(stream, role, service).await;
                    }
                }
            }
            drop(place);
        });
    }
}

/// Answers the requests of a connection until it ends.
async fn converse<S>(stream: S, role: Role, service: Service)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let answer = service_fn(move |request| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.answer(role, request).await) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30))
        .max_buf_size(64 << 10);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEADERS)
        .max_concurrent_streams(STREAMS)
        .keep_alive_interval(Duration::from_mins(1))
        .keep_alive_timeout(Duration::from_secs(20));
    // A connection that breaks says nothing about the requests before.
    let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
}
