//! A plain model of the queue, and that the queue of the database does the same, whatever is asked of it in whatever order.

use super::{Lab, LabAgent, sha};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use roundtrip_storage::job::lease::ATTEMPTS_MAX;
use roundtrip_wire::lab::Assignment;
use serde_json::json;

/// What a job is, to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Queued,
    /// An agent has it, and its lease has expired or not.
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
    /// Whether a person asked for it.
    is_urgent: bool,
    turn: i64,
    pub(super) status: Status,
    attempt: i16,
    pub(super) fence: i64,
    /// Who has it, or had it last.
    agent: usize,
}

/// No agent.
const NOBODY: usize = usize::MAX;

/// The queue, as it is meant.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) jobs: Vec<ModelJob>,
}

impl ModelJob {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.status, Status::Queued | Status::Running { .. })
    }

    fn is_takeable(&self) -> bool {
        matches!(self.status, Status::Queued | Status::Running { is_expired: true })
            && self.attempt < ATTEMPTS_MAX
    }
}

impl Model {
    /// Asks for a commit. None: the same is open already.
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
        let beside = || self.jobs.iter().filter(|job| job.is_open() && job.machine == machine);
        let own = beside().filter(|job| job.project == project).map(|job| job.turn).max().unwrap_or(-1);
        let first =
            beside().filter(|job| job.status == Status::Queued).map(|job| job.turn).min().unwrap_or(0) - 1;
        let job = ModelJob {
            project,
            machine,
            commit,
            is_urgent,
            turn: 1 + own.max(first),
            status: Status::Queued,
            attempt: 0,
            fence: 0,
            agent: NOBODY,
        };
        self.jobs.push(job);
        Some(self.jobs.len() - 1)
    }

    /// Gives an agent, which has the machine of its number, its next job.
    pub(super) fn take(&mut self, agent: usize) -> Option<(usize, i64)> {
        let is_for = |job: &ModelJob| job.machine.is_none_or(|machine| machine == agent);
        let takeable = self.jobs.iter().enumerate().filter(|(_, job)| job.is_takeable() && is_for(job));
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

    /// Ends a lease; the first time.
    pub(super) fn finish(&mut self, agent: usize, held: (usize, i64), status: Status) -> bool {
        let is_held = self.is_held(agent, held);
        if is_held {
            let job = &mut self.jobs[held.0];
            if status == Status::Queued {
                job.attempt -= 1;
                job.agent = NOBODY;
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

/// What can be asked of a queue. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Asked {
    Request { project: usize, machine: Option<usize>, commit: u64, is_urgent: bool },
    Take { agent: usize },
    Heartbeat { lease: usize },
    Finish { lease: usize, status: Status },
    Cancel { job: usize },
    Expire,
    Sweep,
}

const AGENTS: usize = 3;
const PROJECTS: [&str; 2] = ["libfoo", "another"];

fn asked() -> impl Strategy<Value = Asked> {
    let machine = prop::option::of(0..AGENTS);
    let request = (0..PROJECTS.len(), machine, 0..6_u64, any::<bool>());
    let status = prop_oneof![3 => Just(Status::Done), 1 => Just(Status::Failed), 1 => Just(Status::Queued)];
    prop_oneof![
        8 => request.prop_map(|(project, machine, commit, is_urgent)| Asked::Request { project, machine, commit, is_urgent }),
        8 => (0..AGENTS).prop_map(|agent| Asked::Take { agent }),
        3 => (0..1000_usize).prop_map(|lease| Asked::Heartbeat { lease }),
        6 => (0..1000_usize, status).prop_map(|(lease, status)| Asked::Finish { lease, status }),
        1 => (0..1000_usize).prop_map(|job| Asked::Cancel { job }),
        2 => Just(Asked::Expire),
        2 => Just(Asked::Sweep),
    ]
}

/// The two side by side.
struct Both<'a> {
    lab: &'a Lab,
    agents: &'a [LabAgent],
    model: Model,
    /// The numbers that the model's jobs have in the database.
    ids: Vec<i64>,
    /// All leases that were ever given: to whom, and which.
    leases: Vec<(usize, usize, Assignment)>,
    /// Those that were ended well. The same word again is heard again.
    ended: Vec<(usize, Status)>,
}

impl Both<'_> {
    async fn ask(&mut self, asked: Asked) {
        match asked {
            Asked::Request { project, machine, commit, is_urgent } => {
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
            Asked::Take { agent } => {
                let expected = self.model.take(agent);
                let found = self.lab.claim(&self.agents[agent]).await;
                let named = found.as_ref().map(|job| (job.job_id, job.fence));
                assert_eq!(named, expected.map(|(index, fence)| (self.ids[index], fence)));
                self.leases.extend(expected.zip(found).map(|((index, _), job)| (agent, index, job)));
            }
            Asked::Heartbeat { lease } => {
                let Some((agent, index, job)) = self.lease(lease) else { return };
                let expected = self.model.heartbeat(agent, (index, job.fence));
                let found = self.lab.heartbeat(&self.agents[agent], &job).await;
                assert_eq!(
                    found.status == 200,
                    expected,
                    "{job:?} of {:?}: {found:?}",
                    self.model.jobs[index]
                );
            }
            Asked::Finish { lease, status } => {
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
            Asked::Cancel { job } => {
                let Some(index) = (!self.ids.is_empty()).then(|| job % self.ids.len()) else { return };
                self.model.cancel(index);
                let project = PROJECTS[self.model.jobs[index].project];
                let path = format!("/api/v1/projects/{project}/jobs/{}", self.ids[index]);
                assert_eq!(self.lab.app.send("DELETE", &path, &self.lab.admin, None).await.status, 204);
            }
            Asked::Expire => {
                self.model.expire();
                self.lab.expire().await;
            }
            Asked::Sweep => {
                self.model.sweep();
                self.lab.app.state.queue.sweep().await.unwrap();
            }
        }
    }

    fn lease(&self, number: usize) -> Option<(usize, usize, Assignment)> {
        (!self.leases.is_empty()).then(|| self.leases[number % self.leases.len()].clone())
    }

    /// All jobs of the database are what they are in the model.
    async fn assert_alike(&self) {
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
async fn the_queue_does_what_a_plain_model_of_it_does(lab: Lab) {
    lab.project("another").await;
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(lab.agent(&format!("lab-{number}"), &[]).await);
    }
    // The same sequences each time, so that a failure can be looked at.
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    for _ in 0..4 {
        lab.app.execute("truncate job cascade").await;
        let sequence = prop::collection::vec(asked(), 250..=250).new_tree(&mut runner).unwrap().current();
        let (model, ids, leases, ended) = Default::default();
        let mut both = Both { lab: &lab, agents: &agents, model, ids, leases, ended };
        for (step, asked) in sequence.into_iter().enumerate() {
            both.ask(asked).await;
            if step % 25 == 0 {
                both.assert_alike().await;
            }
        }
        both.assert_alike().await;
        assert!(both.leases.len() > 20, "little happened");
    }
}
