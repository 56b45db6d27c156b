//! [`AppState`]: what every handler may use.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// Shared by all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Connections to the database.
    pub pool: sqlx::PgPool,
    /// One permit for each upload that may be inflated and parsed at a time: it bounds memory and leaves
    /// processors for reads.
    pub ingest_permits: Arc<Semaphore>,
}

impl AppState {
    /// Of a pool whose database has been migrated.
    pub fn new(pool: sqlx::PgPool) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self { pool, ingest_permits: Arc::new(Semaphore::new(processors)) }
    }
}
