//! [`TestApp`]: the complete service, called without a socket.

use super::database::Database;
use super::factory;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use roundtrip_domain::audited;
use roundtrip_domain::live::Live;
use roundtrip_server::{AppState, auth_settings};
use roundtrip_storage as db;
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_storage::audit::By;
use roundtrip_storage::token::NewToken;
use roundtrip_wire::{CaseResult, Problem, RunReport};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::postgres::{PgPoolOptions, PgRow};
use sqlx::{AssertSqlSafe, PgPool};
use std::collections::BTreeMap;
use tower::ServiceExt;

/// A rate limit that no test reaches by accident.
const UNLIMITED: auth_settings::Settings = auth_settings::Settings {
    is_private: false,
    requests_per_minute: u32::MAX,
    trusted_proxies: auth_settings::TrustedProxies(Vec::new()),
};

/// A project's counts of runs, commits, machines and series, and its newest run.
type ProjectCounts = (i64, i64, i64, i64, i64, String);

/// The service over a test's own database, with a token for any upload.
pub(crate) struct TestApp {
    pub(crate) pool: PgPool,
    pub(crate) token: String,
    pub(crate) state: AppState,
    pub(crate) live: Live,
    router: Router,
    _database: Option<Database>,
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The method and path of its request.
    request: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl super::Fixture for TestApp {
    async fn new(pool: PgPool) -> Self {
        Self::with_auth(pool, UNLIMITED).await
    }
}

impl TestApp {
    /// Creates the service with these settings for authentication.
    pub(crate) async fn with_auth(pool: PgPool, settings: auth_settings::Settings) -> Self {
        Self::configured(pool, |state| state.with_auth(settings)).await
    }

    /// Creates the service with a changed state.
    pub(crate) async fn configured(pool: PgPool, change: impl FnOnce(AppState) -> AppState) -> Self {
        let database = Database::new(pool).await;
        let app = Self::from_state(change(AppState::new(database.pool.clone()))).await;
        Self { _database: Some(database), ..app }
    }

    pub(crate) async fn from_state(state: AppState) -> Self {
        let mut app = Self::build(state, String::new());
        app.token = app.program_token(TokenKind::Agent, &[Scope::IngestWrite], &Binding::default()).await;
        app
    }

    /// Another server over the same database, with its own connections.
    pub(crate) fn another(&self) -> Self {
        self.another_with(PgPoolOptions::new().max_connections(5))
    }

    /// Like `another`, with these pool options.
    pub(crate) fn another_with(&self, connections: PgPoolOptions) -> Self {
        let pool = connections.connect_lazy_with((*self.pool.connect_options()).clone());
        Self::build(AppState::new(pool).with_auth(UNLIMITED), self.token.clone())
    }

    fn build(state: AppState, token: String) -> Self {
        let (pool, live) = (state.pool.clone(), state.live.clone());
        Self { pool, token, live, router: roundtrip_server::app(state.clone()), state, _database: None }
    }

    /// Listens on a port until the end of the test, and returns its address.
    pub(crate) async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, self.router.clone()).into_future());
        format!("http://{address}")
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

    /// Creates an account, and returns a token with all its permissions.
    pub(crate) async fn account(&self, name: &str, is_admin: bool) -> String {
        let by = By::command_line();
        let made = audited::create_account(&self.pool, &by, name, None, is_admin).await.unwrap();
        made.unwrap().1.unwrap().secret.expose().to_owned()
    }

    /// Like `account`, with a role in a project.
    pub(crate) async fn member(&self, name: &str, project: &str, role: Role) -> String {
        let token = self.account(name, false).await;
        let project = db::access::owner::project(&self.pool, project).await.unwrap().unwrap();
        let mut connection = self.pool.acquire().await.unwrap();
        let account_id = db::account::key(&mut connection, name).await.unwrap().unwrap();
        db::account::set_role(&mut connection, project.project_id, account_id, role).await.unwrap();
        token
    }

    /// Sends a request with a token and optionally a JSON body.
    pub(crate) async fn send(&self, method: &str, path: &str, token: &str, body: Option<Value>) -> Answer {
        let headers = [("authorization", format!("Bearer {token}"))];
        self.send_with(method, path, if token.is_empty() { &[] } else { &headers }, body).await
    }

    /// Like `send`, with any headers.
    pub(crate) async fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, impl AsRef<str>)],
        body: Option<Value>,
    ) -> Answer {
        let mut headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_ref())).collect();
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        self.send_bytes(method, path, &headers, body.into_bytes()).await
    }

    /// Like `send_with`, with any body.
    pub(crate) async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, impl AsRef<str>)],
        body: Vec<u8>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, value.as_ref());
        }
        self.call(request.body(Body::from(body)).unwrap()).await
    }

    /// Changes the database directly, and returns the number of changed rows.
    pub(crate) async fn execute(&self, sql: &str) -> u64 {
        let done = sqlx::query(AssertSqlSafe(sql.to_owned())).execute(&self.pool).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}")).rows_affected()
    }

    /// The rows of a query.
    pub(crate) async fn rows<T>(&self, sql: &str) -> Vec<T>
    where
        T: for<'r> sqlx::FromRow<'r, PgRow> + Send + Unpin,
    {
        let rows = sqlx::query_as(AssertSqlSafe(sql.to_owned())).fetch_all(&self.pool).await;
        rows.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The only row of a query.
    pub(crate) async fn row<T>(&self, sql: &str) -> T
    where
        T: for<'r> sqlx::FromRow<'r, PgRow> + Send + Unpin,
    {
        let mut rows = self.rows(sql).await;
        assert_eq!(rows.len(), 1, "{sql}");
        rows.remove(0)
    }

    /// The only column of a query.
    pub(crate) async fn scalars<T>(&self, sql: &str) -> Vec<T>
    where
        (T,): for<'r> sqlx::FromRow<'r, PgRow> + Send + Unpin,
    {
        self.rows(sql).await.into_iter().map(|(value,)| value).collect()
    }

    /// The only value of a query.
    pub(crate) async fn scalar<T>(&self, sql: &str) -> T
    where
        (T,): for<'r> sqlx::FromRow<'r, PgRow> + Send + Unpin,
    {
        self.row::<(T,)>(sql).await.0
    }

    /// Inserts a regression without changes directly, because detecting one takes many runs.
    pub(crate) async fn empty_regression(&self) -> i64 {
        let regression = "insert into regression (
                 project_id, direction, state, cause, after_commit_id, until_commit_id, created_at, updated_at
             )
             select commit.project_id, 'regressed', 'new', 'commit', commit_id, commit_id, now(), now()
             from commit order by ordinal limit 1
             returning regression_id";
        self.scalar(regression).await
    }

    /// Inserts a regression with a change of a series, and updates it.
    pub(crate) async fn regression(&self, change: &str) -> i64 {
        let regression_id = self.empty_regression().await;
        let after_level = if change.contains("improved") { 800.0 } else { 1_200.0 };
        let change_point = format!(
            "insert into change_point (
                 series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places, before_level,
                 after_level, confidence, matters, cause, regression_id, found_at, withdrawn_at
             )
             select series_id, environment.environment_id, 'q{regression_id}', commit_id, commit_id, commit_id, '[]', 1000, {after_level},
                    0.99, true, 'commit', {regression_id}, now(), null
             from series, commit, environment order by ordinal limit 1"
        );
        assert_eq!(self.execute(&change_point).await, 1, "{change_point}");
        if !change.is_empty() {
            let update = format!("update regression set {change} where regression_id = {regression_id}");
            assert_eq!(self.execute(&update).await, 1, "{update}");
        }
        regression_id
    }

    /// Makes a project private directly in the database.
    pub(crate) async fn hide(&self, project: &str) {
        self.execute(&format!("update project set visibility = 'private' where slug = '{project}'")).await;
    }

    /// Uploads a report with another token.
    pub(crate) async fn put_as(&self, token: &str, report: &RunReport) -> Answer {
        let header = format!("Bearer {token}");
        let body = serde_json::to_vec(report).unwrap();
        self.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body).await
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Answer {
        let line = format!("{} {}", request.method(), request.uri());
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { request: line, status: parts.status, headers: parts.headers, body }
    }

    /// Opens a streaming response, with a token if there is one.
    pub(crate) async fn open(&self, path: &str, token: Option<&str>) -> axum::response::Response {
        let request = Request::get(path);
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        self.answer(request.body(Body::empty()).unwrap()).await
    }

    /// The response to any request, before its body is read.
    pub(crate) async fn answer(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", None).await
    }

    /// The answer of a read that must succeed.
    pub(crate) async fn read(&self, path: &str) -> Value {
        self.read_as("", path).await
    }

    /// Like `read`, with a token.
    pub(crate) async fn read_as(&self, token: &str, path: &str) -> Value {
        let answer = self.send("GET", path, token, None).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
        answer.json()
    }

    /// The details of a run.
    pub(crate) async fn run(&self, report: &RunReport) -> Value {
        self.read(&format!("/api/v1/runs/{}", report.run_id)).await
    }

    /// The pages of a list. Each except the last has as many entries as the path's limit.
    pub(crate) async fn pages(&self, token: &str, path: &str) -> Vec<Value> {
        let (mut pages, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.read_as(token, &format!("{path}{after}")).await;
            let next = page["next_after"].as_str().map(|next| format!("&after={next}"));
            pages.push(page);
            let Some(next) = next else { return pages };
            after = next;
        }
    }

    pub(crate) async fn put(&self, report: &RunReport) -> Answer {
        self.put_bytes(&report.run_id.to_string(), &[], serde_json::to_vec(report).unwrap()).await
    }

    /// Sends JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "", Some(body.clone())).await
    }

    /// Stores a report that must be accepted.
    pub(crate) async fn store(&self, report: &RunReport) {
        let answer = self.put(report).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&answer.body));
    }

    /// Stores a run of these results.
    pub(crate) async fn store_results(&self, results: Vec<CaseResult>) {
        self.store(&RunReport { results, ..factory::report() }).await;
    }

    /// Uploads any bytes. The given headers replace those of a normal upload; an empty value removes one.
    pub(crate) async fn put_bytes(&self, run_id: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let token = format!("Bearer {}", self.token);
        let mut all =
            BTreeMap::from([("authorization", token), ("content-type", "application/json".to_owned())]);
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        all.retain(|_, value| !value.is_empty());
        self.send_bytes("PUT", &format!("/api/v1/runs/{run_id}"), &Vec::from_iter(all), body).await
    }

    /// Imports a file of another tool, which must be accepted.
    pub(crate) async fn import(&self, report: &RunReport, name: &str, file: &[u8]) {
        let body = factory::import(report, name, None, file);
        let answer = self.send("POST", "/api/v1/import", &self.token, Some(body)).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&answer.body));
    }

    /// The text of the metrics port.
    pub(crate) async fn metrics(&self) -> String {
        let router = roundtrip_server::monitoring::router(self.state.clone());
        let answer = router.oneshot(Request::get("/metrics").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// The stored counts of each project, after asserting that they match the rows: runs, measured commits, machines,
    /// series and the newest run.
    pub(crate) async fn assert_counted(&self) -> Vec<ProjectCounts> {
        let counted = "select project_id, sum(run_count)::bigint, sum(commit_count)::bigint, count(*),
                    sum(series_count)::bigint, max(latest_run_id::text)
             from project_machine group by project_id order by project_id";
        let found = "select run.project_id, count(*), count(distinct run.commit_id), count(distinct run.machine_id),
                    (select count(*) from series where series.project_id = run.project_id), max(run.run_id::text)
             from run group by run.project_id order by run.project_id";
        let counted: Vec<ProjectCounts> = self.rows(counted).await;
        assert_eq!(counted, self.rows(found).await);
        counted
    }

    /// The number of rows in each table.
    pub(crate) async fn row_counts(&self) -> BTreeMap<String, i64> {
        let tables = "select table_name::text from information_schema.tables
             where table_schema = 'public' and table_type = 'BASE TABLE'";
        let tables: Vec<String> = self.scalars(tables).await;
        assert!(tables.len() > 10, "{tables:?}");
        let mut counts = BTreeMap::new();
        for table in tables {
            let count = self.scalar(&format!("select count(*) from {table}")).await;
            counts.insert(table, count);
        }
        counts
    }
}

impl Answer {
    pub(crate) fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The problem, after checking its format.
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
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{}: {problem:?}", self.request);
        problem
    }

    /// Asserts a rejected parameter, whose problem contains this text.
    #[track_caller]
    pub(crate) fn assert_invalid(&self, part: &str) {
        let problem = self.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.contains(part), "{}: expected `{part}`: {problem:?}", self.request);
    }

    /// The text of a header.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}
