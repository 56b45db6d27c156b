//! All SQL of the server. Functions take a pool or a connection and give rows; they know nothing of HTTP, and nothing of
//! the domain above them but the words that are stored: roles, scopes, quantiles, events.
//!
//! Queries are checked against the schema when this crate is compiled. `.sqlx/` holds what the compiler needs to
//! know, so that no database has to run then; `migrations/README.md` says how it is renewed.
//!
//! Rows that uploads share are inserted only when they are missing, sorted by their key: an upload that brings
//! nothing new locks nothing, and two that bring the same wait for each other in one order.

pub mod access;
pub mod account;
pub mod agent;
pub mod analysis;
pub mod audit;
pub mod backup;
pub mod baseline;
pub mod canary;
pub mod change_point;
pub mod chart;
pub mod commit;
pub mod comparison;
pub mod copy;
pub mod distribution;
pub mod environment;
mod error;
pub mod error_rate;
pub mod github;
pub mod graph;
pub mod installation;
pub mod job;
pub mod link;
pub mod live;
pub mod machine;
pub mod notification;
pub mod oidc;
pub mod original;
pub mod point;
pub mod pool;
pub mod project;
pub mod project_machine;
pub mod quantile;
pub mod reference_series;
pub mod regression;
pub mod retention;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod search_terms;
pub mod seed;
pub mod series;
pub mod session;
pub mod settings;
pub mod silence;
pub mod summary;
pub mod task;
pub mod token;

pub use error::StorageError;

/// The schema of the database, applied by the server when it starts.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// What the database holds does not parse, though only parsed values are ever written to it.
fn decode_error(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
