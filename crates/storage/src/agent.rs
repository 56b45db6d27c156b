//! Agents, their enrolment codes and their status.

use super::token::Working;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_wire::Machine;
use roundtrip_wire::lab::AgentStatus;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// The agent that a code enrols.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table enrolment, described there")]
pub struct Admitted {
    /// The only project that the agent works for.
    pub project: Option<String>,
    /// The only machine that the code is valid for.
    pub machine: Option<String>,
    pub labels: Vec<String>,
    pub created_by: String,
}

/// The interval at which the time of an agent's last contact is stored.
const FRESH: TimeDelta = TimeDelta::seconds(10);

/// The agents that can take jobs, for estimates.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table agent, described there")]
pub struct Taker {
    pub machine_id: i64,
    pub project: Option<String>,
    pub labels: Vec<String>,
    pub is_enabled: bool,
}

impl Working {
    /// Whether it sent the same status within the last ten seconds.
    fn is_unchanged(&self, status: &AgentStatus) -> bool {
        Utc::now() - self.last_seen_at < FRESH
            && self.version.as_deref() == Some(status.version.as_str())
            && self.failing == status.health.failing
            && self.suspect == status.health.suspect
            && self.spooled_count == counted(status)
    }
}

fn counted(status: &AgentStatus) -> i32 {
    i32::try_from(status.spooled_count).unwrap_or(i32::MAX)
}

/// An agent. Being online, being enabled and being able to measure are independent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AgentSummary {
    /// Its number.
    pub agent_id: i64,
    /// Its machine.
    #[schema(example = "lab-1")]
    pub machine: String,
    /// The machine's operating system family.
    pub os: String,
    /// The machine's processor architecture.
    pub arch: String,
    /// The only project that it works for; null for any.
    #[schema(required)]
    pub project: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether it had contact within the last 90 seconds.
    pub is_online: bool,
    /// Whether it gets jobs.
    pub is_enabled: bool,
    /// Whether it finishes its job and gets no more.
    pub is_draining: bool,
    /// Why the agent cannot measure. It gets no jobs.
    pub failing: Vec<String>,
    /// Why the agent reports its results as doubtful.
    pub suspect: Vec<String>,
    /// Whether it is measuring.
    pub is_busy: bool,
    /// Its current job, if it is for this project.
    #[schema(required)]
    pub job_id: Option<i64>,
    /// Unsent reports on the machine at the last contact.
    pub spooled_count: i32,
    /// The version of its program.
    #[schema(required)]
    pub version: Option<String>,
    /// When it was enrolled.
    pub enrolled_at: DateTime<Utc>,
    /// When it last had contact.
    pub last_seen_at: DateTime<Utc>,
}

/// Creates a code with this digest.
pub async fn create_enrolment(
    connection: &mut PgConnection,
    admitted: &Admitted,
    code_sha256: &[u8],
    expires_at: DateTime<Utc>,
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        "insert into enrolment (code_sha256, project, machine, labels, created_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, now(), $6)
         returning enrolment_id",
        code_sha256,
        admitted.project,
        admitted.machine,
        &admitted.labels,
        admitted.created_by,
        expires_at,
    )
    .fetch_one(connection)
    .await
}

/// Redeems a code. None if it is unknown, used or expired.
pub async fn use_enrolment(
    connection: &mut PgConnection,
    code_sha256: &[u8],
) -> sqlx::Result<Option<Admitted>> {
    sqlx::query_as!(
        Admitted,
        "update enrolment set used_at = now()
         where code_sha256 = $1 and used_at is null and expires_at > now()
         returning project, machine, labels, created_by",
        code_sha256,
    )
    .fetch_optional(connection)
    .await
}

/// The agent of a machine and the only project that it works for, if the machine has an agent.
pub async fn of_machine(
    connection: &mut PgConnection,
    machine_id: i64,
) -> sqlx::Result<Option<(i64, Option<String>)>> {
    let found = sqlx::query!(
        "select agent_id, project from agent where machine_id = $1 and revoked_at is null",
        machine_id,
    )
    .fetch_optional(connection)
    .await?;
    Ok(found.map(|agent| (agent.agent_id, agent.project)))
}

/// Enrols an agent with the facts of its machine.
pub async fn create(
    connection: &mut PgConnection,
    (machine_id, machine): (i64, &Machine),
    admitted: &Admitted,
    public_key: &[u8],
    token_id: i64,
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        "insert into agent
             (machine_id, os, arch, project, labels, public_key, token_id, is_enabled, enrolled_at, last_seen_at)
         values ($1, $2, $3, $4, $5, $6, $7, true, now(), now())
         returning agent_id",
        machine_id,
        machine.os.as_str(),
        machine.arch.as_str(),
        admitted.project,
        &admitted.labels,
        public_key,
        token_id,
    )
    .fetch_one(connection)
    .await
}

/// Stores an agent's status. The same status within ten seconds is not written again, so the last contact is
/// known to ten seconds.
pub async fn note(pool: &PgPool, agent: &Working, status: &AgentStatus) -> sqlx::Result<()> {
    if agent.is_unchanged(status) {
        return Ok(());
    }
    sqlx::query!(
        "update agent set last_seen_at = now(), version = $2, failing = $3, suspect = $4, spooled_count = $5
         where agent_id = $1",
        agent.agent_id,
        status.version,
        &status.health.failing,
        &status.health.suspect,
        counted(status),
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The digest of an agent's current token secret, from which its challenges are computed. For an agent that does not
/// exist, that of the first agent, so that challenges do not show which agents exist. None without any agent.
pub async fn challenge_key(pool: &PgPool, agent_id: i64) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!(
        "select token.secret_sha256 from agent
         join token on token.token_id = agent.token_id
         where agent.revoked_at is null
         order by agent.agent_id = $1 desc, agent.agent_id
         limit 1",
        agent_id,
    )
    .fetch_optional(pool)
    .await
}

/// The stored data of an agent that requests a new token.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables agent and token, described there")]
pub struct Renewing {
    pub token_id: i64,
    pub public_key: Vec<u8>,
    pub secret_sha256: Vec<u8>,
}

/// An agent that requests a new token; none if it does not exist. Locks its token until the transaction ends.
pub async fn renewing(connection: &mut PgConnection, agent_id: i64) -> sqlx::Result<Option<Renewing>> {
    sqlx::query_as!(
        Renewing,
        "select token.token_id, agent.public_key, token.secret_sha256 from agent
         join token on token.token_id = agent.token_id
         where agent.agent_id = $1 and agent.revoked_at is null
         for update of token",
        agent_id,
    )
    .fetch_optional(connection)
    .await
}

/// A waiting agent has contact every half minute, and a measuring one at least as often. It counts as offline
/// after 90 seconds; a lease is longer.
macro_rules! select_agents {
    ($rest:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            AgentSummary,
            r#"select agent.agent_id, machine.slug as machine, coalesce(agent.os, machine.os) as "os!",
                      coalesce(agent.arch, machine.arch) as "arch!", agent.project, agent.labels,
                      agent.is_enabled, agent.enrolled_at, agent.last_seen_at, agent.version, agent.failing,
                      agent.suspect, agent.spooled_count, work.is_busy as "is_busy!",
                      work.is_busy and not agent.is_enabled as "is_draining!",
                      agent.last_seen_at > now() - interval '90 seconds' as "is_online!",
                      (select job.job_id from job
                       where job.agent_id = agent.agent_id and job.status = 'running' and job.project_id = $1
                       limit 1) as "job_id?"
               from agent
               cross join lateral (
                   select exists (
                       select from job where job.agent_id = agent.agent_id and job.status = 'running'
                   ) as is_busy
               ) as work
               join machine on machine.machine_id = agent.machine_id
               where agent.revoked_at is null and "# + $rest,
            $($argument),+
        )
    };
}

/// The agents that may work for a project, by machine name.
pub async fn of_project(
    pool: &PgPool,
    project_id: i64,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<AgentSummary>> {
    select_agents!(
        "(agent.project is null or agent.project = (select slug from project where project_id = $1))
         and machine.slug > $2
         order by machine.slug
         limit $3",
        project_id,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One agent.
pub async fn find(connection: &mut PgConnection, agent_id: i64) -> sqlx::Result<Option<AgentSummary>> {
    select_agents!("agent.agent_id = $2", None::<i64>, agent_id).fetch_optional(connection).await
}

/// The machines of the agents that may work for a project, have all of these labels, and had contact since
/// then; by name. Includes disabled agents, whose jobs wait.
pub async fn machines_with(
    connection: &mut PgConnection,
    project_id: i64,
    labels: &[String],
    heard_within: TimeDelta,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select agent.machine_id from agent
         join machine on machine.machine_id = agent.machine_id
         where agent.revoked_at is null and $2 <@ agent.labels and agent.last_seen_at > $3
           and (agent.project is null or agent.project = (select slug from project where project_id = $1))
         order by machine.slug",
        project_id,
        labels,
        Utc::now() - heard_within,
    )
    .fetch_all(connection)
    .await
}

/// All enrolled agents.
pub async fn takers(pool: &PgPool) -> sqlx::Result<Vec<Taker>> {
    sqlx::query_as!(
        Taker,
        "select machine_id, project, labels, is_enabled from agent where revoked_at is null"
    )
    .fetch_all(pool)
    .await
}

/// Changes an agent's state and labels.
pub async fn change(
    connection: &mut PgConnection,
    agent_id: i64,
    is_enabled: Option<bool>,
    labels: Option<&[String]>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update agent set is_enabled = coalesce($2, is_enabled), labels = coalesce($3, labels) where agent_id = $1",
        agent_id,
        is_enabled,
        labels,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes an agent and revokes its token. Others take its job when the lease expires.
pub async fn revoke(connection: &mut PgConnection, agent_id: i64) -> sqlx::Result<()> {
    let token_id = sqlx::query_scalar!(
        "update agent set revoked_at = now() where agent_id = $1 returning token_id",
        agent_id,
    )
    .fetch_optional(&mut *connection)
    .await?;
    match token_id {
        Some(token_id) => super::token::revoke(connection, token_id).await,
        None => Ok(()),
    }
}
