//! Authorization: pure decisions, without SQL and HTTP.
//!
//! # Codemap
//! - [`rules`]: the actions, and the table of the role and scope that each requires.
//! - [`caller`]: the caller and all decisions about it. [`Refusal`]: why something is denied.

pub mod caller;
pub mod rules;

pub use caller::{Caller, Proof};
pub use rules::Action;

use chrono::TimeDelta;
use roundtrip_storage::access::{Role, Scope};

/// Default lifetime of a token.
pub const TOKEN_DAYS_DEFAULT: u32 = 90;
/// Maximum lifetime of a token.
pub const TOKEN_DAYS_MAX: u32 = 3_650;
/// Lifetime of a token from an OIDC exchange.
pub(crate) const EXCHANGED_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// The default time that the old secret of a rotated token stays valid.
pub const OVERLAP_HOURS_DEFAULT: u32 = 24;
/// The longest overlap.
pub const OVERLAP_HOURS_MAX: u32 = 7 * 24;

/// Why a request is denied. The text is shown to the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the variants' messages say what the fields are")]
pub enum Refusal {
    /// The project is hidden and reported as not found.
    #[error("project not found")]
    Hidden,
    /// There is no session, and no token was sent.
    #[error("not signed in")]
    Anonymous,
    /// The token lacks a scope.
    #[error("the token lacks the scope {0}")]
    Scope(Scope),
    /// The account lacks a role in the project.
    #[error("this requires the role {needed} in the project {project}")]
    Role { needed: Role, project: String },
    /// It requires a server administrator.
    #[error("this requires a server administrator, and a token that is not bound to a project")]
    ServerAdmin,
    /// It requires an account.
    #[error("this requires an account: use a user's token or a session")]
    Program,
    /// It requires an enrolled agent.
    #[error("this requires the token of an enrolled agent: run `roundtrip enrol`")]
    NotEnrolled,
    /// The token is for another project.
    #[error("the token is bound to the project {bound}, not {found}")]
    OtherProject { bound: String, found: String },
    /// The token is for another machine.
    #[error("the token is bound to the machine {bound}, not {found}")]
    OtherMachine { bound: String, found: String },
    /// The job's event can run untrusted code.
    #[error(
        "jobs for the event {0} can run code from forks, so they get no token: upload from a workflow_run job instead"
    )]
    Event(String),
    /// No project trusts the job.
    #[error(
        "no project trusts this repository, owner, workflow, ref and environment: see `roundtrip-server trust create`"
    )]
    Untrusted,
    /// The token would exceed its creator's permissions.
    #[error("a token cannot have permissions that you lack: {0}")]
    Escalation(String),
}
