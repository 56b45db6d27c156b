//! [`Database`]: the database of a test. On a distributed PostgreSQL, all tests use the same database in turn,
//! because a new one would not be distributed over the nodes.

use roundtrip_server::MIGRATOR;
use roundtrip_storage::distribution;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::{Mutex, MutexGuard};

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// A database with all tables and without rows.
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Database {
    /// Uses the test's own database, or the distributed one.
    pub(crate) async fn new(own: PgPool) -> Self {
        let url = std::env::var("DATABASE_URL").unwrap();
        let given = PgPoolOptions::new().max_connections(5).connect_lazy(&url).unwrap();
        if !distribution::is_possible(&given).await.unwrap() {
            return Self { pool: own, _alone: None };
        }
        let alone = ONE_AT_A_TIME.lock().await;
        sqlx::raw_sql("drop schema public cascade; create schema public").execute(&given).await.unwrap();
        MIGRATOR.run(&given).await.unwrap();
        distribution::distribute(&mut given.acquire().await.unwrap()).await.unwrap();
        Self { pool: given, _alone: Some(alone) }
    }
}
