//! `/api/v1/projects/{project}/series` and `.../series/facets`: search.

use crate::support::{TestApp, at, factory, texts};
use roundtrip_wire::{Case, CaseResult};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn with(transport: &str, change: impl Fn(&mut Case)) -> CaseResult {
    let mut result = factory::once(transport, 64, 500);
    result.transport.family = factory::slug(transport.split('-').next().unwrap());
    change(&mut result.case);
    result
}

/// Two machines, three transports, several sizes, and a benchmark of another tool.
async fn store_many(app: &TestApp) {
    let mut report = factory::report();
    report.results = vec![
        with("pipe", |_| {}),
        with("pipe", |case| case.message_bytes = 65_536),
        with("pipe", |case| case.mode = factory::slug("2thread")),
        with("ring-futex", |case| case.variant = Some(factory::slug("patched"))),
        with("ring-futex", |case| case.message_bytes = 1_048_576),
        with("unix-stream", |case| {
            case.scenario = factory::slug("stream");
            case.message_bytes = 640;
            case.total_bytes = Some(16_777_216);
        }),
    ];
    app.store(&report).await;
    let mut other = factory::on("mac-mini-2", factory::nth_with(1, report.results));
    other.results.truncate(2);
    other.results.push(with("google-benchmark", |case| {
        case.scenario = factory::slug("benchmark");
        case.benchmark = Some("BM_PipeTrip/64/real_time".into());
        case.message_bytes = 0;
    }));
    other.results[2].transport.title = "Google Benchmark (JSON)".into();
    other.results[2].transport.family = factory::slug("import");
    app.store(&other).await;
}

/// Short names of the found series, in the order of the answer.
fn found(answer: &Value) -> Vec<String> {
    let parts = at(answer, "series/*/machine,transport/slug,case/mode,case/message_bytes,case/benchmark");
    let text = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let name = |parts: &Value| {
        let parts = parts.as_array().unwrap().iter().filter(|part| !part.is_null());
        parts.map(text).collect::<Vec<_>>().join(" ")
    };
    parts.as_array().unwrap().iter().map(name).collect()
}

/// The series that a query finds.
async fn search(app: &TestApp, query: &str) -> Vec<String> {
    found(&app.read(&format!("/api/v1/projects/libfoo/series?{query}")).await)
}

#[database_test]
async fn words_match_prefixes_and_all_must_match(app: TestApp) {
    store_many(&app).await;
    let benchmark = "mac-mini-2 google-benchmark 2proc 0 BM_PipeTrip/64/real_time";
    for (q, expected) in [
        ("ring", vec!["lab-1 ring-futex 2proc 64", "lab-1 ring-futex 2proc 1048576"]),
        ("FUTEX%20pat", vec!["lab-1 ring-futex 2proc 64"]),
        ("mini-2%20pipe", vec![benchmark, "mac-mini-2 pipe 2proc 64", "mac-mini-2 pipe 2proc 65536"]),
        ("thread", vec![]),
        ("2thread", vec!["lab-1 pipe 2thread 64"]),
        ("16MiB", vec!["lab-1 unix-stream 2proc 640"]),
        ("64+KiB", vec!["lab-1 pipe 2proc 65536", "mac-mini-2 pipe 2proc 65536"]),
        ("64%20mac", vec![benchmark, "mac-mini-2 pipe 2proc 64"]),
        ("640", vec!["lab-1 unix-stream 2proc 640"]),
        ("bm_pipe", vec![benchmark]),
        ("pipetrip/64", vec![benchmark]),
        ("real_time", vec![benchmark]),
        // The title and family of its transport.
        ("json", vec![benchmark]),
        ("(json),", vec![benchmark]),
        ("import%20mac", vec![benchmark]),
        ("nothing", vec![]),
        ("ring%20nothing", vec![]),
    ] {
        assert_eq!(search(&app, &format!("q={q}")).await, expected, "{q}");
    }
}

#[database_test]
async fn search_has_no_special_characters(app: TestApp) {
    store_many(&app).await;
    let all = search(&app, "").await;
    for q in ["", "%20", "*", "%26%7C!%28%29:*", "%27%27", "%5C", "---"] {
        assert_eq!(search(&app, &format!("q={q}")).await, all, "{q}");
    }
    for q in ["a%27b", "a%5C", "a%5C%27b", "a:*", "a%26b", "!pipe%7Cx", "%3Cpipe%3E%C3%A4", "=mode=2proc%27"]
    {
        search(&app, &format!("q={q}")).await;
    }
}

#[database_test]
async fn finds_a_transport_by_its_current_title(app: TestApp) {
    app.store(&factory::report()).await;
    let mut renamed = factory::report();
    renamed.results[0].transport.title = "Anonymous channel".into();
    app.store(&renamed).await;
    assert_eq!(search(&app, "q=anonymous").await.len(), 1);
    assert!(search(&app, "q=the").await.is_empty());
}

#[database_test]
async fn does_not_find_other_projects(app: TestApp) {
    app.store(&factory::report()).await;
    let mut other = factory::of_project("other");
    // A name that looks like a filter.
    other.results[0].case.benchmark = Some("x=project=1 =machine=lab-1".into());
    app.store(&other).await;
    for query in ["", "q=pipe", "q=lab", "machine=lab-1"] {
        for project in ["libfoo", "other"] {
            let answer = app.read(&format!("/api/v1/projects/{project}/series?{query}")).await;
            assert_eq!(at(&answer, "series/*/project"), json!([project]), "{query}");
        }
    }
}

#[database_test]
async fn pages_list_every_series_once_during_inserts(app: TestApp) {
    store_many(&app).await;
    let all = search(&app, "q=pipe").await;
    assert_eq!(all.len(), 6);
    let mut seen = Vec::new();
    let mut path = "/api/v1/projects/libfoo/series?q=pipe&limit=2".to_owned();
    loop {
        let page = app.read(&path).await;
        seen.extend(found(&page));
        let Some(after) = page["next_after"].as_str() else { break };
        path = format!("/api/v1/projects/libfoo/series?after={after}&q=pipe&limit=2");
        // Sorts before all others, so it is not on any later page.
        let mut more = factory::on("a-machine", factory::report());
        more.results[0].case.message_bytes = 64 + u64::try_from(seen.len()).unwrap();
        app.store(&more).await;
    }
    assert_eq!(seen, all);
}

#[database_test]
async fn pages_do_not_depend_on_the_search_plan(app: TestApp) {
    // In list order: 500 pipes in two modes, then 100 rings. Matches come first or far behind.
    let transport = |number: u64| if number < 500 { "pipe" } else { "ring" };
    let result = |number: u64| {
        with(transport(number), |case| {
            case.message_bytes = 10_000 + number;
            case.mode = factory::slug(if number % 50 == 7 { "2thread" } else { "2proc" });
        })
    };
    app.store_results((0..600).map(result).collect()).await;
    let all = found_in_pages(&app, "limit=200").await;
    assert_eq!(all.len(), 600);
    for words in ["pipe", "ring", "2thread", "ring 2thread", "10599", "socket"] {
        let matches = |series: &&String| words.split(' ').all(|word| series.contains(word));
        let expected: Vec<_> = all.iter().filter(matches).cloned().collect();
        for limit in [7, 50, 200] {
            let query = format!("q={}&limit={limit}", words.replace(' ', "+"));
            assert!(found_in_pages(&app, &query).await == expected, "{query}");
        }
    }
}

async fn found_in_pages(app: &TestApp, query: &str) -> Vec<String> {
    app.pages("", &format!("/api/v1/projects/libfoo/series?{query}")).await.iter().flat_map(found).collect()
}

#[database_test]
async fn facet_counts_apply_the_other_filters(app: TestApp) {
    store_many(&app).await;
    let facets = app.read("/api/v1/projects/libfoo/series/facets").await;
    // Values with their numbers of series.
    let counts = |values: Value| {
        let count = |pair: &Value| json!({"value": pair[0], "series_count": pair[1]});
        values.as_array().unwrap().iter().map(count).collect::<Value>()
    };
    let transports = [("google-benchmark", 1), ("pipe", 5), ("ring-futex", 2), ("unix-stream", 1)];
    assert_eq!(
        facets,
        json!({
            "series_count": 9,
            "machine": counts(json!([["lab-1", 6], ["mac-mini-2", 3]])),
            "transport": counts(json!(transports)),
            "scenario": counts(json!([["benchmark", 1], ["roundtrip", 7], ["stream", 1]])),
            "mode": counts(json!([["2proc", 8], ["2thread", 1]])),
            "placement": counts(json!([["same-cpu", 9]])),
            "message_bytes": counts(json!([[0, 1], [64, 4], [640, 1], [65_536, 2], [1_048_576, 1]])),
            "peers": counts(json!([[1, 9]])),
        })
    );

    let facets =
        app.read("/api/v1/projects/libfoo/series/facets?transport=pipe,unix-stream&message_bytes=64").await;
    assert_eq!(facets["series_count"], 3);
    // By size only: the transport filter does not affect its own facet.
    assert_eq!(facets["transport"], counts(json!([["pipe", 3], ["ring-futex", 1]])));
    // By transport only.
    assert_eq!(facets["message_bytes"], counts(json!([[64, 3], [640, 1], [65_536, 2]])));
    // By both.
    assert_eq!(facets["machine"], counts(json!([["lab-1", 2], ["mac-mini-2", 1]])));

    let facets = app.read("/api/v1/projects/libfoo/series/facets?q=json&machine=lab-1").await;
    assert_eq!(at(&facets, "series_count,transport"), json!([0, []]));
    assert_eq!(facets["machine"], counts(json!([["mac-mini-2", 1]])));
}

#[database_test]
async fn facet_counts_match_the_list(app: TestApp) {
    store_many(&app).await;
    for filter in ["", "machine=lab-1", "q=pipe&mode=2proc", "message_bytes=64&scenario=roundtrip", "q=zzz"] {
        let facets = app.read(&format!("/api/v1/projects/libfoo/series/facets?{filter}")).await;
        let list = app.read(&format!("/api/v1/projects/libfoo/series?{filter}")).await;
        assert_eq!(facets["series_count"], list["series"].as_array().unwrap().len(), "{filter}");
        for value in texts(&list, "series/*/machine").into_iter().collect::<BTreeSet<_>>() {
            let offered = facets["machine"].as_array().unwrap();
            assert!(offered.iter().any(|machine| machine["value"] == value), "{filter}: {value}");
        }
    }
}
