//! The server as a process: real programs, a real PostgreSQL, real signals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod attack_reads;
mod attack_uploads;
mod backup;
mod connections;
mod crash;
mod database;
mod disk;
#[path = "../fakes/agent.rs"]
mod fake_agent;
#[path = "../fakes/github.rs"]
mod fake_github;
mod faults;
mod github_app;
mod imports;
mod leases;
mod notifications;
mod point_in_time;
#[expect(dead_code, reason = "tests of the library ask more of it")]
#[path = "../it/notifications/receiver.rs"]
mod receiver;
mod refusal;
mod report;
mod retention;
mod search;
mod secrets;
mod seed;
mod serving;
mod site;
mod support;
mod telemetry;
mod tls;
mod together;
mod token;
mod upgrade;
