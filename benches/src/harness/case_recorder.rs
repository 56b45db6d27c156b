//! Collects the repetitions of one case, and decides when there are enough.

use super::measured::{Measured, NotMeasured};
use super::support;
use crate::PROTOCOL_VERSION;
use crate::definition::{Mode, Placement, PlannedCase};
use crate::program::protocol::PAYLOAD;
use crate::ring::Waiting;
use crate::scenario::Pattern;
use crate::sys::{Unsupported, affinity, clock};
use crate::transport::{Manner, OnFull};
use roundtrip_stats::interval;
use roundtrip_stats::shape::{self, Profile};
use roundtrip_wire::{Case, CaseResult, Failure, Methodology, Repetition, Slug};
use std::collections::BTreeMap;
use std::time::Duration;

/// A case is given up after this many failures, because a hung peer costs a whole deadline each time.
const FAILURES_MAX: usize = 2;

/// Confidence of the interval that decides whether there are enough repetitions.
const CONFIDENCE_PPM: u32 = 950_000;

pub(super) struct CaseRecorder<'a> {
    case: &'a PlannedCase,
    repetitions: Vec<Repetition>,
    failures: Vec<Failure>,
    unsupported: Option<Unsupported>,
    counters: BTreeMap<String, u64>,
    facts: BTreeMap<String, String>,
    /// Parts per repetition, if it is split.
    parts: Option<u64>,
    p50s_ns: Vec<u64>,
    /// Started repetitions, including discarded ones.
    begun: u32,
    spent: Duration,
}

impl<'a> CaseRecorder<'a> {
    pub(super) fn new(case: &'a PlannedCase) -> Self {
        Self {
            case,
            repetitions: Vec::new(),
            failures: Vec::new(),
            unsupported: support(case).err(),
            counters: BTreeMap::new(),
            facts: BTreeMap::new(),
            parts: None,
            p50s_ns: Vec::new(),
            begun: 0,
            spent: Duration::ZERO,
        }
    }

    /// Splits each repetition into parts that alternate with another side's.
    pub(super) fn is_in_parts(&mut self, parts: u64) {
        self.parts = Some(parts);
    }

    pub(super) fn left_max(&self) -> u64 {
        let wanted = self.case.repetitions;
        if self.is_given_up() || self.has_enough() {
            return 0;
        }
        u64::from((wanted.max + wanted.discarded).saturating_sub(self.begun))
    }

    /// Whether the interval of the median is narrow enough. Checking after every repetition makes the interval slightly
    /// too narrow (a known cost of stopping early). It decides how long to measure, never a verdict.
    fn has_enough(&self) -> bool {
        let wanted = self.case.repetitions;
        let Some(width_ppm) = wanted.width_ppm else { return false };
        if self.p50s_ns.len() < wanted.min as usize {
            return false;
        }
        interval::median(&self.p50s_ns, CONFIDENCE_PPM).is_some_and(|interval| {
            let width = u128::from(interval.high - interval.low) * 1_000_000;
            width <= u128::from(interval.median) * u128::from(width_ppm)
        })
    }

    /// The case of the next repetition, with sizes sampled from the repetition's number.
    pub(super) fn next(&self) -> PlannedCase {
        let mut case = self.case.clone();
        case.work.size_seed = u64::from(self.begun);
        case.work.probe = case.probe;
        case
    }

    /// Whether the case is finished early: unsupported, or failed too often.
    pub(super) fn is_given_up(&self) -> bool {
        self.unsupported.is_some() || self.failures.len() >= FAILURES_MAX
    }

    /// Records the result of a repetition; returns its profile if it is reported.
    pub(super) fn add(&mut self, measured: Result<Measured, NotMeasured>, took: Duration) -> Option<Profile> {
        let (index, discarded) = (self.begun, self.case.repetitions.discarded);
        self.begun += 1;
        self.spent += took;
        match measured {
            Ok(measured) => {
                let profile = shape::profile(&measured.distribution);
                let (p50_ns, repetition) = self.repetition(index, measured);
                if index >= discarded {
                    self.p50s_ns.push(p50_ns);
                    self.repetitions.push(repetition);
                    return Some(profile);
                }
            }
            Err(NotMeasured::Failed(reason)) => {
                self.failures.push(Failure { repetition: index, reason });
            }
            Err(NotMeasured::Unsupported(reason)) => self.unsupported = Some(reason),
        }
        None
    }

    /// Counts a repetition that ended because the other side of its pair failed, so both sides of the next pair have the same
    /// number.
    pub(super) fn skip(&mut self, took: Duration) {
        self.begun += 1;
        self.spent += took;
    }

    /// Converts the measurement into one repetition, the statistical unit, and its p50.
    fn repetition(&mut self, index: u32, measured: Measured) -> (u64, Repetition) {
        let Measured {
            distribution,
            totals,
            counters,
            facts,
            conditions,
            mut disturbed,
            log_ratio_ppb,
            profile: _,
            inside: _,
        } = measured;
        self.counters.extend(counters);
        self.facts.extend(facts);
        let p50_ns = distribution.quantile_ns(500_000);
        if self.case.work.batch == 1 && p50_ns < 1_000 {
            disturbed.push(
                "shorter than 1 us but timed individually, so the time includes the clock's cost".into(),
            );
        }
        if self.case.mode == Mode::TwoProcesses && self.case.placement != Placement::Free {
            for (end, observation) in totals.ends.iter().enumerate() {
                if observation.cpus_seen.len() > 1 {
                    let cpus = &observation.cpus_seen;
                    disturbed.push(format!("end {} was pinned but ran on CPUs {cpus:?}", end + 1));
                }
            }
        }
        let repetition = Repetition {
            index,
            histogram: distribution.histogram_text(),
            samples: distribution.samples_text(),
            count: distribution.count(),
            min_ns: distribution.min_ns(),
            max_ns: distribution.max_ns(),
            sum_ns: distribution.sum_ns(),
            attempted: totals.attempted,
            accepted: totals.accepted,
            delivered: totals.delivered,
            out_of_order: totals.out_of_order,
            corrupted: totals.corrupted,
            elapsed_ns: totals.elapsed_ns,
            ends: totals.ends,
            disturbed,
            late: totals.late,
            missed: totals.missed,
            conditions,
            log_ratio_ppb,
        };
        (p50_ns, repetition)
    }

    pub(super) fn into_result(mut self) -> CaseResult {
        let case = self.case;
        let threads = u64::from(case.participants.ends());
        let cpus = affinity::count();
        let is_many = matches!(case.scenario.pattern(), Pattern::Many(_));
        // A pair on one processor is intentional; its placement shows it.
        let oversubscribed = is_many && self.unsupported.is_none() && threads > cpus;
        if oversubscribed {
            self.counters.extend([("threads".to_owned(), threads), ("cpus".to_owned(), cpus)]);
        }
        CaseResult {
            transport: case.transport.info(),
            case: Case {
                scenario: Slug::from_name(case.scenario.slug()),
                message_bytes: case.work.message_bytes as u64,
                total_bytes: case.total_bytes,
                peers: case.participants.receivers,
                mode: Slug::from_name(case.mode.slug()),
                placement: Slug::from_name(&case.placement.to_string()),
                buffer_bytes: case.buffer_bytes.map(|bytes| bytes as u64),
                rate_per_second: case.work.rate_per_second,
                size_profile: case.work.size_profile.as_deref().map(Slug::from_name),
                senders: (case.participants.senders > 1).then_some(case.participants.senders),
                messages: is_many.then_some(case.work.messages_per_operation),
                variant: case.transport.program().and_then(|program| program.variant.clone()),
                benchmark: None,
                operations: None,
                measure: None,
            },
            methodology: methodology(case, self.parts),
            repetitions: self.repetitions,
            failures: self.failures,
            counters: self.counters,
            facts: self.facts,
            unsupported: self.unsupported.map(|reason| reason.to_string()),
            oversubscribed,
            summary: None,
            explanation: None,
            profile: None,
        }
    }
}

/// Estimates the most remaining repetitions of all cases, and their duration.
pub(super) fn left(all: &[CaseRecorder<'_>]) -> (u64, Duration) {
    let (spent, begun) = all.iter().fold((Duration::ZERO, 0), |(spent, begun), recorder| {
        (spent + recorder.spent, begun + recorder.begun)
    });
    // A case that has not run yet is estimated from the others.
    let average = spent / begun.max(1);
    all.iter().fold((0, Duration::ZERO), |(left, time), recorder| {
        let one = if recorder.begun > 0 { recorder.spent / recorder.begun } else { average };
        let more = recorder.left_max();
        (left + more, time + one * u32::try_from(more).unwrap_or(u32::MAX))
    })
}

fn methodology(case: &PlannedCase, parts: Option<u64>) -> Methodology {
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let discarded = case.repetitions.discarded;
    let Manner { waiting, on_full, wake_rule, storage } = case.manner;
    let is_ring = case.transport.is_ring();
    let suite_methodology = Methodology {
        protocol_version: PROTOCOL_VERSION,
        send: Slug::from_name(if is_ring && on_full == OnFull::Drop { "non-blocking" } else { "blocking" }),
        receive: Slug::from_name(waiting.slug()),
        on_full: Slug::from_name(on_full.slug()),
        window: case.work.window,
        batch: number(case.work.batch),
        clock: Slug::from_name(clock::CLOCK),
        warmup: number(case.work.warmup),
        payload: case.scenario.payload().into(),
        storage: Slug::from_name(if is_ring { storage.slug() } else { "touched-after-start" }),
        discarded_repetitions: (discarded > 0).then_some(discarded),
        probe: case.probe.map(|probe| Slug::from_name(probe.slug())),
        wake: (is_ring && waiting != Waiting::Spin).then(|| Slug::from_name(wake_rule.slug())),
        parts: parts.map(number),
        statistic: None,
    };
    match case.transport.program() {
        None => suite_methodology,
        // A program's sending, waiting and timing are unknown.
        Some(_) => {
            let own = || Slug::from_name("own");
            let payload = PAYLOAD.to_owned();
            Methodology {
                send: own(),
                receive: own(),
                clock: own(),
                storage: own(),
                payload,
                ..suite_methodology
            }
        }
    }
}
