//! `project`, `enrolment`, `agent` and `job`: set up a lab and queue its work.

use super::account::pool;
use super::columns::columns;
use crate::cli::{AgentCommand, DataArguments, EnrolmentCommand, JobCommand, ProjectCommand};
use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use roundtrip_domain::audited::jobs::{self, JobRequest};
use roundtrip_domain::audited::projects::{self, ProjectRequest};
use roundtrip_domain::audited::{agents, labels};
use roundtrip_storage::access::VisibleProjects;
use roundtrip_storage::access::owner::{self, ProjectRow};
use roundtrip_storage::audit::By;
use roundtrip_storage::job::{self, Filter, Job};
use roundtrip_storage::{agent, project};
use roundtrip_wire::Slug;
use sqlx::PgPool;

/// The number of jobs in a list.
const LISTED_JOBS: i64 = 50;

pub(crate) async fn project(command: ProjectCommand, data: &DataArguments) -> Result<()> {
    let pool = pool(data).await?;
    match command {
        ProjectCommand::Create { name, repository, default_branch, visibility } => {
            let new = ProjectRequest {
                project: name.clone(),
                visibility: Some(visibility),
                default_branch,
                repository_url: repository,
            };
            projects::create_project(&pool, &By::command_line(), &new, visibility).await?;
            eprintln!("created project {name}");
        }
        ProjectCommand::List => {
            let rows = visible(&pool, None).await?;
            let cells: Vec<_> = rows
                .into_iter()
                .map(|row| {
                    let repository = row.repository_url.unwrap_or_default();
                    [row.project, row.visibility.to_string(), row.run_count.to_string(), repository]
                })
                .collect();
            crate::print(&columns(["NAME", "VISIBILITY", "RUNS", "REPOSITORY"], &cells))?;
        }
        ProjectCommand::Show { name } => {
            let row = visible(&pool, Some(&name)).await?.pop().ok_or_else(|| unknown(&name))?;
            crate::print(&fields(&[
                ("Name", row.project),
                ("Visibility", row.visibility.to_string()),
                ("Repository", row.repository_url.unwrap_or_else(|| "none".to_owned())),
                ("Default branch", row.default_branch.unwrap_or_else(|| "from the first run".to_owned())),
                ("Machines", row.machine_count.to_string()),
                ("Commits", row.commit_count.to_string()),
                ("Runs", row.run_count.to_string()),
                ("Series", row.series_count.to_string()),
            ]))?;
        }
    }
    pool.close().await;
    Ok(())
}

pub(crate) async fn enrolment(command: EnrolmentCommand, data: &DataArguments) -> Result<()> {
    let EnrolmentCommand::Create { project, machine, label } = command;
    let pool = pool(data).await?;
    if let Some(project) = &project {
        find(&pool, project).await?;
    }
    let agent = (project.as_ref().map(Slug::as_str), machine.as_ref().map(Slug::as_str));
    let code = agents::create_enrolment(&pool, None, &By::command_line(), agent, &labels(&label)?).await?;
    pool.close().await;
    eprintln!("created an enrolment code, valid until {}; it is shown only once", time(code.expires_at));
    crate::print(code.secret.expose())
}

pub(crate) async fn agent(command: AgentCommand, data: &DataArguments) -> Result<()> {
    let AgentCommand::List { project } = command;
    let pool = pool(data).await?;
    let project = find(&pool, &project).await?;
    let rows = agent::of_project(&pool, project.project_id, "", i64::MAX).await;
    let cells: Vec<_> = rows
        .context("cannot read the agents")?
        .into_iter()
        .map(|row| {
            let state = match &row {
                row if !row.failing.is_empty() => "failing",
                row if !row.is_enabled => "disabled",
                row if !row.is_online => "offline",
                row if row.is_busy => "busy",
                _ => "online",
            };
            let system = format!("{} {}", row.os, row.arch);
            [row.machine, state.to_owned(), system, row.labels.join(","), time(row.last_seen_at)]
        })
        .collect();
    pool.close().await;
    crate::print(&columns(["MACHINE", "STATE", "SYSTEM", "LABELS", "LAST SEEN"], &cells))
}

pub(crate) async fn job(command: JobCommand, data: &DataArguments) -> Result<()> {
    let pool = pool(data).await?;
    match command {
        JobCommand::Create { project, commits, machine, label, preset, base, branch } => {
            let project = find(&pool, &project).await?;
            let request = JobRequest {
                commits,
                after: None,
                until: None,
                base,
                pull_request: None,
                branch,
                machines: (!machine.is_empty()).then_some(machine),
                labels: label,
                on_any: false,
                preset,
                is_push: false,
            };
            let job_ids = jobs::request_jobs(&pool, &By::command_line(), &project, &request).await?;
            if job_ids.is_empty() {
                eprintln!("these jobs are already queued");
            }
            job_ids.iter().try_for_each(|job_id| crate::print(&job_id.to_string()))?;
        }
        JobCommand::List { project } => {
            let project = find(&pool, &project).await?;
            let rows = job::list(&pool, project.project_id, Filter::default(), i64::MAX, LISTED_JOBS).await;
            let cells: Vec<_> = rows
                .context("cannot read the jobs")?
                .into_iter()
                .map(|row| {
                    let (machine, created) = (machine_of(&row), time(row.created_at));
                    [row.job_id.to_string(), row.status, row.commit_sha, machine, row.reason, created]
                })
                .collect();
            crate::print(&columns(["NUMBER", "STATUS", "COMMIT", "MACHINE", "REASON", "CREATED"], &cells))?;
        }
        JobCommand::Show { project, job_id } => show(&pool, &find(&pool, &project).await?, job_id).await?,
    }
    pool.close().await;
    Ok(())
}

async fn show(pool: &PgPool, project: &ProjectRow, job_id: i64) -> Result<()> {
    let found = job::find(&mut *pool.acquire().await?, project.project_id, job_id).await;
    let Some(job) = found.context("cannot read the job")? else {
        let project = &project.project;
        bail!(
            "job {job_id} not found in project {project}. See `roundtrip-server job list --project {project}`"
        );
    };
    let shown = |at: Option<DateTime<Utc>>| at.map_or_else(|| "not yet".to_owned(), time);
    let mut rows = vec![
        ("Job", job.job_id.to_string()),
        ("Status", job.status.clone()),
        ("Commit", job.commit_sha.clone()),
        ("Machine", machine_of(&job)),
        ("Created", time(job.created_at)),
        ("Started", shown(job.started_at)),
        ("Done", shown(job.done_at)),
    ];
    rows.extend(job.base_sha.map(|sha| ("Base", sha)));
    rows.extend(job.failure.map(|reason| ("Failure", reason)));
    rows.extend(job.done_by_run_id.map(|run_id| ("Run", run_id.to_string())));
    crate::print(&fields(&rows))?;
    for attempt in job::attempts(pool, job_id).await.context("cannot read the attempts")? {
        let reason = attempt.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let (ended, machine, outcome) = (time(attempt.ended_at), attempt.machine, attempt.outcome);
        crate::print(&format!("\n{ended} on {machine}, {outcome}{reason}\n{}", attempt.output.trim_end()))?;
    }
    Ok(())
}

/// All projects, or the named one.
async fn visible(pool: &PgPool, name: Option<&Slug>) -> Result<Vec<project::ProjectSummary>> {
    let all = VisibleProjects { all: true, public: true, projects: Vec::new() };
    let rows = project::list(pool, &all, name.map(Slug::as_str), "", i64::MAX).await;
    rows.context("cannot read the projects")
}

async fn find(pool: &PgPool, name: &Slug) -> Result<ProjectRow> {
    let found = owner::project(pool, name.as_str()).await.context("cannot read the project")?;
    found.ok_or_else(|| unknown(name))
}

fn unknown(name: &Slug) -> anyhow::Error {
    anyhow::anyhow!("project {name} not found. See `roundtrip-server project list`")
}

fn machine_of(job: &Job) -> String {
    job.machine.clone().unwrap_or_else(|| "any".to_owned())
}

fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Lines of names and values.
fn fields(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines = rows.iter().map(|(name, value)| format!("{name:width$}  {value}"));
    lines.collect::<Vec<_>>().join("\n")
}
