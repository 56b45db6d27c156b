//! Requests of an agent to its server: enrolment, new tokens, jobs.

use super::identity::Identity;
use crate::http::{self, Refusal, Refused};
use crate::upload;
use roundtrip_wire::lab::{
    AgentStatus, AgentToken, Assignment, Challenge, Claim, Enrolled, Enrolment, Finish, Heartbeat, Lease,
    Prolonged, Renewal,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::time::Duration;
use ureq::Body;

/// The longest time that the server delays an answer if there is no job.
const WAIT_SECONDS: u32 = 20;
/// When the server counts as unreachable: 15 seconds after the latest answer that it may delay.
const TIMEOUT: Duration = Duration::from_secs(WAIT_SECONDS as u64 + 15);

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error("the lease of the job was lost")]
    LeaseLost,
    /// The server no longer supports this version.
    #[error("{0}")]
    TooOld(String),
    #[error(transparent)]
    Refused(#[from] Refusal),
}

#[derive(Clone, Debug)]
pub(crate) struct Server {
    url: String,
    token_file: PathBuf,
}

impl Server {
    pub(crate) fn new(identity: &Identity) -> Self {
        let url = identity.enrolled.server.trim_end_matches('/').to_owned();
        Self { url, token_file: identity.token_file() }
    }

    pub(crate) fn claim(&self, status: AgentStatus) -> Result<Option<Assignment>, ServerError> {
        self.ask("/api/v1/lab/claim", &Claim { status, wait_seconds: WAIT_SECONDS })
    }

    pub(crate) fn heartbeat(&self, lease: Lease) -> Result<(), ServerError> {
        let path = format!("/api/v1/lab/jobs/{}/heartbeat", lease.job_id);
        self.ask::<Prolonged>(&path, &Heartbeat { fence: lease.fence }).map(drop)
    }

    pub(crate) fn finish(&self, job_id: i64, finish: &Finish) -> Result<(), ServerError> {
        self.ask::<()>(&format!("/api/v1/lab/jobs/{job_id}/finish"), finish).map(|_| ())
    }

    /// Downloads a release file from the server within the timeout; `None` if it does not exist.
    pub(crate) fn release(&self, name: &str, timeout: Duration) -> Result<Option<Body>, ServerError> {
        let url = format!("{}/api/v1/lab/releases/{name}", self.url);
        let token = self.token()?;
        let request = http::agent(timeout).get(&url).header("authorization", format!("Bearer {token}"));
        let mut response = request.call().map_err(|error| http::unanswered(&url, &error))?;
        match response.status().as_u16() {
            200 => Ok(Some(response.into_body())),
            404 => Ok(None),
            _ => Err(ServerError::Refused(Refused::read(&url, &mut response).into())),
        }
    }

    /// Read for each request, because it is renewed.
    fn token(&self) -> Result<String, ServerError> {
        Ok(upload::token_in(&self.token_file).map_err(|failure| Refusal::Token(failure.to_string()))?)
    }

    /// Sends a request with the agent's token. `None` if the response has no content.
    fn ask<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<Option<A>, ServerError> {
        let url = format!("{}{path}", self.url);
        let mut response = http::post(&url, TIMEOUT, Some(&self.token()?), body)?;
        match response.status().as_u16() {
            204 => Ok(None),
            200 | 201 => Ok(Some(http::parse(&url, &mut response)?)),
            _ => {
                let refused = Refused::read(&url, &mut response);
                Err(match refused.code.as_str() {
                    "lease-lost" => ServerError::LeaseLost,
                    "agent-too-old" => ServerError::TooOld(refused.message),
                    _ => ServerError::Refused(refused.into()),
                })
            }
        }
    }
}

pub(crate) fn enrol(server: &str, enrolment: &Enrolment) -> Result<Enrolled, Refusal> {
    let url = format!("{}/api/v1/agents", server.trim_end_matches('/'));
    http::read(&url, http::post(&url, TIMEOUT, None, enrolment)?)
}

pub(crate) fn renew(identity: &Identity) -> Result<AgentToken, Refusal> {
    let server = identity.enrolled.server.trim_end_matches('/');
    let url = format!("{server}/api/v1/agents/{}", identity.enrolled.agent_id);
    let challenge = format!("{url}/challenge");
    let asked: Challenge = http::read(&challenge, http::post(&challenge, TIMEOUT, None, &())?)?;
    let signature = identity.sign(&asked.challenge).map_err(|failure| Refusal::Final(failure.to_string()))?;
    let token = format!("{url}/token");
    http::read(&token, http::post(&token, TIMEOUT, None, &Renewal { signature })?)
}
