//! TLS termination. The certificate and its key are reloaded when their files change, so renewal needs no restart.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};

/// Protocols above TLS, preferred first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The files of a certificate, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// Creates the acceptor of TLS connections.
pub(crate) fn acceptor(files: Files) -> Result<TlsAcceptor> {
    let provider = Arc::new(ring::default_provider());
    let renewed = ReloadingCertificate::new(files, Arc::clone(&provider))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("no version of TLS is available")?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(renewed));
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A certificate that is reloaded when its files change.
#[derive(Debug)]
struct ReloadingCertificate {
    files: Files,
    provider: Arc<CryptoProvider>,
    current: Mutex<LoadedCertificate>,
}

#[derive(Debug)]
struct LoadedCertificate {
    certified: Arc<CertifiedKey>,
    /// The state of the files at the last read, successful or not.
    read: [Option<Stamp>; 2],
}

/// The modification time and length of a file.
type Stamp = (SystemTime, u64);

impl ReloadingCertificate {
    fn new(files: Files, provider: Arc<CryptoProvider>) -> Result<Self> {
        let read = files.stamps();
        let certified = Arc::new(files.read(&provider)?);
        Ok(Self { files, provider, current: Mutex::new(LoadedCertificate { certified, read }) })
    }

    fn now(&self) -> Arc<CertifiedKey> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.files.stamps();
        if stamps != current.read {
            // A certificate and its key are not replaced atomically. Until they match, the previous pair stays.
            match self.files.read(&self.provider) {
                Ok(certified) => {
                    current.certified = Arc::new(certified);
                    tracing::info!("loaded the renewed certificate");
                }
                Err(error) => {
                    let cause = format!("{error:#}");
                    tracing::warn!(error.cause = %cause, "cannot load the renewed certificate; keeping the old one");
                }
            }
            current.read = stamps;
        }
        Arc::clone(&current.certified)
    }
}

impl ResolvesServerCert for ReloadingCertificate {
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
        anyhow::ensure!(!chain.is_empty(), "no certificate in {}: expected PEM", of(&self.certificate));
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .with_context(|| format!("cannot read a private key from {}: expected PEM", of(&self.key)))?;
        CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => anyhow::anyhow!(
                "the key in {} does not match the certificate in {}",
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
    fn loads_a_renewed_certificate_with_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { certificate: folder.path().join("c.pem"), key: folder.path().join("k.pem") };
        // Other names give other lengths, because file times may be equal within a test.
        let [first, second] = ["localhost", "a.longer.name"]
            .map(|name| generate_simple_self_signed([name.to_owned()]).unwrap());
        let provider = Arc::new(ring::default_provider());
        let missing = ReloadingCertificate::new(files.clone(), Arc::clone(&provider)).unwrap_err();
        assert!(format!("{missing:#}").starts_with("cannot read certificates from /"), "{missing:#}");

        write(&files, &first, &first);
        let renewed = ReloadingCertificate::new(files.clone(), Arc::clone(&provider)).unwrap();
        let serves = |made: &Made<rcgen::KeyPair>| renewed.now().cert == [made.cert.der().clone()];
        assert!(serves(&first));
        write(&files, &second, &first);
        assert!(serves(&first), "the key is not there yet");
        let wrong = ReloadingCertificate::new(files.clone(), provider).unwrap_err();
        assert!(format!("{wrong:#}").contains("does not match the certificate in"), "{wrong:#}");
        std::fs::remove_file(&files.key).unwrap();
        assert!(serves(&first), "the key is gone");
        write(&files, &second, &second);
        assert!(serves(&second));
    }
}
