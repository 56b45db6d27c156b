//! Environments: fingerprints of machines.

use roundtrip_wire::Environment;
use sqlx::PgConnection;
use sqlx::types::Json;

/// The key of an environment, by the digest of its stable facts.
///
/// # Errors
/// The database does not answer, or refuses a fact.
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
