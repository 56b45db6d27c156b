//! Direct access of tests to a database.

use crate::support::eventually;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::collections::BTreeMap;

/// Connects to a database in a new runtime, and runs this with the connection.
pub(crate) fn with_connection<T>(
    url: &str,
    run: impl AsyncFnOnce(&mut PgConnection) -> sqlx::Result<T>,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = PgConnection::connect(url).await.unwrap();
        let answer = run(&mut connection).await.unwrap();
        // PostgreSQL may have closed it already.
        let _ = connection.close().await;
        answer
    })
}

/// Runs statements.
pub(crate) fn execute(url: &str, statements: &str) {
    let statements = AssertSqlSafe(statements.to_owned());
    with_connection(url, async |connection| sqlx::raw_sql(statements).execute(connection).await.map(|_| ()));
}

/// Queries one number.
pub(crate) fn number(url: &str, query: &str) -> i64 {
    let query = AssertSqlSafe(query.to_owned());
    with_connection(url, async |connection| sqlx::query_scalar(query).fetch_one(connection).await)
}

/// Waits until a query returns this count.
#[track_caller]
pub(crate) fn until(what: &str, url: &str, query: &str, count: i64) {
    eventually(what, || (number(url, query) == count).then_some(()));
}

/// Creates another database on the same server, and returns its URL.
pub(crate) fn create(url: &str, name: &str) -> String {
    execute(url, &format!("create database {name}"));
    url.replacen("/roundtrip?", &format!("/{name}?"), 1)
}

/// Row counts and digests of all tables, except sqlx's own.
pub(crate) fn contents(url: &str) -> BTreeMap<String, (i64, String)> {
    with_connection(url, async |connection| {
        let tables: Vec<String> = sqlx::query_scalar(
            "select relname::text from pg_class
             where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_sqlx_migrations'",
        )
        .fetch_all(&mut *connection)
        .await?;
        let mut contents = BTreeMap::new();
        for table in tables {
            let query = format!(
                "select count(*), coalesce(md5(string_agg(row::text, '' order by row::text)), '') from {table} as row"
            );
            contents.insert(table, sqlx::query_as(AssertSqlSafe(query)).fetch_one(&mut *connection).await?);
        }
        Ok(contents)
    })
}
