//! Tests the connection to a server: readiness, encryption, clocks, versions and the token's permissions.

use crate::cli::TokenArguments;
use crate::format::counted;
use crate::http;
use crate::upload::{self, Session, UPLOADS};
use chrono::{DateTime, Utc};
use roundtrip_bench::doctor::{Finding, State};
use serde_json::Value;
use std::time::{Duration, Instant};
use ureq::http::Uri;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Larger clock differences are reported; the duration of the request is allowed on top.
const CLOCK_OFF_SECONDS: i64 = 5;

#[derive(Debug, Default)]
struct Evidence {
    url: String,
    /// The status of `/readyz` and its duration, or the error.
    ready: Option<Result<(u16, Duration), String>>,
    /// How far its clock is ahead, in seconds.
    clock_ahead_seconds: Option<i64>,
    version: Option<String>,
    /// The permissions of the token, or why it was rejected; `None` without a token.
    session: Option<Result<Session, String>>,
}

pub(super) fn examine(url: &str, token: &TokenArguments) -> crate::Result<Vec<Finding>> {
    upload::check_address(url)?;
    let token = token.token_file.as_deref().map(upload::token_in).transpose()?;
    Ok(findings(&ask(url.trim_end_matches('/'), token.as_deref())))
}

fn ask(url: &str, token: Option<&str>) -> Evidence {
    let agent = http::agent(TIMEOUT);
    let mut evidence = Evidence { url: url.to_owned(), ..Evidence::default() };
    let begun = Instant::now();
    let ready = match agent.get(format!("{url}/readyz")).call() {
        Ok(answer) => {
            evidence.clock_ahead_seconds = answer
                .headers()
                .get("date")
                .and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok())
                .map(|date| (date.to_utc() - Utc::now()).num_seconds());
            Ok((answer.status().as_u16(), begun.elapsed()))
        }
        Err(error) => Err(error.to_string()),
    };
    let answers = ready.is_ok();
    evidence.ready = Some(ready);
    if answers {
        let document = agent.get(format!("{url}/api/v1/openapi.json")).call();
        let document: Value = http::answer(url, document).unwrap_or_default();
        evidence.version = document["info"]["version"].as_str().map(str::to_owned);
        evidence.session =
            token.map(|token| Session::ask(&agent, url, token).map_err(|refusal| refusal.to_string()));
    }
    evidence
}

fn findings(evidence: &Evidence) -> Vec<Finding> {
    [answers(evidence), encryption(evidence), clock(evidence), version(evidence), token(evidence)]
        .into_iter()
        .flatten()
        .collect()
}

fn finding(slug: &'static str, why: &'static str, found: String, fix: Option<&str>) -> Finding {
    let state = if fix.is_some() { State::Limiting } else { State::Fine };
    Finding { slug, topic: "server", state, found, why, fix: fix.map(str::to_owned) }
}

fn answers(evidence: &Evidence) -> Option<Finding> {
    let why = "Reports that cannot be uploaded are kept on this machine and sent later.";
    let (found, fix) = match evidence.ready.as_ref()? {
        Ok((200, took)) => (format!("{} is ready, answered in {} ms", evidence.url, took.as_millis()), None),
        Ok((503, _)) => (
            format!("{} is not ready", evidence.url),
            Some("check the server's log: it is waiting for its database, or stopping"),
        ),
        Ok((status, _)) => (
            format!("{}/readyz returned {status}", evidence.url),
            Some("check that this is a Roundtrip server, and that a proxy forwards all paths"),
        ),
        Err(error) if error.contains("certificate") => (
            format!("{} has an untrusted certificate: {error}", evidence.url),
            Some("trust the certificate of its authority: export SSL_CERT_FILE=authority.pem"),
        ),
        Err(error) => (
            format!("no response from {}: {error}", evidence.url),
            Some("check that it runs (roundtrip-server serve) and that no firewall blocks it"),
        ),
    };
    Some(finding("server", why, found, fix))
}

fn encryption(evidence: &Evidence) -> Option<Finding> {
    let why = "Without HTTPS, anyone on the network can read the token.";
    let uri: Uri = evidence.url.parse().ok()?;
    let host = uri.host()?.trim_matches(['[', ']']).to_owned();
    let is_own =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    Some(match uri.scheme_str() {
        Some("https") => finding("server-https", why, "requests are encrypted".into(), None),
        _ if is_own => finding("server-https", why, "requests stay on this machine".into(), None),
        _ => finding(
            "server-https",
            why,
            format!("requests to {host} are not encrypted"),
            Some("give the server a certificate (serve --tls-certificate), or put an HTTPS proxy in front"),
        ),
    })
}

fn clock(evidence: &Evidence) -> Option<Finding> {
    let why = "Run times and token expiry depend on both clocks.";
    let ahead = evidence.clock_ahead_seconds?;
    let took = evidence.ready.as_ref()?.as_ref().ok()?.1.as_secs();
    if ahead.unsigned_abs() <= CLOCK_OFF_SECONDS.unsigned_abs() + took {
        return Some(finding("server-clock", why, "clocks agree".into(), None));
    }
    let side = if ahead > 0 { "ahead of" } else { "behind" };
    let found = format!("the server's clock is {} s {side} this machine's", ahead.unsigned_abs());
    Some(finding("server-clock", why, found, Some("synchronize both with NTP: timedatectl set-ntp true")))
}

fn version(evidence: &Evidence) -> Option<Finding> {
    let why = "A server accepts reports from its own version and the previous one.";
    let (own, server) = (env!("CARGO_PKG_VERSION"), evidence.version.as_deref()?);
    Some(if own == server {
        finding("server-version", why, format!("both have version {own}"), None)
    } else {
        let found = format!("the server has version {server}, this program {own}");
        finding("server-version", why, found, Some("update the older one; the server first"))
    })
}

fn token(evidence: &Evidence) -> Option<Finding> {
    let why = "Uploads need a token with the permission ingest:write.";
    let slug = "server-token";
    let another = Some("roundtrip-server token create --name THIS-MACHINE");
    Some(match evidence.session.as_ref()? {
        Err(refused) => finding(slug, why, refused.clone(), another),
        Ok(Session { scopes, project }) => {
            let project =
                project.as_ref().map_or_else(|| "any project".into(), |slug| format!("the project {slug}"));
            let found = format!("valid for {project}, permissions: {}", scopes.join(", "));
            let is_enough = scopes.iter().any(|scope| scope == UPLOADS);
            finding(slug, why, found, if is_enough { None } else { another })
        }
    })
}

pub(super) fn summary(findings: &[Finding]) -> String {
    match findings.iter().filter(|finding| finding.state == State::Limiting).count() {
        0 => "Connection OK.".into(),
        problems => format!("{} found.", counted(problems, "connection problem")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        Evidence {
            url: "https://ipc.example.org".into(),
            ready: Some(Ok((200, Duration::from_millis(12)))),
            clock_ahead_seconds: Some(-1),
            version: Some(env!("CARGO_PKG_VERSION").into()),
            session: Some(Ok(Session { scopes: vec![UPLOADS.into()], project: None })),
        }
    }

    fn problems(evidence: &Evidence) -> Vec<&'static str> {
        let findings = findings(evidence).into_iter();
        findings.filter(|finding| finding.state == State::Limiting).map(|finding| finding.slug).collect()
    }

    #[test]
    fn healthy_server_has_no_problems() {
        assert_eq!(problems(&evidence()), [""; 0]);
        assert_eq!(summary(&findings(&evidence())), "Connection OK.");
    }

    #[test]
    fn reports_each_problem_with_its_fix() {
        let problems_with = |change: fn(&mut Evidence)| {
            let mut evidence = evidence();
            change(&mut evidence);
            problems(&evidence)
        };
        assert_eq!(problems_with(|evidence| evidence.ready = Some(Ok((503, Duration::ZERO)))), ["server"]);
        assert_eq!(problems_with(|evidence| evidence.url = "http://10.0.0.7:7979".into()), ["server-https"]);
        assert_eq!(problems_with(|evidence| evidence.url = "http://[::1]:7979".into()), [""; 0]);
        assert_eq!(problems_with(|evidence| evidence.clock_ahead_seconds = Some(60)), ["server-clock"]);
        assert_eq!(problems_with(|evidence| evidence.version = Some("0.0.9".into())), ["server-version"]);
        assert_eq!(
            problems_with(|evidence| evidence.session = Some(Err("refused".into()))),
            ["server-token"]
        );
        let reads_only = || Session { scopes: vec!["read".into()], project: Some("libfoo".into()) };
        let mut evidence = evidence();
        evidence.session = Some(Ok(reads_only()));
        assert_eq!(problems(&evidence), ["server-token"]);
    }
}
