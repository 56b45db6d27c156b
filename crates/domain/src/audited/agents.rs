//! Agents and their enrolment codes.

use super::{commit, create_token, labels};
use crate::access::Caller;
use crate::error::{DomainError, Kind};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::access::secret::SecretKind;
use roundtrip_storage::access::{Binding, ManagedToken, Scope, Secret, TokenKind, owner};
use roundtrip_storage::agent::{self, Admitted, AgentSummary, Renewing};
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::machine;
use roundtrip_storage::token::{self, NewToken};
use roundtrip_wire::{Machine, Slug};
use serde::Deserialize;
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

const CODE_LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// The lifetime of an agent's token. The agent renews it after half of that time; after a longer absence its
/// key is sufficient.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::days(14);
const SCOPES: [Scope; 2] = [Scope::IngestWrite, Scope::JobsClaim];

/// A secret and its expiry.
#[derive(Clone, Debug)]
pub struct Valid {
    /// The secret.
    pub secret: Secret,
    /// The expiry.
    pub expires_at: DateTime<Utc>,
}

/// A newly enrolled agent.
#[derive(Clone, Debug)]
pub struct NewAgent {
    /// Its number.
    pub agent_id: i64,
    /// The only project that it works for.
    pub project: Option<String>,
    /// Its token.
    pub token: Valid,
}

/// A change. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentChange {
    /// Whether the agent gets jobs. A disabled agent finishes its current job.
    pub is_enabled: Option<bool>,
    /// The labels.
    #[schema(max_items = 20)]
    pub labels: Option<Vec<Slug>>,
}

/// Creates an enrolment code, restricted to a project, a machine and labels. Without a caller, the operator of the
/// server creates it.
///
/// # Errors
/// The caller may not manage agents of this project.
pub async fn create_enrolment(
    pool: &PgPool,
    caller: Option<&Caller>,
    by: &By,
    (project, machine): (Option<&str>, Option<&str>),
    labels: &[String],
) -> Result<Valid, DomainError> {
    let mut transaction = pool.begin().await?;
    if let Some(caller) = caller {
        check_manage(&mut transaction, caller, project).await?;
    }
    let secret = Secret::draw(SecretKind::Enrolment);
    let admitted = Admitted {
        project: project.map(str::to_owned),
        machine: machine.map(str::to_owned),
        labels: labels.to_vec(),
        created_by: by.actor.clone(),
    };
    let expires_at = Utc::now() + CODE_LIFETIME;
    let enrolment_id =
        agent::create_enrolment(&mut transaction, &admitted, &secret.digest(), expires_at).await?;
    let details = json!({"project": project, "machine": machine, "labels": labels});
    commit(transaction, by, Action::EnrolmentCreate, ("enrolment", enrolment_id), details).await?;
    Ok(Valid { secret, expires_at })
}

/// Enrols an agent that has a code, with its public key.
///
/// # Errors
/// The code is invalid, or the machine already has an agent, which the code does not replace.
pub async fn enrol_agent(
    pool: &PgPool,
    code: &str,
    machine: &Machine,
    public_key: &[u8],
) -> Result<NewAgent, DomainError> {
    let mut transaction = pool.begin().await?;
    let admitted = admitted(&mut transaction, code, machine).await?;
    let machine_id = machine::upsert(&mut transaction, machine).await?;
    if let Some((agent_id, project)) = agent::of_machine(&mut transaction, machine_id).await? {
        // Maintainers replace the agents of their project, administrators all.
        let may_replace = admitted.project.is_none() || admitted.project == project;
        if admitted.machine.is_none() || !may_replace {
            return Err(DomainError::Taken(format!(
                "the machine {} already has an agent: use another name, or replace the agent with a code for this \
                 machine, from a maintainer of the agent's project or an administrator",
                machine.slug
            )));
        }
        agent::revoke(&mut transaction, agent_id).await?;
    }
    let (token_id, token) = issue(&mut transaction, &admitted, machine).await?;
    let place = (machine_id, machine);
    let agent_id = agent::create(&mut transaction, place, &admitted, public_key, token_id).await?;
    let details = json!({
        "machine": machine.slug, "project": admitted.project, "labels": admitted.labels, "code_by": admitted.created_by,
    });
    commit(transaction, &By::server(), Action::AgentEnrol, ("agent", agent_id), details).await?;
    Ok(NewAgent { agent_id, project: admitted.project, token })
}

/// Issues a new token to an agent that proves its identity with its key. None if there is no such agent, or if
/// `is_proven` rejects it. The previous secret stays valid for an hour.
pub async fn renew_token(
    pool: &PgPool,
    agent_id: i64,
    is_proven: impl FnOnce(&Renewing) -> bool,
) -> Result<Option<Valid>, DomainError> {
    let mut transaction = pool.begin().await?;
    let Some(renewing) = agent::renewing(&mut transaction, agent_id).await?.filter(is_proven) else {
        return Ok(None);
    };
    let expires_at = Utc::now() + TOKEN_LIFETIME;
    let (kind, overlap) = (TokenKind::Agent, TimeDelta::hours(1));
    let issued = token::rotate(&mut transaction, renewing.token_id, kind, Some(expires_at), overlap).await?;
    transaction.commit().await?;
    Ok(Some(Valid { secret: issued.secret, expires_at }))
}

/// Enables or disables an agent, or changes its labels. Returns its new state.
///
/// # Errors
/// The caller may not manage it.
pub async fn change_agent(
    pool: &PgPool,
    caller: &Caller,
    by: &By,
    agent_id: i64,
    change: &AgentChange,
) -> Result<AgentSummary, DomainError> {
    let (is_enabled, labels) = (change.is_enabled, change.labels.as_deref().map(labels).transpose()?);
    let mut transaction = pool.begin().await?;
    let before = managed(&mut transaction, caller, agent_id).await?;
    agent::change(&mut transaction, agent_id, is_enabled, labels.as_deref()).await?;
    let details = json!({
        "machine": before.machine,
        "is_enabled": {"from": before.is_enabled, "to": is_enabled.unwrap_or(before.is_enabled)},
        "labels": {"from": before.labels, "to": labels.as_ref().unwrap_or(&before.labels)},
    });
    let after = agent::find(&mut transaction, agent_id).await?;
    let after = after.ok_or_else(|| DomainError::unknown(Kind::Agent, agent_id))?;
    commit(transaction, by, Action::AgentChange, ("agent", agent_id), details).await?;
    Ok(after)
}

/// Removes an agent: revokes its token. The machine needs a new code to enrol again.
///
/// # Errors
/// The caller may not manage it.
pub async fn revoke_agent(pool: &PgPool, caller: &Caller, by: &By, agent_id: i64) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let found = managed(&mut transaction, caller, agent_id).await?;
    agent::revoke(&mut transaction, agent_id).await?;
    let details = json!({"machine": found.machine});
    Ok(commit(transaction, by, Action::AgentRevoke, ("agent", agent_id), details).await?)
}

/// Redeems a code that is valid for this machine.
async fn admitted(
    connection: &mut PgConnection,
    code: &str,
    machine: &Machine,
) -> Result<Admitted, DomainError> {
    const INVALID: DomainError = DomainError::Unauthenticated(
        "the code is unknown, used or older than ten minutes: create another one",
    );
    let code = Secret::parse(code.trim()).filter(|code| code.kind() == SecretKind::Enrolment);
    let code = code.ok_or(INVALID)?;
    let admitted = agent::use_enrolment(connection, &code.digest()).await?.ok_or(INVALID)?;
    match &admitted.machine {
        Some(bound) if bound != machine.slug.as_str() => Err(DomainError::parameter(
            "machine",
            format!("the code is for the machine {bound}, not {}", machine.slug),
        )),
        _ => Ok(admitted),
    }
}

async fn issue(
    connection: &mut PgConnection,
    admitted: &Admitted,
    machine: &Machine,
) -> sqlx::Result<(i64, Valid)> {
    let binding = Binding { project: admitted.project.clone(), machine: Some(machine.slug.to_string()) };
    let expires_at = Utc::now() + TOKEN_LIFETIME;
    let new = NewToken {
        name: machine.slug.as_str(),
        kind: TokenKind::Agent,
        account_id: None,
        scopes: &SCOPES,
        binding: &binding,
        expires_at: Some(expires_at),
    };
    let issued = create_token(connection, &By::server(), &new).await?;
    Ok((issued.token_id, Valid { secret: issued.secret, expires_at }))
}

/// An agent that the caller may manage. A hidden one is reported as not found.
async fn managed(
    connection: &mut PgConnection,
    caller: &Caller,
    agent_id: i64,
) -> Result<AgentSummary, DomainError> {
    caller.check_known()?;
    let unknown = || DomainError::unknown(Kind::Agent, agent_id);
    let found = agent::find(&mut *connection, agent_id).await?.ok_or_else(unknown)?;
    match check_manage(connection, caller, found.project.as_deref()).await {
        Err(DomainError::Unknown { .. }) => Err(unknown()),
        checked => checked.map(|()| found),
    }
}

async fn check_manage(
    connection: &mut PgConnection,
    caller: &Caller,
    project: Option<&str>,
) -> Result<(), DomainError> {
    let visibility = match project {
        Some(project) => owner::project(connection, project).await?.map(|found| found.visibility),
        None => None,
    };
    let managed =
        ManagedToken { kind: TokenKind::Agent, account_id: None, scopes: &SCOPES, project, visibility };
    let unknown = project.unwrap_or_default();
    caller.check_issue(&managed).map_err(|refusal| DomainError::refused(refusal, Kind::Project, unknown))
}
