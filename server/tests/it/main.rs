//! The server over a real PostgreSQL: each test has its own database, made from the migrations. `DATABASE_URL` names
//! a server on which databases may be created.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[macro_use]
extern crate roundtrip_test_macros;

mod access_attacks;
mod accounts;
mod advice;
mod badges;
mod changes;
mod charts;
mod commits;
mod counts;
mod distributed_tidy;
mod error_rates;
mod errors;
mod etag;
#[path = "../fakes/agent.rs"]
mod fake_agent;
#[path = "../fakes/github.rs"]
mod fake_github;
#[path = "../fakes/issuer.rs"]
#[allow(dead_code, reason = "an example needs more of it")]
mod fake_issuer;
mod feed;
mod github;
mod github_app;
mod grafana;
mod graph;
mod health;
mod import;
mod ingest;
mod lab;
mod limits;
mod links;
mod live;
mod lost;
mod machines;
mod mcp;
mod metrics;
mod migrations;
mod notes;
mod notifications;
mod numbers;
mod oidc;
mod openapi;
mod openmetrics;
mod otlp;
mod points;
mod previews;
mod projects;
mod published;
mod quarantine;
mod replay;
mod retention;
mod runs;
mod schema_tidy;
mod search;
mod seed;
mod series;
mod session;
mod settings;
mod support;
mod tokens;
mod visibility;
mod web;
mod worked;
