//! The state of GitHub: deliveries, installations, pull requests, comments and checks.

pub mod delivery;
pub mod installation;
pub mod pull_request;
pub mod queue;
pub mod write;
