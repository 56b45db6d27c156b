//! Pull requests, as known from runs.

use super::commits::{common_ancestors, named};
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, NoFilter, Page, Paged, Path};
use axum::{Json, extract::State};
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::run::RunSummary;
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;

/// Pull requests of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PullRequestList {
    /// The largest number first.
    pub pull_requests: Vec<PullRequestSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A measured pull request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PullRequestSummary {
    /// The number of the pull request.
    pub pull_request: i64,
    /// The commit of its newest run.
    pub head: CommitSummary,
    /// The merge base with the main line: following first parents back from the main line's last measured commit, the
    /// first ancestor of the pull request's head. Null if unknown.
    #[schema(required)]
    pub merge_base: Option<CommitSummary>,
    /// False if there may be a nearer one, because not all parents are stored.
    pub merge_base_is_certain: bool,
    /// The number of its runs, which `runs?pull_request=` lists.
    pub run_count: i64,
    /// The newest run.
    pub latest_run: RunSummary,
}

/// The pull requests in runs of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/pull-requests", tag = "commits", params(ProjectPath, Page),
    responses(
    (status = 200, description = "The pull requests, the largest number first", body = PullRequestList),
))]
pub(crate) async fn list_pull_requests(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoFilter, i64>,
) -> Result<Json<PullRequestList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let up_to = paged.after.map_or(i64::MAX, |number| number.saturating_sub(1));
    let rows = db::graph::pull_requests(&state.pool, project_id, up_to, paged.row_limit()).await?;
    let (rows, next_after) = paged.cut(rows, |row| row.pull_request);
    let run_ids: Vec<_> = rows.iter().map(|row| row.latest_run_id).collect();
    let runs = db::run::find(&state.pool, &run_ids).await?;
    let mut runs: HashMap<_, _> = runs.into_iter().map(|run| (run.run_id, run)).collect();
    let measured: Vec<_> = rows
        .into_iter()
        .filter_map(|row| runs.remove(&row.latest_run_id).map(|run| (row.pull_request, row.run_count, run)))
        .collect();

    let heads: Vec<_> = measured.iter().map(|(.., run)| run.commit.sha.clone()).collect();
    let forks = match db::graph::mainline_tip(&state.pool, project_id).await? {
        Some(tip) => {
            let from = [std::slice::from_ref(&tip), &heads].concat();
            common_ancestors(&state, project_id, &from, |graph| {
                heads.iter().map(|head| graph.fork_point(&tip, head)).collect()
            })
            .await?
        }
        // There is no main line, so there is no merge base.
        None => Vec::new(),
    };
    let named = named(&state, project_id, &forks).await?;
    let mut forks = forks.into_iter();
    let summary = |(pull_request, run_count, latest_run): (i64, i64, RunSummary)| {
        let fork = forks.next();
        PullRequestSummary {
            pull_request,
            head: latest_run.commit.clone(),
            merge_base_is_certain: fork.as_ref().is_some_and(|fork| fork.ends.is_empty()),
            merge_base: fork.and_then(|fork| named.get(&fork.sha?).cloned()),
            run_count,
            latest_run,
        }
    };
    Ok(Json(PullRequestList { pull_requests: measured.into_iter().map(summary).collect(), next_after }))
}
