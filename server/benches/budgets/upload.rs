//! Uploads like those of lab machines: a hundred cases of ten repetitions of 2,000 operations.
//!
//! A body is two zstd frames, which a decoder reads as one: the metadata, compressed for each upload, and the results,
//! compressed once per machine. The client thus uses little CPU time on the machine that also runs the server.

use crate::factory;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use roundtrip_wire::{CaseResult, Commit, Repetition, RunId, RunReport};
use std::ops::Range;

/// Results per upload.
pub(crate) const RESULTS: u32 = 100;
const REPETITIONS: u32 = 10;
const OPERATIONS: usize = 2_000;
/// First-parent ancestors listed in each upload.
const HISTORY: u64 = 20;
/// The zstd level: fast, so that the clients use little CPU time.
const LEVEL: i32 = 1;

/// A machine of the lab, with the constant parts of its uploads.
pub(crate) struct LabMachine {
    report: RunReport,
    /// `"results":[...]}`, compressed.
    results_zstd: Vec<u8>,
}

impl LabMachine {
    pub(crate) fn new(number: u64) -> Self {
        Self::with_results(number, 0..RESULTS.into())
    }

    /// Creates a machine with the results of these numbers, ten sizes per transport.
    pub(crate) fn with_results(number: u64, results: Range<u64>) -> Self {
        let mut random = SmallRng::seed_from_u64(number);
        let results: Vec<CaseResult> = results.map(|number| result(number, &mut random)).collect();
        let report = RunReport { canaries: Vec::new(), results: Vec::new(), ..factory::of_project("lab") };
        let report = factory::on(&format!("lab-{number}"), report);
        let results = format!("{}}}", serde_json::to_string(&results).unwrap());
        let results_zstd = zstd::encode_all(results.as_bytes(), LEVEL).unwrap();
        Self { report, results_zstd }
    }

    /// Builds the upload of a commit: the run ID and the body.
    pub(crate) fn upload(&self, commit_number: u64) -> (String, Vec<u8>) {
        let mut report = self.report.clone();
        report.run_id = RunId::draw();
        report.commit = commit(commit_number);
        report.history =
            (1..commit_number).rev().take(usize::try_from(HISTORY).unwrap()).map(commit).collect();
        let json = serde_json::to_string(&report).unwrap();
        let metadata = json.strip_suffix("[]}").unwrap();
        let mut body = zstd::encode_all(metadata.as_bytes(), LEVEL).unwrap();
        body.extend_from_slice(&self.results_zstd);
        (report.run_id.to_string(), body)
    }
}

fn commit(number: u64) -> Commit {
    Commit {
        subject: format!("Change the framing of messages, part {number}"),
        ..factory::commit(number, Some(number))
    }
}

/// Builds the result of one case. Each ten successive numbers are the sizes of one transport.
fn result(number: u64, random: &mut SmallRng) -> CaseResult {
    let (transport, doublings) = (number / 10, number % 10);
    let typical_ns = 2_000.0 * (1.0 + 0.5 * transport as f64) * (1.0 + 0.3 * doublings as f64);
    let repetitions = (0..REPETITIONS).map(|index| repetition(index, typical_ns, random)).collect();
    let mut result = factory::result(&format!("transport-{transport}"), 64 << doublings, repetitions);
    result.transport.control = false;
    result
}

/// Builds a repetition with times like those of round trips: most within a few per cent, some twice as long, a few up to a
/// hundred times as long.
fn repetition(index: u32, typical_ns: f64, random: &mut impl Rng) -> Repetition {
    let level_ns = typical_ns * (1.0 + 0.02 * normal(random));
    let times: Vec<u64> = (0..OPERATIONS)
        .map(|_| {
            let tail = match random.random_range(0..1_000_u32) {
                0 => 100.0 * random.random::<f64>(),
                1..20 => 1.0 + random.random::<f64>(),
                _ => 0.0,
            };
            nanoseconds(level_ns * ((0.05 * normal(random)).exp() + tail))
        })
        .collect();
    let mut repetition = factory::repetition(index, &times);
    // Send only the histogram.
    repetition.samples = None;
    repetition.ends = vec![repetition.ends[0].clone(); 2];
    repetition
}

#[expect(clippy::cast_possible_truncation, reason = "times are positive and below a second")]
fn nanoseconds(time: f64) -> u64 {
    time as u64
}

/// Samples the standard normal distribution (Box and Muller 1958).
fn normal(random: &mut impl Rng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
