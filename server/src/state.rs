//! [`AppState`]: state shared by all handlers.

use crate::auth_settings::{self, Auth};
use crate::metrics::Metrics;
use roundtrip_domain::analysis::Analyst;
use roundtrip_domain::ingest::Ingest;
use roundtrip_domain::live::Live;
use roundtrip_domain::notify::{self, Notifier};
use roundtrip_domain::oidc::Verifier;
use roundtrip_domain::queue::Queue;
use roundtrip_github::{App, GitHub};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The database connection pool.
    pub pool: sqlx::PgPool,
    /// Authentication and rate limits.
    pub auth: Arc<Auth>,
    /// Sign-in with GitHub, if configured.
    pub github: Option<Arc<GitHub>>,
    /// The verifier of CI job tokens, if configured.
    pub oidc: Option<Arc<Verifier>>,
    /// The GitHub App, if configured.
    pub github_app: Option<Arc<App>>,
    /// The folder with releases for agents, if there is one.
    pub releases: Option<Arc<Path>>,
    /// Stores uploads.
    pub(crate) ingest: Ingest,
    /// Counters for operators.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the server is stopping, so that `/readyz` returns 503.
    is_stopping: Arc<AtomicBool>,
    /// Subscriptions to new runs.
    pub live: Live,
    /// Change detection.
    pub(crate) analyst: Analyst,
    /// The job queue.
    pub queue: Queue,
    /// The notifier.
    pub(crate) notifier: Notifier,
}

impl AppState {
    /// Creates the state for a migrated database.
    pub fn new(pool: sqlx::PgPool) -> Self {
        let ingest = Ingest::new(pool.clone());
        let live = Live::new(pool.clone());
        let analyst = Analyst::new(pool.clone());
        let queue = Queue::new(pool.clone());
        let notifier = Notifier::new(pool.clone(), notify::Settings::default());
        Self {
            pool,
            auth: Arc::default(),
            github: None,
            oidc: None,
            github_app: None,
            releases: None,
            ingest,
            metrics: Arc::default(),
            is_stopping: Arc::default(),
            live,
            analyst,
            queue,
            notifier,
        }
    }

    /// Sets other authentication settings than the default.
    #[must_use]
    pub fn with_auth(self, settings: auth_settings::Settings) -> Self {
        Self { auth: Arc::new(Auth::new(settings)), ..self }
    }

    /// Enables sign-in with GitHub.
    #[must_use]
    pub fn with_github(self, github: GitHub) -> Self {
        Self { github: Some(Arc::new(github)), ..self }
    }

    /// Sets other notification settings than the default.
    #[must_use]
    pub fn with_notifications(self, settings: notify::Settings) -> Self {
        Self { notifier: Notifier::new(self.pool.clone(), settings), ..self }
    }

    /// Enables OIDC tokens of CI jobs.
    #[must_use]
    pub fn with_oidc(self, verifier: Verifier) -> Self {
        Self { oidc: Some(Arc::new(verifier)), ..self }
    }

    /// Sets the GitHub App.
    #[must_use]
    pub fn with_github_app(self, app: Arc<App>) -> Self {
        Self { github_app: Some(app), ..self }
    }

    /// Sets the folder with releases for agents.
    #[must_use]
    pub fn with_releases(self, folder: PathBuf) -> Self {
        Self { releases: Some(folder.into()), ..self }
    }

    /// Makes `/readyz` return 503 from now on. Requests are still answered.
    pub fn announce_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns change detection.
    pub fn analyst(&self) -> &Analyst {
        &self.analyst
    }

    /// Returns the notifier.
    pub fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}
