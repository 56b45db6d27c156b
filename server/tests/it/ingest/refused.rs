//! Invalid reports and requests: each error names the invalid part.

use crate::support::{TestApp, factory};
use serde_json::{Value, json};

/// Each entry: the change (pointer and new value; null removes the member), and the pointer of the error if it
/// differs.
#[database_test]
async fn rejects_invalid_reports(app: TestApp) {
    let other_histogram = json!(factory::repetition(0, &[1, 2, 3]).histogram);
    let failures = json!([{"repetition": 0, "reason": "\0"}]);
    let deliveries = json!({"delivered": 4, "lost": 0, "duplicated": 0, "out_of_order": 0, "torn": 0});
    let texts = [
        "/commit/author",
        "/environment/stable/os.kernel",
        "/canaries/0/unsupported",
        "/suite/version",
        "/results/0/transport/title",
        "/results/0/methodology/payload",
    ];
    let numbers = [
        "/commit/first_parent_ordinal",
        "/pull_request",
        "/results/0/case/message_bytes",
        "/results/0/case/total_bytes",
        "/results/0/case/buffer_bytes",
        "/results/0/case/rate_per_second",
        "/results/0/case/messages",
        "/results/0/case/peers",
        "/results/0/repetitions/0/attempted",
        "/results/0/repetitions/0/delivered",
        "/results/0/repetitions/0/elapsed_ns",
    ];
    let named = [
        ("/schema_version", json!(2)),
        ("/schema_version", json!("1")),
        ("/schema_version", Value::Null),
        ("/run_id", json!("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b")),
        ("/run_id", json!("6fa459ea-ee8a-4ca4-894e-db77e160355e")),
        ("/project", json!("Not A Slug")),
        ("/commit/sha", json!("abc")),
        ("/commit/subject", json!("a\0b")),
        ("/commit/committed_at", json!("yesterday")),
        ("/commit/first_parent_ordinal", json!(0)),
        ("/branch", json!("b\0")),
        ("/pull_request", json!(-1)),
        ("/finished_at", json!("2020-01-01T00:00:00Z")),
        ("/environment/stable/os.kernel", json!("x".repeat(5_000))),
        ("/results/0/unsupported", json!("no")),
        ("/results/0/repetitions", json!([])),
        ("/results/0/case/messages", json!(0)),
        ("/results/0/case/senders", json!(0)),
        ("/results/0/case/senders", json!(u64::from(u32::MAX) + 1)),
        ("/results/0/case/size_profile", json!("Chromium IPC")),
        ("/results/0/repetitions/0/histogram", json!("%%%")),
        ("/results/0/repetitions/0/histogram", json!("AAAA")),
        ("/results/0/repetitions/0/samples", json!("%%%")),
        ("/results/0/repetitions/0/count", json!(0)),
        ("/results/0/repetitions/0/count", json!(-3)),
        ("/results/0/repetitions/0/count", json!(1.5)),
        ("/results/0/repetitions/0/min_ns", json!(5_000)),
        ("/results/0/repetitions/0/sum_ns", json!(1)),
        ("/results/0/repetitions/0/sum_ns", json!(3_301)),
        ("/results/0/repetitions/0/accepted", json!(4)),
        ("/results/0/repetitions/0/ends/0/delivery", json!({"delivered": 3})),
    ];
    let elsewhere = [
        ("/commit/committed_at", json!("-5000-01-01T00:00:00Z"), None),
        ("/environment/conditions", json!({"a/b~c": "\0"}), Some("/environment/conditions/a~1b~0c")),
        ("/results/0/counters", json!({"\0": 1}), Some("/results/0/counters/\0")),
        ("/results/0/failures", failures, Some("/results/0/failures/0/reason")),
        ("/results/0/repetitions/0/histogram", other_histogram, Some("/results/0/repetitions/0/min_ns")),
        ("/results/0/repetitions/0/samples", json!("AQ=="), Some("/results/0/repetitions/0/count")),
        (
            "/results/0/repetitions/0/ends/0/delivery",
            deliveries,
            Some("/results/0/repetitions/0/ends/0/delivery/delivered"),
        ),
        ("/results/0/repetitions/0/disturbed", json!(["\0"]), Some("/results/0/repetitions/0/disturbed/0")),
        ("/results/0/repetitions/0/count", Value::Null, Some("/results/0/repetitions/0")),
    ];
    let texts = texts.map(|at| (at, json!("\0")));
    let numbers = numbers.map(|at| (at, json!(u64::MAX)));
    let named = texts.into_iter().chain(numbers).chain(named).map(|(at, value)| (at, value, Some(at)));
    let before = app.row_counts().await;
    for (pointer, value, at) in named.chain(elsewhere) {
        let is_version = pointer == "/schema_version";
        let code = if is_version { "unsupported-schema-version" } else { "invalid-report" };
        let report = factory::report();
        let mut body = serde_json::to_value(&report).unwrap();
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match &value {
            Value::Null => parent.remove(member),
            value => parent.insert(member.to_owned(), value.clone()),
        };
        let answer = app.put_bytes(&report.run_id.to_string(), &[], body.to_string().into_bytes()).await;
        let problem = answer.problem();
        let shown = value.to_string().chars().take(40).collect::<String>();
        assert_eq!((problem.status, problem.code.as_str()), (422, code), "{pointer} = {shown}: {problem:?}");
        assert_eq!(problem.pointer.as_deref(), at, "{pointer} = {shown}: {problem:?}");
        assert_eq!(app.row_counts().await, before, "{pointer} = {shown}");
    }
}

#[database_test]
async fn rejects_overflowing_counts(app: TestApp) {
    let mut report = factory::report();
    for repetition in &mut report.results[0].repetitions {
        repetition.attempted = i64::MAX.cast_unsigned();
    }
    let problem = app.put(&report).await.assert_problem(422, "invalid-report");
    assert_eq!(problem.pointer.as_deref(), Some("/results/0/repetitions/1/attempted"));
}

#[database_test]
async fn names_an_unsupported_version(app: TestApp) {
    let report = factory::report();
    let body = json!({"schema_version": 7, "run": {"id": "x"}}).to_string().into_bytes();
    let answer = app.put_bytes(&report.run_id.to_string(), &[], body).await;
    let problem = answer.assert_problem(422, "unsupported-schema-version");
    assert_eq!(problem.detail, "unsupported schema_version 7: expected 1");
}

#[database_test]
async fn ignores_members_of_a_newer_minor_version(app: TestApp) {
    let report = factory::report();
    let mut body = serde_json::to_value(&report).unwrap();
    body["added_later"] = json!({"any": "thing"});
    let answer = app.put_bytes(&report.run_id.to_string(), &[], body.to_string().into_bytes()).await;
    assert_eq!(answer.status, 201);
}

#[database_test]
async fn rejects_a_path_without_a_run_id(app: TestApp) {
    let problem = app.put_bytes("seven", &[], b"{}".to_vec()).await.assert_problem(400, "invalid-parameter");
    assert!(problem.detail.contains("run_id"), "{problem:?}");
}
