//! HTTPS by the server itself.

use crate::support::{Place, SERVE, Server};
use rcgen::generate_simple_self_signed;
use std::path::PathBuf;
use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// A certificate for this machine: the files that the server gets, and what a client trusts.
struct Own {
    files: [PathBuf; 2],
    trusted: Certificate<'static>,
}

impl Own {
    fn write(place: &Place) -> Self {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        let files = ["certificate.pem", "key.pem"].map(|name| place.folder().join(name));
        std::fs::write(&files[0], made.cert.pem()).unwrap();
        std::fs::write(&files[1], made.signing_key.serialize_pem()).unwrap();
        let trusted = Certificate::from_der(made.cert.der()).to_owned();
        Self { files, trusted }
    }

    fn client(&self) -> ureq::Agent {
        let roots = RootCerts::Specific(Arc::new(vec![self.trusted.clone()]));
        let tls = TlsConfig::builder().root_certs(roots).build();
        ureq::Agent::config_builder().tls_config(tls).http_status_as_error(false).build().into()
    }
}

#[test]
fn with_a_certificate_the_server_speaks_https_alone_and_says_to_stay_with_it() {
    let place = Place::new();
    let own = Own::write(&place);
    let [certificate, key] = own.files.each_ref().map(|file| file.to_str().unwrap());
    let arguments = [&SERVE[..], &["--tls-certificate", certificate, "--tls-key", key]].concat();
    let server = Server::start(&place.data_dir(), &arguments, &[]);
    let url = server.first_line.strip_prefix("listening on ").unwrap().to_owned();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let answer = own.client().get(format!("{url}/api/v1/session")).call().unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["strict-transport-security"], "max-age=31536000");

    let stranger: ureq::Agent = ureq::Agent::config_builder().build().into();
    assert!(stranger.get(format!("{url}/healthz")).call().is_err(), "nobody vouches for the certificate");
    let plain = url.replace("https://", "http://");
    assert!(own.client().get(format!("{plain}/healthz")).call().is_err(), "nothing is said in the clear");
    // Who greeted in the wrong way holds up nobody.
    assert_eq!(own.client().get(format!("{url}/healthz")).call().unwrap().status(), 200);
    assert!(server.stop().status.success());
}

#[test]
fn without_https_no_header_demands_it_unless_a_proxy_speaks_it() {
    let place = Place::new();
    let told = |server: &Server| {
        let answer = server.call("GET", "/healthz", &[], "");
        answer.headers().get("strict-transport-security").is_some()
    };
    let server = place.serve();
    assert!(!told(&server));
    assert!(server.stop().status.success());
    let server = place.serve_with(&["--public-url", "https://ipc.example.org"]);
    assert!(told(&server));
}

#[test]
fn what_is_no_certificate_is_refused_before_anything_starts() {
    let place = Place::new();
    let own = Own::write(&place);
    let [certificate, key] = own.files.each_ref().map(|file| file.to_str().unwrap());
    let refused = |certificate: &str, key: &str, told: &str| {
        let arguments = [&SERVE[..], &["--tls-certificate", certificate, "--tls-key", key]].concat();
        let finished = place.run(&arguments);
        let sentence = finished.sentence(1);
        assert!(sentence.contains(told), "{sentence}");
    };
    refused(key, key, "no certificate is in");
    refused(certificate, certificate, "cannot read a private key from");
    refused("/nowhere", key, "cannot read certificates from /nowhere: expected PEM");
    assert!(!place.data_dir().exists());
    assert_eq!(place.run(&["serve", "--tls-certificate", certificate]).status.code(), Some(2));
}
