//! Uploads one report: compressed, with retries, and verified by the digest in the server's receipt.

use crate::cli::TokenArguments;
use crate::failure::Failure;
use crate::http::{self, Refusal, Refused};
use crate::ledger::Ledger;
use flate2::{Compression, write::GzEncoder};
use roundtrip_wire::{Acknowledged, RunId, Slug, acknowledged};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::{Read, Write as _};
use std::path::Path;
use std::time::Duration;

pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of a check before measuring.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// The server's acknowledgement, as far as it is checked.
#[derive(Debug, Deserialize)]
struct Receipt {
    body_sha256: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum UploadKind {
    Report(RunId),
    /// A file of another tool; the id is that of the report with its results.
    Import(RunId),
}

/// Whether the server stored an upload now, or had it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Created,
    AlreadyExists,
}

impl UploadKind {
    fn run_id(self) -> RunId {
        match self {
            Self::Report(run_id) | Self::Import(run_id) => run_id,
        }
    }
}

/// Reads the token. Secrets come from a file or standard input, never from an argument that others can read.
pub(crate) fn token(arguments: &TokenArguments) -> crate::Result<String> {
    let Some(path) = &arguments.token_file else {
        return Err(Failure::Authentication(
            "uploading needs a token. Pass --token-file. Create a token with `roundtrip-server token \
             create`; `cargo xtask up` writes one to agent.token in its data directory."
                .into(),
        ));
    };
    token_in(path)
}

/// Reads the token from this file, or from standard input if it is `-`.
pub(crate) fn token_in(path: &Path) -> crate::Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    }
    .map_err(|error| {
        Failure::Authentication(format!("cannot read the token from {}: {error}", path.display()))
    })?;
    Ok(text.trim().to_owned())
}

/// The permission to upload.
pub(crate) const UPLOADS: &str = "ingest:write";

/// What a token permits.
#[derive(Debug, Deserialize)]
pub(crate) struct Session {
    pub(crate) scopes: Vec<String>,
    /// The only project, if it is restricted to one.
    pub(crate) project: Option<String>,
}

impl Session {
    pub(crate) fn ask(agent: &ureq::Agent, server: &str, token: &str) -> Result<Self, Refusal> {
        let url = format!("{}/api/v1/session", server.trim_end_matches('/'));
        let request = agent.get(&url).header("authorization", format!("Bearer {token}"));
        http::answer(&url, request.call())
    }
}

/// Checks that the server accepts uploads of this project with this token.
pub(crate) fn check_token(server: &str, token: &str, project: &Slug) -> Result<(), Refusal> {
    let Session { scopes, project: only } = Session::ask(&http::agent(CHECK_TIMEOUT), server, token)?;
    if !scopes.iter().any(|scope| scope == UPLOADS) {
        return Err(Refusal::Token(format!(
            "the token does not permit uploads: expected the permission {UPLOADS}"
        )));
    }
    match only.filter(|only| *only != project.as_str()) {
        Some(only) => Err(Refusal::Token(format!("the token is for the project {only}, expected {project}"))),
        None => Ok(()),
    }
}

pub(crate) fn check_address(server: &str) -> crate::Result<()> {
    let uri: Option<ureq::http::Uri> = server.parse().ok();
    let is_http = |uri: &ureq::http::Uri| matches!(uri.scheme_str(), Some("http" | "https"));
    if uri.is_some_and(|uri| is_http(&uri) && uri.host().is_some()) {
        return Ok(());
    }
    Err(Failure::Usage(format!("invalid server URL `{server}`: expected http://HOST or https://HOST")))
}

pub(crate) struct Upload {
    agent: ureq::Agent,
    what: UploadKind,
    url: String,
    body: Vec<u8>,
    /// The digest that the server must repeat.
    expected: String,
    ledger: Option<Ledger>,
}

impl Upload {
    /// Compresses the body. `quarantined`: store it outside the trend.
    pub(crate) fn new(
        server: &str,
        what: UploadKind,
        quarantined: bool,
        body: &[u8],
        ledger: Option<Ledger>,
    ) -> Result<Self, Refusal> {
        let server = server.trim_end_matches('/');
        let query = if quarantined { "?quarantined=true" } else { "" };
        let url = match what {
            UploadKind::Report(id) => format!("{server}/api/v1/runs/{id}{query}"),
            UploadKind::Import(_) => format!("{server}/api/v1/import{query}"),
        };
        let expected = hex::encode(Sha256::digest(body));
        let body =
            compress(body).map_err(|error| Refusal::Final(format!("cannot compress the report: {error}")))?;
        let agent = http::agent(TIMEOUT);
        Ok(Self { agent, what, url, body, expected, ledger })
    }

    /// Uploads it, with retries.
    pub(crate) fn send(&self, token: &str) -> Result<Stored, Refusal> {
        http::with_retries(|| self.attempt(token))
    }

    /// Sends it once, checks the acknowledgement and counts it.
    pub(crate) fn attempt(&self, token: &str) -> Result<Stored, Refusal> {
        let run = self.what.run_id();
        // Without a writable ledger, the report is sent without a count, which the server accepts.
        let ledger = self.ledger.as_ref().and_then(|ledger| Some((ledger, ledger.send(run).ok()?)));
        let stored = self.exchange(token, ledger.map(|(_, sent)| sent.acknowledged))?;
        let Some((ledger, sent)) = ledger else { return Ok(stored) };
        let counted = match (self.what, stored) {
            // It may have been counted long ago. Too low a count is safe, too high a count would report a lost run.
            (UploadKind::Import(_), Stored::AlreadyExists) => ledger.forget(run),
            _ => ledger.count(run, sent, stored == Stored::Created),
        };
        // A report that cannot be counted stays in place, and is acknowledged again later.
        counted.map(|()| stored).map_err(|failure| Refusal::Final(failure.to_string()))
    }

    fn exchange(&self, token: &str, acknowledged: Option<Acknowledged>) -> Result<Stored, Refusal> {
        let Self { agent, what, url, body, expected, .. } = self;
        let mut request = match what {
            UploadKind::Report(_) => agent.put(url),
            UploadKind::Import(_) => agent.post(url),
        };
        if let Some(acknowledged) = acknowledged {
            request = request.header(acknowledged::HEADER, acknowledged.to_string());
        }
        let mut response = request
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .header("content-encoding", "gzip")
            .send(body)
            .map_err(|error| http::unanswered(url, &error))?;
        let status = response.status().as_u16();
        if matches!(status, 200 | 201) {
            let text = response.body_mut().read_to_string().unwrap_or_default();
            return match serde_json::from_str::<Receipt>(&text) {
                Ok(receipt) if receipt.body_sha256 == *expected => {
                    Ok(if status == 201 { Stored::Created } else { Stored::AlreadyExists })
                }
                Ok(receipt) => Err(Refusal::Temporary(
                    format!(
                        "{url} acknowledged a different report: digest {}, expected {expected}",
                        receipt.body_sha256
                    ),
                    None,
                )),
                Err(_) => Err(Refusal::Temporary(
                    format!("no receipt in the response from {url} (status {status})"),
                    None,
                )),
            };
        }
        let refused = Refused::read(url, &mut response);
        // The id of an import is derived from its files, commit and machine. The rest can differ, such as the date or the branch: the server keeps the first.
        if matches!(what, UploadKind::Import(_)) && refused.code == "run-conflict" {
            return Ok(Stored::AlreadyExists);
        }
        Err(refused.into())
    }
}

fn compress(report: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(report)?;
    encoder.finish()
}
