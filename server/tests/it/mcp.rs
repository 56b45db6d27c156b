//! `/mcp`: tools for coding agents, called by an MCP client over HTTP. `/llms.txt` and the documentation as Markdown.

use crate::changes::regressions::run;
use crate::lab::Lab;
use crate::support::{TestApp, at, factory};
use chrono::Utc;
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ServiceError, ServiceExt};
use roundtrip_domain::tasks::error_rates;
use roundtrip_storage::access::Role;
use roundtrip_wire::{CaseResult, EndObservation, Explanation, Finding, RunReport, Suspect, TransportInfo};
use serde_json::{Value, json};

type Client = RunningService<RoleClient, ()>;

/// A question, the tool that answers it with these arguments, and expected values by path.
type Row = (&'static str, &'static str, Value, Vec<(&'static str, Expected)>);

/// An MCP client with this token; empty for a stranger.
async fn connect(address: &str, token: &str) -> Client {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{address}/mcp"));
    let config = if token.is_empty() { config } else { config.auth_header(token) };
    ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap()
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("no object: {arguments}") };
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

/// The structured answer of a call.
async fn answer(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await;
    assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
    result.structured_content.unwrap()
}

/// The text of a failed call.
async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
    result.content[0].as_text().unwrap().text.clone()
}

/// An expected value at a path of an answer.
#[derive(Debug)]
enum Expected {
    /// Exactly this.
    Is(Value),
    /// A number in this range.
    Within(f64, f64),
    /// A text that contains this.
    Has(&'static str),
    /// A number of entries.
    Count(usize),
}

use Expected::{Count, Has, Is, Within};

impl Expected {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Is(expected) => value == expected,
            Within(low, high) => value.as_f64().is_some_and(|value| (*low..=*high).contains(&value)),
            Has(part) => value.as_str().is_some_and(|text| text.contains(part)),
            Count(count) => value.as_array().is_some_and(|list| list.len() == *count),
        }
    }
}

/// A result of a case, whose ends use this much processor time in the kernel.
fn result(name: &str, message_bytes: u64, commit: u64, ns: u64, system_ns: u64) -> CaseResult {
    let repetition = |index: u32| {
        let noise = (commit * 7 + u64::from(index) * 3) % 11;
        let times: Vec<u64> = (0..20).map(|nth| ns + ns * (noise + nth % 3) / 2_000).collect();
        let mut repetition = factory::repetition(index, &times);
        let end = EndObservation {
            user_ns: Some(1_000),
            system_ns: Some(system_ns * repetition.delivered),
            ready_ns: Some(0),
            voluntary_switches: Some(1),
            ..EndObservation::default()
        };
        repetition.ends = vec![end.clone(), end];
        repetition
    };
    let plain = factory::result(name, message_bytes, (0..12).map(repetition).collect());
    CaseResult { transport: TransportInfo { control: name == "control", ..plain.transport }, ..plain }
}

/// Commits of `libfoo`. On lab-1, the ring becomes faster at commit 15, and the pipe slower at commit 31. On lab-2, everything
/// becomes slower at commit 25, also the canary.
async fn store_history(app: &TestApp) {
    for commit in 1..=40 {
        let (ring_ns, pipe_ns) =
            (if commit < 15 { 2_000 } else { 1_400 }, if commit < 31 { 10_000 } else { 12_000 });
        let system_ns = if commit < 31 { 2_000 } else { 3_000 };
        let mut report = run("lab-1", commit, &[], 700);
        report.results = vec![
            result("pipe", 4_096, commit, pipe_ns, system_ns),
            result("ring", 64, commit, ring_ns, 100),
            result("control", 64, commit, 5_000, 1_000),
        ];
        app.store(&report).await;
        let (queue_ns, canary_ns) = if commit < 25 { (8_000, 700) } else { (9_000, 790) };
        let mut report = run("lab-2", commit, &[], canary_ns);
        report.results = vec![
            result("queue", 64, commit, queue_ns, 1_000),
            result("control", 64, commit, queue_ns / 2, 1_000),
        ];
        app.store(&report).await;
    }
    app.state.analyst().search().await.unwrap();
    let mut explained = run("lab-1", 31, &[], 700);
    explained.branch = Some("try".into());
    explained.results = vec![result("pipe", 4_096, 31, 12_000, 3_000)];
    explained.results[0].methodology.parts = Some(50);
    explained.results[0].explanation = Some(Explanation {
        base_sha: factory::sha(30),
        change_ns: 2_000,
        findings: vec![Finding {
            rule: factory::slug("extra-call"),
            text: "+1.00 `sendmsg` per round trip".into(),
            explains_ns: Some(1_800),
            explains_range_ns: Some([1_700, 1_900]),
            function: None,
        }],
        unexplained_ns: 200,
        notes: Vec::new(),
        suspects: vec![Suspect { sha: factory::sha(31), names: vec!["sendmsg".into()] }],
        has_profile: false,
    });
    app.store(&explained).await;
    // Commit 41 was measured with more messages in flight.
    let mut filled = run("lab-1", 41, &[], 700);
    filled.results = vec![result("ring", 64, 41, 700, 100)];
    filled.results[0].methodology.window = 8;
    app.store(&filled).await;
    app.state.analyst().search().await.unwrap();
    error_rates::count(&app.pool, Utc::now(), None, &|| false).await.unwrap();
}

/// A project with two transports, of which one copies and the other maps.
async fn store_sizes(app: &TestApp) {
    let sizes = [(64, 5_000), (1_024, 6_000), (16_384, 20_000), (262_144, 300_000)];
    let copied = sizes.map(|(bytes, ns)| factory::steady("pipe", bytes, ns));
    let mapped = sizes.map(|(bytes, _)| factory::steady("memfd", bytes, 14_000));
    let results = copied.into_iter().chain(mapped).collect();
    app.store(&RunReport { results, ..factory::of_project("sizes") }).await;
}

#[database_test]
async fn answers_questions_with_units_intervals_and_error_rates(app: TestApp) {
    store_history(&app).await;
    store_sizes(&app).await;
    let client = connect(&app.listen().await, "").await;
    let tools = client.list_all_tools().await.unwrap();
    let slower = json!({"project": "libfoo", "direction": "regressed", "state": "new"});
    let [first, before, culprit, after, last, filled] = [1, 30, 31, 32, 40, 41].map(factory::sha);
    let compare = |base: &str, head: &str| json!({"project": "libfoo", "base": base, "head": head});
    let regression_id =
        at(&answer(&client, "what_changed", slower.clone()).await, "regressions/0/regression_id");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        ("Which commit made the pipe of 4096 B slower on lab-1?", "what_changed", slower.clone(), vec![
            ("regressions", Count(1)),
            ("regressions/0/series/0/transport/slug,regressions/0/series/0/case/message_bytes,regressions/0/series/0/machine",
                Is(json!(["pipe", 4_096, "lab-1"]))),
            ("regressions/0/suspects/*/commit/sha", Is(json!([culprit]))),
            ("regressions/0/suspects/0/commit/subject", Is(json!("Change 31"))),
        ]),
        ("By how much?", "what_changed", slower.clone(), vec![
            ("regressions/0/series/0/change", Within(0.19, 0.21)),
            ("regressions/0/series/0/change_interval/0", Within(0.19, 0.2)),
            ("regressions/0/series/0/change_interval/1", Within(0.2, 0.21)),
            ("regressions/0/series/0/before_level", Within(9_990.0, 10_060.0)),
            ("regressions/0/series/0/after_level", Within(11_990.0, 12_080.0)),
        ]),
        ("Why?", "what_changed", slower.clone(), vec![
            ("regressions/0/explanation/findings/0/text", Has("+1.00 `sendmsg`")),
            ("regressions/0/explanation/findings/0/explains_ns", Is(json!(1_800))),
            ("regressions/0/explanation/findings/0/explains_range_ns", Is(json!([1_700, 1_900]))),
        ]),
        ("Which part of it is unexplained?", "what_changed", slower.clone(), vec![
            ("regressions/0/explanation/unexplained_ns", Is(json!(200))),
        ]),
        ("Which function of the commit is involved?", "what_changed", slower.clone(), vec![
            ("regressions/0/suspects/0/names", Is(json!(["sendmsg"]))),
        ]),
        ("Was it the commit or the machine?", "what_changed", slower.clone(), vec![
            ("regressions/0/cause", Is(json!("commit"))),
            ("regressions/0/series/0/witnesses/0", Has("canary wake did not follow")),
        ]),
        ("How often are such reports wrong?", "what_changed", slower, vec![
            ("error_rates/false_comparisons/count,error_rates/false_comparisons/of_count", Is(json!([0, 82]))),
            ("error_rates/false_comparisons/interval/1", Within(0.0, 0.1)),
            ("error_rates/false_alarms/of_count", Is(json!(0))),
        ]),
        ("What became faster?", "what_changed", json!({"project": "libfoo", "direction": "improved"}), vec![
            ("regressions/0/series/0/transport/slug", Is(json!("ring"))),
            ("regressions/0/suspects/0/commit/sha", Is(json!(factory::sha(15)))),
            ("regressions/0/worst_change", Within(-0.31, -0.29)),
        ]),
        ("What changed because of a machine?", "what_changed", json!({"project": "libfoo", "state": "machine"}), vec![
            ("regressions/*/machines", Is(json!([["lab-2"]]))),
            ("regressions/0/suspects", Count(0)),
        ]),
        ("What changed from commit 32 to 40?", "what_changed", compare(after.as_str(), last.as_str()), vec![
            ("regressions", Count(0)),
        ]),
        ("What changed in commit 31?", "what_changed", compare(before.as_str(), culprit.as_str()), vec![
            ("regressions/*/regression_id", Is(json!([regression_id]))),
        ]),
        ("Where does the additional time go?", "explain", json!({"project": "libfoo", "regression_id": regression_id}), vec![
            ("explained/0/budget/before_ns/sender_kernel", Within(1_900.0, 2_100.0)),
            ("explained/0/budget/after_ns/sender_kernel", Within(2_900.0, 3_100.0)),
            ("next", Count(0)),
        ]),
        ("Explain the change between two commits.", "explain", compare(before.as_str(), culprit.as_str()), vec![
            ("explained/0/regression/explanation/change_ns", Is(json!(2_000))),
        ]),
        ("Explain the faster ring.", "explain", compare(first.as_str(), factory::sha(20).as_str()), vec![
            ("explained/0/regression/explanation", Is(Value::Null)),
            ("next/0", Has("queue_measurement with commits")),
        ]),
        ("Explain commits without a change.", "explain", compare(after.as_str(), last.as_str()), vec![
            ("next/0", Has("compare_commits shows each case")),
        ]),
        ("Which series has the pipe of 4096 B on lab-1?", "find_series",
            json!({"project": "libfoo", "words": "lab-1 pipe 4096"}), vec![
            ("series/*/methodology/parts", Is(json!([null, 50]))),
            ("series/0/latest/commit_sha", Is(json!(last))),
            ("series/0/latest/latency_ns/p50", Within(11_990.0, 12_080.0)),
            ("series/0/latest/repetition_p50_ns/q1", Within(11_990.0, 12_080.0)),
            ("series/0/link", Has("/libfoo/series/")),
        ]),
        ("Which series has a transport that does not exist?", "find_series",
            json!({"project": "libfoo", "transport": "pigeon"}), vec![("series", Count(0)), ("has_more", Is(json!(false)))]),
        ("Show one series.", "find_series", json!({"project": "libfoo", "limit": 1}), vec![
            ("series", Count(1)), ("has_more", Is(json!(true))),
        ]),
        ("Is commit 31 slower than commit 30?", "compare_commits", compare(before.as_str(), culprit.as_str()), vec![
            ("counts/slower,counts/not_comparable", Is(json!([1, 1]))),
            ("pairs/0/verdict,pairs/0/transport/slug", Is(json!(["regressed", "pipe"]))),
            ("pairs/0/change_interval/0", Within(0.19, 0.2)),
            ("pairs/0/base/latency_ns/p50", Within(9_990.0, 10_060.0)),
            ("link", Has("/libfoo/compare?base=000")),
        ]),
        ("How small a slowdown would be found?", "compare_commits", compare(after.as_str(), last.as_str()), vec![
            ("counts/slower,counts/faster", Is(json!([0, 0]))),
            ("detectable_changes/1", Within(0.01, 0.05)),
        ]),
        ("Which slowdowns would the comparison have seen?", "compare_commits", compare(after.as_str(), last.as_str()), vec![
            ("error_rates/would_have_seen/1/change", Within(0.01, 0.3)),
            ("error_rates/would_have_seen/1/found/share", Within(0.9, 1.0)),
            ("error_rates/false_verdicts/of_count", Within(1.0, 1e6)),
        ]),
        ("Why can commit 41 not be compared?", "compare_commits",
            json!({"project": "libfoo", "base": last, "head": filled, "words": "lab-1 ring"}), vec![
            ("counts/slower,counts/unchanged", Is(json!([0, 0]))),
            ("pairs/0/differences/0/what,pairs/0/differences/0/head", Is(json!(["window", "8"]))),
        ]),
        ("Which transport is the fastest for messages of 64 B?", "advise_transport",
            json!({"project": "sizes", "sizes": "64:1"}), vec![
            ("groups/0/ranking/*/transport/slug", Is(json!(["pipe", "memfd"]))),
            ("groups/0/ranking/1/behind_first/ratio", Within(2.7, 2.9)),
            ("groups/0/ranking/1/behind_first/low", Within(2.6, 2.8)),
        ]),
        ("And for 64 KiB, and from which size on?", "advise_transport",
            json!({"project": "sizes", "sizes": "65536:1"}), vec![
            ("groups/0/ranking/0/transport/slug", Is(json!("memfd"))),
            ("groups/0/crossovers/0/x", Within(1_024.0, 16_384.0)),
        ]),
        ("What would a paired measurement of commit 31 be?", "queue_measurement",
            json!({"project": "libfoo", "commits": [culprit], "base": before, "labels": ["quiet"], "preset": "quick"}), vec![
            ("queued,job_ids,base,labels,preset", Is(json!([false, [], before, ["quiet"], "quick"]))),
            ("next", Has("`confirm: true`")),
        ]),
        ("How do I find a slow commit without a server?", "read_docs", json!({"words": "bisect slow commit"}), vec![
            ("pages/0/path", Is(json!("how-to/bisect"))),
        ]),
        ("What is a canary?", "read_docs", json!({"path": "reference/glossary"}), vec![("text", Has("canary"))]),
    ];
    assert!(rows.len() >= 25);
    let mut wrong = Vec::new();
    for (question, tool, arguments, expected) in rows {
        let found = answer(&client, tool, arguments).await;
        assert_valid(&tools, tool, &found);
        let values = expected.into_iter().map(|(path, expected)| (path, at(&found, path), expected));
        let of_row = values.filter(|(_, value, expected)| !expected.holds(value));
        wrong.extend(
            of_row
                .map(|(path, value, expected)| format!("{question} {path}: {value}, expected {expected:?}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(app.row_counts().await["job"], 0, "nothing was queued");
}

/// Asserts that an answer has the form that its tool declares.
fn assert_valid(tools: &[Tool], name: &str, answer: &Value) {
    let tool = tools.iter().find(|tool| tool.name == name).unwrap();
    let schema = Value::Object(tool.output_schema.as_deref().unwrap().clone());
    let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
    compiler.add_resource("tool.json", schema).unwrap();
    let index = compiler.compile("tool.json", &mut schemas).unwrap();
    schemas.validate(answer, index).unwrap_or_else(|error| panic!("{name}: {error:#}\n{answer:#}"));
}

#[database_test]
async fn tools_describe_each_argument_and_result(app: TestApp) {
    let client = connect(&app.listen().await, "").await;
    let tools = client.list_all_tools().await.unwrap();
    for tool in &tools {
        assert!(tool.description.as_ref().unwrap().len() > 80, "{}", tool.name);
        for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{}: {name}: {property}", tool.name);
            }
        }
        let hints = tool.annotations.as_ref().unwrap();
        let reads = tool.name != "queue_measurement";
        assert_eq!(
            (hints.read_only_hint, hints.destructive_hint),
            (Some(reads), Some(false)),
            "{}",
            tool.name
        );
    }
}

#[database_test]
async fn no_tool_reveals_a_private_project(app: TestApp) {
    store_sizes(&app).await;
    app.store(&RunReport {
        results: vec![factory::once("pipe", 64, 1_000)],
        ..factory::of_project("hush-hush")
    })
    .await;
    app.store(&factory::report()).await;
    app.hide("hush-hush").await;
    let address = app.listen().await;
    let sha = factory::sha(1);
    let arguments = |tool: &str| match tool {
        "compare_commits" | "explain" => json!({"project": "hush-hush", "base": sha, "head": sha}),
        "queue_measurement" => json!({"project": "hush-hush", "commits": [sha], "confirm": true}),
        _ => json!({"project": "hush-hush"}),
    };
    let viewer = connect(&address, &app.member("victor", "hush-hush", Role::Viewer).await).await;
    let of_another = app.member("oscar", "libfoo", Role::Admin).await;
    for token in ["", &of_another] {
        let stranger = connect(&address, token).await;
        for tool in [
            "find_series",
            "what_changed",
            "compare_commits",
            "explain",
            "advise_transport",
            "queue_measurement",
        ] {
            let text = refused(&stranger, tool, arguments(tool)).await;
            assert_eq!(
                text,
                "unknown-project: project not found: hush-hush. Projects that you can read: libfoo, sizes",
                "{tool}"
            );
            // Otherwise the test would pass without any data.
            if tool != "queue_measurement" {
                answer(&viewer, tool, arguments(tool)).await;
            }
        }
        let text = refused(&stranger, "find_series", json!({})).await;
        assert_eq!(text, "project-needed: pass `project`. Projects that you can read: libfoo, sizes");
    }
}

#[database_test]
async fn only_contributors_queue_measurements_and_only_confirmed_ones(lab: Lab) {
    lab.agent("lab-1", &[]).await;
    let address = lab.app.listen().await;
    let contributor = lab.app.member("joe", "libfoo", Role::Contributor).await;
    let viewer = lab.app.member("eve", "libfoo", Role::Viewer).await;
    let asked = json!({"commits": [factory::sha(1)], "confirm": true});
    for (token, code) in [("", "unauthenticated"), (&*viewer, "forbidden"), (&*lab.app.token, "forbidden")] {
        let text = refused(&connect(&address, token).await, "queue_measurement", asked.clone()).await;
        assert!(text.starts_with(code), "{text}");
    }
    let client = connect(&address, &contributor).await;
    let unconfirmed = json!({"commits": [factory::sha(1)]});
    assert_eq!(answer(&client, "queue_measurement", unconfirmed).await["queued"], false);
    assert_eq!(lab.app.row_counts().await["job"], 0);
    let queued = answer(&client, "queue_measurement", asked).await;
    assert_eq!(at(&queued, "queued,job_ids"), json!([true, [1]]));
    let jobs = lab.app.read("/api/v1/projects/libfoo/jobs").await;
    assert_eq!(at(&jobs, "jobs/*/requested_by"), json!(["account:joe"]));
}

#[database_test]
async fn errors_say_what_to_do(app: TestApp) {
    app.store(&factory::report()).await;
    let client = connect(&app.listen().await, "").await;
    for (tool, arguments, parts) in [
        ("find_series", json!({"machines": "lab-1"}), &["unknown field `machines`", "`machine`"][..]),
        ("find_series", json!({"limit": 0}), &["invalid-parameter", "limit"]),
        ("what_changed", json!({"base": factory::sha(1)}), &["pass both `base` and `head`"]),
        ("what_changed", json!({"state": "red"}), &["invalid-parameter", "state"]),
        (
            "compare_commits",
            json!({"base": "main", "head": factory::sha(1)}),
            &["expected 7 to 64 hexadecimal digits"],
        ),
        ("explain", json!({}), &["`what_changed` lists regressions"]),
        ("explain", json!({"regression_id": 7}), &["unknown-regression"]),
        ("advise_transport", json!({"sizes": "many"}), &["invalid-parameter", "sizes"]),
        ("read_docs", json!({"path": "how-to/fly"}), &["unknown-page", "Search with `words`"]),
    ] {
        let text = refused(&client, tool, arguments).await;
        assert!(parts.iter().all(|part| text.contains(part)), "{tool}: {text}");
    }
    let unknown = client.call_tool(CallToolRequestParams::new("fly")).await;
    let Err(ServiceError::McpError(error)) = unknown else { panic!("{unknown:?}") };
    assert!(error.message.contains("expected one of find_series, what_changed"), "{error:?}");
}

#[database_test]
async fn rejects_invalid_tokens_long_requests_and_pages_of_other_sites(app: TestApp) {
    let ask = async |header: (&str, &str)| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let accepted = ("accept", "application/json, text/event-stream");
        let headers = [("host", "ipc.example.org"), accepted, header];
        app.send_with("POST", "/mcp", &headers, Some(body)).await
    };
    ask(("authorization", "Bearer wrong")).await.assert_problem(401, "unauthenticated");
    assert_eq!(ask(("origin", "https://example.org")).await.status, 403);
    assert_eq!(ask(("x-any", "thing")).await.status, 200);
    let long = vec![b' '; 100_000];
    let answer = app.send_bytes("POST", "/mcp", &[("content-type", "application/json")], long).await;
    answer.assert_problem(413, "body-too-large");
    let read = app.send_with("GET", "/mcp", &[("host", "ipc.example.org")], None).await;
    assert_eq!(read.status, 405, "there are no sessions");
}

#[database_test]
async fn serves_documentation_as_markdown(app: TestApp) {
    let list = app.get("/llms.txt").await;
    assert_eq!(list.header("content-type"), "text/plain; charset=utf-8");
    let list = String::from_utf8(list.body).unwrap();
    let pages: Vec<&str> = list.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(pages.len() > 40, "{list}");
    for page in pages.into_iter().filter(|page| page.ends_with(".md")) {
        let answer = app.get(page).await;
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8", "{page}");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&page[1..]);
        assert_eq!(answer.body, std::fs::read(file).unwrap(), "{page}");
    }
    // A path of the web interface, and a file outside of the folder.
    for page in ["/docs/how-to/fly.md", "/docs/../README.md"] {
        assert_ne!(
            app.get(page).await.headers.get("content-type").unwrap(),
            "text/markdown; charset=utf-8",
            "{page}"
        );
    }
}

#[database_test]
async fn session_cookie_gives_tools_no_access(app: TestApp) {
    app.store(&factory::report()).await;
    app.hide("libfoo").await;
    let token = app.member("victor", "libfoo", Role::Viewer).await;
    let own = [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin")];
    let signed_in = app.send_with("POST", "/api/v1/session", &own, Some(json!({"token": token}))).await;
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "find_series", "arguments": {"project": "libfoo"}}});
    let accepted = ("accept", "application/json, text/event-stream");
    let headers = [own[0], own[1], ("host", "ipc.example.org"), accepted, ("cookie", cookie.as_str())];
    let answer = app.send_with("POST", "/mcp", &headers, Some(body)).await;
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.body).unwrap();
    assert!(text.contains("unknown-project"), "{text}");
}

#[database_test]
async fn what_changed_names_machines_that_measure_rarely(app: TestApp) {
    let stored = async |machine: &str, commit: u64| {
        let ns = if commit < 31 { 10_000 } else { 12_000 };
        let mut report = run(machine, commit, &[], 700);
        report.results = vec![result("pipe", 4_096, commit, ns, 2_000)];
        app.store(&report).await;
    };
    for commit in 1..=90 {
        stored("lab-1", commit).await;
        // Its change is found at commit 35.
        if commit % 5 == 0 {
            stored("lab-3", commit).await;
        }
    }
    app.state.analyst().search().await.unwrap();
    let client = connect(&app.listen().await, "").await;
    let found = answer(&client, "what_changed", json!({"project": "libfoo", "direction": "regressed"})).await;
    let mut machines = crate::support::texts(&found, "regressions/0/series/*/machine");
    machines.sort();
    assert_eq!(machines, ["lab-1", "lab-3"], "{found}");
}
