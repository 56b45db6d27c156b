//! A fake GitHub, for tests and demonstrations: strict where GitHub is strict, and failing where it is told to fail.
//!
//! It speaks HTTP, keeps what is sent to it, and can be asked afterwards how many comments there are and how many writes
//! were made in which minute. Time is its own: [`FakeGitHub::advance`] lets minutes pass at once.
//!
//! # Codemap
//! - [`FakeGitHub`]: one that runs, with what tests do to it.  `serve`: starts it.  `state`: what it holds.
//! - `world`: repositories, pull requests, comments, checks, installations and tokens.
//! - `gate`: what every request passes: headers, faults, limits, and the record of it. [`fault`]: how it can fail.
//! - `auth`: whose token it is, and for what. `api`: the endpoints. `git`: repositories for `git fetch`.
//! - [`webhook`]: events as GitHub sends them, signed or not. `control`: all this by HTTP, for programs.

#![expect(clippy::unwrap_used, reason = "it fails like the test that uses it")]
#![expect(clippy::result_large_err, reason = "what a handler refuses with is a whole answer")]

mod api;
mod auth;
mod control;
mod fake;
pub mod fault;
mod gate;
mod git;
mod serve;
mod state;
pub mod webhook;
mod world;

pub use fake::FakeGitHub;
pub use fault::Fault;
pub use state::{Recorded, Settings};
pub use webhook::{Delivery, Signing};
pub use world::{Level, NewPullRequest};

/// The private key of the App, in GitHub's format. It is only valid for this fake.
pub const APP_KEY: &str = include_str!("../data/app.pem");
/// The private key of another App.
pub const STRANGERS_KEY: &str = include_str!("../data/stranger.pem");
const APP_PUBLIC_KEY: &str = include_str!("../data/app.pub.pem");
