//! TLS for the receivers: a chain of certificates and its key, both as PEM.
//!
//! Clients are not asked for certificates of their own: who may send spans is a matter of the network before Otus.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::config::Tls;
use crate::error::{Error, Result};

/// How long a client may take until its connection is agreed on.
const PATIENCE: Duration = Duration::from_secs(10);

/// The protocols above TLS, the one of gRPC first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// What agrees on connections with clients.
///
/// # Errors
/// If a file cannot be read or has nothing of its kind, or the key does not belong to the certificate.
pub(super) fn acceptor(tls: &Tls) -> Result<TlsAcceptor> {
    let chain = certificates(&tls.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&tls.key)
        .map_err(|error| unusable(&tls.key, "--tls-key", "a private key", &error))?;
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key);
    let mut config = config.map_err(|error| {
        let (certificate, key) = (tls.certificate.display(), tls.key.display());
        Error::Unfit(format!("{certificate} and {key} cannot be used together: {error}"))
    })?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let failed = |error: PemError| unusable(path, "--tls-cert", "a certificate", &error);
    let chain = CertificateDer::pem_file_iter(path).map_err(failed)?;
    let chain = chain.collect::<std::result::Result<Vec<_>, _>>().map_err(failed)?;
    if chain.is_empty() { Err(failed(PemError::NoItemsFound)) } else { Ok(chain) }
}

fn unusable(path: &Path, option: &str, what: &str, error: &PemError) -> Error {
    let path = path.display();
    Error::Unfit(if let PemError::Io(error) = error {
        format!("cannot read {path} ({option}): {error}")
    } else if let PemError::NoItemsFound = error {
        format!("{path} has no PEM block of {what} ({option})")
    } else {
        format!("{path} is no PEM file with {what} ({option}): {error}")
    })
}

/// A connection on which both sides agree; `None` if the client speaks no TLS, or takes too long.
pub(super) async fn agree(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
) -> Option<TlsStream<TcpStream>> {
    tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await.ok()?.ok()
}
