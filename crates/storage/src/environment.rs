//! Environments: the fingerprints of machines.

use chrono::{DateTime, Utc};
use roundtrip_wire::Environment;
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// One environment.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnvironmentSummary {
    /// Its identity: points with different ones are not compared.
    pub environment_id: i64,
    /// When the first run in it began.
    pub first_run_at: DateTime<Utc>,
    /// When the last one did.
    pub last_run_at: DateTime<Utc>,
    /// The count.
    pub run_count: i64,
    /// Its facts, by name.
    #[schema(value_type = BTreeMap<String, String>)]
    pub stable: Json<BTreeMap<String, String>>,
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

/// The environments of a machine in a project, the most recently used first.
pub async fn of_machine(
    pool: &PgPool,
    project_id: i64,
    machine: &str,
    limit: i64,
) -> sqlx::Result<Vec<EnvironmentSummary>> {
    sqlx::query_as!(
        EnvironmentSummary,
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
