//! The two sides of a comparison: commits, runs, machines and environments.

use crate::commit::CommitSummary;
use chrono::{DateTime, Utc};
use roundtrip_wire::Canary;
use sqlx::PgPool;
use sqlx::types::Json;
use std::collections::BTreeMap;
use uuid::Uuid;

/// A commit, and one of its runs if given.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables commit and run, described there")]
pub struct SideRow {
    pub commit_id: i64,
    pub commit: CommitSummary,
    pub run_id: Option<Uuid>,
}

/// A machine that measured a side.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table machine, described there")]
pub struct MachineRow {
    pub machine_id: i64,
    pub slug: String,
    pub os: String,
    pub arch: String,
}

/// The environment, build and canaries of a run, and which measurement it is part of.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and environment, described there")]
pub struct SurroundingsRow {
    pub run_id: Uuid,
    pub build: String,
    pub stable: Json<BTreeMap<String, String>>,
    pub canaries: Json<Vec<Canary>>,
    pub job_id: Option<i64>,
    pub order_seed: String,
    pub started_at: DateTime<Utc>,
}

/// A commit of a project.
pub async fn commit(pool: &PgPool, project_id: i64, sha: &str) -> sqlx::Result<Option<SideRow>> {
    sqlx::query_as!(
        SideRow,
        r#"select commit_id, null::uuid as "run_id?",
                  (commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at)
                      as "commit!: CommitSummary"
           from commit
           where project_id = $1 and sha = $2"#,
        project_id,
        sha,
    )
    .fetch_optional(pool)
    .await
}

/// A run of a project, and its commit.
pub async fn run(pool: &PgPool, project_id: i64, run_id: Uuid) -> sqlx::Result<Option<SideRow>> {
    sqlx::query_as!(
        SideRow,
        r#"select commit.commit_id, run.run_id as "run_id?",
                  (commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at)
                      as "commit!: CommitSummary"
           from run
           join commit on commit.commit_id = run.commit_id
           where run.project_id = $1 and run.run_id = $2"#,
        project_id,
        run_id,
    )
    .fetch_optional(pool)
    .await
}

/// The machines that measured a commit, or one run of it, by name.
pub async fn machines(pool: &PgPool, commit_id: i64, run_id: Option<Uuid>) -> sqlx::Result<Vec<MachineRow>> {
    sqlx::query_as!(
        MachineRow,
        r#"select distinct machine.machine_id, machine.slug,
                  coalesce(agent.os, of_project.os, machine.os) as "os!",
                  coalesce(agent.arch, of_project.arch, machine.arch) as "arch!"
           from run
           join project on project.project_id = run.project_id
           join machine on machine.machine_id = run.machine_id
           left join project_machine as of_project
               on of_project.project_id = run.project_id and of_project.machine_id = run.machine_id
           left join agent on agent.machine_id = machine.machine_id and agent.revoked_at is null
                          and (agent.project is null or agent.project = project.slug)
           where run.commit_id = $1 and ($2::uuid is null or run.run_id = $2)
           order by machine.slug"#,
        commit_id,
        run_id,
    )
    .fetch_all(pool)
    .await
}

/// The environments, builds, canaries and measurements of some runs.
pub async fn surroundings(pool: &PgPool, run_ids: &[Uuid]) -> sqlx::Result<Vec<SurroundingsRow>> {
    sqlx::query_as!(
        SurroundingsRow,
        r#"select run.run_id, run.build, environment.stable as "stable: Json<BTreeMap<String, String>>",
                  run.canaries as "canaries: Json<Vec<Canary>>", run.job_id, run.order_seed, run.started_at
           from run
           join environment on environment.environment_id = run.environment_id
           where run.run_id = any($1)"#,
        run_ids,
    )
    .fetch_all(pool)
    .await
}
