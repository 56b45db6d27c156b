//! The job queue of a server that is killed at random moments, while agents claim jobs, upload results and
//! report their end: each job is done once, and each report is stored once. PostgreSQL keeps running.
//!
//! `ROUNDTRIP_FAULT_ROUNDS` sets the number of kills; a few by default.

use crate::database::{execute, number};
use crate::fake_agent::{claim, enrolment, new_key};
use crate::faults::{UNLIMITED, assert_runs_complete, rounds};
use crate::report::numbered;
use crate::support::{Place, Server, eventually};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roundtrip_wire::lab::{AgentToken, Assignment, Enrolled};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};

const AGENTS: usize = 6;
/// Reports per job.
const REPORTS: usize = 2;
/// Queued jobs before each kill: about as many as are done by then.
const ASKED: u64 = 8;
/// The most answered requests between two kills.
const ANSWERED_MAX: u64 = 64;

/// A server that is killed and restarted, and the answers that its agents have received.
struct Lab {
    server: RwLock<Option<Server>>,
    answered: AtomicU64,
    /// Agents without work end once this is set.
    is_closing: AtomicBool,
    measured: AtomicU64,
    done: Mutex<Vec<i64>>,
}

impl Lab {
    /// Repeats a request until the answer does not ask for a later retry, and returns that answer.
    fn request(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, String) {
        let (token, body) = (format!("Bearer {token}"), body.to_string());
        let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
        eventually(path, || {
            let answer = self.server.read().unwrap().as_ref()?.try_call(method, path, &headers, &body)?;
            self.answered.fetch_add(1, Ordering::Relaxed);
            let status = answer.status().as_u16();
            (status < 500).then(|| (status, answer.into_body()))
        })
    }

    /// Creates something, and returns the answer.
    fn make<T: serde::de::DeserializeOwned>(&self, path: &str, token: &str, body: &Value) -> T {
        let (status, answer) = self.request("POST", path, token, body);
        assert_eq!(status, 201, "{path}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// Claims and does jobs until there are none.
    fn work(&self, machine: &str, token: &str) {
        loop {
            match self.request("POST", "/api/v1/lab/claim", token, &claim(1)) {
                (200, job) => self.measure(&serde_json::from_str(&job).unwrap(), machine, token),
                (204, _) if self.is_closing.load(Ordering::Relaxed) => return,
                (204, _) => {}
                (status, answer) => panic!("a claim was answered with {status}: {answer}"),
            }
        }
    }

    fn measure(&self, job: &Assignment, machine: &str, token: &str) {
        for _ in 0..REPORTS {
            let (path, mut report) = numbered(self.measured.fetch_add(1, Ordering::Relaxed));
            report["machine"]["slug"] = json!(machine);
            report["job"] = json!(job.lease());
            report["commit"] = json!({
                "sha": job.commit_sha, "parents": [], "subject": "Change", "author": "A. Author",
                "committed_at": "2026-11-21T10:00:01Z",
            });
            report["history"] = json!([]);
            let (status, answer) = self.request("PUT", &path, token, &report);
            assert!(matches!(status, 200 | 201), "{path} was answered with {status}: {answer}");
        }
        let path = format!("/api/v1/lab/jobs/{}/finish", job.job_id);
        let (status, answer) =
            self.request("POST", &path, token, &json!({"fence": job.fence, "outcome": "done"}));
        assert_eq!(status, 204, "{path}: {answer}");
        self.done.lock().unwrap().push(job.job_id);
    }

    /// Enrols an agent, and returns its token.
    fn enrol(&self, machine: &str, admin: &str) -> String {
        let code: Value = self.make("/api/v1/enrolments", admin, &json!({}));
        let asked = enrolment(code["code"].as_str().unwrap(), machine, &new_key());
        let Enrolled { token: AgentToken { secret, .. }, .. } = self.make("/api/v1/agents", admin, &asked);
        secret
    }
}

#[test]
fn repeated_kills_lose_or_repeat_no_job() {
    let (_postgres, place, url) = &Place::with_postgres();
    let start = || Some(place.serve_on("server", url, &UNLIMITED));
    let lab = Lab {
        server: RwLock::new(start()),
        answered: AtomicU64::new(0),
        is_closing: AtomicBool::new(false),
        measured: AtomicU64::new(0),
        done: Mutex::default(),
    };
    let admin = &place.run_on(url, &["account", "create", "--name", "ada", "--admin"]).printed();
    let project = json!({"project": "libfoo", "repository_url": "file:///srv/libfoo.git"});
    let _: Value = lab.make("/api/v1/projects", admin, &project);
    let machines = (0..AGENTS).map(|agent| format!("lab-{agent}"));
    let agents: Vec<(String, String)> =
        machines.map(|machine| (machine.clone(), lab.enrol(&machine, admin))).collect();
    let (mut asked, mut random) = (BTreeSet::new(), StdRng::seed_from_u64(1));
    std::thread::scope(|scope| {
        for (machine, token) in &agents {
            scope.spawn(|| lab.work(machine, token));
        }
        for round in 0..rounds(10) {
            let commits: Vec<String> =
                (0..ASKED).map(|number| format!("{:040x}", 1 + ASKED * round + number)).collect();
            let body = json!({"commits": commits, "on_any": true});
            let made: Value = lab.make("/api/v1/projects/libfoo/jobs", admin, &body);
            asked.extend(made["job_ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()));
            // Some kills come right after the start.
            let until = lab.answered.load(Ordering::Relaxed) + random.random_range(0..ANSWERED_MAX);
            eventually("the load", || (lab.answered.load(Ordering::Relaxed) >= until).then_some(()));
            kill(&lab);
            *lab.server.write().unwrap() = start();
        }
        lab.is_closing.store(true, Ordering::Relaxed);
    });
    // Agents whose claim was committed but not answered: their leases expire.
    let unanswered = number(url, "select count(*) from job where status = 'running'");
    execute(url, "update job set lease_expires_at = now() - interval '1 second' where status = 'running'");
    std::thread::scope(|scope| {
        for (machine, token) in &agents {
            scope.spawn(|| lab.work(machine, token));
        }
    });
    let mut done = lab.done.into_inner().unwrap();
    done.sort_unstable();
    assert_eq!(done, asked.into_iter().collect::<Vec<_>>(), "each once");
    let lost = number(url, "select count(*) from job_attempt where outcome = 'lost'");
    println!("{} jobs done once, {lost} of them claimed again, {unanswered} at the end", done.len());
    assert_eq!(number(url, "select count(*) from job"), i64::try_from(done.len()).unwrap());
    let measured = i64::try_from(lab.measured.into_inner()).unwrap();
    assert_eq!(number(url, "select count(*) from run"), measured, "each measured report is stored once");
    for wrong in [
        "select count(*) from job where status <> 'done' or lease_expires_at is not null".to_owned(),
        "select count(*) from job where fence <> (select count(*) from job_attempt where job_attempt.job_id = job.job_id)"
            .to_owned(),
        "select count(*) from job where (select count(*) from job_attempt
         where job_attempt.job_id = job.job_id and job_attempt.outcome = 'done') <> 1"
            .to_owned(),
        format!(
            "select count(*) from job where (select count(*) from run
             where run.job_id = job.job_id and not run.superseded) <> {REPORTS}"
        ),
    ] {
        assert_eq!(number(url, &wrong), 0, "{wrong}");
    }
    assert_runs_complete(url);
}

/// Kills the server while requests are in progress; they hold its lock.
fn kill(lab: &Lab) {
    let pid = lab.server.read().unwrap().as_ref().unwrap().pid();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    lab.server.write().unwrap().take().unwrap().finish();
}
