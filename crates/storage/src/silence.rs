//! Finds machines that are expected to measure, and their last contact.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// The number of a machine's newest runs that determine its usual interval.
const RUNS: i64 = 20;

/// A machine of a project with a notification channel for machine problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Awaited {
    /// The project.
    pub project_id: i64,
    /// Which.
    pub machine_id: i64,
    /// Whether an agent takes jobs for it, and so has contact without a run.
    pub has_agent: bool,
    /// The last contact of its agent; none if the agent is disabled.
    pub agent_seen_at: Option<DateTime<Utc>>,
    /// The start of its newest run, of any project.
    pub newest_at: DateTime<Utc>,
    /// How many runs the usual interval is computed from.
    pub run_count: i64,
    /// The median interval between the starts of runs, in seconds; none for a single run.
    pub usual_seconds: Option<f64>,
}

/// All machines with a run of such a project since a time. Excludes imports without a known time.
pub async fn awaited(pool: &PgPool, since: DateTime<Utc>) -> sqlx::Result<Vec<Awaited>> {
    sqlx::query_as!(
        Awaited,
        r#"with matched as (
               select distinct project_id from notification_channel
               where enabled_at is not null and 'machine' = any(events)
           ), measured as (
               select project_machine.project_id, project_machine.machine_id
               from matched
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
