//! Latency of job claims: a hundred agents claim ten thousand jobs as fast as they can, then as many at the rate of a busy
//! lab. Also measures how soon after the end of its lease another agent gets the job of a stopped agent.

use crate::fake_agent;
use crate::open_loop::{ms, ns_since, open_loop, wait};
use crate::service::{Client, Service};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::lab::Assignment;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const AGENTS: usize = 100;
/// Commits per request.
const BATCH: usize = 1_000;
/// The time limit of a claim, in milliseconds.
const CLAIM_MS_MAX: f64 = 50.0;
/// Claims per second of a busy lab. At this rate each agent runs one job per second; most real jobs take minutes.
const BUSY_LAB_RATE: u32 = 100;
/// The time limit for another agent to get a job whose lease has ended, in milliseconds.
const RECLAIM_MS_MAX: f64 = 10_000.0;

/// The jobs that one agent claimed, the time of each claim, and that of a request without the database before it.
#[derive(Default)]
struct AgentLog {
    job_ids: Vec<i64>,
    claims_ns: Vec<u64>,
    pings_ns: Vec<u64>,
}

/// Prints the latencies and returns the rows.
pub(crate) fn rows(program: &Path, is_quick: bool) -> Result<Vec<Row>, String> {
    let jobs = if is_quick { 2 * BATCH } else { 10 * BATCH };
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let service = Service::start(program, data_dir.path())?;
    let admin = Client::new(&service, Some(create_admin(program, data_dir.path())?));
    let project = json!({"project": "libfoo", "repository_url": "file:///srv/libfoo.git"});
    admin.create("/api/v1/projects", &project)?;
    let tokens = enrol(&admin)?.into_iter();
    let agents: Vec<Client> = tokens.map(|token| Client::new(&service, Some(token))).collect();
    let (stopped, working) = agents.split_first().ok_or("there are no agents")?;
    // This agent claims its job and then sends nothing.
    queue_jobs(&admin, 0..1)?;
    let expired = stopped.claim(0)?.ok_or("the stopped agent got no job")?;
    let mut rows = full_speed(&service, &admin, working, jobs)?;
    rows.push(paced(&admin, working, jobs)?);
    rows.push(reclaim(&admin, &working[0], stopped, &expired)?);
    Ok(rows)
}

/// Claims jobs with all agents as fast as they can.
fn full_speed(service: &Service, admin: &Client, agents: &[Client], jobs: usize) -> Result<Vec<Row>, String> {
    let queued = queue_jobs(admin, 1..1 + jobs)?;
    eprintln!("{AGENTS} agents claim {jobs} jobs at full speed");
    let (begin, before) = (Instant::now(), service.cpu_time());
    let logs: Result<Vec<AgentLog>, String> = thread::scope(|scope| {
        let agents: Vec<_> = agents.iter().map(|agent| scope.spawn(|| agent.work())).collect();
        agents.into_iter().map(|agent| agent.join().map_err(|_| "an agent crashed".to_owned())?).collect()
    });
    let (logs, seconds, cpu) = (logs?, begin.elapsed().as_secs_f64(), service.cpu_time().since(before));
    let ids: Vec<i64> = logs.iter().flat_map(|log| log.job_ids.iter().copied()).collect();
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    let all = |times: fn(&AgentLog) -> &Vec<u64>| {
        let values: Vec<u64> = logs.iter().flat_map(times).copied().collect();
        Distribution::of_samples(values).ok_or("no samples")
    };
    let (claims, pings) = (all(|log| &log.claims_ns)?, all(|log| &log.pings_ns)?);
    let us_per_job = 1e6 / jobs as f64;
    eprintln!(
        "{}; {:.0} jobs/s claimed and finished; CPU time per job: server {:.0} us, PostgreSQL {:.0} us, clients {:.0} us",
        summary(&claims),
        jobs as f64 / seconds,
        cpu.server * us_per_job,
        cpu.postgres * us_per_job,
        cpu.clients * us_per_job,
    );
    let lost_or_repeated = (ids.len() - distinct.len()) + queued.difference(&distinct).count();
    Ok(vec![
        Row::new(
            format!("concurrent claims of {AGENTS} agents, p99"),
            ms(&claims, 990_000),
            "ms",
            Peer {
                name: "health check between the claims".into(),
                value: pings.quantile_ns(990_000) as f64 / 1e6,
            },
            BarIs::ValueAtMost,
            CLAIM_MS_MAX,
        ),
        Row::new(
            format!("jobs lost or claimed twice, of {jobs}"),
            lost_or_repeated as u64,
            "jobs",
            Peer { name: "all jobs".into(), value: jobs as f64 },
            BarIs::ValueAtMost,
            0.0,
        ),
    ])
}

/// Claims jobs at a fixed rate, and times each claim from its due time.
fn paced(admin: &Client, agents: &[Client], jobs: usize) -> Result<Row, String> {
    let seconds = u64::try_from(jobs).map_err(|error| error.to_string())? / u64::from(BUSY_LAB_RATE);
    queue_jobs(admin, 1 + jobs..1 + 2 * jobs)?;
    eprintln!("{AGENTS} agents claim {BUSY_LAB_RATE} jobs/s");
    let held: Vec<Mutex<Option<Assignment>>> = agents.iter().map(|_| Mutex::default()).collect();
    let claims = open_loop(BUSY_LAB_RATE, Duration::from_secs(seconds), |number, due| {
        let at = usize::try_from(number).map_err(|error| error.to_string())? % agents.len();
        let mut job = held[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = job.take() {
            agents[at].finish(&job)?;
        }
        wait(due);
        *job = Some(agents[at].claim(0)?.ok_or("no job in the queue")?);
        Ok(())
    })?;
    eprintln!("{}", summary(&claims));
    let p50 = claims.quantile_ns(500_000) as f64 / 1e6;
    Ok(Row::new(
        format!("claims of {AGENTS} agents, p99 at {BUSY_LAB_RATE}/s"),
        ms(&claims, 990_000),
        "ms",
        Peer { name: format!("their p50 ({p50:.1} ms)"), value: p50 },
        BarIs::ValueAtMost,
        CLAIM_MS_MAX,
    ))
}

/// Times, by the server's clock, how soon after the end of a stopped agent's lease a waiting agent gets its job.
fn reclaim(admin: &Client, other: &Client, stopped: &Client, expired: &Assignment) -> Result<Row, String> {
    eprintln!("waiting for the lease of a stopped agent to end");
    let taken = loop {
        match other.claim(30)? {
            Some(job) if job.job_id == expired.job_id => break job,
            // Left over from the measurement at a fixed rate.
            Some(job) => other.finish(&job)?,
            None => {}
        }
    };
    let late = json!({"fence": expired.fence, "outcome": "done"});
    match stopped.post(&format!("/api/v1/lab/jobs/{}/finish", expired.job_id), &late)? {
        (409, _) => {}
        (status, _) => {
            return Err(format!("late result of an expired lease: expected status 409, got {status}"));
        }
    }
    let job: Value = admin.read(&format!("/api/v1/projects/libfoo/jobs/{}", taken.job_id))?;
    let time = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.parse::<DateTime<Utc>>().map_err(|error| format!("{value}: {error}"))
    };
    let lease = TimeDelta::seconds(expired.lease_seconds.into());
    let after = time(&job["started_at"])? - (time(&job["attempts"][0]["started_at"])? + lease);
    other.finish(&taken)?;
    Ok(Row::new(
        "job reclaimed from a stopped agent, after the end of the lease",
        u64::try_from(after.num_milliseconds())
            .map_err(|_| "the job was reclaimed before its lease ended")?,
        "ms",
        Peer { name: "the lease".into(), value: lease.as_seconds_f64() * 1e3 },
        BarIs::ValueAtMost,
        RECLAIM_MS_MAX,
    ))
}

fn summary(claims: &Distribution) -> String {
    let [p50, p99] = [500_000, 990_000].map(|ppm| claims.quantile_ns(ppm) as f64 / 1e6);
    format!("claims p50 {p50:.1} ms, p99 {p99:.1} ms, max {:.1} ms", claims.max_ns() as f64 / 1e6)
}

impl Client {
    /// Claims a job as an agent; `None` if there is none.
    fn claim(&self, wait_seconds: u32) -> Result<Option<Assignment>, String> {
        match self.post("/api/v1/lab/claim", &fake_agent::claim(wait_seconds))? {
            (204, _) => Ok(None),
            (200, job) => serde_json::from_slice(&job).map(Some).map_err(|error| error.to_string()),
            (status, body) => Err(format!(
                "claim: expected status 200 or 204, got {status}: {}",
                String::from_utf8_lossy(&body)
            )),
        }
    }

    fn finish(&self, job: &Assignment) -> Result<(), String> {
        let path = format!("/api/v1/lab/jobs/{}/finish", job.job_id);
        match self.post(&path, &json!({"fence": job.fence, "outcome": "done"}))? {
            (204, _) => Ok(()),
            (status, body) => {
                Err(format!("finish: expected status 204, got {status}: {}", String::from_utf8_lossy(&body)))
            }
        }
    }

    /// Claims and finishes jobs until none are left.
    fn work(&self) -> Result<AgentLog, String> {
        let mut log = AgentLog::default();
        loop {
            let begin = Instant::now();
            self.get("/healthz", None)?;
            log.pings_ns.push(ns_since(begin));
            let begin = Instant::now();
            let job = self.claim(0)?;
            log.claims_ns.push(ns_since(begin));
            let Some(job) = job else { return Ok(log) };
            log.job_ids.push(job.job_id);
            self.finish(&job)?;
        }
    }

    fn create(&self, path: &str, body: &Value) -> Result<Value, String> {
        let (status, answer) = self.post(path, body)?;
        let text = String::from_utf8_lossy(&answer);
        if status != 201 {
            return Err(format!("{path}: expected status 201, got {status}: {text}"));
        }
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }
}

/// Creates an administrator and returns its token.
fn create_admin(program: &Path, data_dir: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .args(["account", "create", "--name", "bench", "--admin", "--data-dir"])
        .arg(data_dir)
        .output()
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Enrols the agents and one more, which stops; returns their tokens.
fn enrol(admin: &Client) -> Result<Vec<String>, String> {
    let enrolled = (0..=AGENTS).map(|number| {
        let code = admin.create("/api/v1/enrolments", &json!({}))?;
        let code = code["code"].as_str().ok_or("no code")?;
        let request = fake_agent::enrolment(code, &format!("lab-{number}"), &fake_agent::new_key());
        let agent = admin.create("/api/v1/agents", &request)?;
        agent["token"]["secret"].as_str().map(str::to_owned).ok_or_else(|| "no token".to_owned())
    });
    enrolled.collect()
}

/// Queues jobs for the commits with these numbers, in requests small enough for the server, and returns their IDs.
fn queue_jobs(admin: &Client, numbers: Range<usize>) -> Result<BTreeSet<i64>, String> {
    let commits: Vec<String> = numbers.map(|number| format!("{number:040x}")).collect();
    let mut ids = BTreeSet::new();
    for batch in commits.chunks(BATCH) {
        let created =
            admin.create("/api/v1/projects/libfoo/jobs", &json!({"commits": batch, "on_any": true}))?;
        ids.extend(created["job_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64));
    }
    Ok(ids)
}
