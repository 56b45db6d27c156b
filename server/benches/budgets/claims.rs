//! How soon agents are given work: a hundred of them take ten thousand jobs, as fast as each can, and then some at the rate of a
//! busy lab. And how soon the job of one that has stopped is given to another, by the clock.

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
/// Commits of one request.
const PART: usize = 1_000;
/// Milliseconds until an agent has its job.
const CLAIM_MS_MAX: f64 = 50.0;
/// Claims a second of the busy lab: each agent has a job of a second, and most take minutes.
const PACED: u32 = 100;
/// Milliseconds after the end of a lease until another agent has the job.
const RETAKEN_MS_MAX: f64 = 10_000.0;

/// What one agent took, and how long each claim was.
#[derive(Default)]
struct Taken {
    job_ids: Vec<i64>,
    claims_ns: Vec<u64>,
    pings_ns: Vec<u64>,
}

/// Prints how it went, and gives the rows.
pub(crate) fn rows(program: &Path, is_quick: bool) -> Result<Vec<Row>, String> {
    let jobs = if is_quick { 2 * PART } else { 10 * PART };
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let service = Service::start(program, data_dir.path())?;
    let admin = Client::new(&service, Some(admin(program, data_dir.path())?));
    let project = json!({"project": "libfoo", "repository_url": "file:///srv/libfoo.git"});
    admin.made("/api/v1/projects", &project)?;
    let tokens = enrol(&admin)?.into_iter();
    let agents: Vec<Client> = tokens.map(|token| Client::new(&service, Some(token))).collect();
    let (stopped, at_work) = agents.split_first().ok_or("there are no agents")?;
    // This agent claims its job and then sends nothing.
    request(&admin, 0..1)?;
    let stale = stopped.claim(0)?.ok_or("there is no job to stop with")?;
    let mut rows = at_once(&service, &admin, at_work, jobs)?;
    rows.push(paced(&admin, at_work, jobs)?);
    rows.push(retaken(&admin, &at_work[0], stopped, &stale)?);
    Ok(rows)
}

/// As fast as each can.
fn at_once(service: &Service, admin: &Client, agents: &[Client], jobs: usize) -> Result<Vec<Row>, String> {
    let wanted = request(admin, 1..1 + jobs)?;
    eprintln!("{AGENTS} agents take {jobs} jobs");
    let (begin, before) = (Instant::now(), service.spent());
    let taken: Result<Vec<Taken>, String> = thread::scope(|scope| {
        let agents: Vec<_> = agents.iter().map(|agent| scope.spawn(|| agent.work())).collect();
        agents.into_iter().map(|agent| agent.join().map_err(|_| "an agent crashed".to_owned())?).collect()
    });
    let (taken, seconds, spent) = (taken?, begin.elapsed().as_secs_f64(), service.spent().since(before));
    let ids: Vec<i64> = taken.iter().flat_map(|agent| agent.job_ids.iter().copied()).collect();
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    let all = |of: fn(&Taken) -> &Vec<u64>| {
        let values: Vec<u64> = taken.iter().flat_map(of).copied().collect();
        Distribution::of_samples(values).ok_or("nothing was timed")
    };
    let (claims, pings) = (all(|taken| &taken.claims_ns)?, all(|taken| &taken.pings_ns)?);
    let a_job = 1e6 / jobs as f64;
    eprintln!(
        "{}; {:.0} jobs/s taken and ended; processor time of a job: server {:.0} us, PostgreSQL {:.0} us, clients {:.0} us",
        told(&claims),
        jobs as f64 / seconds,
        spent.server * a_job,
        spent.postgres * a_job,
        spent.clients * a_job,
    );
    let not_once = (ids.len() - distinct.len()) + wanted.difference(&distinct).count();
    Ok(vec![
        Row::new(
            format!("claims of {AGENTS} agents at once, p99"),
            ms(&claims, 990_000),
            "ms",
            Peer {
                name: "an answer without the database, to the same agents".into(),
                value: pings.quantile_ns(990_000) as f64 / 1e6,
            },
            BarIs::ValueAtMost,
            CLAIM_MS_MAX,
        ),
        Row::new(
            format!("of {jobs} jobs, not taken once"),
            not_once as u64,
            "jobs",
            Peer { name: "all of them".into(), value: jobs as f64 },
            BarIs::ValueAtMost,
            0.0,
        ),
    ])
}

/// At a rate, timed from when each claim was due.
fn paced(admin: &Client, agents: &[Client], jobs: usize) -> Result<Row, String> {
    let seconds = u64::try_from(jobs).map_err(|error| error.to_string())? / u64::from(PACED);
    request(admin, 1 + jobs..1 + 2 * jobs)?;
    eprintln!("{AGENTS} agents take {PACED} jobs a second");
    let held: Vec<Mutex<Option<Assignment>>> = agents.iter().map(|_| Mutex::default()).collect();
    let claims = open_loop(PACED, Duration::from_secs(seconds), |number, due| {
        let at = usize::try_from(number).map_err(|error| error.to_string())? % agents.len();
        let mut job = held[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = job.take() {
            agents[at].finish(&job)?;
        }
        wait(due);
        *job = Some(agents[at].claim(0)?.ok_or("there was no job")?);
        Ok(())
    })?;
    eprintln!("{}", told(&claims));
    let p50 = claims.quantile_ns(500_000) as f64 / 1e6;
    Ok(Row::new(
        format!("claims of {AGENTS} agents at {PACED} a second, p99"),
        ms(&claims, 990_000),
        "ms",
        Peer { name: format!("their p50 ({p50:.1} ms)"), value: p50 },
        BarIs::ValueAtMost,
        CLAIM_MS_MAX,
    ))
}

/// How long after the end of its lease another agent, which waits, has the job of one that has stopped: by the server's clock.
fn retaken(admin: &Client, other: &Client, stopped: &Client, stale: &Assignment) -> Result<Row, String> {
    eprintln!("an agent waits for the job of one that has stopped");
    let taken = loop {
        match other.claim(30)? {
            Some(job) if job.job_id == stale.job_id => break job,
            // What the busy lab has left.
            Some(job) => other.finish(&job)?,
            None => {}
        }
    };
    let late = json!({"fence": stale.fence, "outcome": "done"});
    match stopped.post(&format!("/api/v1/lab/jobs/{}/finish", stale.job_id), &late)? {
        (409, _) => {}
        (status, _) => {
            return Err(format!(
                "the late word of an agent that has lost its job was answered with {status}"
            ));
        }
    }
    let told: Value = admin.read(&format!("/api/v1/projects/libfoo/jobs/{}", taken.job_id))?;
    let time = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.parse::<DateTime<Utc>>().map_err(|error| format!("{value}: {error}"))
    };
    let lease = TimeDelta::seconds(stale.lease_seconds.into());
    let after = time(&told["started_at"])? - (time(&told["attempts"][0]["started_at"])? + lease);
    other.finish(&taken)?;
    Ok(Row::new(
        "a job of an agent that has stopped is another's, after the end of its lease",
        u64::try_from(after.num_milliseconds()).map_err(|_| "it was taken before that")?,
        "ms",
        Peer { name: "the lease".into(), value: lease.as_seconds_f64() * 1e3 },
        BarIs::ValueAtMost,
        RETAKEN_MS_MAX,
    ))
}

fn told(claims: &Distribution) -> String {
    let [p50, p99] = [500_000, 990_000].map(|ppm| claims.quantile_ns(ppm) as f64 / 1e6);
    format!("claims p50 {p50:.1} ms, p99 {p99:.1} ms, at most {:.1} ms", claims.max_ns() as f64 / 1e6)
}

impl Client {
    /// Asks for a job, as an agent.
    fn claim(&self, wait_seconds: u32) -> Result<Option<Assignment>, String> {
        match self.post("/api/v1/lab/claim", &fake_agent::claim(wait_seconds))? {
            (204, _) => Ok(None),
            (200, job) => serde_json::from_slice(&job).map(Some).map_err(|error| error.to_string()),
            (status, body) => {
                Err(format!("a claim was answered with {status}: {}", String::from_utf8_lossy(&body)))
            }
        }
    }

    fn finish(&self, job: &Assignment) -> Result<(), String> {
        let path = format!("/api/v1/lab/jobs/{}/finish", job.job_id);
        match self.post(&path, &json!({"fence": job.fence, "outcome": "done"}))? {
            (204, _) => Ok(()),
            (status, body) => {
                Err(format!("an end was answered with {status}: {}", String::from_utf8_lossy(&body)))
            }
        }
    }

    /// Takes jobs until there are none.
    fn work(&self) -> Result<Taken, String> {
        let mut taken = Taken::default();
        loop {
            let begin = Instant::now();
            self.get("/healthz", None)?;
            taken.pings_ns.push(ns_since(begin));
            let begin = Instant::now();
            let job = self.claim(0)?;
            taken.claims_ns.push(ns_since(begin));
            let Some(job) = job else { return Ok(taken) };
            taken.job_ids.push(job.job_id);
            self.finish(&job)?;
        }
    }

    fn made(&self, path: &str, body: &Value) -> Result<Value, String> {
        let (status, answer) = self.post(path, body)?;
        let text = String::from_utf8_lossy(&answer);
        if status != 201 {
            return Err(format!("{path} was answered with {status}: {text}"));
        }
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }
}

/// The token of an administrator.
fn admin(program: &Path, data_dir: &Path) -> Result<String, String> {
    let made = Command::new(program)
        .args(["account", "create", "--name", "bench", "--admin", "--data-dir"])
        .arg(data_dir)
        .output()
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned())
}

fn enrol(admin: &Client) -> Result<Vec<String>, String> {
    // And one that stops.
    let enrolled = (0..=AGENTS).map(|number| {
        let code = admin.made("/api/v1/enrolments", &json!({}))?;
        let code = code["code"].as_str().ok_or("no code")?;
        let asked = fake_agent::enrolment(code, &format!("lab-{number}"), &fake_agent::new_key());
        let agent = admin.made("/api/v1/agents", &asked)?;
        agent["token"]["secret"].as_str().map(str::to_owned).ok_or_else(|| "no token".to_owned())
    });
    enrolled.collect()
}

/// Asks for the commits of these numbers, in parts that the server takes.
fn request(admin: &Client, numbers: Range<usize>) -> Result<BTreeSet<i64>, String> {
    let commits: Vec<String> = numbers.map(|number| format!("{number:040x}")).collect();
    let mut ids = BTreeSet::new();
    for part in commits.chunks(PART) {
        let asked = admin.made("/api/v1/projects/libfoo/jobs", &json!({"commits": part, "on_any": true}))?;
        ids.extend(asked["job_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64));
    }
    Ok(ids)
}
