//! Runs a plan: repetitions of all cases in one random order, each in fresh processes.
//!
//! The calling process never measures; it sleeps while its children do. Repetitions of different cases are
//! interleaved, so that a drift of the machine spreads over all of them instead of falling on the last ones.

use crate::definition::{Plan, PlannedCase};
use crate::environment;
use crate::mechanism::Mechanism;
use crate::scratch;
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
mod program;
mod program_process;
mod support;
mod totals;
mod validate;

pub use crate::peer_command::PeerCommand;
pub use support::{asks_programs, support, takes_part};

/// What has happened, for whoever shows progress. Nothing is reported while a clock runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// The peers of a repetition are connected and measure now; their process ids.
    Measuring(&'a [u32]),
    /// Another repetition is over.
    Repetition {
        /// Which case.
        case: &'a PlannedCase,
        /// Repetitions that are over.
        done: u64,
        /// Those still to come, if every case needs all of its repetitions.
        left_max: u64,
        /// How long these take, as the earlier ones of the same cases did.
        time_left_max: Duration,
    },
}

/// All that a run measured.
#[derive(Debug)]
pub struct Outcome<R = CaseResult> {
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
    pub results: Vec<R>,
}

struct Beginning {
    environment: Environment,
    canaries: Vec<Canary>,
    started_at: DateTime<Utc>,
}

impl Beginning {
    /// Tidies up after others, and looks at the machine.
    fn of(peer: &PeerCommand) -> Self {
        scratch::sweep();
        let environment = environment::environment();
        let canaries = canaries::measure(peer);
        Self { environment, canaries, started_at: Utc::now() }
    }

    /// All of it, once the last repetition has ended.
    fn end<R>(self, order_seed: u64, results: Vec<R>) -> Outcome<R> {
        let Self { environment, canaries, started_at } = self;
        Outcome { environment, canaries, order_seed, started_at, finished_at: Utc::now(), results }
    }
}

/// Runs all of a plan. What fails or is unsupported is in the outcome; nothing stops the rest.
pub fn run(plan: &Plan, peer: &PeerCommand, order_seed: u64, observe: &mut dyn FnMut(Event<'_>)) -> Outcome {
    let ControlFlow::Continue(outcome) = run_until(plan, peer, order_seed, &mut |event| {
        observe(event);
        ControlFlow::<Infallible>::Continue(())
    });
    outcome
}

/// [`run()`], until `observe` wants no more. The repetition that is under way comes to its end first, so no process is
/// left; of what was measured until then nothing is told.
pub fn run_until<B>(
    plan: &Plan,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Event<'_>) -> ControlFlow<B>,
) -> ControlFlow<B, Outcome> {
    let beginning = Beginning::of(peer);
    let mut all: Vec<CaseRecorder<'_>> = plan.cases.iter().map(CaseRecorder::new).collect();
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut done = 0;
    // Each round repeats every case that is not settled yet once, in an order of its own.
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
    ControlFlow::Continue(beginning.end(order_seed, results))
}

/// One repetition, by the peers of this suite or by a program of somebody else.
fn repetition(
    case: &PlannedCase,
    peer: &PeerCommand,
    deadline: Duration,
    measuring: &mut dyn FnMut(&[u32]),
) -> Result<Measured, NotMeasured> {
    match &case.transport {
        Mechanism::Suite(_) => Measured::of_peers(case, peers::run(case, peer, deadline, measuring)?),
        Mechanism::Program(own) => program::run(case, own, peer, deadline, measuring),
    }
}
