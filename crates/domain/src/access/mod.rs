//! Who may do what: pure decisions, without SQL and without HTTP.
//!
//! # Codemap
//! - [`rules`]: what can be done, and the one table that says which role and scope it needs.
//! - [`caller`]: who asks, and every decision about it. [`Refusal`]: why someone may not.

pub mod caller;
pub mod rules;

pub use caller::{Caller, Proof};
pub use rules::Action;

use chrono::TimeDelta;
use roundtrip_storage::access::{Role, Scope};

/// How long a token is valid unless asked otherwise.
pub const TOKEN_DAYS_DEFAULT: u32 = 90;
/// The longest that can be asked for.
pub const TOKEN_DAYS_MAX: u32 = 3_650;
/// How long a token is valid that a job got for its own.
pub(crate) const EXCHANGED_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How long the old secret of a rotated token is accepted unless asked otherwise.
pub const OVERLAP_HOURS_DEFAULT: u32 = 24;
/// The longest that can be asked for.
pub const OVERLAP_HOURS_MAX: u32 = 7 * 24;

/// Why someone may not. The text is for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the variants' messages say what the fields are")]
pub enum Refusal {
    /// The project is not to be known: the answer is that there is none.
    #[error("there is no such project")]
    Hidden,
    /// There is no session, and no token was sent.
    #[error("nobody is signed in")]
    Anonymous,
    /// The token is not for this.
    #[error("the token does not have the scope {0}")]
    Scope(Scope),
    /// The account is not enough in the project.
    #[error("this takes the role {needed} in the project {project}")]
    Role { needed: Role, project: String },
    /// It concerns the whole server.
    #[error("this takes an administrator of the server, with a token that is bound to no project")]
    ServerAdmin,
    /// It is for people.
    #[error("this takes an account: a token of a user, or a session")]
    Program,
    /// It is for agents that were let in with a code.
    #[error("this takes the token of an agent that was enrolled: see `roundtrip enrol`")]
    NotEnrolled,
    /// The token is for another project.
    #[error("the token is bound to the project {bound}, but this is of {found}")]
    OtherProject { bound: String, found: String },
    /// The token is for another machine.
    #[error("the token is bound to the machine {bound}, but this is of {found}")]
    OtherMachine { bound: String, found: String },
    /// Strangers have a part in what the job does.
    #[error(
        "a job for the event {0} may do what strangers wrote, so it gets no token: upload from a job for workflow_run instead"
    )]
    Event(String),
    /// No project trusts the job.
    #[error("no project here trusts jobs of this repository, owner, workflow, ref and environment")]
    Untrusted,
    /// More would be given away than the giver has.
    #[error("a token cannot be given what its maker does not have: {0}")]
    Escalation(String),
}
