//! The server as a process: real programs, a real PostgreSQL, real signals.

mod crash;
mod refusal;
mod serving;
mod support;
mod token;
