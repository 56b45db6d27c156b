//! What crosses the boundary between agent and server.
//!
//! # Codemap
//! - [`report`]: the envelope of one upload, [`RunReport`], and what it must satisfy ([`RunReport::check`]).
//! - [`result`]: one case's results: descriptor, case, methodology, repetitions.
//! - [`import`]: a file of another tool, and the run that its results make.
//! - [`acknowledged`]: how many uploads were acknowledged, told with each.
//! - [`commit`], [`machine`]: where and of what the numbers were measured.
//! - [`lab`]: enrolment, jobs and their leases: how servers and agents share work.
//! - [`comparable`]: what keeps two results from being compared.  [`verdict`]: what is said of two that were.
//! - [`slug`], [`id`]: parsed identifiers.
//! - [`size_profile`]: the distributions of message sizes that cases name.
//! - [`problem`]: RFC 9457 problem details, written by the server and read by the agent.
//! - [`hash`]: the one way to turn a value into an identity.
//!
//! # The versioning promise
//! A report carries [`SCHEMA_VERSION`]. Files in `tests/golden/` parse forever. A field may be added when it
//! is optional and absent by default; readers ignore fields they do not know (the server keeps the original
//! upload, so nothing is lost). Anything else is a new version.

pub mod acknowledged;
pub mod commit;
pub mod comparable;
pub mod hash;
pub mod id;
pub mod import;
pub mod lab;
pub mod machine;
pub mod problem;
pub mod report;
pub mod result;
pub mod size_profile;
pub mod slug;
pub mod verdict;

pub use acknowledged::Acknowledged;
pub use commit::{Commit, CommitSha};
pub use id::RunId;
pub use machine::{Canary, Environment, Machine};
pub use problem::Problem;
pub use report::{Invalid, RunReport, SCHEMA_VERSION, Suite};
pub use result::{
    Case, CaseResult, Delivery, EndObservation, Failure, Methodology, Repetition, StatedQuantile, Summary,
    SystemCalls, TransportInfo,
};
pub use slug::Slug;
pub use verdict::Verdict;
