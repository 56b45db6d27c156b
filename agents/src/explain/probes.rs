//! Repetitions of both sides with a probe: one for the system calls, one for a profile, in turn.

use super::evidence::Evidence;
use crate::failure::Failure;
use rand::RngExt;
use rand::rngs::StdRng;
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::ab::Pair;
use roundtrip_bench::harness::{PeerCommand, probed};
use roundtrip_bench::probe::Probe;
use roundtrip_bench::sys::Unsupported;
use roundtrip_bench::sys::death;
use roundtrip_bench::sys::tracing::{Observed, Tracer};
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Repetitions of each probe and side, and how many are enough once they have taken this long.
const REPETITIONS: usize = 5;
const ENOUGH: [(usize, Duration); 2] = [(3, Duration::from_secs(6)), (2, Duration::from_secs(11))];

/// Messages and time of a repetition with system calls, each of which takes some microseconds longer,
const TRACED: (u64, f64) = (400, 0.2e9);
/// and of one with a profile, which needs samples.
const PROFILED: (u64, f64) = (50_000, 0.4e9);

/// Time limit of a repetition, and failures after which a probe is given up.
const DEADLINE: Duration = Duration::from_secs(5);
const FAILURES_MAX: usize = 2;

/// A changed case.
pub(super) struct Probed<'a> {
    pub(super) pair: &'a Pair,
    pub(super) peer: &'a PeerCommand,
    pub(super) deadline: Duration,
    pub(super) overhead_ns: [f64; 2],
}

impl Probed<'_> {
    /// Adds the repetitions to the evidence; returns notes on what is missing. A message takes `message_ns` at most.
    pub(super) fn add_to(
        &self,
        evidence: &mut Evidence,
        message_ns: f64,
        random: &mut StdRng,
        check: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> crate::Result<Vec<String>> {
        let began = Instant::now();
        let mut notes: Vec<String> = Vec::new();
        let mut failures: Vec<(Probe, String)> = Vec::new();
        for repetition in 0..REPETITIONS {
            if ENOUGH.iter().any(|(enough, time)| repetition >= *enough && began.elapsed() > *time) {
                break;
            }
            for probe in [Probe::Syscalls, Probe::Profile] {
                if failures.iter().filter(|(failed, _)| *failed == probe).count() >= FAILURES_MAX {
                    continue;
                }
                let is_base_first: bool = random.random();
                for is_base in [is_base_first, !is_base_first] {
                    if check().is_break() {
                        return Err(Failure::Stopped("Stopped by a signal while observing a case.".into()));
                    }
                    let side = if is_base { &mut evidence.base } else { &mut evidence.head };
                    let case = if is_base { &self.pair.base } else { &self.pair.head };
                    let case = sized(case, probe, message_ns);
                    match probed(&case, self.peer, self.deadline.min(DEADLINE)) {
                        Err(reason) => failures.push((probe, reason)),
                        Ok(probed) => {
                            notes.extend(probed.inside.notes.iter().cloned());
                            match &probed.profile {
                                None => side.add_calls(&case, &probed, self.overhead_ns),
                                Some(profile) => {
                                    notes.extend(profile.notes.iter().cloned());
                                    side.add_profile(&case, &probed, profile);
                                }
                            }
                        }
                    }
                }
            }
        }
        evidence.drop_one_sided();
        let is_missing = |probe: &Probe| match probe {
            Probe::Profile => evidence.base.functions.is_empty(),
            _ => evidence.base.calls.is_empty(),
        };
        let missing = failures.iter().filter(|(probe, _)| is_missing(probe));
        notes.extend(missing.map(|(probe, reason)| missing_probe(*probe, reason)));
        notes.extend(still_compared([Probe::Syscalls, Probe::Profile].map(|probe| is_missing(&probe))));
        notes.extend(forks(evidence));
        notes.sort_unstable();
        notes.dedup();
        Ok(notes)
    }
}

/// The case with an amount of work that suits the probe.
fn sized(case: &PlannedCase, probe: Probe, message_ns: f64) -> PlannedCase {
    let (most, time_ns) = if probe == Probe::Profile { PROFILED } else { TRACED };
    let mut case = case.clone();
    case.probe = Some(probe);
    let each = case.work.batch.max(1) * case.work.messages_per_operation.max(1);
    let messages = (most as f64).min(time_ns / message_ns.max(1.0));
    let samples = crate::format::whole(messages / each as f64);
    case.work.operations = samples.max(case.work.operations.min(8));
    case.work.warmup = case.work.warmup.min(case.work.operations);
    case
}

fn missing_probe(probe: Probe, reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    match probe {
        Probe::Profile => format!("No profile: {reason}."),
        _ => format!("No system calls: {reason}."),
    }
}

/// States what is left without the system calls, the profile or both.
fn still_compared(is_missing: [bool; 2]) -> Option<String> {
    let left = match is_missing {
        [false, false] => return None,
        [true, false] => "Usage and the profile are",
        [false, true] => "System calls and usage are",
        [true, true] => "Only usage is",
    };
    Some(format!("{left} still compared."))
}

/// States if a side makes calls in processes that it does not report.
fn forks(evidence: &Evidence) -> Option<String> {
    let is_forked = [&evidence.base, &evidence.head].into_iter().any(|side| side.has_other_processes);
    is_forked.then(|| {
        "The program uses more processes than its two ends: their system calls count, their CPU time does not.".into()
    })
}

/// The overhead of the observation of a call, on a processor and while waiting, from a process that writes to itself; zero if
/// it cannot be measured.
pub(super) fn overhead_ns(peer: &PeerCommand) -> [f64; 2] {
    measured_overhead_ns(peer).unwrap_or_default()
}

fn measured_overhead_ns(peer: &PeerCommand) -> Option<[f64; 2]> {
    let mut command = Command::new(&peer.program);
    // In place of `peer`.
    let others = peer.arguments.len().saturating_sub(1);
    command.args(&peer.arguments[..others]).arg("record-probe").stdin(Stdio::piped()).stdout(Stdio::piped());
    death::prepare(&mut command);
    let mut child = command.spawn().ok()?;
    let observed = death::bind(&child).ok().and_then(|()| {
        let (mut ask, answers) = child.stdin.take().zip(child.stdout.take())?;
        let mut answers = BufReader::new(answers).lines();
        let mut round_ns = || -> Option<f64> {
            ask.write_all(b"\n").ok()?;
            answers.next()?.ok()?.parse().ok()
        };
        // The first round warms up.
        round_ns()?;
        let alone_ns = round_ns()?;
        let tracer = Tracer::attach_in_detail(vec![child.id()], None);
        let tracer = tracer.map_err(|Unsupported(_)| ()).ok()?;
        let answered = round_ns();
        let observed = tracer.finish_in_detail();
        answered.map(|_| (alone_ns, observed))
    });
    let _ = child.kill();
    let _ = child.wait();
    let (alone_ns, observed) = observed?;
    let writes =
        observed.iter().flat_map(|Observed { calls, .. }| calls).find(|calls| calls.name == "write")?;
    let each = |ns: u64| ns as f64 / writes.count as f64;
    Some([
        (each(writes.on_cpu_ns) - alone_ns / f64::from(crate::record::ROUND_MESSAGES)).max(0.0),
        each(writes.waited_ns),
    ])
}
