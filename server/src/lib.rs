//! The Roundtrip server: uploads in, charts' numbers out, and the web UI.
//!
//! # Codemap
//! - [`app`]: the whole HTTP service over one database; [`state`], [`router`], [`openapi`], [`assets`].
//! - [`routes`]: one file a resource: parse, call, respond; request and response types beside the handlers.
//! - [`extract`]: extractors whose rejections are problems.
//! - [`error`]: the one error type of handlers, and its way to `application/problem+json`.
//! - [`ingest`]: from the bytes of an upload to checked rows: limits, parsing, distributions, commit order.
//! - [`db`]: all SQL, and no HTTP type.
//!
//! Transports, scenarios and machines are data here, never an enum: a new one needs no change of the server.

pub mod assets;
pub mod db;
pub mod error;
pub mod extract;
pub mod ingest;
pub mod openapi;
pub mod router;
pub mod routes;
pub mod state;

pub use router::app;
pub use state::AppState;

/// The schema of the database, applied by the server when it starts.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");
