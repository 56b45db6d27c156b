//! Runs a plan: repetitions of all cases in one random order, each in fresh processes.
//!
//! The calling process never measures; it sleeps while its children do. Repetitions of different cases are
//! interleaved, so that a drift of the machine spreads over all of them instead of falling on the last ones.

use crate::definition::{Mode, Placement, Plan, PlannedCase};
use crate::sys::{Unsupported, affinity, clock};
use crate::{PROTOCOL_VERSION, canary, environment};
use chrono::{DateTime, Utc};
use pair::PairReport;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_stats::Distribution;
use roundtrip_wire::{Canary, Case, CaseResult, Environment, Failure, Methodology, Repetition, Slug};
use std::path::PathBuf;

pub mod pair;
pub mod scratch;

/// After this many failed repetitions a case is given up: a hung peer costs a whole deadline each time.
const FAILURES_MAX: usize = 2;

/// The command that runs a peer ([`crate::peer::main`]).
#[derive(Clone, Debug)]
pub struct PeerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What has happened, for whoever shows progress. Nothing is reported while a clock runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// The peers of a repetition are connected and measure now; their process ids.
    Measuring(&'a [u32]),
    /// Another repetition is over, of this many.
    Repetition {
        /// Which case.
        case: &'a PlannedCase,
        /// Repetitions that are over, skipped ones included.
        done: u64,
        /// All of them.
        total: u64,
    },
}

/// All that a run measured.
#[derive(Debug)]
pub struct Outcome {
    /// Fingerprint when it began.
    pub environment: Environment,
    /// The machine's own readings.
    pub canaries: Vec<Canary>,
    /// From this the order of the repetitions was drawn.
    pub order_seed: u64,
    /// When the first repetition began.
    pub started_at: DateTime<Utc>,
    /// When the last one ended.
    pub finished_at: DateTime<Utc>,
    /// One entry a case, in the order of the plan.
    pub results: Vec<CaseResult>,
}

/// Runs all of a plan. What fails or is unsupported is in the outcome; nothing stops the rest.
pub fn run(plan: &Plan, peer: &PeerCommand, order_seed: u64, observe: &mut dyn FnMut(Event<'_>)) -> Outcome {
    scratch::sweep();
    let environment = environment::environment();
    let canaries = canary::measure();
    let started_at = Utc::now();

    let mut gathered: Vec<Gathered> = plan
        .cases
        .iter()
        .map(|case| Gathered { unsupported: support(case).err(), ..Gathered::default() })
        .collect();
    let mut order: Vec<(u32, usize)> = Vec::new();
    let mut random = StdRng::seed_from_u64(order_seed);
    for repetition in 0..plan.cases.iter().map(|case| case.repetitions).max().unwrap_or(0) {
        let mut round: Vec<usize> =
            (0..plan.cases.len()).filter(|&case| repetition < plan.cases[case].repetitions).collect();
        round.shuffle(&mut random);
        order.extend(round.into_iter().map(|case| (repetition, case)));
    }
    let total = order.len() as u64;
    for (done, (repetition, index)) in (1..).zip(order) {
        let (case, gathered) = (&plan.cases[index], &mut gathered[index]);
        if gathered.unsupported.is_none() && gathered.failures.len() < FAILURES_MAX {
            match pair::run(case, peer, plan.deadline, &mut |pids| observe(Event::Measuring(pids)))
                .and_then(|report| to_repetition(case, repetition, report))
            {
                Ok(measured) => gathered.repetitions.push(measured),
                Err(reason) => gathered.failures.push(Failure { repetition, reason }),
            }
        }
        observe(Event::Repetition { case, done, total });
    }

    let results =
        plan.cases.iter().zip(gathered).map(|(case, gathered)| gathered.into_result(case)).collect();
    Outcome { environment, canaries, order_seed, started_at, finished_at: Utc::now(), results }
}

#[derive(Default)]
struct Gathered {
    repetitions: Vec<Repetition>,
    failures: Vec<Failure>,
    unsupported: Option<Unsupported>,
}

impl Gathered {
    fn into_result(self, case: &PlannedCase) -> CaseResult {
        CaseResult {
            transport: case.transport.info(),
            case: Case {
                scenario: Slug::from_name(case.scenario.slug()),
                message_bytes: case.work.message_bytes as u64,
                total_bytes: case.total_bytes,
                peers: 1,
                mode: Slug::from_name(case.mode.slug()),
                placement: Slug::from_name(case.placement.slug()),
            },
            methodology: methodology(case),
            repetitions: self.repetitions,
            failures: self.failures,
            counters: std::collections::BTreeMap::new(),
            unsupported: self.unsupported.map(|reason| reason.to_string()),
        }
    }
}

fn methodology(case: &PlannedCase) -> Methodology {
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    Methodology {
        protocol_version: PROTOCOL_VERSION,
        send: Slug::from_name("blocking"),
        receive: Slug::from_name(case.transport.receive()),
        on_full: Slug::from_name("wait"),
        window: 1,
        batch: number(case.work.batch),
        clock: Slug::from_name(clock::CLOCK),
        warmup: number(case.work.warmup),
        payload: case.scenario.payload().into(),
        storage: Slug::from_name("touched-after-start"),
    }
}

/// Whether this machine can run a case.
///
/// # Errors
/// The reason why not.
pub fn support(case: &PlannedCase) -> Result<(), Unsupported> {
    case.transport.support()?;
    match case.placement {
        Placement::SameCpu => affinity::allowed().map(|_| ()),
        Placement::CrossCpu => affinity::pair().map(|_| ()),
        Placement::Free => Ok(()),
    }
}

/// Turns what both ends said into one repetition, the statistical unit.
fn to_repetition(case: &PlannedCase, index: u32, report: PairReport) -> Result<Repetition, String> {
    let PairReport { initiator, responder } = report;
    let distribution = Distribution::of_samples(initiator.samples_ns).ok_or("no operation was recorded")?;
    let mut disturbed = Vec::new();
    if case.work.batch == 1 && distribution.quantile_ns(500_000) < 1_000 {
        disturbed
            .push("timed one by one although it takes less than 1 us: the clock's cost is part of it".into());
    }
    if case.mode == Mode::TwoProcesses && case.placement != Placement::Free {
        for (end, observation) in
            [("initiator", &initiator.observation), ("responder", &responder.observation)]
        {
            if observation.cpus_seen.len() > 1 {
                disturbed.push(format!("the {end} was pinned but seen on cpus {:?}", observation.cpus_seen));
            }
        }
    }
    Ok(Repetition {
        index,
        histogram: distribution.histogram_text(),
        samples: distribution.samples_text(),
        count: distribution.count(),
        min_ns: distribution.min_ns(),
        max_ns: distribution.max_ns(),
        sum_ns: distribution.sum_ns(),
        attempted: initiator.attempted,
        accepted: initiator.accepted,
        delivered: initiator.delivered + responder.delivered,
        out_of_order: initiator.out_of_order + responder.out_of_order,
        corrupted: initiator.corrupted + responder.corrupted,
        elapsed_ns: initiator.elapsed_ns,
        ends: vec![initiator.observation, responder.observation],
        disturbed,
    })
}
