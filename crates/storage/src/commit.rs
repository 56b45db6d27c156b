//! Commits and their order.

use chrono::{DateTime, Utc};
use roundtrip_wire::{Commit, CommitSha};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};
use std::collections::HashMap;
use utoipa::ToSchema;

/// The stored place of a commit.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table commit, described there")]
pub struct PlaceRow {
    pub commit_id: i64,
    pub sha: String,
    pub ordinal: i64,
    pub ordinal_is_estimate: bool,
    pub measured: bool,
}

/// One commit.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema, sqlx::Decode)]
pub struct CommitSummary {
    /// Full object name.
    pub sha: String,
    /// Commits on the first-parent path from the root, itself included: the order of charts.
    pub ordinal: i64,
    /// First line of the message.
    pub subject: String,
    /// Name of the author.
    pub author: String,
    /// When it was committed.
    pub committed_at: DateTime<Utc>,
}

is_record!(CommitSummary);

/// Commits by key, in ascending order of ordinals.
pub async fn list(pool: &PgPool, commit_ids: &[i64]) -> sqlx::Result<Vec<CommitSummary>> {
    sqlx::query_as!(
        CommitSummary,
        "select sha, ordinal, subject, author, committed_at from commit where commit_id = any($1)
         order by ordinal, sha",
        commit_ids,
    )
    .fetch_all(pool)
    .await
}

/// The same by object name.
pub async fn of_shas(pool: &PgPool, project_id: i64, shas: &[String]) -> sqlx::Result<Vec<CommitSummary>> {
    sqlx::query_as!(
        CommitSummary,
        "select sha, ordinal, subject, author, committed_at from commit where project_id = $1 and sha = any($2)",
        project_id,
        shas,
    )
    .fetch_all(pool)
    .await
}

/// The commits of a project's main line in a range of ordinals, the first excluded, and whether each has a
/// run. Of several commits with one ordinal: a measured one, else any.
pub async fn between(
    pool: &PgPool,
    project_id: i64,
    after_ordinal: i64,
    until_ordinal: i64,
) -> sqlx::Result<Vec<(CommitSummary, bool)>> {
    let rows = sqlx::query!(
        r#"select distinct on (ordinal) measured,
                  (commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at)
                      as "commit!: CommitSummary"
           from commit
           where project_id = $1 and ordinal > $2 and ordinal <= $3
           order by ordinal, measured desc, commit_id"#,
        project_id,
        after_ordinal,
        until_ordinal,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.commit, row.measured)).collect())
}

/// The places of the stored commits among these.
pub async fn find(
    connection: &mut PgConnection,
    project_id: i64,
    shas: &[String],
) -> sqlx::Result<Vec<PlaceRow>> {
    sqlx::query_as!(
        PlaceRow,
        "select commit_id, sha, ordinal, ordinal_is_estimate, measured from commit
         where project_id = $1 and sha = any($2)",
        project_id,
        shas,
    )
    .fetch_all(connection)
    .await
}

/// The largest ordinal of a project; 0 when it has no commits.
pub async fn last_ordinal(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(max(ordinal), 0) as "ordinal!" from commit where project_id = $1"#,
        project_id,
    )
    .fetch_one(connection)
    .await
}

/// Stored commits with estimated ordinals, and their first parents. Commits in `except` are skipped.
pub async fn estimates(
    connection: &mut PgConnection,
    project_id: i64,
    except: &[String],
) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query!(
        r#"select sha, parents[1] as "first_parent!" from commit
           where project_id = $1 and ordinal_is_estimate and parents[1] is not null and sha <> all ($2)"#,
        project_id,
        except,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.sha, row.first_parent)).collect())
}

/// Inserts commits with their ordinals, and whether each is an estimate. Returns their keys by object name.
pub async fn insert(
    connection: &mut PgConnection,
    project_id: i64,
    commits: &[(&Commit, i64, bool)],
) -> sqlx::Result<HashMap<String, i64>> {
    if commits.is_empty() {
        return Ok(HashMap::new());
    }
    let texts =
        |of: fn(&Commit) -> &str| commits.iter().map(|(commit, ..)| of(commit)).collect::<Vec<&str>>();
    let shas = texts(|commit| commit.sha.as_str());
    let (subjects, authors) = (texts(|commit| &commit.subject), texts(|commit| &commit.author));
    // Arrays of arrays must be rectangular, so each commit's parents are passed as one text.
    let parents =
        |commit: &Commit| commit.parents.iter().map(CommitSha::as_str).collect::<Vec<_>>().join(" ");
    let rows = sqlx::query!(
        "insert into commit (project_id, sha, ordinal, ordinal_is_estimate, parents, subject, author, committed_at)
         select $1, sha, ordinal, ordinal_is_estimate, string_to_array(parents, ' '), subject, author, committed_at
         from unnest($2::text[], $3::bigint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
              as new (sha, ordinal, ordinal_is_estimate, parents, subject, author, committed_at)
         returning sha, commit_id",
        project_id,
        shas.as_slice() as _,
        &commits.iter().map(|(_, ordinal, _)| *ordinal).collect::<Vec<_>>(),
        &commits.iter().map(|(.., is_estimate)| *is_estimate).collect::<Vec<_>>(),
        &commits.iter().map(|(commit, ..)| parents(commit)).collect::<Vec<_>>(),
        subjects.as_slice() as _,
        authors.as_slice() as _,
        &commits.iter().map(|(commit, ..)| commit.committed_at).collect::<Vec<_>>(),
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.sha, row.commit_id)).collect())
}

/// Updates the ordinals of stored commits, given as in [`insert`], and of their points.
pub async fn correct(
    connection: &mut PgConnection,
    project_id: i64,
    places: &[(String, i64, bool)],
) -> sqlx::Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    let commit_ids = sqlx::query_scalar!(
        "update commit set ordinal = given.ordinal, ordinal_is_estimate = given.ordinal_is_estimate
         from unnest($2::text[], $3::bigint[], $4::boolean[]) as given (sha, ordinal, ordinal_is_estimate)
         where commit.project_id = $1 and commit.sha = given.sha
         returning commit.commit_id",
        project_id,
        &places.iter().map(|(sha, ..)| sha.clone()).collect::<Vec<_>>(),
        &places.iter().map(|(_, ordinal, _)| *ordinal).collect::<Vec<_>>(),
        &places.iter().map(|(.., is_estimate)| *is_estimate).collect::<Vec<_>>(),
    )
    .fetch_all(&mut *connection)
    .await?;
    let machine_ids =
        sqlx::query_scalar!("select distinct machine_id from run where commit_id = any($1)", &commit_ids)
            .fetch_all(&mut *connection)
            .await?;
    for machine_id in machine_ids {
        correct_points(connection, machine_id, &commit_ids).await?;
    }
    // The order of their series has changed.
    super::analysis::add_of_commits(connection, &commit_ids).await
}

async fn correct_points(
    connection: &mut PgConnection,
    machine_id: i64,
    commit_ids: &[i64],
) -> sqlx::Result<()> {
    macro_rules! correct {
        ($table:literal) => {
            sqlx::query!(
                "update "
                    + $table
                    + " as measured set commit_ordinal = commit.ordinal
                 from commit
                 join run on run.commit_id = commit.commit_id
                 join run_result on run_result.machine_id = $1 and run_result.run_id = run.run_id
                 cross join lateral unnest(run_result.series_ids) as of_run (series_id)
                 where measured.machine_id = $1 and run.machine_id = $1 and commit.commit_id = any($2)
                   and measured.series_id = of_run.series_id and measured.run_id = run.run_id
                   and measured.commit_ordinal <> commit.ordinal",
                machine_id,
                commit_ids,
            )
        };
    }
    correct!("point").execute(&mut *connection).await?;
    correct!("summary").execute(connection).await?;
    Ok(())
}
