//! `roundtrip exchange`: exchanges the identity token of a GitHub Actions job for a token of a server.

use super::is_github_actions;
use crate::cli::ExchangeArguments;
use crate::failure::Failure;
use crate::http::{self, Refusal, Refused};
use crate::upload::{self, TIMEOUT};
use crate::{output, spool};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use ureq::http::Uri;

/// The variables with the URL and the credential for the identity token. They are set if the workflow has the
/// permission.
const REQUEST_URL: &str = "ACTIONS_ID_TOKEN_REQUEST_URL";
const REQUEST_TOKEN: &str = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";

#[derive(Deserialize)]
struct Identity {
    value: String,
}

#[derive(Serialize)]
struct Request<'a> {
    token: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a Slug>,
}

#[derive(Deserialize)]
struct Exchanged {
    token: String,
    project: String,
    expires_at: chrono::DateTime<chrono::Utc>,
}

pub(crate) fn exchange(arguments: &ExchangeArguments) -> crate::Result<()> {
    let server = arguments.server().trim_end_matches('/');
    upload::check_address(server)?;
    let audience = arguments.audience.as_deref().unwrap_or(server);
    let identity = identity(audience)?;
    let Exchanged { token, project, expires_at } = ask(server, &identity, arguments.project.as_ref())?;
    if is_github_actions() {
        // Masks the token in the job's log from here on.
        output::print(&format!("::add-mask::{token}"))?;
    }
    spool::write_private(&arguments.output, format!("{token}\n").as_bytes())?;
    eprintln!("Token for {project}, valid until {expires_at}: {}", arguments.output.display());
    Ok(())
}

fn identity(audience: &str) -> crate::Result<String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (Some(url), Some(secret)) = (variable(REQUEST_URL), variable(REQUEST_TOKEN)) else {
        return Err(Failure::Authentication(format!(
            "{REQUEST_URL} is not set, so this job cannot get an OIDC token. Give it `permissions: \
                id-token: write` (not available to pull requests from forks)."
        )));
    };
    url.parse::<Uri>().map_err(|error| Failure::Usage(format!("invalid URL in {REQUEST_URL}: {error}")))?;
    let request = http::agent(TIMEOUT).get(&url).query("audience", audience);
    let request = request.header("authorization", format!("Bearer {secret}"));
    let mut answer = request
        .call()
        .map_err(|error| Failure::Other(format!("cannot get the job's OIDC token from GitHub: {error}")))?;
    let status = answer.status().as_u16();
    let text = answer.body_mut().read_to_string().unwrap_or_default();
    let identity = serde_json::from_str::<Identity>(&text).ok().filter(|_| status == 200);
    let identity = identity.ok_or_else(|| {
        Failure::Authentication(format!("GitHub refused an OIDC token for this job: status {status}"))
    })?;
    Ok(identity.value)
}

fn ask(server: &str, identity: &str, project: Option<&Slug>) -> crate::Result<Exchanged> {
    let url = format!("{server}/api/v1/oidc/exchange");
    let mut answer = http::post(&url, TIMEOUT, None, &Request { token: identity, project })?;
    if answer.status() != 201 {
        return Err(Refusal::from(Refused::read(&url, &mut answer)).into());
    }
    http::parse(&url, &mut answer).map_err(|_| {
        Failure::Other(format!("no token in the response from {url}. Is it a Roundtrip server?"))
    })
}
