//! Reports that break a rule, and requests that name no run: each is refused by name.

use crate::support::{TestApp, factory};
use serde_json::{Value, json};
use sqlx::PgPool;

/// Each entry: what is changed (pointer and new value; null removes the member), and what the problem must say.
#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_report_that_breaks_a_rule_is_refused_by_name_and_changes_nothing(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let repetition = "/results/0/repetitions/0";
    let of = |member: &str| format!("{repetition}/{member}");
    let too_large = json!(u64::MAX);
    let other_histogram = factory::repetition(0, &[1, 2, 3]).histogram;
    let cases: Vec<(String, Value, &str, Option<String>)> = vec![
        ("/schema_version".into(), json!(2), "unsupported-schema-version", Some("/schema_version".into())),
        ("/schema_version".into(), json!("1"), "unsupported-schema-version", Some("/schema_version".into())),
        ("/schema_version".into(), Value::Null, "unsupported-schema-version", Some("/schema_version".into())),
        (
            "/run_id".into(),
            json!("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b"),
            "invalid-report",
            Some("/run_id".into()),
        ),
        (
            "/run_id".into(),
            json!("6fa459ea-ee8a-4ca4-894e-db77e160355e"),
            "invalid-report",
            Some("/run_id".into()),
        ),
        ("/project".into(), json!("Not A Slug"), "invalid-report", Some("/project".into())),
        ("/commit/sha".into(), json!("abc"), "invalid-report", Some("/commit/sha".into())),
        ("/commit/subject".into(), json!("a\0b"), "invalid-report", Some("/commit/subject".into())),
        ("/commit/author".into(), json!("\0"), "invalid-report", Some("/commit/author".into())),
        (
            "/commit/committed_at".into(),
            json!("yesterday"),
            "invalid-report",
            Some("/commit/committed_at".into()),
        ),
        ("/commit/committed_at".into(), json!("-5000-01-01T00:00:00Z"), "invalid-report", None),
        (
            "/commit/first_parent_ordinal".into(),
            json!(0),
            "invalid-report",
            Some("/commit/first_parent_ordinal".into()),
        ),
        (
            "/commit/first_parent_ordinal".into(),
            too_large.clone(),
            "invalid-report",
            Some("/commit/first_parent_ordinal".into()),
        ),
        ("/branch".into(), json!("b\0"), "invalid-report", Some("/branch".into())),
        ("/pull_request".into(), too_large.clone(), "invalid-report", Some("/pull_request".into())),
        ("/pull_request".into(), json!(-1), "invalid-report", Some("/pull_request".into())),
        ("/finished_at".into(), json!("2020-01-01T00:00:00Z"), "invalid-report", Some("/finished_at".into())),
        (
            "/environment/stable/os.kernel".into(),
            json!("\0"),
            "invalid-report",
            Some("/environment/stable/os.kernel".into()),
        ),
        (
            "/environment/stable/os.kernel".into(),
            json!("x".repeat(5_000)),
            "invalid-report",
            Some("/environment/stable/os.kernel".into()),
        ),
        (
            "/environment/conditions".into(),
            json!({"a/b~c": "\0"}),
            "invalid-report",
            Some("/environment/conditions/a~1b~0c".into()),
        ),
        (
            "/canaries/0/unsupported".into(),
            json!("\0"),
            "invalid-report",
            Some("/canaries/0/unsupported".into()),
        ),
        ("/suite/version".into(), json!("\0"), "invalid-report", Some("/suite/version".into())),
        (
            "/results/0/transport/title".into(),
            json!("\0"),
            "invalid-report",
            Some("/results/0/transport/title".into()),
        ),
        (
            "/results/0/methodology/payload".into(),
            json!("\0"),
            "invalid-report",
            Some("/results/0/methodology/payload".into()),
        ),
        (
            "/results/0/counters".into(),
            json!({"\0": 1}),
            "invalid-report",
            Some("/results/0/counters/\0".into()),
        ),
        (
            "/results/0/failures".into(),
            json!([{"repetition": 0, "reason": "\0"}]),
            "invalid-report",
            Some("/results/0/failures/0/reason".into()),
        ),
        (
            "/results/0/unsupported".into(),
            json!("no"),
            "invalid-report",
            Some("/results/0/unsupported".into()),
        ),
        ("/results/0/repetitions".into(), json!([]), "invalid-report", Some("/results/0/repetitions".into())),
        (
            "/results/0/case/message_bytes".into(),
            too_large.clone(),
            "invalid-report",
            Some("/results/0/case/message_bytes".into()),
        ),
        (
            "/results/0/case/total_bytes".into(),
            too_large.clone(),
            "invalid-report",
            Some("/results/0/case/total_bytes".into()),
        ),
        (
            "/results/0/case/buffer_bytes".into(),
            too_large.clone(),
            "invalid-report",
            Some("/results/0/case/buffer_bytes".into()),
        ),
        (
            "/results/0/case/rate_per_second".into(),
            too_large.clone(),
            "invalid-report",
            Some("/results/0/case/rate_per_second".into()),
        ),
        (
            "/results/0/case/messages".into(),
            too_large.clone(),
            "invalid-report",
            Some("/results/0/case/messages".into()),
        ),
        (
            "/results/0/case/messages".into(),
            json!(0),
            "invalid-report",
            Some("/results/0/case/messages".into()),
        ),
        (
            "/results/0/case/senders".into(),
            json!(0),
            "invalid-report",
            Some("/results/0/case/senders".into()),
        ),
        (
            "/results/0/case/senders".into(),
            json!(u64::from(u32::MAX) + 1),
            "invalid-report",
            Some("/results/0/case/senders".into()),
        ),
        (
            "/results/0/case/size_profile".into(),
            json!("Chromium IPC"),
            "invalid-report",
            Some("/results/0/case/size_profile".into()),
        ),
        (
            "/results/0/case/peers".into(),
            json!(u64::MAX),
            "invalid-report",
            Some("/results/0/case/peers".into()),
        ),
        (of("histogram"), json!("%%%"), "invalid-report", Some(of("histogram"))),
        (of("histogram"), json!("AAAA"), "invalid-report", Some(of("histogram"))),
        (of("histogram"), json!(other_histogram), "invalid-report", Some(of("min_ns"))),
        (of("samples"), json!("%%%"), "invalid-report", Some(of("samples"))),
        (of("samples"), json!("AQ=="), "invalid-report", Some(of("count"))),
        (of("count"), json!(0), "invalid-report", Some(of("count"))),
        (of("count"), json!(-3), "invalid-report", Some(of("count"))),
        (of("count"), json!(1.5), "invalid-report", Some(of("count"))),
        (of("min_ns"), json!(5_000), "invalid-report", Some(of("min_ns"))),
        (of("sum_ns"), json!(1), "invalid-report", Some(of("sum_ns"))),
        (of("sum_ns"), json!(3_301), "invalid-report", Some(of("sum_ns"))),
        (of("attempted"), too_large.clone(), "invalid-report", Some(of("attempted"))),
        (of("accepted"), json!(4), "invalid-report", Some(of("accepted"))),
        (of("delivered"), too_large.clone(), "invalid-report", Some(of("delivered"))),
        (of("elapsed_ns"), too_large, "invalid-report", Some(of("elapsed_ns"))),
        (
            of("ends/0/delivery"),
            json!({"delivered": 4, "lost": 0, "duplicated": 0, "out_of_order": 0, "torn": 0}),
            "invalid-report",
            Some(of("ends/0/delivery/delivered")),
        ),
        (of("ends/0/delivery"), json!({"delivered": 3}), "invalid-report", Some(of("ends/0/delivery"))),
        (of("disturbed"), json!(["\0"]), "invalid-report", Some(of("disturbed/0"))),
        (of("count"), Value::Null, "invalid-report", Some(repetition.into())),
    ];
    let before = app.row_counts().await;
    for (pointer, value, code, at) in cases {
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
        assert_eq!(problem.pointer, at, "{pointer} = {shown}: {problem:?}");
        assert_eq!(app.row_counts().await, before, "{pointer} = {shown}");
    }
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn counts_that_add_up_beyond_the_database_are_refused_not_wrapped(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let mut report = factory::report();
    for repetition in &mut report.results[0].repetitions {
        repetition.attempted = i64::MAX.cast_unsigned();
    }
    let problem = app.put(&report).await.assert_problem(422, "invalid-report");
    assert_eq!(problem.pointer.as_deref(), Some("/results/0/repetitions/1/attempted"));
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn another_version_is_named_whatever_the_shape_of_the_rest(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let report = factory::report();
    let body = json!({"schema_version": 7, "run": {"id": "x"}}).to_string().into_bytes();
    let answer = app.put_bytes(&report.run_id.to_string(), &[], body).await;
    let problem = answer.assert_problem(422, "unsupported-schema-version");
    assert_eq!(problem.detail, "schema_version is 7: this server reads version 1");
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn members_of_a_later_minor_format_are_ignored(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let report = factory::report();
    let mut body = serde_json::to_value(&report).unwrap();
    body["added_later"] = json!({"any": "thing"});
    let answer = app.put_bytes(&report.run_id.to_string(), &[], body.to_string().into_bytes()).await;
    assert_eq!(answer.status, 201);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_path_without_a_run_id_is_a_wrong_parameter(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let problem = app.put_bytes("seven", &[], b"{}".to_vec()).await.assert_problem(400, "invalid-parameter");
    assert!(problem.detail.contains("run_id"), "{problem:?}");
}
