//! The wire format from outside: published files parse forever, and wrong ones are refused by name.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod comparable;
mod golden;
mod parse;
