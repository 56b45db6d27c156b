//! Which machines are awaited, and when they were last heard of.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// So many of a machine's newest runs tell how often one usually begins.
const RUNS: i64 = 20;

/// A machine of a project that has a channel for what is the matter with machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Awaited {
    /// Whose.
    pub project_id: i64,
    /// Which.
    pub machine_id: i64,
    /// Whether an agent takes jobs for it; then it is heard of without any run.
    pub has_agent: bool,
    /// When its agent was last heard of, if that is to take jobs: one that is not is not awaited.
    pub agent_seen_at: Option<DateTime<Utc>>,
    /// When its newest run began, of whichever project.
    pub newest_at: DateTime<Utc>,
    /// How many runs tell what is usual.
    pub run_count: i64,
    /// What is usually between the beginnings of two runs, in seconds; none of a single one.
    pub usual_seconds: Option<f64>,
}

/// All that has measured something of such a project since then. What was imported was measured nobody knows when.
pub async fn awaited(pool: &PgPool, since: DateTime<Utc>) -> sqlx::Result<Vec<Awaited>> {
    sqlx::query_as!(
        Awaited,
        r#"with told as (
               select distinct project_id from notification_channel
               where enabled_at is not null and 'machine' = any(events)
           ), measured as (
               select project_machine.project_id, project_machine.machine_id
               from told
               join project_machine using (project_id)
               join run as latest on latest.run_id = project_machine.latest_run_id
               where latest.started_at > $1
           )
           select measured.project_id, measured.machine_id, agent.agent_id is not null as "has_agent!",
                  case when agent.is_enabled then agent.last_seen_at end as "agent_seen_at?",
                  began.newest_at as "newest_at!", began.run_count as "run_count!", began.usual_seconds
           from measured
           left join agent on agent.machine_id = measured.machine_id and agent.revoked_at is null
           cross join lateral (
               select max(started_at) as newest_at, count(*) as run_count,
                      percentile_cont(0.5) within group (order by extract(epoch from started_at - before)::float8)
                          as usual_seconds
               from (
                   select started_at, lag(started_at) over (order by started_at) as before
                   from (
                       select started_at from run
                       where run.machine_id = measured.machine_id and not (preset = 'import' and build = 'unknown')
                       order by run_id desc
                       limit $2
                   ) as newest
               ) as beginning
           ) as began
           where began.newest_at is not null
           order by measured.project_id, measured.machine_id"#,
        since,
        RUNS,
    )
    .fetch_all(pool)
    .await
}
