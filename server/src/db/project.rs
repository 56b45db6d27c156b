//! Projects.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// A project and how much there is of it.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub slug: String,
    /// Uploads.
    pub run_count: i64,
    /// Commits with an upload.
    pub commit_count: i64,
    /// Machines with an upload.
    pub machine_count: i64,
    /// Series.
    pub series_count: i64,
    /// The newest upload.
    pub latest_run_id: Option<Uuid>,
}

/// The key of a project, made when it is new, with a lock on it until the transaction ends.
///
/// # Errors
/// The database does not answer.
pub async fn lock(connection: &mut PgConnection, slug: &str) -> sqlx::Result<i64> {
    sqlx::query!("insert into project (slug) values ($1) on conflict (slug) do nothing", slug)
        .execute(&mut *connection)
        .await?;
    sqlx::query_scalar!("select project_id from project where slug = $1 for no key update", slug)
        .fetch_one(connection)
        .await
}

/// The key of a project.
///
/// # Errors
/// The database does not answer.
pub async fn find(pool: &PgPool, slug: &str) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!("select project_id from project where slug = $1", slug).fetch_optional(pool).await
}

/// All projects by name, or the one that is named.
///
/// # Errors
/// The database does not answer.
pub async fn list(pool: &PgPool, slug: Option<&str>) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        r#"select project.slug,
                  (select count(*) from run where run.project_id = project.project_id) as "run_count!",
                  (select count(distinct run.commit_id) from run where run.project_id = project.project_id)
                      as "commit_count!",
                  (select count(distinct run.machine_id) from run where run.project_id = project.project_id)
                      as "machine_count!",
                  (select count(*) from series where series.project_id = project.project_id) as "series_count!",
                  (select run.run_id from run where run.project_id = project.project_id
                   order by run.run_id desc limit 1) as "latest_run_id?"
           from project
           where $1::text is null or project.slug = $1
           order by project.slug"#,
        slug,
    )
    .fetch_all(pool)
    .await
}
