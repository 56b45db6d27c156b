//! Throughput and latency of uploads.

use crate::open_loop::{ns_since, open_loop, wait};
use crate::service::Service;
use crate::upload::{LabMachine, RESULTS};
use roundtrip_stats::Distribution;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use ureq::Body;
use ureq::http::Response;

/// Concurrent uploads at full speed.
const CLIENTS: usize = 6;
/// Attempts before an upload fails.
const ATTEMPTS_MAX: u32 = 100;

/// Sends uploads to a server.
pub(crate) struct Sender {
    agent: ureq::Agent,
    url: String,
    authorization: String,
    /// Responses 429 and 503, after each of which an upload is retried.
    pub(crate) retries: AtomicU64,
    /// Acknowledged uploads.
    pub(crate) acknowledged: AtomicU64,
}

impl Sender {
    pub(crate) fn new(service: &Service) -> Result<Self, String> {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Ok(Self {
            agent,
            url: service.url.clone(),
            authorization: format!("Bearer {}", service.token()?),
            retries: AtomicU64::new(0),
            acknowledged: AtomicU64::new(0),
        })
    }

    /// Sends a body once and returns the response status.
    pub(crate) fn status(&self, run_id: &str, encoding: &str, body: &[u8]) -> Result<u16, String> {
        let mut answer = self.put(run_id, encoding, body)?;
        let _ = answer.body_mut().read_to_vec();
        Ok(answer.status().as_u16())
    }

    fn put(&self, run_id: &str, encoding: &str, body: &[u8]) -> Result<Response<Body>, String> {
        self.agent
            .put(format!("{}/api/v1/runs/{run_id}", self.url))
            .header("authorization", &self.authorization)
            .header("content-type", "application/json")
            .header("content-encoding", encoding)
            .send(body)
            .map_err(|error| error.to_string())
    }

    /// Sends an upload, with retries, until the server acknowledges it.
    fn send(&self, (run_id, body): &(String, Vec<u8>)) -> Result<(), String> {
        for _ in 0..ATTEMPTS_MAX {
            let mut answer = self.put(run_id, "zstd", body)?;
            match answer.status().as_u16() {
                201 => {
                    let _ = answer.body_mut().read_to_vec();
                    self.acknowledged.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
                429 | 503 => {
                    self.retries.fetch_add(1, Ordering::Relaxed);
                    let after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
                    let seconds = after.and_then(|text| text.parse().ok()).unwrap_or(1);
                    thread::sleep(Duration::from_secs(seconds));
                }
                status => {
                    let body = answer.body_mut().read_to_string().unwrap_or_default();
                    return Err(format!("upload: expected status 201, got {status}: {body}"));
                }
            }
        }
        Err(format!("upload: no success after {ATTEMPTS_MAX} attempts"))
    }
}

/// Sends the first upload of each machine, which creates its series, and returns their times.
pub(crate) fn first_uploads(
    sender: &Sender,
    machines: &[LabMachine],
    commits: &AtomicU64,
) -> Result<Distribution, String> {
    let commit = commits.fetch_add(1, Ordering::Relaxed);
    let times: Result<Vec<u64>, String> = machines
        .iter()
        .map(|machine| {
            let upload = machine.upload(commit);
            let sent = Instant::now();
            sender.send(&upload)?;
            Ok(ns_since(sent))
        })
        .collect();
    Distribution::of_samples(times?).ok_or_else(|| "there are no machines".to_owned())
}

/// Results of [`full_speed`].
pub(crate) struct FullSpeed {
    pub(crate) results: f64,
    pub(crate) results_per_second: u64,
    pub(crate) body_bytes_per_second: u64,
    pub(crate) times: Distribution,
}

/// Uploads for `duration` as fast as the server accepts: each client uploads one commit of each of its machines, then the
/// next commit.
pub(crate) fn full_speed(
    sender: &Sender,
    machines: &[LabMachine],
    commits: &AtomicU64,
    duration: Duration,
) -> Result<FullSpeed, String> {
    let first = commits.load(Ordering::Relaxed);
    let (started, bytes) = (Instant::now(), AtomicU64::new(0));
    let client = |own: &[LabMachine]| {
        let mut times_ns = Vec::new();
        for commit in first.. {
            for machine in own {
                if started.elapsed() >= duration {
                    return Ok(times_ns);
                }
                commits.fetch_max(commit + 1, Ordering::Relaxed);
                let upload = machine.upload(commit);
                let sent = Instant::now();
                sender.send(&upload)?;
                times_ns.push(ns_since(sent));
                bytes.fetch_add(upload.1.len() as u64, Ordering::Relaxed);
            }
        }
        Ok(times_ns)
    };
    let times: Result<Vec<Vec<u64>>, String> = thread::scope(|scope| {
        let clients: Vec<_> = machines
            .chunks(machines.len().div_ceil(CLIENTS))
            .map(|own| scope.spawn(move || client(own)))
            .collect();
        clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked".to_owned())?).collect()
    });
    let times = times?.concat();
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
    Ok(FullSpeed {
        results: times.len() as f64 * f64::from(RESULTS),
        results_per_second: times.len() as u64 * u64::from(RESULTS) * 1_000 / elapsed_ms,
        body_bytes_per_second: bytes.into_inner() * 1_000 / elapsed_ms,
        times: Distribution::of_samples(times).ok_or("no samples")?,
    })
}

/// Sends `per_second` uploads per second for `duration`, and returns their times.
pub(crate) fn paced(
    sender: &Sender,
    machines: &[LabMachine],
    commits: &AtomicU64,
    per_second: u32,
    duration: Duration,
) -> Result<Distribution, String> {
    let first = commits.load(Ordering::Relaxed);
    let count = machines.len() as u64;
    let times = open_loop(per_second, duration, |number, due| {
        let commit = first + number / count;
        commits.fetch_max(commit + 1, Ordering::Relaxed);
        let machine = usize::try_from(number % count).unwrap_or(0);
        let upload = machines[machine].upload(commit);
        wait(due);
        sender.send(&upload)
    })?;
    Ok(times)
}
