//! TLS by the server itself: the certificate and its key from files, which are read again when they have changed, so that a
//! renewed certificate needs no restart.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tls_listener::TlsListener;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};

/// Who has not finished a handshake by then is given up.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// What is spoken above TLS, the preferred first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The files of a certificate, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// The certificate, and those that it is signed with.
    pub(crate) certificate: PathBuf,
    /// Its private key.
    pub(crate) key: PathBuf,
}

/// How to greet who connects.
///
/// # Errors
/// A file cannot be read, or the key is not that of the certificate.
pub(crate) fn acceptor(files: Files) -> Result<TlsAcceptor> {
    let provider = Arc::new(ring::default_provider());
    let renewed = Renewed::new(files, Arc::clone(&provider))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("no version of TLS is available")?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(renewed));
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Greets who connects, many at a time, and passes on who has finished.
pub(crate) fn listener(
    listener: TcpListener,
    acceptor: TlsAcceptor,
) -> TlsListener<TcpListener, TlsAcceptor> {
    tls_listener::builder(acceptor).handshake_timeout(HANDSHAKE_TIMEOUT).listen(listener)
}

/// The certificate as its files have it now.
#[derive(Debug)]
struct Renewed {
    files: Files,
    provider: Arc<CryptoProvider>,
    current: Mutex<Current>,
}

#[derive(Debug)]
struct Current {
    certified: Arc<CertifiedKey>,
    /// What the files were like when they were last read, with success or not.
    read: [Option<Stamp>; 2],
}

/// When a file was changed, and how long it is.
type Stamp = (SystemTime, u64);

impl Renewed {
    fn new(files: Files, provider: Arc<CryptoProvider>) -> Result<Self> {
        let read = files.stamps();
        let certified = Arc::new(files.read(&provider)?);
        Ok(Self { files, provider, current: Mutex::new(Current { certified, read }) })
    }

    fn now(&self) -> Arc<CertifiedKey> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.files.stamps();
        if stamps != current.read {
            // A certificate and its key are not replaced at one moment: until they belong together, the ones before stay.
            match self.files.read(&self.provider) {
                Ok(certified) => {
                    current.certified = Arc::new(certified);
                    tracing::info!("the certificate was renewed");
                }
                Err(error) => {
                    let cause = format!("{error:#}");
                    tracing::warn!(error.cause = %cause, "the certificate stays the one before");
                }
            }
            current.read = stamps;
        }
        Arc::clone(&current.certified)
    }
}

impl ResolvesServerCert for Renewed {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.now())
    }
}

impl Files {
    fn read(&self, provider: &CryptoProvider) -> Result<CertifiedKey> {
        let of = |file: &Path| format!("{}", file.display());
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .with_context(|| {
                format!("cannot read certificates from {}: expected PEM", of(&self.certificate))
            })?;
        anyhow::ensure!(!chain.is_empty(), "no certificate is in {}: expected PEM", of(&self.certificate));
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .with_context(|| format!("cannot read a private key from {}: expected PEM", of(&self.key)))?;
        CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => anyhow::anyhow!(
                "the key in {} is not that of the certificate in {}",
                of(&self.key),
                of(&self.certificate)
            ),
            error => anyhow::Error::new(error).context(format!(
                "the certificate in {} cannot be used with the key in {}",
                of(&self.certificate),
                of(&self.key)
            )),
        })
    }

    fn stamps(&self) -> [Option<Stamp>; 2] {
        [&self.certificate, &self.key].map(|file| {
            let metadata = std::fs::metadata(file).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertifiedKey as Made, generate_simple_self_signed};

    fn write(files: &Files, certificate: &Made<rcgen::KeyPair>, key: &Made<rcgen::KeyPair>) {
        std::fs::write(&files.certificate, certificate.cert.pem()).unwrap();
        std::fs::write(&files.key, key.signing_key.serialize_pem()).unwrap();
    }

    #[test]
    fn a_renewed_certificate_is_taken_once_its_key_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { certificate: folder.path().join("c.pem"), key: folder.path().join("k.pem") };
        // Of other names, and so of other lengths: a clock of files may stand still for a test.
        let [first, second] = ["localhost", "a.longer.name"]
            .map(|name| generate_simple_self_signed([name.to_owned()]).unwrap());
        let provider = Arc::new(ring::default_provider());
        let missing = Renewed::new(files.clone(), Arc::clone(&provider)).unwrap_err();
        assert!(format!("{missing:#}").starts_with("cannot read certificates from /"), "{missing:#}");

        write(&files, &first, &first);
        let renewed = Renewed::new(files.clone(), Arc::clone(&provider)).unwrap();
        let serves = |made: &Made<rcgen::KeyPair>| renewed.now().cert == [made.cert.der().clone()];
        assert!(serves(&first));
        write(&files, &second, &first);
        assert!(serves(&first), "the key is not there yet");
        let wrong = Renewed::new(files.clone(), provider).unwrap_err();
        assert!(format!("{wrong:#}").contains("is not that of the certificate in"), "{wrong:#}");
        std::fs::remove_file(&files.key).unwrap();
        assert!(serves(&first), "the key is gone");
        write(&files, &second, &second);
        assert!(serves(&second));
    }
}
