//! `/api/v1/projects/{project}/series` and `/api/v1/series/{series_id}`.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::{CaseResult, RunReport};
use serde_json::{Value, json};

async fn store_mixed(app: &TestApp) {
    let [mut stream, mut threads, mut free] =
        [500, 600, 700].map(|time_ns| factory::once("pipe", 64, time_ns));
    stream.case.scenario = factory::slug("stream");
    threads.case.mode = factory::slug("2thread");
    free.case.placement = factory::slug("free");
    let [tcp, large, pipe] = [("tcp", 64, 900), ("pipe", 1_024, 800), ("pipe", 64, 400)]
        .map(|(transport, message_bytes, time_ns)| factory::once(transport, message_bytes, time_ns));
    app.store_results(vec![stream.clone(), tcp, threads, large, free, pipe]).await;
    app.store(&factory::on("another", factory::nth_with(1, vec![stream]))).await;
}

fn names(series: &Value) -> Vec<String> {
    let parts = "machine,case/scenario,transport/slug,case/mode,case/placement,case/message_bytes";
    let name = |series: &Value| {
        let parts = at(series, parts).as_array().unwrap().clone();
        let texts = parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
        texts.collect::<Vec<_>>().join("/")
    };
    series["series"].as_array().unwrap().iter().map(name).collect()
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
    let with = |change: fn(&mut CaseResult)| {
        let mut result = factory::once("pipe", 64, 500);
        change(&mut result);
        result
    };
    let mut report = factory::nth_with(
        1,
        vec![
            with(|result| result.case.size_profile = Some(factory::slug("chromium-ipc"))),
            with(|result| result.case.buffer_bytes = Some(65_536)),
            with(|result| result.case.rate_per_second = Some(10_000)),
            with(|result| result.case.total_bytes = Some(640)),
            with(|result| result.case.rate_per_second = Some(2_000)),
            with(|result| result.case.buffer_bytes = Some(4_096)),
            with(|_| {}),
            // So does the methodology of a case.
            with(|result| result.methodology.receive = factory::slug("spin")),
        ],
    );
    app.store(&report).await;
    let series = app.read("/api/v1/projects/libfoo/series").await;
    let parameters = "case/total_bytes,case/buffer_bytes,case/rate_per_second,case/size_profile";
    assert_eq!(
        at(&series, &format!("series/*/{parameters},methodology/receive")),
        json!([
            [null, null, null, null, "block"],
            [null, null, null, null, "spin"],
            [null, null, 2_000, null, "block"],
            [null, null, 10_000, null, "block"],
            [null, 4_096, null, null, "block"],
            [null, 65_536, null, null, "block"],
            [640, null, null, null, "block"],
            [null, null, null, "chromium-ipc", "block"],
        ])
    );
    // Uploading again finds the same cases.
    report.run_id = roundtrip_wire::RunId::draw();
    app.store(&report).await;
    assert_eq!(app.row_counts().await["measured_case"], 7);
}

#[database_test]
async fn senders_receivers_and_messages_define_series(app: TestApp) {
    let with = |(senders, peers, messages)| {
        let mut result = factory::once("ring-futex", 64, 900);
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
    let mut report = factory::nth_with(1, ordered.into_iter().rev().map(with).collect());
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
async fn newest_upload_describes_the_transport(app: TestApp) {
    app.store(&factory::report()).await;
    let mut report = factory::report();
    report.results[0].transport.title = "Anonymous pipe".into();
    app.store(&report).await;
    assert_eq!(app.read("/api/v1/series/1").await["transport"]["title"], "Anonymous pipe");
    assert_eq!(app.row_counts().await["series"], 1);
}

#[database_test]
async fn newest_point_prefers_the_trend(app: TestApp) {
    let trend = factory::nth(7);
    let mut topic = RunReport { branch: Some("topic".into()), pull_request: Some(42), ..factory::nth(8) };
    topic.results.push(factory::once("tcp", 64, 7_000));
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
