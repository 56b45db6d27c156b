//! A fake GitHub for tests and demonstrations: as strict as GitHub, with fault injection.
//!
//! It serves HTTP and records all requests, so tests can count comments and writes per minute. It has its own clock:
//! [`FakeGitHub::advance`] skips time.
//!
//! # Codemap
//! - [`FakeGitHub`]: a running fake and the operations for tests. [`serve()`]: serves it, or another router.
//!   `state`: its state.
//! - `world`: repositories, pull requests, comments, checks, installations and tokens.
//! - `middleware`: checks of every request: headers, faults, limits, and the record. [`fault`]: the faults.
//! - `auth`: authentication and permissions. `api`: the endpoints. `git`: repositories for `git fetch`.
//! - [`webhook`]: signed or unsigned events as GitHub sends them. `control`: all operations over HTTP.

#![expect(clippy::unwrap_used, reason = "a failure here fails the test that uses it")]
#![expect(clippy::result_large_err, reason = "the error of a handler is a whole response")]

mod api;
mod auth;
mod control;
mod fake;
pub mod fault;
mod git;
mod middleware;
mod serve;
mod state;
pub mod webhook;
mod world;

pub use fake::FakeGitHub;
pub use fault::Fault;
pub use serve::serve;
pub use state::{Recorded, Settings};
pub use webhook::{Delivery, Signing};
pub use world::{Level, NewPullRequest};

/// The private key of the App, as GitHub issues it on registration. It is valid only for this fake.
pub const APP_KEY: &str = include_str!("../data/app.pem");
/// The private key of another App.
pub const OTHER_APP_KEY: &str = include_str!("../data/stranger.pem");
const APP_PUBLIC_KEY: &str = include_str!("../data/app.pub.pem");
