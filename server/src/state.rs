//! [`AppState`]: what every handler may use.

use crate::analysis::Analyst;
use crate::door::{self, Door};
use crate::github::{App, GitHub};
use crate::ingest::admission::Admission;
use crate::ingest::ids::Ids;
use crate::live::Live;
use crate::metrics::Metrics;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Connections to the database.
    pub pool: sqlx::PgPool,
    /// Who is let in, and how often.
    pub door: Arc<Door>,
    /// Where people sign in, if that was set up.
    pub github: Option<Arc<GitHub>>,
    /// What this server is at GitHub, if that was set up.
    pub github_app: Option<Arc<App>>,
    /// How many uploads are let in at a time.
    pub(crate) admission: Admission,
    /// What operators watch.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether requests go to other servers from now on.
    is_stopping: Arc<AtomicBool>,
    /// Keys of rows that uploads share.
    pub(crate) ids: Arc<Ids>,
    /// Who follows what arrives.
    pub live: Live,
    /// Who searches what arrives for changes.
    pub(crate) analyst: Analyst,
}

impl AppState {
    /// Of a pool whose database has been migrated.
    pub fn new(pool: sqlx::PgPool) -> Self {
        let live = Live::new(pool.clone());
        let analyst = Analyst::new(pool.clone());
        Self {
            pool,
            door: Arc::default(),
            github: None,
            github_app: None,
            admission: Admission::default(),
            metrics: Arc::default(),
            is_stopping: Arc::default(),
            ids: Arc::default(),
            live,
            analyst,
        }
    }

    /// With the door kept otherwise than by default.
    #[must_use]
    pub fn with_door(self, settings: door::Settings) -> Self {
        Self { door: Arc::new(Door::new(settings)), ..self }
    }

    /// With accounts of GitHub.
    #[must_use]
    pub fn with_github(self, github: GitHub) -> Self {
        Self { github: Some(Arc::new(github)), ..self }
    }

    /// With an App at GitHub.
    #[must_use]
    pub fn with_github_app(self, app: Arc<App>) -> Self {
        Self { github_app: Some(app), ..self }
    }

    /// From now on `/readyz` sends whoever asks to other servers. Requests are answered as before.
    pub fn announce_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}
