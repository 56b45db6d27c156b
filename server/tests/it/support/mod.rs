//! Shared by tests: the service without a socket, and reports.

mod app;
mod database;
pub(crate) mod factory;
mod json;

pub(crate) use app::{Answer, TestApp};
pub(crate) use json::{at, texts};

/// The argument of a `#[database_test]`, created from its own database.
pub(crate) trait Fixture {
    async fn new(pool: sqlx::PgPool) -> Self;
}

impl Fixture for sqlx::PgPool {
    async fn new(pool: Self) -> Self {
        pool
    }
}

/// Runs a `#[database_test]` with its fixture.
pub(crate) async fn run<F: Fixture, T: Future<Output = ()>>(pool: sqlx::PgPool, test: impl FnOnce(F) -> T) {
    test(F::new(pool).await).await;
}
