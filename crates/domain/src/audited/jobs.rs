//! Jobs that users request.

use super::{commit, labels};
use crate::error::{DomainError, Kind};
use crate::queue::schedule::FORGOTTEN_AFTER;
use chrono::Utc;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::job::request::{self, Reason, Target, Wanted};
use roundtrip_storage::{self as db, agent, job, machine};
use roundtrip_wire::{CommitSha, Slug};
use serde::Deserialize;
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

const COMMITS_MAX: usize = 1_000;
const PRESET_BYTES_MAX: usize = 200;

/// The commits and machines to measure.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// The commits to measure, in this order; or use `after` and `until`.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 1000)]
    pub commits: Vec<CommitSha>,
    /// Measures the commits on the main line that follow this one and that a machine has not measured,
    #[schema(value_type = Option<String>)]
    pub after: Option<CommitSha>,
    /// up to this one.
    #[schema(value_type = Option<String>)]
    pub until: Option<CommitSha>,
    /// The base to compare each commit with, in pairs.
    #[schema(value_type = Option<String>)]
    pub base: Option<CommitSha>,
    /// Their pull request, which keeps the results out of trends. Needs `base`. Jobs for a fork are quarantined.
    #[schema(minimum = 1)]
    pub pull_request: Option<i64>,
    /// Their branch.
    #[schema(max_length = 255)]
    pub branch: Option<String>,
    /// The machines to measure on. The default is every machine with the labels.
    pub machines: Option<Vec<Slug>>,
    /// The labels that a machine needs.
    #[serde(default)]
    pub labels: Vec<Slug>,
    /// Measure only on the first free machine with the labels.
    #[serde(default)]
    pub on_any: bool,
    /// A preset, or the path of a definition in the repository. The default is the commit's `roundtrip.toml`.
    #[schema(max_length = 200, example = "quick")]
    pub preset: Option<String>,
    /// Whether the request comes from a push hook. Such jobs come after users' requests.
    #[serde(default)]
    pub is_push: bool,
}

/// Requests jobs, and returns the ids of the new ones. Commits that already have an open job are skipped.
pub async fn request_jobs(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    request: &JobRequest,
) -> Result<Vec<i64>, DomainError> {
    check_preset(request.preset.as_deref())?;
    let labels = labels(&request.labels)?;
    let mut transaction = pool.begin().await?;
    let place = (project.project_id, project.project.as_str());
    let machines = if request.on_any {
        Vec::new()
    } else {
        machines(&mut transaction, place, request.machines.as_deref(), &labels).await?
    };
    let pull_request = match request.pull_request {
        Some(number) => Some((number, is_fork(&mut transaction, project.project_id, number, request).await?)),
        None => None,
    };
    let reason = match (pull_request, request.is_push) {
        (Some(_), _) => Reason::PullRequest,
        (None, true) => Reason::Push,
        (None, false) => Reason::Request,
    };
    let mut job_ids = Vec::new();
    let now = Utc::now();
    let targets = machines.iter().map(|machine_id| Target::Machine(*machine_id));
    let any = request.on_any.then_some(Target::Any(&labels));
    for target in targets.chain(any) {
        let commits = commits(&mut transaction, request, project.project_id, target).await?;
        let wanted = Wanted {
            base_sha: request.base.as_ref().map(CommitSha::as_str),
            branch: request.branch.as_deref(),
            pull_request,
            preset: request.preset.as_deref(),
            requested_by: Some(&by.actor),
            ..Wanted::commits(reason, &commits)
        };
        job_ids.extend(request::request(&mut transaction, project.project_id, target, &wanted, now).await?);
    }
    let details = json!({"jobs": job_ids.len(), "first_job_id": job_ids.first()});
    commit(transaction, by, Action::JobRequest, ("project", &project.project), details).await?;
    Ok(job_ids)
}

/// Whether a pull request is known to come from a fork.
async fn is_fork(
    connection: &mut PgConnection,
    project_id: i64,
    number: i64,
    request: &JobRequest,
) -> Result<bool, DomainError> {
    if number < 1 {
        return Err(DomainError::parameter("pull_request", format!("{number}: expected a number from 1")));
    }
    if request.base.is_none() {
        let detail = "missing: a pull request is compared with the commit that it branched from";
        return Err(DomainError::parameter("base", detail));
    }
    Ok(request::is_fork(connection, project_id, number).await?)
}

/// Cancels an open job of a project.
pub async fn cancel_job(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    job_id: i64,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let job = job::find(&mut transaction, project.project_id, job_id).await?;
    job.ok_or_else(|| DomainError::unknown(Kind::Job, job_id))?;
    if request::cancel(&mut transaction, job_id, Utc::now()).await? {
        let details = json!({"project": project.project});
        commit(transaction, by, Action::JobCancel, ("job", job_id), details).await?;
    }
    Ok(())
}

/// The named machines, or all machines with the labels.
async fn machines(
    connection: &mut PgConnection,
    (project_id, project): (i64, &str),
    named: Option<&[Slug]>,
    labels: &[String],
) -> Result<Vec<i64>, DomainError> {
    let able = agent::machines_with(connection, project_id, labels, FORGOTTEN_AFTER).await?;
    let Some(named) = named else {
        if able.is_empty() {
            let detail = format!(
                "no agent of {project} with these labels was seen within a week: use other labels, or enrol an agent"
            );
            return Err(DomainError::parameter("labels", detail));
        }
        return Ok(able);
    };
    let mut machines = Vec::new();
    for name in named {
        let machine_id = machine::key(connection, name.as_str()).await?;
        let machine_id = machine_id.filter(|machine_id| able.contains(machine_id)).ok_or_else(|| {
            DomainError::parameter(
                "machines",
                format!("{name} has no agent of {project} with these labels that was seen within a week"),
            )
        })?;
        machines.push(machine_id);
    }
    Ok(machines)
}

async fn commits(
    connection: &mut PgConnection,
    request: &JobRequest,
    project_id: i64,
    target: Target<'_>,
) -> Result<Vec<String>, DomainError> {
    let (after, until) = match (&request.after, &request.until) {
        (None, None) if (1..=COMMITS_MAX).contains(&request.commits.len()) => {
            return Ok(request.commits.iter().map(ToString::to_string).collect());
        }
        (Some(after), Some(until)) if request.commits.is_empty() => (after, until),
        _ => {
            let detail = format!("expected 1 to {COMMITS_MAX} commits, or `after` and `until`");
            return Err(DomainError::parameter("commits", detail));
        }
    };
    let Target::Machine(machine_id) = target else {
        return Err(DomainError::parameter(
            "on_any",
            "not possible for a range of commits: use `machines` or `labels`",
        ));
    };
    let wanted = [after.to_string(), until.to_string()];
    let known = db::commit::find(connection, project_id, &wanted).await?;
    let ordinal = |sha: &CommitSha| {
        let row = known.iter().find(|row| row.sha == sha.as_str());
        row.map(|row| row.ordinal).ok_or_else(|| DomainError::unknown(Kind::Commit, sha))
    };
    let range = (ordinal(after)?, ordinal(until)?);
    let mut commits = request::unmeasured(connection, (project_id, machine_id), range).await?;
    commits.truncate(COMMITS_MAX);
    Ok(commits)
}

/// Rejects invalid names of presets and definitions.
pub(super) fn check_preset(preset: Option<&str>) -> Result<(), DomainError> {
    let is_plain = |preset: &str| {
        (1..=PRESET_BYTES_MAX).contains(&preset.len())
            && !preset.contains(char::is_control)
            && !preset.starts_with(['/', '-'])
            && !preset.split(['/', '\\']).any(|part| part == "..")
    };
    if preset.is_none_or(is_plain) {
        return Ok(());
    }
    Err(DomainError::parameter("preset", "expected the name of a preset, or a path within the repository"))
}
