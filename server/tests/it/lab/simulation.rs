//! The queue and the spool under everything that can go wrong, in a million steps that are the same each time: agents that die at
//! any moment and lose what was not on the disk yet, messages that are lost on their way there or back, a server that is away,
//! leases that expire, jobs that are cancelled. What the server does is [`super::model`]'s, which the database is held to.

use super::model::{Model, Status};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

const STEPS: usize = 1_000_000;
const AGENTS: usize = 4;
const PROJECTS: usize = 3;
/// Jobs that wait at most: more would only make the steps slower.
const OPEN_MAX: usize = 12;
/// After so many steps the past is forgotten, once all of it is well.
const EPOCH: usize = 2_000;

/// What was measured, by a number.
type Run = u64;

/// A report on an agent's disk.
#[derive(Clone, Copy, Debug)]
struct Report {
    run: Run,
    lease: (usize, i64),
}

/// What an agent is at. All of it is forgotten when it dies.
#[derive(Clone, Debug)]
enum At {
    Idle,
    /// It measures, so many repetitions more.
    Measuring {
        lease: (usize, i64),
        left: u8,
    },
    /// The report is in a file under another name, and not forced to the disk.
    Written(Report),
    /// It is forced to the disk, and not renamed.
    Forced(Report),
    /// It is renamed, and the folder is not forced to the disk: after a crash it is there or not.
    Renamed(Report),
    /// It is on the disk. What was measured is not to be lost from here on.
    Spooled,
    /// All is acknowledged, and the job is to be ended.
    Ending {
        lease: (usize, i64),
    },
}

#[derive(Debug)]
struct Agent {
    at: At,
    /// Reports on its disk.
    spool: BTreeMap<Run, Report>,
    /// What is acknowledged and still to be removed.
    acknowledged: BTreeSet<Run>,
}

/// The world, and what must be true of it.
struct World {
    random: StdRng,
    model: Model,
    is_away: bool,
    agents: Vec<Agent>,
    runs: Run,
    /// What the server has stored, and whether another agent had the job by then.
    stored: BTreeMap<Run, bool>,
    /// What was on a disk for good.
    durable: BTreeSet<Run>,
    /// Jobs that were ended as done, each once.
    done: BTreeSet<usize>,
    /// The newest fence of each job that was seen.
    fences: BTreeMap<usize, i64>,
    counts: BTreeMap<&'static str, u64>,
}

/// How a message fares.
enum Way {
    Through,
    /// The server never hears of it.
    LostThere,
    /// The server did what was asked, and the answer is lost.
    LostBack,
}

impl World {
    fn new(seed: u64) -> Self {
        let agent = || Agent { at: At::Idle, spool: BTreeMap::new(), acknowledged: BTreeSet::new() };
        Self {
            random: StdRng::seed_from_u64(seed),
            model: Model::default(),
            is_away: false,
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

    fn way(&mut self, is_calm: bool) -> Way {
        if self.is_away {
            return Way::LostThere;
        }
        match self.random.random_range(0..20) {
            0 if !is_calm => Way::LostThere,
            1 if !is_calm => Way::LostBack,
            _ => Way::Through,
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
                // So seldom that most of the time is not spent away.
                if self.is_away || self.chance(4) {
                    self.is_away = !self.is_away;
                    self.count("server went or came");
                }
            }
            7 => {
                if self.chance(3) && !self.is_away {
                    self.model.expire();
                    self.count("leases expired");
                }
            }
            8..10 if !self.is_away => self.model.sweep(),
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
                self.die(number);
            }
            _ => {
                let number = self.random.random_range(0..AGENTS);
                self.work(number, false);
            }
        }
        self.check();
    }

    /// An agent is killed, and comes again with what is on its disk.
    fn die(&mut self, number: usize) {
        if let At::Renamed(report) = self.agents[number].at.clone() {
            // The name may have reached the disk by itself.
            if self.chance(2) {
                self.durable.insert(report.run);
                self.agents[number].spool.insert(report.run, report);
            }
        }
        let agent = &mut self.agents[number];
        agent.at = if agent.spool.is_empty() { At::Idle } else { At::Spooled };
        // That something was acknowledged is in its memory alone.
        agent.acknowledged.clear();
        self.count("agent died");
    }

    /// An agent does the next thing.
    fn work(&mut self, number: usize, is_calm: bool) {
        let at = self.agents[number].at.clone();
        self.agents[number].at = match at {
            At::Idle => self.claim(number, is_calm),
            At::Measuring { lease, left } => self.measure(number, lease, left, is_calm),
            At::Written(report) => At::Forced(report),
            At::Forced(report) => At::Renamed(report),
            At::Renamed(report) => {
                self.durable.insert(report.run);
                self.agents[number].spool.insert(report.run, report);
                self.count("spooled");
                At::Spooled
            }
            At::Spooled => self.deliver(number, is_calm),
            At::Ending { lease } => self.end(number, lease, is_calm),
        };
    }

    fn claim(&mut self, number: usize, is_calm: bool) -> At {
        let way = self.way(is_calm);
        if matches!(way, Way::LostThere) {
            return At::Idle;
        }
        let taken = self.model.take(number);
        if let Some((index, fence)) = taken {
            let before = self.fences.insert(index, fence);
            assert!(before.is_none_or(|before| before < fence), "a fence did not grow");
        }
        match (taken, way) {
            (Some(lease), Way::Through) => {
                self.count("taken");
                At::Measuring { lease, left: self.random.random_range(1..4) }
            }
            // The job is the agent's, who does not know: its lease expires.
            (Some(_), _) => {
                self.count("taken unknowingly");
                At::Idle
            }
            (None, _) => At::Idle,
        }
    }

    fn measure(&mut self, number: usize, lease: (usize, i64), left: u8, is_calm: bool) -> At {
        if left > 0 {
            return match self.way(is_calm) {
                // Without the server it goes on measuring.
                Way::LostThere => At::Measuring { lease, left: left - 1 },
                Way::Through if !self.model.heartbeat(number, lease) => {
                    self.count("lease lost while measuring");
                    At::Idle
                }
                Way::Through | Way::LostBack => At::Measuring { lease, left: left - 1 },
            };
        }
        self.runs += 1;
        At::Written(Report { run: self.runs, lease })
    }

    /// Sends what waits, one after the other, and removes it when that is acknowledged.
    fn deliver(&mut self, number: usize, is_calm: bool) -> At {
        if let Some(run) = self.agents[number].acknowledged.pop_first() {
            let report = self.agents[number].spool.remove(&run);
            assert!(self.stored.contains_key(&run), "what is removed is not stored");
            return match report {
                Some(report) if self.agents[number].spool.is_empty() => At::Ending { lease: report.lease },
                _ => At::Spooled,
            };
        }
        let Some((&run, &report)) = self.agents[number].spool.iter().next() else { return At::Idle };
        let way = self.way(is_calm);
        if matches!(way, Way::LostThere) {
            return At::Spooled;
        }
        let (index, fence) = report.lease;
        let is_superseded = fence < self.model.jobs[index].fence;
        // The same again changes nothing.
        let is_new = !self.stored.contains_key(&run);
        self.stored.entry(run).or_insert(is_superseded);
        self.count(match (is_new, is_superseded) {
            (false, _) => "sent again",
            (true, true) => "stored superseded",
            (true, false) => "stored",
        });
        if matches!(way, Way::Through) {
            self.agents[number].acknowledged.insert(run);
        }
        At::Spooled
    }

    fn end(&mut self, number: usize, lease: (usize, i64), is_calm: bool) -> At {
        let way = self.way(is_calm);
        if matches!(way, Way::LostThere) {
            return At::Ending { lease };
        }
        let is_over = !self.model.jobs[lease.0].is_open();
        if self.model.finish(number, lease, Status::Done) {
            assert!(self.done.insert(lease.0), "a job was done twice");
            self.count("done");
        } else if !is_over {
            self.count("late word refused");
        }
        if matches!(way, Way::Through) { At::Idle } else { At::Ending { lease } }
    }

    /// What must be true at every moment.
    fn check(&self) {
        for agent in &self.agents {
            for run in &agent.acknowledged {
                assert!(self.stored.contains_key(run), "run {run} was acknowledged and is not stored");
            }
        }
    }

    /// What must be true once nothing goes wrong any more: all that was on a disk is stored, every job has ended, and nobody
    /// waits for anything.
    fn settle(&mut self) {
        self.is_away = false;
        for _ in 0..20_000 {
            for number in 0..AGENTS {
                self.work(number, true);
            }
            let is_idle = |agent: &Agent| matches!(agent.at, At::Idle) && agent.spool.is_empty();
            if self.agents.iter().all(is_idle) {
                // What was taken by an agent that died is taken again.
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
        // All of it was well: it is forgotten.
        self.model.jobs.clear();
        self.durable.clear();
        self.stored.clear();
        self.done.clear();
        self.fences.clear();
    }
}

#[test]
fn in_a_million_steps_nothing_measured_is_lost_or_stored_twice_and_no_job_is_done_twice() {
    let mut world = World::new(0x726f_756e_6474_7269);
    for step in 1..=STEPS {
        world.step();
        if step % EPOCH == 0 {
            world.settle();
        }
    }
    let counts = &world.counts;
    println!("{STEPS} steps: {counts:?}");
    for what in [
        "agent died",
        "cancelled",
        "done",
        "late word refused",
        "lease lost while measuring",
        "sent again",
        "stored superseded",
        "taken unknowingly",
        "leases expired",
        "server went or came",
    ] {
        assert!(counts.get(what).copied().unwrap_or_default() > 100, "{what} hardly happened: {counts:?}");
    }
}
