//! The Roundtrip server: uploads in, charts' numbers out, and the web UI.
//!
//! # Codemap
//! - [`app`]: the whole HTTP service over one database; [`state`], [`router`], [`openapi`], [`assets`].
//! - [`routes`]: one file a resource: parse, call, respond; request and response types beside the handlers.
//! - [`auth`]: who asks. [`auth_settings`]: how often, and from behind which proxies. [`extract`]: extractors whose rejections are problems.
//! - [`error`]: the one error type of handlers, and its way to `application/problem+json`.
//! - `badge`: one line about a project or a series, as a picture.
//! - `content_policy`: what browsers let pages do, and who may frame them.
//! - `etag`: 304 for whoever has the answer already.
//! - [`metrics`]: counters of this process. [`monitoring`]: serves them to operators.
//! - [`traces`]: requests and statements, for a collector.
//! - [`seed`]: synthetic history, for measuring the server and for trying the UI.
//!
//! What all of it is about is in `roundtrip-domain`, pull requests are looked after by `roundtrip-github`, and SQL is in
//! `roundtrip-storage`; none of them knows of our HTTP API.
//!
//! Transports, scenarios and machines are data here, never an enum: a new one needs no change of the server.

pub mod assets;
pub mod auth;
pub mod auth_settings;
mod badge;
mod content_policy;
pub mod error;
mod etag;
pub mod extract;
pub mod metrics;
pub mod monitoring;
pub mod openapi;
pub mod router;
pub mod routes;
pub mod seed;
pub mod state;
pub mod traces;

pub use roundtrip_storage::MIGRATOR;
pub use router::app;
pub use state::AppState;
