//! `roundtrip mcp`, through an MCP client that starts it.

use crate::run::repository;
use crate::server::{StatefulServer, header, unused_address};
use crate::{definition, definition_of_programs, has_programs, refused, roundtrip, run_command, words};
use rmcp::ServiceExt;
use rmcp::handler::client::progress::ProgressDispatcher;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A client that keeps the messages of progress.
#[derive(Clone, Default)]
struct Listener {
    messages: Arc<Mutex<Vec<String>>>,
    dispatcher: ProgressDispatcher,
}

impl rmcp::ClientHandler for Listener {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.messages.lock().unwrap().extend(progress.message.clone());
        self.dispatcher.handle_notification(progress).await;
    }
}

type Client = RunningService<RoleClient, Listener>;

/// Starts `roundtrip mcp` in a folder, and passes a client to the test.
fn with_client<F: Future<Output = ()>>(folder: &Path, options: &[&str], test: impl FnOnce(Client) -> F) {
    let mut command = tokio::process::Command::from(roundtrip(folder));
    command.arg("mcp").args(options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Listener::default().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
        test(client).await;
    });
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("no object: {arguments}") };
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

async fn answer(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await;
    assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
    result.structured_content.unwrap()
}

async fn failure(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
    result.content[0].as_text().unwrap().text.clone()
}

#[test]
fn measures_one_case_with_an_interval() {
    let folder = repository();
    std::fs::write(folder.path().join("one.toml"), definition("pipe", 8)).unwrap();
    with_client(folder.path(), &[], async |client| {
        let tools = client.list_all_tools().await.unwrap();
        let effects: Vec<_> = tools
            .iter()
            .map(|tool| (&*tool.name, tool.annotations.as_ref().unwrap().read_only_hint.unwrap()))
            .collect();
        assert_eq!(
            effects[5..],
            [("queue_measurement", false), ("read_docs", true), ("run", false), ("ab", false)]
        );

        let found = answer(&client, "run", json!({"preset": "one.toml", "transports": ["pipe"]})).await;
        let result = &found["results"][0];
        assert_eq!((&result["transport"], &result["case"]["message_bytes"]), (&json!("pipe"), &json!(64)));
        let number = |value: &Value| value.as_u64().unwrap();
        let (low, high) = (number(&result["interval_ns"][0]), number(&result["interval_ns"][1]));
        assert!(0 < low && low <= high && number(&result["p50_ns"]) <= number(&result["p99_ns"]), "{result}");
        assert_eq!((&result["lossy"], &result["problems"]), (&json!(false), &json!([])));
        let messages = client.service().messages.lock().unwrap().clone();
        assert!(messages[0].starts_with("1/8 repetitions, at most "), "{messages:?}");
        assert_eq!(messages.len(), 8, "{messages:?}");

        // An argument is never an option.
        let text = failure(&client, "run", json!({"transports": ["--upload=http://127.0.0.1:1"]})).await;
        assert!(text.contains("--upload=http://127.0.0.1:1"), "{text}");
        assert!(text.contains("unknown"), "{text}");
        let text = failure(&client, "run", json!({"preset": "absent"})).await;
        assert!(text.contains("unknown preset"), "{text}");
    });
}

#[test]
fn compares_two_commands_with_the_false_positive_rate() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    std::fs::write(folder.join("ours.toml"), definition_of_programs(&["ours"], "['not-this-one']")).unwrap();
    let side = |name: &str| format!("{} peer framing {name}", words());
    with_client(folder, &[], async |client| {
        let asked = json!({"base": side("advanced"), "head": side("json"), "preset": "ours.toml"});
        let found = answer(&client, "ab", asked).await;
        let case = &found["cases"][0];
        assert_eq!((&case["verdict"], &found["false_positive_rate"]), (&json!("regressed"), &json!(0.01)));
        assert!(case["change_interval"][0].as_f64() > Some(0.0), "{case}");
        let messages = client.service().messages.lock().unwrap().clone();
        assert!(
            messages.iter().any(|message| message.ends_with("/1 cases decided, 1 pairs")),
            "{messages:?}"
        );

        let asked =
            json!({"base": side("advanced"), "head": side("json"), "preset": "ours.toml", "budget": "1ms"});
        let found = answer(&client, "ab", asked).await;
        assert_eq!(found["cases"][0]["verdict"], "inconclusive");
        assert!(found["cases"][0]["undecided"].as_str().unwrap().contains("time budget used"), "{found}");

        let text = failure(&client, "ab", json!({"base": "main", "head": "absent", "of": "revision"})).await;
        assert!(text.starts_with("failed: no definition (FILE.toml)"), "{text}");
    });
}

/// Builds with a shell.
#[cfg(unix)]
#[test]
fn reports_the_output_of_builds_as_progress() {
    let folder = repository();
    let folder = folder.path();
    std::fs::write(folder.join("ours.toml"), definition_of_programs(&["ours"], "['not-this-one']")).unwrap();
    let settings = "presets = ['ours.toml']\nbuild = [\"sh -c 'echo building >&2; exit 1'\"]";
    std::fs::write(folder.join("roundtrip.toml"), settings).unwrap();
    crate::run::commit_all(folder, "two");
    with_client(folder, &[], async |client| {
        let text = failure(&client, "ab", json!({"base": "HEAD~1", "head": "HEAD", "of": "revision"})).await;
        let messages = client.service().messages.lock().unwrap().clone();
        assert!(
            messages.iter().any(|message| message.starts_with("Revision HEAD~1: ")),
            "{messages:?}: {text}"
        );
        let reason = text.strip_prefix("failed: ").unwrap();
        assert!(
            messages.join("\n").ends_with(reason) && !reason.contains("Revision"),
            "{messages:?}: {text}"
        );
    });
}

#[test]
fn reads_a_server_with_the_users_token() {
    let server = StatefulServer::<Vec<String>>::start(|request, tokens| {
        tokens.push(header(&request.head, "authorization"));
        match request.path() {
            "/api/v1/projects?limit=1000" => {
                ("200 OK", json!({"projects": [{"project": "libfoo"}]}).to_string().into())
            }
            "/api/v1/projects/libfoo/series?q=pipe%204096&limit=20" => {
                ("200 OK", json!({"series": [], "next_after": null}).to_string().into())
            }
            path => ("404 Not Found", crate::server::problem(404, path)),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "rtu_secret\n").unwrap();
    let options = ["--server", &server.url(), "--token-file", "token"];
    with_client(folder.path(), &options, async |client| {
        let found = answer(&client, "find_series", json!({"words": "pipe 4096"})).await;
        assert_eq!(found, json!({"series": [], "has_more": false}));
        let text = failure(&client, "explain", json!({"regression_id": 7})).await;
        assert!(text.contains("/api/v1/projects/libfoo/regressions/7"), "{text}");
        let page = answer(&client, "read_docs", json!({"path": "how-to/bisect"})).await;
        assert!(page["text"].as_str().unwrap().starts_with("# Find the commit"), "{page}");
    });
    server.change(|tokens| {
        assert!(tokens.len() > 3 && tokens.iter().all(|token| token == "Bearer rtu_secret"));
    });
}

#[test]
fn names_the_option_for_a_server_that_does_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("http://{}", unused_address());
    with_client(folder.path(), &["--server", &address], async |client| {
        let text = failure(&client, "what_changed", json!({})).await;
        assert!(text.starts_with(&format!("no-answer: no response from {address}")), "{text}");
        assert!(text.contains("--server URL"), "{text}");
    });
    refused(
        &run_command(folder.path(), &["mcp", "--token-file", "-"]),
        2,
        &["--token-file: standard input has"],
    );
    refused(&run_command(folder.path(), &["mcp", "--server", "ipc"]), 2, &["invalid server URL `ipc`"]);
}
