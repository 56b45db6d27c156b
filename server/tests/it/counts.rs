//! Stored counts equal the actual numbers of rows, in any order of uploads.

use crate::support::{TestApp, factory};
use roundtrip_wire::RunReport;

/// Uploads of two projects from three machines, with partly shared commits and cases.
fn reports() -> Vec<RunReport> {
    let report = |number: u64| {
        let commit = 2 + number % 5;
        let mut report = factory::nth(commit);
        report.history = vec![factory::commit(commit - 1, Some(commit - 1))];
        report.project = factory::slug(["libfoo", "another"][usize::from(number.is_multiple_of(3))]);
        report.machine.slug = factory::slug(&format!("lab-{}", number % 3));
        report.results = (0..=number % 4)
            .map(|case| factory::result("pipe", 64 << case, vec![factory::repetition(0, &[number + 1])]))
            .collect();
        report
    };
    (0..30).map(report).collect()
}

#[database_test]
async fn concurrent_and_repeated_uploads_count_once(app: TestApp) {
    let reports = reports();
    let statuses = futures_util::future::join_all(reports.iter().map(async |report| {
        // Each twice, all thirty concurrently.
        let (first, second) = tokio::join!(app.put(report), app.put(report));
        [first.status.as_u16(), second.status.as_u16()]
    }))
    .await;
    assert!(statuses.iter().all(|status| status.contains(&201) && status.contains(&200)), "{statuses:?}");
    let counted = app.assert_counted().await;
    let of_all = counted.iter().map(|(_, runs, ..)| runs).sum::<i64>();
    assert_eq!((counted.len(), of_all), (2, 30));

    // A server with an empty cache finds the existing series and does not count them again.
    let restarted = app.another();
    let mut again = reports[3].clone();
    again.run_id = roundtrip_wire::RunId::draw();
    restarted.store(&again).await;
    app.assert_counted().await;
}

#[database_test]
async fn rejected_uploads_do_not_count(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let before = app.assert_counted().await;
    let mut other = factory::nth(7);
    other.run_id = report.run_id;
    other.results.push(factory::result("fifo", 64, vec![factory::repetition(0, &[5])]));
    app.put(&other).await.assert_problem(422, "run-conflict");
    assert_eq!(app.assert_counted().await, before);
}
