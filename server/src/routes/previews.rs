//! Link previews: the tags (Open Graph) and pictures that chats show for a link to a page.
//!
//! Chats ask without a session, so pages only have previews of what everyone can read. Every page without a preview of its own has
//! that of its project.

use super::badges::case;
use super::feed::{summary_of, title_of};
use super::permitted;
use super::projects::ProjectPath;
use super::regressions::RegressionPath;
use super::series::SeriesPath;
use crate::AppState;
use crate::assets;
use crate::card::{self, Card, Trend};
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use quick_xml::escape::escape;
use roundtrip_domain::access::{self, Action};
use roundtrip_domain::error::Kind;
use roundtrip_domain::units::{NO_BREAK, counted, value};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangePointRow, Figure};
use roundtrip_storage::point::{Lines, Selection, SeriesKey};
use roundtrip_wire::{Case, Slug};
use std::time::Duration;

const MEDIA_TYPE: &str = "image/png";
/// A page is more urgent than its preview.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The points of a trend.
const POINTS_MAX: i64 = 120;
/// The commits before and after a change.
const AROUND: i64 = 60;

/// A page of the web interface, with the preview of what it shows.
pub(crate) async fn page(state: &AppState, uri: &Uri, headers: &HeaderMap) -> Response {
    if let Some(file) = assets::file(uri.path(), headers) {
        return file;
    }
    let anyone = access::Caller::stranger(state.auth.is_private());
    let preview = tokio::time::timeout(TIMEOUT, preview(state, &anyone, uri.path())).await;
    // The page itself reports errors.
    let tags = preview.ok().and_then(Result::ok).flatten().map(|(card, picture)| {
        let address = format!("{}{picture}", state.notifier().public_url());
        tags(&card, &address)
    });
    assets::index(&tags.unwrap_or_default())
}

/// What a page shows, and the path of its picture.
async fn preview(
    state: &AppState,
    caller: &access::Caller,
    path: &str,
) -> Result<Option<(Card, String)>, ApiError> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let Some(project) = parts.first().and_then(|name| Slug::parse(name).ok()) else { return Ok(None) };
    let number = parts.get(2).and_then(|number| number.parse::<i64>().ok());
    Ok(Some(match (parts.get(1), number) {
        (Some(&"regressions"), Some(regression_id)) => (
            of_regression(state, caller, &RegressionPath { project: project.clone(), regression_id }).await?,
            format!("/api/v1/projects/{project}/regressions/{regression_id}/card.png"),
        ),
        (Some(&"series"), Some(series_id)) => {
            (of_series(state, caller, series_id).await?, format!("/api/v1/series/{series_id}/card.png"))
        }
        _ => (of_project(state, caller, &project).await?, format!("/api/v1/projects/{project}/card.png")),
    }))
}

/// The tags of a page. Slack, Discord, Teams, Mastodon and others read them.
fn tags(Card { project, headline, detail, .. }: &Card, picture: &str) -> String {
    let plain = |text: &str| escape(text.replace(NO_BREAK, " ")).into_owned();
    let (width, height) = (card::WIDTH.to_string(), card::HEIGHT.to_string());
    let tag =
        |name: &str, content: &str| format!("<meta property=\"{name}\" content=\"{}\" />", plain(content));
    [
        tag("og:type", "website"),
        tag("og:site_name", &format!("Roundtrip: {project}")),
        tag("og:title", headline),
        tag("og:description", detail),
        tag("og:image", picture),
        tag("og:image:alt", headline),
        tag("og:image:width", &width),
        tag("og:image:height", &height),
        "<meta name=\"twitter:card\" content=\"summary_large_image\" />".to_owned(),
    ]
    .concat()
}

/// Picture of a project for link previews.
#[utoipa::path(get, path = "/api/v1/projects/{project}/card.png", tag = "projects", params(ProjectPath), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub(crate) async fn card_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    answer(of_project(&state, &caller, &path.project).await?).await
}

/// Picture of a regression for link previews: its worst series.
#[utoipa::path(get, path = "/api/v1/projects/{project}/regressions/{regression_id}/card.png", tag = "regressions",
    params(RegressionPath), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub(crate) async fn card_of_regression(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
) -> Result<Response, ApiError> {
    answer(of_regression(&state, &caller, &path).await?).await
}

/// Picture of a series for link previews.
#[utoipa::path(get, path = "/api/v1/series/{series_id}/card.png", tag = "series", params(SeriesPath), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub(crate) async fn card_of_series(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
) -> Result<Response, ApiError> {
    answer(of_series(&state, &caller, path.series_id).await?).await
}

/// Drawing takes some 20 ms of processor time.
async fn answer(card: Card) -> Result<Response, ApiError> {
    let png = tokio::task::spawn_blocking(move || card.png()).await.map_err(ApiError::internal)?;
    let png = png.map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], png).into_response())
}

async fn of_project(state: &AppState, caller: &access::Caller, project: &Slug) -> Result<Card, ApiError> {
    let found = permitted::project(state, caller, Action::Read, project).await?;
    let headline = match db::regression::open_count(&state.pool, found.project_id).await? {
        None => "No results yet".to_owned(),
        Some(0) => "No open regressions".to_owned(),
        Some(count) => format!("{} open", counted(count, "regression")),
    };
    let detail = "IPC latency for each commit".to_owned();
    Ok(Card { project: found.project, headline, detail, trend: None })
}

async fn of_regression(
    state: &AppState,
    caller: &access::Caller,
    path: &RegressionPath,
) -> Result<Card, ApiError> {
    let RegressionPath { project, regression_id } = path;
    let found = permitted::project(state, caller, Action::Read, project).await?;
    let regression = db::regression::find(&state.pool, found.project_id, *regression_id).await?;
    let regression = regression.ok_or_else(|| ApiError::unknown(Kind::Regression, regression_id))?;
    let changes = db::change_point::of_regressions(&state.pool, &[*regression_id]).await?;
    // The trend is that of the p50, so its changes come before those of other figures.
    let is_p50 = |change: &ChangePointRow| change.found.track.figure == Figure::P50;
    let size = |change: &ChangePointRow| change.found.change().abs();
    let worst = changes
        .into_iter()
        .filter(|change| change.direction() == regression.direction)
        .max_by(|one, other| is_p50(one).cmp(&is_p50(other)).then(size(one).total_cmp(&size(other))));
    let headline = title_of(&regression);
    let detail = summary_of(&regression);
    let Some(worst) = worst else {
        return Ok(Card { project: found.project, headline, detail, trend: None });
    };
    let ordinal = worst.found.ordinal;
    let around = Selection {
        from_ordinal: ordinal - AROUND,
        to_ordinal: ordinal + AROUND,
        last: POINTS_MAX,
        lines: Lines::Main,
    };
    let series_id = worst.found.track.series_id;
    let (_, trend) = series(state, caller, series_id, &around, Some(ordinal)).await?;
    Ok(Card { project: found.project, headline, detail, trend })
}

async fn of_series(state: &AppState, caller: &access::Caller, series_id: i64) -> Result<Card, ApiError> {
    let newest = Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: POINTS_MAX, lines: Lines::Main };
    let (found, trend) = series(state, caller, series_id, &newest, None).await?;
    let name = case(&found.transport.slug, &found.case);
    let headline = match &trend {
        Some(trend) => format!("{name}: p50 {}", trend.labels[2]),
        None => name,
    };
    Ok(Card { project: found.project, headline, detail: format!("On {}", found.machine), trend })
}

/// A series, and its p50 at some commits; from an ordinal it is a new level.
async fn series(
    state: &AppState,
    caller: &access::Caller,
    series_id: i64,
    selection: &Selection<'_>,
    new_from: Option<i64>,
) -> Result<(db::series::Series, Option<Trend>), ApiError> {
    let keys = permitted::series(state, caller, &[series_id]).await?;
    let row = db::series::find(&state.pool, &[series_id]).await?.into_iter().next();
    let row = row.ok_or_else(|| ApiError::unknown(Kind::Series, series_id))?;
    let is_stated = row.is_stated();
    let series = row.into_series()?;
    // Imported summaries have no points.
    let trend = if is_stated { None } else { trend(state, &keys, selection, new_from, &series.case).await? };
    Ok((series, trend))
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
async fn trend(
    state: &AppState,
    keys: &[SeriesKey],
    selection: &Selection<'_>,
    new_from: Option<i64>,
    case: &Case,
) -> Result<Option<Trend>, ApiError> {
    let rows = db::point::selected(&state.pool, keys, selection).await?;
    let points: Vec<(f64, bool)> = rows
        .iter()
        .map(|row| {
            let is_new = new_from.is_some_and(|ordinal| row.commit_ordinal >= ordinal);
            (row.latency_ns.p50 as f64, is_new)
        })
        .collect();
    let Some((last, _)) = points.last() else { return Ok(None) };
    let values = || points.iter().map(|(value, _)| *value);
    let ends = [values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max), *last];
    let labels = ends.map(|stored| value(case, stored));
    Ok(Some(Trend { points, labels }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_tags() {
        let card = Card {
            project: "libfoo".into(),
            headline: "\"<script>\" & more".into(),
            detail: format!("20{NO_BREAK}%"),
            trend: None,
        };
        let tags = tags(&card, "https://example.org/card.png");
        assert!(tags.contains("content=\"&quot;&lt;script&gt;&quot; &amp; more\""), "{tags}");
        assert!(tags.contains("content=\"20 %\""), "{tags}");
    }
}
