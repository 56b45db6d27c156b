//! What a test asks of a database behind the back of servers.

use crate::support::eventually;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::collections::BTreeMap;

/// Runs what asks a database, on a runtime of its own.
pub(crate) fn ask<T>(url: &str, question: impl AsyncFnOnce(&mut PgConnection) -> sqlx::Result<T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = PgConnection::connect(url).await.unwrap();
        let answer = question(&mut connection).await.unwrap();
        // PostgreSQL may have ended it already.
        let _ = connection.close().await;
        answer
    })
}

/// Runs statements.
pub(crate) fn execute(url: &str, statements: &str) {
    let statements = AssertSqlSafe(statements.to_owned());
    ask(url, async |connection| sqlx::raw_sql(statements).execute(connection).await.map(|_| ()));
}

/// One number.
pub(crate) fn number(url: &str, query: &str) -> i64 {
    let query = AssertSqlSafe(query.to_owned());
    ask(url, async |connection| sqlx::query_scalar(query).fetch_one(connection).await)
}

/// Waits until what a query counts is so many.
#[track_caller]
pub(crate) fn until(what: &str, url: &str, query: &str, count: i64) {
    eventually(what, || (number(url, query) == count).then_some(()));
}

/// Makes another database beside the one of this address, and returns its address.
pub(crate) fn create(url: &str, name: &str) -> String {
    execute(url, &format!("create database {name}"));
    url.replacen("/roundtrip?", &format!("/{name}?"), 1)
}

/// The rows of all tables, those of sqlx's own left out: how many, and a digest of them.
pub(crate) fn contents(url: &str) -> BTreeMap<String, (i64, String)> {
    ask(url, async |connection| {
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
