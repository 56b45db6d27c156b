//! Messages between agents and servers: [`Enrolment`], [`Claim`], [`Assignment`], [`Heartbeat`], [`Finish`].
//!
//! An enrolled agent claims jobs, sends heartbeats between repetitions, and reports the outcome of each job.
//! It holds a job by a lease with a fence, [`Assignment::fence`], which grows with each lease. An agent that
//! stalled for longer than its lease can neither renew nor finish a job that another agent has now.

use crate::{CommitSha, Machine, Slug};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use utoipa::ToSchema;

/// The supported protocol versions: the current one and the previous one.
pub const PROTOCOLS: RangeInclusive<u32> = 1..=1;

/// The newest protocol version that two programs share.
///
/// ```
/// use roundtrip_wire::lab::common;
/// assert_eq!(common(&(2..=3), &(1..=2)), Some(2));
/// assert_eq!(common(&(3..=4), &(1..=2)), None);
/// ```
pub fn common(ours: &RangeInclusive<u32>, theirs: &RangeInclusive<u32>) -> Option<u32> {
    let newest = *ours.end().min(theirs.end());
    (newest >= *ours.start().max(theirs.start())).then_some(newest)
}

/// Maximum bytes of an output or a reason. Only the end of a longer text is sent.
pub const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// [`Finish::reason`] of a job that compared nothing, because base and head run the same programs.
pub const IDENTICAL_PROGRAM: &str = "identical program: not measured";

/// The prefix of the challenge that an agent signs with its key to renew its token.
pub const RENEWAL_CONTEXT: &[u8] = b"roundtrip agent token\n";

/// An agent's request for enrolment with a code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Enrolment {
    /// The code. It works once, and expires after some minutes.
    pub code: String,
    /// The machine.
    pub machine: Machine,
    /// Its Ed25519 public key, 32 bytes in base64: the private key never leaves the machine.
    pub public_key: String,
}

/// An enrolled agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Enrolled {
    /// Its number.
    pub agent_id: i64,
    /// The only project that it works for; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Slug>,
    /// The agent's token for uploads and jobs.
    pub token: AgentToken,
}

/// A token of an agent. It is renewed with the agent's key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentToken {
    /// The secret for the header `authorization: Bearer`.
    pub secret: String,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// A challenge that an agent signs to get a new token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Challenge {
    /// 32 bytes in base64. They work for one token, and for at least a minute.
    pub challenge: String,
}

/// A signed challenge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Renewal {
    /// The Ed25519 signature of [`RENEWAL_CONTEXT`] and the challenge's bytes, in base64.
    pub signature: String,
}

/// The status that an agent reports with each claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentStatus {
    /// The oldest version of these messages that it speaks.
    pub protocol_min: u32,
    /// The newest one.
    pub protocol_max: u32,
    /// The version of its program.
    pub version: String,
    /// The agent's report on the machine's health.
    pub health: Health,
    /// Reports that wait for this server.
    pub spooled_count: u32,
}

/// The health of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Why it cannot measure, a sentence for each reason. It then gets no jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// Reasons to doubt its results, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspect: Vec<String>,
}

/// An idle agent's request for a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claim {
    /// The agent's status.
    #[serde(flatten)]
    pub status: AgentStatus,
    /// The longest time that the server may hold the request until there is a job.
    pub wait_seconds: u32,
}

/// A job for an agent: a commit to measure, and the lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Assignment {
    /// Its number.
    pub job_id: i64,
    /// The number of the lease.
    pub fence: i64,
    /// The duration of the lease from the response on, unless a heartbeat renews it.
    pub lease_seconds: u32,
    /// The project.
    pub project: Slug,
    /// Where the project's repository is fetched from.
    pub repository_url: String,
    /// The commit to measure.
    pub commit_sha: CommitSha,
    /// The base to compare with in pairs; absent without a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<CommitSha>,
    /// The branch, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The pull request, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The preset; absent to use the commit's `roundtrip.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The [digest](crate::Case::digest) of the only case to measure, in hexadecimal; absent to measure all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_sha256: Option<String>,
}

/// The job of a report. The server marks results whose lease another agent has taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lease {
    /// The job.
    pub job_id: i64,
    /// The number of the lease.
    pub fence: i64,
}

impl Assignment {
    /// The lease of the job.
    pub fn lease(&self) -> Lease {
        Lease { job_id: self.job_id, fence: self.fence }
    }
}

/// A message from an agent that is still running a job. It renews the lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// The number of its lease.
    pub fence: i64,
}

/// The remaining duration of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prolonged {
    /// The duration from the response on.
    pub lease_seconds: u32,
}

/// An agent's report that a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// The number of its lease.
    pub fence: i64,
    /// The outcome.
    pub outcome: JobOutcome,
    /// Why something was not measured, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The end of the output of the build and the programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobOutcome {
    /// Measured, and all reports were acknowledged.
    Done,
    /// It cannot be measured: it does not build, or its settings are invalid. It is not retried.
    Failed,
    /// The agent returned it, for example because it is stopping. The next agent takes it.
    Released,
}

/// The end of a text, within the limit and without cutting a character.
pub fn last_part(text: &str) -> &str {
    let mut begin = text.len().saturating_sub(OUTPUT_BYTES_MAX);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    &text[begin..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_adjacent_versions_are_compatible() {
        // A server and an agent that each support their own version and the previous one.
        let speaks = |newest: u32| newest - 1..=newest;
        for newest in 2..6 {
            assert_eq!(common(&speaks(newest), &speaks(newest)), Some(newest));
            assert_eq!(common(&speaks(newest), &speaks(newest + 1)), Some(newest));
            assert_eq!(common(&speaks(newest + 1), &speaks(newest)), Some(newest));
            assert_eq!(common(&speaks(newest), &speaks(newest + 2)), None);
            assert_eq!(common(&speaks(newest + 2), &speaks(newest)), None);
        }
    }

    #[test]
    fn long_output_keeps_its_end_in_whole_characters() {
        assert_eq!(last_part("short"), "short");
        let long = format!("{}end", "é".repeat(OUTPUT_BYTES_MAX));
        let kept = last_part(&long);
        assert!(kept.len() <= OUTPUT_BYTES_MAX && kept.len() > OUTPUT_BYTES_MAX - 4);
        assert!(kept.ends_with("éend"));
    }
}
