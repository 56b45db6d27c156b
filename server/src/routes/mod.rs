//! One file per resource, with handlers, request types and response types. SQL is in [`roundtrip_storage`],
//! statistics in `roundtrip-stats`, and permissions in [`roundtrip_domain::access`].

pub mod accounts;
pub mod advice;
pub mod agents;
pub mod audit;
pub mod badges;
pub mod channels;
pub mod charts;
pub mod commits;
pub mod error_rates;
pub mod events;
pub mod feed;
pub mod github;
pub mod github_webhooks;
pub mod health;
pub mod ingest;
pub mod jobs;
pub mod lab;
pub mod links;
pub mod machines;
pub mod members;
pub mod observed;
pub mod oidc;
mod permitted;
pub mod playground;
pub mod points;
pub mod projects;
pub mod published;
pub mod pull_requests;
pub mod regressions;
pub mod releases;
mod return_path;
pub mod runs;
pub mod schedules;
pub mod series;
pub mod session;
pub mod tokens;
