//! All SQL of the server. Functions take a pool or a connection and give rows; they know nothing of HTTP.
//!
//! Queries are checked against the schema when the server is compiled. `.sqlx/` holds what the compiler needs to
//! know, so that no database has to run then; `migrations/README.md` says how it is renewed.
//!
//! Rows that uploads share are inserted only when they are missing, sorted by their key: an upload that brings
//! nothing new locks nothing, and two that bring the same wait for each other in one order.

pub mod commit;
pub mod environment;
pub mod machine;
pub mod original;
pub mod point;
pub mod project;
pub mod run;
pub mod schema;
pub mod series;
pub mod summary;
pub mod token;

/// What the database holds does not parse, though only parsed values are ever written to it.
fn decode_error(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
