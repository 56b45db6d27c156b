//! The inbox: changes that one cause explains, and what people say of them.

use super::charts::changes::{ChangeCause, ChangePoint};
use super::permitted;
use super::projects::{ProjectPath, project_id};
use super::runs::CommitSummary;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, CommaSeparated, Cursor, Json as Body, Page, Paged, Path, present};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::analysis;
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::audited::regressions::{TriageChange, triage};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::regression::{self, Filter, Row, State as Progress};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest note, in characters.
const NOTE_MAX: usize = 4_000;
/// The longest address.
const URL_MAX: usize = 2_000;

/// Regressions of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegressionList {
    /// The newest first.
    pub regressions: Vec<Regression>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// Changes of several series that one cause explains, for the worse or the better.
#[derive(Debug, Serialize, ToSchema)]
pub struct Regression {
    /// Its number in links.
    pub regression_id: i64,
    /// Of which project.
    pub project: String,
    /// For the worse or the better.
    pub direction: Direction,
    /// How far somebody is with it.
    pub state: Progress,
    /// What made it.
    pub cause: ChangeCause,
    /// Why nobody is alerted of it; null when somebody is.
    #[schema(required)]
    pub held_because: Option<String>,
    /// The newest commit that was measured before all of its changes: none of the culprits.
    pub after_commit: CommitPlace,
    /// The oldest commit that was measured after all of them: the last of the culprits.
    pub until_commit: CommitPlace,
    /// The commit from which on all is as it was before.
    #[schema(required)]
    pub fixed_by_commit: Option<CommitPlace>,
    /// Series that changed.
    pub series_count: i64,
    /// Machines on which they did, by name.
    pub machines: Vec<String>,
    /// The largest of the changes, as a share: of p50 where a series has one.
    #[schema(required)]
    pub worst_change: Option<f64>,
    /// The account that looks after it.
    #[schema(required)]
    pub assignee: Option<String>,
    /// What people say of it.
    #[schema(required)]
    pub note: Option<String>,
    /// Where it is talked about.
    #[schema(required)]
    pub bug_url: Option<String>,
    /// Until when nobody is told of it.
    #[schema(required)]
    pub muted_until: Option<DateTime<Utc>>,
    /// When its first change was found.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// A commit and its place.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CommitPlace {
    /// Full object name.
    pub sha: String,
    /// Commits on the first-parent path from the root, itself included.
    pub ordinal: i64,
}

/// A regression with all that is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegressionDetail {
    /// The regression.
    pub regression: Regression,
    /// Its changes, and those that took them back.
    pub change_points: Vec<ChangePoint>,
    /// The commits that may have made it, the most probable first; none where a machine did.
    pub culprits: Vec<Culprit>,
}

/// A commit that may have made a regression.
#[derive(Debug, Serialize, ToSchema)]
pub struct Culprit {
    /// The commit.
    pub commit: CommitSummary,
    /// How probable it is.
    pub probability: f64,
    /// Whether any run measured it; where not, it shares the probability of the next one that was.
    pub measured: bool,
}

/// Which regressions are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RegressionQuery {
    /// In these states: new, acknowledged, fixed, invalid or machine, separated by commas; in any unless it is said.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "new,acknowledged")]
    pub state: CommaSeparated<Progress>,
    /// For the worse, or the better.
    #[param(value_type = Option<Direction>, inline)]
    pub direction: Option<Direction>,
    /// Whether those that are muted or held are wanted, too.
    #[param(default = false)]
    pub quiet: Option<bool>,
}

/// What people say; what is absent stays, null takes it away.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegressionChange {
    /// How far they are.
    pub state: Option<Progress>,
    /// The name of the account that looks after it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub assignee: Option<Option<Slug>>,
    /// What they say of it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 4000)]
    pub note: Option<Option<String>>,
    /// Where it is talked about: an address that begins with https:// or http://.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub bug_url: Option<Option<String>>,
    /// Until when nobody is told of it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub muted_until: Option<Option<DateTime<Utc>>>,
}

/// A regression in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RegressionPath {
    /// The project's name.
    pub project: Slug,
    /// The regression's number.
    pub regression_id: i64,
}

/// The regressions of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions", tag = "regressions",
    params(ProjectPath, RegressionQuery, Page), responses(
    (status = 200, description = "The regressions, the newest first", body = RegressionList),
))]
pub(crate) async fn list_regressions(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    asked: Paged<RegressionQuery, i64>,
) -> Result<Json<RegressionList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = Filter {
        states: asked.query.state.0.clone(),
        direction: asked.query.direction,
        with_quiet: asked.query.quiet.unwrap_or(false),
    };
    let before = asked.after.unwrap_or(i64::MAX);
    let rows = regression::list(&state.pool, project_id, &filter, before, asked.row_limit()).await?;
    let (rows, next_after) = asked.cut(rows, |row| row.regression_id);
    let regressions = rows.into_iter().map(Regression::try_from).collect::<Result<_, _>>()?;
    Ok(Json(RegressionList { regressions, next_after }))
}

/// One regression with its changes, and the commits that may have made it.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions/{regression_id}", tag = "regressions",
    params(RegressionPath), responses(
    (status = 200, description = "The regression", body = RegressionDetail),
))]
pub(crate) async fn get_regression(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
) -> Result<Json<RegressionDetail>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    Ok(Json(detail(&state, project.project_id, path.regression_id).await?))
}

/// Changes what people say of a regression.
#[utoipa::path(
    patch, path = "/api/v1/projects/{project}/regressions/{regression_id}", tag = "regressions",
    params(RegressionPath), request_body = RegressionChange,
    security(("token" = ["project:write"]), ("session" = [])), responses(
    (status = 200, description = "The regression as it is now", body = RegressionDetail),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn change_regression(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
    Body(change): Body<RegressionChange>,
) -> Result<Json<RegressionDetail>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Acknowledge, &path.project).await?;
    check(&change)?;
    let RegressionChange { state: progress, assignee, note, bug_url, muted_until } = change;
    let assignee = assignee.map(|name| name.map(|name| name.to_string()));
    let change = TriageChange { state: progress, assignee, note, bug_url, muted_until };
    triage(&state.pool, &caller.by(), &project, path.regression_id, change).await?;
    Ok(Json(detail(&state, project.project_id, path.regression_id).await?))
}

fn check(change: &RegressionChange) -> Result<(), ApiError> {
    if let Some(Some(note)) = &change.note
        && note.chars().count() > NOTE_MAX
    {
        let detail = format!("{} characters: expected at most {NOTE_MAX}", note.chars().count());
        return Err(ApiError::parameter("note", detail));
    }
    if let Some(Some(url)) = &change.bug_url {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || url.len() > URL_MAX || url.contains(|c: char| c.is_control() || c.is_whitespace()) {
            let detail = format!(
                "expected an address of at most {URL_MAX} bytes that begins with https:// or http://"
            );
            return Err(ApiError::parameter("bug_url", detail));
        }
    }
    Ok(())
}

async fn detail(state: &AppState, project_id: i64, regression_id: i64) -> Result<RegressionDetail, ApiError> {
    let row = regression::find(&state.pool, project_id, regression_id)
        .await?
        .ok_or_else(|| ApiError::unknown(Kind::Regression, regression_id))?;
    let changes = db::change_point::of_regressions(&state.pool, &[regression_id]).await?;
    let regression = Regression::try_from(row)?;
    let culprits = if regression.cause == ChangeCause::Machine {
        Vec::new()
    } else {
        let direction = regression.direction;
        let made_it = changes.iter().filter(|change| Direction::of(change.found.change()) == direction);
        let ranked = analysis::culprits::rank(&state.pool, project_id, made_it).await?;
        ranked.into_iter().map(Culprit::from).collect()
    };
    let change_points = changes.into_iter().map(ChangePoint::from).collect();
    Ok(RegressionDetail { regression, change_points, culprits })
}

impl TryFrom<Row> for Regression {
    type Error = ApiError;

    fn try_from(row: Row) -> Result<Self, ApiError> {
        let place = |(sha, ordinal)| CommitPlace { sha, ordinal };
        Ok(Self {
            direction: row.direction,
            state: row.state,
            cause: row.cause()?.into(),
            regression_id: row.regression_id,
            project: row.project,
            held_because: row.held_because,
            after_commit: place((row.after_sha, row.after_ordinal)),
            until_commit: place((row.until_sha, row.until_ordinal)),
            fixed_by_commit: row.fixed_by_sha.zip(row.fixed_by_ordinal).map(place),
            series_count: row.series_count,
            machines: row.machines,
            worst_change: row.worst_change,
            assignee: row.assignee,
            note: row.note,
            bug_url: row.bug_url,
            muted_until: row.muted_until_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

impl From<analysis::culprits::Suspect> for Culprit {
    fn from(suspect: analysis::culprits::Suspect) -> Self {
        Self { commit: suspect.commit.into(), probability: suspect.probability, measured: suspect.measured }
    }
}
