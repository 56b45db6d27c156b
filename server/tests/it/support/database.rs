//! [`Database`]: the database of a test. On a distributed PostgreSQL, all tests use the same database in turn,
//! because a new one would not be distributed over the nodes.

use roundtrip_server::MIGRATOR;
use roundtrip_storage::distribution;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::{Mutex, MutexGuard};

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// Enough for several on each node; emptying many takes long.
const FEW_SHARDS: &str = "set citus.shard_count = 4";

const EMPTY: &str = "
do $$ begin
    execute (select 'truncate ' || string_agg(tablename, ', ') || ' restart identity'
             from pg_tables where schemaname = 'public' and tablename <> '_sqlx_migrations');
end $$";

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
        MIGRATOR.run(&given).await.unwrap();
        let mut connection = given.acquire().await.unwrap();
        sqlx::raw_sql(FEW_SHARDS).execute(&mut *connection).await.unwrap();
        distribution::distribute(&mut connection).await.unwrap();
        // Not by dropping the schema, which contains parts of the extension.
        sqlx::raw_sql(EMPTY).execute(&mut *connection).await.unwrap();
        drop(connection);
        Self { pool: given, _alone: Some(alone) }
    }
}
