//! The API for agents: enrolment, tokens, claims, heartbeats and results. Messages are defined in
//! [`roundtrip_wire::lab`].

use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Agent, Caller, Json as Body, Path};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use ring::hmac;
use ring::signature::{ED25519, UnparsedPublicKey};
use roundtrip_domain::audited::agents::{self, Valid};
use roundtrip_domain::error::DomainError;
use roundtrip_storage as db;
use roundtrip_storage::agent::Renewing;
use roundtrip_storage::job::lease::{self, End, Taken};
use roundtrip_wire::lab::{
    AgentToken, Assignment, Challenge, Claim, Enrolled, Enrolment, Finish, Heartbeat, JobOutcome, PROTOCOLS,
    Prolonged, RENEWAL_CONTEXT, Renewal, common, last_part,
};
use roundtrip_wire::{CommitSha, Slug};
use serde::Deserialize;
use std::time::Duration;

/// A challenge can be signed for at least this long, and at most twice as long.
const CHALLENGE_LIFETIME: TimeDelta = TimeDelta::minutes(1);
const KEY_BYTES: usize = 32;

/// An agent in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AgentPath {
    /// The agent's number.
    pub agent_id: i64,
}

/// A job in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct LeasedPath {
    /// The job's number.
    pub job_id: i64,
}

/// Enrols an agent with a code.
#[utoipa::path(post, path = "/api/v1/agents", tag = "lab", request_body = Enrolment, responses(
    (status = 201, description = "The agent is enrolled and has a token", body = Enrolled),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 401, description = "`unauthenticated`: the code is not valid"),
    (status = 409, description = "`taken`: the machine already has an agent"),
))]
pub(crate) async fn enrol(
    State(state): State<AppState>,
    caller: Caller,
    Body(enrolment): Body<Enrolment>,
) -> Result<impl IntoResponse, ApiError> {
    state.auth.limits.check_failures(caller.client())?;
    let Enrolment { code, machine, public_key } = enrolment;
    let public_key = parse_key(&public_key)?;
    let new = agents::enrol_agent(&state.pool, &code, &machine, &public_key).await;
    let new = new.map_err(|error| match error {
        DomainError::Unauthenticated(why) => state.auth.limits.failed(caller.client(), why),
        error => error.into(),
    })?;
    let project = new.project.as_deref().map(Slug::parse).transpose().map_err(ApiError::internal)?;
    let answer = Enrolled { agent_id: new.agent_id, project, token: agent_token(&new.token) };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(answer)))
}

fn agent_token(token: &Valid) -> AgentToken {
    AgentToken { secret: token.secret.expose().to_owned(), expires_at: token.expires_at }
}

/// Creates a challenge for an agent to sign.
#[utoipa::path(post, path = "/api/v1/agents/{agent_id}/challenge", tag = "lab", params(AgentPath), responses(
    (status = 200, description = "The challenge", body = Challenge),
))]
pub(crate) async fn challenge(
    State(state): State<AppState>,
    Path(path): Path<AgentPath>,
) -> Result<impl IntoResponse, ApiError> {
    let key = db::agent::challenge_key(&state.pool, path.agent_id).await?.unwrap_or_default();
    let challenge = challenge_at(&key, path.agent_id, Utc::now());
    let answer = Challenge { challenge: BASE64_STANDARD.encode(challenge) };
    Ok(([(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// Exchanges a signed challenge for a new token. The old secret stays valid for an hour.
#[utoipa::path(post, path = "/api/v1/agents/{agent_id}/token", tag = "lab", params(AgentPath),
    request_body = Renewal, responses(
    (status = 200, description = "The token", body = AgentToken),
    (status = 401, description = "`unauthenticated`: the signature is not the agent's"),
))]
pub(crate) async fn renew(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AgentPath>,
    Body(renewal): Body<Renewal>,
) -> Result<impl IntoResponse, ApiError> {
    state.auth.limits.check_failures(caller.client())?;
    let signature = BASE64_STANDARD.decode(&renewal.signature).unwrap_or_default();
    let now = Utc::now();
    let is_signed = |agent: &Renewing| {
        let key = UnparsedPublicKey::new(&ED25519, &agent.public_key);
        // The challenge may be from the lifetime before.
        [now, now - CHALLENGE_LIFETIME].into_iter().any(|at| {
            let challenge = challenge_at(&agent.secret_sha256, path.agent_id, at);
            key.verify(&[RENEWAL_CONTEXT, &challenge].concat(), &signature).is_ok()
        })
    };
    let token = agents::renew_token(&state.pool, path.agent_id, is_signed).await?.ok_or_else(|| {
        let why = "invalid signature: request a challenge and sign it with the agent's key, or enrol again";
        state.auth.limits.failed(caller.client(), why)
    })?;
    Ok(([(header::CACHE_CONTROL, no_store())], Json(agent_token(&token))))
}

/// The challenge of an agent at a time. It is computed, not stored, so that requests of others cannot replace it. It
/// changes after [`CHALLENGE_LIFETIME`] and when the agent gets a new token, so that it is valid for one token.
fn challenge_at(secret_sha256: &[u8], agent_id: i64, at: DateTime<Utc>) -> Vec<u8> {
    let period = at.timestamp() / CHALLENGE_LIFETIME.num_seconds();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret_sha256);
    let message = format!("challenge {agent_id} {period}");
    hmac::sign(&key, message.as_bytes()).as_ref().to_vec()
}

/// Claims a job. Waits until there is one.
#[utoipa::path(post, path = "/api/v1/lab/claim", tag = "lab", request_body = Claim,
    security(("token" = ["jobs:claim"])),
    responses(
    (status = 200, description = "A job", body = Assignment),
    (status = 204, description = "No job: repeat the request"),
    (status = 426, description = "`agent-too-old`: no common protocol version"),
))]
pub(crate) async fn claim(
    State(state): State<AppState>,
    Agent(agent): Agent,
    Body(claim): Body<Claim>,
) -> Result<Response, ApiError> {
    let Claim { status, wait_seconds } = claim;
    let theirs = status.protocol_min..=status.protocol_max;
    common(&PROTOCOLS, &theirs).ok_or(ApiError::AgentTooOld { theirs })?;
    db::agent::note(&state.pool, &agent, &status).await?;
    let wait = Duration::from_secs(wait_seconds.into());
    let may_work = agent.is_enabled && status.health.failing.is_empty();
    let taken = if may_work { state.queue.take(agent.agent_id, wait).await? } else { None };
    match taken {
        Some(taken) => Ok(Json(assignment(taken, state.queue.lease())?).into_response()),
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

/// Renews the lease of a running job.
#[utoipa::path(post, path = "/api/v1/lab/jobs/{job_id}/heartbeat", tag = "lab", params(LeasedPath),
    request_body = Heartbeat, security(("token" = ["jobs:claim"])),
    responses(
    (status = 200, description = "The lease is renewed", body = Prolonged),
    (status = 409, description = "`lease-lost`: the agent no longer has the job"),
))]
pub(crate) async fn heartbeat(
    State(state): State<AppState>,
    Agent(agent): Agent,
    Path(path): Path<LeasedPath>,
    Body(heartbeat): Body<Heartbeat>,
) -> Result<Json<Prolonged>, ApiError> {
    let held = (path.job_id, heartbeat.fence);
    let lease = state.queue.lease();
    if lease::prolong(&state.pool, agent.agent_id, held, lease).await? {
        return Ok(Json(Prolonged { lease_seconds: seconds(lease) }));
    }
    Err(DomainError::LeaseLost { job_id: path.job_id }.into())
}

/// Reports the outcome of a job.
#[utoipa::path(post, path = "/api/v1/lab/jobs/{job_id}/finish", tag = "lab", params(LeasedPath),
    request_body = Finish, security(("token" = ["jobs:claim"])),
    responses(
    (status = 204, description = "Recorded"),
    (status = 409, description = "`lease-lost`: another agent has the job, or it is finished"),
))]
pub(crate) async fn finish(
    State(state): State<AppState>,
    Agent(agent): Agent,
    Path(path): Path<LeasedPath>,
    Body(finish): Body<Finish>,
) -> Result<StatusCode, ApiError> {
    let reason = finish.reason.as_deref().map(plain);
    let output = plain(&finish.output);
    let end = End { outcome: finish.outcome, reason: reason.as_deref(), output: &output };
    // It is a single statement, so it needs no transaction.
    let mut connection = state.pool.acquire().await?;
    let held = (path.job_id, finish.fence);
    if !lease::end(&mut connection, agent.agent_id, held, end, Utc::now()).await? {
        return Err(DomainError::LeaseLost { job_id: path.job_id }.into());
    }
    drop(connection);
    match finish.outcome {
        JobOutcome::Released => state.queue.wake(),
        // A paired comparison may decide a suspicion.
        JobOutcome::Done => state.analyst.wake(),
        JobOutcome::Failed => {}
    }
    Ok(StatusCode::NO_CONTENT)
}

/// The end of a text, without NUL, which the database does not accept.
fn plain(text: &str) -> String {
    last_part(text).replace('\0', "\u{fffd}")
}

fn assignment(taken: Taken, lease: Duration) -> Result<Assignment, ApiError> {
    let sha = |text: &str| CommitSha::parse(text).map_err(ApiError::internal);
    Ok(Assignment {
        job_id: taken.job_id,
        fence: taken.fence,
        lease_seconds: seconds(lease),
        project: Slug::parse(&taken.project).map_err(ApiError::internal)?,
        repository_url: taken.repository_url.unwrap_or_default(),
        commit_sha: sha(&taken.commit_sha)?,
        base_sha: taken.base_sha.as_deref().map(sha).transpose()?,
        branch: taken.branch,
        pull_request: taken.pull_request.map(i64::cast_unsigned),
        preset: taken.preset,
        case_sha256: taken.case_digest.map(hex::encode),
    })
}

fn seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_secs()).unwrap_or(u32::MAX)
}

fn parse_key(text: &str) -> Result<Vec<u8>, ApiError> {
    let key = BASE64_STANDARD.decode(text).ok().filter(|key| key.len() == KEY_BYTES);
    key.ok_or_else(|| ApiError::parameter("public_key", "expected the 32 bytes of an Ed25519 key in base64"))
}
