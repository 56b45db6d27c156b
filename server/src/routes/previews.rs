//! Link previews: the tags (Open Graph) and pictures that chats show for a link to a page.
//!
//! Chats send no session, so only public pages have previews. Other pages of a project show the project's preview.

use super::badges::{BadgeQuantile, case, newest};
use super::feed::{summary_of, title_of};
use super::permitted;
use super::projects::ProjectPath;
use super::regressions::{RegressionPath, find};
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
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::units::{NO_BREAK, counted, value};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangePointRow, Figure};
use roundtrip_storage::point::{Lines, Selection, SeriesKey};
use roundtrip_storage::series::SeriesRow;
use roundtrip_wire::{Case, Slug};
use std::time::Duration;

const MEDIA_TYPE: &str = "image/png";
/// A page is more urgent than its preview.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The points of a trend.
const POINTS_MAX: i64 = 120;
/// The commits before and after a change.
const AROUND: i64 = 60;

/// A page of the web interface, with its preview.
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

/// The texts of a page, and the path of its picture.
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
            of_regression(state, caller, &RegressionPath { project: project.clone(), regression_id })
                .await?
                .0,
            format!("/api/v1/projects/{project}/regressions/{regression_id}/card.png"),
        ),
        (Some(&"series"), Some(series_id)) => {
            let row = permitted::one_series(state, caller, series_id).await?;
            (of_series(state, row).await?.0, format!("/api/v1/series/{series_id}/card.png"))
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
    let (card, direction) = of_regression(&state, &caller, &path).await?;
    let trend = trend_of_regression(&state, path.regression_id, direction).await?;
    answer(Card { trend, ..card }).await
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
    let row = permitted::one_series(&state, &caller, path.series_id).await?;
    let key = row.key();
    let (card, case) = of_series(&state, row).await?;
    let newest = Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: POINTS_MAX, lines: Lines::Main };
    let trend = trend(&state, key, &case, &newest, None).await?;
    answer(Card { trend, ..card }).await
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

/// The texts for a regression, and its direction.
async fn of_regression(
    state: &AppState,
    caller: &access::Caller,
    RegressionPath { project, regression_id }: &RegressionPath,
) -> Result<(Card, Direction), ApiError> {
    let found = permitted::project(state, caller, Action::Read, project).await?;
    let regression = find(state, found.project_id, *regression_id).await?;
    let (headline, detail) = (title_of(&regression), summary_of(&regression));
    Ok((Card { project: found.project, headline, detail, trend: None }, regression.direction))
}

/// The trend of a regression's worst series.
async fn trend_of_regression(
    state: &AppState,
    regression_id: i64,
    direction: Direction,
) -> Result<Option<Trend>, ApiError> {
    let changes = db::change_point::of_regressions(&state.pool, &[regression_id]).await?;
    // The trend is that of the p50, so its changes come before those of other figures.
    let is_p50 = |change: &ChangePointRow| change.found.track.figure == Figure::P50;
    let size = |change: &ChangePointRow| change.found.change().abs();
    let worst = changes
        .into_iter()
        .filter(|change| change.direction() == direction)
        .max_by(|one, other| is_p50(one).cmp(&is_p50(other)).then(size(one).total_cmp(&size(other))));
    let Some(worst) = worst else { return Ok(None) };
    let Some(row) = db::series::find(&state.pool, &[worst.found.track.series_id]).await?.pop() else {
        return Ok(None);
    };
    let ordinal = worst.found.ordinal;
    let around = Selection {
        from_ordinal: ordinal - AROUND,
        to_ordinal: ordinal + AROUND,
        last: POINTS_MAX,
        lines: Lines::Main,
    };
    trend(state, row.key(), &row.into_series()?.case, &around, Some(ordinal)).await
}

/// The texts for a series, and its case.
async fn of_series(state: &AppState, row: SeriesRow) -> Result<(Card, Case), ApiError> {
    let p50_ns = newest(state, &row, BadgeQuantile::P50).await?;
    let db::series::Series { project, machine, transport, case: of_series, .. } = row.into_series()?;
    let name = case(&transport.slug, &of_series);
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let headline = match p50_ns {
        Some(ns) => format!("{name}: p50 {}", value(&of_series, ns as f64)),
        None => name,
    };
    Ok((Card { project, headline, detail: format!("On {machine}"), trend: None }, of_series))
}

/// The p50 of a series at some commits; from an ordinal it is a new level. Imported summaries have none.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
async fn trend(
    state: &AppState,
    key: SeriesKey,
    case: &Case,
    selection: &Selection<'_>,
    new_from: Option<i64>,
) -> Result<Option<Trend>, ApiError> {
    let rows = db::point::selected(&state.pool, &[key], selection).await?;
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
