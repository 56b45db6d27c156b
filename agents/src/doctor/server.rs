//! How this machine and a server get on: whether it answers and is ready, whether anybody listens in, whether both clocks and
//! versions agree, and what a token is good for there.

use crate::cli::TokenArguments;
use crate::http;
use crate::upload;
use chrono::{DateTime, Utc};
use roundtrip_bench::doctor::{Finding, State};
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};
use ureq::http::Uri;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Clocks further apart than this, and than the answer took, are told.
const CLOCK_OFF_SECONDS: i64 = 5;
const UPLOADS: &str = "ingest:write";

#[derive(Debug, Default)]
struct Evidence {
    url: String,
    /// The status of `/readyz` and how long it took; or why there is none.
    ready: Option<Result<(u16, Duration), String>>,
    /// By how many seconds its clock is ahead.
    clock_ahead_seconds: Option<i64>,
    version: Option<String>,
    /// What the token is good for, or how it was refused; none without a token.
    session: Option<Result<Session, String>>,
}

#[derive(Debug, Deserialize)]
struct Session {
    scopes: Vec<String>,
    project: Option<String>,
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
        evidence.session = token.map(|token| session(&agent, url, token));
    }
    evidence
}

fn session(agent: &ureq::Agent, url: &str, token: &str) -> Result<Session, String> {
    let url = format!("{url}/api/v1/session");
    let request = agent.get(&url).header("authorization", format!("Bearer {token}"));
    http::answer(&url, request.call()).map_err(|refusal| refusal.to_string())
}

fn findings(evidence: &Evidence) -> Vec<Finding> {
    [answers(evidence), secrecy(evidence), clock(evidence), version(evidence), token(evidence)]
        .into_iter()
        .flatten()
        .collect()
}

fn finding(slug: &'static str, why: &'static str, found: String, mend: Option<&str>) -> Finding {
    let state = if mend.is_some() { State::Limiting } else { State::Fine };
    Finding { slug, topic: "server", state, found, why, mend: mend.map(str::to_owned) }
}

fn answers(evidence: &Evidence) -> Option<Finding> {
    let why = "Reports that cannot be uploaded are kept on this machine, and sent later.";
    let (found, mend) = match evidence.ready.as_ref()? {
        Ok((200, took)) => (format!("{} is ready, after {} ms", evidence.url, took.as_millis()), None),
        Ok((503, _)) => (
            format!("{} answers, and is not ready", evidence.url),
            Some("look at the server's log: it waits for its database, or is about to stop"),
        ),
        Ok((status, _)) => (
            format!("{} answers {status} to /readyz", evidence.url),
            Some("is it a Roundtrip server, and does a proxy pass all of it on?"),
        ),
        Err(error) if error.contains("certificate") => (
            format!("{} is not believed: {error}", evidence.url),
            Some("name the certificate of who signed it: export SSL_CERT_FILE=authority.pem"),
        ),
        Err(error) => (
            format!("{} does not answer: {error}", evidence.url),
            Some("is it running (roundtrip-server serve), and may this machine reach it?"),
        ),
    };
    Some(finding("server", why, found, mend))
}

fn secrecy(evidence: &Evidence) -> Option<Finding> {
    let why = "A token that travels in the clear is anybody's who listens.";
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
            format!("requests to {host} travel in the clear"),
            Some("give the server a certificate (serve --tls-certificate), or a proxy that speaks HTTPS"),
        ),
    })
}

fn clock(evidence: &Evidence) -> Option<Finding> {
    let why = "Times of runs, and when tokens end, are told by both clocks.";
    let ahead = evidence.clock_ahead_seconds?;
    let took = evidence.ready.as_ref()?.as_ref().ok()?.1.as_secs();
    if ahead.unsigned_abs() <= CLOCK_OFF_SECONDS.unsigned_abs() + took {
        return Some(finding("server-clock", why, "both clocks agree".into(), None));
    }
    let side = if ahead > 0 { "ahead of" } else { "behind" };
    let found = format!("its clock is {} s {side} this machine's", ahead.unsigned_abs());
    Some(finding("server-clock", why, found, Some("let both keep time by NTP: timedatectl set-ntp true")))
}

fn version(evidence: &Evidence) -> Option<Finding> {
    let why = "A server takes reports of agents of its own version and of the one before.";
    let (own, server) = (env!("CARGO_PKG_VERSION"), evidence.version.as_deref()?);
    Some(if own == server {
        finding("server-version", why, format!("both are {own}"), None)
    } else {
        let found = format!("the server is {server}, this is {own}");
        finding("server-version", why, found, Some("bring the older one up to date; the server first"))
    })
}

fn token(evidence: &Evidence) -> Option<Finding> {
    let why = "Uploads need a token with the scope ingest:write.";
    let slug = "server-token";
    let another = Some("roundtrip-server token create --name THIS-MACHINE");
    Some(match evidence.session.as_ref()? {
        Err(refused) => finding(slug, why, refused.clone(), another),
        Ok(Session { scopes, project }) => {
            let project =
                project.as_ref().map_or_else(|| "any project".into(), |slug| format!("the project {slug}"));
            let found = format!("it is good for {project}, with the scopes {}", scopes.join(", "));
            let is_enough = scopes.iter().any(|scope| scope == UPLOADS);
            finding(slug, why, found, if is_enough { None } else { another })
        }
    })
}

pub(super) fn summary(findings: &[Finding]) -> String {
    match findings.iter().filter(|finding| finding.state == State::Limiting).count() {
        0 => "This machine and the server get on.".into(),
        1 => "1 thing stands between this machine and the server.".into(),
        count => format!("{count} things stand between this machine and the server."),
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

    fn troubles(evidence: &Evidence) -> Vec<&'static str> {
        let findings = findings(evidence).into_iter();
        findings.filter(|finding| finding.state == State::Limiting).map(|finding| finding.slug).collect()
    }

    #[test]
    fn a_server_with_which_all_is_well_has_no_trouble() {
        assert_eq!(troubles(&evidence()), [""; 0]);
        assert_eq!(summary(&findings(&evidence())), "This machine and the server get on.");
    }

    #[test]
    fn each_trouble_is_told_with_what_mends_it() {
        let of = |change: fn(&mut Evidence)| {
            let mut evidence = evidence();
            change(&mut evidence);
            troubles(&evidence)
        };
        assert_eq!(of(|evidence| evidence.ready = Some(Ok((503, Duration::ZERO)))), ["server"]);
        assert_eq!(of(|evidence| evidence.url = "http://10.0.0.7:7979".into()), ["server-https"]);
        assert_eq!(of(|evidence| evidence.url = "http://[::1]:7979".into()), [""; 0]);
        assert_eq!(of(|evidence| evidence.clock_ahead_seconds = Some(60)), ["server-clock"]);
        assert_eq!(of(|evidence| evidence.version = Some("0.0.9".into())), ["server-version"]);
        assert_eq!(of(|evidence| evidence.session = Some(Err("refused".into()))), ["server-token"]);
        let reads_only = || Session { scopes: vec!["read".into()], project: Some("libfoo".into()) };
        let mut evidence = evidence();
        evidence.session = Some(Ok(reads_only()));
        assert_eq!(troubles(&evidence), ["server-token"]);
    }
}
