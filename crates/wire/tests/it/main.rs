//! The wire format from outside: published files parse forever, and invalid ones are rejected with their
//! error.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod comparable;
mod golden;
mod parse;
