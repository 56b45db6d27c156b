//! The GitHub App, over real HTTP on both sides: a fake GitHub that is as strict as GitHub, and the server at a port.

mod comments;
mod events;
mod jobs;
mod limits;
mod webhooks;

use crate::support::{Fixture, TestApp, factory};
use anyhow::Result;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use roundtrip_domain::comparison::Verdict;
use roundtrip_github::comment::{Leg, LegState, PullRequestReport, Row};
use roundtrip_github::reconcile::{Reconciler, Reports};
use roundtrip_github::worker::Worker;
use roundtrip_github::{App, app};
use roundtrip_github_fake::{APP_KEY, Delivery, FakeGitHub, Level, NewPullRequest, Settings, Signing};
use roundtrip_storage::github::installation;
use roundtrip_storage::github::pull_request::Row as PullRequestRow;
use sqlx::PgPool;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub(super) const REPOSITORY: &str = "acme/libfoo";
pub(super) const WRITER: &str = "ada";
pub(super) const STRANGER: &str = "mallory";

/// A server that is the App of a GitHub, with a project that is one of its repositories.
pub(super) struct World {
    pub(super) app: TestApp,
    pub(super) github: FakeGitHub,
    pub(super) installation: u64,
    pub(super) said: Arc<Said>,
    webhooks: String,
}

/// What there is to say, by the pull request's number.
#[derive(Default)]
pub(super) struct Said(Mutex<HashMap<i64, PullRequestReport>>);

#[async_trait]
impl Reports for Said {
    async fn report(&self, pull_request: &PullRequestRow) -> Result<Option<PullRequestReport>> {
        let report = self.0.lock().unwrap().get(&pull_request.number).cloned();
        Ok(report.map(|report| PullRequestReport { head_sha: pull_request.head_sha.clone(), ..report }))
    }
}

/// The name of a commit, by a digit.
pub(super) fn sha(digit: char) -> String {
    digit.to_string().repeat(40)
}

/// What there is to say of a series with this verdict.
pub(super) fn report(verdict: Verdict) -> PullRequestReport {
    PullRequestReport {
        project: "libfoo".into(),
        base_sha: sha('b'),
        comparison_url: "https://perf.example.org/libfoo/compare".into(),
        docs_url: "https://perf.example.org/docs".into(),
        legs: vec![Leg { machine: "lab-1".into(), state: LegState::Measured, reason: None }],
        rows: vec![Row {
            transport: "pipe".into(),
            message_bytes: Some(1_024),
            case: "round trip".into(),
            metric: "p50".into(),
            machine: "lab-1".into(),
            base_ns: Some(4_000.0),
            head_ns: Some(4_400.0),
            change: Some(0.1),
            interval: Some((0.08, 0.12)),
            verdict,
        }],
        ..PullRequestReport::default()
    }
}

impl Fixture for World {
    async fn of(pool: PgPool) -> Self {
        Self::with(pool, Settings { prefix: "/api/v3".into(), ..Settings::default() }).await
    }
}

impl World {
    /// With a GitHub that was started so.
    pub(super) async fn with(pool: PgPool, settings: Settings) -> Self {
        let secret = settings.webhook_secret.clone().into_bytes();
        let github = FakeGitHub::start(settings);
        let set_up =
            |state: roundtrip_server::AppState| state.with_github_app(Arc::new(app_of(&github, &secret)));
        let app = TestApp::made(pool, set_up).await;
        let webhooks = serve(&app).await;
        app.store(&factory::nth(1)).await;
        let installation = github.install("acme");
        github.add_repository(REPOSITORY, false, Some(installation));
        github.allow(REPOSITORY, WRITER, Level::Write);
        let world = Self { app, github, installation, said: Arc::default(), webhooks };
        world.tell(&world.github.installation_event(installation, "created")).await;
        assert_eq!(world.handle().await, 1);
        assert!(installation::link(&world.app.pool, REPOSITORY, "libfoo").await.unwrap());
        world
    }

    /// Sends an event, which must be taken.
    pub(super) async fn tell(&self, delivery: &Delivery) {
        assert_eq!(self.send(delivery, Signing::Right).await, 202);
    }

    /// Sends it, and handles it with all that was sent before.
    pub(super) async fn hear(&self, delivery: &Delivery) {
        self.tell(delivery).await;
        self.handle().await;
    }

    pub(super) async fn send(&self, delivery: &Delivery, signing: Signing) -> u16 {
        self.github.send(&self.webhooks, delivery, signing).await.unwrap()
    }

    /// Handles what was told and is due, and returns how many events that were.
    pub(super) async fn handle(&self) -> usize {
        let worker = self.worker();
        let mut count = 0;
        while worker.handle_next(self.now()).await.unwrap() {
            count += 1;
        }
        count
    }

    pub(super) fn worker(&self) -> Worker {
        Worker::new(self.app.state.github_app.clone().unwrap(), self.app.pool.clone())
    }

    pub(super) fn reconciler(&self) -> Reconciler {
        let app = self.app.state.github_app.clone().unwrap();
        Reconciler::new(app, self.app.pool.clone(), Arc::clone(&self.said) as Arc<dyn Reports>)
    }

    /// Lets GitHub say what is due, and returns how many pull requests that were.
    pub(super) async fn reconcile(&self) -> usize {
        reconcile(&self.reconciler(), &self.github).await
    }

    /// Lets time pass in which no failure is waited for any more, and all be said.
    pub(super) async fn settle(&self) {
        for _ in 0..20 {
            // Longer than the longest pause.
            self.github.advance(4_600);
            if self.handle().await + self.reconcile().await == 0 {
                return;
            }
        }
        panic!("it is never done");
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.github.now()
    }

    /// Opens a pull request, of a commit that is named by a digit, and lets the server know.
    pub(super) async fn open(&self, number: u64, digit: char) {
        self.open_at(number, &sha(digit)).await;
    }

    /// The same of a commit that is named in full.
    pub(super) async fn open_at(&self, number: u64, head_sha: &str) {
        self.github.open(REPOSITORY, new(number, head_sha));
        self.hear(&self.github.pull_request_event(REPOSITORY, number, "opened")).await;
        self.github.advance(60);
    }

    pub(super) fn say(&self, number: i64, report: PullRequestReport) {
        self.said.0.lock().unwrap().insert(number, report);
    }

    /// The comments that are not replies.
    pub(super) fn sticky(&self, number: u64) -> Vec<String> {
        let all = self.github.app_comments(REPOSITORY, number).into_iter();
        all.filter(|body| body.starts_with("<!-- roundtrip:v1 project=libfoo -->")).collect()
    }

    pub(super) async fn scalar<T>(&self, query: &str) -> T
    where
        T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin,
    {
        self.app.scalar(query).await
    }

    /// Lets all pull requests be due.
    pub(super) async fn touch_all(&self) {
        self.app.execute(&format!("update github_pull_request set due_at = '{}'", self.now())).await;
    }
}

/// A pull request of grace.
pub(super) fn new(number: u64, head_sha: &str) -> NewPullRequest {
    NewPullRequest {
        number,
        author: "grace".into(),
        head_sha: head_sha.to_owned(),
        base_sha: sha('b'),
        head_branch: "topic".into(),
        fork: None,
    }
}

pub(super) fn app_of(github: &FakeGitHub, secret: &[u8]) -> App {
    App::new(app::Settings {
        api_url: github.api_url(),
        app_id: 123_456,
        private_key_pem: APP_KEY.as_bytes().to_vec(),
        webhook_secret: secret.to_vec(),
    })
    .unwrap()
}

pub(super) async fn reconcile(reconciler: &Reconciler, github: &FakeGitHub) -> usize {
    let mut count = 0;
    while reconciler.reconcile_next(github.now()).await.unwrap() {
        count += 1;
    }
    count
}

/// Serves the app at a port, and returns where it takes events.
async fn serve(app: &TestApp) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = roundtrip_server::app(app.state.clone());
    let service = router.into_make_service_with_connect_info::<std::net::SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await.unwrap() });
    format!("http://{address}/api/v1/github/webhooks")
}
