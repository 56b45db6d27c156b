//! Small valid reports that tests can change.

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_stats::Distribution;
use roundtrip_wire::{
    Canary, Case, CaseResult, Commit, CommitSha, EndObservation, Environment, Explanation, Failure, Machine,
    Methodology, ProfileComparison, ProfileOfEnd, Repetition, RunId, RunReport, SCHEMA_VERSION, Slug, Suite,
    TransportInfo,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

/// A time, this many seconds after the start of the tests' time.
pub(crate) fn time(seconds: i64) -> DateTime<Utc> {
    "2026-11-21T10:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(seconds)
}

/// The SHA of the commit with this number.
pub(crate) fn sha(number: u64) -> CommitSha {
    CommitSha::parse(&format!("{number:040x}")).unwrap()
}

/// Commit `number`, with the previous commit as its first parent. Number 1 is a root.
pub(crate) fn commit(number: u64, ordinal: Option<u64>) -> Commit {
    Commit {
        sha: sha(number),
        parents: if number > 1 { vec![sha(number - 1)] } else { Vec::new() },
        subject: format!("Change {number}"),
        author: "A. Author".into(),
        committed_at: time(i64::try_from(number).unwrap()),
        first_parent_ordinal: ordinal,
    }
}

pub(crate) fn transport(name: &str) -> TransportInfo {
    TransportInfo {
        slug: slug(name),
        title: format!("The {name}"),
        family: slug("pipe"),
        semantics: "write(2) and read(2); two copies.".into(),
        control: true,
    }
}

pub(crate) fn case(message_bytes: u64) -> Case {
    Case {
        scenario: slug("roundtrip"),
        message_bytes,
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
        measure: None,
    }
}

pub(crate) fn methodology() -> Methodology {
    Methodology {
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
    }
}

/// A lossless repetition with these times.
pub(crate) fn repetition(index: u32, times_ns: &[u64]) -> Repetition {
    let distribution = Distribution::of_samples(times_ns.to_vec()).unwrap();
    let count = distribution.count();
    Repetition {
        index,
        histogram: distribution.histogram_text(),
        samples: distribution.samples_text(),
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
        ends: vec![EndObservation { cpus_seen: vec![1], migrations: Some(0), ..Default::default() }],
        disturbed: Vec::new(),
        late: None,
        missed: None,
        conditions: BTreeMap::new(),
        log_ratio_ppb: None,
    }
}

pub(crate) fn result(transport_name: &str, message_bytes: u64, repetitions: Vec<Repetition>) -> CaseResult {
    CaseResult {
        transport: transport(transport_name),
        case: case(message_bytes),
        methodology: methodology(),
        repetitions,
        failures: Vec::new(),
        counters: BTreeMap::from([("effective_buffer_bytes".into(), 65_536)]),
        facts: [].into(),
        unsupported: None,
        oversubscribed: false,
        summary: None,
        explanation: None,
        profile: None,
    }
}

/// A result of one repetition with one time.
pub(crate) fn once(transport_name: &str, message_bytes: u64, time_ns: u64) -> CaseResult {
    result(transport_name, message_bytes, vec![repetition(0, &[time_ns])])
}

pub(crate) fn unsupported(transport_name: &str, reason: &str) -> CaseResult {
    CaseResult {
        unsupported: Some(reason.into()),
        counters: BTreeMap::new(),
        ..result(transport_name, 64, Vec::new())
    }
}

/// A run of `libfoo` on `lab-1` at commit 1, with one case of two repetitions.
pub(crate) fn report() -> RunReport {
    RunReport {
        schema_version: SCHEMA_VERSION,
        run_id: RunId::draw(),
        project: slug("libfoo"),
        branch: Some("main".into()),
        default_branch: None,
        pull_request: None,
        job: None,
        commit: commit(1, Some(1)),
        work_tree_modified: false,
        history: Vec::new(),
        machine: Machine { slug: slug("lab-1"), os: slug("linux"), arch: slug("x86-64") },
        environment: Environment {
            stable: BTreeMap::from([("os.kernel".into(), "6.1.0".into())]),
            conditions: BTreeMap::from([("load.1min".into(), "0.02".into())]),
        },
        canaries: vec![Canary {
            slug: slug("null-syscall"),
            p50_ns: Some(70),
            min_ns: Some(61),
            count: 1_000,
            unsupported: None,
        }],
        suite: Suite {
            version: "0.1.0".into(),
            preset: slug("quick"),
            order_seed: u64::MAX,
            build: slug("release"),
        },
        programs: Vec::new(),
        started_at: time(100),
        finished_at: time(160),
        results: vec![result(
            "pipe",
            64,
            vec![repetition(0, &[1_000, 1_100, 1_200]), repetition(1, &[1_050, 1_150, 1_300])],
        )],
    }
}

/// A profile: the head makes one more call.
pub(crate) fn profile() -> ProfileComparison {
    ProfileComparison {
        base_messages: 10,
        head_messages: 20,
        functions: vec!["main".into(), "sendmsg_[k]".into()],
        ends: vec![ProfileOfEnd {
            name: "initiator".into(),
            parents: vec![None, Some(0)],
            functions: vec![0, 1],
            base_on_cpu_ns: vec![500, 0],
            base_waiting_ns: vec![0, 0],
            head_on_cpu_ns: vec![1_000, 600],
            head_waiting_ns: vec![0, 40],
        }],
    }
}

/// A result that is slower than commit 30, with a profile.
pub(crate) fn explained(result: CaseResult) -> CaseResult {
    let explanation = Explanation {
        base_sha: sha(30),
        change_ns: 200,
        findings: Vec::new(),
        unexplained_ns: 200,
        notes: Vec::new(),
        suspects: Vec::new(),
        has_profile: true,
    };
    CaseResult { explanation: Some(explanation), profile: Some(profile()), ..result }
}

/// [`report`] at another commit.
pub(crate) fn report_at(commit: Commit) -> RunReport {
    RunReport { commit, ..report() }
}

/// [`report`] at the commit with this number.
pub(crate) fn nth(number: u64) -> RunReport {
    report_at(commit(number, Some(number)))
}

/// [`nth`] with these results.
pub(crate) fn nth_with(number: u64, results: Vec<CaseResult>) -> RunReport {
    RunReport { results, ..nth(number) }
}

/// A report from another machine.
pub(crate) fn on(machine: &str, report: RunReport) -> RunReport {
    RunReport { machine: Machine { slug: slug(machine), ..report.machine }, ..report }
}

/// [`report`] of another project.
pub(crate) fn of_project(project: &str) -> RunReport {
    RunReport { project: slug(project), ..report() }
}

/// A request to import a file of another tool.
pub(crate) fn import(report: &RunReport, name: &str, format: Option<&str>, file: &[u8]) -> Value {
    json!({ "report": report, "file": { "name": name, "format": format, "base64": BASE64_STANDARD.encode(file) } })
}

/// A result of ten repetitions of about this time, each slightly longer than the previous one.
pub(crate) fn steady(transport_name: &str, message_bytes: u64, time_ns: u64) -> CaseResult {
    let repetition = |index: u32| repetition(index, &[time_ns + time_ns * u64::from(index) / 500]);
    result(transport_name, message_bytes, (0..10).map(repetition).collect())
}

/// Both sides of a case whose repetitions alternated while the machine became three times slower. Head takes `factor` times
/// as long as base.
pub(crate) fn alternated(transport_name: &str, time_ns: f64, factor: f64) -> [CaseResult; 2] {
    let sides = (0..22_u32).map(|index| {
        let noise = |seed: u32| f64::from((index * 7_919 + seed) % 97) / 97.0 * 0.01;
        let drift = time_ns * (f64::from(index) / 20.0).exp();
        let [base, head] = [drift * noise(0).exp(), drift * factor * noise(31).exp()];
        #[expect(clippy::cast_possible_truncation, reason = "below a minute")]
        let ratio_ppb = ((head / base).ln() * 1e9).round() as i64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below a minute")]
        let side = |ns: f64, ratio_ppb| Repetition {
            log_ratio_ppb: Some(ratio_ppb),
            ..repetition(index, &[ns.round() as u64])
        };
        (side(base, -ratio_ppb), side(head, ratio_ppb))
    });
    let (base, head): (Vec<_>, Vec<_>) = sides.unzip();
    let methodology = Methodology { parts: Some(50), ..methodology() };
    let in_parts = |repetitions| {
        let plain = result(transport_name, 64, repetitions);
        CaseResult {
            transport: TransportInfo { control: false, ..plain.transport },
            methodology: methodology.clone(),
            ..plain
        }
    };
    [base, head].map(in_parts)
}

pub(crate) fn failure(repetition: u32, reason: &str) -> Failure {
    Failure { repetition, reason: reason.into() }
}
