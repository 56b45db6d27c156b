//! Machines.

use chrono::{DateTime, Utc};
use roundtrip_wire::Machine;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;

/// A machine as one project sees it.
#[derive(Debug)]
#[expect(missing_docs, reason = "columns, described in migrations/")]
pub struct Row {
    pub machine_id: i64,
    pub slug: String,
    pub os: String,
    pub arch: String,
    pub run_count: i64,
    pub last_run_at: DateTime<Utc>,
    pub environment_id: i64,
    pub stable: Json<BTreeMap<String, String>>,
    pub conditions: Json<BTreeMap<String, String>>,
    pub lost_run_count: i64,
}

/// The key of a machine, described as in the newest upload.
pub async fn upsert(connection: &mut PgConnection, machine: &Machine) -> sqlx::Result<i64> {
    let (slug, os, arch) = (machine.slug.as_str(), machine.os.as_str(), machine.arch.as_str());
    sqlx::query!(
        "insert into machine (slug, os, arch)
         select $1, $2, $3
         where not exists (select from machine where slug = $1 and os = $2 and arch = $3)
         on conflict (slug) do update set os = excluded.os, arch = excluded.arch",
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

/// The keys of those of some machines, by name, that are among these keys.
pub async fn keys(connection: &mut PgConnection, slugs: &[String], among: &[i64]) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select machine_id from machine where slug = any($1) and machine_id = any($2) order by slug",
        slugs,
        among,
    )
    .fetch_all(connection)
    .await
}

/// The machines with uploads to a project, by name, those behind `after`.
pub async fn list(pool: &PgPool, project_id: i64, after: &str, limit: i64) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        r#"select machine.machine_id, machine.slug, machine.os, machine.arch, of_project.run_count,
                  latest.started_at as last_run_at, latest.environment_id,
                  environment.stable as "stable: Json<BTreeMap<String, String>>",
                  latest.conditions as "conditions: Json<BTreeMap<String, String>>",
                  (select coalesce(sum(greatest(acknowledged_count - stored_count, 0)), 0)::bigint from installation
                   where installation.machine_id = machine.machine_id) as "lost_run_count!"
           from project_machine as of_project
           join machine on machine.machine_id = of_project.machine_id
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
