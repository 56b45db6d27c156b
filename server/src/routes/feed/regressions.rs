//! The newest regressions of a project as a feed: those that channels would be told of, and those whose cause nobody knows.

use super::{ENTRIES, Head, answer, counted, identity, page, text};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use crate::routes::projects::{ProjectPath, project_id};
use atom_syndication::{Entry, Person, Text};
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis::Direction;
use roundtrip_storage as db;
use roundtrip_storage::regression::{self, Filter, State as Progress};

/// Regressions of these states are in the feed: not what a machine made, nor what is none.
const STATES: [Progress; 3] = [Progress::New, Progress::Acknowledged, Progress::Fixed];

/// The newest 50 regressions of a project as an Atom feed; an entry is updated when its regression is fixed.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions.atom", tag = "regressions", params(ProjectPath), responses(
    (status = 200, description = "The feed", body = String, content_type = "application/atom+xml"),
))]
pub(crate) async fn feed_of_regressions(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let project = path.project.as_str();
    let created_at = db::project::created_at(&state.pool, project_id).await?;
    let filter = Filter {
        states: STATES.to_vec(),
        direction: Some(Direction::Regressed.name().to_owned()),
        with_quiet: false,
    };
    let rows = regression::list(&state.pool, project_id, &filter, i64::MAX, ENTRIES).await?;
    let entries = rows.iter().map(|row| entry(row, created_at)).collect();
    let head = Head {
        id: identity(&format!("{project} regressions"), created_at),
        title: format!("Regressions of {project}"),
        own: &format!("/api/v1/projects/{project}/regressions.atom"),
        page: &format!("/{project}/regressions"),
        created_at,
    };
    answer(head, entries)
}

fn entry(row: &regression::Row, created_at: DateTime<Utc>) -> Entry {
    let change = row.worst_change.map(|change| format!(", by {:.1} %", change * 100.0)).unwrap_or_default();
    let commit = |sha: &str| sha.chars().take(7).collect::<String>();
    let series =
        if row.series_count == 1 { "1 series".to_owned() } else { format!("{} series", row.series_count) };
    let machines = row.machines.join(", ");
    let commits = row.until_ordinal - row.after_ordinal;
    let blamed = if commits <= 1 {
        format!("The commit is {}.", commit(&row.until_sha))
    } else {
        format!("It is one of {} up to {}.", counted(commits, "commit"), commit(&row.until_sha))
    };
    let fixed = row.fixed_by_sha.as_deref().map(|sha| format!(" All is as before since {}.", commit(sha)));
    Entry {
        id: identity(&format!("{} regression {}", row.project, row.regression_id), created_at)
            .urn()
            .to_string(),
        title: Text::plain(format!("{series} slower on {machines}{change}: {}", row.state)),
        updated: row.updated_at.fixed_offset(),
        published: Some(row.created_at.fixed_offset()),
        authors: vec![Person { name: "Roundtrip".to_owned(), ..Person::default() }],
        links: vec![page(format!("/{}/regressions/{}", row.project, row.regression_id))],
        summary: Some(Text::plain(text(&format!("{blamed}{}", fixed.unwrap_or_default())))),
        ..Entry::default()
    }
}
