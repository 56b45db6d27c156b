//! [`TestApp`]: the whole service, called without a socket.

use super::database::Database;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use base64::{Engine, prelude::BASE64_STANDARD};
use http_body_util::BodyExt;
use roundtrip_domain::audited;
use roundtrip_domain::live::Live;
use roundtrip_server::{AppState, auth_settings};
use roundtrip_storage as db;
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_storage::audit::By;
use roundtrip_storage::token::NewToken;
use roundtrip_wire::{Problem, RunReport};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use std::collections::BTreeMap;
use tower::ServiceExt;

/// So many requests a minute that no test meets the limit by accident.
const UNLIMITED: auth_settings::Settings = auth_settings::Settings {
    is_private: false,
    requests_per_minute: u32::MAX,
    trusted_proxies: auth_settings::TrustedProxies(Vec::new()),
};

/// A project, how many runs, commits, machines and series it has, and its newest run.
type ProjectCounts = (i64, i64, i64, i64, i64, String);

/// The service over a test's own database, with a token that may upload anything.
pub(crate) struct TestApp {
    pub(crate) pool: PgPool,
    pub(crate) token: String,
    pub(crate) state: AppState,
    pub(crate) live: Live,
    router: Router,
    _database: Option<Database>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl TestApp {
    pub(crate) async fn new(pool: PgPool) -> Self {
        Self::kept(pool, UNLIMITED).await
    }

    /// Whose door is kept so.
    pub(crate) async fn kept(pool: PgPool, settings: auth_settings::Settings) -> Self {
        Self::made(pool, |state| state.with_auth(settings)).await
    }

    /// Whose state is changed first.
    pub(crate) async fn made(pool: PgPool, change: impl FnOnce(AppState) -> AppState) -> Self {
        let database = Database::of(pool).await;
        let app = Self::with(change(AppState::new(database.pool.clone()))).await;
        Self { _database: Some(database), ..app }
    }

    pub(crate) async fn with(state: AppState) -> Self {
        let mut app = Self::over(state, String::new());
        app.token = app.program_token(TokenKind::Agent, &[Scope::IngestWrite], &Binding::default()).await;
        app
    }

    /// Another server over the same database, with connections of its own.
    pub(crate) fn another(&self) -> Self {
        self.another_with(PgPoolOptions::new().max_connections(5))
    }

    /// The same with so many connections.
    pub(crate) fn another_with(&self, connections: PgPoolOptions) -> Self {
        let pool = connections.connect_lazy_with((*self.pool.connect_options()).clone());
        Self::over(AppState::new(pool).with_auth(UNLIMITED), self.token.clone())
    }

    fn over(state: AppState, token: String) -> Self {
        let (pool, live) = (state.pool.clone(), state.live.clone());
        Self { pool, token, live, router: roundtrip_server::app(state.clone()), state, _database: None }
    }

    /// A token of an agent or of CI.
    pub(crate) async fn program_token(&self, kind: TokenKind, scopes: &[Scope], binding: &Binding) -> String {
        self.issue(NewToken { name: "test", kind, account_id: None, scopes, binding, expires_at: None }).await
    }

    /// Another token of an account.
    pub(crate) async fn user_token(&self, account: &str, scopes: &[Scope], binding: &Binding) -> String {
        let mut connection = self.pool.acquire().await.unwrap();
        let account_id = db::account::key(&mut connection, account).await.unwrap();
        let kind = TokenKind::User;
        self.issue(NewToken { name: "test", kind, account_id, scopes, binding, expires_at: None }).await
    }

    pub(crate) async fn issue(&self, new: NewToken<'_>) -> String {
        let mut connection = self.pool.acquire().await.unwrap();
        db::token::create(&mut connection, &new).await.unwrap().secret.expose().to_owned()
    }

    /// A new account's token for all that it may.
    pub(crate) async fn account(&self, name: &str, is_admin: bool) -> String {
        let by = By::command_line();
        let made = audited::create_account(&self.pool, &by, name, None, is_admin).await.unwrap();
        made.unwrap().1.unwrap().secret.expose().to_owned()
    }

    /// The same of an account that has a role in a project.
    pub(crate) async fn member(&self, name: &str, project: &str, role: Role) -> String {
        let token = self.account(name, false).await;
        let project = db::access::owner::project(&self.pool, project).await.unwrap().unwrap();
        let mut connection = self.pool.acquire().await.unwrap();
        let account_id = db::account::key(&mut connection, name).await.unwrap().unwrap();
        db::account::set_role(&mut connection, project.project_id, account_id, role).await.unwrap();
        token
    }

    /// A request with a token and, if there is one, a body of JSON.
    pub(crate) async fn send(&self, method: &str, path: &str, token: &str, body: Option<Value>) -> Answer {
        let mut headers = vec![("authorization", format!("Bearer {token}"))];
        if token.is_empty() {
            headers.clear();
        }
        self.send_with(method, path, &headers, body).await
    }

    /// The same with any headers.
    pub(crate) async fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: Option<Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let body = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        self.call(request.body(body).unwrap()).await
    }

    /// Makes a project private, behind the API's back.
    pub(crate) async fn hide(&self, project: &str) {
        sqlx::query("update project set visibility = 'private' where slug = $1")
            .bind(project)
            .execute(&self.pool)
            .await
            .unwrap();
    }

    /// Uploads a report with another token.
    pub(crate) async fn put_as(&self, token: &str, report: &RunReport) -> Answer {
        let header = format!("Bearer {token}");
        let body = serde_json::to_vec(report).unwrap();
        self.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body).await
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// An answer that goes on: to be read bit by bit.
    pub(crate) async fn open(&self, path: &str) -> axum::response::Response {
        self.router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap()
    }

    /// The same with a token.
    pub(crate) async fn open_as(&self, token: &str, path: &str) -> axum::response::Response {
        let request = Request::get(path).header("authorization", format!("Bearer {token}"));
        self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// What a read that must succeed answers.
    pub(crate) async fn read(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
        answer.json()
    }

    pub(crate) async fn put(&self, report: &RunReport) -> Answer {
        self.put_bytes(&report.run_id.to_string(), &[], serde_json::to_vec(report).unwrap()).await
    }

    /// Sends JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.call(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// Stores a report that must be accepted.
    pub(crate) async fn store(&self, report: &RunReport) {
        let answer = self.put(report).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&answer.body));
    }

    /// Sends any bytes. The given headers replace those that a proper upload has; an empty value removes one.
    pub(crate) async fn put_bytes(&self, run_id: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let token = format!("Bearer {}", self.token);
        let mut all =
            BTreeMap::from([("authorization", token.as_str()), ("content-type", "application/json")]);
        all.extend(headers.iter().copied());
        let request = all
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .fold(Request::put(format!("/api/v1/runs/{run_id}")), |request, (name, value)| {
                request.header(name, value)
            });
        self.call(request.body(Body::from(body)).unwrap()).await
    }

    /// Stores a file of another tool, which must be accepted.
    pub(crate) async fn import(&self, report: &RunReport, name: &str, file: &[u8]) {
        let body =
            json!({ "report": report, "file": { "name": name, "base64": BASE64_STANDARD.encode(file) } });
        let request = Request::post("/api/v1/import")
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        let answer = self.call(request.body(Body::from(body.to_string())).unwrap()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&answer.body));
    }

    /// What is told on the port for metrics.
    pub(crate) async fn metrics(&self) -> String {
        let router = roundtrip_server::monitoring::router(self.state.clone());
        let answer = router.oneshot(Request::get("/metrics").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// What is counted of each project, after asserting that it is what there is: runs, measured commits, machines, series and
    /// the newest run.
    pub(crate) async fn assert_counted(&self) -> Vec<ProjectCounts> {
        let counted: Vec<ProjectCounts> = sqlx::query_as(
            "select project_id, sum(run_count)::bigint, sum(commit_count)::bigint, count(*),
                    sum(series_count)::bigint, max(latest_run_id::text)
             from project_machine group by project_id order by project_id",
        )
        .fetch_all(&self.pool)
        .await
        .unwrap();
        let found: Vec<ProjectCounts> = sqlx::query_as(
            "select run.project_id, count(*), count(distinct run.commit_id), count(distinct run.machine_id),
                    (select count(*) from series where series.project_id = run.project_id), max(run.run_id::text)
             from run group by run.project_id order by run.project_id",
        )
        .fetch_all(&self.pool)
        .await
        .unwrap();
        assert_eq!(counted, found);
        counted
    }

    /// How many rows each table has.
    pub(crate) async fn row_counts(&self) -> BTreeMap<String, i64> {
        let tables: Vec<String> = sqlx::query_scalar(
            "select table_name::text from information_schema.tables
             where table_schema = 'public' and table_type = 'BASE TABLE'",
        )
        .fetch_all(&self.pool)
        .await
        .unwrap();
        assert!(tables.len() > 10, "{tables:?}");
        let mut counts = BTreeMap::new();
        for table in tables {
            let query = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
            counts.insert(table, sqlx::query_scalar(query).fetch_one(&self.pool).await.unwrap());
        }
        counts
    }
}

impl Answer {
    pub(crate) fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The problem, after checking that the answer is one in every respect.
    pub(crate) fn problem(&self) -> Problem {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem: Problem = self.json();
        assert_eq!(problem.status, self.status.as_u16());
        assert_eq!(problem.kind, format!("/problems/{}", problem.code));
        assert_eq!(problem.request_id.as_deref(), self.headers["x-request-id"].to_str().ok());
        assert!(!problem.detail.is_empty() && !problem.title.is_empty());
        problem
    }

    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, code: &str) -> Problem {
        let problem = self.problem();
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{problem:?}");
        problem
    }
}
