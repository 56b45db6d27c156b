//! One file a resource. A handler extracts, calls, maps and responds; its request and response types stand beside
//! it. SQL is in [`crate::db`], statistics in `roundtrip-stats`, and who may do what in [`crate::access`].

pub mod accounts;
pub mod audit;
pub mod canaries;
pub mod charts;
pub mod commits;
pub mod environments;
pub mod error_rates;
pub mod events;
pub mod feed;
pub mod github;
pub mod github_webhooks;
pub mod health;
pub mod ingest;
pub mod jobs;
pub mod links;
pub mod machines;
pub mod members;
pub mod observed;
mod permitted;
pub mod playground;
pub mod points;
pub mod project_settings;
pub mod projects;
pub mod pruned;
pub mod published;
pub mod pull_requests;
pub mod regressions;
mod return_path;
pub mod runs;
pub mod series;
pub mod session;
pub mod summaries;
pub mod tokens;
