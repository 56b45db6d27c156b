//! The Roundtrip server: uploads in, charts' numbers out, and the web UI.
//!
//! # Codemap
//! - [`app`]: the whole HTTP service over one database; [`state`], [`router`], [`openapi`], [`assets`].
//! - [`routes`]: one file a resource: parse, call, respond; request and response types beside the handlers.
//! - [`door`]: the door: who asks, and how often; [`access`]: what they may do; [`github`]: where they sign in, and whose pull
//!   requests are looked after; [`oidc`]: jobs that prove who they are.
//! - [`audited`]: changes of who is let in, with their line in the audit log.
//! - [`extract`]: extractors whose rejections are problems.
//! - [`error`]: the one error type of handlers, and its way to `application/problem+json`.
//! - `badge`: one line about a project or a series, as a picture.
//! - `content_policy`: what browsers let pages do, and who may frame them.
//! - `etag`: 304 for whoever has the answer already.
//! - [`ingest`]: from the bytes of an upload to checked rows: limits, parsing, distributions, commit order.
//! - [`charts`]: between rows and what charts draw: which points, in how few numbers.
//! - [`analysis`]: where series change their level.
//! - [`queue`]: agents wait here for work, which other requests ask for.
//! - [`notify`]: people are told what happens, where they asked for it.
//! - [`live`]: clients are told of new runs, whichever server took them in.
//! - [`published`]: what others have measured and published.
//! - [`graph`]: commits and parents, and where lines of them part.
//! - [`tasks`]: what servers do in the background, one of them at a time.
//! - [`metrics`]: what operators watch.
//! - [`traces`]: requests and statements, for a collector.
//! - [`seed`]: synthetic history, for measuring the server and for trying the UI.
//!
//! Transports, scenarios and machines are data here, never an enum: a new one needs no change of the server.

pub mod access;
pub mod analysis;
pub mod assets;
pub mod audited;
mod badge;
pub mod charts;
mod content_policy;
pub mod door;
pub mod error;
mod etag;
pub mod extract;
pub mod github;
pub mod graph;
pub mod ingest;
pub mod live;
pub mod metrics;
pub mod notify;
pub mod oidc;
pub mod openapi;
pub mod published;
pub mod queue;
pub mod router;
pub mod routes;
pub mod seed;
pub mod state;
pub mod tasks;
pub mod traces;
mod units;

pub use roundtrip_storage::MIGRATOR;
pub use router::app;
pub use state::AppState;
