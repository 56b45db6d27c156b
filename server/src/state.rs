//! [`AppState`]: what every handler may use.

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
    /// Connections to the database.
    pub pool: sqlx::PgPool,
    /// Who is let in, and how often.
    pub auth: Arc<Auth>,
    /// Where people sign in, if that was set up.
    pub github: Option<Arc<GitHub>>,
    /// Who checks tokens of jobs, if that was set up.
    pub oidc: Option<Arc<Verifier>>,
    /// What this server is at GitHub, if that was set up.
    pub github_app: Option<Arc<App>>,
    /// The folder of programs for agents, if there is one.
    pub releases: Option<Arc<Path>>,
    /// Takes uploads in.
    pub(crate) ingest: Ingest,
    /// What operators watch.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether requests go to other servers from now on.
    is_stopping: Arc<AtomicBool>,
    /// Who follows what arrives.
    pub live: Live,
    /// Who searches what arrives for changes.
    pub(crate) analyst: Analyst,
    /// Where agents wait for work.
    pub queue: Queue,
    /// Who tells people what happens.
    pub(crate) notifier: Notifier,
}

impl AppState {
    /// Of a pool whose database has been migrated.
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

    /// With other settings of authentication than the default.
    #[must_use]
    pub fn with_auth(self, settings: auth_settings::Settings) -> Self {
        Self { auth: Arc::new(Auth::new(settings)), ..self }
    }

    /// With accounts of GitHub.
    #[must_use]
    pub fn with_github(self, github: GitHub) -> Self {
        Self { github: Some(Arc::new(github)), ..self }
    }

    /// With notifications sent otherwise than by default.
    #[must_use]
    pub fn with_notifications(self, settings: notify::Settings) -> Self {
        Self { notifier: Notifier::new(self.pool.clone(), settings), ..self }
    }

    /// With jobs of continuous integration that prove who they are.
    #[must_use]
    pub fn with_oidc(self, verifier: Verifier) -> Self {
        Self { oidc: Some(Arc::new(verifier)), ..self }
    }

    /// With an App at GitHub.
    #[must_use]
    pub fn with_github_app(self, app: Arc<App>) -> Self {
        Self { github_app: Some(app), ..self }
    }

    /// With a folder of programs for agents.
    #[must_use]
    pub fn with_releases(self, folder: PathBuf) -> Self {
        Self { releases: Some(folder.into()), ..self }
    }

    /// From now on `/readyz` sends whoever asks to other servers. Requests are answered as before.
    pub fn announce_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Searches what was stored for changes.
    pub fn analyst(&self) -> &Analyst {
        &self.analyst
    }

    /// Tells people what happens.
    pub fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}
