//! How soon agents are given work: a hundred of them take ten thousand jobs, as fast as each can.

use crate::service::Service;
use base64::{Engine, prelude::BASE64_STANDARD};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::lab::Assignment;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

const AGENTS: usize = 100;
/// Commits of one request.
const PART: usize = 1_000;
/// Milliseconds until an agent has its job.
const CLAIM_MS_MAX: f64 = 50.0;

/// What one agent took, and how long each claim was.
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
    let admin = Client::new(&service, admin(program, data_dir.path())?);
    let tokens = enrol(&admin)?;
    let wanted = request(&admin, jobs)?;
    eprintln!("{AGENTS} agents take {jobs} jobs");
    let begin = Instant::now();
    let taken: Result<Vec<Taken>, String> = thread::scope(|scope| {
        let agents: Vec<_> = tokens
            .into_iter()
            .map(|token| {
                let service = &service;
                scope.spawn(move || work(&Client::new(service, token)))
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().map_err(|_| "an agent crashed".to_owned())?).collect()
    });
    let taken = taken?;
    let seconds = begin.elapsed().as_secs_f64();
    let ids: Vec<i64> = taken.iter().flat_map(|agent| agent.job_ids.iter().copied()).collect();
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    let all = |of: fn(Taken) -> Vec<u64>, taken: Vec<Taken>| -> Result<Distribution, String> {
        let values: Vec<u64> = taken.into_iter().flat_map(of).collect();
        Distribution::of_samples(values).ok_or_else(|| "nothing was timed".into())
    };
    let pings = taken.iter().flat_map(|agent| agent.pings_ns.clone()).collect();
    let pings = Distribution::of_samples(pings).ok_or("nothing was timed")?;
    let claims = all(|taken| taken.claims_ns, taken)?;
    let ms = |distribution: &Distribution, ppm: u32| distribution.quantile_ns(ppm) / 1_000_000;
    eprintln!(
        "claims p50 {} ms, p99 {} ms, at most {} ms; {:.0} jobs/s taken and ended",
        ms(&claims, 500_000),
        ms(&claims, 990_000),
        claims.max_ns() / 1_000_000,
        jobs as f64 / seconds
    );
    let not_once = (ids.len() - distinct.len()) + wanted.difference(&distinct).count();
    let plain = pings.quantile_ns(990_000) as f64 / 1e6;
    Ok(vec![
        Row::new(
            format!("claims of {AGENTS} agents at once, p99"),
            ms(&claims, 990_000),
            "ms",
            Peer { name: "an answer without the database, to the same agents".into(), value: plain },
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

/// Somebody with a token, over one connection.
struct Client {
    agent: ureq::Agent,
    url: String,
    authorization: String,
}

impl Client {
    fn new(service: &Service, token: String) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { agent, url: service.url.clone(), authorization: format!("Bearer {token}") }
    }

    fn post(&self, path: &str, body: &Value) -> Result<(u16, Vec<u8>), String> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("authorization", &self.authorization)
            .header("content-type", "application/json")
            .send(body.to_string())
            .map_err(|error| error.to_string())?;
        let body = answer.body_mut().read_to_vec().map_err(|error| error.to_string())?;
        Ok((answer.status().as_u16(), body))
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
    let enrolled = (0..AGENTS).map(|number| {
        let code = admin.made("/api/v1/enrolments", &json!({}))?;
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|error| error.to_string())?;
        let key = Ed25519KeyPair::from_pkcs8(document.as_ref()).map_err(|error| error.to_string())?;
        let asked = json!({
            "code": code["code"],
            "machine": {"slug": format!("lab-{number}"), "os": "linux", "arch": "x86-64"},
            "public_key": BASE64_STANDARD.encode(key.public_key().as_ref()),
        });
        let agent = admin.made("/api/v1/agents", &asked)?;
        agent["token"]["secret"].as_str().map(str::to_owned).ok_or_else(|| "no token".to_owned())
    });
    enrolled.collect()
}

fn request(admin: &Client, jobs: usize) -> Result<BTreeSet<i64>, String> {
    admin.made(
        "/api/v1/projects",
        &json!({"project": "libfoo", "repository_url": "file:///srv/libfoo.git"}),
    )?;
    let mut ids = BTreeSet::new();
    for part in 0..jobs / PART {
        let commits: Vec<String> = (0..PART).map(|number| format!("{:040x}", part * PART + number)).collect();
        let asked =
            admin.made("/api/v1/projects/libfoo/jobs", &json!({"commits": commits, "on_any": true}))?;
        ids.extend(asked["job_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64));
    }
    Ok(ids)
}

/// Takes jobs until there are none.
fn work(client: &Client) -> Result<Taken, String> {
    let mut taken = Taken { job_ids: Vec::new(), claims_ns: Vec::new(), pings_ns: Vec::new() };
    let claim = json!({
        "protocol_min": 1, "protocol_max": 1, "version": "bench", "health": {}, "spooled_count": 0,
        "wait_seconds": 0,
    });
    let timed = |times: &mut Vec<u64>, begin: Instant| {
        times.push(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
    };
    loop {
        let begin = Instant::now();
        let ping = client.agent.get(format!("{}/healthz", client.url)).call();
        let _ = ping.map_err(|error| error.to_string())?.body_mut().read_to_vec();
        timed(&mut taken.pings_ns, begin);
        let begin = Instant::now();
        let (status, body) = client.post("/api/v1/lab/claim", &claim)?;
        timed(&mut taken.claims_ns, begin);
        match status {
            204 => return Ok(taken),
            200 => {}
            _ => {
                return Err(format!(
                    "a claim was answered with {status}: {}",
                    String::from_utf8_lossy(&body)
                ));
            }
        }
        let job: Assignment = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        taken.job_ids.push(job.job_id);
        let path = format!("/api/v1/lab/jobs/{}/finish", job.job_id);
        let (status, body) = client.post(&path, &json!({"fence": job.fence, "outcome": "done"}))?;
        if status != 204 {
            return Err(format!("an end was answered with {status}: {}", String::from_utf8_lossy(&body)));
        }
    }
}
