//! [`Database`]: the database of a test. On a distributed PostgreSQL, all tests use the same database in turn,
//! because a new one would not be distributed over the nodes.

use roundtrip_server::MIGRATOR;
use roundtrip_storage::distribution;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::{Mutex, MutexGuard};

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// Not the schema, which contains parts of the extension. A test may have changed tables, so they are created again.
const DROP_TABLES: &str = "
do $$ begin
    execute (select coalesce('drop table ' || string_agg(quote_ident(tablename), ', ') || ' cascade', 'select 1')
             from pg_tables where schemaname = 'public');
end $$";
/// Enough for several on each node; creating many takes long.
const FEW_SHARDS: &str = "set citus.shard_count = 4";

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
        let mut connection = given.acquire().await.unwrap();
        sqlx::raw_sql(DROP_TABLES).execute(&mut *connection).await.unwrap();
        MIGRATOR.run(&given).await.unwrap();
        sqlx::raw_sql(FEW_SHARDS).execute(&mut *connection).await.unwrap();
        distribution::distribute(&mut connection).await.unwrap();
        drop(connection);
        Self { pool: given, _alone: Some(alone) }
    }
}
