//! The GitHub App over real HTTP: a fake GitHub as strict as the real one, and the server at a port.

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
use roundtrip_github::comment::{ComparedSeries, Leg, LegState, PullRequestReport};
use roundtrip_github::reconcile::{Reconciler, Reports};
use roundtrip_github::worker::Worker;
use roundtrip_github::{App, app};
use roundtrip_github_fake::{APP_KEY, Delivery, FakeGitHub, Level, NewPullRequest, Settings, Signing};
use roundtrip_storage::github::installation;
use roundtrip_storage::github::pull_request::PullRequestRow;
use sqlx::PgPool;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub(super) const REPOSITORY: &str = "acme/libfoo";
pub(super) const WRITER: &str = "ada";
pub(super) const STRANGER: &str = "mallory";

/// A server with a GitHub App, and a project linked to a repository.
pub(super) struct AppFixture {
    pub(super) app: TestApp,
    pub(super) github: FakeGitHub,
    pub(super) installation: u64,
    pub(super) reports: Arc<FakeReports>,
    webhooks: String,
}

/// Reports by pull request number.
#[derive(Default)]
pub(super) struct FakeReports(Mutex<HashMap<i64, PullRequestReport>>);

#[async_trait]
impl Reports for FakeReports {
    async fn report(&self, pull_request: &PullRequestRow) -> Result<Option<PullRequestReport>> {
        let report = self.0.lock().unwrap().get(&pull_request.number).cloned();
        Ok(report.map(|report| PullRequestReport { head_sha: pull_request.head_sha.clone(), ..report }))
    }
}

/// The SHA of a commit, named by a digit.
pub(super) fn sha(digit: char) -> String {
    digit.to_string().repeat(40)
}

/// A report with one series of this verdict.
pub(super) fn report(verdict: Verdict) -> PullRequestReport {
    PullRequestReport {
        project: "libfoo".into(),
        base_sha: sha('b'),
        commit_url: "https://perf.example.org/libfoo/commit/9f8e7d6".into(),
        comparison_url: "https://perf.example.org/libfoo/compare".into(),
        docs_url: "https://perf.example.org/docs".into(),
        legs: vec![Leg { machine: "lab-1".into(), state: LegState::Measured, reason: None, took: None }],
        rows: vec![ComparedSeries {
            transport: "pipe".into(),
            message_bytes: Some(1_024),
            case: "round trip".into(),
            metric: "p50".into(),
            machine: "lab-1".into(),
            is_time: true,
            base: Some("4.00\u{a0}µs".into()),
            head: Some("4.40\u{a0}µs".into()),
            change: Some(0.1),
            interval: Some((0.08, 0.12)),
            verdict,
            undecided: None,
            url: None,
            detectable_change: Some(0.024),
            finding: None,
        }],
        ..PullRequestReport::default()
    }
}

impl Fixture for AppFixture {
    async fn new(pool: PgPool) -> Self {
        Self::with_github(pool, Settings { prefix: "/api/v3".into(), ..Settings::default() }).await
    }
}

impl AppFixture {
    /// Creates the fixture with a GitHub of these settings.
    pub(super) async fn with_github(pool: PgPool, settings: Settings) -> Self {
        let github = FakeGitHub::start(settings);
        let github_app = Arc::new(App::new(app_settings(&github)).unwrap());
        let app = TestApp::configured(pool, |state| state.with_github_app(github_app)).await;
        let webhooks = serve(&app).await;
        app.store(&factory::nth(1)).await;
        let installation = github.install("acme");
        github.add_repository(REPOSITORY, false, Some(installation));
        github.allow(REPOSITORY, WRITER, Level::Write);
        let fixture = Self { app, github, installation, reports: Arc::default(), webhooks };
        fixture.send_accepted(&fixture.github.installation_event(installation, "created")).await;
        assert_eq!(fixture.handle().await, 1);
        assert!(installation::link(&fixture.app.pool, REPOSITORY, "libfoo").await.unwrap());
        fixture
    }

    /// Sends an event, which must be accepted.
    pub(super) async fn send_accepted(&self, delivery: &Delivery) {
        assert_eq!(self.send(delivery, Signing::Right).await, 202);
    }

    /// Sends an event, and handles it with all earlier events.
    pub(super) async fn deliver(&self, delivery: &Delivery) {
        self.send_accepted(delivery).await;
        self.handle().await;
    }

    pub(super) async fn send(&self, delivery: &Delivery, signing: Signing) -> u16 {
        self.github.send(&self.webhooks, delivery, signing).await.unwrap()
    }

    /// Handles due events, and returns their number.
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
        self.reconciler_of(self.app.state.github_app.clone().unwrap(), self.app.pool.clone())
    }

    /// The reconciler of another server, with its own tokens and connections.
    pub(super) fn second_reconciler(&self) -> Reconciler {
        let app = App::new(app_settings(&self.github)).unwrap();
        self.reconciler_of(Arc::new(app), self.app.another().pool)
    }

    pub(super) fn reconciler_of(&self, app: Arc<App>, pool: PgPool) -> Reconciler {
        Reconciler::new(app, pool, Arc::clone(&self.reports) as Arc<dyn Reports>)
    }

    /// Updates due pull requests at GitHub, and returns their number.
    pub(super) async fn reconcile(&self) -> usize {
        reconcile(&self.reconciler(), &self.github).await
    }

    /// Advances the time until no event is waiting and every update is done.
    pub(super) async fn settle(&self) {
        for _ in 0..20 {
            // Longer than the longest pause.
            self.github.advance(4_600);
            if self.handle().await + self.reconcile().await == 0 {
                return;
            }
        }
        panic!("updates never finish");
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.github.now()
    }

    /// Opens a pull request with the commit of this digit, and sends the event.
    pub(super) async fn open(&self, number: u64, digit: char) {
        self.open_at(number, &sha(digit)).await;
    }

    /// Like `open`, with a full SHA.
    pub(super) async fn open_at(&self, number: u64, head_sha: &str) {
        self.github.open(REPOSITORY, pull_request(number, head_sha));
        self.deliver_pull_request(number, "opened").await;
        self.github.advance(60);
    }

    pub(super) fn set_report(&self, number: u64, report: PullRequestReport) {
        self.reports.0.lock().unwrap().insert(number.cast_signed(), report);
    }

    /// Opens pull request 7 with a report of this verdict, and updates it at GitHub.
    pub(super) async fn open_reported(&self, verdict: Verdict) {
        self.set_report(7, report(verdict));
        self.open(7, '1').await;
        self.reconcile().await;
    }

    /// Changes the report of pull request 7, and updates it at GitHub.
    pub(super) async fn change_report(&self, verdict: Verdict) {
        self.set_report(7, report(verdict));
        self.make_all_due().await;
        self.reconcile().await;
    }

    /// Sends the event of a pull request, and handles it.
    pub(super) async fn deliver_pull_request(&self, number: u64, action: &str) {
        self.deliver(&self.github.pull_request_event(REPOSITORY, number, action)).await;
    }

    /// Pushes the commit of this digit to pull request 7, and handles the event.
    pub(super) async fn push(&self, digit: char) {
        self.github.push(REPOSITORY, 7, &sha(digit));
        self.deliver_pull_request(7, "synchronize").await;
    }

    /// Posts a comment on pull request 7, handles it, and returns its id.
    pub(super) async fn comment(&self, login: &str, body: &str) -> u64 {
        let comment = self.github.comment(REPOSITORY, 7, login, body);
        self.deliver(&self.github.comment_event(REPOSITORY, comment)).await;
        comment
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

    /// Makes all pull requests due.
    pub(super) async fn make_all_due(&self) {
        self.app.execute(&format!("update github_pull_request set due_at = '{}'", self.now())).await;
    }
}

/// A pull request by grace.
pub(super) fn pull_request(number: u64, head_sha: &str) -> NewPullRequest {
    NewPullRequest {
        number,
        author: "grace".into(),
        head_sha: head_sha.to_owned(),
        base_sha: sha('b'),
        head_branch: "topic".into(),
        fork: None,
    }
}

pub(super) fn app_settings(github: &FakeGitHub) -> app::Settings {
    app::Settings {
        api_url: github.api_url(),
        app_id: 123_456,
        private_key_pem: APP_KEY.as_bytes().to_vec(),
        webhook_secret: Settings::default().webhook_secret.into_bytes(),
    }
}

pub(super) async fn reconcile(reconciler: &Reconciler, github: &FakeGitHub) -> usize {
    let mut count = 0;
    while reconciler.reconcile_next(github.now()).await.unwrap() {
        count += 1;
    }
    count
}

/// Serves the app at a port, and returns the webhook address.
async fn serve(app: &TestApp) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = roundtrip_server::app(app.state.clone());
    let service = router.into_make_service_with_connect_info::<std::net::SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await.unwrap() });
    format!("http://{address}/api/v1/github/webhooks")
}
