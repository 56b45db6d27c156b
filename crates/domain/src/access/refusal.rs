//! [`Refusal`]: why someone may not.

use roundtrip_storage::access::{Role, Scope};

/// Why someone may not. The text is for whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The project is not to be known: the answer is that there is none.
    #[error("there is no such project")]
    Hidden,
    /// Nobody is signed in, and no token was sent.
    #[error("nobody is signed in")]
    Anonymous,
    /// The token is not for this.
    #[error("the token does not have the scope {0}")]
    Scope(Scope),
    /// The account is not enough in the project.
    #[error("this takes the role {needed} in the project {project}")]
    Role {
        /// The least role.
        needed: Role,
        /// Where.
        project: String,
    },
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
    OtherProject {
        /// The token's.
        bound: String,
        /// The other one.
        found: String,
    },
    /// The token is for another machine.
    #[error("the token is bound to the machine {bound}, but this is of {found}")]
    OtherMachine {
        /// The token's.
        bound: String,
        /// The other one.
        found: String,
    },
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
