//! Machines that cause changes themselves. The results of suspect ones are doubtful and send no alerts.

use roundtrip_storage::change_point;
use sqlx::PgConnection;
use std::collections::HashMap;

/// A machine is suspect if it caused changes at this many commits
pub const FAULTS_MIN: i64 = 3;
/// among this many of its newest runs.
pub const NEWEST_RUNS: i64 = 50;

/// The suspect machines among these for a project, each with the reason, to follow a colon.
pub async fn why(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: &[i64],
) -> sqlx::Result<HashMap<i64, String>> {
    let faults = change_point::machine_faults(connection, project_id, machine_ids, NEWEST_RUNS).await?;
    let suspect = faults.into_iter().filter(|(_, count)| *count >= FAULTS_MIN);
    let why =
        |count| format!("results shifted without a code change at {count} commits (last {NEWEST_RUNS} runs)");
    Ok(suspect.map(|(machine_id, count)| (machine_id, why(count))).collect())
}

/// The number of commits among a machine's newest runs of a project where it switched between known states, by machine.
pub async fn known_state_changes(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: &[i64],
) -> sqlx::Result<HashMap<i64, i64>> {
    change_point::known_state_changes(connection, project_id, machine_ids, NEWEST_RUNS).await
}
