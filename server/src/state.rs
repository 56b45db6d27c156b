//! [`AppState`]: state shared by all handlers.

use crate::auth_settings::{self, Auth};
use crate::metrics::Metrics;
use crate::shares::{Limits, Shares};
use roundtrip_domain::analysis::Analyst;
use roundtrip_domain::ingest::Ingest;
use roundtrip_domain::ingest::bodies::Bodies;
use roundtrip_domain::ingest::memory::{self, Memory};
use roundtrip_domain::live::Live;
use roundtrip_domain::notify::{self, Notifier};
use roundtrip_domain::oidc::Verifier;
use roundtrip_domain::queue::Queue;
use roundtrip_github::{App, GitHub};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Memory for bodies that are no uploads, in bytes. Separate, because anyone can send them.
const BODIES_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The limits of open event streams.
const STREAMS: Limits = Limits { what: "event streams", total: 256, per_client: 32, reserved: 64 };
/// The limits of unread answers, in bytes. A typical download takes 4 MiB.
const UNREAD: Limits = Limits {
    what: "unread answers",
    total: 64 * 1024 * 1024,
    per_client: 16 * 1024 * 1024,
    reserved: 16 * 1024 * 1024,
};

/// Shared by all requests. Each layer and handler clones it, so a clone is one reference.
#[derive(Clone, Debug)]
pub struct AppState(Arc<Services>);

/// The parts of the [`AppState`].
#[derive(Clone, Debug)]
pub struct Services {
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
    /// The memory of bodies that are no uploads.
    pub(crate) bodies: Bodies,
    /// Counters for operators.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the server is stopping, so that `/readyz` returns 503.
    is_stopping: Arc<AtomicBool>,
    /// Subscriptions to new runs.
    pub live: Live,
    /// Event streams.
    pub(crate) streams: Shares,
    /// Bytes of answers that clients have not read yet.
    pub(crate) unread: Shares,
    /// Change detection.
    pub(crate) analyst: Analyst,
    /// The job queue.
    pub queue: Queue,
    /// The notifier.
    pub(crate) notifier: Notifier,
}

impl Deref for AppState {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}

/// For the setup, before the first request. A change does not affect earlier clones.
impl DerefMut for AppState {
    fn deref_mut(&mut self) -> &mut Services {
        Arc::make_mut(&mut self.0)
    }
}

impl AppState {
    /// Creates the state for a migrated database.
    pub fn new(pool: sqlx::PgPool) -> Self {
        let ingest = Ingest::new(pool.clone(), Memory::new(memory::MIB_DEFAULT << 20));
        let live = Live::new(pool.clone());
        let analyst = Analyst::new(pool.clone());
        let queue = Queue::new(pool.clone());
        let notifier = Notifier::new(pool.clone(), notify::Settings::default());
        Self(Arc::new(Services {
            pool,
            auth: Arc::default(),
            github: None,
            oidc: None,
            github_app: None,
            releases: None,
            ingest,
            bodies: Bodies::new(BODIES_BYTES_MAX),
            metrics: Arc::default(),
            is_stopping: Arc::default(),
            live,
            streams: Shares::new(STREAMS),
            unread: Shares::new(UNREAD),
            analyst,
            queue,
            notifier,
        }))
    }

    /// Sets other authentication settings than the default.
    #[must_use]
    pub fn with_auth(mut self, settings: auth_settings::Settings) -> Self {
        self.auth = Arc::new(Auth::new(settings));
        self
    }

    /// Enables sign-in with GitHub.
    #[must_use]
    pub fn with_github(mut self, github: GitHub) -> Self {
        self.github = Some(Arc::new(github));
        self
    }

    /// Sets other notification settings than the default.
    #[must_use]
    pub fn with_notifications(mut self, settings: notify::Settings) -> Self {
        self.notifier = Notifier::new(self.pool.clone(), settings);
        self
    }

    /// Sets another limit for the memory of uploads than the default, in bytes.
    #[must_use]
    pub fn with_upload_memory(mut self, bytes_max: usize) -> Self {
        self.ingest = Ingest::new(self.pool.clone(), Memory::new(bytes_max));
        self
    }

    /// Enables OIDC tokens of CI jobs.
    #[must_use]
    pub fn with_oidc(mut self, verifier: Verifier) -> Self {
        self.oidc = Some(Arc::new(verifier));
        self
    }

    /// Sets the GitHub App.
    #[must_use]
    pub fn with_github_app(mut self, app: Arc<App>) -> Self {
        self.github_app = Some(app);
        self
    }

    /// Sets the folder with releases for agents.
    #[must_use]
    pub fn with_releases(mut self, folder: PathBuf) -> Self {
        self.releases = Some(folder.into());
        self
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
