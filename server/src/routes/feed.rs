//! Atom feeds (RFC 4287) of a project's runs and regressions, for feed readers and chat channels.
//!
//! Links are relative. Readers resolve them against the feed's address, which a server behind a proxy does not know.
//! Ids are not addresses, so that they stay the same when the server moves.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::badge::xml_text;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use atom_syndication::{Entry, Feed, Generator, Link, Person, Text};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::notify;
use roundtrip_domain::units::counted;
use roundtrip_storage as db;
use roundtrip_storage::regression::{self, Filter, Regression, RegressionKind, State as Progress};
use roundtrip_storage::run::RunSummary;
use roundtrip_wire::Slug;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// The maximum number of entries in a feed.
const ENTRIES: i64 = 50;
const MEDIA_TYPE: &str = "application/atom+xml";

/// A feed without its entries.
struct Head<'a> {
    /// The id of the feed: see [`identity`].
    id: Uuid,
    title: &'a str,
    project: &'a Slug,
    /// Its name in the addresses of the feed and of the web page with the same content.
    name: &'a str,
    /// The start of the feed: its update time while it has no entries.
    created_at: DateTime<Utc>,
}

fn answer(head: &Head<'_>, entries: Vec<Entry>) -> Result<Response, ApiError> {
    let Head { id, title, project, name, created_at } = head;
    let updated = entries.iter().map(|entry| entry.updated).max();
    let own = format!("/api/v1/projects/{project}/{name}.atom");
    let feed = Feed {
        id: id.urn().to_string(),
        title: Text::plain(format!("{title} of {project}")),
        updated: updated.unwrap_or_else(|| created_at.fixed_offset()),
        links: vec![link("self", own, MEDIA_TYPE), page(format!("/{project}/{name}"))],
        generator: Some(Generator {
            value: "Roundtrip".into(),
            uri: None,
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
        entries,
        ..Feed::default()
    };
    let document = feed.write_to(Vec::new()).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], document).into_response())
}

/// A stable UUID, different for a project with the same name on another server.
fn identity(what: &str, created_at: DateTime<Utc>) -> Uuid {
    let hash = Sha256::digest(format!("{what} {}", created_at.timestamp_micros()));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// The link to the web page of a feed or entry.
fn page(href: String) -> Link {
    link("alternate", href, "text/html")
}

fn link(relation: &str, href: String, media_type: &str) -> Link {
    Link { rel: relation.into(), href, mime_type: Some(media_type.into()), ..Link::default() }
}

fn text(text: &str) -> String {
    xml_text(text).trim().to_owned()
}

/// The author's name for commits without an author.
const UNKNOWN_AUTHOR: &str = "unknown";

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
    let rows =
        db::run::list(&state.pool, project_id, db::run::Filter::default(), Uuid::max(), ENTRIES).await?;
    let entries = rows.iter().map(entry_of_run).collect();
    let project = &path.project;
    let id = identity(project.as_str(), created_at);
    answer(&Head { id, title: "Runs", project, name: "runs", created_at }, entries)
}

fn entry_of_run(run: &RunSummary) -> Entry {
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
            name: Some(text(&run.commit.author))
                .filter(|name| !name.is_empty())
                .unwrap_or(UNKNOWN_AUTHOR.into()),
            ..Person::default()
        }],
        links: vec![page(format!("/{}/runs/{}", run.project, run.run_id))],
        summary: Some(Text::plain(text(&run.commit.subject))),
        ..Entry::default()
    }
}

/// States of the regressions in the feed, without false alarms and machine issues.
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
    let created_at = db::project::created_at(&state.pool, project_id).await?;
    let filter =
        Filter { states: STATES.to_vec(), direction: Some(Direction::Regressed), ..Filter::default() };
    let rows = regression::list(&state.pool, project_id, &filter, i64::MAX, ENTRIES).await?;
    let entries = rows.iter().map(|row| entry_of_regression(row, created_at)).collect();
    let project = &path.project;
    let id = identity(&format!("{project} regressions"), created_at);
    answer(&Head { id, title: "Regressions", project, name: "regressions", created_at }, entries)
}

fn entry_of_regression(row: &Regression, created_at: DateTime<Utc>) -> Entry {
    Entry {
        id: identity(&format!("{} regression {}", row.project, row.regression_id), created_at)
            .urn()
            .to_string(),
        title: Text::plain(format!("{}: {}", title_of(row), row.state)),
        updated: row.updated_at.fixed_offset(),
        published: Some(row.created_at.fixed_offset()),
        authors: vec![Person { name: "Roundtrip".to_owned(), ..Person::default() }],
        links: vec![page(format!("/{}/regressions/{}", row.project, row.regression_id))],
        summary: Some(Text::plain(text(&summary_of(row)))),
        ..Entry::default()
    }
}

/// The slower or faster series, and the change.
pub(super) fn title_of(row: &Regression) -> String {
    let change = match row.kind {
        RegressionKind::Drift => {
            format!(", {}", notify::drift(row.worst_change, row.series_count, &row.after_commit.sha))
        }
        RegressionKind::Step => {
            row.worst_change.map(|change| format!(", by {:.1} %", change.abs() * 100.0)).unwrap_or_default()
        }
    };
    let compared = match row.direction {
        Direction::Regressed => "slower",
        Direction::Improved => "faster",
    };
    format!("{} series {compared} on {}{change}", row.series_count, row.machines.join(", "))
}

/// The suspect commits, and the fix.
pub(super) fn summary_of(row: &Regression) -> String {
    let commit = |sha: &str| sha.chars().take(7).collect::<String>();
    let commits = row.until_commit.ordinal - row.after_commit.ordinal;
    let until = commit(&row.until_commit.sha);
    let blamed = match row.kind {
        RegressionKind::Drift => format!("Small steps over {} up to {until}.", counted(commits, "commit")),
        RegressionKind::Step if commits <= 1 => format!("Caused by {until}."),
        RegressionKind::Step => format!("Caused by one of {} up to {until}.", counted(commits, "commit")),
    };
    let fixed = row.fixed_by_commit.as_ref();
    let fixed = fixed.map(|fix| format!(" Back to baseline since {}.", commit(&fix.sha)));
    format!("{blamed}{}", fixed.unwrap_or_default())
}
