//! Short links to pages.

use sqlx::PgPool;

/// Gives a path the code, unless another path has it. Returns whether it is new, or none where the code is taken.
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
    // Whoever had it first keeps it: what is read now stays so.
    let holder = find(pool, code).await?;
    Ok((holder.as_deref() == Some(path)).then_some(false))
}

/// The path that has a code.
pub async fn find(pool: &PgPool, code: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("select path from link where code = $1", code).fetch_optional(pool).await
}
