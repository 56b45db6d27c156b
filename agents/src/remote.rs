//! `roundtrip project` and `roundtrip job`: the projects of a server and the queue of its lab.

use crate::cli::Format;
use crate::cli::remote::{JobCommand, JobCreateArguments, ProjectCommand, ServerArguments};
use crate::failure::Failure;
use crate::http::{self, Refusal};
use crate::repository::{Git, Repository};
use crate::settings::Settings;
use crate::upload::{self, TIMEOUT};
use crate::{output, revision};
use chrono::{DateTime, Utc};
use roundtrip_wire::{CommitSha, Slug};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// The number of jobs in a list.
const LISTED_JOBS: u32 = 50;

/// The project that the user names, else the repository's.
pub(crate) fn project(asked: Option<&Slug>) -> crate::Result<Slug> {
    if let Some(project) = asked {
        return Ok(project.clone());
    }
    let repository = Repository::here()?;
    Ok(Settings::read(&repository.root)?.project(None, &repository.name))
}

pub(crate) fn projects(command: &ProjectCommand) -> crate::Result<()> {
    match command {
        ProjectCommand::Create { name, repository, default_branch, visibility, server } => {
            let new = NewProject {
                project: name,
                visibility: visibility.as_deref(),
                default_branch: default_branch.as_deref(),
                repository_url: repository.as_deref(),
            };
            let answer = Server::new(server)?.post("projects", &new)?;
            print(server, &answer, |_: &Value| format!("created project {name}"))
        }
        ProjectCommand::List { server } => {
            let answer = Server::new(server)?.all("projects", "projects")?;
            print(server, &answer, |projects: &Vec<Project>| {
                let rows = projects.iter().map(|row| {
                    let repository = row.repository_url.clone().unwrap_or_default();
                    [row.project.clone(), row.visibility.clone(), row.run_count.to_string(), repository]
                });
                output::table(["NAME", "VISIBILITY", "RUNS", "REPOSITORY"], rows, |column| column == 2)
            })
        }
        ProjectCommand::Show { name, server } => {
            let path = format!("projects/{}", project(name.as_ref())?);
            let answer = Server::new(server)?.get(&path)?;
            print(server, &answer, |row: &Project| {
                let or = |text: &Option<String>, none: &str| text.clone().unwrap_or_else(|| none.to_owned());
                fields([
                    ("Name", row.project.clone()),
                    ("Visibility", row.visibility.clone()),
                    ("Repository", or(&row.repository_url, "none")),
                    ("Default branch", or(&row.default_branch, "from the first run")),
                    ("Machines", row.machine_count.to_string()),
                    ("Commits", row.commit_count.to_string()),
                    ("Runs", row.run_count.to_string()),
                    ("Series", row.series_count.to_string()),
                ])
            })
        }
    }
}

pub(crate) fn jobs(command: &JobCommand) -> crate::Result<()> {
    match command {
        JobCommand::Create(arguments) => create(arguments),
        JobCommand::List { project: asked, server } => {
            let path = format!("projects/{}/jobs?limit={LISTED_JOBS}", project(asked.as_ref())?);
            let answer = Server::new(server)?.get(&path)?;
            print(server, &answer, |list: &JobList| {
                let rows = list.jobs.iter().map(|row| {
                    let (commit, created) = (row.commit_sha.clone(), time(row.created_at));
                    [
                        row.job_id.to_string(),
                        row.status.clone(),
                        commit,
                        machine(row),
                        row.reason.clone(),
                        created,
                    ]
                });
                let header = ["NUMBER", "STATUS", "COMMIT", "MACHINE", "REASON", "CREATED"];
                output::table(header, rows, |column| column == 0)
            })
        }
        JobCommand::Show { job_id, project: asked, server } => {
            let path = format!("projects/{}/jobs/{job_id}", project(asked.as_ref())?);
            let answer = Server::new(server)?.get(&path)?;
            print(server, &answer, detail)
        }
    }
}

fn create(arguments: &JobCreateArguments) -> crate::Result<()> {
    let JobCreateArguments { commits, machine, label, preset, base, branch, server, .. } = arguments;
    let project = project(arguments.project.as_ref())?;
    let new = NewJobs {
        commits: commits.iter().map(|revision| commit(revision)).collect::<crate::Result<_>>()?,
        base: base.as_deref().map(commit).transpose()?,
        branch: branch.as_deref(),
        machines: (!machine.is_empty()).then_some(machine),
        labels: label,
        preset: preset.as_deref(),
    };
    let answer = Server::new(server)?.post(&format!("projects/{project}/jobs"), &new)?;
    print(server, &answer, |queued: &Queued| {
        if queued.job_ids.is_empty() {
            eprintln!("these jobs are already queued");
        }
        queued.job_ids.iter().map(|job_id| format!("{job_id}\n")).collect()
    })
}

/// A full SHA needs no repository.
fn commit(revision: &str) -> crate::Result<CommitSha> {
    if let Ok(sha) = CommitSha::parse(revision) {
        return Ok(sha);
    }
    let git = Git::here();
    let root = git.root().map_err(|_| {
        Failure::Usage(format!("`{revision}`: not in a Git repository. Pass the full SHA of a commit."))
    })?;
    revision::resolve(&git, &root, revision)
}

fn detail(detail: &JobDetail) -> String {
    let JobDetail { job, attempts } = detail;
    let shown = |at: Option<DateTime<Utc>>| at.map_or_else(|| "not yet".to_owned(), time);
    let always = [
        ("Job", job.job_id.to_string()),
        ("Status", job.status.clone()),
        ("Commit", job.commit_sha.clone()),
        ("Machine", machine(job)),
        ("Created", time(job.created_at)),
        ("Started", shown(job.started_at)),
        ("Done", shown(job.done_at)),
    ];
    let sometimes = [("Base", &job.base_sha), ("Failure", &job.failure), ("Run", &job.done_by_run_id)];
    let sometimes = sometimes.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let mut text = fields(always.into_iter().chain(sometimes));
    for Attempt { ended_at, machine, outcome, reason, output } in attempts {
        let reason = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        text += &format!("\n\n{} on {machine}, {outcome}{reason}\n{}", time(*ended_at), output.trim_end());
    }
    text
}

fn machine(job: &Job) -> String {
    job.machine.clone().unwrap_or_else(|| "any".to_owned())
}

fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Lines of names and values.
fn fields(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    rows.into_iter().map(|(name, value)| format!("{name:<14}  {value}\n")).collect()
}

/// Prints the answer as it is, or for people.
fn print<A: for<'a> Deserialize<'a>>(
    arguments: &ServerArguments,
    answer: &Value,
    render: impl FnOnce(&A) -> String,
) -> crate::Result<()> {
    if arguments.format == Format::Json {
        return output::print_json(answer);
    }
    let text = render(&parsed(&arguments.server, answer)?);
    if text.is_empty() { Ok(()) } else { output::print(&text) }
}

/// The known part of an answer.
pub(crate) fn parsed<A: for<'a> Deserialize<'a>>(server: &str, answer: &Value) -> crate::Result<A> {
    A::deserialize(answer).map_err(|error| {
        Failure::Other(format!("unexpected response from {server}: {error}. Do the versions match?"))
    })
}

/// A server, with the token of the user.
#[derive(Clone)]
pub(crate) struct Server {
    /// Without a slash at the end.
    pub(crate) address: String,
    pub(crate) token: Option<String>,
}

impl Server {
    fn new(arguments: &ServerArguments) -> crate::Result<Self> {
        Self::at(&arguments.server, arguments.token_file.as_deref())
    }

    pub(crate) fn at(address: &str, token_file: Option<&Path>) -> crate::Result<Self> {
        upload::check_address(address)?;
        let token = token_file.map(upload::token_in).transpose()?;
        Ok(Self { address: address.trim_end_matches('/').to_owned(), token })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> crate::Result<Value> {
        let url = self.url(path);
        let sent = http::get(&url, TIMEOUT, self.token.as_deref());
        sent.and_then(|response| http::read(&url, response)).map_err(|refusal| self.failure(refusal))
    }

    /// Reads an answer of many pages, with retries while the server is busy or does not answer.
    pub(crate) fn read<A: DeserializeOwned>(&self, path: &str) -> crate::Result<A> {
        let url = self.url(path);
        let attempt = || http::read(&url, http::get(&url, TIMEOUT, self.token.as_deref())?);
        http::with_retries(attempt).map_err(|refusal| self.failure(refusal))
    }

    /// The members of all pages.
    fn all(&self, path: &str, member: &str) -> crate::Result<Value> {
        let mut all = Vec::new();
        let mut page = path.to_owned();
        loop {
            let mut answer = self.get(&page)?;
            if let Some(Value::Array(more)) = answer.get_mut(member).map(Value::take) {
                all.extend(more);
            }
            match answer.get("next_after").and_then(Value::as_str) {
                Some(after) => page = format!("{path}?after={after}"),
                None => return Ok(Value::Array(all)),
            }
        }
    }

    fn post(&self, path: &str, body: &impl Serialize) -> crate::Result<Value> {
        let url = self.url(path);
        let sent = http::post(&url, TIMEOUT, self.token.as_deref(), body);
        sent.and_then(|response| http::read(&url, response)).map_err(|refusal| self.failure(refusal))
    }

    /// Names the option that is probably missing.
    fn failure(&self, refusal: Refusal) -> Failure {
        match (refusal, &self.token) {
            (Refusal::Token(message), None) => Failure::Authentication(format!(
                "{message}. Pass --token-file; create a token with `roundtrip-server token create --kind user`."
            )),
            (refusal, _) => refusal.into(),
        }
    }
}

#[derive(Serialize)]
struct NewProject<'a> {
    project: &'a Slug,
    visibility: Option<&'a str>,
    default_branch: Option<&'a str>,
    repository_url: Option<&'a str>,
}

#[derive(Serialize)]
struct NewJobs<'a> {
    commits: Vec<CommitSha>,
    base: Option<CommitSha>,
    branch: Option<&'a str>,
    machines: Option<&'a Vec<Slug>>,
    labels: &'a [Slug],
    preset: Option<&'a str>,
}

// The parts of the answers that people read.

#[derive(Debug, Deserialize)]
struct Project {
    project: String,
    visibility: String,
    default_branch: Option<String>,
    repository_url: Option<String>,
    run_count: u64,
    commit_count: u64,
    machine_count: u64,
    series_count: u64,
}

#[derive(Debug, Deserialize)]
struct Queued {
    job_ids: Vec<i64>,
}

#[derive(Debug, Deserialize)]
struct JobList {
    jobs: Vec<Job>,
}

#[derive(Debug, Deserialize)]
struct JobDetail {
    #[serde(flatten)]
    job: Job,
    attempts: Vec<Attempt>,
}

#[derive(Debug, Deserialize)]
struct Job {
    job_id: i64,
    machine: Option<String>,
    commit_sha: String,
    base_sha: Option<String>,
    reason: String,
    status: String,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    done_at: Option<DateTime<Utc>>,
    failure: Option<String>,
    done_by_run_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Attempt {
    machine: String,
    ended_at: DateTime<Utc>,
    outcome: String,
    reason: Option<String>,
    output: String,
}
