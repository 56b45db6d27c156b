//! Lost runs: acknowledged runs that are missing, found by the agent's next upload.

use crate::support::{Answer, TestApp, factory};
use roundtrip_wire::RunReport;

const INSTALLATION: &str = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b";

/// Uploads a report as an agent with this number of acknowledged runs.
async fn put(app: &TestApp, report: &RunReport, count: &str) -> Answer {
    let acknowledged = format!("{INSTALLATION} {count}");
    let body = serde_json::to_vec(report).unwrap();
    app.put_bytes(&report.run_id.to_string(), &[("roundtrip-acknowledged", &acknowledged)], body).await
}

async fn stored(app: &TestApp, number: u64, count: u64) -> RunReport {
    let report = factory::nth(number);
    let answer = put(app, &report, &count.to_string()).await;
    assert_eq!(answer.status.as_u16(), 201, "{}", String::from_utf8_lossy(&answer.body));
    report
}

/// The number of lost runs in the metric and in the list of machines.
async fn lost(app: &TestApp) -> i64 {
    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    let of_machine = machines["machines"][0]["lost_run_count"].as_i64().unwrap();
    let metrics = app.metrics().await;
    let reported = metrics.lines().find_map(|line| line.strip_prefix("roundtrip_runs_lost ")).unwrap();
    assert_eq!(reported.parse::<i64>().unwrap(), of_machine);
    of_machine
}

/// Deletes a run, like restoring an older backup.
async fn roll_back(app: &TestApp, report: &RunReport, stored_count: i64) {
    for table in ["point", "point_histogram", "run_result", "run_upload", "analysis_due", "run"] {
        let delete = format!("delete from {table} where run_id = '{}'", report.run_id);
        assert_eq!(app.execute(&delete).await, 1, "{table}");
    }
    let newest = "select run_id from run where run.project_id = project_machine.project_id
                  order by run_id desc limit 1";
    app.execute(&format!("update project_machine set run_count = run_count - 1, latest_run_id = ({newest})"))
        .await;
    app.execute(&format!(
        "update installation set stored_count = '{stored_count}', acknowledged_count = '{stored_count}'"
    ))
    .await;
}

#[database_test]
async fn restored_server_counts_lost_runs(app: TestApp) {
    stored(&app, 1, 0).await;
    let gone = stored(&app, 2, 1).await;
    assert_eq!(lost(&app).await, 0);
    roll_back(&app, &gone, 1).await;
    assert_eq!(lost(&app).await, 0, "no agent has reported a count yet");
    stored(&app, 3, 2).await;
    assert_eq!(lost(&app).await, 1);
    stored(&app, 4, 3).await;
    assert_eq!(lost(&app).await, 1, "a lost run counts once");
}

#[database_test]
async fn restored_server_counts_all_runs_of_an_unknown_installation(app: TestApp) {
    stored(&app, 1, 40).await;
    assert_eq!(lost(&app).await, 40);
}

#[database_test]
async fn retries_do_not_count_as_lost(app: TestApp) {
    let report = stored(&app, 1, 0).await;
    // The answer was lost, so the agent has no acknowledgement and repeats the upload.
    assert_eq!(put(&app, &report, "0").await.status.as_u16(), 200);
    let other = stored(&app, 2, 1).await;
    assert_eq!(put(&app, &other, "2").await.status.as_u16(), 200);
    stored(&app, 3, 2).await;
    assert_eq!(lost(&app).await, 0);
}

#[database_test]
async fn rejected_upload_counts_nothing(app: TestApp) {
    let report = stored(&app, 1, 0).await;
    put(&app, &RunReport { branch: None, ..report.clone() }, "1").await.assert_problem(422, "run-conflict");
    stored(&app, 2, 1).await;
    assert_eq!(lost(&app).await, 0);
    put(&app, &report, "many").await.assert_invalid("roundtrip-acknowledged");
}

#[database_test]
async fn agents_without_the_header_are_not_counted(app: TestApp) {
    app.store(&factory::report()).await;
    assert_eq!(lost(&app).await, 0);
    assert_eq!(app.row_counts().await["installation"], 0);
}
