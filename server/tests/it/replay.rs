//! Repeated and concurrent uploads.

use crate::support::{TestApp, factory};
use roundtrip_domain::ingest::UploadReceipt;
use roundtrip_wire::RunReport;

#[database_test]
async fn repeated_upload_has_the_same_receipt(app: TestApp) {
    let report = factory::report();
    let first = app.put(&report).await;
    let before = app.row_counts().await;
    let second = app.put(&report).await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 200));
    assert_eq!(first.json::<UploadReceipt>(), second.json::<UploadReceipt>());
    assert_eq!(app.row_counts().await, before);
}

#[database_test]
async fn rejects_another_body_for_the_same_id(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let before = (app.row_counts().await, app.assert_counted().await);
    let results = vec![factory::once("pipe", 64, 5), factory::once("fifo", 64, 5)];
    for changed in [
        RunReport { branch: Some("other".into()), ..report.clone() },
        RunReport { project: factory::slug("other-project"), ..report.clone() },
        RunReport { run_id: report.run_id, ..factory::nth_with(7, results) },
    ] {
        app.put(&changed).await.assert_problem(422, "run-conflict");
        assert_eq!((app.row_counts().await, app.assert_counted().await), before);
    }
}

#[database_test]
async fn concurrent_identical_uploads_make_one_run(app: TestApp) {
    let report = factory::report();
    let answers = concurrently(&app, &vec![report; 20]).await;
    let created = answers.iter().filter(|(status, _)| *status == 201).count();
    let repeated = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!((created, repeated), (1, 19), "{answers:?}");
    assert!(answers.iter().all(|(_, receipt)| *receipt == answers[0].1), "{answers:?}");
    let counts = app.row_counts().await;
    assert_eq!((counts["run"], counts["run_upload"], counts["point"]), (1, 1, 1));
    app.assert_counted().await;
}

#[database_test]
async fn concurrent_different_uploads_do_not_block(app: TestApp) {
    let mut reports = Vec::new();
    for number in 0..24_u64 {
        let transports = ["pipe", "tcp", "fifo", "socketpair"].into_iter();
        let of_both_sizes = |transport| [64, 1_024].map(|bytes| factory::once(transport, bytes, bytes * 10));
        let mut results: Vec<_> = transports.flat_map(of_both_sizes).collect();
        // The same rows, locked in a different order by each.
        let shift = usize::try_from(number).unwrap() % results.len();
        results.rotate_left(shift);
        let project = factory::slug(&format!("project-{}", number % 4));
        let report = RunReport { project, ..factory::nth_with(number + 2, results) };
        reports.push(factory::on(&format!("lab-{}", number % 3), report));
    }
    let answers = concurrently(&app, &reports).await;
    assert!(answers.iter().all(|(status, _)| *status == 201), "{answers:?}");
    let counts = app.row_counts().await;
    assert_eq!((counts["project"], counts["machine"], counts["measured_case"]), (4, 3, 8));
    assert_eq!((counts["run"], counts["point"], counts["series"]), (24, 192, 96));
    app.assert_counted().await;
}

#[database_test]
async fn two_projects_cannot_share_a_run_id(app: TestApp) {
    let one = factory::report();
    let other = RunReport { project: factory::slug("other-project"), ..one.clone() };
    let answers = concurrently(&app, &[one, other]).await;
    let mut statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 422]);
    assert_eq!(app.row_counts().await["project"], 1);
}

async fn concurrently(app: &TestApp, reports: &[RunReport]) -> Vec<(u16, String)> {
    let uploads = reports.iter().map(async |report| {
        let answer = app.put(report).await;
        (answer.status.as_u16(), String::from_utf8_lossy(&answer.body).into_owned())
    });
    futures_util::future::join_all(uploads).await
}
