//! Environments: fingerprints of machines.

use chrono::{DateTime, Utc};
use roundtrip_wire::Environment;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;

/// An environment, and when a machine measured a project in it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table environment, and its runs, described there")]
pub struct Row {
    pub environment_id: i64,
    pub stable: Json<BTreeMap<String, String>>,
    pub first_run_at: DateTime<Utc>,
    pub last_run_at: DateTime<Utc>,
    pub run_count: i64,
}

/// The key of an environment, by the digest of its stable facts.
pub async fn upsert(connection: &mut PgConnection, environment: &Environment) -> sqlx::Result<i64> {
    let digest = environment.digest();
    sqlx::query!(
        "insert into environment (digest, stable)
         select $1, $2
         where not exists (select from environment where digest = $1)
         on conflict (digest) do nothing",
        digest.as_slice(),
        Json(&environment.stable) as _,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_scalar!("select environment_id from environment where digest = $1", digest.as_slice())
        .fetch_one(connection)
        .await
}

/// The environments in which a machine measured a project, the one that was left last first.
pub async fn of_machine(pool: &PgPool, project_id: i64, machine: &str, limit: i64) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        r#"select environment.environment_id, environment.stable as "stable: Json<BTreeMap<String, String>>",
                  span.first_run_at as "first_run_at!", span.last_run_at as "last_run_at!",
                  span.run_count as "run_count!"
           from (
               select run.environment_id, min(run.started_at) as first_run_at, max(run.started_at) as last_run_at,
                      count(*) as run_count
               from run
               where run.project_id = $1
                 and run.machine_id = (select machine_id from machine where slug = $2)
               group by run.environment_id
               order by max(run.started_at) desc
               limit $3
           ) as span
           join environment on environment.environment_id = span.environment_id
           order by span.last_run_at desc"#,
        project_id,
        machine,
        limit,
    )
    .fetch_all(pool)
    .await
}
