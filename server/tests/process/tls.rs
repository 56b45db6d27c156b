//! HTTPS by the server itself.

use crate::support::{Place, Server};
use rcgen::generate_simple_self_signed;
use std::path::PathBuf;
use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// A certificate for this machine: the server's files, and the client's trust.
struct TestCertificate {
    files: [PathBuf; 2],
    trusted: Certificate<'static>,
}

impl TestCertificate {
    fn write(place: &Place) -> Self {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        let files = ["certificate.pem", "key.pem"].map(|name| place.folder().join(name));
        std::fs::write(&files[0], made.cert.pem()).unwrap();
        std::fs::write(&files[1], made.signing_key.serialize_pem()).unwrap();
        let trusted = Certificate::from_der(made.cert.der()).to_owned();
        Self { files, trusted }
    }

    /// The options of a server with these files.
    fn options(&self) -> [&str; 4] {
        let [certificate, key] = self.files.each_ref().map(|file| file.to_str().unwrap());
        ["--tls-certificate", certificate, "--tls-key", key]
    }

    fn client(&self) -> ureq::Agent {
        let roots = RootCerts::Specific(Arc::new(vec![self.trusted.clone()]));
        let tls = TlsConfig::builder().root_certs(roots).build();
        ureq::Agent::config_builder().tls_config(tls).http_status_as_error(false).build().into()
    }
}

#[test]
fn serves_only_https_with_a_certificate() {
    let place = Place::new();
    let identity = TestCertificate::write(&place);
    let server = place.serve_with(&identity.options());
    let url = server.first_line.strip_prefix("listening on ").unwrap().to_owned();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let answer = identity.client().get(format!("{url}/api/v1/session")).call().unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["strict-transport-security"], "max-age=31536000");

    let stranger: ureq::Agent = ureq::Agent::config_builder().build().into();
    let untrusted = stranger.get(format!("{url}/healthz")).call();
    assert!(untrusted.is_err(), "other clients do not trust the certificate");
    let plain = url.replace("https://", "http://");
    assert!(identity.client().get(format!("{plain}/healthz")).call().is_err(), "plain HTTP is not served");
    // A failed handshake blocks no other client.
    assert_eq!(identity.client().get(format!("{url}/healthz")).call().unwrap().status(), 200);
    assert!(server.stop().status.success());
}

#[test]
fn sends_hsts_only_behind_an_https_proxy() {
    let place = Place::new();
    let has_hsts = |server: &Server| {
        let answer = server.call("GET", "/healthz", &[], "");
        answer.headers().get("strict-transport-security").is_some()
    };
    let server = place.serve();
    assert!(!has_hsts(&server));
    assert!(server.stop().status.success());
    let server = place.serve_with(&["--public-url", "https://ipc.example.org"]);
    assert!(has_hsts(&server));
}

#[test]
fn rejects_invalid_certificates_at_the_start() {
    let place = Place::new();
    let identity = TestCertificate::write(&place);
    let [option, certificate, key_option, key] = identity.options();
    for (certificate, key, expected) in [
        (key, key, "no certificate in"),
        (certificate, certificate, "cannot read a private key from"),
        ("/nowhere", key, "cannot read certificates from /nowhere: expected PEM"),
    ] {
        place.refused(&[option, certificate, key_option, key]).assert_error(1, &[expected]);
    }
    assert!(!place.data_dir().exists());
    assert_eq!(place.refused(&[option, certificate]).status.code(), Some(2));
}
