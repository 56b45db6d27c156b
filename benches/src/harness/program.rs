//! One repetition of a program: starts it, sends the case, pins the processes that it reports, lets it measure in one
//! or more parts, and validates its results. Kills all processes it has started.

use super::PeerCommand;
use super::measured::{Measured, NotMeasured};
use super::peers;
use super::placement;
use super::probed::Inside;
use super::program_process::ProgramProcess;
use super::totals::Totals;
use super::validate::{self, Seen};
use crate::definition::PlannedCase;
use crate::probe::Probe;
use crate::program::Program;
use crate::program::protocol::{Answer, Case, Request, VERSION};
use crate::sys::profiling::Sampler;
use crate::sys::tracing::{self, Tracer};
use crate::sys::{Unsupported, affinity, clock, descriptors, noise, usage};
use roundtrip_stats::Distribution;
use roundtrip_wire::EndObservation;
use std::collections::BTreeMap;
use std::time::Duration;

/// Runs one repetition in one part. `measuring` receives the process ids once both ends are connected.
pub(super) fn run(
    case: &PlannedCase,
    program: &Program,
    peer: &PeerCommand,
    deadline: Duration,
    measuring: &mut dyn FnMut(&[u32]),
) -> Result<Measured, NotMeasured> {
    let mut session = Starting::begin(case, case.work.operations, program, peer, deadline)?.connected()?;
    measuring(&session.ends);
    session.part()?;
    session.end()
}

/// A program that has received its case and is connecting.
pub(super) struct Starting<'a> {
    case: &'a PlannedCase,
    asked: Case,
    process: ProgramProcess,
}

impl<'a> Starting<'a> {
    /// Starts the program for a repetition with this many samples per part.
    pub(super) fn begin(
        case: &'a PlannedCase,
        samples: u64,
        program: &Program,
        peer: &PeerCommand,
        deadline: Duration,
    ) -> Result<Self, NotMeasured> {
        let asked = request(case, samples);
        let mut process = ProgramProcess::begin(program, peer, deadline)?;
        let line = serde_json::to_string(&Request { protocol: VERSION, case: asked.clone() })
            .map_err(|error| format!("cannot encode the case: {error}"))?;
        process.send_line(&line)?;
        Ok(Self { case, asked, process })
    }

    /// Waits until its ends are connected, and pins them.
    pub(super) fn connected(self) -> Result<Session, NotMeasured> {
        let Self { case, asked, mut process } = self;
        let connected = match process.wait_for_answer("`connected`")? {
            (Answer::Connected(connected), _) => connected,
            (other, _) => return Err(process.unexpected(&other, "`connected`")),
        };
        let ends = process.ends(case.mode, &connected)?;
        let cpus = placement::processors(case.placement, 2)?;
        for (&pid, cpu) in ends.iter().zip(&cpus) {
            if let Some(cpu) = *cpu {
                affinity::pin_process(pid, cpu).map_err(NotMeasured::Unsupported)?;
            }
        }
        let cpus = placement::used(&cpus);
        if case.probe == Some(Probe::Syscalls) {
            let shared_cpu = if let Some(&[cpu]) = cpus.as_deref() { Some(cpu) } else { None };
            let failed =
                |error| NotMeasured::Unsupported(Unsupported::because(format!("probe syscalls: {error}")));
            process.tracer = Some(Tracer::attach_in_detail(ends.clone(), shared_cpu).map_err(failed)?);
        }
        Ok(Session {
            is_probed: case.probe.is_some(),
            process,
            asked,
            facts: connected.facts,
            before: noise::Reading::now(cpus.as_deref()),
            used_before: ends.iter().map(|&pid| (usage::for_process(pid), affinity::threads(pid))).collect(),
            cpus,
            sampler: peers::sampler(case, &ends).map_err(NotMeasured::Unsupported)?,
            ends,
            measured: None,
        })
    }
}

pub(super) struct Session {
    is_probed: bool,
    process: ProgramProcess,
    asked: Case,
    facts: BTreeMap<String, String>,
    ends: Vec<u32>,
    sampler: Option<Sampler>,
    cpus: Option<Vec<u32>>,
    before: noise::Reading,
    used_before: Vec<(usage::Usage, Vec<affinity::Thread>)>,
    /// Results of the parts so far.
    measured: Option<(Vec<Distribution>, Totals)>,
}

impl Session {
    pub(super) fn part(&mut self) -> Result<u64, NotMeasured> {
        let process = &mut self.process;
        let go_ns = clock::now_ns();
        process.send_line("\"go\"")?;
        let (mut answer, mut at_ns) = process.wait_for_answer("`done`")?;
        let mut started_ns = None;
        if let Answer::Started(_) = answer {
            started_ns = Some(at_ns);
            (answer, at_ns) = process.wait_for_answer("`done`")?;
        }
        let Answer::Done(done) = answer else { return Err(process.unexpected(&answer, "`done`")) };
        let seen = Seen {
            all_ns: at_ns.saturating_sub(go_ns),
            timed_ns: started_ns.map(|started_ns| at_ns.saturating_sub(started_ns)),
        };
        let (distribution, totals) =
            validate::check(&self.asked, done, seen).map_err(|lie| process.failed(&lie))?;
        // The next part continues here, with a warm channel.
        self.asked = self.asked.next_part();
        let median_ns = distribution.median_ns();
        match &mut self.measured {
            None => self.measured = Some((vec![distribution], totals)),
            Some((parts, sum)) => {
                parts.push(distribution);
                sum.add(&totals);
            }
        }
        Ok(median_ns)
    }

    pub(super) fn end(mut self) -> Result<Measured, NotMeasured> {
        let conditions = noise::Reading::now(self.cpus.as_deref()).since(&self.before);
        let profile = self.sampler.map(Sampler::finish);
        let threads = self.process.tracer.take().map(Tracer::finish_in_detail).unwrap_or_default();
        let ends = self.ends.iter().zip(self.used_before);
        let end = |(&pid, before)| EndObservation {
            system_calls: tracing::of_process(&threads, pid),
            ..observation(pid, before)
        };
        let ends = ends.map(end).collect();
        let mut inside = Inside { threads, ..Inside::default() };
        for &pid in self.ends.iter().filter(|_| self.is_probed) {
            match descriptors::read(pid) {
                Ok(settings) => inside.settings.push(settings),
                Err(Unsupported(reason)) => inside.notes.push(reason),
            }
        }
        self.process.end();
        let measured = self.measured.and_then(|(parts, totals)| Some((Distribution::merged(parts)?, totals)));
        let (distribution, totals) = measured.ok_or_else(|| "no part measured".to_owned())?;
        Ok(Measured {
            distribution,
            totals: Totals { ends, ..totals },
            counters: BTreeMap::new(),
            facts: self.facts,
            disturbed: noise::reasons(&conditions),
            conditions,
            log_ratio_ppb: None,
            profile,
            inside,
        })
    }
}

fn request(case: &PlannedCase, samples: u64) -> Case {
    let work = &case.work;
    #[expect(clippy::cast_possible_truncation, reason = "any number will do, as long as repetitions differ")]
    let seed = work.size_seed as u32;
    Case {
        scenario: case.scenario.slug().to_owned(),
        mode: case.mode.slug().to_owned(),
        message_bytes: work.message_bytes as u64,
        messages_per_operation: work.messages_per_operation,
        batch: work.batch,
        window: work.window,
        samples,
        warmup_samples: work.warmup,
        seed,
    }
}

/// The system's counters for a process since `before`.
fn observation(pid: u32, (used, threads): (usage::Usage, Vec<affinity::Thread>)) -> EndObservation {
    EndObservation {
        cpus_seen: affinity::last_since(pid, &threads),
        ..usage::for_process(pid).since(used).into()
    }
}
