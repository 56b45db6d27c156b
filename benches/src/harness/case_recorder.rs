//! What has been measured of one case so far, and whether it is enough.

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

/// After this many failed repetitions a case is given up: a hung peer costs a whole deadline each time.
const FAILURES_MAX: usize = 2;

/// The confidence of the interval that decides whether there are enough repetitions.
const CONFIDENCE_PPM: u32 = 950_000;

pub(super) struct CaseRecorder<'a> {
    case: &'a PlannedCase,
    repetitions: Vec<Repetition>,
    failures: Vec<Failure>,
    unsupported: Option<Unsupported>,
    counters: BTreeMap<String, u64>,
    facts: BTreeMap<String, String>,
    /// Into how many parts each repetition is cut, if it is.
    parts: Option<u64>,
    p50s_ns: Vec<u64>,
    /// Repetitions begun, discarded ones included.
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

    /// Each repetition takes turns with another side's, and so is cut into parts.
    pub(super) fn is_in_parts(&mut self, parts: u64) {
        self.parts = Some(parts);
    }

    pub(super) fn left_max(&self) -> u64 {
        let wanted = self.case.repetitions;
        if self.is_given_up() || self.is_settled() {
            return 0;
        }
        u64::from((wanted.max + wanted.discarded).saturating_sub(self.begun))
    }

    /// Whether the interval of the median is as narrow as wanted. Looking after every repetition makes the interval a
    /// little narrower than it says (a known price of stopping early); it decides how long to measure, never a verdict.
    fn is_settled(&self) -> bool {
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

    /// The next repetition's case: its sizes are drawn from the repetition's number.
    pub(super) fn next(&self) -> PlannedCase {
        let mut case = self.case.clone();
        case.work.size_seed = u64::from(self.begun);
        case.work.probe = case.probe;
        case
    }

    /// Whether nothing more is to be expected of it: it is unsupported, or has failed too often.
    pub(super) fn is_given_up(&self) -> bool {
        self.unsupported.is_some() || self.failures.len() >= FAILURES_MAX
    }

    /// Takes what a repetition said; returns its profile if it is one of those that are reported.
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

    /// Turns what was measured into one repetition, the statistical unit, and its p50.
    fn repetition(&mut self, index: u32, measured: Measured) -> (u64, Repetition) {
        let Measured { distribution, totals, counters, facts, conditions, mut disturbed } = measured;
        self.counters.extend(counters);
        self.facts.extend(facts);
        let p50_ns = distribution.quantile_ns(500_000);
        if self.case.work.batch == 1 && p50_ns < 1_000 {
            disturbed.push(
                "timed one by one although it takes less than 1 us: the clock's cost is part of it".into(),
            );
        }
        if self.case.mode == Mode::TwoProcesses && self.case.placement != Placement::Free {
            for (end, observation) in totals.ends.iter().enumerate() {
                if observation.cpus_seen.len() > 1 {
                    let cpus = &observation.cpus_seen;
                    disturbed.push(format!("end {} was pinned but seen on cpus {cpus:?}", end + 1));
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
        };
        (p50_ns, repetition)
    }

    pub(super) fn into_result(mut self) -> CaseResult {
        let case = self.case;
        let threads = u64::from(case.crowd.ends());
        let cpus = affinity::count();
        let is_many = matches!(case.scenario.pattern(), Pattern::Many(_));
        // A pair on one processor is so on purpose: its placement says it.
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
                peers: case.crowd.receivers,
                mode: Slug::from_name(case.mode.slug()),
                placement: Slug::from_name(&case.placement.to_string()),
                buffer_bytes: case.buffer_bytes.map(|bytes| bytes as u64),
                rate_per_second: case.work.rate_per_second,
                size_profile: case.work.size_profile.as_deref().map(Slug::from_name),
                senders: (case.crowd.senders > 1).then_some(case.crowd.senders),
                messages: is_many.then_some(case.work.messages_per_operation),
                variant: case.transport.program().and_then(|program| program.variant.clone()),
                benchmark: None,
                operations: None,
            },
            methodology: methodology(case, self.parts),
            repetitions: self.repetitions,
            failures: self.failures,
            counters: self.counters,
            facts: self.facts,
            unsupported: self.unsupported.map(|reason| reason.to_string()),
            oversubscribed,
            summary: None,
        }
    }
}

/// Repetitions that all cases together may still need, and the time for them.
pub(super) fn left(all: &[CaseRecorder<'_>]) -> (u64, Duration) {
    let (spent, begun) = all.iter().fold((Duration::ZERO, 0), |(spent, begun), recorder| {
        (spent + recorder.spent, begun + recorder.begun)
    });
    // A case that has not had its turn yet is taken to be like the others.
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
    let of_suite = Methodology {
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
        None => of_suite,
        // How it sends, waits and times is its own affair, and said by nobody.
        Some(_) => {
            let own = || Slug::from_name("own");
            let payload = PAYLOAD.to_owned();
            Methodology { send: own(), receive: own(), clock: own(), storage: own(), payload, ..of_suite }
        }
    }
}
