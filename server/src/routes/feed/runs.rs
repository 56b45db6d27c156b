//! The newest runs of a project as a feed.

use super::{ENTRIES, Head, answer, counted, identity, page, text};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use crate::routes::projects::{ProjectPath, project_id};
use crate::routes::runs::RunSummary;
use atom_syndication::{Entry, Person, Text};
use axum::extract::State;
use axum::response::Response;
use roundtrip_storage as db;
use uuid::Uuid;

/// For people who left no name: an author has one.
const NAMELESS: &str = "unknown";

/// The newest 50 runs of a project as an Atom feed.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/runs.atom", tag = "runs", params(ProjectPath), responses(
    (status = 200, description = "The feed", body = String, content_type = "application/atom+xml"),
))]
pub(crate) async fn feed_of_runs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let project = path.project.as_str();
    let created_at = db::project::created_at(&state.pool, project_id).await?;
    let rows =
        db::run::list(&state.pool, project_id, db::run::Filter::default(), Uuid::max(), ENTRIES).await?;
    let entries = rows.into_iter().map(|row| entry(&RunSummary::from(row))).collect();
    let head = Head {
        id: identity(project, created_at),
        title: format!("Runs of {project}"),
        own: &format!("/api/v1/projects/{project}/runs.atom"),
        page: &format!("/{project}/runs"),
        created_at,
    };
    answer(head, entries)
}

fn entry(run: &RunSummary) -> Entry {
    let commit: String = run.commit.sha.chars().take(7).collect();
    let what = [
        Some(counted(run.point_count.into(), "result")),
        Some(counted(run.failure_count.into(), "failure")).filter(|_| run.failure_count > 0),
    ];
    let what: Vec<_> = what.into_iter().flatten().collect();
    let of_pull_request =
        run.pull_request.map(|number| format!(" for pull request {number}")).unwrap_or_default();
    Entry {
        id: run.run_id.urn().to_string(),
        title: Text::plain(format!("{commit}{of_pull_request} on {}: {}", run.machine, what.join(", "))),
        updated: run.received_at.fixed_offset(),
        published: Some(run.started_at.fixed_offset()),
        authors: vec![Person {
            name: Some(text(&run.commit.author)).filter(|name| !name.is_empty()).unwrap_or(NAMELESS.into()),
            ..Person::default()
        }],
        links: vec![page(format!("/{}/runs/{}", run.project, run.run_id))],
        summary: Some(Text::plain(text(&run.commit.subject))),
        ..Entry::default()
    }
}
