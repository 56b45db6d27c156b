//! A simple model of the queue, and a test that the database queue behaves the same for random operations.

use super::{Lab, LabAgent, sha};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use roundtrip_storage::job::lease::ATTEMPTS_MAX;
use roundtrip_wire::lab::Assignment;
use serde_json::json;

/// A job in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Queued,
    /// An agent has the job, and its lease may have expired.
    Running {
        is_expired: bool,
    },
    Done,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug)]
pub(super) struct ModelJob {
    pub(super) project: usize,
    /// None: any machine.
    pub(super) machine: Option<usize>,
    pub(super) commit: u64,
    /// Whether a user requested it.
    is_urgent: bool,
    turn: i64,
    pub(super) status: Status,
    attempt: i16,
    pub(super) fence: i64,
    /// The current or last agent.
    agent: usize,
}

/// No agent.
const NO_AGENT: usize = usize::MAX;

/// The specified behaviour of the queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) jobs: Vec<ModelJob>,
}

impl ModelJob {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.status, Status::Queued | Status::Running { .. })
    }

    fn is_claimable(&self) -> bool {
        matches!(self.status, Status::Queued | Status::Running { is_expired: true })
            && self.attempt < ATTEMPTS_MAX
    }
}

impl Model {
    /// Queues a job for a commit; `None` if the same job is already open.
    pub(super) fn request(
        &mut self,
        project: usize,
        machine: Option<usize>,
        commit: u64,
        is_urgent: bool,
    ) -> Option<usize> {
        let is_same =
            |job: &ModelJob| job.project == project && job.machine == machine && job.commit == commit;
        if self.jobs.iter().any(|job| job.is_open() && is_same(job)) {
            return None;
        }
        let open = || self.jobs.iter().filter(|job| job.is_open() && job.machine == machine);
        let own = open().filter(|job| job.project == project).map(|job| job.turn).max().unwrap_or(-1);
        let first =
            open().filter(|job| job.status == Status::Queued).map(|job| job.turn).min().unwrap_or(0) - 1;
        let job = ModelJob {
            project,
            machine,
            commit,
            is_urgent,
            turn: 1 + own.max(first),
            status: Status::Queued,
            attempt: 0,
            fence: 0,
            agent: NO_AGENT,
        };
        self.jobs.push(job);
        Some(self.jobs.len() - 1)
    }

    /// Claims the next job for an agent, which runs on the machine with the same number.
    pub(super) fn claim(&mut self, agent: usize) -> Option<(usize, i64)> {
        let is_for = |job: &ModelJob| job.machine.is_none_or(|machine| machine == agent);
        let takeable = self.jobs.iter().enumerate().filter(|(_, job)| job.is_claimable() && is_for(job));
        let (index, _) = takeable.min_by_key(|(index, job)| (!job.is_urgent, job.turn, *index))?;
        let job = &mut self.jobs[index];
        job.status = Status::Running { is_expired: false };
        job.agent = agent;
        job.attempt += 1;
        job.fence += 1;
        Some((index, job.fence))
    }

    fn is_held(&self, agent: usize, (index, fence): (usize, i64)) -> bool {
        let job = &self.jobs[index];
        job.is_open() && job.fence == fence && job.agent == agent
    }

    pub(super) fn heartbeat(&mut self, agent: usize, held: (usize, i64)) -> bool {
        let is_held = self.is_held(agent, held);
        if is_held {
            self.jobs[held.0].status = Status::Running { is_expired: false };
        }
        is_held
    }

    /// Ends a lease. Returns whether the agent held it.
    pub(super) fn finish(&mut self, agent: usize, held: (usize, i64), status: Status) -> bool {
        let is_held = self.is_held(agent, held);
        if is_held {
            let job = &mut self.jobs[held.0];
            if status == Status::Queued {
                job.attempt -= 1;
                job.agent = NO_AGENT;
            }
            job.status = status;
        }
        is_held
    }

    pub(super) fn cancel(&mut self, index: usize) {
        if self.jobs[index].is_open() {
            self.jobs[index].status = Status::Cancelled;
        }
    }

    pub(super) fn expire(&mut self) {
        for job in &mut self.jobs {
            if let Status::Running { is_expired } = &mut job.status {
                *is_expired = true;
            }
        }
    }

    pub(super) fn sweep(&mut self) {
        for job in &mut self.jobs {
            if job.status == (Status::Running { is_expired: true }) {
                job.status = if job.attempt >= ATTEMPTS_MAX { Status::Failed } else { Status::Queued };
            }
        }
    }
}

/// An operation on the queue. Numbers are taken modulo the number of existing entries.
#[derive(Clone, Debug)]
enum Operation {
    Request { project: usize, machine: Option<usize>, commit: u64, is_urgent: bool },
    Claim { agent: usize },
    Heartbeat { lease: usize },
    Finish { lease: usize, status: Status },
    Cancel { job: usize },
    Expire,
    Sweep,
}

const AGENTS: usize = 3;
const PROJECTS: [&str; 2] = ["libfoo", "another"];

fn operation() -> impl Strategy<Value = Operation> {
    let machine = prop::option::of(0..AGENTS);
    let request = (0..PROJECTS.len(), machine, 0..6_u64, any::<bool>());
    let status = prop_oneof![3 => Just(Status::Done), 1 => Just(Status::Failed), 1 => Just(Status::Queued)];
    prop_oneof![
        8 => request.prop_map(|(project, machine, commit, is_urgent)| Operation::Request { project, machine, commit, is_urgent }),
        8 => (0..AGENTS).prop_map(|agent| Operation::Claim { agent }),
        3 => (0..1000_usize).prop_map(|lease| Operation::Heartbeat { lease }),
        6 => (0..1000_usize, status).prop_map(|(lease, status)| Operation::Finish { lease, status }),
        1 => (0..1000_usize).prop_map(|job| Operation::Cancel { job }),
        2 => Just(Operation::Expire),
        2 => Just(Operation::Sweep),
    ]
}

/// The model and the database queue.
struct QueuePair<'a> {
    lab: &'a Lab,
    agents: &'a [LabAgent],
    model: Model,
    /// The database ids of the model's jobs.
    ids: Vec<i64>,
    /// All leases ever granted: agent, job index and assignment.
    leases: Vec<(usize, usize, Assignment)>,
    /// Leases that ended successfully. Repeating the same outcome is accepted.
    ended: Vec<(usize, Status)>,
}

impl QueuePair<'_> {
    async fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Request { project, machine, commit, is_urgent } => {
                let expected = self.model.request(project, machine, commit, is_urgent);
                let mut body =
                    json!({"commits": [sha(commit)], "is_push": !is_urgent, "on_any": machine.is_none()});
                if let Some(machine) = machine {
                    body["machines"] = json!([format!("lab-{machine}")]);
                }
                let found = self.lab.request(PROJECTS[project], body).await;
                assert_eq!(found.len(), usize::from(expected.is_some()));
                self.ids.extend(found);
            }
            Operation::Claim { agent } => {
                let expected = self.model.claim(agent);
                let found = self.lab.claim(&self.agents[agent]).await;
                let named = found.as_ref().map(|job| (job.job_id, job.fence));
                assert_eq!(named, expected.map(|(index, fence)| (self.ids[index], fence)));
                self.leases.extend(expected.zip(found).map(|((index, _), job)| (agent, index, job)));
            }
            Operation::Heartbeat { lease } => {
                let Some((agent, index, job)) = self.lease(lease) else { return };
                let expected = self.model.heartbeat(agent, (index, job.fence));
                let found = self.lab.heartbeat(&self.agents[agent], &job).await;
                let own = &self.model.jobs[index];
                assert_eq!(found.status == 200, expected, "{job:?} of {own:?}: {found:?}");
            }
            Operation::Finish { lease, status } => {
                let Some((agent, index, job)) = self.lease(lease) else { return };
                let key = lease % self.leases.len();
                let is_repeated = self.ended.contains(&(key, status));
                let expected = self.model.finish(agent, (index, job.fence), status);
                if expected {
                    self.ended.retain(|(other, _)| *other != key);
                    self.ended.push((key, status));
                }
                let outcome = match status {
                    Status::Done => "done",
                    Status::Failed => "failed",
                    _ => "released",
                };
                let found = self.lab.finish(&self.agents[agent], &job, outcome).await;
                assert_eq!(found.status == 204, expected || is_repeated, "{found:?}");
            }
            Operation::Cancel { job } => {
                let Some(index) = (!self.ids.is_empty()).then(|| job % self.ids.len()) else { return };
                self.model.cancel(index);
                let project = PROJECTS[self.model.jobs[index].project];
                let path = format!("/api/v1/projects/{project}/jobs/{}", self.ids[index]);
                assert_eq!(self.lab.delete(&path).await.status, 204);
            }
            Operation::Expire => {
                self.model.expire();
                self.lab.expire().await;
            }
            Operation::Sweep => {
                self.model.sweep();
                self.lab.sweep().await;
            }
        }
    }

    fn lease(&self, number: usize) -> Option<(usize, usize, Assignment)> {
        (!self.leases.is_empty()).then(|| self.leases[number % self.leases.len()].clone())
    }

    /// Asserts that all jobs are equal in the database and the model.
    async fn assert_equal(&self) {
        let found: Vec<(i64, String, i64, i16)> =
            self.lab.app.rows("select job_id, status, fence, attempt from job order by job_id").await;
        let name = |status: Status| match status {
            Status::Queued => "queued",
            Status::Running { .. } => "running",
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        };
        let expected = self.ids.iter().zip(&self.model.jobs);
        let expected: Vec<_> =
            expected.map(|(id, job)| (*id, name(job.status).to_owned(), job.fence, job.attempt)).collect();
        assert_eq!(found, expected);
    }
}

#[database_test]
async fn queue_matches_the_model(lab: Lab) {
    lab.project("another").await;
    let agents = lab.agents(AGENTS, &[]).await;
    // The same sequences each time, so that failures are reproducible.
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    for _ in 0..4 {
        lab.app.execute("truncate job cascade").await;
        let sequence = prop::collection::vec(operation(), 250..=250).new_tree(&mut runner).unwrap().current();
        let (model, ids, leases, ended) = Default::default();
        let mut pair = QueuePair { lab: &lab, agents: &agents, model, ids, leases, ended };
        for (step, operation) in sequence.into_iter().enumerate() {
            pair.apply(operation).await;
            if step % 25 == 0 {
                pair.assert_equal().await;
            }
        }
        pair.assert_equal().await;
        assert!(pair.leases.len() > 20, "too few leases");
    }
}
