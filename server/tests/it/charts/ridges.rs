//! `/api/v1/charts/ridges`.

use super::{numbers, report_of};
use crate::support::{TestApp, factory};
use serde_json::json;

#[database_test]
async fn has_the_newest_two_commits_of_each_series(app: TestApp) {
    app.store(&report_of(1, &[1_000])).await;
    app.store(&report_of(2, &[2_048])).await;
    app.store(&report_of(3, &[4_096])).await;
    // A second run of a commit: the same column.
    app.store(&report_of(3, &[4_096])).await;
    let chart = app.read("/api/v1/charts/ridges?series=1").await;
    let columns = &chart["series"][0]["columns"];
    assert_eq!(numbers(&columns["from_ordinals"]), [2, 3]);
    assert_eq!(numbers(&columns["first_bins"]), [88, 96]);
    assert_eq!(columns["counts"], json!([[1], [2]]));
    let whole = app.read("/api/v1/charts/heatmap?series=1").await;
    assert_eq!(chart["steps_per_doubling"], whole["steps_per_doubling"]);
}

#[database_test]
async fn leaves_out_deleted_distributions(app: TestApp) {
    let (old, new) = (report_of(1, &[1_000]), report_of(2, &[1_000]));
    app.store(&old).await;
    app.store(&new).await;
    app.execute(&format!("delete from point_histogram where run_id = '{}'", new.run_id)).await;
    let chart = app.read("/api/v1/charts/ridges?series=1").await;
    assert_eq!(numbers(&chart["series"][0]["columns"]["from_ordinals"]), [1]);
}

#[database_test]
async fn rejects_unknown_series(app: TestApp) {
    app.store(&factory::report()).await;
    app.get("/api/v1/charts/ridges?series=1,77").await.assert_problem(404, "unknown-series");
    app.get("/api/v1/charts/ridges").await.assert_invalid("series");
}
