//! The Roundtrip server: stores uploads, and serves the API and the web UI.
//!
//! # Codemap
//! - [`app`]: the whole HTTP service over one database; [`state`], [`router`], `openapi`, `assets`.
//! - `routes`: one file per resource with its handlers, request types and response types.
//! - `auth`: authentication. [`auth_settings`]: rate limits and trusted proxies. `extract`: extractors whose
//!   rejections are problems.
//! - `error`: the error type of handlers, rendered as `application/problem+json`.
//! - `mcp`: tools for coding agents. `docs`: the documentation as Markdown.
//! - `badge`: a label and a message as SVG. `card`: the picture of a page for link previews.
//! - `content_policy`: the content security policy, and which pages can be embedded.
//! - `etag`: entity tags and 304 responses.
//! - `shares`: divides a limited resource among clients. `unread`: limits the memory of answers.
//! - `metrics`: counters of this process. [`monitoring`]: serves them to operators.
//! - [`traces`]: exports requests and statements to a collector.
//! - [`seed`]: synthetic history, for load tests and demos.
//! - [`site`]: the web interface with the API's answers as files.
//!
//! Domain logic is in `roundtrip-domain`, the GitHub App in `roundtrip-github`, and SQL in `roundtrip-storage`. None
//! of them depends on the HTTP API.
//!
//! Transports, scenarios and machines are data, never an enum: a new one needs no change of the server.

mod assets;
mod auth;
pub mod auth_settings;
mod badge;
mod card;
mod content_policy;
mod docs;
mod error;
mod etag;
mod exponential_histogram;
mod extract;
mod mcp;
mod metrics;
pub mod monitoring;
mod openapi;
pub mod router;
mod routes;
pub mod seed;
mod series_labels;
mod shares;
pub mod site;
pub mod state;
pub mod traces;
mod unread;

pub use roundtrip_storage::MIGRATOR;
pub use router::app;
pub use state::AppState;
