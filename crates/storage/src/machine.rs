//! Machines.

use chrono::{DateTime, Utc};
use roundtrip_wire::{Environment, Machine};
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// One machine as one project sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineSummary {
    /// Its name in charts and links.
    #[schema(example = "lab-1")]
    pub machine: String,
    /// Operating system family: `linux`, `macos`, `windows`, `freebsd`. From its agent's enrolment, or else from the
    /// newest upload to this project.
    #[schema(example = "linux")]
    pub os: String,
    /// Processor architecture: `x86-64`, `aarch64`. From the same source.
    #[schema(example = "x86-64")]
    pub arch: String,
    /// Uploads from it to this project.
    pub run_count: i64,
    /// When the newest of them began.
    pub last_run_at: DateTime<Utc>,
    /// The identity of the stable facts of the newest of them: equal if and only if all of them are.
    pub environment_id: i64,
    /// The machine's fingerprint in the newest of them.
    #[schema(value_type = Environment)]
    pub environment: Json<Environment>,
    /// Acknowledged runs that the database has lost, for example after a restore. They are counted over all projects
    /// of the agents that uploaded to this project. Deletion by retention does not count.
    pub lost_run_count: i64,
    /// Why the machine is suspect: it recently caused changes. Alerts from it are held. Null if it is not suspect.
    #[schema(required)]
    pub suspect_because: Option<String>,
    /// Commits among its newest 50 runs at which it switched between two levels that a series had before, for another
    /// reason than the commit.
    pub known_state_changes: i64,
    /// Its key.
    #[serde(skip)]
    pub machine_id: i64,
}

/// The key of a machine's name. Inserts the name if it is new, and changes nothing otherwise: all projects share
/// names, so the facts of a machine are stored with its agent, and for each project that it uploaded to.
pub async fn upsert(connection: &mut PgConnection, machine: &Machine) -> sqlx::Result<i64> {
    let (slug, os, arch) = (machine.slug.as_str(), machine.os.as_str(), machine.arch.as_str());
    sqlx::query!(
        "insert into machine (slug, os, arch)
         select $1, $2, $3
         where not exists (select from machine where slug = $1)
         on conflict (slug) do nothing",
        slug,
        os,
        arch,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_scalar!("select machine_id from machine where slug = $1", slug).fetch_one(connection).await
}

/// The key of a machine by its name.
pub async fn key(connection: &mut PgConnection, slug: &str) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!("select machine_id from machine where slug = $1", slug)
        .fetch_optional(connection)
        .await
}

/// The keys of the named machines that are among these keys.
pub async fn keys(connection: &mut PgConnection, slugs: &[String], among: &[i64]) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select machine_id from machine where slug = any($1) and machine_id = any($2) order by slug",
        slugs,
        among,
    )
    .fetch_all(connection)
    .await
}

/// The machines with uploads to a project, by name, after `after`.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<MachineSummary>> {
    sqlx::query_as!(
        MachineSummary,
        r#"select machine.machine_id, machine.slug as machine,
                  coalesce(agent.os, of_project.os, machine.os) as "os!",
                  coalesce(agent.arch, of_project.arch, machine.arch) as "arch!", of_project.run_count,
                  latest.started_at as last_run_at, latest.environment_id,
                  jsonb_build_object('stable', environment.stable, 'conditions', latest.conditions)
                      as "environment!: Json<Environment>",
                  null::text as "suspect_because?", 0::bigint as "known_state_changes!",
                  (select coalesce(sum(greatest(acknowledged_count - stored_count, 0)), 0)::bigint from installation
                   where installation.machine_id = machine.machine_id
                     and of_project.project_id = any(installation.project_ids)) as "lost_run_count!"
           from project_machine as of_project
           join project on project.project_id = of_project.project_id
           join machine on machine.machine_id = of_project.machine_id
           left join agent on agent.machine_id = machine.machine_id and agent.revoked_at is null
                          and (agent.project is null or agent.project = project.slug)
           join run as latest on latest.run_id = of_project.latest_run_id
           join environment on environment.environment_id = latest.environment_id
           where of_project.project_id = $1 and machine.slug > $2
           order by machine.slug
           limit $3"#,
        project_id,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}
