//! Commits: looking through them, one with its runs, and where two part.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Page, Paged, Path, Query};
use axum::{Json, extract::State};
use roundtrip_domain::error::Kind;
use roundtrip_domain::graph::{Graph, Parting};
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::run::RunSummary;
use roundtrip_storage::search_terms::SearchTerms;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use utoipa::ToSchema;

/// The fewest digits that name a commit, and the most.
const NAME_DIGITS: std::ops::RangeInclusive<usize> = 7..=64;
/// The most runs that come with a commit.
const RUNS_MAX: i64 = 200;
/// How many commits are looked at, nearest first: few, and if they do not suffice, many.
const WALKS: [i64; 2] = [1_000, 20_000];
/// The most ends that are named.
const ENDS_MAX: usize = 20;

/// Commits of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommitList {
    /// The last first.
    pub commits: Vec<CommitSummary>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<CommitPlace>>,
}

/// One commit and what was measured of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommitDetail {
    /// The commit.
    pub commit: CommitSummary,
    /// True when its place was derived from neighbours, because the agent had a shallow clone: it may change.
    pub ordinal_is_estimate: bool,
    /// Object names of its parents, the first parent first. Those of the last commit of a shallow clone are not known.
    pub parents: Vec<String>,
    /// How many runs there are of it.
    pub run_count: i64,
    /// The newest of them, at most 200.
    pub runs: Vec<RunSummary>,
}

/// The nearest commit that two commits come from.
#[derive(Debug, Serialize, ToSchema)]
pub struct MergeBase {
    /// One of them.
    pub base: CommitSummary,
    /// The other one.
    pub head: CommitSummary,
    /// The best common ancestor, of all that is known: null when none is. After merges both ways there are several; it is
    /// the one at the largest place.
    #[schema(required)]
    pub merge_base: Option<CommitSummary>,
    /// False when a nearer one may exist that is not known.
    pub is_certain: bool,
    /// Why it is not certain: commits whose parents are not all stored, or too far away, at most 20.
    pub unknown_parents_of: Vec<String>,
}

/// Which commits are wanted; what is absent is not asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CommitQuery {
    /// From this place on.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Up to this place.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// Words, all of which are found in the first line of the message, each with what begins like it; or the beginning of
    /// an object name.
    #[serde(default)]
    #[param(value_type = Option<String>, max_length = 200, example = "send buffers")]
    pub q: SearchTerms,
}

/// A commit of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct CommitPath {
    /// The project's name.
    pub project: Slug,
    /// The commit's object name, or as many of its first digits as no other has: at least seven.
    #[param(value_type = String, example = "9f8e7d6")]
    pub sha: CommitName,
}

/// Which two commits are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MergeBaseQuery {
    /// One commit, named as in paths.
    #[param(value_type = String, example = "9f8e7d6")]
    pub base: CommitName,
    /// The other one.
    #[param(value_type = String, example = "1a2b3c4")]
    pub head: CommitName,
}

/// The object name of a commit, or its first digits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CommitName(String);

/// Why a text names no commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 7 to 64 hexadecimal digits")]
pub struct InvalidCommitName;

/// The place of a commit in lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitPlace {
    ordinal: i64,
    sha: String,
}

/// The commits of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/commits", tag = "commits", params(ProjectPath, CommitQuery, Page),
    responses(
    (status = 200, description = "The commits, the last first", body = CommitList),
))]
pub(crate) async fn list_commits(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    asked: Paged<CommitQuery, CommitPlace>,
) -> Result<Json<CommitList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = db::graph::Filter {
        from: asked.query.from.unwrap_or(0),
        to: asked.query.to.unwrap_or(i64::MAX),
        words: asked.query.q.clone(),
    };
    // Every object name is before this text.
    let before = asked.after.as_ref().map_or((i64::MAX, "g"), |place| (place.ordinal, place.sha.as_str()));
    let rows = db::graph::list(&state.pool, project_id, &filter, before, asked.row_limit()).await?;
    let (commits, next_after) =
        asked.cut(rows, |row| CommitPlace { ordinal: row.ordinal, sha: row.sha.clone() });
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
    Ok(Json(CommitDetail {
        ordinal_is_estimate: commit.ordinal_is_estimate,
        parents: commit.parents,
        commit: commit.commit,
        run_count,
        runs,
    }))
}

/// The nearest commit that two commits come from, as far as their parents are stored.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/merge-base", tag = "commits", params(ProjectPath, MergeBaseQuery),
    responses(
    (status = 200, description = "The commit, or that none is known", body = MergeBase),
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
    let found = partings(&state, project_id, &both, |graph| vec![graph.merge_base(&both[0], &both[1])]);
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

/// What a graph of the commits `from`, and of all that they come from, says of where lines part. It is as large as the
/// answer needs, up to a bound.
pub(super) async fn partings(
    state: &AppState,
    project_id: i64,
    from: &[String],
    ask: impl Fn(&Graph) -> Vec<Parting>,
) -> Result<Vec<Parting>, ApiError> {
    let mut partings = Vec::new();
    for limit in WALKS {
        let commits = db::graph::ancestors(&state.pool, project_id, from, limit).await?;
        let is_all = i64::try_from(commits.len()).is_ok_and(|count| count < limit);
        partings = ask(&Graph::new(commits));
        if is_all || partings.iter().all(|parting| parting.ends.is_empty()) {
            break;
        }
    }
    Ok(partings)
}

/// The commits that were found, by object name.
pub(super) async fn named(
    state: &AppState,
    project_id: i64,
    partings: &[Parting],
) -> Result<HashMap<String, CommitSummary>, ApiError> {
    let shas: Vec<_> = partings.iter().filter_map(|parting| parting.sha.clone()).collect();
    let rows = db::commit::of_shas(&state.pool, project_id, &shas).await?;
    Ok(rows.into_iter().map(|row| (row.sha.clone(), row)).collect())
}

/// The commit that a parameter names.
async fn find(
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
    type Error = InvalidCommitName;

    fn try_from(text: String) -> Result<Self, InvalidCommitName> {
        let is_name = NAME_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_name { Ok(Self(text.to_ascii_lowercase())) } else { Err(InvalidCommitName) }
    }
}

impl fmt::Display for CommitPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.ordinal, self.sha)
    }
}

impl FromStr for CommitPlace {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (ordinal, sha) = text.split_once(' ').unwrap_or((text, ""));
        Ok(Self { ordinal: ordinal.parse()?, sha: sha.to_owned() })
    }
}
