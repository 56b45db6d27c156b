//! The wire format between agent and server.
//!
//! # Codemap
//! - [`report`]: the envelope of one upload, [`RunReport`], and its validation ([`RunReport::check`]).
//! - [`result`]: the results of a case: descriptor, case, methodology, repetitions.
//! - [`budget`]: where the time of a message goes.
//! - [`explanation`]: why a case became slower. [`profile`]: the call stacks of both sides.
//! - [`measure`]: quantities other than times.
//! - [`import`]: another tool's file, and the run of its results.
//! - [`acknowledged`]: the number of acknowledged uploads, sent with each upload.
//! - [`commit`], [`machine`]: the measured commit and the machine.
//! - [`lab`]: enrolment, jobs and their leases.
//! - [`comparable`]: what prevents the comparison of two results. [`verdict`]: the result of a comparison.
//!   [`movement`]: of the machine between two reports.
//! - [`slug`], [`id`]: parsed identifiers.
//! - [`size_profile`]: distributions of message sizes, named in cases.
//! - [`problem`]: RFC 9457 problem details, written by the server and read by the agent.
//! - [`hash`]: the only function that turns a value into an identity.
//!
//! # Versioning
//! A report carries [`SCHEMA_VERSION`]. Files in `tests/golden/` parse forever. A new field must be optional and absent by
//! default. Readers ignore unknown fields, and the server keeps the original upload. Any other change needs a new version.

pub mod acknowledged;
pub mod budget;
pub mod commit;
pub mod comparable;
pub mod explanation;
pub mod hash;
pub mod id;
pub mod import;
pub mod lab;
pub mod machine;
pub mod measure;
pub mod movement;
pub mod problem;
pub mod profile;
pub mod report;
pub mod result;
pub mod size_profile;
pub mod slug;
pub mod verdict;

pub use acknowledged::Acknowledged;
pub use budget::{Budget, Event, Part, PerMessage};
pub use commit::{Commit, CommitSha};
pub use explanation::{Explanation, Finding, Suspect};
pub use id::RunId;
pub use machine::{Canary, Environment, Machine};
pub use measure::{Better, Measure};
pub use problem::Problem;
pub use profile::{ProfileComparison, ProfileOfEnd};
pub use report::{Invalid, MeasuredProgram, ProgramOrigin, RunReport, SCHEMA_VERSION, Suite};
pub use result::{
    Case, CaseResult, Delivery, EndObservation, Failure, Methodology, Repetition, StatedQuantile, Summary,
    SystemCalls, TransportInfo,
};
pub use slug::Slug;
pub use verdict::Verdict;
