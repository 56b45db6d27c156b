//! The server over a real PostgreSQL: each test has its own database, made from the migrations. `DATABASE_URL` names
//! a server on which databases may be created.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod commits;
mod errors;
mod health;
mod import;
mod ingest;
mod machines;
mod numbers;
mod openapi;
mod points;
mod projects;
mod replay;
mod runs;
mod schema_tidy;
mod series;
mod support;
mod tokens;
mod web;
