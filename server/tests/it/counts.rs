//! Stored counts equal the actual numbers of rows, in any order of uploads.

use crate::support::{TestApp, factory};
use roundtrip_wire::{RunId, RunReport};

/// Uploads of two projects from three machines, with partly shared commits and cases.
fn reports() -> Vec<RunReport> {
    let report = |number: u64| {
        let commit = 2 + number % 5;
        let results = (0..=number % 4).map(|case| factory::once("pipe", 64 << case, number + 1));
        let report = RunReport {
            history: vec![factory::commit(commit - 1, Some(commit - 1))],
            project: factory::slug(["libfoo", "another"][usize::from(number.is_multiple_of(3))]),
            ..factory::nth_with(commit, results.collect())
        };
        factory::on(&format!("lab-{}", number % 3), report)
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
    restarted.store(&RunReport { run_id: RunId::draw(), ..reports[3].clone() }).await;
    app.assert_counted().await;
}
