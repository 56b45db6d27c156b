//! What tests share: the service without a socket, and reports to send to it.

mod app;
mod database;
pub(crate) mod factory;
mod json;

pub(crate) use app::{Answer, TestApp};
pub(crate) use json::{at, texts};

/// What a `#[database_test]` is given: made of a database of its own.
pub(crate) trait Fixture {
    async fn of(pool: sqlx::PgPool) -> Self;
}

impl Fixture for sqlx::PgPool {
    async fn of(pool: Self) -> Self {
        pool
    }
}

/// Runs a `#[database_test]` with its fixture.
pub(crate) async fn run<F: Fixture, T: Future<Output = ()>>(pool: sqlx::PgPool, test: impl FnOnce(F) -> T) {
    test(F::of(pool).await).await;
}
