//! `/api/v1/charts/line`.

use super::{csv_rows, extend, numbers, report_of};
use crate::support::{TestApp, at, factory};
use roundtrip_server::AppState;
use roundtrip_wire::{RunId, RunReport, Summary};
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

fn line(chart: &Value, place: usize) -> &Value {
    &chart["series"][place]
}

#[database_test]
async fn columns_are_delta_encoded_oldest_first(app: TestApp) {
    // Uploaded in a different order than the commits.
    for (commit, p50) in [(7, 1_300), (2, 1_000), (4, 1_100)] {
        app.store(&report_of(commit, &[p50, p50 + 500])).await;
    }
    let chart = app.read("/api/v1/charts/line?series=1").await;
    let environment_id = line(&chart, 0)["environments"][0]["environment_id"].clone();
    assert_eq!(
        chart,
        json!({ "series": [{
            "series_id": 1, "point_count": 3, "is_thinned": false, "kept": null,
            "commit_ordinals": [2, 2, 3],
            "environments": [{ "index": 0, "environment_id": environment_id }],
            "work_tree_modified": [], "lossy": [],
            "latency_ns": { "p50": [1_000, 100, 200], "p90": [1_500, 100, 200], "p99": [1_500, 100, 200] },
            "repetition_p50_ns": {
                "q1": [1_000, 100, 200], "median": [1_000, 100, 200], "q3": [1_000, 100, 200],
            },
            "bytes_per_second": null,
            "stated": null,
        }] })
    );
}

#[database_test]
async fn line_matches_its_points(app: TestApp) {
    for commit in 1..=5 {
        let times: Vec<u64> = (0..200).map(|i| 1_000 * commit + i * i).collect();
        app.store(&report_of(commit, &times)).await;
    }
    let points = app.read("/api/v1/points?series=1").await["series"][0]["points"].clone();
    let names = ["min", "p25", "p50", "p75", "p90", "p98", "p99", "p999", "max"];
    // Read from the index only, and from the table.
    for asked in ["p50,p90,p99", "p99", "min,p25,p50,p75,p90,p98,p99,p999,max", "max,p50"] {
        let chart = app.read(&format!("/api/v1/charts/line?series=1&quantiles={asked}")).await;
        for name in names {
            let column = &line(&chart, 0)["latency_ns"][name];
            if asked.split(',').any(|asked| asked == name) {
                let expected = at(&points, &format!("*/latency_ns/{name}"));
                assert_eq!(json!(numbers(column)), expected, "{asked}: {name}");
            } else {
                assert!(column.is_null(), "{asked}: {name}");
            }
        }
        for name in ["q1", "median", "q3"] {
            let expected = points[4]["repetition_p50_ns"][name].as_i64();
            assert_eq!(numbers(&line(&chart, 0)["repetition_p50_ns"][name]).last().copied(), expected);
        }
    }
    let chart = app.read("/api/v1/charts/line?series=1&repetitions=false").await;
    assert!(line(&chart, 0)["repetition_p50_ns"].is_null());
    assert_eq!(numbers(&line(&chart, 0)["latency_ns"]["p99"]).len(), 5);
}

#[database_test]
async fn long_times_are_exact(app: TestApp) {
    app.store(&report_of(1, &[1_000])).await;
    // Around the limit of 32 bits.
    let times = [(7, 2_147_483_646), (7, 2_147_483_647), (2_147_483_648, 9_000_000_000_000), (7, 8)];
    extend(&app.pool, &times).await;
    for asked in ["p50,p99", "p50,p99,max"] {
        let chart = app.read(&format!("/api/v1/charts/line?series=1&quantiles={asked}")).await;
        let column = |name: &str| numbers(&line(&chart, 0)["latency_ns"][name])[1..].to_vec();
        assert_eq!(column("p50"), times.map(|(p50, _)| p50), "{asked}");
        assert_eq!(column("p99"), times.map(|(_, p99)| p99), "{asked}");
    }
}

#[database_test]
async fn series_are_in_the_requested_order(app: TestApp) {
    let mut report = report_of(1, &[1_000]);
    report.results.push(factory::once("tcp", 64, 2_000));
    app.store(&report).await;
    app.store(&factory::on("lab-2", report_of(2, &[3_000]))).await;
    let chart = app.read("/api/v1/charts/line?series=3,1,2,1").await;
    let found = at(&chart, "series/*/series_id,latency_ns/p50");
    assert_eq!(found, json!([[3, [3_000]], [1, [1_000]], [2, [2_000]]]));
}

#[database_test]
async fn marks_modified_trees_loss_and_environments(app: TestApp) {
    for commit in 1..=4 {
        let mut report = report_of(commit, &[1_000]);
        report.work_tree_modified = commit == 2;
        report.results[0].repetitions[0].delivered = u64::from(commit != 3);
        if commit >= 3 {
            report.environment.stable.insert("os.kernel".into(), "7.0".into());
        }
        app.store(&report).await;
    }
    let chart = app.read("/api/v1/charts/line?series=1").await;
    assert_eq!(line(&chart, 0)["work_tree_modified"], json!([1]));
    assert_eq!(line(&chart, 0)["lossy"], json!([2]));
    assert_eq!(at(line(&chart, 0), "environments/*/index"), json!([0, 2]));
}

#[database_test]
async fn selects_the_newest_points_or_a_range(app: TestApp) {
    for commit in 1..=6 {
        app.store(&report_of(commit, &[1_000])).await;
    }
    for (query, expected) in [
        ("last=2", vec![5, 6]),
        ("from=3", vec![3, 4, 5, 6]),
        ("to=2", vec![1, 2]),
        ("from=2&to=4", vec![2, 3, 4]),
        ("from=2&to=4&last=2", vec![3, 4]),
        ("from=7", vec![]),
    ] {
        let chart = app.read(&format!("/api/v1/charts/line?series=1&{query}")).await;
        assert_eq!(numbers(&line(&chart, 0)["commit_ordinals"]), expected, "{query}");
        assert_eq!(line(&chart, 0)["point_count"], expected.len(), "{query}");
    }
}

#[database_test]
async fn selects_the_main_line_by_default(app: TestApp) {
    for (commit, branch) in [(1, "main"), (2, "feature"), (3, "main"), (4, "other")] {
        app.store(&RunReport { branch: Some(branch.into()), ..report_of(commit, &[1_000]) }).await;
    }
    app.execute("update point set mainline = commit_ordinal in (1, 3)").await;
    for (query, expected) in [
        ("", vec![1, 3]),
        ("&lines=main", vec![1, 3]),
        ("&lines=all", vec![1, 2, 3, 4]),
        ("&branch=feature", vec![2]),
        ("&branch=nobody", vec![]),
        ("&last=1", vec![3]),
        // Also when reading the table.
        ("&quantiles=max", vec![1, 3]),
    ] {
        let chart = app.read(&format!("/api/v1/charts/line?series=1{query}")).await;
        assert_eq!(numbers(&line(&chart, 0)["commit_ordinals"]), expected, "{query}");
        if !query.contains("quantiles") {
            let rows = csv_rows(&app, &format!("/api/v1/charts/line?series=1&format=csv{query}")).await;
            let ordinals: Vec<i64> = rows.iter().map(|row| row["commit_ordinal"].parse().unwrap()).collect();
            assert_eq!(ordinals, expected, "{query}");
        }
    }
}

#[database_test]
async fn runs_of_a_commit_are_ordered_by_start(app: TestApp) {
    let mut ids: Vec<RunId> = (0..3).map(|_| RunId::draw()).collect();
    ids.sort_unstable();
    for place in [1, 2, 0] {
        let run_id = ids[usize::try_from(place).unwrap()];
        app.store(&RunReport { run_id, ..report_of(1, &[1_000 + place]) }).await;
    }
    let chart = app.read("/api/v1/charts/line?series=1").await;
    assert_eq!(numbers(&line(&chart, 0)["latency_ns"]["p50"]), [1_000, 1_001, 1_002]);
}

#[database_test]
async fn thins_long_lines_and_lists_the_kept_points(app: TestApp) {
    app.store(&report_of(1, &[1_000])).await;
    let mut figures = vec![(1_000, 2_000); 1_999];
    // Spikes of both quantiles, up and down, in points that are not the first of a section.
    (figures[776].0, figures[1_233].0, figures[1_501].1, figures[903].1) = (9_000, 3, 80_000, 4);
    extend(&app.pool, &figures).await;
    let ask = "/api/v1/charts/line?series=1&last=2000";

    let whole = app.read(&format!("{ask}&points=2000")).await;
    let whole = line(&whole, 0);
    assert_eq!((&whole["is_thinned"], &whole["kept"]), (&json!(false), &Value::Null));

    let chart = app.read(ask).await;
    let thinned = line(&chart, 0);
    assert_eq!((&thinned["point_count"], &thinned["is_thinned"]), (&json!(2_000), &json!(true)));
    let kept = numbers(&thinned["kept"]);
    assert!(kept.len() <= 500 && kept.is_sorted_by(|a, b| a < b), "{}", kept.len());
    for spike in [777, 1_234, 1_502, 904] {
        assert!(kept.contains(&spike), "{spike}");
    }
    // Each column has the values of the kept points.
    let at = |column: &Value| -> Vec<i64> {
        let all = numbers(column);
        kept.iter().map(|&place| all[usize::try_from(place).unwrap()]).collect()
    };
    for pointer in ["/commit_ordinals", "/latency_ns/p50", "/latency_ns/p99", "/repetition_p50_ns/q3"] {
        let [thinned, whole] = [thinned, whole].map(|line| line.pointer(pointer).unwrap());
        assert_eq!(numbers(thinned), at(whole), "{pointer}");
    }

    let least = app.read(&format!("{ask}&points=2")).await;
    assert_eq!(numbers(&line(&least, 0)["kept"]), [0, 1_999]);
    let chart = app.read(&format!("{ask}&points=3&quantiles=p99")).await;
    assert_eq!(
        numbers(&line(&chart, 0)["kept"]),
        [0, 777, 1_999],
        "thinning uses the p50 even if it is not sent"
    );
}

#[database_test]
async fn series_without_samples_has_stated_values(app: TestApp) {
    for (commit, center_ns, low_ns) in [(1, 500, Some(450)), (2, 510, None), (3, 505, Some(455))] {
        let mut report = report_of(commit, &[1]);
        let result = &mut report.results[0];
        result.repetitions.clear();
        result.methodology.statistic = Some(factory::slug("mean"));
        result.summary = Some(Summary {
            center_ns,
            low_ns,
            high_ns: None,
            min_ns: None,
            max_ns: None,
            quantiles: Vec::new(),
            count: None,
        });
        report.results.push(factory::once("tcp", 64, 2_000));
        app.store(&report).await;
    }
    let chart = app.read("/api/v1/charts/line?series=1,2&from=2").await;
    let stated = line(&chart, 0);
    assert_eq!(numbers(&stated["commit_ordinals"]), [2, 3]);
    assert_eq!(stated["stated"], json!({ "center": [510, -5], "low": [null, 455], "high": [null, null] }));
    assert_eq!((&stated["latency_ns"], &stated["repetition_p50_ns"]), (&Value::Null, &Value::Null));
    assert_eq!(line(&chart, 1)["stated"], Value::Null);
    assert_eq!(numbers(&line(&chart, 1)["latency_ns"]["p50"]), [2_000, 2_000]);

    let rows = csv_rows(&app, "/api/v1/charts/line?series=1,2&from=2&format=csv").await;
    let cells: Vec<_> = rows
        .iter()
        .map(|row| [&row["series_id"], &row["p50_ns"], &row["stated_center_ns"], &row["stated_low_ns"]])
        .collect();
    assert_eq!(
        cells,
        [["1", "", "510", ""], ["1", "", "505", "455"], ["2", "2000", "", ""], ["2", "2000", "", ""]]
    );
}

#[database_test]
async fn long_csv_is_read_while_it_is_sent(app: TestApp) {
    const POINTS: usize = 8_000;
    let transports = ["pipe", "tcp", "udp"].map(|transport| factory::once(transport, 64, 1_000));
    app.store(&factory::nth_with(1, transports.to_vec())).await;
    extend(&app.pool, &[(1_000, 1_500); POINTS - 1]).await;
    let of_series = |series: &str| format!("/api/v1/charts/line?series={series}&last={POINTS}&format=csv");
    let mut each = Vec::new();
    for series in ["1", "2", "3"] {
        each.push(csv_rows(&app, &of_series(series)).await);
        assert_eq!(each[each.len() - 1].len(), POINTS);
    }
    // Without a length, because not all of it is known when it begins.
    assert!(!app.open(&of_series("1,2,3"), None).await.headers().contains_key("content-length"));
    assert_eq!(csv_rows(&app, &of_series("1,2,3")).await, each.concat());
}

#[database_test]
async fn csv_has_every_point(app: TestApp) {
    let report = report_of(3, &[1_000, 1_500]);
    app.store(&report).await;
    let rows = csv_rows(&app, "/api/v1/charts/line?series=1&format=csv&points=2").await;
    assert_eq!(rows.len(), 1);
    for (name, expected) in [
        ("series_id", "1"),
        ("commit_ordinal", "3"),
        ("commit_sha", report.commit.sha.as_str()),
        ("run_id", &report.run_id.to_string()),
        ("measured_at", "2026-11-21T10:01:40+00:00"),
        ("lossy", "false"),
        ("delivered", "2"),
        ("sum_ns", "2500"),
        ("p50_ns", "1000"),
        ("max_ns", "1500"),
        ("repetition_p50_median_ns", "1000"),
        ("throughput_bytes_per_second", ""),
        ("stated_center_ns", ""),
    ] {
        assert_eq!(rows[0][name], expected, "{name}");
    }

    for (accept, query, expected) in [
        ("text/csv", "", "text/csv; charset=utf-8; header=present"),
        ("text/csv", "&format=json", "application/json"),
        ("*/*", "", "application/json"),
    ] {
        let path = format!("/api/v1/charts/line?series=1{query}");
        let answer = app.send_with("GET", &path, &[("accept", accept)], None).await;
        assert_eq!(answer.headers["content-type"], expected, "{accept} {query}");
        let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
        assert!(vary.iter().any(|vary| *vary == "accept"), "{vary:?}");
    }
}

#[database_test]
async fn rejects_invalid_parameters(app: TestApp) {
    app.store(&factory::report()).await;
    app.get("/api/v1/charts/line?series=1,77").await.assert_problem(404, "unknown-series");
    let many = (1..=200).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    for (query, named) in [
        ("", "series"),
        ("series=x", "series"),
        ("series=1&quantiles=p95", "quantiles: `p95`"),
        ("series=1&last=0", "last"),
        ("series=1&last=10001", "last"),
        (&format!("series={many}&last=1001"), "last: 1001 points of 200 series: expected at most 1000"),
        ("series=1&from=-1", "from"),
        ("series=1&from=5&to=4", "to: 4 is below 5"),
        ("series=1&points=1", "points: 1 is not between 2 and 10000"),
        ("series=1&lines=some", "lines"),
        ("series=1&lines=all&branch=main", "lines"),
        ("series=1&format=xml", "format"),
        ("series=1&repetitions=maybe", "repetitions"),
        ("series=1&point=3", "point"),
    ] {
        app.get(&format!("/api/v1/charts/line?{query}")).await.assert_invalid(named);
    }
}

/// Checks the plan of the statement that the server has prepared.
#[database_test]
async fn line_uses_an_index_only_scan(pool: PgPool) {
    let one = PgPoolOptions::new().max_connections(1).connect_with((*pool.connect_options()).clone());
    let one = one.await.unwrap();
    let app = TestApp::from_state(AppState::new(one.clone())).await;
    app.store(&report_of(1, &[1_000])).await;
    extend(&pool, &vec![(1_000, 2_000); 5_000]).await;
    vacuum_whole(&pool).await;
    // More often than PostgreSQL makes custom plans.
    for _ in 0..8 {
        let chart = app.read("/api/v1/charts/line?series=1").await;
        assert_eq!(line(&chart, 0)["point_count"], 1_000);
    }
    let query = "select name from pg_prepared_statements
                 where statement like '%string_agg%' and statement not like '%pg_prepared_statements%'";
    let name: String = sqlx::query_scalar(query).fetch_one(&one).await.unwrap();
    let machine_id: i64 = sqlx::query_scalar("select machine_id from series").fetch_one(&pool).await.unwrap();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        let set = sqlx::AssertSqlSafe(format!("set plan_cache_mode = {mode}"));
        sqlx::query(set).execute(&one).await.unwrap();
        let explain = format!(
            "explain (analyze, format json)
             execute {name} ({machine_id}, '{{1}}', 0, 1000000, 1000, false, null)"
        );
        let plan: Value = sqlx::query_scalar(sqlx::AssertSqlSafe(explain)).fetch_one(&one).await.unwrap();
        let scans = scans(&plan[0]["Plan"]);
        let index_only = "Index Only Scan Backward of point_line, 0 rows of the table";
        assert_eq!(scans, [index_only], "{mode}: {plan:#}");
    }
}

/// Vacuums table `point` until all its pages are marked all-visible. The snapshot of an automatic analysis can
/// prevent that in a single vacuum.
async fn vacuum_whole(pool: &PgPool) {
    for _ in 0..1_000 {
        sqlx::query("vacuum analyze point").execute(pool).await.unwrap();
        let is_whole = "select relallvisible = relpages from pg_class where oid = 'point'::regclass";
        if sqlx::query_scalar(is_whole).fetch_one(pool).await.unwrap() {
            return;
        }
    }
    panic!("a snapshot of table point stays open");
}

/// Every scan of table `point` in a plan.
fn scans(plan: &Value) -> Vec<String> {
    let below = plan["Plans"].as_array().into_iter().flatten().flat_map(scans);
    let own = (plan["Relation Name"] == "point").then(|| {
        let text = |name: &str| plan[name].as_str().unwrap_or("none").to_owned();
        let [kind, direction, index] = ["Node Type", "Scan Direction", "Index Name"].map(text);
        format!("{kind} {direction} of {index}, {} rows of the table", plan["Heap Fetches"])
    });
    own.into_iter().chain(below).collect()
}
