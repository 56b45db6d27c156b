//! The newest values of a project for Prometheus.

use crate::support::{Answer, TestApp, factory};
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_wire::{Better, Case, CaseResult, Measure, RunReport};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const PATH: &str = "/api/v1/projects/libfoo/openmetrics";
const P50: &str = "roundtrip_latency_p50_seconds";
const P99: &str = "roundtrip_latency_p99_seconds";

/// A sample: its metric, labels and value.
#[derive(Clone, Debug)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

/// The samples of a text with gauges only, after checking the rules of OpenMetrics.
fn parse(text: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    let (mut families, mut current) = (BTreeSet::new(), "");
    let body = text.strip_suffix("# EOF\n").unwrap_or_else(|| panic!("no end in {text}"));
    for line in body.lines() {
        if let Some(described) = line.strip_prefix("# ") {
            let [keyword, name, value] = described.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            match keyword {
                "HELP" => assert!(families.insert(name), "{name} is described twice"),
                "TYPE" => assert_eq!((name, value), (current, "gauge")),
                "UNIT" => assert!(name == current && name.ends_with(&format!("_{value}")), "{line}"),
                _ => panic!("{line}"),
            }
            current = name;
            continue;
        }
        let sample = sample(line);
        assert_eq!(sample.name, current, "a sample apart from its family: {line}");
        let is_new = samples.iter().all(|seen| (&seen.name, &seen.labels) != (&sample.name, &sample.labels));
        assert!(is_new, "twice: {line}");
        samples.push(sample);
    }
    samples
}

fn sample(line: &str) -> Sample {
    let (name, rest) = line.split_once('{').unwrap_or_else(|| panic!("no labels: {line}"));
    let (mut labels, mut rest) = (BTreeMap::new(), rest);
    while let Some((label, after)) = rest.split_once("=\"") {
        assert!(label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit()));
        let (mut value, mut letters) = (String::new(), after.char_indices());
        let end = loop {
            match letters.next().unwrap_or_else(|| panic!("an open quote: {line}")) {
                (end, '"') => break end,
                (_, '\\') => match letters.next().unwrap().1 {
                    'n' => value.push('\n'),
                    letter @ ('\\' | '"') => value.push(letter),
                    letter => panic!("\\{letter} in {line}"),
                },
                (_, letter) => value.push(letter),
            }
        };
        assert!(labels.insert(label.to_owned(), value).is_none(), "{label} twice: {line}");
        rest = after[end + 1..].trim_start_matches(',');
    }
    let value = rest.strip_prefix("} ").unwrap_or_else(|| panic!("no value: {line}")).parse().unwrap();
    Sample { name: name.to_owned(), labels, value }
}

fn samples(answer: &Answer) -> Vec<Sample> {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    parse(std::str::from_utf8(&answer.body).unwrap())
}

/// The values of a metric by a label.
fn values(samples: &[Sample], name: &str, label: &str) -> Vec<(String, f64)> {
    let of_metric = samples.iter().filter(|sample| sample.name == name);
    of_metric.map(|sample| (sample.labels[label].clone(), sample.value)).collect()
}

#[database_test]
async fn values_equal_those_of_the_api(app: TestApp) {
    for (commit, factor) in [(1, 1), (2, 3)] {
        let times = |ns: u64| vec![factory::repetition(0, &[ns * factor, ns * factor + 7, ns * factor * 4])];
        let results = vec![
            factory::result("pipe", 64, times(1_234)),
            factory::result("pipe", 4_096, times(5_678)),
            factory::result("unix-stream", 64, times(9_012)),
        ];
        app.store(&factory::nth_with(commit, results)).await;
    }
    let list = app.read("/api/v1/projects/libfoo/series").await;
    let samples = samples(&app.get(PATH).await);
    for (name, quantile) in [(P50, "p50"), (P99, "p99")] {
        let found = values(&samples, name, "series_id").into_iter();
        let found: Vec<_> =
            found.map(|(series_id, seconds)| json!([series_id, (seconds * 1e9).round()])).collect();
        let summaries = list["series"].as_array().unwrap().iter();
        let expected: Vec<_> = summaries
            .map(|summary| {
                let ns = summary["latest"]["latency_ns"][quantile].as_f64().unwrap();
                json!([summary["series_id"].to_string(), ns])
            })
            .collect();
        assert_eq!((found.len(), &found), (3, &expected), "{name}");
    }
    let ordinals = values(&samples, "roundtrip_commit_ordinal", "series_id");
    assert_eq!(ordinals, [("1".to_owned(), 2.0), ("2".to_owned(), 2.0), ("3".to_owned(), 2.0)]);
    let labels: Vec<_> =
        samples.iter().find(|sample| sample.name == P50).unwrap().labels.clone().into_iter().collect();
    let expected = [
        ("machine", "lab-1"),
        ("message_bytes", "64"),
        ("mode", "2proc"),
        ("peers", "1"),
        ("placement", "same-cpu"),
        ("project", "libfoo"),
        ("scenario", "roundtrip"),
        ("series_id", "1"),
        ("transport", "pipe"),
    ];
    assert_eq!(labels, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[database_test]
async fn filters_select_series_of_the_main_line(app: TestApp) {
    app.store_results(vec![factory::once("pipe", 64, 1_000), factory::once("fifo", 64, 2_000)]).await;
    app.store(&RunReport {
        pull_request: Some(7),
        ..factory::nth_with(2, vec![factory::once("pipe", 64, 9_000), factory::once("mq", 64, 9_000)])
    })
    .await;
    let found =
        async |query: &str| values(&samples(&app.get(&format!("{PATH}{query}")).await), P50, "transport");
    let [fifo, pipe] = [("fifo".to_owned(), 2e-6), ("pipe".to_owned(), 1e-6)];
    assert_eq!(found("").await, [fifo.clone(), pipe]);
    assert_eq!(found("?q=fifo+64").await, std::slice::from_ref(&fifo));
    assert_eq!(found("?transport=fifo,mq&machine=lab-1").await, [fifo]);
    assert_eq!(found("?machine=lab-2").await, []);
    app.get(&format!("{PATH}?word=fifo")).await.assert_problem(400, "invalid-parameter");
}

#[database_test]
async fn marks_lost_messages_and_escapes_names(app: TestApp) {
    let mut lossy = factory::once("pipe", 64, 1_000);
    lossy.repetitions[0].delivered = 0;
    let named = factory::once("fifo", 64, 2_000);
    let benchmark = "BM_\"Pipe\"\\64";
    let named =
        CaseResult { case: Case { benchmark: Some(benchmark.to_owned()), ..named.case.clone() }, ..named };
    app.store_results(vec![lossy, named]).await;
    let samples = samples(&app.get(PATH).await);
    let of_p50 = samples.iter().filter(|sample| sample.name == P50);
    let label = |sample: &Sample, name: &str| sample.labels.get(name).cloned().unwrap_or_default();
    let found: Vec<_> =
        of_p50.map(|sample| ["transport", "benchmark", "lossy"].map(|name| label(sample, name))).collect();
    assert_eq!(found, [["fifo", benchmark, ""], ["pipe", "", "true"]]);
}

#[database_test]
async fn other_measures_have_their_own_unit(app: TestApp) {
    let bytes = factory::once("fifo", 64, 2_500);
    let measure = Measure { name: "B/op".to_owned(), unit: "B".to_owned(), better: Better::Lower };
    let case = Case { measure: Some(measure), operations: Some(1_000), ..bytes.case.clone() };
    app.store_results(vec![factory::once("pipe", 64, 1_000), CaseResult { case, ..bytes }]).await;
    let samples = samples(&app.get(PATH).await);
    assert_eq!(values(&samples, P50, "transport"), [("pipe".to_owned(), 1e-6)]);
    for name in ["roundtrip_measure_p50", "roundtrip_measure_p99"] {
        assert_eq!(values(&samples, name, "measure"), [("B/op".to_owned(), 2.5)]);
        assert_eq!(values(&samples, name, "unit"), [("B".to_owned(), 2.5)]);
    }
}

#[database_test]
async fn counts_open_regressions(app: TestApp) {
    app.store(&factory::report()).await;
    let count = async || values(&samples(&app.get(PATH).await), "roundtrip_open_regressions", "project");
    assert_eq!(count().await, [("libfoo".to_owned(), 0.0)]);
    app.regression("").await;
    app.regression("state = 'fixed'").await;
    assert_eq!(count().await, [("libfoo".to_owned(), 1.0)]);
}

#[database_test]
async fn private_projects_need_a_token_that_reads_them(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let here = Binding { project: Some("libfoo".into()), machine: None };
    let scraper = app.program_token(TokenKind::Ci, &[Scope::Read], &here).await;
    let viewer = app.member("victor", "libfoo", Role::Viewer).await;
    let stranger = app.account("oscar", false).await;
    for token in [&scraper, &viewer] {
        assert_eq!(values(&samples(&app.send("GET", PATH, token, None).await), P50, "machine").len(), 1);
    }
    for token in ["", &stranger, &app.token] {
        app.send("GET", PATH, token, None).await.assert_problem(404, "unknown-project");
    }
}

#[database_test]
async fn more_than_a_thousand_series_must_be_narrowed(app: TestApp) {
    let mut results: Vec<_> = (1..=1_000).map(|bytes| factory::once("pipe", bytes, 1_000 + bytes)).collect();
    results.push(factory::once("fifo", 64, 1_000));
    app.store_results(results).await;
    app.get(PATH).await.assert_invalid("more than 1000 series match: filter by `machine`");
    let answer = app.get(&format!("{PATH}?transport=pipe")).await;
    assert_eq!(values(&samples(&answer), P99, "message_bytes").len(), 1_000);
}
