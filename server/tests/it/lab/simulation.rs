//! Simulates the queue and agents' spools under faults, in a million reproducible steps: agents crash at any moment
//! and lose unsynced data, requests and responses are lost, the server is down, leases expire, and jobs are
//! cancelled. The server is [`super::model`], which another test compares with the database.

use super::model::{Model, Status};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

const STEPS: usize = 1_000_000;
const AGENTS: usize = 4;
const PROJECTS: usize = 3;
/// The maximum number of open jobs. More would only slow down the steps.
const OPEN_MAX: usize = 12;
/// The number of steps after which finished state is checked and dropped.
const EPOCH: usize = 2_000;

/// The id of a run.
type Run = u64;

/// A report on an agent's disk.
#[derive(Clone, Copy, Debug)]
struct Report {
    run: Run,
    lease: (usize, i64),
}

/// The phase of an agent, which is lost in a crash.
#[derive(Clone, Debug)]
enum Phase {
    Idle,
    /// Measuring, with the number of repetitions left.
    Measuring {
        lease: (usize, i64),
        left: u8,
    },
    /// The report is in a temporary file, not synced.
    Written(Report),
    /// The file is synced, not renamed.
    Forced(Report),
    /// The file is renamed, but the folder is not synced. After a crash, the file may be missing.
    Renamed(Report),
    /// The report is durable. From here on, it must not be lost.
    Spooled,
    /// All reports are acknowledged. The job must be ended.
    Ending {
        lease: (usize, i64),
    },
}

#[derive(Debug)]
struct Agent {
    phase: Phase,
    /// Reports on its disk.
    spool: BTreeMap<Run, Report>,
    /// Acknowledged reports that are not deleted yet.
    acknowledged: BTreeSet<Run>,
}

/// The simulation, with the state for checking its invariants.
struct Simulation {
    random: StdRng,
    model: Model,
    is_down: bool,
    agents: Vec<Agent>,
    runs: Run,
    /// Stored runs, and whether they are superseded.
    stored: BTreeMap<Run, bool>,
    /// Runs that were durable on a disk.
    durable: BTreeSet<Run>,
    /// Jobs that ended as done, each once.
    done: BTreeSet<usize>,
    /// The newest observed fence of each job.
    fences: BTreeMap<usize, i64>,
    counts: BTreeMap<&'static str, u64>,
}

/// The fate of a message.
enum Delivery {
    Delivered,
    /// The server never receives it.
    RequestLost,
    /// The server handled the request, but the response is lost.
    AnswerLost,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let agent = || Agent { phase: Phase::Idle, spool: BTreeMap::new(), acknowledged: BTreeSet::new() };
        Self {
            random: StdRng::seed_from_u64(seed),
            model: Model::default(),
            is_down: false,
            agents: std::iter::repeat_with(agent).take(AGENTS).collect(),
            runs: 0,
            stored: BTreeMap::new(),
            durable: BTreeSet::new(),
            done: BTreeSet::new(),
            fences: BTreeMap::new(),
            counts: BTreeMap::new(),
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn chance(&mut self, of: u32) -> bool {
        self.random.random_range(0..of) == 0
    }

    fn delivery(&mut self, is_calm: bool) -> Delivery {
        if self.is_down {
            return Delivery::RequestLost;
        }
        match self.random.random_range(0..20) {
            0 if !is_calm => Delivery::RequestLost,
            1 if !is_calm => Delivery::AnswerLost,
            _ => Delivery::Delivered,
        }
    }

    fn step(&mut self) {
        let open = self.model.jobs.iter().filter(|job| job.is_open()).count();
        match self.random.random_range(0..100) {
            0..6 if open < OPEN_MAX => {
                let machine = self.chance(2).then(|| self.random.random_range(0..AGENTS));
                let project = self.random.random_range(0..PROJECTS);
                let (commit, is_urgent) = (self.random.next_u64(), self.chance(4));
                self.model.request(project, machine, commit, is_urgent);
                self.count("requested");
            }
            6 => {
                // Rarely, so that the server is up most of the time.
                if self.is_down || self.chance(4) {
                    self.is_down = !self.is_down;
                    self.count("server stopped or started");
                }
            }
            7 => {
                if self.chance(3) && !self.is_down {
                    self.model.expire();
                    self.count("leases expired");
                }
            }
            8..10 if !self.is_down => self.model.sweep(),
            10 if self.chance(5) => {
                let jobs: Vec<usize> =
                    (0..self.model.jobs.len()).filter(|&index| self.model.jobs[index].is_open()).collect();
                if let Some(&index) = jobs.choose(&mut self.random) {
                    self.model.cancel(index);
                    self.count("cancelled");
                }
            }
            11..14 => {
                let number = self.random.random_range(0..AGENTS);
                self.crash(number);
            }
            _ => {
                let number = self.random.random_range(0..AGENTS);
                self.work(number, false);
            }
        }
        self.check();
    }

    /// Kills an agent and restarts it with the data on its disk.
    fn crash(&mut self, number: usize) {
        if let Phase::Renamed(report) = self.agents[number].phase.clone() {
            // The rename may have reached the disk without a sync.
            if self.chance(2) {
                self.durable.insert(report.run);
                self.agents[number].spool.insert(report.run, report);
            }
        }
        let agent = &mut self.agents[number];
        agent.phase = if agent.spool.is_empty() { Phase::Idle } else { Phase::Spooled };
        // Acknowledgements are only in memory.
        agent.acknowledged.clear();
        self.count("agent crashed");
    }

    /// Performs the next step of an agent.
    fn work(&mut self, number: usize, is_calm: bool) {
        let phase = self.agents[number].phase.clone();
        self.agents[number].phase = match phase {
            Phase::Idle => self.claim(number, is_calm),
            Phase::Measuring { lease, left } => self.measure(number, lease, left, is_calm),
            Phase::Written(report) => Phase::Forced(report),
            Phase::Forced(report) => Phase::Renamed(report),
            Phase::Renamed(report) => {
                self.durable.insert(report.run);
                self.agents[number].spool.insert(report.run, report);
                self.count("spooled");
                Phase::Spooled
            }
            Phase::Spooled => self.deliver(number, is_calm),
            Phase::Ending { lease } => self.end(number, lease, is_calm),
        };
    }

    fn claim(&mut self, number: usize, is_calm: bool) -> Phase {
        let delivery = self.delivery(is_calm);
        if matches!(delivery, Delivery::RequestLost) {
            return Phase::Idle;
        }
        let taken = self.model.claim(number);
        if let Some((index, fence)) = taken {
            let before = self.fences.insert(index, fence);
            assert!(before.is_none_or(|before| before < fence), "a fence did not grow");
        }
        match (taken, delivery) {
            (Some(lease), Delivery::Delivered) => {
                self.count("claimed");
                Phase::Measuring { lease, left: self.random.random_range(1..4) }
            }
            // The agent does not know that it has the job, so the lease expires.
            (Some(_), _) => {
                self.count("claim answer lost");
                Phase::Idle
            }
            (None, _) => Phase::Idle,
        }
    }

    fn measure(&mut self, number: usize, lease: (usize, i64), left: u8, is_calm: bool) -> Phase {
        if left > 0 {
            return match self.delivery(is_calm) {
                // It continues measuring without the server.
                Delivery::RequestLost => Phase::Measuring { lease, left: left - 1 },
                Delivery::Delivered if !self.model.heartbeat(number, lease) => {
                    self.count("lease lost while measuring");
                    Phase::Idle
                }
                Delivery::Delivered | Delivery::AnswerLost => Phase::Measuring { lease, left: left - 1 },
            };
        }
        self.runs += 1;
        Phase::Written(Report { run: self.runs, lease })
    }

    /// Sends spooled reports in order, and deletes each when it is acknowledged.
    fn deliver(&mut self, number: usize, is_calm: bool) -> Phase {
        if let Some(run) = self.agents[number].acknowledged.pop_first() {
            let report = self.agents[number].spool.remove(&run);
            assert!(self.stored.contains_key(&run), "a deleted report is not stored");
            return match report {
                Some(report) if self.agents[number].spool.is_empty() => Phase::Ending { lease: report.lease },
                _ => Phase::Spooled,
            };
        }
        let Some((&run, &report)) = self.agents[number].spool.iter().next() else { return Phase::Idle };
        let delivery = self.delivery(is_calm);
        if matches!(delivery, Delivery::RequestLost) {
            return Phase::Spooled;
        }
        let (index, fence) = report.lease;
        let is_superseded = fence < self.model.jobs[index].fence;
        // A repeated upload changes nothing.
        let is_new = !self.stored.contains_key(&run);
        self.stored.entry(run).or_insert(is_superseded);
        self.count(match (is_new, is_superseded) {
            (false, _) => "sent again",
            (true, true) => "stored superseded",
            (true, false) => "stored",
        });
        if matches!(delivery, Delivery::Delivered) {
            self.agents[number].acknowledged.insert(run);
        }
        Phase::Spooled
    }

    fn end(&mut self, number: usize, lease: (usize, i64), is_calm: bool) -> Phase {
        let delivery = self.delivery(is_calm);
        if matches!(delivery, Delivery::RequestLost) {
            return Phase::Ending { lease };
        }
        let is_over = !self.model.jobs[lease.0].is_open();
        if self.model.finish(number, lease, Status::Done) {
            assert!(self.done.insert(lease.0), "a job was done twice");
            self.count("done");
        } else if !is_over {
            self.count("late result rejected");
        }
        if matches!(delivery, Delivery::Delivered) { Phase::Idle } else { Phase::Ending { lease } }
    }

    /// Checks the invariants of every moment.
    fn check(&self) {
        for agent in &self.agents {
            for run in &agent.acknowledged {
                assert!(self.stored.contains_key(run), "run {run} was acknowledged and is not stored");
            }
        }
    }

    /// Checks that without further faults, all durable runs are stored, every job ends and every agent is idle.
    fn settle(&mut self) {
        self.is_down = false;
        for _ in 0..20_000 {
            for number in 0..AGENTS {
                self.work(number, true);
            }
            let is_idle = |agent: &Agent| matches!(agent.phase, Phase::Idle) && agent.spool.is_empty();
            if self.agents.iter().all(is_idle) {
                // Jobs of crashed agents are claimed again.
                self.model.expire();
                self.model.sweep();
                if self.model.jobs.iter().all(|job| !job.is_open()) {
                    break;
                }
            }
        }
        assert!(self.model.jobs.iter().all(|job| !job.is_open()), "a job is left over");
        for run in &self.durable {
            assert!(self.stored.contains_key(run), "run {run} was on a disk and is lost");
        }
        assert!(
            self.stored.keys().all(|run| self.durable.contains(run)),
            "a run is stored that was on no disk"
        );
        let done = |index: usize| self.model.jobs[index].status == Status::Done;
        assert_eq!(
            (0..self.model.jobs.len()).filter(|&index| done(index)).collect::<BTreeSet<_>>(),
            self.done
        );
        // Everything is correct, so drop it.
        self.model.jobs.clear();
        self.durable.clear();
        self.stored.clear();
        self.done.clear();
        self.fences.clear();
    }
}

#[test]
fn no_loss_or_duplicates_in_a_million_steps() {
    let mut simulation = Simulation::new(0x726f_756e_6474_7269);
    for step in 1..=STEPS {
        simulation.step();
        if step % EPOCH == 0 {
            simulation.settle();
        }
    }
    let counts = &simulation.counts;
    println!("{STEPS} steps: {counts:?}");
    for what in [
        "agent crashed",
        "cancelled",
        "done",
        "late result rejected",
        "lease lost while measuring",
        "sent again",
        "stored superseded",
        "claim answer lost",
        "leases expired",
        "server stopped or started",
    ] {
        assert!(counts.get(what).copied().unwrap_or_default() > 100, "{what} hardly happened: {counts:?}");
    }
}
