//! Machines that change by themselves: what is measured on them is doubted, and nobody is alerted of it.

use roundtrip_storage::change_point;
use sqlx::PgConnection;
use std::collections::HashMap;

/// A machine is suspect when it is known to have made changes at so many commits
const FAULTS_MIN: i64 = 3;
/// of its newest so many runs.
const NEWEST_RUNS: i64 = 50;

/// Which of these machines are suspect to a project, and why, in words that follow a colon.
pub async fn why(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: &[i64],
) -> sqlx::Result<HashMap<i64, String>> {
    let faults = change_point::machine_faults(connection, project_id, machine_ids, NEWEST_RUNS).await?;
    let suspect = faults.into_iter().filter(|(_, count)| *count >= FAULTS_MIN);
    let why =
        |count| format!("it made changes by itself at {count} commits of its newest {NEWEST_RUNS} runs");
    Ok(suspect.map(|(machine_id, count)| (machine_id, why(count))).collect())
}
