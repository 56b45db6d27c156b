//! Private projects are hidden in the whole API.

use crate::support::{Answer, TestApp, at, factory};
use roundtrip_server::auth_settings;
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;

/// A private project with an imported run, and a regression with a profile.
struct Hidden {
    run_id: String,
    series_id: i64,
    regression_id: i64,
    job_id: i64,
    sha: String,
}

const PROJECT: &str = "hush-hush";
const MACHINE: &str = "bunker-1";

impl Hidden {
    async fn store(app: &TestApp) -> Self {
        let measured = factory::on(MACHINE, factory::of_project(PROJECT));
        let results = measured.results.iter().cloned().map(factory::explained).collect();
        app.store(&RunReport { results, ..measured }).await;
        let regression_id = app.regression("").await;
        app.execute("update change_point set figure = 'p50'").await;
        let report = RunReport { results: Vec::new(), ..factory::of_project(PROJECT) };
        let report = factory::on(MACHINE, report);
        let run_id = report.run_id.to_string();
        let sha = report.commit.sha.to_string();
        let file = b"BenchmarkPing-8 100 1200 ns/op\nBenchmarkPing-8 100 1300 ns/op\n";
        app.import(&report, "bench.txt", file).await;
        app.hide(PROJECT).await;
        let series_id = app.scalar("select max(series_id) from series").await;
        let job = format!(
            "insert into job (project_id, machine_id, commit_sha, reason, created_at)
             select project_id, machine_id, '{sha}', 'request', now() from run limit 1
             returning job_id"
        );
        let job_id = app.scalar(&job).await;
        Self { run_id, series_id, regression_id, job_id, sha }
    }

    /// The value of an API parameter. New parameters must be added here, so that the test covers every new read.
    fn value(&self, parameter: &str) -> Option<String> {
        Some(match parameter {
            "project" => PROJECT.to_owned(),
            "run_id" => self.run_id.clone(),
            "series_id" | "series" => self.series_id.to_string(),
            "regression_id" => self.regression_id.to_string(),
            "job_id" => self.job_id.to_string(),
            "machine" => MACHINE.to_owned(),
            "sha" | "commit" | "base" | "head" => self.sha.clone(),
            "over" => "message_bytes".to_owned(),
            "scenario" => "benchmark".to_owned(),
            "code" => "0000000000".to_owned(),
            "file" => "manifest.json".to_owned(),
            "reference" => "freebsd-pipes-and-sockets".to_owned(),
            _ => return None,
        })
    }

    /// All reads in the API document, each with its path and whether it is about the project.
    fn reads(&self) -> Vec<(String, bool)> {
        let document: Value = serde_json::from_str(&roundtrip_server::router::document_json()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let reads: Vec<_> = paths
            .iter()
            .filter(|(_, item)| item.get("get").is_some())
            .map(|(path, item)| self.read(path, &item["get"]))
            .collect();
        assert!(reads.len() > 15, "{reads:?}");
        reads
    }

    fn read(&self, template: &str, operation: &Value) -> (String, bool) {
        let mut path = template.to_owned();
        let mut query = Vec::new();
        let mut is_of_project = false;
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let is_in_path = parameter["in"] == "path";
            let is_asked = is_in_path || (parameter["in"] == "query" && parameter["required"] == true);
            if !is_asked {
                continue;
            }
            let value = self.value(name);
            let value = value.unwrap_or_else(|| panic!("{template}: add a value for {name} to this test"));
            // Short links are public and their pages check permissions themselves. Releases belong to no project.
            is_of_project |= !["code", "file"].contains(&name);
            if is_in_path {
                path = path.replace(&format!("{{{name}}}"), &value);
            } else {
                query.push(format!("{name}={value}"));
            }
        }
        assert!(!path.contains('{'), "{path}");
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        (path, is_of_project)
    }

    /// Whether an answer contains text that would reveal the project.
    fn appears_in(&self, answer: &Answer) -> bool {
        let body = String::from_utf8_lossy(&answer.body);
        [PROJECT, MACHINE, &self.run_id, &self.sha].iter().any(|word| body.contains(*word))
    }
}

#[database_test]
async fn no_read_reveals_a_private_project(app: TestApp) {
    let hidden = Hidden::store(&app).await;
    app.store(&RunReport { commit: factory::commit(7, Some(7)), ..factory::report() }).await;
    let admin = app.member("ada", PROJECT, Role::Admin).await;
    let of_another = app.member("oscar", "libfoo", Role::Admin).await;
    let elsewhere = Binding { project: Some("libfoo".into()), machine: None };
    let scopes = [Scope::Read, Scope::IngestWrite];
    let ci_of_another = app.program_token(TokenKind::Ci, &scopes, &elsewhere).await;
    let here = Binding { project: Some(PROJECT.into()), machine: None };
    let only_uploads = app.program_token(TokenKind::Agent, &[Scope::IngestWrite], &here).await;
    let mut checked = 0;
    for (path, is_of_project) in hidden.reads() {
        for stranger in ["", &of_another, &ci_of_another, &only_uploads] {
            let answer = app.send("GET", &path, stranger, None).await;
            if is_of_project {
                let problem = answer.problem();
                assert_eq!(problem.status, 404, "{path} for {stranger:?}: {problem:?}");
                assert!(problem.code.starts_with("unknown-"), "{path}: {problem:?}");
            } else if path != "/api/v1/session" {
                // The session only shows a token's own project.
                assert!(!hidden.appears_in(&answer), "{path} for {stranger:?}");
            }
        }
        if is_of_project {
            // Otherwise the test would pass without any data.
            let response = app.open(&path, Some(&admin)).await;
            assert_eq!(response.status(), 200, "{path}: {response:?}");
            checked += 1;
        }
    }
    assert!(checked > 8, "{checked}");
}

#[database_test]
async fn hidden_project_is_not_found(app: TestApp) {
    let hidden = Hidden::store(&app).await;
    let unknown_run = uuid::Uuid::now_v7().to_string();
    for (path, absent) in [
        (format!("/api/v1/projects/{PROJECT}"), "/api/v1/projects/nobody".to_owned()),
        (format!("/api/v1/projects/{PROJECT}/runs"), "/api/v1/projects/nobody/runs".to_owned()),
        (format!("/api/v1/runs/{}", hidden.run_id), format!("/api/v1/runs/{unknown_run}")),
        (format!("/api/v1/runs/{}/report", hidden.run_id), format!("/api/v1/runs/{unknown_run}/report")),
        (format!("/api/v1/runs/{}/original", hidden.run_id), format!("/api/v1/runs/{unknown_run}/original")),
        (format!("/api/v1/runs/{}/series/1", hidden.run_id), format!("/api/v1/runs/{unknown_run}/series/1")),
        (format!("/api/v1/series/{}", hidden.series_id), "/api/v1/series/999".to_owned()),
        (format!("/api/v1/points?series={}", hidden.series_id), "/api/v1/points?series=999".to_owned()),
    ] {
        let (hidden, absent) = (app.get(&path).await.problem(), app.get(&absent).await.problem());
        assert_eq!(hidden.status, 404, "{path}");
        assert_eq!((&hidden.code, &hidden.title), (&absent.code, &absent.title), "{path}");
    }
    for (method, body) in [("PATCH", Some(json!({"visibility": "public"}))), ("DELETE", None)] {
        let path = format!("/api/v1/projects/{PROJECT}");
        app.send(method, &path, "", body).await.assert_problem(404, "unknown-project");
    }
}

#[database_test]
async fn members_and_tokens_list_a_private_project(app: TestApp) {
    Hidden::store(&app).await;
    app.store(&factory::report()).await;
    let viewer = app.member("victor", PROJECT, Role::Viewer).await;
    let admin = app.account("ada", true).await;
    let here = Binding { project: Some(PROJECT.into()), machine: None };
    let ci = app.program_token(TokenKind::Ci, &[Scope::Read], &here).await;
    let bound_elsewhere = Binding { project: Some("libfoo".into()), machine: None };
    let narrow = app.user_token("victor", &[Scope::Read], &bound_elsewhere).await;
    for (who, expected) in [
        ("", vec!["libfoo"]),
        (&viewer, vec![PROJECT, "libfoo"]),
        (&admin, vec![PROJECT, "libfoo"]),
        (&ci, vec![PROJECT, "libfoo"]),
        (&narrow, vec!["libfoo"]),
    ] {
        let list = app.read_as(who, "/api/v1/projects").await;
        assert_eq!(at(&list, "projects/*/project"), json!(expected));
    }
}

#[database_test]
async fn rejects_points_if_one_series_is_hidden(app: TestApp) {
    let hidden = Hidden::store(&app).await;
    app.store(&factory::report()).await;
    let public: i64 = app.scalar("select max(series_id) from series").await;
    app.read(&format!("/api/v1/points?series={public}")).await;
    let path = format!("/api/v1/points?series={public},{}", hidden.series_id);
    let problem = app.get(&path).await.assert_problem(404, "unknown-series");
    assert!(problem.detail.ends_with(&hidden.series_id.to_string()), "{problem:?}");
}

#[database_test]
async fn private_server_hides_everything(pool: PgPool) {
    let settings = auth_settings::Settings { is_private: true, ..Default::default() };
    let app = TestApp::with_auth(pool, settings).await;
    app.store(&factory::report()).await;
    app.get("/api/v1/projects/libfoo").await.assert_problem(404, "unknown-project");
    assert_eq!(app.read("/api/v1/projects").await["projects"], json!([]));
    let session = app.read("/api/v1/session").await;
    assert_eq!(session["is_private"], true, "pages use it to explain an empty list");
    let member = app.member("victor", "libfoo", Role::Viewer).await;
    assert_eq!(app.read_as(&member, "/api/v1/projects/libfoo").await["visibility"], "private");
    // Every account can read a public project.
    app.execute("update project set visibility = 'public'").await;
    let other = app.account("oscar", false).await;
    app.read_as(&other, "/api/v1/projects/libfoo").await;
    app.get("/api/v1/projects/libfoo").await.assert_problem(404, "unknown-project");
}

#[database_test]
async fn shared_caches_do_not_keep_private_answers(app: TestApp) {
    app.store(&factory::report()).await;
    let viewer = app.member("victor", "libfoo", Role::Viewer).await;
    let answer = app.send("GET", "/api/v1/projects/libfoo", &viewer, None).await;
    assert_eq!(answer.headers["cache-control"], "private, no-cache");
    let answer = app.get("/api/v1/projects/libfoo").await;
    assert_eq!(answer.headers["cache-control"], "no-cache");
    let vary: Vec<_> = answer.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
    assert!(vary.iter().any(|value| value.contains("cookie") && value.contains("authorization")), "{vary:?}");
}
