//! Uploads as a lab's machines send them: each a hundred cases of ten repetitions of 2,000 operations.
//!
//! A body is two zstd frames, which a decoder reads as one: who and what, compressed for each upload, and the results, of
//! which each machine has some that are compressed once. So the client takes little of the two processors that the server
//! is measured on.

use chrono::{DateTime, TimeDelta, Utc};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use roundtrip_stats::Distribution;
use roundtrip_wire::{
    Case, CaseResult, Commit, CommitSha, EndObservation, Environment, Machine, Methodology, Repetition,
    RunId, RunReport, SCHEMA_VERSION, Slug, Suite, TransportInfo,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Results of one upload.
pub(crate) const RESULTS: u32 = 100;
const REPETITIONS: u32 = 10;
const OPERATIONS: usize = 2_000;
/// First-parent ancestors that come along.
const HISTORY: u64 = 20;
/// Fast, as an agent does it.
const LEVEL: i32 = 1;

/// A machine of the lab: everything of its uploads that stays the same.
pub(crate) struct LabMachine {
    report: RunReport,
    /// `"results":[...]}`, compressed.
    results_zstd: Vec<u8>,
}

/// Whether samples come along with the histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Samples {
    Left,
    Sent,
}

impl LabMachine {
    pub(crate) fn new(number: u64, samples: Samples) -> Self {
        Self::with_results(number, 0..RESULTS.into(), samples)
    }

    /// With the results of these numbers: ten sizes of each transport.
    pub(crate) fn with_results(number: u64, results: Range<u64>, samples: Samples) -> Self {
        let mut random = SmallRng::seed_from_u64(number);
        let results: Vec<CaseResult> = results.map(|number| result(number, samples, &mut random)).collect();
        let report = RunReport {
            schema_version: SCHEMA_VERSION,
            run_id: RunId::draw(),
            project: slug("lab"),
            branch: Some("main".into()),
            default_branch: None,
            pull_request: None,
            job: None,
            commit: commit(1),
            work_tree_modified: false,
            history: Vec::new(),
            machine: Machine {
                slug: slug(&format!("lab-{number}")),
                os: slug("linux"),
                arch: slug("x86-64"),
            },
            environment: Environment {
                stable: BTreeMap::from([("os.kernel".into(), "6.1.0".into())]),
                conditions: BTreeMap::new(),
            },
            canaries: Vec::new(),
            suite: Suite {
                version: "0.1.0".into(),
                preset: slug("lab"),
                order_seed: number,
                build: slug("release"),
            },
            started_at: time(0),
            finished_at: time(60),
            results: Vec::new(),
        };
        let results = format!("{}}}", serde_json::to_string(&results).unwrap());
        let results_zstd = zstd::encode_all(results.as_bytes(), LEVEL).unwrap();
        Self { report, results_zstd }
    }

    /// The upload of a commit: the run's identity and the body.
    pub(crate) fn upload(&self, commit_number: u64) -> (String, Vec<u8>) {
        let mut report = self.report.clone();
        report.run_id = RunId::draw();
        report.commit = commit(commit_number);
        report.history =
            (1..commit_number).rev().take(usize::try_from(HISTORY).unwrap()).map(commit).collect();
        let whole = serde_json::to_string(&report).unwrap();
        let beginning = whole.strip_suffix("[]}").unwrap();
        let mut body = zstd::encode_all(beginning.as_bytes(), LEVEL).unwrap();
        body.extend_from_slice(&self.results_zstd);
        (report.run_id.to_string(), body)
    }
}

fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

fn time(seconds: i64) -> DateTime<Utc> {
    "2026-11-21T10:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(seconds)
}

fn commit(number: u64) -> Commit {
    let sha = |number: u64| CommitSha::parse(&format!("{number:040x}")).unwrap();
    Commit {
        sha: sha(number),
        parents: if number > 1 { vec![sha(number - 1)] } else { Vec::new() },
        subject: format!("Change the way in which messages are framed, part {number}"),
        author: "A. Author".into(),
        committed_at: time(i64::try_from(number).unwrap()),
        first_parent_ordinal: Some(number),
    }
}

/// Ten transports with ten sizes each.
fn result(number: u64, samples: Samples, random: &mut SmallRng) -> CaseResult {
    let (transport, doublings) = (number / 10, number % 10);
    let typical_ns = 2_000.0 * (1.0 + 0.5 * transport as f64) * (1.0 + 0.3 * doublings as f64);
    CaseResult {
        transport: TransportInfo {
            slug: slug(&format!("transport-{transport}")),
            title: format!("Transport {transport}"),
            family: slug("lab"),
            semantics: "generated: nothing was measured".into(),
            control: false,
        },
        case: Case {
            scenario: slug("roundtrip"),
            message_bytes: 64 << doublings,
            total_bytes: None,
            peers: 1,
            mode: slug("2proc"),
            placement: slug("same-cpu"),
            buffer_bytes: None,
            rate_per_second: None,
            size_profile: None,
            senders: None,
            messages: None,
            variant: None,
            benchmark: None,
            operations: None,
        },
        methodology: Methodology {
            protocol_version: 1,
            send: slug("blocking"),
            receive: slug("block"),
            on_full: slug("wait"),
            window: 1,
            batch: 1,
            clock: slug("clock-monotonic"),
            warmup: 100,
            payload: "every byte written, read and compared".into(),
            storage: slug("touched"),
            discarded_repetitions: None,
            probe: None,
            wake: None,
            parts: None,
            statistic: None,
        },
        repetitions: (0..REPETITIONS).map(|index| repetition(index, typical_ns, samples, random)).collect(),
        failures: Vec::new(),
        counters: BTreeMap::from([("effective_send_buffer_bytes".into(), 212_992)]),
        facts: BTreeMap::new(),
        unsupported: None,
        oversubscribed: false,
        summary: None,
    }
}

/// Times as of a round trip: most within some per cent, some twice as long, a few of a hundred times that.
fn repetition(index: u32, typical_ns: f64, samples: Samples, random: &mut impl Rng) -> Repetition {
    let of_repetition = typical_ns * (1.0 + 0.02 * normal(random));
    let times: Vec<u64> = (0..OPERATIONS)
        .map(|_| {
            let tail = match random.random_range(0..1_000_u32) {
                0 => 100.0 * random.random::<f64>(),
                1..20 => 1.0 + random.random::<f64>(),
                _ => 0.0,
            };
            nanoseconds(of_repetition * ((0.05 * normal(random)).exp() + tail))
        })
        .collect();
    let distribution = Distribution::of_samples(times).unwrap();
    let count = distribution.count();
    Repetition {
        index,
        histogram: distribution.histogram_text(),
        samples: distribution.samples_text().filter(|_| samples == Samples::Sent),
        count,
        min_ns: distribution.min_ns(),
        max_ns: distribution.max_ns(),
        sum_ns: distribution.sum_ns(),
        attempted: count,
        accepted: count,
        delivered: count,
        out_of_order: 0,
        corrupted: 0,
        elapsed_ns: distribution.sum_ns(),
        ends: vec![EndObservation { cpus_seen: vec![1], migrations: Some(0), ..Default::default() }; 2],
        disturbed: Vec::new(),
        late: None,
        missed: None,
        conditions: BTreeMap::new(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "times are positive and below a second")]
fn nanoseconds(time: f64) -> u64 {
    time as u64
}

/// A standard normal number (Box and Muller 1958).
fn normal(random: &mut impl Rng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
