//! Short links to pages.

use sqlx::PgPool;

/// Assigns a code to a path. Returns whether it is new; none if another path has the code.
pub async fn keep(pool: &PgPool, code: &str, path: &str) -> sqlx::Result<Option<bool>> {
    let inserted = sqlx::query!(
        "insert into link (code, path, created_at) values ($1, $2, now()) on conflict (code) do nothing",
        code,
        path,
    )
    .execute(pool)
    .await?;
    if inserted.rows_affected() == 1 {
        return Ok(Some(true));
    }
    // The first writer wins, so the row does not change any more.
    let holder = find(pool, code).await?;
    Ok((holder.as_deref() == Some(path)).then_some(false))
}

/// The path of a code.
pub async fn find(pool: &PgPool, code: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("select path from link where code = $1", code).fetch_optional(pool).await
}
