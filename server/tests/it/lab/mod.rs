//! The lab: enrolment, jobs and leases.
//!
//! - `releases`: releases for agents.
//! - `enrolment`: enrolment and tokens. `queue`: claims and leases. `requests`: queuing of jobs. `results`: results
//!   of jobs.
//! - `model`: compares the database queue with a model. `simulation`: that model with faults over a million steps.

mod enrolment;
mod model;
mod queue;
mod releases;
mod requests;
mod results;
mod simulation;

use crate::fake_agent::{claim, enrolment, new_key};
use crate::support::{Answer, Fixture, TestApp};
use base64::{Engine, prelude::BASE64_STANDARD};
use ring::signature::Ed25519KeyPair;
use roundtrip_server::AppState;
use roundtrip_wire::RunReport;
use roundtrip_wire::lab::{AgentToken, Assignment, Enrolled, RENEWAL_CONTEXT};
use serde_json::{Value, json};
use sqlx::PgPool;
use std::time::Duration;

/// A server with a project and an administrator.
pub(crate) struct Lab {
    pub(crate) app: TestApp,
    pub(crate) admin: String,
}

/// An enrolled agent.
pub(crate) struct LabAgent {
    pub(crate) agent_id: i64,
    pub(crate) token: String,
    key: Ed25519KeyPair,
}

impl Fixture for Lab {
    async fn new(pool: PgPool) -> Self {
        Self::from_app(TestApp::new(pool).await).await
    }
}

impl Lab {
    /// Creates a lab with leases of this duration.
    pub(crate) async fn with_lease(pool: PgPool, lease: Duration) -> Self {
        let change = |mut state: AppState| {
            state.queue = state.queue.clone().with_lease(lease);
            state
        };
        Self::from_app(TestApp::configured(pool, change).await).await
    }

    pub(crate) async fn from_app(app: TestApp) -> Self {
        let admin = app.account("ada", true).await;
        let lab = Self { app, admin };
        lab.project("libfoo").await;
        lab
    }

    pub(crate) async fn project(&self, name: &str) {
        let url = format!("https://git.example.org/{name}.git");
        let asked = json!({"project": name, "default_branch": "main", "repository_url": url});
        assert_eq!(self.ask("POST", "/api/v1/projects", asked).await.status, 201);
    }

    /// Sends a request as the administrator.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        self.app.send(method, path, &self.admin, Some(body)).await
    }

    pub(crate) async fn code(&self, asked: Value) -> String {
        let answer = self.ask("POST", "/api/v1/enrolments", asked).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json::<Value>()["code"].as_str().unwrap().to_owned()
    }

    /// Enrols an agent on a machine.
    pub(crate) async fn agent(&self, machine: &str, labels: &[&str]) -> LabAgent {
        self.enrol(machine, json!({"labels": labels})).await
    }

    /// Enrols an agent with a code for this request.
    async fn enrol(&self, machine: &str, asked: Value) -> LabAgent {
        let key = new_key();
        let answer = self.post_enrolment(&self.code(asked).await, machine, &key).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let enrolled: Enrolled = answer.json();
        LabAgent { agent_id: enrolled.agent_id, token: enrolled.token.secret, key }
    }

    async fn post_enrolment(&self, code: &str, machine: &str, key: &Ed25519KeyPair) -> Answer {
        self.app.post("/api/v1/agents", &enrolment(code, machine, key)).await
    }

    /// Enrols agents on machines that are numbered from 0.
    async fn agents(&self, count: usize, labels: &[&str]) -> Vec<LabAgent> {
        let mut agents = Vec::new();
        for number in 0..count {
            agents.push(self.agent(&format!("lab-{number}"), labels).await);
        }
        agents
    }

    async fn delete(&self, path: &str) -> Answer {
        self.app.send("DELETE", path, &self.admin, None).await
    }

    /// Uploads a report with an agent's token, and returns the stored run.
    pub(crate) async fn store(&self, agent: &LabAgent, report: &RunReport) -> Value {
        assert_eq!(self.app.put_as(&agent.token, report).await.status, 201);
        self.app.run(report).await["run"].clone()
    }

    async fn sweep(&self) {
        self.app.state.queue.sweep().await.unwrap();
    }

    /// Queues jobs for numbered commits as the administrator. Returns the ids of the new jobs.
    pub(crate) async fn request(&self, project: &str, asked: Value) -> Vec<i64> {
        let answer = self.ask("POST", &format!("/api/v1/projects/{project}/jobs"), asked).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let ids = &answer.json::<Value>()["job_ids"];
        ids.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect()
    }

    pub(crate) async fn job(&self, job_id: i64) -> Value {
        self.app.read(&format!("/api/v1/projects/libfoo/jobs/{job_id}")).await
    }

    pub(crate) async fn claim(&self, agent: &LabAgent) -> Option<Assignment> {
        let answer = self.claim_as(agent, json!({})).await;
        if answer.status == 204 {
            return None;
        }
        assert_eq!(answer.status, 200, "{answer:?}");
        Some(answer.json())
    }

    /// Claims a job, with additional members in the request.
    pub(crate) async fn claim_as(&self, agent: &LabAgent, extra: Value) -> Answer {
        let mut claim = claim(0);
        for (name, value) in extra.as_object().unwrap() {
            claim[name] = value.clone();
        }
        self.app.send("POST", "/api/v1/lab/claim", &agent.token, Some(claim)).await
    }

    pub(crate) async fn heartbeat(&self, agent: &LabAgent, job: &Assignment) -> Answer {
        let path = format!("/api/v1/lab/jobs/{}/heartbeat", job.job_id);
        self.app.send("POST", &path, &agent.token, Some(json!({"fence": job.fence}))).await
    }

    pub(crate) async fn finish(&self, agent: &LabAgent, job: &Assignment, outcome: &str) -> Answer {
        let path = format!("/api/v1/lab/jobs/{}/finish", job.job_id);
        let finish = json!({"fence": job.fence, "outcome": outcome, "output": "cc -O2 bench.c\n"});
        self.app.send("POST", &path, &agent.token, Some(finish)).await
    }

    /// Expires all leases.
    pub(crate) async fn expire(&self) {
        let expire = "update job set lease_expires_at = now() - interval '1 second' where status = 'running'";
        self.app.execute(expire).await;
    }
}

impl LabAgent {
    /// Renews the token with this signature of the challenge.
    async fn renew(&self, app: &TestApp, sign: impl FnOnce(&Self, &[u8]) -> Vec<u8>) -> Answer {
        let path = format!("/api/v1/agents/{}", self.agent_id);
        let asked: Value = app.post(&format!("{path}/challenge"), &json!({})).await.json();
        let challenge = BASE64_STANDARD.decode(asked["challenge"].as_str().unwrap()).unwrap();
        let signature = BASE64_STANDARD.encode(sign(self, &challenge));
        app.post(&format!("{path}/token"), &json!({ "signature": signature })).await
    }

    fn sign(&self, challenge: &[u8]) -> Vec<u8> {
        self.key.sign(&[RENEWAL_CONTEXT, challenge].concat()).as_ref().to_vec()
    }
}

/// The 40 digits of a commit.
pub(crate) fn sha(number: u64) -> String {
    format!("{number:040x}")
}

fn secret(answer: &Answer) -> String {
    answer.json::<AgentToken>().secret
}
