//! The newest runs of a project as an Atom feed (RFC 4287), for feed readers and chat channels.
//!
//! Links are relative: a reader resolves them against the address that it has the feed from, which the server behind a
//! proxy does not know. Identities are not addresses, so that they stay when the server moves.

use super::projects::{ProjectPath, project_id};
use super::runs::RunSummary;
use crate::extract::{Caller, Path};
use crate::{AppState, db, error::ApiError};
use atom_syndication::{Entry, Feed, Generator, Link, Person, Text};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// How many runs a feed has.
const RUNS: i64 = 50;
const MEDIA_TYPE: &str = "application/atom+xml";
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
    let created_at = db::project::created_at(&state.pool, project_id).await?;
    let rows = db::run::list(&state.pool, project_id, db::run::Filter::default(), Uuid::max(), RUNS).await?;
    let runs: Vec<_> = rows.into_iter().map(RunSummary::from).collect();
    let feed = feed(path.project.as_str(), created_at, &runs);
    let document = feed.write_to(Vec::new()).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], document).into_response())
}

fn feed(project: &str, created_at: DateTime<Utc>, runs: &[RunSummary]) -> Feed {
    let updated = runs.iter().map(|run| run.received_at).max().unwrap_or(created_at);
    Feed {
        id: feed_id(project, created_at).urn().to_string(),
        title: Text::plain(format!("Runs of {project}")),
        updated: updated.fixed_offset(),
        links: vec![
            link("self", format!("/api/v1/projects/{project}/runs.atom"), MEDIA_TYPE),
            link("alternate", format!("/{project}/runs"), "text/html"),
        ],
        generator: Some(Generator {
            value: "Roundtrip".into(),
            uri: None,
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
        entries: runs.iter().map(entry).collect(),
        ..Feed::default()
    }
}

fn entry(run: &RunSummary) -> Entry {
    let commit: String = run.commit.sha.chars().take(7).collect();
    let what = [
        Some(counted(run.point_count, "result")),
        Some(counted(run.failure_count, "failure")).filter(|_| run.failure_count > 0),
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
        links: vec![link("alternate", format!("/{}/runs/{}", run.project, run.run_id), "text/html")],
        summary: Some(Text::plain(text(&run.commit.subject))),
        ..Entry::default()
    }
}

/// The same for as long as the project is, and another one for a project of that name on another server.
fn feed_id(project: &str, created_at: DateTime<Utc>) -> Uuid {
    let hash = Sha256::digest(format!("{project} {}", created_at.timestamp_micros()));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

fn link(relation: &str, href: String, media_type: &str) -> Link {
    Link { rel: relation.into(), href, mime_type: Some(media_type.into()), ..Link::default() }
}

fn counted(count: i32, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// What XML can hold of a text: no control characters.
fn text(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}'))
        .collect::<String>()
        .trim()
        .to_owned()
}
