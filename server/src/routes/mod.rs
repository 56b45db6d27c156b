//! One file per resource, with handlers, request types and response types. SQL is in [`roundtrip_storage`],
//! statistics in `roundtrip-stats`, and permissions in [`roundtrip_domain::access`].

pub(crate) mod accounts;
pub(crate) mod advice;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod badges;
pub(crate) mod channels;
pub(crate) mod charts;
pub(crate) mod commits;
pub(crate) mod error_rates;
pub(crate) mod events;
pub(crate) mod feed;
pub(crate) mod github;
pub(crate) mod github_webhooks;
pub(crate) mod health;
pub(crate) mod ingest;
pub(crate) mod jobs;
pub(crate) mod lab;
pub(crate) mod links;
pub(crate) mod machines;
pub(crate) mod members;
pub(crate) mod observed;
pub(crate) mod oidc;
mod permitted;
pub(crate) mod playground;
pub(crate) mod points;
pub(crate) mod projects;
pub(crate) mod published;
pub(crate) mod pull_requests;
pub(crate) mod regressions;
pub(crate) mod releases;
mod return_path;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod series;
pub(crate) mod session;
pub(crate) mod tokens;
