//! [`TestApp`]: the whole service, called without a socket.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use roundtrip_server::{AppState, db};
use roundtrip_wire::{Problem, RunReport};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgPool;
use std::collections::BTreeMap;
use tower::ServiceExt;

/// The service over a test's own database, with a token that may upload.
pub(crate) struct TestApp {
    pub(crate) pool: PgPool,
    pub(crate) token: String,
    router: Router,
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
        let token = db::token::create(&pool, "test", &["ingest:write".into()], None).await.unwrap().secret;
        Self { router: roundtrip_server::app(AppState::new(pool.clone())), pool, token }
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
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
