//! Runs a plan: repetitions of all cases in one random order, each in fresh processes.
//!
//! The calling process never measures; it sleeps while its children run. Repetitions of different cases are
//! interleaved, so that a drift of the machine spreads over all of them instead of affecting only the last ones.

use crate::definition::{Plan, PlannedCase};
use crate::environment;
use crate::mechanism::Mechanism;
use crate::scratch;
use crate::sys::sysv;
use case_recorder::CaseRecorder;
use chrono::{DateTime, Utc};
use measured::{Measured, NotMeasured};
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_wire::{Canary, CaseResult, Environment};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub mod ab;
mod canaries;
mod case_recorder;
mod child;
mod measured;
mod paired;
pub mod peers;
mod placement;
mod probed;
mod program;
mod program_process;
mod support;
mod totals;
mod validate;

pub use crate::peer_command::PeerCommand;
pub use probed::{Inside, Probed, probed};
pub use support::{support, supports_programs, takes_part};

/// Progress events, never emitted while a clock runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// The peers of a repetition are connected and start to measure; their process ids.
    Measuring(&'a [u32]),
    /// A repetition has finished.
    Repetition {
        /// The case.
        case: &'a PlannedCase,
        /// Finished repetitions.
        done: u64,
        /// Remaining repetitions, if every case needs all of them.
        left_max: u64,
        /// Estimated duration of those, from earlier repetitions.
        time_left_max: Duration,
    },
}

/// The results of a run.
#[derive(Debug)]
pub struct Outcome<R = CaseResult> {
    /// Fingerprint at the start.
    pub environment: Environment,
    /// Canary benchmarks of the machine.
    pub canaries: Vec<Canary>,
    /// Seed for the order of the repetitions.
    pub order_seed: u64,
    /// Start of the first repetition.
    pub started_at: DateTime<Utc>,
    /// End of the last repetition.
    pub finished_at: DateTime<Utc>,
    /// One entry per case, in the order of the plan.
    pub results: Vec<R>,
}

struct RunStart {
    environment: Environment,
    canaries: Vec<Canary>,
    started_at: DateTime<Utc>,
}

impl RunStart {
    /// Removes leftovers of earlier runs, and reads the environment and canaries.
    fn new(peer: &PeerCommand) -> Self {
        scratch::sweep();
        sysv::sweep();
        let environment = environment::environment();
        let canaries = canaries::measure(peer);
        Self { environment, canaries, started_at: Utc::now() }
    }

    /// Builds the outcome after the last repetition.
    fn end<R>(self, order_seed: u64, results: Vec<R>) -> Outcome<R> {
        let Self { environment, canaries, started_at } = self;
        Outcome { environment, canaries, order_seed, started_at, finished_at: Utc::now(), results }
    }
}

/// Runs a whole plan. Failed and unsupported cases are in the outcome and do not stop the rest.
pub fn run(plan: &Plan, peer: &PeerCommand, order_seed: u64, observe: &mut dyn FnMut(Event<'_>)) -> Outcome {
    let ControlFlow::Continue(outcome) = run_until(plan, peer, order_seed, &mut |event| {
        observe(event);
        ControlFlow::<Infallible>::Continue(())
    });
    outcome
}

/// [`run()`] until `observe` breaks. The current repetition finishes first, so no process is left; the results so far
/// are discarded.
pub fn run_until<B>(
    plan: &Plan,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Event<'_>) -> ControlFlow<B>,
) -> ControlFlow<B, Outcome> {
    let start = RunStart::new(peer);
    let mut all: Vec<CaseRecorder<'_>> = plan.cases.iter().map(CaseRecorder::new).collect();
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut done = 0;
    // Each round runs every unfinished case once, in a new random order.
    loop {
        let mut round: Vec<usize> = (0..all.len()).filter(|&index| all[index].left_max() > 0).collect();
        if round.is_empty() {
            break;
        }
        round.shuffle(&mut random);
        for index in round {
            let began = Instant::now();
            let recorder = &mut all[index];
            let mut wanted = ControlFlow::Continue(());
            let measured = repetition(&recorder.next(), peer, plan.deadline, &mut |pids| {
                wanted = observe(Event::Measuring(pids));
            });
            wanted?;
            recorder.add(measured, began.elapsed());
            done += 1;
            let (left_max, time_left_max) = case_recorder::left(&all);
            observe(Event::Repetition { case: &plan.cases[index], done, left_max, time_left_max })?;
        }
    }

    let results = all.into_iter().map(CaseRecorder::into_result).collect();
    ControlFlow::Continue(start.end(order_seed, results))
}

/// Runs one repetition, with peers of this suite or with an external program.
fn repetition(
    case: &PlannedCase,
    peer: &PeerCommand,
    deadline: Duration,
    measuring: &mut dyn FnMut(&[u32]),
) -> Result<Measured, NotMeasured> {
    match &case.transport {
        Mechanism::Suite(_) => Measured::from_peers(case, peers::run(case, peer, deadline, measuring)?),
        Mechanism::Program(own) => program::run(case, own, peer, deadline, measuring),
    }
}
