//! `/api/v1/projects/{project}/series` and `/api/v1/series/{series_id}`.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::{Case, RunReport};
use serde_json::{Value, json};

async fn store_mixed(app: &TestApp) {
    let mut report = factory::report();
    let mut stream = factory::result("pipe", 64, vec![factory::repetition(0, &[500])]);
    stream.case.scenario = factory::slug("stream");
    let mut threads = factory::result("pipe", 64, vec![factory::repetition(0, &[600])]);
    threads.case.mode = factory::slug("2thread");
    let mut free = factory::result("pipe", 64, vec![factory::repetition(0, &[700])]);
    free.case.placement = factory::slug("free");
    report.results = vec![
        stream,
        factory::result("tcp", 64, vec![factory::repetition(0, &[900])]),
        threads,
        factory::result("pipe", 1_024, vec![factory::repetition(0, &[800])]),
        free,
        factory::result("pipe", 64, vec![factory::repetition(0, &[400])]),
    ];
    app.store(&report).await;
    report.run_id = roundtrip_wire::RunId::draw();
    report.machine.slug = factory::slug("another");
    report.results.truncate(1);
    app.store(&report).await;
}

fn names(series: &Value) -> Vec<String> {
    series["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| {
            let text = |pointer: &str| series.pointer(pointer).unwrap().as_str().unwrap();
            format!(
                "{}/{}/{}/{}/{}/{}",
                text("/machine"),
                text("/case/scenario"),
                text("/transport/slug"),
                text("/case/mode"),
                text("/case/placement"),
                series["case"]["message_bytes"]
            )
        })
        .collect()
}

#[database_test]
async fn lists_series_in_a_fixed_order(app: TestApp) {
    store_mixed(&app).await;
    assert_eq!(
        names(&app.read("/api/v1/projects/libfoo/series").await),
        [
            "another/stream/pipe/2proc/same-cpu/64",
            "lab-1/roundtrip/pipe/2proc/free/64",
            "lab-1/roundtrip/pipe/2proc/same-cpu/64",
            "lab-1/roundtrip/pipe/2proc/same-cpu/1024",
            "lab-1/roundtrip/pipe/2thread/same-cpu/64",
            "lab-1/roundtrip/tcp/2proc/same-cpu/64",
            "lab-1/stream/pipe/2proc/same-cpu/64",
        ]
    );
}

#[database_test]
async fn each_parameter_defines_a_series(app: TestApp) {
    let mut report = factory::report();
    let plain = report.results[0].clone();
    let with = |change: fn(&mut Case)| {
        let mut result = plain.clone();
        change(&mut result.case);
        result
    };
    report.results = vec![
        with(|case| case.size_profile = Some(factory::slug("chromium-ipc"))),
        with(|case| case.buffer_bytes = Some(65_536)),
        with(|case| case.rate_per_second = Some(10_000)),
        with(|case| case.total_bytes = Some(640)),
        with(|case| case.rate_per_second = Some(2_000)),
        with(|case| case.buffer_bytes = Some(4_096)),
        plain.clone(),
    ];
    app.store(&report).await;
    let series = app.read("/api/v1/projects/libfoo/series").await;
    let cases = at(&series, "series/*/case");
    assert_eq!(
        at(&cases, "*/total_bytes,buffer_bytes,rate_per_second,size_profile"),
        json!([
            [null, null, null, null],
            [null, null, 2_000, null],
            [null, null, 10_000, null],
            [null, 4_096, null, null],
            [null, 65_536, null, null],
            [640, null, null, null],
            [null, null, null, "chromium-ipc"],
        ])
    );
    // Uploading again finds the same cases.
    report.run_id = roundtrip_wire::RunId::draw();
    app.store(&report).await;
    assert_eq!(app.row_counts().await["measured_case"], 7);
}

#[database_test]
async fn senders_receivers_and_messages_define_series(app: TestApp) {
    let mut report = factory::report();
    let with = |(senders, peers, messages)| {
        let mut result = factory::result("ring-futex", 64, vec![factory::repetition(0, &[900])]);
        result.case.scenario = factory::slug("channel-n-n");
        (result.case.senders, result.case.peers, result.case.messages) = (senders, peers, messages);
        result
    };
    // In the expected order.
    let ordered = [
        (None, 1, None),
        (None, 1, Some(1_000)),
        (None, 8, Some(1_000)),
        (Some(2), 1, Some(1_000)),
        (Some(2), 2, Some(1_000)),
        (Some(10), 2, Some(1_000)),
        (None, 1, Some(100_000)),
    ];
    report.results = ordered.into_iter().rev().map(with).collect();
    app.store(&report).await;
    let series = app.read("/api/v1/projects/libfoo/series").await;
    assert_eq!(at(&series, "series/*/case/senders,case/peers,case/messages"), json!(ordered));
    // Uploading again finds the same cases.
    report.run_id = roundtrip_wire::RunId::draw();
    app.store(&report).await;
    assert_eq!(app.row_counts().await["measured_case"], 7);
    assert_eq!(app.row_counts().await["series"], 7);
}

#[database_test]
async fn each_filter_selects_only_matching_series(app: TestApp) {
    store_mixed(&app).await;
    for (filter, count) in [
        ("machine=another", 1),
        ("machine=nobody", 0),
        ("transport=tcp", 1),
        ("scenario=stream", 2),
        ("mode=2thread", 1),
        ("placement=free", 1),
        ("message_bytes=1024", 1),
        ("peers=1", 7),
        ("peers=2,8", 0),
        ("transport=pipe&scenario=roundtrip&mode=2proc&placement=same-cpu&message_bytes=64", 1),
        ("machine=another,lab-1&transport=tcp,fifo", 1),
        ("message_bytes=64,1024&mode=2thread,2proc", 7),
    ] {
        let series = app.read(&format!("/api/v1/projects/libfoo/series?{filter}")).await;
        assert_eq!(series["series"].as_array().unwrap().len(), count, "{filter}: {:?}", names(&series));
    }
}

#[database_test]
async fn shows_the_newest_commit_not_the_newest_upload(app: TestApp) {
    app.store(&factory::nth(9)).await;
    app.store(&factory::nth(4)).await;
    let series = app.read("/api/v1/series/1").await;
    assert_eq!(series["latest"]["commit_ordinal"], 9);
    assert_eq!(series, app.read("/api/v1/projects/libfoo/series").await["series"][0]);
}

#[database_test]
async fn unsupported_case_has_no_points(app: TestApp) {
    let mut report = factory::report();
    report.results = vec![factory::unsupported("posix-mq", "not on macOS")];
    app.store(&report).await;
    let series = app.read("/api/v1/series/1").await;
    assert_eq!((&series["latest"], &series["latest_summary"]), (&Value::Null, &Value::Null));
}

#[database_test]
async fn methodology_defines_a_series(app: TestApp) {
    let mut report = factory::report();
    let mut spinning = report.results[0].clone();
    spinning.methodology.receive = factory::slug("spin");
    report.results.push(spinning);
    app.store(&report).await;
    let series = app.read("/api/v1/projects/libfoo/series").await;
    assert_eq!(at(&series, "series/*/methodology/receive"), json!(["block", "spin"]));
}

#[database_test]
async fn newest_upload_describes_the_transport(app: TestApp) {
    app.store(&factory::report()).await;
    let mut report = factory::report();
    report.results[0].transport.title = "Anonymous pipe".into();
    app.store(&report).await;
    assert_eq!(app.read("/api/v1/series/1").await["transport"]["title"], "Anonymous pipe");
    assert_eq!(app.row_counts().await["series"], 1);
}

#[database_test]
async fn unknown_series_is_not_found(app: TestApp) {
    app.get("/api/v1/series/7").await.assert_problem(404, "unknown-series");
}

#[database_test]
async fn newest_point_prefers_the_trend(app: TestApp) {
    let trend = factory::nth(7);
    let mut topic = RunReport { branch: Some("topic".into()), pull_request: Some(42), ..factory::nth(8) };
    topic.results.push(factory::result("tcp", 64, vec![factory::repetition(0, &[7_000])]));
    app.store(&trend).await;
    app.store(&topic).await;
    let list = app.read("/api/v1/projects/libfoo/series").await;
    let newest = |transport: &str| {
        let series = list["series"].as_array().unwrap().iter();
        let own = series.filter(|entry| entry["transport"]["slug"] == transport);
        own.map(|entry| entry["latest"]["commit_ordinal"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let measured = trend.results[0].transport.slug.as_str();
    assert_eq!((newest(measured), newest("tcp")), (vec![7], vec![8]));
}
