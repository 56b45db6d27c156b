//! The server as a process: real programs, a real PostgreSQL, real signals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod refusal;
mod serving;
mod support;
mod token;
