//! Lists commits, the graph of commits, and the pull requests among their runs.

use super::commit::CommitSummary;
use crate::search_terms::SearchTerms;
use sqlx::PgPool;
use uuid::Uuid;

/// The commits to list.
#[derive(Clone, Debug)]
pub struct Filter {
    /// From this ordinal,
    pub from: i64,
    /// to this ordinal.
    pub to: i64,
    /// Words in the first line of the message, or a prefix of the object name.
    pub words: SearchTerms,
}

/// A commit and its parents.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table commit, described there")]
pub struct DetailRow {
    pub commit_id: i64,
    pub commit: CommitSummary,
    pub ordinal_is_estimate: bool,
    pub parents: Vec<String>,
}

/// A pull request, from its runs.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables commit and run, described there")]
pub struct PullRequestRow {
    pub pull_request: i64,
    pub run_count: i64,
    pub latest_run_id: Uuid,
}

/// Commits of a project before an ordinal, last first.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    before: (i64, &str),
    limit: i64,
) -> sqlx::Result<Vec<CommitSummary>> {
    let (ordinal, sha) = before;
    if filter.words.is_empty() {
        return sqlx::query_as!(
            CommitSummary,
            "select sha, ordinal, subject, author, committed_at from commit
             where project_id = $1 and ordinal between $2 and $3 and (ordinal, sha) < ($4, $5)
             order by ordinal desc, sha desc
             limit $6",
            project_id,
            filter.from,
            filter.to,
            ordinal,
            sha,
            limit,
        )
        .fetch_all(pool)
        .await;
    }
    // No object name is before the empty text.
    let (first, behind) = filter.words.only().map_or((String::new(), String::new()), names_from);
    // Few match, so they are found by an index and sorted afterwards.
    sqlx::query_as!(
        CommitSummary,
        r#"with found as materialized (
               select sha, ordinal, subject, author, committed_at from commit
               where project_id = $1 and to_tsvector('simple', subject) @@ to_tsquery('simple', $6)
               union
               select sha, ordinal, subject, author, committed_at from commit
               where project_id = $1 and sha >= $7 and sha < $8
           )
           select sha as "sha!", ordinal as "ordinal!", subject as "subject!", author as "author!",
                  committed_at as "committed_at!"
           from found
           where ordinal between $2 and $3 and (ordinal, sha) < ($4, $5)
           order by ordinal desc, sha desc
           limit $9"#,
        project_id,
        filter.from,
        filter.to,
        ordinal,
        sha,
        subject_query(&filter.words),
        first,
        behind,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The commits with this SHA prefix: at most two.
pub async fn find(pool: &PgPool, project_id: i64, prefix: &str) -> sqlx::Result<Vec<DetailRow>> {
    let (first, behind) = names_from(prefix);
    sqlx::query_as!(
        DetailRow,
        r#"select commit_id, ordinal_is_estimate, parents,
                  (commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at)
                      as "commit!: CommitSummary"
           from commit
           where project_id = $1 and sha >= $2 and sha < $3
           order by sha
           limit 2"#,
        project_id,
        first,
        behind,
    )
    .fetch_all(pool)
    .await
}

/// The runs of a commit, newest first, and their number.
pub async fn runs(pool: &PgPool, commit_id: i64, limit: i64) -> sqlx::Result<(Vec<Uuid>, i64)> {
    let run_ids = sqlx::query_scalar!(
        "select run_id from run where commit_id = $1 order by run_id desc limit $2",
        commit_id,
        limit,
    )
    .fetch_all(pool)
    .await?;
    let count =
        sqlx::query_scalar!(r#"select count(*) as "count!" from run where commit_id = $1"#, commit_id)
            .fetch_one(pool)
            .await?;
    Ok((run_ids, count))
}

/// A stored commit.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of tables commit and run, described there")]
pub struct StoredCommit {
    pub sha: String,
    pub ordinal: i64,
    pub ordinal_is_estimate: bool,
    pub parents: Vec<String>,
}

/// Commits and their stored ancestors, nearest first: at most `limit`.
pub async fn ancestors(
    pool: &PgPool,
    project_id: i64,
    shas: &[String],
    limit: i64,
) -> sqlx::Result<Vec<StoredCommit>> {
    // PostgreSQL evaluates the recursion only as far as rows are fetched, one generation after the other.
    sqlx::query_as!(
        StoredCommit,
        r#"with recursive ancestor as (
               select sha, ordinal, ordinal_is_estimate, parents from commit
               where project_id = $1 and sha = any ($2)
               union
               select parent.sha, parent.ordinal, parent.ordinal_is_estimate, parent.parents
               from ancestor
               cross join unnest(ancestor.parents) as named (sha)
               join commit as parent on parent.project_id = $1 and parent.sha = named.sha
           )
           select sha as "sha!", ordinal as "ordinal!", ordinal_is_estimate as "ordinal_is_estimate!",
                  parents as "parents!"
           from ancestor
           limit $3"#,
        project_id,
        shas,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The length of the path that [`measured_ancestor`] follows.
const ANCESTORS_MAX: i64 = 10_000;

/// The first measured commit on the first-parent path before a commit, as far as parents are stored.
pub async fn measured_ancestor(
    pool: &PgPool,
    project_id: i64,
    commit_id: i64,
) -> sqlx::Result<Option<CommitSummary>> {
    sqlx::query_as!(
        CommitSummary,
        "with recursive ancestor as (
             select commit.commit_id, commit.measured, commit.parents[1] as parent, true as is_first
             from commit
             where commit_id = $2
             union
             select commit.commit_id, commit.measured, commit.parents[1], false
             from ancestor
             join commit on commit.project_id = $1 and commit.sha = ancestor.parent
             where ancestor.is_first or not ancestor.measured
         )
         select sha, ordinal, subject, author, committed_at
         from (select * from ancestor limit $3) as ancestor
         join commit using (commit_id)
         where ancestor.measured and not ancestor.is_first
         limit 1",
        project_id,
        commit_id,
        ANCESTORS_MAX,
    )
    .fetch_optional(pool)
    .await
}

macro_rules! select_measured {
    ($condition:literal, $project_id:expr, $ordinal:expr) => {
        sqlx::query_as!(
            CommitSummary,
            "select commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at
             from commit
             join project on project.project_id = commit.project_id
             where commit.project_id = $1 and commit.measured
               and exists (
                   select from run
                   where run.commit_id = commit.commit_id and run.pull_request is null and not run.quarantined
                     and not run.superseded
                     and (project.default_branch is null or run.branch is null
                          or run.branch = project.default_branch)
               )
               and " + $condition + " limit 1",
            $project_id,
            $ordinal,
        )
    };
}

/// The last measured commit of the main line before an ordinal.
pub async fn measured_before(
    pool: &PgPool,
    project_id: i64,
    ordinal: i64,
) -> sqlx::Result<Option<CommitSummary>> {
    select_measured!("commit.ordinal < $2 order by commit.ordinal desc, commit.sha desc", project_id, ordinal)
        .fetch_optional(pool)
        .await
}

/// The first measured commit of the main line after an ordinal.
pub async fn measured_after(
    pool: &PgPool,
    project_id: i64,
    ordinal: i64,
) -> sqlx::Result<Option<CommitSummary>> {
    select_measured!("commit.ordinal > $2 order by commit.ordinal, commit.sha", project_id, ordinal)
        .fetch_optional(pool)
        .await
}

/// The last commit of the main line that was measured on the default branch, not for a pull request.
pub async fn mainline_tip(pool: &PgPool, project_id: i64) -> sqlx::Result<Option<String>> {
    Ok(measured_before(pool, project_id, i64::MAX).await?.map(|tip| tip.sha))
}

/// The pull requests of a project up to a number, largest first.
pub async fn pull_requests(
    pool: &PgPool,
    project_id: i64,
    up_to: i64,
    limit: i64,
) -> sqlx::Result<Vec<PullRequestRow>> {
    sqlx::query_as!(
        PullRequestRow,
        r#"select pull_request as "pull_request!", count(*) as "run_count!",
                  (array_agg(run_id order by run_id desc))[1] as "latest_run_id!"
           from run
           where project_id = $1 and pull_request is not null and pull_request <= $2
           group by pull_request
           order by pull_request desc
           limit $3"#,
        project_id,
        up_to,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The range of object names with a prefix. They consist of `0-9` and `a-f`, which all collations sort in
/// this order.
fn names_from(prefix: &str) -> (String, String) {
    (prefix.to_owned(), format!("{prefix}g"))
}

/// All words as prefixes, in the syntax of `to_tsquery`.
fn subject_query(words: &SearchTerms) -> String {
    let lexeme = |word: &str| format!("'{}':*", word.replace(['\\', '\''], " "));
    words.iter().map(lexeme).collect::<Vec<_>>().join(" & ")
}
