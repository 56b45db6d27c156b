//! Applying migrations like a server with the lock.

use roundtrip_server::MIGRATOR;
use roundtrip_storage::schema;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{PgPool, SqlStr};
use std::borrow::Cow;

/// A duplicate row stops the index build halfway, like a crash: the index exists and is invalid.
#[database_test]
async fn rebuilds_an_interrupted_index(pool: PgPool) {
    const MAKE: &str = "create unique index concurrently if not exists link_path_key on link (path)";
    let is_valid = async || -> Option<bool> {
        sqlx::query_scalar("select indisvalid from pg_index where indexrelid = to_regclass('link_path_key')")
            .fetch_optional(&pool)
            .await
            .unwrap()
    };
    sqlx::raw_sql("insert into link (code, path, created_at) values ('a', '/', now()), ('b', '/', now())")
        .execute(&pool)
        .await
        .unwrap();
    sqlx::query(MAKE).execute(&pool).await.unwrap_err();
    assert_eq!(is_valid().await, Some(false));
    sqlx::query("delete from link where code = 'b'").execute(&pool).await.unwrap();

    let last = MIGRATOR.iter().map(|migration| migration.version).max().unwrap();
    let later = Migration::new(
        last + 1,
        Cow::Borrowed("link path key"),
        MigrationType::Simple,
        SqlStr::from_static(MAKE),
        true,
    );
    let migrator = Migrator::with_migrations(MIGRATOR.iter().cloned().chain([later]).collect());
    let mut connection = pool.acquire().await.unwrap();
    schema::apply(&mut connection, migrator).await.unwrap();
    assert_eq!(is_valid().await, Some(true));
    assert_eq!(schema::applied_migrations(&mut connection).await.unwrap().last(), Some(&(last + 1)));
}
