//! Commits: lists, one commit with its runs, and merge bases.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Page, Paged, Path, Place, Query};
use axum::{Json, extract::State};
use roundtrip_domain::error::Kind;
use roundtrip_domain::graph::{CommonAncestor, Graph};
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::run::RunSummary;
use roundtrip_storage::search_terms::SearchTerms;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// The minimum and maximum number of digits that name a commit.
const NAME_DIGITS: std::ops::RangeInclusive<usize> = 7..=64;
/// The maximum number of runs shown with a commit.
const RUNS_MAX: i64 = 200;
/// The number of commits searched, nearest first: few, then many if these are not enough.
const WALKS: [i64; 2] = [1_000, 20_000];
/// The maximum number of commits with unknown parents that are listed.
const ENDS_MAX: usize = 20;

/// Commits of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitList {
    /// The commits, newest first.
    pub commits: Vec<CommitSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<Place>>,
}

/// One commit and its results.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitDetail {
    /// The commit.
    pub commit: CommitSummary,
    /// True if the ordinal was estimated from neighbours, because the agent had a shallow clone. It may change.
    pub ordinal_is_estimate: bool,
    /// The SHAs of its parents, first parent first. Unknown for the last commit of a shallow clone.
    pub parents: Vec<String>,
    /// The first measured commit before it, to compare with: along first parents, or on the main line if they are unknown.
    #[schema(required)]
    pub previous: Option<CommitSummary>,
    /// The first measured commit after it on the main line; null for a commit of a pull request.
    #[schema(required)]
    pub next: Option<CommitSummary>,
    /// The number of runs.
    pub run_count: i64,
    /// The newest runs, at most 200.
    pub runs: Vec<RunSummary>,
}

/// The merge base of two commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergeBase {
    /// The first commit.
    pub base: CommitSummary,
    /// The second commit.
    pub head: CommitSummary,
    /// The best known common ancestor; null if none is known. After merges both ways there are several. Then it is
    /// the one with the largest ordinal.
    #[schema(required)]
    pub merge_base: Option<CommitSummary>,
    /// False if there may be a nearer one that is not known.
    pub is_certain: bool,
    /// Why it is uncertain: at most 20 commits whose parents are not stored or too far away.
    pub unknown_parents_of: Vec<String>,
}

/// Filters for commits.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CommitQuery {
    /// From this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Up to this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// Words in the first line of the message (prefixes match; all must match), or the beginning of a SHA.
    #[serde(default)]
    #[param(value_type = Option<String>, max_length = 200, example = "send buffers")]
    pub q: SearchTerms,
}

/// A commit of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CommitPath {
    /// The project's name.
    pub project: Slug,
    /// The commit's SHA, or a unique prefix of at least seven digits.
    #[param(value_type = String, example = "9f8e7d6")]
    pub sha: CommitName,
}

/// Selects two commits.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MergeBaseQuery {
    /// One commit, named as in paths.
    #[param(value_type = String, example = "9f8e7d6")]
    pub base: CommitName,
    /// The other commit.
    #[param(value_type = String, example = "1a2b3c4")]
    pub head: CommitName,
}

/// A commit's SHA or a prefix of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct CommitName(String);

/// The commits of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/commits", tag = "commits", params(ProjectPath, CommitQuery, Page),
    responses(
    (status = 200, description = "The commits, newest first", body = CommitList),
))]
pub(crate) async fn list_commits(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<CommitQuery, Place>,
) -> Result<Json<CommitList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = db::graph::Filter {
        from: paged.query.from.unwrap_or(0),
        to: paged.query.to.unwrap_or(i64::MAX),
        words: paged.query.q.clone(),
    };
    // Every SHA sorts before this text.
    let before = paged.after.as_ref().map_or((i64::MAX, "g"), |place| (place.number, place.text.as_str()));
    let rows = db::graph::list(&state.pool, project_id, &filter, before, paged.row_limit()).await?;
    let (commits, next_after) = paged.cut(rows, |row| Place { number: row.ordinal, text: row.sha.clone() });
    Ok(Json(CommitList { commits, next_after }))
}

/// One commit and its runs.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/commits/{sha}", tag = "commits", params(CommitPath), responses(
    (status = 200, description = "The commit", body = CommitDetail),
))]
pub(crate) async fn get_commit(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<CommitPath>,
) -> Result<Json<CommitDetail>, ApiError> {
    let project_id = project_id(&state, &caller, &ProjectPath { project: path.project }).await?;
    let commit = find(&state, project_id, "sha", &path.sha).await?;
    let (run_ids, run_count) = db::graph::runs(&state.pool, commit.commit_id, RUNS_MAX).await?;
    let mut runs = db::run::find(&state.pool, &run_ids).await?;
    runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.run_id));
    let (pool, ordinal) = (&state.pool, commit.commit.ordinal);
    let is_main = runs.is_empty() || runs.iter().any(|run| run.pull_request.is_none());
    let mut previous = db::graph::measured_ancestor(pool, project_id, commit.commit_id).await?;
    if previous.is_none() && is_main {
        previous = db::graph::measured_before(pool, project_id, ordinal).await?;
    }
    let next = if is_main { db::graph::measured_after(pool, project_id, ordinal).await? } else { None };
    Ok(Json(CommitDetail {
        previous,
        next,
        ordinal_is_estimate: commit.ordinal_is_estimate,
        parents: commit.parents,
        commit: commit.commit,
        run_count,
        runs,
    }))
}

/// The merge base of two commits, as far as their parents are stored.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/merge-base", tag = "commits", params(ProjectPath, MergeBaseQuery),
    responses(
    (status = 200, description = "The commit, or null if none is known", body = MergeBase),
))]
pub(crate) async fn get_merge_base(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Query(query): Query<MergeBaseQuery>,
) -> Result<Json<MergeBase>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let base = find(&state, project_id, "base", &query.base).await?;
    let head = find(&state, project_id, "head", &query.head).await?;
    let both = [base.commit.sha.clone(), head.commit.sha.clone()];
    let found =
        common_ancestors(&state, project_id, &both, |graph| vec![graph.merge_base(&both[0], &both[1])]);
    let found = found.await?.pop().unwrap_or_default();
    let mut named = named(&state, project_id, std::slice::from_ref(&found)).await?;
    Ok(Json(MergeBase {
        base: base.commit,
        head: head.commit,
        merge_base: found.sha.and_then(|sha| named.remove(&sha)),
        is_certain: found.ends.is_empty(),
        unknown_parents_of: found.ends.into_iter().take(ENDS_MAX).collect(),
    }))
}

/// Computes merge bases from a graph of the commits `from` and their ancestors. The graph is as large as needed, up
/// to a limit.
pub(super) async fn common_ancestors(
    state: &AppState,
    project_id: i64,
    from: &[String],
    ask: impl Fn(&Graph) -> Vec<CommonAncestor>,
) -> Result<Vec<CommonAncestor>, ApiError> {
    let mut common_ancestors = Vec::new();
    for limit in WALKS {
        let commits = db::graph::ancestors(&state.pool, project_id, from, limit).await?;
        let is_all = i64::try_from(commits.len()).is_ok_and(|count| count < limit);
        common_ancestors = ask(&Graph::new(commits));
        if is_all || common_ancestors.iter().all(|ancestor| ancestor.ends.is_empty()) {
            break;
        }
    }
    Ok(common_ancestors)
}

/// The found commits, by SHA.
pub(super) async fn named(
    state: &AppState,
    project_id: i64,
    common_ancestors: &[CommonAncestor],
) -> Result<HashMap<String, CommitSummary>, ApiError> {
    let shas: Vec<_> = common_ancestors.iter().filter_map(|ancestor| ancestor.sha.clone()).collect();
    let rows = db::commit::of_shas(&state.pool, project_id, &shas).await?;
    Ok(rows.into_iter().map(|row| (row.sha.clone(), row)).collect())
}

/// The commit that a parameter names.
pub(super) async fn find(
    state: &AppState,
    project_id: i64,
    parameter: &str,
    name: &CommitName,
) -> Result<db::graph::DetailRow, ApiError> {
    let mut found = db::graph::find(&state.pool, project_id, &name.0).await?;
    if found.len() > 1 {
        let detail = format!("`{}` begins the names of several commits: expected more digits", name.0);
        return Err(ApiError::parameter(parameter, detail));
    }
    found.pop().ok_or_else(|| ApiError::unknown(Kind::Commit, &name.0))
}

impl TryFrom<String> for CommitName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_name = NAME_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_name { Ok(Self(text.to_ascii_lowercase())) } else { Err("expected 7 to 64 hexadecimal digits") }
    }
}
