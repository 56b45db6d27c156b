//! What synthetic history is of: machines, cases and commits. Every name begins with `seeded`, so that nothing of it is
//! taken for a measurement, and nothing that was measured is described anew.

use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_wire::{
    Case, CaseResult, Commit, CommitSha, Environment, Machine, Methodology, Slug, TransportInfo,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What each of its names begins with, and the preset of its runs.
pub(super) const PRESET: &str = "seeded";
/// Bytes of one operation of `stream`.
const STREAM_BYTES: u64 = 16 * 1024 * 1024;
/// Messages of one operation of `route`.
const ROUTE_MESSAGES: u64 = 1_000;
/// The first commit's time, 2024-01-01, and the time between two.
const BEGIN_SECONDS: i64 = 1_704_067_200;
const COMMIT_SECONDS: i64 = 4 * 3_600;

/// A made-up transport: what a message costs, and what each KiB of it costs.
struct Transport {
    slug: &'static str,
    title: &'static str,
    family: &'static str,
    message_ns: f64,
    kib_ns: f64,
    is_kernels: bool,
}

const TRANSPORTS: [Transport; 8] = [
    transport("seeded-pipe", "Pipe", "pipe", 2_400.0, 180.0, true),
    transport("seeded-fifo", "FIFO", "pipe", 2_450.0, 184.0, true),
    transport("seeded-socketpair", "Socket pair", "socket", 2_900.0, 205.0, true),
    transport("seeded-unix-stream", "Unix stream socket", "socket", 3_100.0, 210.0, true),
    transport("seeded-tcp", "TCP", "socket", 8_900.0, 260.0, true),
    transport("seeded-udp", "UDP", "socket", 7_800.0, 300.0, true),
    transport("seeded-posix-mq", "POSIX message queue", "message-queue", 2_700.0, 320.0, true),
    transport("seeded-ring", "Ring in shared memory", "shared-memory", 1_450.0, 90.0, false),
];
const MESSAGE_BYTES: [u64; 12] =
    [16, 64, 256, 1_024, 2_048, 4_096, 8_192, 16_384, 65_536, 131_072, 262_144, 1_048_576];
/// Scenarios, each with its number of receivers.
const TRAFFIC: [(&str, u32); 5] = [("roundtrip", 1), ("stream", 1), ("route", 2), ("route", 4), ("route", 8)];
/// Placements, and what each costs.
const PLACEMENTS: [(&str, f64); 3] = [("same-cpu", 1.0), ("cross-cpu", 2.4), ("free", 1.5)];
/// Modes, and what each costs.
const MODES: [(&str, f64); 2] = [("2proc", 1.0), ("2thread", 0.92)];

/// One case: what uploads say of it, and how long an operation of it takes before anything happens to it.
#[derive(Debug)]
pub(super) struct SeededCase {
    /// Without repetitions.
    pub(super) result: CaseResult,
    /// Which transport, from 0.
    pub(super) transport: usize,
    pub(super) operation_ns: f64,
    /// What arrives in one operation, summed over receivers.
    pub(super) delivered_per_operation: i64,
}

/// How many transports there are.
pub(super) const TRANSPORT_COUNT: usize = TRANSPORTS.len();

/// Any number of cases: when all combinations are used up, they begin again as further variants.
pub(super) fn cases(count: usize) -> Vec<SeededCase> {
    (0..count).map(case).collect()
}

pub(super) fn machine(index: usize) -> Machine {
    Machine {
        slug: Slug::from_name(&format!("seeded-{}", index + 1)),
        os: Slug::from_name("linux"),
        arch: Slug::from_name("x86-64"),
    }
}

/// A machine's fingerprint after so many changes.
pub(super) fn environment(machine: usize, change: usize) -> Environment {
    let stable = [
        ("cpu.model".to_owned(), format!("Seeded processor {}", machine + 1)),
        ("os.kernel".to_owned(), format!("6.{}.0", change + 1)),
        ("synthetic".to_owned(), "yes: drawn by roundtrip-server seed, measured by nobody".to_owned()),
    ];
    Environment { stable: BTreeMap::from(stable), conditions: BTreeMap::new() }
}

/// A line of commits, the first of which is a root.
pub(super) fn commits(project: &str, count: usize) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::with_capacity(count);
    for index in 0..count {
        let parents = commits.last().map(|parent| parent.sha.clone()).into_iter().collect();
        commits.push(Commit {
            sha: sha(project, index),
            parents,
            subject: format!("Synthetic change {}", index + 1),
            author: "roundtrip-server seed".to_owned(),
            committed_at: committed_at(index),
            first_parent_ordinal: u64::try_from(index + 1).ok(),
        });
    }
    commits
}

fn committed_at(index: usize) -> DateTime<Utc> {
    let seconds = i64::try_from(index).unwrap_or(0) * COMMIT_SECONDS;
    DateTime::from_timestamp(BEGIN_SECONDS, 0).unwrap_or_default() + TimeDelta::seconds(seconds)
}

#[expect(clippy::unreachable, reason = "40 hexadecimal digits are an object name")]
fn sha(project: &str, index: usize) -> CommitSha {
    let digest = Sha256::digest(format!("{project} {index}"));
    let text = hex::encode(&digest[..20]);
    CommitSha::parse(&text).unwrap_or_else(|_| unreachable!())
}

fn case(index: usize) -> SeededCase {
    // The digits of the index, the most different ones first: few series are of many transports and sizes.
    let mut rest = index;
    let mut digit = |base: usize| {
        let digit = rest % base;
        rest /= base;
        digit
    };
    let transport = digit(TRANSPORTS.len());
    let message_bytes = MESSAGE_BYTES[digit(MESSAGE_BYTES.len())];
    let (scenario, peers) = TRAFFIC[digit(TRAFFIC.len())];
    let (placement, placement_factor) = PLACEMENTS[digit(PLACEMENTS.len())];
    let (mode, mode_factor) = MODES[digit(MODES.len())];
    let variant = (rest > 0).then(|| Slug::from_name(&format!("seeded-{rest}")));

    let described = &TRANSPORTS[transport];
    let kib = message_bytes as f64 / 1_024.0;
    let message_ns = (described.message_ns + described.kib_ns * kib) * placement_factor * mode_factor;
    let (operation_ns, delivered_per_operation) = match scenario {
        "stream" => {
            let messages = STREAM_BYTES / message_bytes;
            // Sending and receiving overlap.
            (message_ns * 0.4 * messages as f64, messages.cast_signed())
        }
        "route" => {
            let receivers = f64::from(peers);
            (
                message_ns * 0.4 * receivers.sqrt() * ROUTE_MESSAGES as f64,
                ROUTE_MESSAGES.cast_signed() * i64::from(peers),
            )
        }
        _ => (message_ns * 2.0, 1),
    };
    let case = Case {
        scenario: Slug::from_name(scenario),
        message_bytes,
        total_bytes: (scenario == "stream").then_some(STREAM_BYTES),
        peers,
        mode: Slug::from_name(mode),
        placement: Slug::from_name(placement),
        buffer_bytes: None,
        rate_per_second: None,
        size_profile: None,
        senders: None,
        messages: (scenario == "route").then_some(ROUTE_MESSAGES),
        variant,
        benchmark: None,
        operations: None,
    };
    SeededCase {
        result: CaseResult {
            transport: described.info(),
            case,
            methodology: methodology(),
            repetitions: Vec::new(),
            failures: Vec::new(),
            counters: BTreeMap::new(),
            facts: BTreeMap::new(),
            unsupported: None,
            oversubscribed: false,
            summary: None,
        },
        transport,
        operation_ns,
        delivered_per_operation,
    }
}

fn methodology() -> Methodology {
    let slug = Slug::from_name;
    Methodology {
        protocol_version: 1,
        send: slug("blocking"),
        receive: slug("block"),
        on_full: slug("wait"),
        window: 1,
        batch: 1,
        clock: slug("none"),
        warmup: 0,
        payload: "synthetic: drawn by roundtrip-server seed, nothing was sent".to_owned(),
        storage: slug("none"),
        discarded_repetitions: None,
        probe: None,
        wake: None,
        parts: None,
        statistic: None,
    }
}

const fn transport(
    slug: &'static str,
    title: &'static str,
    family: &'static str,
    message_ns: f64,
    kib_ns: f64,
    is_kernels: bool,
) -> Transport {
    Transport { slug, title, family, message_ns, kib_ns, is_kernels }
}

impl Transport {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name(self.slug),
            title: format!("{} (synthetic)", self.title),
            family: Slug::from_name(self.family),
            semantics: "Synthetic: its times are drawn by roundtrip-server seed, nothing was measured."
                .to_owned(),
            control: self.is_kernels,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn any_number_of_cases_are_all_different() {
        let digests: HashSet<_> =
            cases(20_000).iter().map(|case| case.result.case.digest(&case.result.transport.slug)).collect();
        assert_eq!(digests.len(), 20_000);
    }

    #[test]
    fn commits_are_a_line_with_names_of_their_own_in_each_project() {
        let commits = commits("one", 100);
        assert!(commits[0].parents.is_empty());
        assert!(commits.windows(2).all(|pair| pair[1].parents == [pair[0].sha.clone()]));
        assert_ne!(commits[0].sha, super::commits("other", 1)[0].sha);
    }
}
