//! What is known of GitHub: what it told, where the App is installed, pull requests and what was written there.

pub mod delivery;
pub mod installation;
pub mod pull_request;
pub mod queue;
pub mod write;
