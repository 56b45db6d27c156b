//! The server as a user starts it: the program of the release build, with a data directory of its own.

use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that answers, until this is dropped.
pub(crate) struct Service {
    child: Child,
    /// Closing it stops the server.
    lifeline: Option<ChildStdin>,
    pub(crate) url: String,
    metrics_url: String,
    data_dir: PathBuf,
}

impl Service {
    /// Starts it in `data_dir`, whose data it keeps.
    pub(crate) fn start(program: &Path, data_dir: &Path) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", program.display());
        // A port that was free a moment ago.
        let metrics = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let metrics = metrics.map_err(wrong)?.to_string();
        let mut child = Command::new(program)
            // More requests than any one client is meant to have.
            .args(["serve", "--port", "0", "--requests-per-minute", "1000000", "--stop-with-stdin"])
            .args(["--metrics", &metrics, "--data-dir"])
            .arg(data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(wrong)?;
        let lifeline = child.stdin.take();
        let mut ready = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut ready).map_err(wrong)?;
        }
        let url = ready.trim().strip_prefix("listening on ").map(str::to_owned);
        let url = url.ok_or_else(|| format!("{} did not start: see above", program.display()))?;
        let metrics_url = format!("http://{metrics}/metrics");
        Ok(Self { child, lifeline, url, metrics_url, data_dir: data_dir.to_owned() })
    }

    /// The token that a new server writes for the agent of its machine.
    pub(crate) fn token(&self) -> Result<String, String> {
        let path = self.data_dir.join("agent.token");
        let token = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(token.trim().to_owned())
    }

    /// What the server tells of itself under this name.
    pub(crate) fn metric(&self, name: &str) -> Result<u64, String> {
        let answer = ureq::get(&self.metrics_url).call().map_err(|error| error.to_string())?;
        let text = answer.into_body().read_to_string().map_err(|error| error.to_string())?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).ok_or_else(|| format!("no {name} in the metrics"))
    }

    /// The milliseconds until no run waits for change detection.
    #[expect(clippy::cast_possible_truncation, reason = "less than centuries")]
    pub(crate) fn until_searched(&self) -> Result<u64, String> {
        let begin = Instant::now();
        let waiting = || self.metric("roundtrip_analysis_runs_waiting");
        eprintln!(
            "{} runs wait to be searched, the first for {} s",
            waiting()?,
            self.metric("roundtrip_analysis_lag_seconds")?
        );
        while waiting()? > 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(begin.elapsed().as_millis() as u64)
    }

    /// The most resident memory that there ever was, in MiB. PostgreSQL is another process.
    pub(crate) fn resident_mib_max(&self) -> Result<u64, String> {
        self.status_kib("VmHWM:").map(|kib| kib >> 10)
    }

    /// The resident memory that there is.
    pub(crate) fn resident_kib(&self) -> Result<u64, String> {
        self.status_kib("VmRSS:")
    }

    fn status_kib(&self, name: &str) -> Result<u64, String> {
        let read = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        read().ok_or_else(|| "the server's memory cannot be read".to_owned())
    }

    /// Files, sockets and all else that the server has open.
    pub(crate) fn open_files(&self) -> Result<usize, String> {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id()));
        open.map(Iterator::count).map_err(|error| format!("the server's files cannot be counted: {error}"))
    }
}

/// Sends requests to a server over one connection, with a token if there is one.
pub(crate) struct Client {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
}

impl Client {
    pub(crate) fn new(service: &Service, token: Option<String>) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let authorization = token.map(|token| format!("Bearer {token}"));
        Self { agent, url: service.url.clone(), authorization }
    }

    /// The body of the answer; compressed as sent if an encoding is requested.
    pub(crate) fn get(&self, path: &str, encoding: Option<&str>) -> Result<Vec<u8>, String> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        let headers = [("authorization", self.authorization.as_deref()), ("accept-encoding", encoding)];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let mut answer = request.call().map_err(|error| format!("{path}: {error}"))?;
        let body = answer.body_mut().read_to_vec().map_err(|error| format!("{path}: {error}"))?;
        match answer.status().as_u16() {
            200 => Ok(body),
            status => Err(format!("{path} was answered with {status}: {}", String::from_utf8_lossy(&body))),
        }
    }

    /// The answer's JSON.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, String> {
        serde_json::from_slice(&self.get(path, None)?).map_err(|error| error.to_string())
    }

    /// Sends JSON, and returns the status and the body of the answer.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<(u16, Vec<u8>), String> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("authorization", self.authorization.as_deref().unwrap_or_default())
            .header("content-type", "application/json")
            .send(body.to_string())
            .map_err(|error| error.to_string())?;
        let body = answer.body_mut().read_to_vec().map_err(|error| error.to_string())?;
        Ok((answer.status().as_u16(), body))
    }
}

/// Synthetic history of a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    pub(crate) project: &'static str,
    pub(crate) machines: u32,
    pub(crate) series: u32,
    pub(crate) commits: u32,
    /// Of how many of the newest commits distributions are kept; as `seed` has it when nothing is said.
    pub(crate) histograms: Option<u32>,
}

impl History {
    /// Stores it in a data directory that no server uses.
    pub(crate) fn store(&self, program: &Path, data_dir: &Path) -> Result<(), String> {
        let Self { project, machines, series, commits, histograms } = self;
        let mut command = Command::new(program);
        command.args(["seed", "--project", project]);
        let mut number = |name: &str, number: &u32| {
            command.arg(name).arg(number.to_string());
        };
        number("--machines", machines);
        number("--series", series);
        number("--commits", commits);
        histograms.iter().for_each(|count| number("--histograms", count));
        let status = command.arg("--data-dir").arg(data_dir).status();
        match status.map_err(|error| format!("{}: {error}", program.display()))? {
            status if status.success() => Ok(()),
            _ => Err(format!("seeding {project} failed: see above")),
        }
    }
}

/// Processor time since a process began, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) server: f64,
    /// Of all its processes that live.
    pub(crate) postgres: f64,
    /// This program.
    pub(crate) clients: f64,
}

impl Spent {
    /// What was spent since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            server: self.server - before.server,
            postgres: self.postgres - before.postgres,
            clients: self.clients - before.clients,
        }
    }
}

impl Service {
    /// What has been spent so far.
    pub(crate) fn spent(&self) -> Spent {
        let processes: Vec<Process> = std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| Process::read(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        let of = |pid: u32| processes.iter().filter(|one| one.pid == pid).map(|one| one.seconds).sum();
        let mut family = vec![self.child.id()];
        // Children come after their parents only by chance, so whoever is new is asked for children again.
        for at in 0.. {
            let Some(&parent) = family.get(at) else { break };
            family.extend(processes.iter().filter(|one| one.parent == parent).map(|one| one.pid));
        }
        let postgres = family.iter().skip(1).map(|&pid| of(pid)).sum();
        Spent { server: of(self.child.id()), postgres, clients: of(std::process::id()) }
    }
}

struct Process {
    pid: u32,
    parent: u32,
    seconds: f64,
}

impl Process {
    /// From `/proc/<pid>/stat`: see proc(5). A tick is a hundredth of a second on Linux.
    fn read(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
        Some(Self { pid, parent: ticks(1)?, seconds: f64::from(ticks(11)? + ticks(12)?) / 100.0 })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let _ = self.child.wait();
    }
}
